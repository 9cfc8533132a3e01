/* etdump_rows - rows of the tables made from an ETDump, as events */
#include <string.h>

#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "etdump_private.h"
#include "read/source.h"
#include "word.h"

#define NS_PER_MS 1000000

/* The longest time accepted, 36 years: as other profilers' tables. */
#define LONGEST_NS ((int64_t)1 << 60)

enum { NAME, DURATION, RUN, NODE, BACKEND, START, END, BLOCK, PARENT,
    SOURCE, MODEL };
const struct tp_want tp_etdump_columns[] = {
	[NAME] = { "name", 1 },
	[DURATION] = { "duration_ms", TP_NEEDED | TP_OR_CYCLES },
	[RUN] = { "run_index", 1 },
	[NODE] = { "node_id", 0 },
	[BACKEND] = { "delegate_backend", 0 },
	[START] = { "start_us", TP_OR_CYCLES },
	[END] = { "end_us", TP_OR_CYCLES },
	[BLOCK] = { "block", 0 },
	[PARENT] = { "parent_id", 0 },
	[SOURCE] = { TP_SOURCE_COLUMN, 0 },
	[MODEL] = { TP_MODEL_COLUMN, 0 },
	{ 0 }
};

enum { OPS_NAME, OPS_BACKEND, OPS_COUNT, OPS_TOTAL, OPS_SOURCE, OPS_MODEL };
const struct tp_want tp_etdump_ops_columns[] = {
	[OPS_NAME] = { "name", 1 },
	[OPS_BACKEND] = { "delegate_backend", 1 },
	[OPS_COUNT] = { "count", 0 },
	[OPS_TOTAL] = { "total_ms", TP_NEEDED | TP_OR_CYCLES },
	[OPS_SOURCE] = { TP_SOURCE_COLUMN, 0 },
	[OPS_MODEL] = { TP_MODEL_COLUMN, 0 },
	{ 0 }
};

enum { INS_NAME, INS_AVERAGE, INS_RAW, INS_DELEGATED, INS_BACKEND,
    INS_BLOCK, INS_MIN, INS_P10, INS_P50, INS_P90, INS_MAX, INS_SOURCE,
    INS_MODEL };
const struct tp_want tp_etdump_inspector_columns[] = {
	[INS_NAME] = { "event_name", 1 },
	[INS_AVERAGE] = { "avg_ms", TP_OR_CYCLES },
	[INS_RAW] = { "raw", TP_OR_CYCLES },
	[INS_DELEGATED] = { "is_delegated_op", 0 },
	[INS_BACKEND] = { "delegate_backend_name", 0 },
	[INS_BLOCK] = { "event_block_name", 0 },
	[INS_MIN] = { "min_ms", TP_OR_CYCLES },
	[INS_P10] = { "p10_ms", TP_OR_CYCLES },
	[INS_P50] = { "p50_ms", TP_OR_CYCLES },
	[INS_P90] = { "p90_ms", TP_OR_CYCLES },
	[INS_MAX] = { "max_ms", TP_OR_CYCLES },
	[INS_SOURCE] = { TP_SOURCE_COLUMN, 0 },
	[INS_MODEL] = { TP_MODEL_COLUMN, 0 },
	{ 0 }
};

static int
bad_cell(struct tp_err *err, const struct tp_row *row, const char *what,
    const char *text, size_t len)
{
	tp_fail(err, TP_BAD, "row.damaged", row->line, "bad %s '%.*s'", what,
	    (int)(len < 40 ? len : 40), text);
	err->what = what;
	return -1;
}

/*
 * Parse decimal milliseconds to ns.  At most six decimals are exact; anything
 * else is rounded half to even.  Returns 0 or -1.
 */
static int
milliseconds(const char *text, size_t len, int64_t *ns)
{
	static const uint32_t powers[] = { NS_PER_MS, 100000, 10000, 1000,
	    100, 10, 1 };
	const char *end = text + len, *point, *tail;
	uint64_t whole, part;

	point = tp_digits_from(text, end, &whole);
	if (point > text && point - text < 10 && point < end &&
	    *point == '.') {
		tail = tp_digits_from(point + 1, end, &part);
		if (tail == end && tail - point > 1 && tail - point <= 7) {
			*ns = (int64_t)(whole * NS_PER_MS + part *
			    powers[tail - point - 1]);
			return 0;
		}
	}
	return tp_unit_decimal(text, len, NS_PER_MS, ns) < 0 || *ns < 0 ||
	    *ns > LONGEST_NS ? -1 : 0;
}

