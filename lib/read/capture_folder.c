/* capture_folder - find the traces of one JAX capture below a folder */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/file.h>
#include <tp/in.h>
#include <tp/order.h>
#include <tp/read/capture_folder.h>
#include <tp/read/identity.h>
#include <tp/text.h>

/* Kinds of files of a host, most wanted last. */
enum { PERFETTO, PLAIN, PACKED, XPLANE, NONE };

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
kind_of(const char *name)
{
	static const char perfetto[] = "perfetto_trace.json";
	size_t len = strlen(name), stem = tp_in_stem(name, len);

	if (stem == strlen(perfetto) && stem < len &&
	    tp_ends(name, stem, perfetto))
		return PERFETTO;
	return tp_ends(name, stem, ".xplane.pb") ? XPLANE :
	    !tp_ends(name, stem, ".trace.json") ? NONE :
	    stem < len ? PACKED : PLAIN;
}

int
tp_capture_is_file(const char *name)
{
	return kind_of(name) != NONE;
}

static void
add_found_file(struct search *s, const char *path, int kind)
{
	struct found *f;
	const char *end = strrchr(path, '/'), *p = end;
	size_t len = strlen(path) + 1;

	tp_grow(&s->list, &s->cap, s->count + 1, sizeof *s->list);
	f = &s->list[s->count];
	f->path = tp_alloc(len);
	memcpy(f->path, path, len);
	while (p > path && p[-1] != '/')
		p--;
	f->folder = f->path + (p - path);
	f->folder_len = (size_t)(end - p);
	f->kind = kind;
	s->count++;
}

static int
found_file(void *arg, const char *path, struct tp_err *err)
{
	int kind = kind_of(strrchr(path, '/') + 1);

	(void)err;
	if (kind != NONE)
		add_found_file(arg, path, kind);
	return 0;
}

static int
folder_order(const struct found *a, const struct found *b)
{
	size_t n = a->folder_len < b->folder_len ? a->folder_len :
	    b->folder_len;
	int c = memcmp(a->folder, b->folder, n);

	if (c || a->folder_len != b->folder_len)
		return c ? c : a->folder_len < b->folder_len ? -1 : 1;
	/* folders of equal name: by the rest of the path */
	n = (size_t)(a->folder - a->path);
	if (n != (size_t)(b->folder - b->path))
		return n < (size_t)(b->folder - b->path) ? -1 : 1;
	return memcmp(a->path, b->path, n);
}

static int
same_host(const struct found *a, const struct found *b)
{
	const char *x, *y;
	size_t n = tp_capture_host(a->path, &x);

	return tp_capture_host(b->path, &y) == n && !memcmp(x, y, n);
}

/* Latest folder first; in it, the wanted file of each host first. */
static int
by_folder(const void *pa, const void *pb)
{
	const struct found *a = pa, *b = pb;
	int c = folder_order(a, b);

	return c ? -c : a->kind != b->kind ? b->kind - a->kind :
	    strcmp(a->path, b->path);
}

static int
by_path(const void *pa, const void *pb)
{
	return strcmp(*(char *const *)pa, *(char *const *)pb);
}

/*
 * The time in the name of a folder, "2026_11_24_02_10_38", in seconds that
 * only differences of count; -1 when it is no time.  No time zone: the clock
 * is that of its host.
 */
static long long
folder_time(const struct found *f)
{
	int year, month, day, hour, minute, second, len = 0;

	if (sscanf(f->folder, "%4d_%2d_%2d_%2d_%2d_%2d%n", &year, &month, &day,
	    &hour, &minute, &second, &len) != 6 ||
	    (size_t)len != f->folder_len || year < 1 || month < 1 ||
	    month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 ||
	    minute < 0 || minute > 59 || second < 0 || second > 60)
		return -1;
	/* a year begins in March, so that its last day is the odd one */
	if (month < 3) {
		month += 12;
		year--;
	}
	day += 365 * year + year / 4 - year / 100 + year / 400 +
	    (153 * month - 457) / 5;
	return ((day * 24LL + hour) * 60 + minute) * 60 + second;
}

/*
 * Whether the folder of the N files at MORE belongs to the capture of the
 * COUNT files at LIST: written by other hosts, below the same folder,
 * seconds earlier.
 */
static int
is_same_capture(const struct found *list, size_t count,
    const struct found *more, size_t n)
{
	size_t base = (size_t)(list->folder - list->path);
	long long from = folder_time(more), to = folder_time(list);

	if (from < 0 || to < 0 || to - from > TP_CAPTURE_APART_S ||
	    base != (size_t)(more->folder - more->path) ||
	    memcmp(list->path, more->path, base) != 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < n; k++)
			if (same_host(&list[i], &more[k]))
				return 0;
	return 1;
}

/* Number of files at LIST, sorted, in the folder of the first. */
static size_t
in_folder(const struct found *list, size_t count)
{
	size_t n = 0;

	while (n < count && !folder_order(&list[0], &list[n]))
		n++;
	return n;
}

