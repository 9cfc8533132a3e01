/* experiment_words - parse names of experiments and files */
#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/in.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "experiment_private.h"

#define FILE_NAME "platforms/executorch.json"

int
tp_experiments_words(struct tp_experiments *e, struct tp_err *err)
{
	double x;

	e->words = tp_share_json(FILE_NAME, err);
	if (!e->words)
		return -1;
	if (!tp_json_number(e->words, "tolerance_ratio", &x) ||
	    !cJSON_IsArray(tp_json_get(e->words, "systems")) ||
	    !cJSON_IsArray(tp_json_get(e->words, "builds")))
		return tp_share_fail(err, TP_BAD,
		    "share/" FILE_NAME " lacks tolerance_ratio, systems or "
		    "builds");
	e->dirty = e->present = -1;
	return 0;
}

const char *
tp_experiments_keep(struct tp_experiments *e, const char *text)
{
	return text ? tp_arena_text(&e->arena, text, strlen(text)) : NULL;
}

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/*
 * The length of WORDS at TEXT, or 0 if they are not there.  A blank in WORDS
 * matches any bytes that are not letters.
 */
static size_t
matches(const char *words, const char *text)
{
	const char *p = text;

	for (; *words; words++) {
		if (*words != ' ') {
			if (tp_lower(*p++) != *words)
				return 0;
			continue;
		}
		if (!*p || is_letter(*p))
			return 0;
		while (*p && !is_letter(*p))
			p++;
	}
	return is_letter(*p) ? 0 : (size_t)(p - text);
}

static size_t
find_words(const char *words, const char *text, size_t *at)
{
	size_t n;

	for (size_t i = 0; text[i]; i++) {
		if (i && is_letter(text[i - 1]))
			continue;
		n = matches(words, text + i);
		if (n) {
			*at = i;
			return n;
		}
	}
	return 0;
}

const char *
tp_experiments_word(const struct tp_experiments *e, const char *list,
    const char *key, const char *text, size_t *at, size_t *len)
{
	const cJSON *entry, *words;
	size_t where, n;

	if (!text)
		return NULL;
	cJSON_ArrayForEach(entry, tp_json_get(e->words, list))
		cJSON_ArrayForEach(words, tp_json_get(entry, "words")) {
			if (!cJSON_IsString(words))
				continue;
			n = find_words(words->valuestring, text, &where);
			if (!n)
				continue;
			if (at)
				*at = where;
			if (len)
				*len = n;
			return tp_json_text(entry, key);
		}
	return NULL;
}

const char *
tp_experiment_base(const char *path, size_t *len)
{
	static const char *const endings[] = { ".csv", ".tsv", ".json",
	    ".log", ".txt", ".pte", ".etdp", ".etdump",
	    "_exec_all_runs_timeline",
	    "_exec_run0_timeline", "_exec_ops_stats", "_all_runs_timeline",
	    "_run0_timeline", "_ops_stats", "_latency", "_xnntrace" };
	const char *base = tp_base(path);
	size_t n;

	*len = tp_in_stem(base, strlen(base));
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		n = strlen(endings[i]);
		if (*len > n && !memcmp(base + *len - n, endings[i], n))
			*len -= n;
	}
	return base;
}

/*
 * Returns 1 if PATH exists, 0 if not, -1 with ERR.  A folder without access
 * counts as empty.
 */
static int
is_there(const char *path, int64_t *bytes, struct tp_err *err)
{
	struct stat st;

	if (!stat(path, &st)) {
		*bytes = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
		return 1;
	}
	if (errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
	    errno == ELOOP || errno == ENAMETOOLONG)
		return 0;
	return tp_fail(err, TP_IO, "input.failed", 0,
	    "cannot look at '%.200s': %s", path, strerror(errno));
}

int
tp_experiment_find(const char *folder, const char *path, int64_t *bytes,
    struct tp_err *err)
{
	char place[PATH_MAX], whole[PATH_MAX];
	char *slash;
	int found = 0;

	/*
	 * the folder may have been moved: try ever shorter ends of PATH in it
	 */
	for (const char *end = path; !found && end; end = strchr(end, '/')) {
		end += *end == '/';
		if (*end && (size_t)snprintf(whole, sizeof whole, "%s/%s",
		    folder, end) < sizeof whole)
			found = is_there(whole, bytes, err);
	}
	if (found || *path == '/')
		return found ? found : is_there(path, bytes, err);
	if ((size_t)snprintf(place, sizeof place, "%s", folder) >=
	    sizeof place)
		return 0;
	for (;;) {
		if ((size_t)snprintf(whole, sizeof whole, "%s/%s", place,
		    path) < sizeof whole)
			found = is_there(whole, bytes, err);
		slash = strrchr(place, '/');
		if (found || !slash || slash == place)
			return found;
		*slash = '\0';
	}
}

void
tp_experiment_join_name(const struct tp_experiments *e, const char *name,
    size_t len, struct tp_buf *joined)
{
	static const char *const lists[][2] = { { "builds", "build" },
	    { "systems", "system" } };
	size_t at, n;

	tp_buf_add(joined, name, len);
	for (size_t i = 0; i < 2; i++) {
		if (!tp_experiments_word(e, lists[i][0], lists[i][1],
		    joined->p, &at, &n))
			continue;
		memmove(joined->p + at, joined->p + at + n,
		    joined->len - at - n + 1);
		joined->len -= n;
	}
}

void
tp_experiment_setup(const struct tp_experiments *e, const char *stem,
    struct tp_out *out)
{
	const char *system = tp_experiments_word(e, "systems", "system", stem,
	    NULL, NULL);
	const char *build = tp_experiments_word(e, "builds", "build", stem,
	    NULL, NULL);
	size_t len;
	int64_t threads = tp_experiment_threads(stem, &len);
	struct tp_buf joined = { 0 };

	if (!system && !build && threads < 0)
		return;
	tp_experiment_join_name(e, stem, len, &joined);
	tp_out_begin(out, "latency.setup");
	tp_out_bytes(out, "experiment", stem, len);
	tp_out_bytes(out, "experiment_joined", joined.p, joined.len);
	tp_out_text(out, "system", system);
	if (build)
		tp_out_text(out, "build", build);
	tp_out_known(out, "threads", threads);
	tp_out_end(out);
	tp_buf_release(&joined);
}
