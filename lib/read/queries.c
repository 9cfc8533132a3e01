/* queries - the events of a profiler's database (*.sqlite, *.db) */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/text.h>

#include "queries.h"
#include "sqlite.h"

/* Rows read of each query about things other than events. */
#define BESIDE_MAX 4096
#define NOTES_MAX 20
/* Nesting of $words in $words. */
#define DEPTH_MAX 8

#ifdef TP_SQLITE

/* Limit on the rows of a table or view: one per so many bytes of the file. */
#define ROWS_LEAST 100000
#define ROW_BYTES 4

enum { ROW, CAT, NAME, TS, END, PID, TID, FIELDS };

/* What rows with one value of "same" are called. */
struct said {
	struct tp_arg cat, name;
};

struct tp_queries {
	struct tp_events *e;
	struct tp_recorder recorder;
	struct tp_sqlite *db;
	const cJSON *event;		/* of the current table */
	const char *table;		/* its name */
	int is_view;			/* it has no rowid */
	struct tp_result *select;	/* NULL: the next table is not begun */
	struct tp_result *named;	/* category and name of the row ?1, or
					 * NULL: they are columns of select */
	struct tp_ids said;		/* values of "same" whose names are
					 * known, */
	struct said *names;		/* ... as said */
	size_t name_cap;
	struct tp_arena arena;		/* of their texts */
	uint32_t args[TP_ARGS_MAX];	/* by column after the fields */
	size_t arg_count;
	uint64_t rows;			/* of the table */
	uint64_t bytes;			/* of the database */
	char numbers[FIELDS + TP_ARGS_MAX][24];
	uint64_t unnamed;
	struct tp_err lost;		/* first table that was damaged */
};

/* Where the "(" at P is closed; P if it never is. */
static const char *
close_of(const char *p)
{
	int depth = 0;

	for (const char *at = p; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth)
			return at;
	}
	return p;
}

/*
 * Append TEXT to SQL with its $words expanded, and $1 as ARG; $word(X) is the
 * word with X as its $1.
 */
static void
expand(const struct tp_queries *q, struct tp_buf *sql, const char *text,
    const char *arg, int depth)
{
	const cJSON *words = tp_json_get(q->recorder.doc, "words");
	struct tp_buf name = { 0 }, raw = { 0 }, given = { 0 };
	const char *sign, *end, *close, *word;

	for (; (sign = strchr(text, '$')); text = end) {
		tp_buf_add(sql, text, (size_t)(sign - text));
		for (end = sign + 1; islower((unsigned char)*end) ||
		    *end == '_';)
			end++;
		if (sign[1] == '1') {
			tp_buf_str(sql, arg);
			end = sign + 2;
			continue;
		}
		tp_buf_clear(&name);
		tp_buf_clear(&raw);
		tp_buf_clear(&given);
		tp_buf_add(&name, sign + 1, (size_t)(end - sign) - 1);
		if (*end == '(' && (close = close_of(end)) > end) {
			tp_buf_add(&raw, end + 1, (size_t)(close - end) - 1);
			end = close + 1;
		}
		word = tp_json_text(words, name.p);
		if (!word || depth >= DEPTH_MAX) {
			/* SQLite says what is wrong with it */
			tp_buf_str(sql, "$");
			tp_buf_add(sql, sign + 1, (size_t)(end - sign) - 1);
			continue;
		}
		if (raw.p)
			expand(q, &given, raw.p, arg, depth + 1);
		expand(q, sql, word, given.p ? given.p : "", depth + 1);
	}
	tp_buf_str(sql, text);
	tp_buf_release(&name);
	tp_buf_release(&raw);
	tp_buf_release(&given);
}

static struct tp_result *
start_query(struct tp_queries *q, struct tp_buf *sql, const char **why,
    struct tp_err *err)
{
	*why = NULL;
	return tp_result_new(q->db, sql->p, why, err);
}

/*
 * The first of WAYS, a text or a list of texts, that the database can answer
 * between BEFORE and AFTER: its index, or -1 with the reason in WHY, or in
 * ERR, then fatal.
 */
static int
choose(struct tp_queries *q, const cJSON *ways, const char *before,
    const char *after, const char **text, const char **why,
    struct tp_err *err)
{
	const cJSON *way = cJSON_IsArray(ways) ? ways->child : ways;
	struct tp_buf sql = { 0 };
	struct tp_result *s;

	err->fatal = 0;
	*why = "";
	*text = NULL;
	for (int i = 0; way; i++, way = cJSON_IsArray(ways) ? way->next :
	    NULL) {
		tp_buf_clear(&sql);
		tp_buf_str(&sql, before);
		expand(q, &sql, cJSON_GetStringValue(way) ?
		    way->valuestring : "", "", 0);
		tp_buf_str(&sql, after);
		s = start_query(q, &sql, why, err);
		if (!s && !*why)
			break;
		if (!s)
			continue;
		tp_result_free(s);
		*text = way->valuestring;
		tp_buf_release(&sql);
		return i;
	}
	tp_buf_release(&sql);
	return -1;
}

