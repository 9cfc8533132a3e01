/*
 * tp-rows - the rows of any export, as records or as CSV
 *
 * Reads tables (xctrace XML, CSV), tables of contents and trace events
 * (JSON) and writes one row.TABLE record per row, times in ns, sizes in
 * bytes, ids as strings.
 * --sniff says what files are, from their first 64 KiB.
 */
#include <string.h>

#include <tp/choice.h>
#include <tp/cond.h>
#include <tp/hash.h>
#include <tp/look.h>
#include <tp/read/event_row.h>
#include <tp/read/xctrace.h>
#include <tp/text.h>
#include <tp/tool.h>

#include "rows_csv.h"

static int as_csv, sniff, name_only;
static const char *count_only;
static int64_t limit = -1;
static const char *where[TP_OPT_LIST_MAX], *args[TP_OPT_LIST_MAX];
/* every phase; pairs of B and E come as X */
static const char *phases = "XMCiIRPbenSTpFstfNODVvc(),";

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "csv", 'c', NULL,
	    "write CSV instead; one table only", &as_csv },
	{ TP_OPT_FLAG, "sniff", 's', NULL,
	    "say what each file is; exit 1 if one is not recognised", &sniff },
	{ TP_OPT_MAYBE, "count", 0, "unused",
	    "count the rows and write only source records; with =unused they "
	    "say that no analysis reads the rows", &count_only },
	{ TP_OPT_FLAG, "name", 0, NULL,
	    "print the name of the trace in a folder or file", &name_only },
	{ TP_OPT_LIST, "where", 'w', "CONDITION",
	    "only rows that meet CONDITION (KEY=VALUE, != < <= > >=, ~ "
	    "PATTERN); repeatable", where },
	{ TP_OPT_LIST, "arg", 'a', "NAME",
	    "of events, also write this arg, as arg_NAME; repeatable", args },
	{ TP_OPT_TEXT, "phases", 0, "LETTERS",
	    "of events, only these phases (default: all, each B and E pair "
	    "as X)", &phases },
	{ TP_OPT_COUNT, "limit", 'n', "N", "at most N rows of each table",
	    &limit },
	{ 0 }
};

static const char *const examples[] = {
	"tp-rows gpu.xml | head -3",
	"tp-rows --csv gpu.xml > gpu.csv",
	"tp-rows --sniff *",
	"tp-rows -w 'duration_ns>1000000' -w 'process~python*' gpu.csv",
	"tp-rows -a correlation -w 'name~*gemm*' -n 5 trace.json.gz",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-rows",
	.does = "the rows of any export, as records or as CSV",
	.operands = "[FILE...]",
	.reads = "any table (XML, CSV, JSON or rows), toc, trace events, "
	    "xplane.pb",
	.writes = "row.TABLE trace.info trace.table",
	.group = "look",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_EVENTS,
	.options = options,
};

/*
 * Column K of the table at hand, or the number beside it; NONE: no column.
 * UNIT: only cells of this type (TP_NONE: all).
 */
struct place {
	size_t k;
	enum { NONE, COLUMN, NUMBER } is;
	enum tp_type unit;
};

/* What rows said to a condition of --where. */
struct answer {
	struct place at, other;	/* of what it names */
	int is_known;	/* a table had the column */
	int is_held;	/* a row held it */
	struct tp_names values;	/* texts of rows that did not */
};

/* Texts that are kept for a message. */
#define VALUES_MAX 1000

static struct tp_conds conds;
static struct answer answers[TP_OPT_LIST_MAX];
static struct tp_arena arena;

static void
parse_where(struct tp_run *run)
{
	for (size_t i = 0; where[i]; i++)
		if (tp_conds_add(&conds, where[i], strlen(where[i]), &arena,
		    &run->err) < 0)
			tp_die(run, run->err.status == TP_BAD ? TP_USAGE :
			    run->err.status, "--where: %s", run->err.text);
}

