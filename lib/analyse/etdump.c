/* etdump - rows of an exported ETDump, run by run */
#include <inttypes.h>
#include <string.h>

#include <tp/etdump.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "../word.h"
#include "etdump_private.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000

/* 36 years, as tables of other profilers allow. */
#define LONGEST_NS ((int64_t)1 << 60)

enum { NAME, DURATION, RUN, NODE, BACKEND, START, END };
const struct tp_want tp_etdump_columns[] = {
	[NAME] = { "name", 1 },
	[DURATION] = { "duration_ms", 1 },
	[RUN] = { "run_index", 1 },
	[NODE] = { "node_id", 0 },
	[BACKEND] = { "delegate_backend", 0 },
	[START] = { "start_us", 0 },
	[END] = { "end_us", 0 },
	{ 0 }
};

enum { OPS_NAME, OPS_BACKEND, OPS_COUNT, OPS_TOTAL };
const struct tp_want tp_etdump_ops_columns[] = {
	[OPS_NAME] = { "name", 1 },
	[OPS_BACKEND] = { "delegate_backend", 1 },
	[OPS_COUNT] = { "count", 0 },
	[OPS_TOTAL] = { "total_ms", 1 },
	{ 0 }
};

enum { INS_NAME, INS_AVERAGE, INS_RAW, INS_DELEGATED, INS_BACKEND };
const struct tp_want tp_etdump_inspector_columns[] = {
	[INS_NAME] = { "event_name", 1 },
	[INS_AVERAGE] = { "avg_ms", 0 },
	[INS_RAW] = { "raw", 0 },
	[INS_DELEGATED] = { "is_delegated_op", 0 },
	[INS_BACKEND] = { "delegate_backend_name", 0 },
	{ 0 }
};

/* What a row says, whatever the table. */
struct event {
	const char *name, *backend;
	size_t name_len, backend_len;
	int64_t run, node, ns, times;
	uint64_t line;
	const struct tp_value *start, *end;
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
 * Decimal milliseconds as ns: digits, a point and at most six digits are the
 * rule, anything else is rounded half to even.
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
	return milliseconds(v->text, v->len, ns) < 0 ? bad_cell(err, row,
	    what, v->text, v->len) : 0;
}

/* The state of run INDEX; NULL without memory. */
static struct tp_etdump_run *
run_of(struct tp_etdump *e, int64_t index)
{
	ptrdiff_t at;

	/* rows of one run, or one node of all runs, follow each other */
	for (size_t i = e->last_run; i < e->last_run + 2 &&
	    i < e->run_count; i++)
		if (e->runs[i].index == index)
			return &e->runs[e->last_run = i];
	at = tp_ids_add(&e->run_ids, (uint64_t)index, 0);
	if (at < 0)
		return NULL;
	if ((size_t)at == e->run_count) {
		if (tp_grow(&e->runs, &e->run_cap, e->run_count + 1,
		    sizeof *e->runs) < 0)
			return NULL;
		memset(&e->runs[at], 0, sizeof *e->runs);
		e->runs[at].index = index;
		e->runs[at].last_node = INT64_MIN;
		e->run_count++;
	}
	e->last_run = (size_t)at;
	return &e->runs[at];
}

static int64_t
time_of(const struct tp_value *v)
{
	int64_t ns;

	return v && v->type != TP_NONE && !tp_unit_decimal(v->text, v->len,
	    NS_PER_US, &ns) && ns >= 0 ? ns : -1;
}

static int
new_signature(struct tp_etdump *e, size_t node)
{
	struct tp_etdump_signature *s;

	if (tp_grow(&e->signatures, &e->signature_cap,
	    e->signature_count + 1, sizeof *s) < 0)
		return -1;
	s = &e->signatures[e->signature_count];
	memset(s, 0, sizeof *s);
	s->node = node;
	e->nodes[node].signature = (uint32_t)e->signature_count++;
	return 0;
}

static int
new_node(struct tp_etdump *e, const struct event *v, size_t name)
{
	struct tp_etdump_node *n;
	ptrdiff_t backend = tp_names_add(&e->backends, v->backend,
	    v->backend_len);
	const char *rule;

	if (backend < 0 || tp_grow(&e->nodes, &e->node_cap,
	    e->node_count + 1, sizeof *n) < 0)
		return -1;
	n = &e->nodes[e->node_count++];
	memset(n, 0, sizeof *n);
	n->id = v->node;
	n->name = (uint32_t)name;
	n->backend = (uint32_t)backend;
	n->kind = (uint8_t)tp_op_frame(e->class, v->name, v->name_len);
	if (n->kind == TP_NO_FRAME || n->kind == TP_FRAME_CONTROL)
		n->category = (uint8_t)tp_op_category(e->class, v->name,
		    v->name_len, &rule);
	n->run = v->run;
	n->start_ns = time_of(v->start);
	n->end_ns = time_of(v->end);
	return n->kind == TP_FRAME_EXECUTE ? new_signature(e,
	    e->node_count - 1) : 0;
}

