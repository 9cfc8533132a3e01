/* row_events - the events of a profiler's CSV */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "row_events.h"
#include "rows.h"

/* Limit on distinct GPUs in a table. */
#define GPUS_MAX 1024

struct tp_row_events {
	struct tp_events *e;
	struct tp_tables *tables;
	struct tp_trace row_trace;		/* notes of the row reader */
	struct tp_rows *rows;
	struct tp_recorder recorder;
	const struct tp_table *table;	/* table that MAP and the columns belong
					 * to */
	const cJSON *map;
	struct tp_ids once;		/* rows of one event, by their value
					 * and start */
	struct tp_names gpus;
	struct tp_err damage;		/* of the first damaged row before it,
					 * also pending */
	size_t damaged;			/* number of these */
	int has_row;			/* the first row is pending */
	struct tp_row row;
	char device[24];
};

static int
has_table(void *table, const struct tp_recorder *recorder,
    struct tp_err *err)
{
	(void)err;
	return tp_json_get(tp_json_get(recorder->doc, "rows"), table) != NULL;
}

/*
 * Open the rows of IN; r->row becomes the first if it is of a recorder's
 * table: 1, 0 when it is not, -1 with ERR.
 */
static int
open_first_row(struct tp_row_events *r, struct tp_in *in, struct tp_err *err)
{
	char table[80];
	int rc;

	r->tables = tp_tables_load(err);
	if (!r->tables)
		return -1;
	r->rows = tp_rows_open(in, TP_FORMAT_CSV, NULL, NULL, r->tables,
	    &r->row_trace);
	while ((rc = tp_rows_next(r->rows, &r->row, err)) < 0 && !err->fatal)
		if (!r->damaged++)
			r->damage = *err;
	if (rc < 0)
		return err->status == TP_BAD ? 0 : -1;
	if (!rc && !r->row_trace.source_count)
		return 0;
	r->has_row = rc;
	snprintf(table, sizeof table, "%s", rc ? r->row.table->name :
	    r->row_trace.sources[0].schema ? r->row_trace.sources[0].schema :
	    "");
	return tp_recorder_find(&r->recorder, has_table, table, err);
}

static void
release_row_events(struct tp_row_events *r)
{
	tp_rows_close(r->rows);
	tp_trace_release_notes(&r->row_trace);
	tp_tables_free(r->tables);
	tp_recorder_release(&r->recorder);
	tp_names_release(&r->gpus);
	tp_ids_release(&r->once);
}

int
tp_row_events_is(struct tp_in *in, struct tp_err *err)
{
	struct tp_row_events r = { 0 };
	int is;

	tp_in_stop(in);
	is = open_first_row(&r, in, err);
	release_row_events(&r);
	tp_in_again(in);
	return is;
}

/* The first present value among COLUMNS, a name or a list of names; or NULL. */
static const struct tp_value *
value(const struct tp_row_events *r, const cJSON *columns)
{
	const cJSON *i = cJSON_IsArray(columns) ? columns->child : columns;
	ptrdiff_t at;

	for (; i; i = cJSON_IsArray(columns) ? i->next : NULL) {
		at = cJSON_IsString(i) ? tp_table_column_of(r->row.table,
		    i->valuestring) : -1;
		if (at >= 0 && r->row.v[at].type != TP_NONE)
			return &r->row.v[at];
	}
	return NULL;
}

/* Use the mapping of the table that the row is of. */
static void
take_map(struct tp_row_events *r)
{
	if (r->table == r->row.table)
		return;
	r->table = r->row.table;
	r->map = tp_json_get(tp_json_get(r->recorder.doc, "rows"),
	    r->table->name);
}

/*
 * A time in ns.  A number with an exponent, as spreadsheets write long ones,
 * has lost its last digits.  0, or -1 with ERR.
 */
static int
ns_of(const struct tp_row_events *r, const struct tp_value *v, int64_t *ns,
    struct tp_err *err)
{
	*ns = v->n;
	if (v->type != TP_TEXT)
		return 0;
	if (!memchr(v->text, 'e', v->len) && !memchr(v->text, 'E', v->len) &&
	    !tp_unit_decimal(v->text, v->len, 1, ns))
		return 0;
	return tp_fail(err, TP_BAD, "event.badts", r->row.line,
	    "'%.*s' is no time in whole nanoseconds",
	    v->len < 40 ? (int)v->len : 40, v->text);
}

/*
 * Whether the table has times: 1, or -1 with ERR, which says what to do
 * instead.
 */
