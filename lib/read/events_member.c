/* events_member - members beside the events of a trace */
#include <cjson/cJSON.h>
#include <string.h>

#include "events_private.h"

#define MEMBER_MAX ((size_t)1 << 20)
#define MEMBERS_MAX ((size_t)16 << 20)
/* Members beyond this number are skipped. */
#define NAMES_MAX 4096

void
tp_members_put(struct tp_members *m, const char *name, size_t len,
    struct cJSON *value)
{
	size_t had = m->names.count;
	ptrdiff_t at = tp_names_add(&m->names, name, len);

	tp_grow(&m->values, &m->cap, m->names.count, sizeof *m->values);
	if ((size_t)at < had)
		cJSON_Delete(m->values[at]);
	m->values[at] = value;
}

/* Parse TEXT and keep it as NAME. */
static void
keep_member(struct tp_members *m, const char *name, size_t len,
    const char *text, size_t text_len)
{
	cJSON *value;

	if (text_len > MEMBER_MAX || m->bytes + text_len > MEMBERS_MAX ||
	    m->names.count >= NAMES_MAX) {
		m->large++;
		return;
	}
	value = cJSON_ParseWithLength(text, text_len);
	tp_members_put(m, name, len, value);
	m->bytes += text_len;
	m->damaged += !value;
}

/* Append to TEXT until it is too long to keep. */
static void
append_limited(struct tp_buf *text, const char *p, size_t len)
{
	size_t room = MEMBER_MAX + 1 - text->len;

	tp_buf_add(text, p, len < room ? len : room);
}

/* Read an object or array of any size; only a small one is kept in TEXT. */
static enum tp_parse
nested(struct tp_sight *s, struct tp_buf *text, struct tp_err *err)
{
	struct tp_skip skip;
	size_t n;
	int rc;

	tp_skip_init(&skip);
	for (;;) {
		n = tp_skip_run(&skip, s->p, (size_t)(s->end - s->p));
		append_limited(text, s->p, n);
		s->p += n;
		if (skip.wrong)
			return (enum tp_parse)tp_json_wrong(err,
			    "json.damaged", tp_sight_line(s, s->p),
			    skip.wrong);
		if (!skip.depth)
			return TP_PARSE_OK;
		rc = tp_sight_more(s, err);
		if (rc <= 0)
			return (enum tp_parse)rc;
	}
}

/* A string, number or word. */
static enum tp_parse
scalar(struct tp_sight *s, struct tp_buf *text, struct tp_err *err)
{
	struct tp_cursor c;
	struct tp_raw raw;
	enum tp_parse rc;
	int more;

	for (;;) {
		memset(&c, 0, sizeof c);
		c.p = s->p;
		c.end = s->end;
		rc = tp_raw_value(&c, &raw);
		if (rc == TP_PARSE_BAD)
			return (enum tp_parse)tp_json_wrong(err,
			    "json.damaged", tp_sight_line(s, c.p), c.wrong);
		if (rc == TP_PARSE_OK) {
			append_limited(text, s->p, (size_t)(c.p - s->p));
			s->p = c.p;
			return rc;
		}
		more = tp_sight_more(s, err);
		if (more <= 0)
			return (enum tp_parse)more;
	}
}

enum tp_parse
tp_members_read(struct tp_members *m, struct tp_sight *s, const char *name,
    size_t len, struct tp_err *err)
{
	int brackets = *s->p == '{' || *s->p == '[';
	struct tp_buf key = { 0 }, text = { 0 };
	enum tp_parse rc;

	/* the name is in the view, which moves */
	tp_buf_add(&key, name, len);
	rc = brackets ? nested(s, &text, err) : scalar(s, &text, err);
	if (rc == TP_PARSE_OK)
		keep_member(m, key.p ? key.p : "", key.len, text.p ? text.p :
		    "", text.len);
	tp_buf_release(&key);
	tp_buf_release(&text);
	return rc;
}

const struct cJSON *
tp_members_find(const struct tp_members *m, const char *name)
{
	ptrdiff_t at = tp_names_find(&m->names, name, strlen(name));

	return at < 0 ? NULL : m->values[at];
}

void
tp_members_release(struct tp_members *m)
{
	for (size_t i = 0; i < m->names.count && i < m->cap; i++)
		cJSON_Delete(m->values[i]);
	tp_free(m->values);
	tp_names_release(&m->names);
}
