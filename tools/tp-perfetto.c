/*
 * tp-perfetto - any trace as a timeline for ui.perfetto.dev
 *
 * Events become slices by their lanes, rows of tables become slices and
 * counters as share/perfetto.json says.  Findings, gaps and steps among the
 * input become markers.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/tool.h>
#include <tp/view.h>

#define FILE_NAME "perfetto.json"
#define ARGS_MAX 63

static const char *const examples[] = {
	"tp-perfetto trace.json.gz > trace.pftrace",
	"tp-perfetto *_gpu_intervals.csv *_submissions.csv > run.pftrace",
	"tp-perfetto t.json findings.jsonl > t.pftrace",
	NULL
};

static const char *event_args[ARGS_MAX + 1];
static const struct tp_events_want want = { .args = event_args,
    .phases = "XMCsfti", .databases = &tp_databases };

/* What share/perfetto.json says of a table; columns by index, or -1. */
struct mapping {
	const struct tp_table *table;
	const cJSON *says;		/* NULL: only what it has is known */
	ptrdiff_t group, lane, start, duration, end, counter;
	ptrdiff_t names[4];
	size_t name_count;
	ptrdiff_t args[16];
	size_t arg_count;
	int is_used;
	uint64_t dropped;		/* rows that are not shown */
	struct mapping *next;
};

static struct mapping *mappings;
static cJSON *data;
static struct tp_view *view;
/* Of the file of events that is read: tracks by lane and by process, and what
 * labels its processes. */
static uint32_t *lanes, *processes;
static size_t lane_cap, process_cap, label_count, label_cap;
static char **labels;
static struct tp_names sources,
    record_traces;	/* traces, and those of records */
static struct tp_names arrows;		/* both ends have the same */
static struct tp_buf text, findings;
static const char *src = "";
static uint64_t counters;		/* events that are not shown */

static int take_record(const struct tp_rec *rec, struct tp_err *err);
static void events_end(struct tp_run *run);

static const struct tp_tool tool = {
	.name = "tp-perfetto",
	.does = "any trace as a timeline for Perfetto",
	.operands = "[FILE...]",
	.reads = "tables, trace events, xplane.pb, ETDump; findings and gaps "
	    "as records",
	.writes = "a trace of track events",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_EVENTS,
	.record = take_record,
	.events = &want,
	.events_end = events_end,
};

static uint32_t
track(uint32_t parent, const char *name)
{
	return tp_view_find(view, parent, name, strlen(name));
}

/* The track that those of a trace lie below. */
static uint32_t
root(const char *of)
{
	return track(TP_VIEW_NO, of);
}

static void
load(struct tp_run *run)
{
	const cJSON *i;
	size_t n = 0;

	data = tp_share_json(FILE_NAME, &run->err);
	if (!data)
		tp_die_err(run);
	cJSON_ArrayForEach(i, tp_json_get(data, "args"))
		if (cJSON_IsString(i) && n < ARGS_MAX)
			event_args[n++] = i->valuestring;
}

/* The index of the event argument NAME, or -1. */
static int
arg_of(const char *name)
{
	for (int i = 0; event_args[i]; i++)
		if (!strcmp(event_args[i], name))
			return i;
	return -1;
}

static ptrdiff_t
column(const struct tp_table *t, const cJSON *says, const char *key)
{
	const char *name = tp_json_text(says, key);

	return name ? tp_table_column_of(t, name) : -1;
}

static size_t
columns(ptrdiff_t *to, size_t max, const struct tp_table *t,
    const cJSON *names)
{
	const cJSON *i;
	size_t n = 0;

	cJSON_ArrayForEach(i, names) {
		ptrdiff_t at = cJSON_IsString(i) ?
		    tp_table_column_of(t, i->valuestring) : -1;

		if (at >= 0 && n < max)
			to[n++] = at;
	}
	return n;
}

/* A table that nothing is said of: its first column of each kind. */
static void
guess(struct mapping *m)
{
	for (size_t i = m->table->column_count; i--;) {
		const struct tp_table_column *c = &m->table->columns[i];

		if (c->type == TP_TIME)
			m->start = (ptrdiff_t)i;
		else if (c->type == TP_DURATION)
			m->duration = (ptrdiff_t)i;
		else if (c->type == TP_PROCESS)
			m->group = (ptrdiff_t)i;
		else if (c->type == TP_TEXT)
			m->names[0] = (ptrdiff_t)i;
	}
	m->name_count = m->names[0] >= 0;
}