/*
 * Begin the first query of WAYS that the database can answer; NULL: none, or
 * with ERR.
 */
static struct tp_result *
ask(struct tp_queries *q, const cJSON *ways, struct tp_err *err)
{
	struct tp_buf sql = { 0 };
	struct tp_result *s = NULL;
	const char *text, *why;

	if (choose(q, ways, "", "", &text, &why, err) >= 0) {
		expand(q, &sql, text, "", 0);
		s = start_query(q, &sql, &why, err);
	}
	tp_buf_release(&sql);
	return s;
}

/* --- the SELECT of a kind of event */

static const char *const fields[FIELDS] = { "id", "cat", "name", "ts", "end",
    "pid", "tid" };

/* Record that the table is unusable. */
static int
no_table(struct tp_queries *q, const char *field, const char *why,
    struct tp_err *err)
{
	if (err->fatal)
		return -1;
	if (!q->lost.status)
		tp_fail(&q->lost, TP_BAD, "database.columns", 0, "of table "
		    "%.60s nothing is read: the database cannot be asked for "
		    "'%s' (%.120s)", q->table, field, why);
	return 0;
}

/*
 * Append the column for KEY of the event to SQL: 1, 0 when there is none, -1
 * with ERR.
 */
static int
add_column(struct tp_queries *q, struct tp_buf *sql, const cJSON *ways,
    const char *after, const char **why, struct tp_err *err)
{
	const char *text;

	if (choose(q, ways, "SELECT ", after, &text, why, err) < 0)
		return err->fatal ? -1 : 0;
	tp_buf_str(sql, sql->len ? ", " : "SELECT ");
	expand(q, sql, text, "", 0);
	return 1;
}

/*
 * If rows with one value of "same" have one name, and the table can be asked
 * for a row, ask so: computing the name of each row costs more than the rest.
 * Sets SAME to the SQL of the value, or NULL.  0, or -1 with ERR.
 */
static int
name_once(struct tp_queries *q, const char *after, const char **same,
    struct tp_err *err)
{
	struct tp_buf sql = { 0 }, from = { 0 };
	const cJSON *ways = tp_json_get(q->event, "same");
	const char *text, *why = NULL;
	int rc = 0;

	*same = NULL;
	if (q->is_view || !ways || choose(q, ways, "SELECT e.rowid, ", after,
	    same, &why, err) < 0)
		return err->fatal ? -1 : 0;
	tp_buf_fmt(&from, "%s WHERE e.rowid = ?1", after);
	for (int i = CAT; rc >= 0 && i <= NAME; i++) {
		rc = choose(q, tp_json_get(q->event, fields[i]), "SELECT ",
		    from.p, &text, &why, err);
		tp_buf_str(&sql, i == CAT ? "SELECT " : ", ");
		if (rc >= 0)
			expand(q, &sql, text, "", 0);
	}
	tp_buf_str(&sql, from.p);
	q->named = rc < 0 ? NULL : start_query(q, &sql, &why, err);
	tp_buf_release(&sql);
	tp_buf_release(&from);
	if (!q->named)
		*same = NULL;
	return !q->named && !why ? -1 : 0;
}

/*
 * Append the columns of the event and FROM AFTER to SQL: 1, 0 when a needed
 * one is missing, -1 with ERR.
 */
static int
add_columns(struct tp_queries *q, struct tp_buf *sql, const char *after,
    struct tp_err *err)
{
	const struct tp_arg_names *names = &q->e->reading.names;
	static const cJSON none = { .type = cJSON_String,
	    .valuestring = (char *)(uintptr_t)"NULL" };
	static const cJSON rowid = { .type = cJSON_String,
	    .valuestring = (char *)(uintptr_t)"e.rowid" };
	const cJSON *way;
	const char *why, *same;
	struct cJSON own = { .type = cJSON_String };
	size_t at;
	int rc;

	if (name_once(q, after, &same, err) < 0)
		return -1;
	own.valuestring = (char *)(uintptr_t)same;
	for (size_t i = 0; i < FIELDS; i++) {
		way = same && i == CAT ? &own : same && i == NAME ? &none :
		    tp_json_get(q->event, fields[i]);
		rc = add_column(q, sql, way ? way : &rowid, after, &why, err);
		if (!rc && i == ROW)
			rc = add_column(q, sql, &none, after, &why, err);
		if (rc <= 0)
			return rc < 0 ? -1 : no_table(q, fields[i], why, err);
	}
	q->arg_count = 0;
	cJSON_ArrayForEach(way, tp_json_get(q->event, "args")) {
		at = tp_arg_names_find(names, way->string,
		    strlen(way->string));
		if (at >= names->wanted)
			continue;
		rc = add_column(q, sql, way, after, &why, err);
		if (rc < 0)
			return -1;
		if (rc)
			q->args[q->arg_count++] = (uint32_t)at;
	}
	return 1;
}

/*
 * Append WORD and the first way of KEY of the event that the database can
 * answer to AFTER: 1, 0 when there is none, -1 with ERR.
 */
