/* signposts - read the signposts of a trace */
#include <string.h>
#include <strings.h>

#include <tp/alloc.h>
#include <tp/metal/steps.h>
#include <tp/text.h>

#define APPLE "com.apple."

/*
 * Index of the name in value AT of ROW; -1 when it cannot be a step of the
 * program (marks of Apple's frameworks, unless requested); -2 without
 * memory.
 */
static ptrdiff_t
name_of(struct tp_steps *s, const struct tp_row *row, size_t at,
    size_t subsystem)
{
	const struct tp_value *name = &row->v[at], *by = &row->v[subsystem];
	ptrdiff_t i;

	if (name->type == TP_NONE || !name->len)
		return -1;
	if (s->wanted && !tp_is(name->text, name->len, s->wanted))
		return -1;
	if (!s->wanted && by->type != TP_NONE && by->len >= strlen(APPLE) &&
	    !memcmp(by->text, APPLE, strlen(APPLE)))
		return -1;
	i = tp_names_add(&s->names, name->text, name->len);
	return i;
}

/* Value of the digits TEXT..END; -1 when there are none, or too many. */
static int64_t
digits(const char *text, const char *end)
{
	const char *p = text;
	int64_t n = 0;

	for (; p < end && *p >= '0' && *p <= '9' && p - text < 16; p++)
		n = 10 * n + (*p - '0');
	return p > text && p - text < 16 ? n : -1;
}

/*
 * The number beside the word "tokens" in MESSAGE: "tokens=512", "512
 * tokens", "n_tokens: 512"; -1 when there is none.  "token 7" is an ordinal,
 * "30 tokens/s" a rate.
 */
static int64_t
tokens_in(const struct tp_value *message)
{
	static const char word[] = "token";
	const char *text = message->text, *at, *p, *q;
	const char *end = text + message->len;

	if (message->type != TP_TEXT)
		return -1;
	for (at = text; end - at >= (ptrdiff_t)sizeof word - 1; at++)
		if (!strncasecmp(at, word, sizeof word - 1))
			break;
	if (end - at < (ptrdiff_t)sizeof word - 1)
		return -1;
	q = at + sizeof word - 1;
	q += q < end && (*q == 's' || *q == 'S');
	for (p = at; p > text && p[-1] == ' '; p--)
		;
	for (at = p; p > text && p[-1] >= '0' && p[-1] <= '9'; p--)
		;
	if (p < at)
		return (p > text && p[-1] == '.') || (q < end && *q == '/') ?
		    -1 : digits(p, at);
	for (p = q; p < end && (*p == ' ' || *p == '=' || *p == ':'); p++)
		;
	return p > q && (q[-1] != 'n' || *q != ' ') ? digits(p, end) : -1;
}

static int64_t
tokens_of(const struct tp_row *row)
{
	int64_t n = tokens_in(&row->v[TP_MARK_END_MESSAGE]);

	return n >= 0 ? n : tokens_in(&row->v[TP_MARK_MESSAGE]);
}

static int
mark_row(struct tp_steps *s, const struct tp_row *row, struct tp_err *err)
{
	static const struct tp_window all = { INT64_MIN, INT64_MAX };
	int64_t from, to;
	ptrdiff_t name, proc;
	int rc;

	/* still open at the end of the recording */
	if (row->v[TP_MARK_DURATION].type == TP_NONE)
		return 0;
	rc = tp_row_interval(row, TP_MARK_START, TP_MARK_DURATION, &all,
	    &from, &to, err);
	if (rc <= 0)
		return rc;
	name = name_of(s, row, TP_MARK_NAME, TP_MARK_SUBSYSTEM);
	if (name < 0)
		return 0;
	proc = tp_row_process(&s->procs, row, TP_MARK_PROCESS);
	if (proc < 0)
		return 0;
	TP_APPEND(s->marks, s->mark_count, s->mark_cap, (struct tp_mark){ from,
	    to, tokens_of(row), (uint32_t)name, (uint32_t)proc });
	return 0;
}

static void
event_row(struct tp_steps *s, const struct tp_row *row)
{
	const struct tp_value *t = &row->v[TP_MARK_EVENT_TIME];
	const struct tp_value *type = &row->v[TP_MARK_EVENT_TYPE];
	const struct tp_value *id = &row->v[TP_MARK_EVENT_ID];
	struct tp_mark_event *e;
	ptrdiff_t name, proc;
	int ends;

	if (t->type == TP_NONE || type->type == TP_NONE)
		return;
	ends = tp_is(type->text, type->len, "End");
	if (!ends && !tp_is(type->text, type->len, "Begin"))
		return;
	name = name_of(s, row, TP_MARK_EVENT_NAME, TP_MARK_EVENT_SUBSYSTEM);
	if (name < 0)
		return;
	proc = tp_row_process(&s->procs, row, TP_MARK_EVENT_PROCESS);
	if (proc < 0)
		return;
	e = TP_PUSH(s->events, s->event_count, s->event_cap);
	*e = (struct tp_mark_event){ t->n, id->type == TP_NONE ? 0 : id->id,
	    (uint32_t)name, (uint32_t)proc, ends };
}

int
tp_steps_add(struct tp_steps *s, const struct tp_row *row,
    struct tp_err *err)
{
	if (!strcmp(row->bind->table, TP_TABLE_MARK))
		return mark_row(s, row, err);
	event_row(s, row);
	return 0;
}