static int
duration_of(struct tp_etdump *e, const struct tp_row *row,
    const struct tp_value *v, const char *what, int64_t *ns,
    struct tp_err *err)
{
	*ns = 0;
	if (v->type == TP_NONE) {
		e->no_duration++;
		return 0;
	}
	if (milliseconds(v->text, v->len, ns) < 0)
		return bad_cell(err, row, what, v->text, v->len);
	e->has_fraction |= *ns % NS_PER_MS != 0;
	TP_MOST(e->longest_ns, *ns);
	return 0;
}

static void
name_event(const struct tp_etdump *e, struct tp_etdump_event *v,
    const struct tp_row *row, const struct tp_value *name,
    const struct tp_value *backend, const struct tp_value *block)
{
	memset(v, 0, sizeof *v);
	v->line = row->line;
	v->name = name->text;
	v->name_len = name->len;
	v->backend = backend->type == TP_NONE ? "" : backend->text;
	v->backend_len = backend->type == TP_NONE ? 0 : backend->len;
	v->times = 1;
	v->is_outside = block && block->type != TP_NONE &&
	    tp_op_is_outside(e->class, block->text, block->len);
}

/* Where an operator ran of which nothing but its name is known. */
static uint8_t
home_by_name(const struct tp_etdump_event *v)
{
	return tp_op_is_native(v->name, v->name_len) ? TP_HOME_PORTABLE :
	    TP_HOME_UNKNOWN;
}

/*
 * Parse a parent_id; -1, None or an empty cell is the root.  Returns 0 or -1.
 */
static int
parent_of(const struct tp_value *c, int64_t *parent)
{
	*parent = TP_ETDUMP_ROOT;
	return c->type == TP_NONE || tp_is(c->text, c->len, "-1") ||
	    tp_is(c->text, c->len, "None") ? 0 :
	    tp_unit_parse(TP_DIM_PLAIN, c->text, c->len, parent);
}

/*
 * Whether the rows name parents and must be kept until the end.  In a row
 * record an absent column and an empty cell look alike: there a Method::execute
 * that comes first may be the root of such rows.
 */
static int
has_parents(const struct tp_etdump *e, const struct tp_row *row,
    const struct tp_etdump_event *v)
{
	if (!row->src)
		return tp_row_has(row, PARENT) && tp_row_has(row, NODE);
	return row->v[NODE].type != TP_NONE && (e->kept_count ||
	    row->v[PARENT].type != TP_NONE || (!e->rows &&
	    tp_op_frame(e->class, v->name, v->name_len) ==
	    TP_FRAME_EXECUTE));
}

static int
add_timeline(struct tp_etdump *e, const struct tp_row *row,
    struct tp_err *err)
{
	const struct tp_value *c = row->v;
	struct tp_etdump_run *r;
	struct tp_etdump_event v;
	int64_t parent;

	name_event(e, &v, row, &c[NAME], &c[BACKEND], &c[BLOCK]);
	if (!row->src && !tp_row_has(row, BACKEND))
		v.home = 1 + home_by_name(&v);
	if (duration_of(e, row, &c[DURATION], "duration_ms", &v.ns, err) < 0)
		return -1;
	e->no_run += c[RUN].type == TP_NONE;
	v.run = c[RUN].type == TP_NONE ? 0 : c[RUN].n;
	e->is_cycles |= tp_row_is_cycles(row, DURATION);
	if (!tp_row_is_cycles(row, START)) {
		v.start = &c[START];
		v.end = &c[END];
	}
	/*
	 * without an index a row is numbered by its place in its run; rows that
	 * occur once are not counted
	 */
	if (c[NODE].type == TP_NONE) {
		r = tp_etdump_run_of(e, v.run);
		v.node = r->last_node == INT64_MIN ? 0 : r->last_node +
		    (r->last_node < INT64_MAX);
	} else {
		v.node = c[NODE].n;
	}
	if (!has_parents(e, row, &v))
		return tp_etdump_add_event(e, &v, err);
	if (parent_of(&c[PARENT], &parent) < 0)
		return bad_cell(err, row, "parent_id", c[PARENT].text,
		    c[PARENT].len);
	tp_etdump_keep(e, &v, parent);
	return 0;
}

/*
 * Add a row that sums the nodes of one name and backend.  The order of such
 * rows carries no meaning.
 */
static int
add_ops(struct tp_etdump *e, const struct tp_row *row, struct tp_err *err)
{
	const struct tp_value *c = row->v;
	struct tp_etdump_event v;

	name_event(e, &v, row, &c[OPS_NAME], &c[OPS_BACKEND], NULL);
	if (duration_of(e, row, &c[OPS_TOTAL], "total_ms", &v.ns, err) < 0)
		return -1;
	e->is_cycles |= tp_row_is_cycles(row, OPS_TOTAL);
	v.node = (int64_t)e->rows;
	if (c[OPS_COUNT].type != TP_NONE && c[OPS_COUNT].n > 0)
		v.times = c[OPS_COUNT].n;
	else
		e->uncounted++;
	e->unordered = e->averages = e->sums = 1;
	return tp_etdump_add_event(e, &v, err);
}