static int
add_clause(struct tp_queries *q, struct tp_buf *after, const char *word,
    const char *key, struct tp_err *err)
{
	struct tp_buf before = { 0 };
	const char *text, *why;
	int rc;

	tp_buf_fmt(&before, "SELECT 1%s%s", after->p ? after->p : "", word);
	rc = choose(q, tp_json_get(q->event, key), before.p, "", &text, &why,
	    err);
	tp_buf_release(&before);
	if (rc < 0)
		return err->fatal ? -1 : no_table(q, key, why, err);
	tp_buf_str(after, word);
	expand(q, after, text, "", 0);
	return 1;
}

/*
 * Begin the table of q->event: 1, 0 when nothing of it can be read, -1 with
 * ERR.
 */
static int
open_table(struct tp_queries *q, struct tp_err *err)
{
	struct tp_buf sql = { 0 }, after = { 0 };
	const char *why = "";
	int rc;

	q->table = tp_json_text(q->event, "table");
	q->rows = 0;
	rc = q->table ? tp_sqlite_has(q->db, q->table, err) : 0;
	if (rc <= 0)
		return rc;
	q->is_view = rc > 1;
	if (tp_json_get(q->event, "from"))
		rc = add_clause(q, &after, " FROM ", "from", err);
	else
		tp_buf_fmt(&after, " FROM [%s] AS e", q->table);
	if (rc > 0 && tp_json_get(q->event, "where"))
		rc = add_clause(q, &after, " WHERE ", "where", err);
	if (rc > 0)
		rc = add_columns(q, &sql, after.p, err);
	if (rc > 0) {
		tp_buf_str(&sql, after.p);
		q->select = start_query(q, &sql, &why, err);
		rc = q->select ? 1 : why ? no_table(q, "rows", why, err) :
		    -1;
	}
	if (rc <= 0) {
		tp_result_free(q->named);
		q->named = NULL;
	}
	tp_buf_release(&sql);
	tp_buf_release(&after);
	memset(q->e->args, 0, sizeof q->e->args);
	return rc;
}

/* --- a row */

static uint32_t
digits(char *to, size_t size, int64_t n)
{
	char *p = to + size;
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;

	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (n < 0)
		*--p = '-';
	memmove(to, p, (size_t)(to + size - p));
	return (uint32_t)(to + size - p);
}

/* Column I of the row. */
static void
value_of(struct tp_queries *q, int i, struct tp_arg *v)
{
	enum tp_sqlite_type type = tp_result_type(q->select, i);

	*v = (struct tp_arg){ 0 };
	if (type == TP_SQLITE_NULL)
		return;
	if (type == TP_SQLITE_INT) {
		v->type = TP_ARG_NUMBER;
		v->len = digits(q->numbers[i], sizeof q->numbers[i],
		    tp_result_int(q->select, i));
		v->text = q->numbers[i];
		return;
	}
	v->type = type == TP_SQLITE_REAL ? TP_ARG_NUMBER : TP_ARG_STRING;
	v->len = (uint32_t)tp_result_text(q->select, i, &v->text);
}

/* Copy the text of V into the arena. */
static void
copy_to_arena(struct tp_queries *q, struct tp_arg *v)
{
	if (v->type != TP_ARG_ABSENT)
		v->text = tp_arena_text(&q->arena, v->text, v->len);
}

/*
 * Ask for the category and name of the row; KEPT: they outlive the query.  0,
 * or -1 with ERR.
 */
static int
ask_names(struct tp_queries *q, struct said *said, int kept,
    struct tp_err *err)
{
	struct tp_result *select = q->select;
	int rc;

	tp_result_again(q->named, tp_result_int(q->select, ROW));
	rc = tp_result_next(q->named, err);
	if (rc <= 0)
		return rc;
	q->select = q->named;
	value_of(q, 0, &said->cat);
	value_of(q, 1, &said->name);
	q->select = select;
	if (kept) {
		copy_to_arena(q, &said->cat);
		copy_to_arena(q, &said->name);
	}
	return 0;
}

/* Take the category and name of the row.  0, or -1 with ERR. */
static int
take_names_of(struct tp_queries *q, struct tp_event *v, struct tp_err *err)
{
	struct said one = { { 0 }, { 0 } }, *said = &one;
	size_t had = q->said.count;
	ptrdiff_t at;

	if (!q->named) {
		value_of(q, CAT, &v->cat);
		value_of(q, NAME, &v->name);
		return 0;
	}
	if (tp_result_type(q->select, CAT) == TP_SQLITE_INT) {
		at = tp_ids_add(&q->said, (uint64_t)tp_result_int(q->select,
		    CAT), 0);
		said = TP_ITEM(q->names, q->name_cap, at);
	}
	if ((said == &one || q->said.count > had) && ask_names(q, said,
	    said != &one, err) < 0)
		return -1;
	v->cat = said->cat;
	v->name = said->name;
	return 0;
}

static void
end_table(struct tp_queries *q)
{
	tp_result_free(q->select);
	tp_result_free(q->named);
	q->select = q->named = NULL;
	tp_ids_release(&q->said);
	tp_free(q->names);
	q->names = NULL;
	q->name_cap = 0;
	tp_arena_release(&q->arena);
}

