/* share - find and read the data files that users may edit */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/choice.h>
#include <tp/file.h>
#include <tp/hash.h>
#include <tp/in.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/os.h>
#include <tp/share.h>
#include <tp/text.h>

static char found[PATH_MAX];

/* Use DIR + TAIL as the folder if it holds our tables. */
static int
usable(const char *dir, size_t len, const char *tail)
{
	char probe[PATH_MAX + 16];
	struct stat st;

	if (snprintf(found, sizeof found, "%.*s%s", (int)len, dir, tail) >=
	    (int)sizeof found)
		return 0;
	snprintf(probe, sizeof probe, "%s/tables", found);
	return !stat(probe, &st) && S_ISDIR(st.st_mode);
}

const char *
tp_share_dir(struct tp_err *err)
{
	static const char *const beside[] = { "/../share/tracepipe",
	    "/../share", "/../../share" };
	const char *env = getenv("TP_SHARE");
	char program[PATH_MAX], *slash;
	size_t i;

	if (found[0])
		return found;
	if (env && *env) {
		if (usable(env, strlen(env), ""))
			return found;
		found[0] = '\0';
		tp_fail(err, TP_IO, "share.missing", 0,
		    "TP_SHARE is '%s', which holds no 'tables'", env);
		return NULL;
	}
	if (!tp_os_program(program, sizeof program) &&
	    (slash = strrchr(program, '/')))
		for (i = 0; i < sizeof beside / sizeof *beside; i++)
			if (usable(program, (size_t)(slash - program),
			    beside[i]))
				return found;
	if (usable(TP_SHAREDIR, strlen(TP_SHAREDIR), ""))
		return found;
	found[0] = '\0';
	tp_fail(err, TP_IO, "share.missing", 0, "cannot find share/tracepipe; "
	    "set TP_SHARE to the folder that holds 'tables' and 'sections'");
	return NULL;
}

int
tp_share_own(const char *folder, struct tp_buf *path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct stat st;

	/* the XDG specification says to ignore relative paths */
	if (config && *config == '/')
		tp_buf_str(path, config);
	else if (home && *home == '/')
		tp_buf_fmt(path, "%s/.config", home);
	else
		return 0;
	tp_buf_fmt(path, "/tracepipe/%s", folder);
	return !stat(path->p, &st) && S_ISDIR(st.st_mode);
}

/* Whether share/aliases.json renames NAME; the new name goes to NEW. */
static int
renamed(const char *name, char *new, size_t size)
{
	static const char aliases[] = "aliases.json";
	struct tp_err err;
	struct cJSON *doc = strcmp(name, aliases) ?
	    tp_share_json(aliases, &err) : NULL;
	const struct cJSON *i;
	const char *to;
	int is = 0;

	cJSON_ArrayForEach(i, tp_json_get(doc, "aliases")) {
		to = cJSON_GetStringValue(i);
		if (to && !strncmp(name, i->string, strlen(i->string)))
			is = (size_t)snprintf(new, size, "%s%s", to,
			    name + strlen(i->string)) < size;
	}
	cJSON_Delete(doc);
	return is;
}

int
tp_share_read(const char *name, struct tp_buf *buf, struct tp_err *err)
{
	const char *dir = tp_share_dir(err);
	char path[PATH_MAX * 2], new[160];

	if (!dir)
		return -1;
	if (strstr(name, "..") || *name == '/')
		return tp_fail(err, TP_USAGE, "share.missing", 0,
		    "'%.80s' is not the name of a file in share", name);
	for (int turn = 0;; turn++) {
		snprintf(path, sizeof path, "%s/%s", dir, name);
		if (!tp_file_read(path, buf, err))
			return 0;
		if (err->status != TP_IO || errno != ENOENT)
			return -1;
		err->code = "share.missing";
		if (turn || !renamed(name, new, sizeof new))
			return -1;
		name = new;
	}
}

struct cJSON *
tp_share_json(const char *name, struct tp_err *err)
{
	struct tp_buf buf = { 0 };
	struct cJSON *doc = NULL;
	char shown[160];

	if (!tp_share_read(name, &buf, err)) {
		snprintf(shown, sizeof shown, "share/%s", name);
		doc = tp_file_parse(&buf, shown, err);
		if (!doc && err->status == TP_BAD)
			err->code = "share.damaged";
	}
	tp_buf_release(&buf);
	return doc;
}

