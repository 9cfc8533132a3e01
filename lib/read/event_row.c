/* event_row - an event as a row of the table "event" */
#include <stdio.h>
#include <string.h>

#include <tp/read/event_row.h>

#include "events_private.h"

enum {
	PHASE, NAME, CATEGORY, ID, PID, TID, PID_TEXT, TID_TEXT, START,
	DURATION, START_PS, DURATION_PS, FIXED
};

static const struct tp_table_column fixed[FIXED] = {
	{ "phase", "", "phase", TP_TEXT, NULL, NULL },
	{ "name", "", "name", TP_TEXT, NULL, NULL },
	{ "category", "", "category", TP_TEXT, NULL, NULL },
	{ "id", "", "id", TP_TEXT, NULL, NULL },
	{ "pid", "", "pid", TP_COUNT, NULL, NULL },
	{ "tid", "", "tid", TP_COUNT, NULL, NULL },
	{ "pid-text", "", "pid_text", TP_TEXT, NULL, NULL },
	{ "tid-text", "", "tid_text", TP_TEXT, NULL, NULL },
	{ "start", "", "start_ns", TP_TIME, NULL, NULL },
	{ "duration", "", "duration_ns", TP_DURATION, NULL, NULL },
	{ "start-ps", "", "start_ps", TP_TEXT, NULL, NULL },
	{ "duration-ps", "", "duration_ps", TP_TEXT, NULL, NULL },
};

/* "arg_" and NAME as a key. */
static char *
arg_key(struct tp_arena *arena, const char *name)
{
	size_t len = strlen(name);
	char *key = tp_arena_get(arena, len + 5);

	memcpy(key, "arg_", 4);
	for (size_t i = 0; i < len; i++) {
		char c = name[i], l = (char)(c | 0x20);

		key[4 + i] = (l >= 'a' && l <= 'z') ||
		    (c >= '0' && c <= '9') ? c : '_';
	}
	key[4 + len] = '\0';
	return key;
}

void
tp_event_rows_init(struct tp_event_rows *r, const struct tp_events_want *want)
{
	const char *const *names = want ? want->args : NULL;
	struct tp_table_column *c;
	size_t n = 0;

	memset(r, 0, sizeof *r);
	while (names && names[n])
		n++;
	c = tp_arena_get(&r->arena, (FIXED + n) * sizeof *c);
	r->values = tp_arena_get(&r->arena, (FIXED + n) * sizeof *r->values);
	memcpy(c, fixed, sizeof fixed);
	memset(r->values, 0, (FIXED + n) * sizeof *r->values);
	for (size_t i = 0; i < n; i++) {
		char *key = arg_key(&r->arena, names[i]);

		c[FIXED + i] = (struct tp_table_column){ key, "", key,
		    TP_TEXT, NULL, NULL };
	}
	r->table.name = "event";
	r->table.columns = c;
	r->table.column_count = FIXED + n;
	r->arg_count = n;
}

static void
set_text(struct tp_value *v, const char *text, size_t len)
{
	v->type = TP_TEXT;
	v->text = text;
	v->len = v->whole = (uint32_t)len;
}

static void
set_arg(struct tp_value *v, const struct tp_arg *arg)
{
	if (arg->type)
		set_text(v, arg->text, arg->len);
}

static void
set_number(struct tp_value *v, enum tp_type type, int64_t n)
{
	v->type = type;
	v->n = n;
}

/* Set V to PS, rounded; when that loses digits, EXACT gets the full value. */
static void
set_time(struct tp_value *v, enum tp_type type, int64_t ps,
    struct tp_value *exact, char digits[24])
{
	set_number(v, type, tp_ps_to_ns(ps));
	if (ps % 1000)
		set_text(exact, digits, (size_t)snprintf(digits, 24, "%lld",
		    (long long)ps));
}

/* An integer as a number, anything else as written. */
static void
set_any(struct tp_value *v, const struct tp_arg *arg)
{
	int64_t n;

	if (arg->type == TP_ARG_NUMBER &&
	    !tp_json_int(arg->text, arg->len, &n))
		set_number(v, TP_COUNT, n);
	else
		set_arg(v, arg);
}

void
tp_event_rows_set(struct tp_event_rows *r, const struct tp_events *events,
    const struct tp_event *e, struct tp_row *row)
{
	const struct tp_lane *lane = tp_events_lane(events, e->lane);
	struct tp_value *v = r->values;

	for (size_t i = 0; i < r->table.column_count; i++)
		v[i].type = TP_NONE;
	set_text(&v[PHASE], &e->phase, 1);
	set_arg(&v[NAME], &e->name);
	set_arg(&v[CATEGORY], &e->cat);
	set_arg(&v[ID], &e->id);
	if (lane->pid_is_n)
		set_number(&v[PID], TP_COUNT, lane->pid_n);
	else
		set_arg(&v[PID_TEXT], &lane->pid);
	if (lane->tid_is_n)
		set_number(&v[TID], TP_COUNT, lane->tid_n);
	else
		set_arg(&v[TID_TEXT], &lane->tid);
	if (e->has_ts)
		set_time(&v[START], TP_TIME, e->ts_ps, &v[START_PS],
		    r->exact[0]);
	if (e->has_dur)
		set_time(&v[DURATION], TP_DURATION, e->dur_ps,
		    &v[DURATION_PS], r->exact[1]);
	for (size_t i = 0; i < r->arg_count; i++)
		set_any(&v[FIXED + i], &e->args[i]);
	memset(row, 0, sizeof *row);
	row->table = &r->table;
	row->v = v;
	row->count = r->table.column_count;
	row->source = -1;
}
