/* frame_name - what the patterns of functions see of a name */
#include <string.h>

#include <tp/buf.h>

#include "graph.h"

/* A folder before what can be imported, and how much of it is a name. */
struct root {
	const char *text;
	size_t kept;
};

static const struct root roots[] = {
	{ "-packages/", 0 },		/* site-packages, dist-packages */
	{ "/pytorch/torch/", 6 },
	{ "/python/triton/", 7 },
};

/* The length of "(LINE): " at TEXT, or 0. */
static size_t
line_len(const char *text)
{
	size_t n = *text == '(' ? strspn(text + 1, "0123456789") : 0;

	return n && !strncmp(text + 1 + n, "): ", 3) ? n + 4 : 0;
}

/* What follows the folder in the name PATH of a file that can be imported. */
static const char *
without_root(const char *path)
{
	const char *at;

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		while ((at = strstr(path, roots[i].text)))
			path = at + strlen(roots[i].text) - roots[i].kept;
	for (at = path; (at = strstr(at, "/python3.")); ) {
		at += strlen("/python3.");
		at += strspn(at, "0123456789t");
		if (*at == '/')
			path = ++at;
	}
	return path;
}

int
tp_frame_name(struct tp_buf *buf, const char *name)
{
	const char *line = name, *at;
	size_t n;

	tp_buf_clear(buf);
	while ((line = strchr(line, '(')) && !line_len(line))
		line++;
	if (!line || line == name) {
		tp_buf_str(buf, name);
		return !strncmp(name, "<built-in ", 10) ||
		    !strncmp(name, "nn.Module: ", 11);
	}
	tp_buf_add(buf, name, (size_t)(line - name));
	for (size_t i = 0; i < buf->len; i++)
		if (buf->p[i] == '\\')
			buf->p[i] = '/';
	at = without_root(buf->p);
	n = (size_t)(at - buf->p);
	memmove(buf->p, at, buf->len - n + 1);
	buf->len -= n;
	tp_buf_str(buf, ": ");
	tp_buf_str(buf, line + line_len(line));
	return 1;
}