int
tp_share_fail(struct tp_err *err, enum tp_status status, const char *fmt, ...)
{
	char text[sizeof err->text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return tp_fail(err, status, "share.damaged", 0, "%s", text);
}

int
tp_share_damaged(const char *file, const char *key, struct tp_err *err)
{
	return tp_share_fail(err, TP_BAD, "%.80s: bad '%.80s'", file, key);
}

int
tp_share_limits(void *to, const struct tp_share_limit *list, size_t count,
    const struct cJSON *from, int is_change, const char *file,
    struct tp_err *err)
{
	for (size_t i = 0; i < count; i++) {
		char *at = (char *)to + list[i].at;
		double x;

		if (is_change && !tp_json_get(from, list[i].key))
			continue;
		if (!tp_json_number(from, list[i].key, &x) || x < 0 ||
		    x > 1e12)
			return tp_share_damaged(file, list[i].key, err);
		if (list[i].units)
			*(int64_t *)(void *)at = (int64_t)(x * list[i].units);
		else
			*(double *)(void *)at = x;
	}
	return 0;
}

struct cJSON *
tp_share_file(const char *path, struct tp_err *err)
{
	struct tp_in *in = tp_in_open(path, err);
	struct tp_buf buf = { 0 };
	struct cJSON *doc = NULL;
	const char *block;
	ptrdiff_t n;

	if (!in) {
		/* what is there and cannot be read is no mistake of a name */
		tp_fail(err, err->status == TP_LIMIT ? TP_LIMIT :
		    err->status == TP_IO && !access(path, F_OK) ? TP_IO :
		    TP_USAGE, "share.damaged", 0, "cannot open '%.200s'", path);
		return NULL;
	}
	while ((n = tp_in_read(in, &block, err)) > 0 && buf.len < 1 << 20)
		tp_buf_add(&buf, block, (size_t)n);
	if (n >= 0 && !(doc = cJSON_ParseWithLength(buf.p ? buf.p : "",
	    buf.len)))
		tp_share_fail(err, TP_USAGE, "'%.200s' is not JSON", path);
	tp_buf_release(&buf);
	tp_in_close(in);
	return doc;
}

TP_ORDER(by_bytes, char *const, TP_BY(strcmp(*a, *b)))

void
tp_share_free_list(char **names, int count)
{
	while (count-- > 0)
		tp_free(names[count]);
	tp_free(names);
}

/* Fail: FOLDER has no NAME; suggest a similar one. */
static void
fail_name(const char *folder, const char *name, struct tp_err *err)
{
	struct tp_choice choice;
	char **names;
	int count = tp_share_list(folder, ".json", &names, err);

	if (count < 0)
		return;
	tp_choice_init(&choice, name);
	for (int i = 0; i < count; i++) {
		names[i][strlen(names[i]) - 5] = '\0';
		tp_choice_add(&choice, names[i]);
	}
	tp_share_free_list(names, count);
	tp_fail(err, TP_USAGE, "mapping.none", 0,
	    "share/%s has no '%.80s'%s", folder, name,
	    tp_choice_hint(&choice));
	tp_choice_release(&choice);
}

int
tp_share_is_path(const char *name)
{
	return strchr(name, '/') || tp_has_end(name, ".json");
}

struct cJSON *
tp_share_named(const char *folder, const char *name, struct tp_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_-.";
	struct cJSON *doc = NULL;
	char path[128];
	int none = !*name || name[strspn(name, allowed)] ||
	    (size_t)snprintf(path, sizeof path, "%s/%s.json", folder, name) >=
	    sizeof path;

	if (!tp_share_dir(err))
		return NULL;
	if (!none && !(doc = tp_share_json(path, err)))
		none = !strcmp(err->code, "share.missing");
	if (none)
		fail_name(folder, name, err);
	return doc;
}

void
tp_share_texts(struct tp_arena *arena, const struct cJSON *list,
    const char ***texts)
{
	const char **at, *text;
	const struct cJSON *i;

	*texts = NULL;
	if (!cJSON_IsArray(list))
		return;
	at = *texts = tp_arena_get(arena,
	    ((size_t)cJSON_GetArraySize(list) + 1) * sizeof *at);
	cJSON_ArrayForEach(i, list) {
		text = cJSON_GetStringValue(i);
		if (!text)
			continue;
		*at++ = tp_arena_text(arena, text, strlen(text));
	}
	*at = NULL;
}

int
tp_share_list(const char *folder, const char *suffix, char ***names,
    struct tp_err *err)
{
	const char *dir = tp_share_dir(err);
	char path[PATH_MAX * 2], **list = NULL, *copy;
	size_t cap = 0, len, end = strlen(suffix);
	struct dirent *e;
	int count = 0;
	DIR *d;

	*names = NULL;
	if (!dir)
		return -1;
	snprintf(path, sizeof path, "%s/%s", dir, folder);
	d = opendir(path);
	if (!d)
		return tp_fail(err, TP_IO, errno == ENOENT ? "share.missing" :
		    "input.failed", 0, "cannot open '%.200s': %s", path,
		    strerror(errno));
	while ((e = readdir(d))) {
		len = strlen(e->d_name);
		if (strchr("._", *e->d_name) || len <= end ||
		    strcmp(e->d_name + len - end, suffix))
			continue;
		copy = tp_dup(e->d_name);
		TP_APPEND(list, count, cap, copy);
	}
	closedir(d);
	if (count)
		TP_SORT(list, (size_t)count, by_bytes);
	*names = list;
	return count;
}

static int
name_json(void *arg, const char *path, struct tp_err *err)
{
	(void)err;
	if (tp_has_end(path, ".json"))
		tp_names_add(arg, path, strlen(path));
	return 0;
}

int
tp_share_each(const char *path, int (*take)(void *arg, const char *path,
    struct tp_err *err), void *arg, struct tp_err *err)
{
	struct tp_names names = { 0 };
	const struct tp_file_walk walk = { .file = name_json, .arg = &names };
	const struct tp_name **sorted = NULL;
	struct stat st;
	int rc = 0;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return take(arg, path, err);
	if (tp_file_visit(path, &walk, err) < 0)
		rc = -1;
	else
		sorted = tp_names_sorted(&names);
	for (size_t i = 0; !rc && i < names.count; i++)
		rc = take(arg, sorted[i]->text, err);
	tp_free(sorted);
	tp_names_release(&names);
	return rc;
}