/*
 * Add the times of a list "[0.1, 0.2]", one per run.  A first pass (LOOK) only
 * validates, so that a damaged row adds nothing.
 */
static int
add_list(struct tp_etdump *e, const struct tp_row *row,
    const struct tp_value *list, struct tp_etdump_event *v, int look,
    struct tp_err *err)
{
	const char *p = list->text, *end = p + list->len, *to;

	if (!look && add_list(e, row, list, v, 1, err) < 0)
		return -1;
	for (v->run = 0; p < end; p = to) {
		while (p < end && strchr("[], \t", *p) && *p)
			p++;
		for (to = p; to < end && *to && !strchr("[], \t", *to); to++)
			continue;
		if (to == p)
			break;
		if (milliseconds(p, (size_t)(to - p), &v->ns) < 0)
			return bad_cell(err, row, "raw", p, (size_t)(to - p));
		if (!look && tp_etdump_add_event(e, v, err) < 0)
			return -1;
		v->run++;
	}
	return 0;
}

/* Add V, the mean of runs, and of Method::execute how they differ. */
static int
add_mean(struct tp_etdump *e, const struct tp_row *row,
    struct tp_etdump_event *v, struct tp_err *err)
{
	const struct tp_value *c = row->v;
	int is_median = c[INS_AVERAGE].type == TP_NONE;
	size_t count = e->execution_count;
	int64_t ns[TP_ETDUMP_QUANTILES];

	for (size_t i = 0; i < TP_ETDUMP_QUANTILES; i++) {
		ns[i] = -1;
		if (c[INS_MIN + i].type != TP_NONE &&
		    milliseconds(c[INS_MIN + i].text, c[INS_MIN + i].len,
		    &ns[i]) < 0)
			return bad_cell(err, row, "quantile",
			    c[INS_MIN + i].text, c[INS_MIN + i].len);
	}
	if (duration_of(e, row, &c[is_median ? INS_P50 : INS_AVERAGE],
	    is_median ? "p50_ms" : "avg_ms", &v->ns, err) < 0 ||
	    tp_etdump_add_event(e, v, err) < 0)
		return -1;
	e->has_medians |= is_median && c[INS_P50].type != TP_NONE;
	if (e->execution_count > count)
		tp_etdump_set_quantiles(e, ns);
	return 0;
}

static int
add_inspector(struct tp_etdump *e, const struct tp_row *row,
    struct tp_err *err)
{
	const struct tp_value *c = row->v;
	struct tp_etdump_event v;
	int said;

	name_event(e, &v, row, &c[INS_NAME], &c[INS_BACKEND], &c[INS_BLOCK]);
	said = c[INS_DELEGATED].type != TP_NONE && c[INS_DELEGATED].len ?
	    *c[INS_DELEGATED].text | 32 : 0;
	if (said == 't' && !v.backend_len) {
		v.backend = "delegated";
		v.backend_len = strlen(v.backend);
	}
	if (!v.backend_len)
		v.home = 1 + (said == 'f' ? TP_HOME_PORTABLE :
		    home_by_name(&v));
	e->is_inspector = 1;
	e->is_cycles |= tp_row_is_cycles(row, INS_AVERAGE) ||
	    tp_row_is_cycles(row, INS_RAW) || tp_row_is_cycles(row, INS_P50);
	v.node = (int64_t)e->inspector_rows++;
	if (c[INS_RAW].type != TP_NONE)
		return add_list(e, row, &c[INS_RAW], &v, 0, err);
	/* means may be totals of several nodes: their order says nothing */
	e->averages = e->unordered = 1;
	return add_mean(e, row, &v, err);
}

int
tp_etdump_add(struct tp_etdump *e, const struct tp_row *row,
    struct tp_err *err)
{
	const struct tp_want *columns = row->bind->columns;

	if (row->v[0].type == TP_NONE)
		return bad_cell(err, row, "name", "", 0);
	if (columns == tp_etdump_ops_columns)
		return add_ops(e, row, err);
	if (columns == tp_etdump_inspector_columns)
		return add_inspector(e, row, err);
	return add_timeline(e, row, err);
}

const char *
tp_etdump_source(const struct tp_row *row, struct tp_buf *both, size_t *len)
{
	const struct tp_want *columns = row->bind->columns;
	size_t at = columns == tp_etdump_ops_columns ? OPS_SOURCE :
	    columns == tp_etdump_inspector_columns ? INS_SOURCE : SOURCE;

	return tp_source_text(&row->v[at], &row->v[at + 1], both, len);
}