/*
 * Whether file AT of the first COUNT is read: there is no better file of its
 * host, and perfetto_trace only if it has all.
 */
static int
is_read(const struct found *list, size_t at, size_t count)
{
	size_t better = 0, packed = 0, perfetto = 0;

	for (size_t i = 0; i < count; i++) {
		better += list[i].kind == XPLANE;
		packed += list[i].kind == PACKED;
		perfetto += list[i].kind == PERFETTO;
		if (i != at && list[i].kind > list[at].kind &&
		    same_host(&list[i], &list[at]))
			return 0;
	}
	if (list[at].kind == PERFETTO)
		return !better && packed < 2;
	/* with a single host it holds the same */
	return better || packed > 1 || !perfetto;
}

static void
choose_capture(struct tp_capture *c, struct search *s)
{
	size_t n, more;

	TP_SORT(s->list, s->count, by_folder);
	n = in_folder(s->list, s->count);
	for (c->folders = 1; n < s->count; n += more, c->folders++) {
		more = in_folder(s->list + n, s->count - n);
		if (!is_same_capture(s->list, n, s->list + n, more))
			break;
	}
	c->files = tp_zalloc((n + 1) * sizeof *c->files);
	for (size_t i = 0; i < n; i++)
		if (is_read(s->list, i, n))
			c->files[c->count++] = s->list[i].path;
		else
			c->beside += s->list[0].kind == XPLANE;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < c->count; k++)
			if (c->files[k] == s->list[i].path)
				s->list[i].path = NULL;
	TP_SORT(c->files, c->count, by_path);
	c->passed_over = s->count - n;
}

int
tp_capture_find(struct tp_capture *c, const char *folder,
    struct tp_err *err)
{
	struct search s = { 0 };
	const struct tp_file_walk walk = { .file = found_file, .arg = &s };
	int rc;

	memset(c, 0, sizeof *c);
	rc = tp_file_visit(folder, &walk, err);
	if (!rc && !s.count)
		rc = tp_fail(err, TP_BAD, "capture.none", 0, "'%s' holds no "
		    "*.xplane.pb and no *.trace.json.gz", folder);
	if (!rc)
		choose_capture(c, &s);
	for (size_t i = 0; i < s.count; i++)
		tp_free(s.list[i].path);
	tp_free(s.list);
	return rc;
}

static int
is_trace(enum tp_format format)
{
	return format == TP_FORMAT_TRACE_EVENTS || format == TP_FORMAT_XPLANE ||
	    format == TP_FORMAT_PERFETTO || format == TP_FORMAT_SQLITE;
}

/* Identify the COUNT FILES.  0, or -1 with ERR; what is no trace is mute. */
static int
identify(char *const *files, size_t count, size_t place,
    struct tp_identity *list, struct tp_identity **order, struct tp_err *err)
{
	struct tp_err damage = { 0 };
	enum tp_format format;
	struct tp_in *in;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		order[i] = &list[i];
		list[i] = (struct tp_identity){ .path = files[i],
		    .place = place, .rank = -1, .rank_count = -1,
		    .is_mute = 1 };
		in = tp_in_open(files[i], &damage);
		if (!in)
			continue;
		format = tp_in_sniff(in, &damage);
		if (is_trace(format))
			rc = tp_identity_read(&list[i], in, format, files[i],
			    place, err);
		tp_in_close(in);
	}
	return rc;
}

/* Leave out the strays of LIST, which is of the files. */
static void
drop_strays(struct tp_capture *c, const struct tp_identity *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++)
		if (list[i].capture == TP_STRAY)
			tp_free(c->files[i]);
		else
			c->files[kept++] = c->files[i];
	c->strays = c->count - kept;
	c->files[kept] = NULL;
	c->count = kept;
}

ptrdiff_t
tp_capture_agree(struct tp_capture *c, const char *folder,
    struct tp_buf *several, struct tp_err *err)
{
	struct tp_identity *list, **order;
	struct tp_names names = { 0 };
	size_t n = 0;
	int rc;

	if (c->count < 2)
		return 1;
	list = tp_alloc(c->count * sizeof *list);
	order = tp_alloc(c->count * sizeof *order);
	rc = identify(c->files, c->count, strlen(folder), list, order, err);
	if (!rc)
		n = tp_identity_group(order, c->count);
	if (n > 1)
		tp_identity_names(order, c->count, &names, several);
	else if (n == 1)
		drop_strays(c, list);
	tp_names_release(&names);
	tp_free(order);
	tp_free(list);
	return rc ? rc : (ptrdiff_t)n;
}

size_t
tp_capture_host(const char *path, const char **name)
{
	static const char *const ends[] = { ".json", ".trace", ".pb",
	    ".xplane" };
	size_t len, n;

	*name = tp_base(path);
	len = tp_in_stem(*name, strlen(*name));
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(*name + len - n, ends[i], n))
			len -= n;
	}
	return len;
}