static struct mapping *
mapping_of(const struct tp_table *t)
{
	struct mapping *m = mappings;

	while (m && m->table != t)
		m = m->next;
	if (m)
		return m;
	m = tp_zalloc(sizeof *m);
	m->table = t;
	m->group = m->lane = m->start = m->duration = m->end = m->counter =
	    m->names[0] = -1;
	m->says = tp_json_get(tp_json_get(data, "tables"), t->name);
	if (m->says) {
		m->group = column(t, m->says, "group");
		m->lane = column(t, m->says, "lane");
		m->start = column(t, m->says, "start");
		m->duration = column(t, m->says, "duration");
		m->end = column(t, m->says, "end");
		m->counter = column(t, m->says, "counter");
		m->name_count = columns(m->names, sizeof m->names /
		    sizeof *m->names, t, tp_json_get(m->says, "name"));
		m->arg_count = columns(m->args, sizeof m->args /
		    sizeof *m->args, t, tp_json_get(m->says, "args"));
	} else {
		guess(m);
	}
	m->is_used = m->start >= 0 && (m->counter >= 0 || m->name_count);
	m->next = mappings;
	return mappings = m;
}

/* The text of V, with the pid where it is a process; "" of what is absent.
 * Borrowed until the next call. */
static void
print(const struct tp_value *v)
{
	tp_buf_clear(&text);
	switch (v->type) {
	case TP_NONE:
	case TP_STACK:
		break;
	case TP_ID:
		tp_buf_fmt(&text, "%llu", (unsigned long long)v->id);
		break;
	case TP_PROCESS:
	case TP_THREAD:
		tp_buf_add(&text, v->text, v->whole ? v->whole : v->len);
		break;
	case TP_TEXT:
	case TP_DECIMAL:
		tp_buf_add(&text, v->text, v->len);
		break;
	default:
		tp_buf_int(&text, v->n);
	}
}

/* V as ns, of a text in microseconds too; 1, or 0 when there is no time. */
static int
time_of(const struct tp_table_column *c, const struct tp_value *v,
    int64_t *ns)
{
	int64_t us;
	int32_t ps;

	if (v->type == TP_TIME || v->type == TP_DURATION) {
		*ns = v->n;
		return 1;
	}
	if (v->type != TP_DECIMAL || !c->unit || strcmp(c->unit, "us") ||
	    tp_events_us(v->text, v->len, &us, &ps) < 0 ||
	    __builtin_mul_overflow(us, 1000, ns))
		return 0;
	return !__builtin_add_overflow(*ns, tp_ps_to_ns(ps), ns);
}

static uint32_t
child(uint32_t parent, const struct tp_row *row, ptrdiff_t column)
{
	if (column < 0 || row->v[column].type == TP_NONE)
		return parent;
	print(&row->v[column]);
	return tp_view_find(view, parent, text.p ? text.p : "", text.len);
}

static int
number_of(const struct tp_value *v, double *x)
{
	char digits[64];

	if (v->type == TP_DECIMAL && v->len < sizeof digits) {
		memcpy(digits, v->text, v->len);
		digits[v->len] = '\0';
		*x = strtod(digits, NULL);
		return 1;
	}
	*x = (double)v->n;
	return v->type > TP_NONE && v->type < TP_ID;
}

static void
take_args(const struct mapping *m, const struct tp_row *row)
{
	for (size_t i = 0; i < m->arg_count; i++) {
		const struct tp_value *v = &row->v[m->args[i]];
		const char *key = row->table->columns[m->args[i]].key;

		if (v->type > TP_NONE && v->type < TP_ID) {
			tp_view_arg_int(view, key, v->n);
		} else if (v->type != TP_NONE) {
			print(v);
			tp_view_arg_text(view, key, text.p ? text.p : "",
			    text.len);
		}
	}
}

static void
take_row(struct tp_run *run)
{
	const struct tp_row *row = &run->row;
	struct mapping *m = mapping_of(row->table);
	const struct tp_table_column *c = row->table->columns;
	const char *title = tp_json_text(m->says, "title");
	int64_t from, to, took;
	uint32_t t;
	double x;

	if (!m->is_used || !time_of(&c[m->start], &row->v[m->start], &from)) {
		m->dropped++;
		return;
	}
	t = child(root(src), row, m->group);
	t = track(t, title ? title : row->table->name);
	t = child(t, row, m->lane);
	if (m->counter >= 0) {
		if (number_of(&row->v[m->counter], &x))
			tp_view_value(view, t, from, x,
			    c[m->counter].type == TP_BYTES ? "bytes" : NULL);
		return;
	}
	to = from;
	if (m->duration >= 0 && time_of(&c[m->duration],
	    &row->v[m->duration], &took))
		to = tp_plus(from, took);
	else if (m->end >= 0)
		time_of(&c[m->end], &row->v[m->end], &to);
	take_args(m, row);
	tp_buf_clear(&text);
	for (size_t i = 0; i < m->name_count && !text.len; i++)
		print(&row->v[m->names[i]]);
	tp_view_slice(view, t, from, to, text.p ? text.p : "", text.len,
	    row->table->name, strlen(row->table->name));
}