/* How the rows of a table are written: worked out once, kept to the end. */
struct shape {
	const struct tp_table *table;
	char *kind;
	/* of a process or thread column the key of its pid or tid; NULL when
	 * there is none or the table has a column of that name */
	char **number_keys;
	struct shape *next;
};

static struct shape *shapes;

/* The unit in KEY of a cell in column C of any type; TP_NONE: none. */
static enum tp_type
unit_in(const struct tp_table_column *c, const char *key)
{
	size_t n = strlen(c->key);
	int type = TP_DURATION;

	if (!tp_column_is_any(c) || strncmp(key, c->key, n))
		return TP_NONE;
	while (type <= TP_CYCLES &&
	    strcmp(key + n, tp_type_suffix((enum tp_type)type)))
		type++;
	return type <= TP_CYCLES ? (enum tp_type)type : TP_NONE;
}

/* Where KEY is written from, in tables of shape S. */
static struct place
place_of(const struct shape *s, const char *key)
{
	enum tp_type unit;

	for (size_t k = 0; k < s->table->column_count; k++) {
		if (!strcmp(s->table->columns[k].key, key))
			return (struct place){ k, COLUMN, TP_NONE };
		if (s->number_keys[k] && !strcmp(s->number_keys[k], key))
			return (struct place){ k, NUMBER, TP_NONE };
		unit = unit_in(&s->table->columns[k], key);
		if (unit)
			return (struct place){ k, COLUMN, unit };
	}
	return (struct place){ 0, NONE, TP_NONE };
}

static int
has_key(const struct tp_table *t, const char *key)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (!strcmp(t->columns[i].key, key))
			return 1;
	return 0;
}

/* Set *KEY for column C of T. */
static void
number_key(char **key, const struct tp_table *t,
    const struct tp_table_column *c)
{
	const char *plain = c->type == TP_PROCESS ? "process" : "thread";
	struct tp_buf text = { 0 };

	if (c->type != TP_PROCESS && c->type != TP_THREAD)
		return;
	if (strcmp(c->key, plain))
		tp_buf_fmt(&text, "%s_", c->key);
	tp_buf_str(&text, c->type == TP_PROCESS ? "pid" : "tid");
	if (has_key(t, text.p))
		tp_buf_release(&text);
	*key = text.p;
}

static struct shape *
new_shape(const struct tp_table *t)
{
	struct shape *s = tp_zalloc(sizeof *s);
	struct tp_buf kind = { 0 };

	tp_buf_fmt(&kind, "row.%s", t->name);
	s->number_keys = tp_zalloc((t->column_count + 1) *
	    sizeof *s->number_keys);
	s->table = t;
	s->kind = kind.p;
	for (size_t i = 0; i < t->column_count; i++)
		number_key(&s->number_keys[i], t, &t->columns[i]);
	return s;
}

/* The shape of T, moved to the front. */
static const struct shape *
shape_of(const struct tp_table *t)
{
	struct shape **at = &shapes, *s;

	while ((s = *at) && s->table != t)
		at = &s->next;
	if (s)
		*at = s->next;
	else
		s = new_shape(t);
	s->next = shapes;
	return shapes = s;
}

/* What ROW has at PLACE, in *F; or NULL. */
static const struct tp_field *
field_at(const struct tp_row *row, struct place place, struct tp_field *f)
{
	const struct tp_value *v = &row->v[place.k];

	if (!place.is || place.k >= row->count || v->type == TP_NONE ||
	    v->type == TP_STACK || (place.unit && v->type != place.unit) ||
	    (place.is == NUMBER && v->n < 0))
		return NULL;
	f->n = v->n;
	f->x = (double)v->n;
	f->text = v->text;
	f->len = v->len;
	f->type = place.is == COLUMN && (v->type == TP_TEXT ||
	    v->type == TP_DECIMAL || v->type == TP_ID ||
	    v->type == TP_PROCESS || v->type == TP_THREAD) ? TP_FIELD_TEXT :
	    TP_FIELD_INT;
	return f;
}