static int
has_times(struct tp_row_events *r, struct tp_err *err)
{
	const struct tp_value *from;
	const char *lacks;
	int64_t ns;

	if (!r->has_row)
		return 1;
	take_map(r);
	lacks = tp_json_text(r->map, "lacks");
	from = value(r, tp_json_get(r->map, "ts"));
	if (!from && lacks)
		tp_fail(err, TP_BAD, "input.unknown", 0, "%.200s", lacks);
	else if (from && from->type == TP_TEXT && ns_of(r, from, &ns, err) < 0)
		tp_fail(err, TP_BAD, "input.unknown", 0, "a table of kernels "
		    "whose times have lost digits ('%.*s'), as a spreadsheet "
		    "drops them: use the file as the profiler wrote it",
		    from->len < 40 ? (int)from->len : 40, from->text);
	else
		return 1;
	err->fatal = 1;
	return -1;
}

int
tp_row_events_check(struct tp_in *in, struct tp_err *err)
{
	struct tp_row_events r = { 0 };
	int rc;

	tp_in_stop(in);
	rc = open_first_row(&r, in, err);
	if (rc > 0)
		rc = has_times(&r, err);
	release_row_events(&r);
	tp_in_again(in);
	return rc;
}

static void
close_rows(void *state)
{
	release_row_events(state);
	tp_free(state);
}

static void *
open_rows(struct tp_events *e, struct tp_err *err)
{
	struct tp_row_events *r = tp_zalloc(sizeof *r);
	int rc;

	r->e = e;
	memset(e->args, 0, sizeof e->args);
	rc = open_first_row(r, e->sight.in, err);
	if (rc > 0 && has_times(r, err) > 0)
		return r;
	if (!rc)
		tp_fail(err, TP_BAD, "input.unknown", 0, "a CSV of an unknown "
		    "profiler");
	close_rows(r);
	return NULL;
}

/* The value as a text, or a number when it is one. */
static struct tp_arg
text_of(const struct tp_value *v)
{
	int64_t n;

	if (!v || v->type != TP_TEXT)
		return (struct tp_arg){ 0 };
	return (struct tp_arg){ tp_json_int(v->text, v->len, &n) < 0 ?
	    TP_ARG_STRING : TP_ARG_NUMBER, v->len, v->text };
}

/* The last number in TEXT, "NVIDIA H100 (0)" or "Agent 4"; -1: none. */
static int64_t
last_number(const struct tp_arg *text)
{
	size_t end = text->len, at;
	int64_t n;

	while (end && !isdigit((unsigned char)text->text[end - 1]))
		end--;
	for (at = end; at && isdigit((unsigned char)text->text[at - 1]);)
		at--;
	return at < end && !tp_json_int(text->text + at, end - at, &n) ? n :
	    -1;
}

/* Add a GPU called NAME, as a member in Kineto's form. */
static void
add_gpu(struct tp_row_events *r, const struct tp_arg *name, int64_t number)
{
	static const char key[] = "deviceProperties";
	cJSON *list = (cJSON *)(uintptr_t)tp_members_find(&r->e->members,
	    key), *gpu;
	size_t len = name->len;
	char text[200];

	while (len && name->text[len - 1] != '(')
		len--;
	/* a bare number, or "Agent 4", is no name */
	if (len < 2)
		return;
	snprintf(text, sizeof text, "%.*s", (int)(len - 2), name->text);
	if (!list) {
		list = cJSON_CreateArray();
		tp_members_put(&r->e->members, key, sizeof key - 1, list);
	}
	gpu = cJSON_CreateObject();
	cJSON_AddStringToObject(gpu, "name", text);
	cJSON_AddNumberToObject(gpu, "id", (double)number);
	cJSON_AddItemToArray(list, gpu);
}

/* Set the device argument from the row. */
static void
take_gpu(struct tp_row_events *r)
{
	struct tp_events *e = r->e;
	struct tp_arg gpu = text_of(value(r, tp_json_get(r->map, "gpu")));
	int64_t number = gpu.len ? last_number(&gpu) : -1;
	size_t at = tp_arg_names_find(&e->reading.names, "device", 6);
	size_t had = r->gpus.count;

	if (number < 0)
		return;
	if (had < GPUS_MAX)
		tp_names_add(&r->gpus, gpu.text, gpu.len);
	if (r->gpus.count > had)
		add_gpu(r, &gpu, number);
	if (at < e->reading.names.wanted)
		e->args[at] = (struct tp_arg){ TP_ARG_NUMBER,
		    (uint32_t)snprintf(r->device, sizeof r->device, "%lld",
		    (long long)number), r->device };
}

/* The category for NAME. */
static struct tp_arg
category(const struct tp_row_events *r, const struct tp_arg *name)
{
	const cJSON *i;
	const char *match, *cat;

	cJSON_ArrayForEach(i, tp_json_get(r->map, "cat")) {
		match = tp_json_text(i, "match");
		cat = tp_json_text(i, "name");
		if (match && cat && tp_glob(match, name->text, name->len))
			return (struct tp_arg){ TP_ARG_STRING,
			    (uint32_t)strlen(cat), cat };
	}
	return (struct tp_arg){ 0 };
}