/* Tracks of the file of events that is read: *CAP of them, -1 those that are
 * not made yet. */
static uint32_t *
tracks_to(uint32_t **tracks, size_t *cap, size_t at)
{
	size_t had = *cap;

	tp_grow(tracks, cap, at + 1, sizeof **tracks);
	for (; had < *cap; had++)
		(*tracks)[had] = TP_VIEW_NO;
	return &(*tracks)[at];
}

static uint32_t
lane_of(struct tp_run *run, size_t lane)
{
	size_t process = tp_events_lane(run->events, lane)->process;
	uint32_t *l = tracks_to(&lanes, &lane_cap, lane);
	uint32_t *p = tracks_to(&processes, &process_cap, process);

	if (*l == TP_VIEW_NO && *p == TP_VIEW_NO)
		*p = tp_view_track(view, root(src), "", 0);
	if (*l == TP_VIEW_NO)
		*l = tp_view_track(view, *p, "", 0);
	return *l;
}

/* A whole number becomes one, for queries. */
static void
take_event_args(const struct tp_event *e)
{
	int64_t n;
	int32_t ps;

	for (size_t i = 0; event_args[i]; i++) {
		const struct tp_arg *a = &e->args[i];

		if (a->type == TP_ARG_ABSENT || !a->len)
			continue;
		if (a->type == TP_ARG_NUMBER &&
		    !tp_events_us(a->text, a->len, &n, &ps) && !ps)
			tp_view_arg_int(view, event_args[i], n);
		else
			tp_view_arg_text(view, event_args[i], a->text, a->len);
	}
}

/* A number for the arrow that E is an end of. */
static uint64_t
arrow_of(struct tp_run *run, const struct tp_event *e)
{
	ptrdiff_t at;

	tp_buf_clear(&text);
	tp_buf_fmt(&text, "%zu ", run->input);
	tp_buf_add(&text, e->name.text, e->name.len);
	tp_buf_chr(&text, '\0');
	tp_buf_add(&text, e->id.text, e->id.len);
	at = tp_names_add(&arrows, text.p, text.len);
	return (uint64_t)at + 1;
}

/* What the GPU of a process is called, or whatever else labels it. */
static void
keep_label(struct tp_run *run, const struct tp_event *e)
{
	size_t process = tp_events_lane(run->events, e->lane)->process;
	int at = arg_of("labels");

	if (at < 0 || e->args[at].type != TP_ARG_STRING)
		return;
	tp_buf_clear(&text);
	tp_buf_add(&text, e->args[at].text, e->args[at].len);
	tp_grow(&labels, &label_cap, process + 1, sizeof *labels);
	while (label_count <= process)
		labels[label_count++] = NULL;
	tp_free(labels[process]);
	labels[process] = tp_alloc(text.len + 1);
	memcpy(labels[process], text.p ? text.p : "", text.len + 1);
}

static void
take_event(struct tp_run *run)
{
	const struct tp_event *e = &run->event;
	int64_t from = tp_ps_to_ns(e->ts_ps);

	switch (e->phase) {
	case 'M':
		if (e->name.len == 14 &&
		    !memcmp(e->name.text, "process_labels", 14))
			keep_label(run, e);
		break;
	case 's':
	case 't':
	case 'f':
		tp_view_flow(view, lane_of(run, e->lane), from,
		    arrow_of(run, e), e->phase == 'f');
		break;
	case 'C':
		counters++;
		break;
	default:
		take_event_args(e);
		tp_view_slice(view, lane_of(run, e->lane), from,
		    e->has_dur ? tp_ps_to_ns(e->ts_ps + e->dur_ps) : from,
		    e->name.text, e->name.len, e->cat.text,
		    e->cat.type == TP_ARG_STRING ? e->cat.len : 0);
	}
}

/* "NAME ID (LABEL)" of what there is; WHAT for one without a name. */
static void
rename_to(uint32_t track, const char *what, const char *name,
    const struct tp_arg *id, const char *label)
{
	size_t len = name ? strlen(name) : 0;

	tp_buf_clear(&text);
	tp_buf_str(&text, len ? name : what);
	/* "stream 7" says it already */
	if (id->len && (len < id->len ||
	    memcmp(name + len - id->len, id->text, id->len)))
		tp_buf_fmt(&text, " %.*s", (int)id->len, id->text);
	if (label && *label)
		tp_buf_fmt(&text, " (%s)", label);
	tp_view_rename(view, track, text.p ? text.p : "", text.len);
}