/* Keep what V is, of which a condition does not hold. */
static void
keep_value(struct answer *a, const struct tp_value *v)
{
	if ((v->type == TP_TEXT || v->type == TP_PROCESS || v->type ==
	    TP_THREAD) && v->len && v->len < 256 && a->values.count <
	    VALUES_MAX)
		tp_names_add(&a->values, v->text, v->len);
}

static int
selected(struct tp_run *run)
{
	const struct tp_row *row = &run->row;
	struct answer *a = answers;
	struct tp_field one, two;

	for (size_t i = 0; i < conds.count; i++, a++) {
		/* a table without the column has no such rows, nor others */
		if (a->at.is && tp_cond_holds(&conds.list[i], field_at(row,
		    a->at, &one), field_at(row, a->other, &two), NULL)) {
			a->is_held = 1;
			continue;
		}
		if (!a->is_held && a->at.is == COLUMN && a->at.k < row->count)
			keep_value(a, &row->v[a->at.k]);
		return 0;
	}
	return 1;
}

/* Whether columns of TYPE are compared by size alone. */
static int
is_numeric(enum tp_type type)
{
	return type >= TP_TIME && type <= TP_CYCLES;
}

/* Find what conditions name in tables of shape S. */
static void
know(struct tp_run *run, const struct shape *s)
{
	const struct tp_cond *c = conds.list;
	struct answer *a = answers;

	for (size_t i = 0; i < conds.count; i++, a++, c++) {
		a->at = place_of(s, c->name);
		if (c->other)
			a->other = place_of(s, c->other);
		a->is_known |= a->at.is && (!c->other || a->other.is);
		if ((a->at.is == NUMBER || (a->at.is && is_numeric(
		    s->table->columns[a->at.k].type))) && !c->is_number &&
		    c->op == TP_COND_EQUAL && !c->other)
			tp_die(run, TP_USAGE, "--where '%s': %s is a number, "
			    "'%s' is not", where[i], c->name, c->text);
	}
}

/* A misspelt column looks like a table without such rows. */
static void
unknown_column(struct tp_run *run, size_t i, const struct tp_table *t,
    char *const *number_keys)
{
	struct tp_choice choice;

	tp_choice_init(&choice, conds.list[i].name);
	for (size_t k = 0; k < t->column_count; k++) {
		tp_choice_add(&choice, t->columns[k].key);
		if (number_keys[k])
			tp_choice_add(&choice, number_keys[k]);
	}
	tp_die(run, TP_USAGE, "--where '%s': no table here has that column; "
	    "%s has: %s", where[i], t->name, tp_choice_text(&choice));
}

/* A misspelt value looks like a table without such rows, too. */
static void
never_held(struct tp_run *run, size_t i)
{
	const struct tp_names *values = &answers[i].values;
	const char *left = i ? " that is left" : "";
	struct tp_choice choice;

	tp_choice_init(&choice, conds.list[i].text ? conds.list[i].text :
	    "");
	for (size_t k = 0; k < values->count; k++)
		tp_choice_add(&choice, values->names[k].text);
	if (values->count && conds.list[i].text)
		tp_warn(run, "--where '%s' matches no row%s; %s is: %s",
		    where[i], left, conds.list[i].name,
		    tp_choice_text(&choice));
	else
		tp_warn(run, "--where '%s' matches no row%s", where[i], left);
	tp_choice_release(&choice);
}

/* LAST: the shape of the last row, or NULL. */
static void
check_where(struct tp_run *run, const struct shape *last)
{
	size_t i;

	for (i = 0; last && i < conds.count; i++)
		if (!answers[i].is_known)
			unknown_column(run, i, last->table,
			    last->number_keys);
	for (i = 0; i < conds.count && answers[i].is_held; i++)
		continue;
	if (last && !count_only && i < conds.count)
		never_held(run, i);
	for (i = 0; i < conds.count; i++)
		tp_names_release(&answers[i].values);
	tp_arena_release(&arena);
}

