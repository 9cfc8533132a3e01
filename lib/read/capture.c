/* capture - find the traces of one capture below a folder */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/file.h>
#include <tp/read/capture.h>

/* How much a file is wanted, the least first. */
enum { PERFETTO, PACKED, PLAIN, KINDS, NONE };

struct found {
	char *path;
	const char *folder;	/* name of its folder, in path */
	size_t folder_len;
	int kind;
};

struct search {
	struct found *list;
	size_t count, cap;
};

static int
ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);

	return n >= s && !strcmp(name + n - s, suffix);
}

static int
kind_of(const char *name)
{
	if (!strcmp(name, "perfetto_trace.json.gz"))
		return PERFETTO;
	return ends(name, ".trace.json.gz") ? PACKED :
	    ends(name, ".trace.json") ? PLAIN : NONE;
}

static int
keep(struct search *s, const char *path, int kind)
{
	struct found *f;
	const char *end = strrchr(path, '/'), *p = end;
	size_t len = strlen(path) + 1;

	if (tp_grow(&s->list, &s->cap, s->count + 1, sizeof *s->list) < 0)
		return -1;
	f = &s->list[s->count];
	if (!(f->path = tp_alloc(len)))
		return -1;
	memcpy(f->path, path, len);
	while (p > path && p[-1] != '/')
		p--;
	f->folder = f->path + (p - path);
	f->folder_len = (size_t)(end - p);
	f->kind = kind;
	s->count++;
	return 0;
}

static int
found_file(void *arg, const char *path, struct tp_err *err)
{
	int kind = kind_of(strrchr(path, '/') + 1);

	return kind != NONE && keep(arg, path, kind) < 0 ?
	    tp_fail_memory(err) : 0;
}

static int
folder_order(const struct found *a, const struct found *b)
{
	size_t n = a->folder_len < b->folder_len ? a->folder_len :
	    b->folder_len;
	int c = memcmp(a->folder, b->folder, n);

	if (c || a->folder_len != b->folder_len)
		return c ? c : a->folder_len < b->folder_len ? -1 : 1;
	/* folders of one name: by the rest of the path */
	n = (size_t)(a->folder - a->path);
	if (n != (size_t)(b->folder - b->path))
		return n < (size_t)(b->folder - b->path) ? -1 : 1;
	return memcmp(a->path, b->path, n);
}

static int
by_folder(const void *pa, const void *pb)
{
	const struct found *a = pa, *b = pb;
	int c = folder_order(a, b);

	return c ? -c : a->kind != b->kind ? a->kind - b->kind :
	    strcmp(a->path, b->path);
}

/* Of the first COUNT of S, sorted, which kind is read. */
static int
choose(const struct search *s, size_t count)
{
	size_t of[KINDS] = { 0 };

	for (size_t i = 0; i < count; i++)
		of[s->list[i].kind]++;
	if (of[PACKED] > 1)
		return PACKED;
	return of[PERFETTO] ? PERFETTO : of[PACKED] ? PACKED : PLAIN;
}

static int
take(struct tp_capture *c, struct search *s)
{
	size_t n = 0;
	int kind;

	if (s->count > 1)
		qsort(s->list, s->count, sizeof *s->list, by_folder);
	while (n < s->count && !folder_order(&s->list[0], &s->list[n]))
		n++;
	kind = choose(s, n);
	c->files = tp_zalloc((n + 1) * sizeof *c->files);
	if (!c->files)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (s->list[i].kind == kind) {
			c->files[c->count++] = s->list[i].path;
			s->list[i].path = NULL;
		}
	c->passed_over = s->count - n;
	return 0;
}

int
tp_capture_find(struct tp_capture *c, const char *folder,
    struct tp_err *err)
{
	struct search s = { 0 };
	const struct tp_file_walk walk = { found_file, &s, 0 };
	int rc;

	memset(c, 0, sizeof *c);
	rc = tp_file_visit(folder, &walk, err);
	if (!rc && !s.count)
		rc = tp_fail(err, TP_BAD, "capture.none", 0, "'%s' holds no "
		    "perfetto_trace.json.gz and no *.trace.json.gz", folder);
	if (!rc && take(c, &s) < 0)
		rc = tp_fail_memory(err);
	for (size_t i = 0; i < s.count; i++)
		tp_free(s.list[i].path);
	tp_free(s.list);
	return rc;
}

size_t
tp_capture_host(const char *path, const char **name)
{
	static const char *const ends[] = { ".gz", ".json", ".trace",
	    ".pb", ".xplane" };
	const char *slash = strrchr(path, '/');
	size_t len, n;

	*name = slash ? slash + 1 : path;
	len = strlen(*name);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(*name + len - n, ends[i], n))
			len -= n;
	}
	return len;
}
