/* words - texts of a picture, from templates in share/pictures */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/show/section.h>
#include <tp/show/template.h>

#include "draw/scale.h"
#include "draw/svg.h"
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

void
tp_words_begin(struct tp_words *w, const struct cJSON *spec)
{
	w->spec = spec;
	w->rec = NULL;
	w->src = NULL;
	w->at = 0;
}

int
tp_words_first(struct tp_words *w, const char *key)
{
	const cJSON *spec;

	cJSON_ArrayForEach(spec, tp_json_get(w->picture, key)) {
		tp_words_begin(w, spec);
		if (tp_words_next(w)) {
			tp_words_begin(w, spec);
			return 1;
		}
	}
	return 0;
}

int
tp_words_next(struct tp_words *w)
{
	const char *records = tp_json_text(w->spec, "records");

	w->rec = records && !w->failed ? tp_set_next(w->set, records,
	    &w->at) : NULL;
	return w->rec != NULL;
}

int
tp_words_many(const struct tp_words *w)
{
	struct tp_words all = *w;
	const char *first = NULL;

	for (all.at = 0; tp_words_next(&all); first = all.rec->src)
		if (first && strcmp(first, all.rec->src) != 0)
			return 1;
	return 0;
}

const char *
tp_words(struct tp_words *w, const char *key)
{
	return tp_words_of(w, w->spec, key);
}

const char *
tp_words_of(struct tp_words *w, const struct cJSON *spec, const char *key)
{
	struct tp_buf buf = { 0 };
	const char *text;

	if (w->failed || tp_words_line(&buf, spec, key, w->set, w->rec,
	    w->err) < 0) {
		w->failed = 1;
		tp_buf_clear(&buf);
	}
	text = tp_words_keep(w, &buf);
	tp_buf_release(&buf);
	return text;
}

const char *
tp_words_keep(struct tp_words *w, struct tp_buf *b)
{
	const char *text = tp_arena_text(&w->arena, b->p ? b->p : "", b->len);

	tp_buf_clear(b);
	return text;
}

const char *
tp_words_colour(const struct cJSON *spec, const char *key)
{
	const char *name = tp_json_text(spec, key);

	return name ? tp_svg_colour(name) : NULL;
}

int64_t
tp_words_amount(const struct tp_words *w, const char *key)
{
	const char *name = tp_json_text(w->spec, key);
	int64_t n;

	return name && tp_rec_int(w->rec, name, &n) && n >= 0 &&
	    n <= TP_SCALE_FAR ? n : -1;
}

int
tp_words_is(const struct tp_words *w, const char *key)
{
	const char *name = tp_json_text(w->spec, key);
	const struct tp_field *f = name ? tp_rec_field(w->rec, name) : NULL;

	return f && f->type == TP_FIELD_BOOL && f->n;
}

int
tp_words_value(const struct tp_words *w, const struct cJSON *keys, int64_t *n)
{
	const cJSON *key;
	int at = 0;

	cJSON_ArrayForEach(key, keys) {
		if (cJSON_IsString(key) && tp_rec_int(w->rec,
		    key->valuestring, n) && *n >= 0 && *n <= TP_SCALE_FAR)
			return at;
		at++;
	}
	return -1;
}

size_t
tp_words_panel(struct tp_words *w)
{
	return (size_t)tp_names_add(&w->traces, w->rec->src,
	    strlen(w->rec->src));
}

int
tp_words_other(struct tp_words *w)
{
	w->src = w->src ? w->src : w->rec->src;
	return strcmp(w->src, w->rec->src) != 0;
}

size_t
tp_words_left(const struct tp_names *names, size_t count)
{
	return names->count > count ? names->count - count : 0;
}

int
tp_words_fail(struct tp_words *w, const char *why)
{
	if (!w->failed)
		tp_fail(w->err, TP_BAD, "picture.damaged", 0, "%s", why);
	w->failed = 1;
	return 0;
}
