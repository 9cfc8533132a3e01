/* words - texts of a picture, from templates in share/pictures */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/show/section.h>
#include <tp/show/template.h>

#include "draw/scale.h"
#include "draw/words.h"

static int
fill_in(struct tp_buf *buf, const char *text, const struct tp_set *set,
    const struct tp_rec *rec, struct tp_err *err)
{
	struct tp_template t = { .set = set, .current = rec, .plain = 1,
	    .partial = tp_section_read };

	if (!text)
		return tp_fail(err, TP_BAD, "picture.damaged", 0,
		    "a template is no text");
	return tp_template_render(&t, text, strlen(text), buf, err);
}

/* Like tp_words_line(), but keeps the lines. */
static int
append_words(struct tp_buf *buf, const struct cJSON *spec, const char *key,
    const struct tp_set *set, const struct tp_rec *rec, struct tp_err *err)
{
	const cJSON *item = tp_json_get(spec, key), *part;
	struct tp_buf whole = { 0 };
	int rc;

	if (!item)
		return 0;
	if (!cJSON_IsArray(item))
		return fill_in(buf, cJSON_GetStringValue(item), set, rec,
		    err);
	/* join the parts: a section may extend over several */
	cJSON_ArrayForEach(part, item)
		tp_buf_str(&whole, cJSON_IsString(part) ? part->valuestring :
		    "");
	tp_buf_str(&whole, "");
	rc = fill_in(buf, whole.p, set, rec, err);
	tp_buf_release(&whole);
	return rc;
}

/*
 * Join the lines of BUF from KEPT on into one; a partial ends with a newline of
 * its own.
 */
static void
one_line(struct tp_buf *buf, size_t kept)
{
	size_t from = kept;

	for (size_t i = kept; i < buf->len; i++)
		if (buf->p[i] != ' ' && buf->p[i] != '\n')
			buf->p[kept++] = buf->p[i];
		else if (kept > from && buf->p[kept - 1] != ' ')
			buf->p[kept++] = ' ';
	buf->len = kept - (kept > from && buf->p[kept - 1] == ' ');
}

int
tp_words_line(struct tp_buf *buf, const struct cJSON *spec, const char *key,
    const struct tp_set *set, const struct tp_rec *rec, struct tp_err *err)
{
	size_t from = buf->len;

	if (append_words(buf, spec, key, set, rec, err) < 0)
		return -1;
	one_line(buf, from);
	return 0;
}

const char *
tp_words(struct tp_arena *arena, const struct cJSON *spec, const char *key,
    const struct tp_set *set, const struct tp_rec *rec, struct tp_err *err)
{
	struct tp_buf buf = { 0 };
	const char *text = NULL;

	if (tp_words_line(&buf, spec, key, set, rec, err) == 0)
		text = tp_arena_text(arena, buf.p ? buf.p : "", buf.len);
	tp_buf_release(&buf);
	return text;
}

int
tp_words_value(const struct tp_rec *rec, const struct cJSON *keys, int64_t *n)
{
	const cJSON *key;
	int at = 0;

	cJSON_ArrayForEach(key, keys) {
		if (cJSON_IsString(key) && tp_rec_int(rec, key->valuestring,
		    n) && *n >= 0 && *n <= TP_SCALE_FAR)
			return at;
		at++;
	}
	return -1;
}

const struct tp_rec *
tp_words_next(const struct cJSON *spec, const struct tp_set *set, size_t *at)
{
	const char *records = tp_json_text(spec, "records");

	return records ? tp_set_next(set, records, at) : NULL;
}

int
tp_words_many(const struct cJSON *spec, const struct tp_set *set)
{
	const struct tp_rec *rec, *first = NULL;
	size_t at = 0;

	while ((rec = tp_words_next(spec, set, &at))) {
		if (first && strcmp(first->src, rec->src) != 0)
			return 1;
		first = rec;
	}
	return 0;
}

const struct cJSON *
tp_words_first(const struct cJSON *list, const struct tp_set *set)
{
	const cJSON *spec;
	size_t at = 0;

	cJSON_ArrayForEach(spec, list) {
		if (tp_words_next(spec, set, &at))
			return spec;
		at = 0;
	}
	return NULL;
}