static int
is_node(const struct tp_etdump *e, size_t at, const struct event *v)
{
	const struct tp_name *name;

	if (at >= e->node_count || e->nodes[at].id != v->node)
		return 0;
	name = &e->names.names[e->nodes[at].name];
	return name->len == v->name_len &&
	    tp_same_bytes(name->text, v->name, v->name_len);
}

static struct tp_etdump_node *
node_of(struct tp_etdump *e, const struct event *v)
{
	ptrdiff_t name, at;

	for (size_t i = e->last_node; i < e->last_node + 2; i++)
		if (is_node(e, i, v))
			return &e->nodes[e->last_node = i];
	name = tp_names_add(&e->names, v->name, v->name_len);
	if (name < 0)
		return NULL;
	at = tp_ids_add(&e->node_ids, (uint64_t)v->node, (uint64_t)name);
	if (at < 0 || ((size_t)at == e->node_count &&
	    new_node(e, v, (size_t)name) < 0))
		return NULL;
	e->last_node = (size_t)at;
	return &e->nodes[at];
}

/* Whether a frame that took NS can have held what took HELD. */
static int
holds(struct tp_etdump *e, struct tp_etdump_node *n, int64_t run, int64_t ns,
    int64_t held)
{
	if ((tp_int128)held * 100 <= (tp_int128)ns * TP_ETDUMP_LIMIT_PERCENT)
		return 1;
	n->mismatch = 1;
	if (!e->mismatches++) {
		e->mismatch_run = run;
		e->mismatch_ns = ns;
		e->mismatch_held_ns = held;
	}
	return 0;
}

static void
move(int64_t *to, int64_t *from, int keep)
{
	for (size_t i = 0; i < TP_CATEGORIES_MAX; i++) {
		to[i] += keep ? from[i] : 0;
		from[i] = 0;
	}
}

/* A call that took NS ends: what waits was in it. */
static void
end_call(struct tp_etdump *e, struct tp_etdump_run *r,
    struct tp_etdump_node *n, int64_t ns)
{
	int is_delegate = n->kind == TP_FRAME_DELEGATE;
	int keep = holds(e, n, r->index, ns, r->waiting);

	move(r->open, r->frame, keep);
	*(is_delegate ? &r->delegate : &r->operator) += ns;
	*(is_delegate ? &r->flat_delegate : &r->flat_operator) += ns;
	if (keep)
		*(is_delegate ? &r->delegated : &r->portable) += r->waiting;
	else
		r->unknown[n->kind] += ns;
	r->waiting = 0;
}

static void
add_parts(struct tp_parts *p, const struct tp_etdump_run *r, int64_t ns,
    const int64_t *categories)
{
	p->e2e += ns;
	for (size_t i = 0; i < TP_CATEGORIES_MAX; i++)
		p->category[i] += categories[i];
	p->delegate_calls += r->delegate;
	p->operator_calls += r->operator;
	p->delegated += r->delegated;
	p->portable += r->portable;
	for (size_t i = 0; i < TP_FRAME_LOAD; i++)
		p->unknown[i] += r->unknown[i];
	p->direct += r->waiting + r->control;
}

/* Method::execute, which took NS, ends. */
static int
end_execution(struct tp_etdump *e, struct tp_etdump_run *r,
    struct tp_etdump_node *n, int64_t ns)
{
	struct tp_etdump_signature *s = &e->signatures[n->signature];
	int keep = holds(e, n, r->index, ns, r->delegate + r->operator +
	    r->control + r->waiting);

	move(r->open, r->frame, 1);
	if (!keep) {
		/* nothing of what it held can be believed */
		r->delegate = r->operator = r->control = r->waiting = 0;
		r->delegated = r->portable = 0;
		memset(r->unknown, 0, sizeof r->unknown);
		r->unknown[TP_FRAME_EXECUTE] = ns;
		memset(r->open, 0, sizeof r->open);
	}
	add_parts(&s->parts, r, ns, r->open);
	move(r->closed, r->open, 1);
	r->delegate = r->operator = r->control = r->waiting = 0;
	r->delegated = r->portable = 0;
	memset(r->unknown, 0, sizeof r->unknown);
	r->e2e += ns;
	r->executions++;
	r->pending = 0;
	return tp_latency_add(&s->latency, ns);
}

static void
add_operator(struct tp_etdump *e, struct tp_etdump_run *r,
    const struct tp_etdump_node *n, int64_t ns)
{
	const struct tp_name *backend = &e->backends.names[n->backend];

	r->frame[n->category] += ns;
	r->flat[n->category] += ns;
	r->waiting += ns;
	*(tp_op_is_portable(e->class, backend->text, backend->len) ?
	    &r->flat_portable : &r->flat_delegated) += ns;
}

static void
add_control(struct tp_etdump_run *r, const struct tp_etdump_node *n,
    int64_t ns)
{
	r->open[n->category] += ns;
	r->flat[n->category] += ns;
	r->control += ns;
	r->flat_control += ns;
}