/* Names may follow the events. */
static void
events_end(struct tp_run *run)
{
	for (size_t i = 0; i < tp_events_lane_count(run->events); i++) {
		const struct tp_lane *l = tp_events_lane(run->events, i);

		if (i >= lane_cap || lanes[i] == TP_VIEW_NO)
			continue;
		rename_to(lanes[i], "thread", tp_events_thread_name(
		    run->events, i), &l->tid, NULL);
		rename_to(processes[l->process], "process",
		    tp_events_process_name(run->events, l->process), &l->pid,
		    l->process < label_count ? labels[l->process] : NULL);
	}
	tp_free(lanes);
	tp_free(processes);
	for (size_t i = 0; i < label_count; i++)
		tp_free(labels[i]);
	tp_free(labels);
	lanes = processes = NULL;
	labels = NULL;
	lane_cap = process_cap = label_cap = label_count = 0;
}

/* KEY of REC as an argument of the next slice. */
static void
take_field(const struct tp_rec *rec, const char *key)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	if (f && f->type == TP_FIELD_INT)
		tp_view_arg_int(view, key, f->n);
	else if (f)
		tp_view_arg_text(view, key, f->text, f->len);
}

/* A record that says when something was. */
static void
take_span(const struct tp_rec *rec, const char *title, const char *name,
    const char *const *keys)
{
	int64_t from, to, took;
	const struct tp_field *f = tp_rec_field(rec, name);

	if (!f || !tp_rec_int(rec, "start_ns", &from))
		return;
	if (tp_rec_int(rec, "duration_ns", &took))
		to = tp_plus(from, took);
	else if (!tp_rec_int(rec, "end_ns", &to))
		return;
	for (; *keys; keys++)
		take_field(rec, *keys);
	tp_view_slice(view, track(root(rec->src), title), from, to, f->text,
	    f->len, rec->kind, strlen(rec->kind));
}

static int
take_record(const struct tp_rec *rec, struct tp_err *err)
{
	static const char *const of_gap[] = { "name", "annotation",
	    "function", "sync_name", "host_name", "kernel", "kernel_before",
	    NULL };
	static const char *const of_step[] = { "wall_ns", "busy_ns",
	    "idle_ns", "is_warmup", NULL };
	struct tp_buf *line = &findings;

	(void)err;
	if (!strcmp(rec->kind, "gap"))
		take_span(rec, "Longest gaps", "cause", of_gap);
	else if (!strcmp(rec->kind, "timeline.step") ||
	    !strcmp(rec->kind, "step.host"))
		take_span(rec, "Steps", "number", of_step);
	else if (!strcmp(rec->kind, "finding") && tp_rec_text(rec, "title"))
		/* shown over the whole trace, whose end is not known yet */
		for (size_t i = 0; i < 3; i++) {
			const char *key = i == 0 ? "title" : "text";

			key = i == 2 ? rec->src : tp_rec_text(rec, key);
			tp_buf_str(line, key ? key : "");
			tp_buf_chr(line, '\0');
		}
	else
		return 0;
	tp_names_add(&record_traces, rec->src, strlen(rec->src));
	return 0;
}

static void
put_findings(void)
{
	const char *p = findings.p, *end = p + findings.len;
	int64_t from, to;

	if (!findings.len || !tp_view_range(view, &from, &to))
		return;
	while (p < end) {
		const char *title = p, *says = title + strlen(title) + 1;
		const char *of = says + strlen(says) + 1;

		tp_view_arg_text(view, "text", says, strlen(says));
		tp_view_slice(view, track(root(of), "Findings"), from, to,
		    title, strlen(title), "finding", 7);
		p = of + strlen(of) + 1;
	}
}

/* Records of the only trace may call it otherwise. */
static void
join(void)
{
	if (sources.count == 1 && record_traces.count == 1)
		tp_view_move(view, root(record_traces.names[0].text),
		    root(sources.names[0].text));
}

static void
tell_dropped(struct tp_run *run)
{
	for (const struct mapping *m = mappings; m; m = m->next)
		if (m->dropped)
			tp_warn(run, "%s: %llu row%s not shown",
			    m->table->name, (unsigned long long)m->dropped,
			    m->dropped == 1 ? " is" : "s are");
	if (counters)
		tp_warn(run, "%llu counter event%s not shown",
		    (unsigned long long)counters,
		    counters == 1 ? " is" : "s are");
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	load(&run);
	view = tp_view_open();
	while (tp_next(&run)) {
		if (src != run.trace->src)
			tp_names_add(&sources, run.trace->src,
			    strlen(run.trace->src));
		src = run.trace->src;
		if (run.is_event)
			take_event(&run);
		else
			take_row(&run);
	}
	while (tp_next_trace(&run))
		continue;
	run.file = NULL;
	tell_dropped(&run);
	put_findings();
	join();
	tp_view_write(view, &run.out);
	return tp_end(&run);
}