/* Fail: the row has no usable time.  Always returns -1. */
static int
bad_row(struct tp_queries *q, int column, struct tp_err *err)
{
	enum tp_sqlite_type type = tp_result_type(q->select, column);
	const char *text;
	size_t len;
	int64_t id = tp_result_type(q->select, ROW) == TP_SQLITE_INT ?
	    tp_result_int(q->select, ROW) : (int64_t)q->rows;

	err->what = column == TS ? "ts" : "dur";
	if (type == TP_SQLITE_INT)
		return tp_fail(err, TP_BAD, "event.baddur", 0, "table %.60s, "
		    "row %lld: %s", q->table, (long long)id, column == TS ?
		    "more than a day from the others" :
		    "it ends before it starts, or more than a day later");
	if (type == TP_SQLITE_NULL)
		return tp_fail(err, TP_BAD, "event.baddur", 0, "table %.60s, "
		    "row %lld: it has no %s", q->table, (long long)id,
		    column == TS ? "start" : "end");
	len = tp_result_text(q->select, column, &text);
	return tp_fail(err, TP_BAD, "event.baddur", 0, "table %.60s, row "
	    "%lld: %s is '%.*s', no whole number of nanoseconds", q->table,
	    (long long)id, column == TS ? "start" : "end",
	    len < 40 ? (int)len : 40, text ? text : "");
}

static int
take_times(struct tp_queries *q, struct tp_event *v, struct tp_err *err)
{
	struct tp_events *e = q->e;
	int64_t from, to, us, dur;
	int32_t ps;

	if (tp_result_type(q->select, TS) != TP_SQLITE_INT)
		return bad_row(q, TS, err);
	if (tp_result_type(q->select, END) != TP_SQLITE_INT)
		return bad_row(q, END, err);
	from = tp_result_int(q->select, TS);
	to = tp_result_int(q->select, END);
	us = tp_ns_split(from, &ps);
	if (tp_events_since(us, ps, e->base_us, e->base_ps, &v->ts_ps) < 0)
		return bad_row(q, TS, err);
	if (__builtin_sub_overflow(to, from, &dur) || dur < 0 ||
	    dur > TP_DAY_PS / 1000)
		return bad_row(q, END, err);
	v->dur_ps = dur * 1000;
	v->has_ts = v->has_dur = 1;
	return 0;
}

/* Count a row: -1 with ERR when a view has more than the file can hold. */
static int
count_row(struct tp_queries *q, struct tp_err *err)
{
	if (++q->rows <= ROWS_LEAST + q->bytes / ROW_BYTES)
		return 0;
	tp_fail(err, TP_LIMIT, "limit.rows", 0, "table %.60s has more rows "
	    "than a database of %llu bytes can hold", q->table,
	    (unsigned long long)q->bytes);
	err->fatal = 1;
	return -1;
}

/* Convert the row to *V: 1, or -1 with ERR. */
static int
take_row(struct tp_queries *q, struct tp_event *v, struct tp_err *err)
{
	static const struct tp_arg nameless = { TP_ARG_STRING, 1, "?" };
	struct tp_events *e = q->e;
	struct tp_arg pid, tid;

	e->elements++;
	if (count_row(q, err) < 0)
		return -1;
	if (take_times(q, v, err) < 0 || take_names_of(q, v, err) < 0)
		return -1;
	value_of(q, PID, &pid);
	value_of(q, TID, &tid);
	tp_arg_twins(&e->reading.names, e->args, 1);
	for (size_t i = 0; i < q->arg_count; i++) {
		struct tp_arg *arg = &e->args[q->args[i]];

		value_of(q, FIELDS + (int)i, arg);
		/* a list, in JSON */
		if (arg->type == TP_ARG_STRING && arg->len &&
		    *arg->text == '[')
			arg->type = TP_ARG_NESTED;
	}
	tp_arg_twins(&e->reading.names, e->args, 0);
	if (v->name.type == TP_ARG_ABSENT) {
		v->name = nameless;
		q->unnamed++;
	}
	/* a number in a text column becomes a text, nothing an empty one */
	if (v->cat.type == TP_ARG_ABSENT)
		v->cat.text = "";
	v->name.type = v->cat.type = TP_ARG_STRING;
	tp_events_of_row(e, v, &pid, &tid);
	return 1;
}

/* --- queries about things other than events */

/*
 * Next row of S; 0 also when it cannot be read, which is reported at the
 * end; -1 with ERR.
 */
static int
next_beside(struct tp_queries *q, struct tp_result *s, struct tp_err *err)
{
	int rc = tp_result_next(s, err);

	if (rc >= 0 || err->fatal)
		return rc;
	if (!q->lost.status)
		tp_fail(&q->lost, TP_BAD, err->code, 0, "the metadata of the "
		    "database cannot be read: %.200s; export it again",
		    err->text);
	return 0;
}

/* Name the existing lanes, or processes. */
static int
take_names(struct tp_queries *q, const cJSON *ways, int process,
    struct tp_err *err)
{
	struct tp_result *s = ask(q, ways, err);
	struct tp_arg pid, tid, name;
	int rc;