/* Write a number; the key of a cell of any type has the unit of the cell. */
static void
emit_number(struct tp_out *out, const struct tp_table_column *c,
    const struct tp_value *v)
{
	static struct tp_buf key;

	if (v->type == c->type || !tp_column_is_any(c)) {
		tp_out_int(out, c->key, v->n);
		return;
	}
	tp_buf_clear(&key);
	tp_buf_fmt(&key, "%s%s", c->key, tp_type_suffix(v->type));
	tp_out_int(out, key.p, v->n);
}

static void
emit_value(struct tp_out *out, const struct tp_table_column *c,
    const char *number, const struct tp_value *v)
{
	static struct tp_buf text;

	switch (v->type) {
	case TP_NONE:
		return;
	case TP_ID:
		tp_out_id(out, c->key, v->id);
		return;
	case TP_TEXT:
	case TP_DECIMAL:
		tp_out_bytes(out, c->key, v->text, v->len);
		return;
	case TP_PROCESS:
	case TP_THREAD:
		tp_out_bytes(out, c->key, v->text, v->len);
		if (v->n >= 0 && number)
			tp_out_int(out, number, v->n);
		return;
	case TP_STACK:
		tp_buf_clear(&text);
		tp_stack_print(&text, v->stack);
		tp_out_bytes(out, c->key, text.p ? text.p : "", text.len);
		return;
	default:
		emit_number(out, c, v);
	}
}

static void
emit_record(struct tp_run *run, const struct shape *s)
{
	const struct tp_row *row = &run->row;

	run->out.src = run->trace->src;
	tp_out_begin(&run->out, s->kind);
	for (size_t i = 0; i < row->count; i++)
		emit_value(&run->out, &row->table->columns[i],
		    s->number_keys[i], &row->v[i]);
	tp_out_end(&run->out);
}

static void
emit_run(struct tp_out *out, const struct tp_toc_run *r)
{
	tp_out_begin(out, "trace.info");
	tp_out_int(out, "run", r->run);
	tp_out_text(out, "template", r->template_name);
	tp_out_text(out, "recording_mode", r->recording_mode);
	tp_out_text(out, "end_reason", r->end_reason);
	tp_out_text(out, "instruments_version", r->instruments_version);
	if (r->duration_ns > 0)
		tp_out_int(out, "duration_ns", r->duration_ns);
	tp_out_text(out, "start_date", r->start_date);
	tp_out_text(out, "end_date", r->end_date);
	tp_out_text(out, "device", r->device);
	tp_out_text(out, "device_model", r->device_model);
	tp_out_text(out, "platform", r->platform);
	tp_out_text(out, "os_version", r->os_version);
	tp_out_text(out, "process", r->process);
	tp_out_known(out, "pid", r->pid);
	tp_out_text(out, "process_type", r->process_type);
	tp_out_text(out, "arguments", r->arguments);
	tp_out_text(out, "exit_status", r->exit_status);
	tp_out_end(out);
	for (size_t i = 0; i < r->tables.count; i++) {
		tp_out_begin(out, "trace.table");
		tp_out_int(out, "run", r->run);
		tp_out_text(out, "table", r->tables.names[i].text);
		tp_out_int(out, "table_count", (int64_t)r->table_counts[i]);
		tp_out_end(out);
	}
}

/* The run that the tables are of comes first. */
static void
emit_toc(struct tp_run *run)
{
	const struct tp_toc *toc = &run->trace->toc;

	for (const struct tp_toc_run *r = toc->runs; r; r = r->next)
		if (r->run == toc->run)
			emit_run(&run->out, r);
	for (const struct tp_toc_run *r = toc->runs; r; r = r->next)
		if (r->run != toc->run)
			emit_run(&run->out, r);
}