static int
add(struct tp_etdump *e, const struct event *v, struct tp_err *err)
{
	struct tp_etdump_run *r = run_of(e, v->run);
	struct tp_etdump_node *n = r ? node_of(e, v) : NULL;
	int64_t total;

	if (!n)
		return tp_fail_memory(err);
	if (__builtin_add_overflow(r->total, v->ns, &total)) {
		tp_fail(err, TP_BAD, "row.damaged", v->line, "the durations "
		    "of run %" PRId64 " add up to more than 292 years",
		    v->run);
		err->what = "sum";
		return -1;
	}
	r->total = total;
	e->rows++;
	n->count += (uint64_t)v->times;
	n->sum += v->ns;
	if (n->kind == TP_FRAME_LOAD)
		return 0;
	e->unordered |= v->node < r->last_node;
	r->last_node = v->node;
	r->pending = 1;
	if (n->kind == TP_FRAME_EXECUTE)
		return end_execution(e, r, n, v->ns) < 0 ?
		    tp_fail_memory(err) : 0;
	if (n->kind == TP_NO_FRAME)
		add_operator(e, r, n, v->ns);
	else if (n->kind == TP_FRAME_CONTROL)
		add_control(r, n, v->ns);
	else
		end_call(e, r, n, v->ns);
	return 0;
}

static void
name_event(struct event *v, const struct tp_row *row,
    const struct tp_value *name, const struct tp_value *backend)
{
	memset(v, 0, sizeof *v);
	v->line = row->line;
	v->name = name->text;
	v->name_len = name->len;
	v->backend = backend->type == TP_NONE ? "" : backend->text;
	v->backend_len = backend->type == TP_NONE ? 0 : backend->len;
	v->times = 1;
}

static int
add_timeline(struct tp_etdump *e, const struct tp_row *row,
    struct tp_err *err)
{
	const struct tp_value *c = row->v;
	struct tp_etdump_run *r;
	struct event v;

	name_event(&v, row, &c[NAME], &c[BACKEND]);
	if (duration_of(e, row, &c[DURATION], "duration_ms", &v.ns, err) < 0)
		return -1;
	e->no_run += c[RUN].type == TP_NONE;
	v.run = c[RUN].type == TP_NONE ? 0 : c[RUN].n;
	v.start = &c[START];
	v.end = &c[END];
	/* else its place among the rows of its run, without those that come
	 * once */
	if (c[NODE].type == TP_NONE) {
		r = run_of(e, v.run);
		if (!r)
			return tp_fail_memory(err);
		v.node = r->last_node == INT64_MIN ? 0 : r->last_node +
		    (r->last_node < INT64_MAX);
	} else {
		v.node = c[NODE].n;
	}
	return add(e, &v, err);
}

/* Sums of nodes of one name and backend; their order means nothing. */
static int
add_ops(struct tp_etdump *e, const struct tp_row *row, struct tp_err *err)
{
	const struct tp_value *c = row->v;
	struct event v;

	name_event(&v, row, &c[OPS_NAME], &c[OPS_BACKEND]);
	if (duration_of(e, row, &c[OPS_TOTAL], "total_ms", &v.ns, err) < 0)
		return -1;
	v.node = (int64_t)e->rows;
	if (c[OPS_COUNT].type != TP_NONE && c[OPS_COUNT].n > 0)
		v.times = c[OPS_COUNT].n;
	e->unordered = e->averages = e->sums = 1;
	return add(e, &v, err);
}

/* "[0.1, 0.2]": a run each.  First they are only looked at: a damaged row
 * counts for nothing. */
static int
add_list(struct tp_etdump *e, const struct tp_row *row,
    const struct tp_value *list, struct event *v, int look,
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
		if (!look && add(e, v, err) < 0)
			return -1;
		v->run++;
	}
	return 0;
}

static int
add_inspector(struct tp_etdump *e, const struct tp_row *row,
    struct tp_err *err)
{
	const struct tp_value *c = row->v;
	struct event v;

	name_event(&v, row, &c[INS_NAME], &c[INS_BACKEND]);
	if (c[INS_DELEGATED].type != TP_NONE && !v.backend_len &&
	    (*c[INS_DELEGATED].text | 32) == 't') {
		v.backend = "delegated";
		v.backend_len = strlen(v.backend);
	}
	v.node = (int64_t)e->inspector_rows++;
	if (c[INS_RAW].type != TP_NONE)
		return add_list(e, row, &c[INS_RAW], &v, 0, err);
	e->averages = 1;
	if (duration_of(e, row, &c[INS_AVERAGE], "avg_ms", &v.ns, err) < 0)
		return -1;
	return add(e, &v, err);
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

size_t
tp_etdump_whole_runs(const struct tp_etdump *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->run_count; i++)
		n += e->runs[i].executions > 0;
	return n;
}

void
tp_etdump_release(struct tp_etdump *e)
{
	for (size_t i = 0; i < e->signature_count; i++)
		tp_latency_release(&e->signatures[i].latency);
	tp_free(e->signatures);
	tp_free(e->nodes);
	tp_free(e->runs);
	tp_ids_release(&e->node_ids);
	tp_ids_release(&e->run_ids);
	tp_names_release(&e->names);
	tp_names_release(&e->backends);
	memset(e, 0, sizeof *e);
}