	if (!s)
		return err->fatal ? -1 : 0;
	q->select = s;
	while ((rc = next_beside(q, s, err)) > 0) {
		value_of(q, 0, &pid);
		if (!process)
			value_of(q, 1, &tid);
		value_of(q, process ? 1 : 2, &name);
		if (name.type == TP_ARG_STRING)
			tp_lanes_name(&q->e->lanes, &pid, process ? NULL :
			    &tid, &name);
	}
	tp_result_free(s);
	q->select = NULL;
	return rc;
}

/* Column I as a JSON value. */
static cJSON *
value_json(struct tp_result *s, int i)
{
	const char *text;

	switch (tp_result_type(s, i)) {
	case TP_SQLITE_INT:
		return cJSON_CreateNumber((double)tp_result_int(s, i));
	case TP_SQLITE_REAL:
		return cJSON_CreateNumber(tp_result_real(s, i));
	case TP_SQLITE_TEXT:
		tp_result_text(s, i, &text);
		return cJSON_CreateString(text);
	default:
		return cJSON_CreateNull();
	}
}

/* The row as an object; PLAIN: its only column. */
static cJSON *
row_json(struct tp_result *s, int plain)
{
	cJSON *row;

	if (plain)
		return value_json(s, 0);
	row = cJSON_CreateObject();
	for (int i = 0; i < tp_result_count(s); i++)
		cJSON_AddItemToObject(row, tp_result_name(s, i),
		    value_json(s, i));
	return row;
}

/*
 * Make a member of the result of WAYS: a value when there is one column,
 * else a list of objects.  0, or -1 with ERR.
 */
static int
take_member(struct tp_queries *q, const cJSON *ways, struct tp_err *err)
{
	struct tp_result *s = ask(q, ways, err);
	cJSON *list = NULL, *row;
	int more = 0, plain;

	if (!s)
		return err->fatal ? -1 : 0;
	plain = tp_result_count(s) == 1;
	if (!plain)
		list = cJSON_CreateArray();
	for (int i = 0; i < BESIDE_MAX && (more = next_beside(q, s, err)) > 0;
	    i++) {
		row = row_json(s, plain);
		if (plain) {
			cJSON_Delete(list);
			list = row;
		} else {
			cJSON_AddItemToArray(list, row);
		}
	}
	tp_result_free(s);
	/* an empty list is left out */
	if (more >= 0 && list && (plain || list->child))
		tp_members_put(&q->e->members, ways->string,
		    strlen(ways->string), list);
	else
		cJSON_Delete(list);
	return more < 0 ? -1 : 0;
}

/*
 * Note the results of the queries under KEY, with their counts: what the
 * profiler WARNED of, or data it lacks.
 */
static int
tell_each(struct tp_queries *q, const char *key, int warned,
    struct tp_err *err)
{
	const cJSON *query;
	struct tp_result *s;
	const char *text;
	int rc = 0;