/* "FILE<TAB>FORMAT<TAB>TABLE"; 1 when it is something we know. */
static int
sniff_one(struct tp_run *run, const struct tp_look_file *f)
{
	const char *table = f->format == TP_FORMAT_TOC ||
	    f->format == TP_FORMAT_UNKNOWN || !f->table ? "-" : f->table;
	struct tp_buf line = { 0 };

	if (f->state == TP_LOOK_LOST)
		tp_warn(run, "%s: %s", f->path, f->why);
	if (f->state == TP_LOOK_LOST && f->format == TP_FORMAT_UNKNOWN) {
		tp_status_at_least(run, TP_IO);
		return 1;
	}
	tp_buf_fmt(&line, "%s\t%s\t%s\n", f->path,
	    tp_format_name(f->format), table);
	tp_out_raw(&run->out, line.p, line.len);
	tp_buf_release(&line);
	return f->format == TP_FORMAT_TOC || f->format == TP_FORMAT_RECORDS ||
	    f->format == TP_FORMAT_XCTRACE ||
	    f->format == TP_FORMAT_TRACE_EVENTS ||
	    f->format == TP_FORMAT_PTE || strcmp(table, "-");
}

static void
sniff_all(struct tp_run *run)
{
	struct tp_look look;
	int known = 1;

	if (tp_look_init(&look, &run->err) < 0)
		tp_die_err(run);
	for (int i = 0; i < run->operand_count || !i; i++) {
		const char *path = run->operand_count ? run->operands[i] : "-";

		if (tp_look_add(&look, path, &run->err) == 0)
			continue;
		if (run->err.status != TP_IO)
			tp_die_err(run);
		tp_warn(run, "%s", run->err.text);
		tp_status_at_least(run, TP_IO);
	}
	if (tp_look_identify(&look, &run->err) < 0)
		tp_die_err(run);
	for (size_t i = 0; i < look.count; i++)
		known &= sniff_one(run, &look.files[i]);
	if (!known)
		tp_status_at_least(run, TP_NO);
	tp_look_release(&look);
}

static void
print_name(struct tp_run *run)
{
	char *name;

	for (int i = 0; i < run->operand_count; i++) {
		name = tp_trace_name(run->operands[i]);
		tp_out_raw(&run->out, name, strlen(name));
		tp_out_raw(&run->out, "\n", 1);
		tp_free(name);
	}
}

static void
rows(struct tp_run *run)
{
	static struct rows_csv csv;
	const struct shape *shape = NULL;
	const struct tp_events_want want = { .args = args,
	    .phases = phases, .databases = &tp_databases };
	static struct tp_event_rows events;
	int64_t n = 0;

	run->want = &want;
	tp_event_rows_init(&events, &want);
	while (tp_next(run)) {
		if (run->is_event)
			tp_event_rows_set(&events, run->events, &run->event,
			    &run->row);
		if (!shape || run->row.table != shape->table) {
			n = 0;
			shape = shape_of(run->row.table);
			know(run, shape);
		}
		if (count_only || !selected(run) ||
		    (limit >= 0 && n >= limit))
			continue;
		n++;
		if (as_csv)
			rows_csv_emit(&csv, run);
		else
			emit_record(run, shape);
	}
	check_where(run, shape);
	run->bare = as_csv;
	while (tp_next_trace(run))
		if (!as_csv)
			emit_toc(run);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (count_only && *count_only && strcmp(count_only, "unused"))
		tp_die(&run, TP_USAGE, "--count=%s: only 'unused' is known",
		    count_only);
	run.unused = count_only && *count_only;
	parse_where(&run);
	if (name_only)
		print_name(&run);
	else if (sniff)
		sniff_all(&run);
	else
		rows(&run);
	return tp_end(&run);
}