static int
take_times(struct tp_row_events *r, struct tp_event *v, struct tp_err *err)
{
	const struct tp_value *from = value(r, tp_json_get(r->map, "ts"));
	const struct tp_value *dur = value(r, tp_json_get(r->map, "dur"));
	const struct tp_value *to = value(r, tp_json_get(r->map, "end"));
	int64_t from_ns, to_ns = 0, us, took = 0;
	int32_t ps;

	err->what = from ? "dur" : "ts";
	if (!from || (!dur && !to))
		return tp_fail(err, TP_BAD, "event.baddur", r->row.line,
		    "it has no %s", from ? "end" : "start");
	if (ns_of(r, from, &from_ns, err) < 0 ||
	    (to && ns_of(r, to, &to_ns, err) < 0))
		return -1;
	us = tp_ns_split(from_ns, &ps);
	if (dur)
		took = dur->n;
	else if (__builtin_sub_overflow(to_ns, from_ns, &took))
		took = -1;
	if (tp_events_time(r->e, us, ps, &v->ts_ps) < 0 || took < 0 ||
	    took > TP_DAY_PS / 1000)
		return tp_fail(err, TP_BAD, "event.baddur", r->row.line,
		    "it ends before it starts, takes more than a day, or is "
		    "more than a day from the others");
	v->dur_ps = took * 1000;
	v->has_ts = v->has_dur = 1;
	return 0;
}

/*
 * Whether the row is of an event that another row told, as those of further
 * counters of a kernel.
 */
static int
is_again(struct tp_row_events *r, const struct tp_event *v)
{
	const cJSON *once = tp_json_get(r->map, "once");
	const struct tp_value *of = once ? value(r, once) : NULL;
	size_t had = r->once.count;
	int64_t n;

	if (!of || of->type != TP_TEXT ||
	    tp_json_int(of->text, of->len, &n) < 0)
		return 0;
	tp_ids_add(&r->once, (uint64_t)n, (uint64_t)v->ts_ps);
	return r->once.count == had;
}

/* An event of the row: 1, 0 when it is known, or -1 with ERR. */
static int
take_row(struct tp_row_events *r, struct tp_event *v, struct tp_err *err)
{
	struct tp_events *e = r->e;
	const cJSON *i;
	struct tp_arg pid, tid;
	size_t at;

	e->elements++;
	take_map(r);
	if (take_times(r, v, err) < 0)
		return -1;
	if (is_again(r, v))
		return 0;
	v->name = text_of(value(r, tp_json_get(r->map, "name")));
	if (!v->name.type)
		v->name = (struct tp_arg){ TP_ARG_STRING, 1, "?" };
	v->name.type = TP_ARG_STRING;
	v->cat = category(r, &v->name);
	tp_arg_twins(&e->reading.names, e->args, 1);
	cJSON_ArrayForEach(i, tp_json_get(r->map, "args")) {
		at = tp_arg_names_find(&e->reading.names, i->string,
		    strlen(i->string));
		if (at < e->reading.names.wanted)
			e->args[at] = text_of(value(r, i));
	}
	pid = text_of(value(r, tp_json_get(r->map, "pid")));
	tid = text_of(value(r, tp_json_get(r->map, "tid")));
	take_gpu(r);
	tp_arg_twins(&e->reading.names, e->args, 0);
	tp_events_of_row(e, v, &pid, &tid);
	return 1;
}

static int
next_of_rows(void *state, struct tp_event *event, struct tp_err *err)
{
	struct tp_row_events *r = state;
	int rc;

	if (r->damaged) {
		r->damaged--;
		r->e->elements++;
		*err = r->damage;
		return -1;
	}
	do {
		rc = r->has_row ? 1 : tp_rows_next(r->rows, &r->row, err);
		r->has_row = 0;
		if (rc <= 0)
			return rc;
		rc = take_row(r, event, err);
	} while (!rc);
	return rc;
}

static void
tell_rows(void *state)
{
	struct tp_row_events *r = state;
	const char *note = tp_json_text(r->map, "note");

	if (note)
		tp_trace_note(r->e->trace, "recorder.lacks", 0, 1,
		    "%s: %.200s", tp_in_name(r->e->sight.in), note);
	for (size_t i = 0; i < r->row_trace.note_count; i++)
		tp_trace_note(r->e->trace, r->row_trace.notes[i].code,
		    r->row_trace.notes[i].status, r->row_trace.notes[i].count,
		    "%s", r->row_trace.notes[i].text);
}

static const struct tp_recorder *
recorder_of(const void *state)
{
	const struct tp_row_events *r = state;

	return &r->recorder;
}

const struct tp_events_source tp_row_events = { open_rows, next_of_rows,
    tell_rows, recorder_of, close_rows };