	cJSON_ArrayForEach(query, tp_json_get(q->recorder.doc, key)) {
		s = ask(q, query, err);
		if (!s && err->fatal)
			return -1;
		for (int i = 0; s && i < NOTES_MAX &&
		    (rc = next_beside(q, s, err)) > 0; i++)
			if (tp_result_text(s, 0, &text))
				tp_trace_note(q->e->trace, warned ?
				    "recorder.warning" : "recorder.lacks", 0,
				    (uint64_t)tp_result_int(s, 1),
				    "%s: %s%.400s", tp_in_name(q->e->sight.in),
				    warned ? "the profiler said: " : "", text);
		tp_result_free(s);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* --- tallies */

/* Which rows are kept one by one: from this duration on; less than 0: none. */
struct kept {
	double least_ns;
	double held_ns;		/* what they say may have held so long before */
	int are_spans;		/* which rows open and close: all are kept,
				 * until what is between them is known */
};

/* Record that the table cannot be read to its end. */
static void
lose_table(struct tp_queries *q, const struct tp_err *why)
{
	if (!q->lost.status && why->status == TP_LIMIT)
		q->lost = *why;
	else if (!q->lost.status)
		tp_fail(&q->lost, why->status, why->code, 0, "table %.60s "
		    "cannot be read after row %llu: %.200s; export it again",
		    q->table, (unsigned long long)q->rows, why->text);
}

/*
 * Take the times of a row: 1 with its duration, 0 when it opens a span on its
 * thread or closes none, -1 when they are damaged.
 */
static int
tally_times(struct tp_queries *q, struct tp_tally_span *open, int64_t *from,
    int64_t *to)
{
	enum tp_sqlite_type a = tp_result_type(q->select, TS);
	enum tp_sqlite_type b = tp_result_type(q->select, END);

	if (a > TP_SQLITE_INT || b > TP_SQLITE_INT || (a == TP_SQLITE_NULL &&
	    b == TP_SQLITE_NULL))
		return -1;
	*from = tp_result_int(q->select, TS);
	*to = tp_result_int(q->select, END);
	if (b == TP_SQLITE_NULL) {
		*open = (struct tp_tally_span){ *from, 1 };
		*to = *from;
		return 0;
	}
	if (a == TP_SQLITE_NULL) {
		*from = open->is_open ? open->from_ns : *to;
		if (!open->is_open)
			return 0;
		open->is_open = 0;
	}
	return *to < *from ? -1 : 1;
}

/* Keep what took from FROM to TO, if it is long enough to be KEPT. */
static void
keep_row(struct tp_queries *q, struct kept *kept, struct tp_tally_row row,
    int64_t from, int64_t to)
{
	struct tp_events *e = q->e;
	int64_t us, took;
	int32_t ps;

	kept->are_spans |= tp_result_type(q->select, TS) == TP_SQLITE_NULL;
	if (kept->least_ns < 0 || __builtin_sub_overflow(to, from, &took) ||
	    (!kept->are_spans && (double)took < kept->least_ns))
		return;
	us = tp_ns_split(from, &ps);
	if (!e->has_base || tp_events_since(us, ps, e->base_us, e->base_ps,
	    &row.from_ps) < 0)
		return;
	row.to_ps = row.from_ps + took * 1000;
	row.from_ps -= (int64_t)(kept->held_ns * 1000);
	TP_APPEND(e->tallies.rows, e->tallies.row_count, e->tallies.row_cap,
	    row);
}

/* Add the row to its tally.  Whether its times are good. */
static int
tally_row(struct tp_queries *q, const char *what, struct kept *kept)
{
	struct tp_events *e = q->e;
	struct tp_arg pid, tid, name;
	ptrdiff_t called = 0;
	int64_t from, to, dur;
	size_t lane;
	int timed;

	value_of(q, NAME, &name);
	value_of(q, PID, &pid);
	value_of(q, TID, &tid);
	lane = tp_lanes_add(&e->lanes, &pid, &tid);
	if (name.type != TP_ARG_ABSENT)
		called = tp_names_add(&e->tallies.names, name.text, name.len);
	TP_ITEM(e->tallies.open, e->tallies.open_cap, lane);
	timed = tally_times(q, &e->tallies.open[lane], &from, &to);
	if (timed < 0 || __builtin_sub_overflow(to, from, &dur) ||
	    dur > TP_DAY_PS / 1000 || (e->has_base &&
	    tp_events_is_far(from / 1000, e->base_us)))
		return 0;
	tp_tallies_add(&e->tallies, what, lane, name.type == TP_ARG_ABSENT ?
	    NULL : &e->tallies.names.names[called], from, to, timed);
	if (timed)
		keep_row(q, kept, (struct tp_tally_row){ .what = what,
		    .lane = lane, .named = name.type == TP_ARG_ABSENT ? 0 :
		    (uint32_t)called + 1 }, from, to);
	return 1;
}

/* Sum the rows of the table of q->event. */
static int
tally_table(struct tp_queries *q, struct tp_err *err)
{
	static const char bad_times[] = "have no times in whole nanoseconds, "
	    "end before they start, or are more than a day away";
	const char *what = tp_json_text(q->event, "what");
	size_t first = q->e->tallies.row_count;
	struct kept kept = { -1, 0, 0 };
	uint64_t bad = 0;
	int rc = open_table(q, err);

	if (rc <= 0 || !what)
		return rc;
	tp_json_number(q->event, "each_ns", &kept.least_ns);
	tp_json_number(q->event, "held_ns", &kept.held_ns);
	if (q->e->tallies.open_cap)
		memset(q->e->tallies.open, 0, q->e->tallies.open_cap *
		    sizeof *q->e->tallies.open);
	while ((rc = tp_result_next(q->select, err)) > 0) {
		if (count_row(q, err) < 0)
			break;
		bad += !tally_row(q, what, &kept);
	}
	end_table(q);
	if (rc && err->fatal)
		return -1;
	if (kept.are_spans)
		tp_tallies_between(&q->e->tallies, first,
		    (int64_t)(kept.least_ns * 1000));
	if (rc < 0)
		lose_table(q, err);
	if (bad && q->e->strict && !q->lost.status)
		tp_fail(&q->lost, TP_BAD, "event.baddur", 0, "%llu rows of "
		    "table %.60s %s", (unsigned long long)bad, q->table,
		    bad_times);
	else if (bad)
		tp_trace_note(q->e->trace, "event.baddur", 0, bad,
		    "%s: rows of table %.60s were left out: they %s",
		    tp_in_name(q->e->sight.in), q->table, bad_times);
	return 0;
}

/* Sum the tables that are too large to be events. */
static int
tally_tables(struct tp_queries *q, struct tp_err *err)
{
	if (!q->e->tallying)
		return 0;
	cJSON_ArrayForEach(q->event, tp_json_get(q->recorder.doc, "tallies"))
		if (tally_table(q, err) < 0)
			return -1;
	q->e->tallies.are_asked = tp_json_get(q->recorder.doc, "tallies") !=
	    NULL;
	return 0;
}

static int
is_tallied(const struct tp_queries *q, const char *table)
{
	const cJSON *i;

	if (q->e->tallying)
		cJSON_ArrayForEach(i, tp_json_get(q->recorder.doc, "tallies"))
			if (!strcmp(tp_json_text(i, "table"), table))
				return 1;
	return 0;
}

/* Note the tables that have rows but are not used. */
static int
tell_unused(struct tp_queries *q, struct tp_err *err)
{
	const cJSON *i;
	struct tp_buf sql = { 0 };
	struct tp_result *s;
	const char *why;
	int rc = 0;

	cJSON_ArrayForEach(i, tp_json_get(q->recorder.doc, "unused")) {
		if (is_tallied(q, i->string))
			continue;
		tp_buf_clear(&sql);
		tp_buf_fmt(&sql, "SELECT count(*) FROM [%s]", i->string);
		s = start_query(q, &sql, &why, err);
		if (!s && err->fatal)
			rc = -1;
		if (s && !rc && (rc = next_beside(q, s, err)) > 0 &&
		    tp_result_int(s, 0))
			tp_trace_note(q->e->trace, "table.unused", 0,
			    (uint64_t)tp_result_int(s, 0),
			    "%s: nothing is made of table %s, %s",
			    tp_in_name(q->e->sight.in), i->string,
			    cJSON_GetStringValue(i) ? i->valuestring : "");
		rc = rc < 0 ? -1 : 0;
		tp_result_free(s);
	}
	tp_buf_release(&sql);
	return rc;
}

/* Note the profiler's messages, and what is not read. */
static int
tell_beside(struct tp_queries *q, struct tp_err *err)
{
	return tell_each(q, "warnings", 1, err) < 0 ||
	    tell_each(q, "lacks", 0, err) < 0 || tell_unused(q, err) < 0 ?
	    -1 : 0;
}

static void
drop_database(struct tp_queries *q)
{
	end_table(q);
	tp_sqlite_close(q->db);
	q->db = NULL;
}

static void
tell_queries(void *state)
{
	struct tp_queries *q = state;
	struct tp_trace *t = q->e->trace;
	const char *name = tp_in_name(q->e->sight.in);

	/* the recorder is still needed */
	drop_database(q);
	if (q->unnamed)
		tp_trace_note(t, "ref.unknown", 0, q->unnamed, "%s: rows "
		    "whose name is not in the database are called '?'", name);
	if (tp_in_has_beside(q->e->sight.in, "-wal"))
		tp_trace_note(t, "database.wal", 0, 1, "%s: the last writes "
		    "are in the file -wal beside it and are not read: run "
		    "\"PRAGMA wal_checkpoint\" in sqlite3 first", name);
}

/* --- the source */

/* Of each table. */
#define FIRST_ROWS 64

/*
 * Add the times of the first rows of the table of q->event to FIRST.  -1 with
 * ERR only when nothing more can be read: damage is told when the table is
 * read.
 */
static int
add_first(struct tp_queries *q, struct tp_first_times *first,
    struct tp_err *err)
{
	size_t end = first->count + FIRST_ROWS;
	int rc = open_table(q, err);

	while (rc > 0 && first->count < end &&
	    first->count < TP_FIRST_TIMES &&
	    (rc = tp_result_next(q->select, err)) > 0)
		if (tp_result_type(q->select, TS) == TP_SQLITE_INT)
			tp_first_times_add(first, tp_result_int(q->select,
			    TS));
	end_table(q);
	return rc < 0 && err->fatal ? -1 : 0;
}

/*
 * Find the base: the start of the recording, if times count from it; else the
 * earliest of the first rows of all tables, each of which is nearly in time
 * order, that are near the median of all first rows.
 */
static int
find_base(struct tp_queries *q, const cJSON *events, struct tp_err *err)
{
	struct tp_events *e = q->e;
	struct tp_first_times first = { .count = 0 }, all;
	unsigned char ends[TP_FIRST_TIMES + 1] = { 0 };
	int64_t median = 0, base = 0;
	int32_t ps;
	int found = 0;

	cJSON_ArrayForEach(q->event, events) {
		if (add_first(q, &first, err) < 0)
			return -1;
		ends[first.count] = 1;
	}
	all = first;
	tp_first_times_median(&all, &median);
	for (size_t i = 0; i < first.count; i++) {
		found = found && !ends[i];
		if (found || tp_events_is_far(first.at[i] / 1000,
		    median / 1000))
			continue;
		found = 1;
		if (!e->has_base || first.at[i] < base)
			base = first.at[i];
		e->has_base = 1;
	}
	if (cJSON_IsTrue(tp_json_get(q->recorder.doc, "counts_from_start")) &&
	    base > 0 && !tp_events_is_far(median / 1000, 0))
		base = 0;
	e->base_us = tp_ns_split(base, &ps);
	e->base_ps = ps;
	q->event = events ? events->child : NULL;
	return 0;
}

/* Finish: names of lanes, and notes of losses. */
static int
finish(struct tp_queries *q, struct tp_err *err)
{
	const cJSON *doc = q->recorder.doc;
	const struct tp_err *late = tp_sqlite_late(q->db);
	uint64_t said, has = tp_sqlite_bytes(q->db, &said);

	if (tally_tables(q, err) < 0 ||
	    take_names(q, tp_json_get(doc, "threads"), 0, err) < 0 ||
	    take_names(q, tp_json_get(doc, "processes"), 1, err) < 0 ||
	    tell_beside(q, err) < 0) {
		err->fatal = 1;
		return -1;
	}
	if (late)
		*err = *late;
	else if (has < said)
		tp_fail(err, TP_BAD, "input.truncated", 0, "the database "
		    "ends early: it has %llu of %llu bytes; copy it again "
		    "(events read: %llu)", (unsigned long long)has,
		    (unsigned long long)said,
		    (unsigned long long)q->e->elements);
	else if (q->lost.status)
		*err = q->lost;
	else
		return 0;
	err->fatal = 1;
	return -1;
}

static int
next_of_queries(void *state, struct tp_event *event, struct tp_err *err)
{
	struct tp_queries *q = state;
	int rc;

	for (;;) {
		if (q->select) {
			rc = tp_result_next(q->select, err);
			if (rc > 0)
				return take_row(q, event, err);
			end_table(q);
			if (rc < 0 && err->fatal && err->status == TP_LIMIT) {
				lose_table(q, err);
				*err = q->lost;
				err->fatal = 1;
			}
			if (rc < 0 && err->fatal)
				return -1;
			if (rc < 0)
				lose_table(q, err);
			q->event = q->event->next;
		}
		if (!q->event)
			return finish(q, err);
		rc = open_table(q, err);
		if (rc < 0)
			return -1;
		if (!rc)
			q->event = q->event->next;
	}
}

/* How many of the tables in LIST the database has; -1 with ERR. */
static int
count_tables(struct tp_sqlite *db, const cJSON *list, struct tp_err *err)
{
	const cJSON *i;
	int count = 0, has;

	cJSON_ArrayForEach(i, list) {
		has = !cJSON_IsString(i) ? 0 : tp_sqlite_has(db,
		    i->valuestring, err);
		if (has < 0)
			return -1;
		count += has > 0;
	}
	return count;
}

/* Whether the database has all "tables" of RECORDER, or any of "any_table". */
static int
is_of(void *db, const struct tp_recorder *recorder, struct tp_err *err)
{
	const cJSON *all = tp_json_get(recorder->doc, "tables");
	const cJSON *any = tp_json_get(recorder->doc, "any_table");
	const cJSON *none = tp_json_get(recorder->doc, "no_table");
	int have = count_tables(db, any ? any : all, err), not;

	if (have <= 0 || (!any && have < cJSON_GetArraySize(all)))
		return have < 0 ? -1 : 0;
	not = count_tables(db, none, err);
	return not < 0 ? -1 : !not;
}

static int
open_recorder_db(struct tp_in *in, struct tp_sqlite **db,
    struct tp_recorder *recorder, struct tp_err *err)
{
	int rc;

	*db = tp_sqlite_open(in, err);
	if (!*db)
		return -1;
	rc = tp_recorder_find(recorder, is_of, *db, err);
	if (!rc)
		tp_fail(err, TP_BAD, "input.unknown", 0, "an SQLite database, "
		    "but not one of Nsight Systems ('nsys export --type "
		    "sqlite') or rocprofv3 (rocpd)");
	if (rc > 0)
		return 0;
	err->fatal = 1;
	return -1;
}

int
tp_recorder_of(struct tp_in *in, struct tp_recorder *recorder,
    struct tp_err *err)
{
	struct tp_sqlite *db;
	int rc = open_recorder_db(in, &db, recorder, err);

	tp_sqlite_close(db);
	return rc < 0 ? -1 : 1;
}

static void
close_queries(void *state)
{
	struct tp_queries *q = state;

	drop_database(q);
	tp_recorder_release(&q->recorder);
	tp_free(q);
}

static void *
open_queries(struct tp_events *e, struct tp_err *err)
{
	struct tp_queries *q = tp_zalloc(sizeof *q);
	const cJSON *i;
	uint64_t said;
	int rc;

	q->e = e;
	rc = open_recorder_db(e->sight.in, &q->db, &q->recorder, err);
	if (!rc) {
		q->bytes = tp_sqlite_bytes(q->db, &said);
		rc = find_base(q, tp_json_get(q->recorder.doc, "events"), err);
	}
	cJSON_ArrayForEach(i, tp_json_get(q->recorder.doc, "members"))
		rc = rc < 0 ? rc : take_member(q, i, err);
	if (!rc)
		return q;
	close_queries(q);
	return NULL;
}

static const struct tp_recorder *
recorder_of(const void *state)
{
	const struct tp_queries *q = state;

	return &q->recorder;
}

const struct tp_events_source tp_databases = { open_queries, next_of_queries,
    tell_queries, recorder_of, close_queries };

#else

int
tp_recorder_of(struct tp_in *in, struct tp_recorder *recorder,
    struct tp_err *err)
{
	(void)recorder;
	return tp_sqlite_open(in, err) ? 1 : -1;
}

static void *
open_none(struct tp_events *e, struct tp_err *err)
{
	return tp_sqlite_open(e->sight.in, err);
}

/* Without SQLite, opening always fails. */
const struct tp_events_source tp_databases = { .open = open_none };

#endif
