/* manifest - the files of a folder with their SHA-256 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/alloc.h>
#include <tp/file.h>
#include <tp/json.h>
#include <tp/look/manifest.h>
#include <tp/order.h>
#include <tp/os.h>
#include <tp/text.h>

struct reading {
	struct tp_manifest *m;
	const char *const *except;
};

/* Whether NAME is valid in JSON and safe to show. */
static int
is_text(const char *name)
{
	size_t left = strlen(name), n;
	uint32_t c;

	for (; left; name += n, left -= n)
		if (!(n = tp_utf8(name, left, &c)) || tp_is_control(c))
			return 0;
	return 1;
}

static int
add_file(void *arg, const char *path, struct tp_err *err)
{
	const struct reading *r = arg;
	struct tp_manifest *m = r->m;
	const char *name = path + m->skip;
	struct tp_manifest_file *f;
	struct stat st;

	for (size_t i = 0; r->except && r->except[i]; i++)
		if (!strcmp(r->except[i], name))
			return 0;
	if (!is_text(name))
		return tp_fail(err, TP_BAD, "input.unknown", 0,
		    "a file below '%.*s' has a name that is not text",
		    (int)m->skip - 1, path);
	tp_grow(&m->files, &m->cap, m->count + 1, sizeof *m->files);
	f = &m->files[m->count];
	if (stat(path, &st) < 0 || tp_os_sha256(path, f->sha256) < 0)
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "cannot read '%.200s': %s", path, strerror(errno));
	f->bytes = st.st_size;
	f->path = tp_dup(name);
	m->count++;
	return 0;
}

static int
refuse(void *arg, const char *path, const struct stat *st, struct tp_err *err)
{
	(void)arg;
	return st ? tp_fail(err, TP_BAD, "input.unknown", 0,
	    "'%.200s' is neither a file nor a folder", path) :
	    tp_fail(err, TP_IO, "input.failed", 0, "cannot look at '%.200s': "
	    "%s", path, strerror(errno));
}

TP_ORDER(by_path, struct tp_manifest_file, TP_BY(strcmp(a->path, b->path)))

int
tp_manifest_read(struct tp_manifest *m, const char *folder,
    const char *const *except, struct tp_err *err)
{
	struct reading reading = { m, except };
	const struct tp_file_walk walk = { .file = add_file, .arg = &reading,
	    .other = refuse, .hidden = 1 };
	size_t n = strlen(folder);
	int rc;

	memset(m, 0, sizeof *m);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	m->skip = n + 1;
	rc = tp_file_visit(folder, &walk, err);
	TP_SORT(m->files, m->count, by_path);
	return rc;
}

void
tp_manifest_write(const struct tp_manifest *m, struct tp_doc *j)
{
	tp_doc_array(j, "files");
	for (size_t i = 0; i < m->count; i++) {
		tp_doc_object(j, NULL);
		tp_doc_int(j, "bytes", m->files[i].bytes);
		tp_doc_text(j, "path", m->files[i].path);
		tp_doc_text(j, "sha256", m->files[i].sha256);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static const struct tp_manifest_file *
find_manifest_file(const struct tp_manifest *m, const char *path)
{
	struct tp_manifest_file key = { 0 };

	/* const is cast away: the search only reads it */
	key.path = (char *)(uintptr_t)path;
	return m->count ? bsearch(&key, m->files, m->count,
	    sizeof *m->files, by_path) : NULL;
}

/*
 * The difference between FILE and its ROW in the manifest, in words, or NULL.
 */
static const char *
difference(const struct tp_manifest_file *file, const struct cJSON *row)
{
	const char *sha256 = tp_json_text(row, "sha256");
	double bytes;

	if (!file)
		return "is missing";
	if (tp_json_number(row, "bytes", &bytes) &&
	    bytes != (double)file->bytes)
		return "has another size";
	if (!sha256 || strcmp(sha256, file->sha256))
		return "has another SHA-256";
	return NULL;
}

int
tp_manifest_check(const struct tp_manifest *m, const struct cJSON *doc,
    void (*differs)(void *, const char *, const char *), void *arg,
    struct tp_err *err)
{
	const struct cJSON *list = tp_json_get(doc, "files"), *row;
	const char *path, *how;
	char *told;
	int wrong = 0;

	if (!cJSON_IsArray(list))
		return tp_fail(err, TP_BAD, "input.unknown", 0,
		    "not a manifest: it has no list of files");
	told = tp_zalloc(m->count + 1);
	cJSON_ArrayForEach(row, list) {
		const struct tp_manifest_file *file;

		path = tp_json_text(row, "path");
		file = path ? find_manifest_file(m, path) : NULL;
		how = difference(file, row);
		if (file)
			told[file - m->files] = 1;
		if (how) {
			differs(arg, path ? path : "?", how);
			wrong++;
		}
	}
	for (size_t i = 0; i < m->count; i++)
		if (!told[i]) {
			differs(arg, m->files[i].path,
			    "is not in the manifest");
			wrong++;
		}
	tp_free(told);
	return wrong;
}
