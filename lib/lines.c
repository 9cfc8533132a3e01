/* lines - read an input line by line */
#include <string.h>

#include <tp/limits.h>
#include <tp/lines.h>

void
tp_lines_init(struct tp_lines *l, struct tp_in *in)
{
	memset(l, 0, sizeof *l);
	l->in = in;
}

static int
give(struct tp_lines *l, const char *p, size_t n, const char **text,
    size_t *len)
{
	l->cut += (uint64_t)l->cutting;
	l->cutting = 0;
	if (!l->line++ && n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) {
		p += 3;
		n -= 3;
	}
	*text = p;
	*len = n && p[n - 1] == '\r' ? n - 1 : n;
	return 1;
}

/* Add LEN bytes at P to the current line, as far as l->max allows. */
static void
add_part(struct tp_lines *l, const char *p, size_t len)
{
	size_t room = l->max > l->part.len ? l->max - l->part.len : 0;
	int ends = len && p[len - 1] == '\n';

	if (!l->max || len - (size_t)ends <= room) {
		tp_buf_add(&l->part, p, len);
		return;
	}
	tp_buf_add(&l->part, p, room);
	l->cutting = 1;
	if (ends)
		tp_buf_chr(&l->part, '\n');
}

int
tp_lines_next(struct tp_lines *l, const char **text, size_t *len,
    struct tp_err *err)
{
	const char *lf, *p;
	ptrdiff_t n;

	/* the shortened line returned before still has its LF */
	if (l->part.len && l->part.p[l->part.len - 1] == '\n')
		tp_buf_clear(&l->part);
	for (;;) {
		lf = l->at < l->end ?
		    memchr(l->at, '\n', (size_t)(l->end - l->at)) : NULL;
		if (lf && !l->part.len) {
			p = l->at;
			l->at = lf + 1;
			return give(l, p, (size_t)(lf - p), text, len);
		}
		if (l->at < l->end)
			add_part(l, l->at, lf ?
			    (size_t)(lf + 1 - l->at) :
			    (size_t)(l->end - l->at));
		l->at = lf ? lf + 1 : l->end;
		if (lf)
			return give(l, l->part.p, l->part.len - 1, text, len);
		if (l->part.len > (size_t)tp_limits.line_bytes)
			return tp_limit_line(err, "limit.line", l->line + 1,
			    "a line");
		if (l->done)
			return 0;
		n = tp_in_read(l->in, &l->at, err);
		if (n < 0)
			return -1;
		l->end = l->at + n;
		if (!n) {
			l->done = 1;
			if (!l->part.len)
				return 0;
			n = (ptrdiff_t)l->part.len;
			tp_buf_chr(&l->part, '\n');
			return give(l, l->part.p, (size_t)n, text, len);
		}
	}
}

int
tp_lines_here(struct tp_lines *l, const char **text, size_t *len)
{
	const char *p = l->at, *lf;

	lf = p < l->end ? memchr(p, '\n', (size_t)(l->end - p)) : NULL;
	if (!lf)
		return 0;
	l->at = lf + 1;
	return give(l, p, (size_t)(lf - p), text, len);
}

void
tp_lines_release(struct tp_lines *l)
{
	tp_buf_release(&l->part);
}
