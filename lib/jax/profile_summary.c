/* profile_summary - a JAX capture as profile_summary.v1 */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/doc.h>
#include <tp/jax/emit.h>
#include <tp/json.h>
#include <tp/order.h>

#include "read/events.h"
#include "steps.h"

/* Per list: about 40 KB. */
enum { MOST = 4096 };

struct sample {
	int64_t ns;		/* -1: unknown */
	size_t at;		/* index of the step */
};

TP_ORDER(by_length, struct sample, TP_UP(ns) TP_UP(at))

TP_ORDER(by_time, struct sample, TP_UP(at))

/*
 * Reduce the N values at X to at most MOST, each from the middle of a group
 * of order statistics, so that quantiles stay.  Returns their number.
 */
static size_t
thin(struct sample *x, size_t n)
{
	if (n <= MOST)
		return n;
	TP_SORT(x, n, by_length);
	for (size_t i = 0; i < MOST; i++)
		x[i] = x[(2 * i + 1) * n / (2 * MOST)];
	TP_SORT(x, MOST, by_time);
	return MOST;
}

static void
put(struct tp_doc *j, const char *key, const struct sample *x, size_t n)
{
	tp_doc_array(j, key);
	/* on one line instead of thousands */
	j->compact++;
	for (size_t i = 0; i < n; i++)
		if (x[i].ns < 0)
			tp_doc_null(j, NULL);
		else
			tp_doc_float(j, NULL, (double)x[i].ns / 1000);
	tp_doc_close(j, ']');
	j->compact--;
}

/*
 * Write the object "steady_steps", or nothing when there are none: count, and
 * in time order start_to_start_durations (null: unknown) and wall_durations, in
 * us with ns precision as in the "step" records.  Beyond 4096 steps each list
 * holds 4096 evenly spaced order statistics of the known values, still in time
 * order.
 */
static void
put_samples(struct tp_doc *j, const struct tp_jax_steps *st)
{
	const struct tp_jax_step *steps = st->list + st->warmup_count;
	size_t all = st->count - st->warmup_count, count = st->steady.count;
	size_t n = 0;
	struct sample *x;

	if (!count)
		return;
	x = tp_alloc(all * sizeof *x);
	tp_doc_object(j, "steady_steps");
	tp_doc_int(j, "count", (int64_t)count);
	for (size_t i = 0; i < all; i++)
		if (steps[i].apart_ps)
			x[n++] = (struct sample){
			    tp_ps_to_ns(steps[i].apart_ps), i };
		else if (steps[i].count && count <= MOST)
			x[n++] = (struct sample){ -1, i };
	put(j, "start_to_start_durations", x, thin(x, n));
	n = 0;
	for (size_t i = 0; i < all; i++)
		if (steps[i].count)
			x[n++] = (struct sample){ (int64_t)nearbyint(
			    tp_jax_step_ps(&steps[i]) / 1000), i };
	put(j, "wall_durations", x, thin(x, n));
	tp_doc_close(j, '}');
	tp_free(x);
}

enum { TOP_VOTES = 20, FAMILIES_MIN = 50, ROWS_MIN = 500 };

static const char *const basis_names[] = {
	"exclusive_duration_device_union", "exclusive_duration_per_track",
	"exclusive_duration_global_timeline"
};

struct doc {
	struct tp_doc json;
	const struct tp_jax_trace *c;
	const struct tp_jax_summary *s;
	const struct tp_jax_breakdown *breakdown;
	struct tp_buf text;
};

static size_t
at_least(size_t n, size_t least)
{
	return n > least ? n : least;
}

static size_t
at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

static const char *
text_of(const struct doc *d, uint32_t text)
{
	return d->c->tracks.texts.names[text].text;
}

static const char *
name_of(const struct doc *d, uint32_t name)
{
	return d->c->tracks.names.names[name].text;
}

/* "KEY": mean in us of COUNT items that last PS in total. */
static void
mean_us(struct tp_doc *j, const char *key, int64_t ps, uint64_t count)
{
	tp_doc_float(j, key, count ? (double)ps / 1e6 / (double)count : 0);
}

static double
share(int64_t ps, int64_t of_ps)
{
	return of_ps ? (double)ps / (double)of_ps : 0;
}

static const char *
region_text(struct doc *d, uint32_t region)
{
	tp_buf_clear(&d->text);
	tp_jax_region_path(d->c->jax, region, &d->text);
	return d->text.p ? d->text.p : "";
}

static void
canonical(struct doc *d, uint32_t name)
{
	tp_buf_clear(&d->text);
	tp_jax_canonical(&d->text, name_of(d, name));
	tp_doc_text(&d->json, "canonical_name", d->text.p ? d->text.p : "");
}

static void
communication(struct doc *d)
{
	struct tp_doc *j = &d->json;

	tp_doc_array(j, "communication_ops");
	for (size_t i = 0; i < d->c->collectives.count; i++) {
		const struct tp_jax_group *g = &d->c->collectives.list[i];

		tp_doc_object(j, NULL);
		mean_us(j, "avg_duration", g->own_ps, g->count);
		tp_doc_text(j, "collective", g->name);
		tp_doc_int(j, "count", (int64_t)g->count);
		tp_doc_us(j, "total_duration", g->own_ps);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static void
windows(struct doc *d)
{
	const struct tp_jax_windows *w = &d->c->windows;
	struct tp_doc *j = &d->json;
	size_t n = at_most(w->count, at_least(d->s->hot_ops, ROWS_MIN));

	tp_doc_array(j, "device_op_region_aggregates");
	for (size_t i = 0; i < n; i++) {
		const struct tp_jax_window *r = &w->list[i];

		tp_doc_object(j, NULL);
		mean_us(j, "avg_duration", r->total_ps, r->count);
		canonical(d, r->name);
		tp_doc_text(j, "category", tp_jax_part_name(tp_jax_op_part(
		    d->c->jax, &d->c->tracks, r->name)));
		tp_doc_int(j, "count", (int64_t)r->count);
		tp_doc_us(j, "exclusive_duration", r->own_ps);
		tp_doc_text(j, "op_name", name_of(d, r->name));
		tp_doc_text(j, "region_path", region_text(d, r->region));
		tp_doc_maybe(j, "shape_signature", text_of(d, r->shape));
		tp_doc_us(j, "total_duration", r->total_ps);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static void
gaps(struct doc *d)
{
	const struct tp_jax_gaps *g = &d->c->gaps;
	size_t most = at_least(d->s->hot_ops, ROWS_MIN);
	struct tp_doc *j = &d->json;

	tp_doc_array(j, "gap_before_ops");
	for (size_t i = 0; i < at_most(g->ops.count, most); i++) {
		const struct tp_jax_gap *p = &g->ops.list[i];

		tp_doc_object(j, NULL);
		mean_us(j, "avg_gap_duration", p->total_ps, p->count);
		tp_doc_int(j, "count", (int64_t)p->count);
		tp_doc_text(j, "marker_op", name_of(d, p->marker));
		tp_doc_us(j, "max_gap_duration", p->max_ps);
		tp_doc_text(j, "name", name_of(d, p->name));
		tp_doc_text(j, "payload_op", name_of(d, p->name));
		tp_doc_us(j, "total_gap_duration", p->total_ps);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
	tp_doc_array(j, "gap_region_contexts");
	for (size_t i = 0; i < at_most(g->contexts.count, most); i++) {
		const struct tp_jax_gap *p = &g->contexts.list[i];

		tp_doc_object(j, NULL);
		mean_us(j, "avg_gap_duration", p->total_ps, p->count);
		tp_doc_int(j, "count", (int64_t)p->count);
		tp_doc_text(j, "op_name", name_of(d, p->name));
		tp_doc_text(j, "region_path", text_of(d, p->label));
		tp_doc_us(j, "total_gap_duration", p->total_ps);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static void
regions(struct doc *d)
{
	const struct tp_jax_regions *r = &d->c->regions;
	size_t n = at_most(r->count, at_least(d->s->hot_ops, ROWS_MIN));
	struct tp_doc *j = &d->json;

	tp_doc_array(j, "hierarchical_regions");
	for (size_t i = 0; i < n; i++) {
		const struct tp_jax_region_time *t = &r->list[i];

		tp_doc_object(j, NULL);
		tp_doc_int(j, "count", (int64_t)t->count);
		tp_doc_int(j, "depth",
		    tp_jax_region_at(d->c->jax, t->region)->depth);
		tp_doc_us(j, "exclusive_duration", t->own_ps);
		tp_doc_us(j, "inclusive_duration", t->inclusive_ps);
		tp_doc_text(j, "path", region_text(d, t->region));
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static void
work(struct tp_doc *j, const char *key, double flops)
{
	if (flops > 0)
		tp_doc_float(j, key, flops);
	else
		tp_doc_null(j, key);
}

static void
hot_ops(struct doc *d)
{
	struct tp_doc *j = &d->json;

	tp_doc_array(j, "hot_ops");
	for (size_t i = 0; i < at_most(d->c->ops.count, d->s->hot_ops);
	    i++) {
		const struct tp_jax_op *op = &d->c->ops.list[i];

		tp_doc_object(j, NULL);
		mean_us(j, "avg_duration", op->total_ps, op->count);
		tp_doc_text(j, "canonical_name", text_of(d, op->canonical));
		tp_doc_text(j, "category", tp_jax_part_name(op->part));
		tp_doc_int(j, "count", (int64_t)op->count);
		tp_doc_us(j, "exclusive_duration", op->own_ps);
		work(j, "flop_proxy_per_invocation", op->flops);
		tp_doc_text(j, "name", name_of(d, op->name));
		tp_doc_maybe(j, "shape_signature", text_of(d, op->shape));
		tp_doc_maybe(j, "source_file", text_of(d, op->source));
		tp_doc_maybe(j, "tf_op_path", text_of(d, op->tf_op));
		tp_doc_us(j, "total_duration", op->total_ps);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static void
families(struct doc *d)
{
	const struct tp_jax_ops *ops = &d->c->ops;
	size_t limit = d->s->basis == TP_JAX_DEVICE ? SIZE_MAX :
	    d->s->hot_ops;
	struct tp_jax_groups g = { 0 };
	struct tp_doc *j = &d->json;
	int64_t base = d->breakdown->total_ps, own = 0;

	tp_jax_families(&g, ops, limit, &d->c->tracks, d->c->jax,
	    d->c->as_peer);
	for (size_t i = 0; i < at_most(ops->count, limit); i++)
		tp_ps_add(&own, ops->list[i].own_ps);
	TP_MOST(base, own);
	tp_doc_array(j, "semantic_families");
	for (size_t i = 0; i < at_most(g.count, at_least(d->s->hot_ops,
	    FAMILIES_MIN)); i++) {
		const struct tp_jax_group *f = &g.list[i];

		tp_doc_object(j, NULL);
		mean_us(j, "avg_duration", f->total_ps, f->count);
		mean_us(j, "avg_exclusive_duration", f->own_ps, f->count);
		tp_doc_int(j, "count", (int64_t)f->count);
		tp_doc_maybe(j, "dominant_shape_signature",
		    text_of(d, f->shape));
		tp_doc_text(j, "example_op", name_of(d, f->example->name));
		tp_doc_us(j, "exclusive_duration", f->own_ps);
		tp_doc_text(j, "family", f->name);
		work(j, "flop_proxy_total", f->flops);
		tp_doc_float(j, "share_of_total", share(f->own_ps, base));
		work(j, "time_per_flop_proxy", f->flops > 0 ?
		    (double)f->own_ps / 1e6 / f->flops : 0);
		tp_doc_us(j, "total_duration", f->total_ps);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
	tp_jax_groups_release(&g);
}

/*
 * Write the proposals of finding ID as member KEY, or only count them with
 * KEY NULL.
 */
static size_t
proposals(struct doc *d, const char *key, const char *id)
{
	const struct tp_rec *r;
	const char *of, *text;
	size_t n = 0;

	if (key)
		tp_doc_array(&d->json, key);
	for (size_t at = 0; (r = tp_set_next(d->s->findings,
	    "finding.proposal", &at)); ) {
		of = tp_rec_text(r, "finding_id");
		text = tp_rec_text(r, "text");
		if (!of || !text || strcmp(of, id))
			continue;
		n++;
		if (key)
			tp_doc_text(&d->json, NULL, text);
	}
	if (key)
		tp_doc_close(&d->json, ']');
	return n;
}

static void
evidence(struct doc *d, const char *id)
{
	const struct tp_set *set = d->s->findings;
	const struct tp_rec *r;

	tp_doc_array(&d->json, "evidence");
	for (size_t at = 0; (r = tp_set_next(set, "finding.evidence", &at)); ) {
		const char *of = tp_rec_text(r, "finding_id");
		const char *metric = tp_rec_text(r, "metric");
		const struct tp_field *value = tp_rec_field(r, "value");

		if (!of || strcmp(of, id) || !metric || !value)
			continue;
		tp_buf_clear(&d->text);
		tp_buf_fmt(&d->text, "%s = %s", metric, value->text);
		tp_doc_text(&d->json, NULL, d->text.p ? d->text.p : "");
	}
	tp_doc_close(&d->json, ']');
}

static void
candidates(struct doc *d)
{
	const struct tp_rec *r;
	const char *id;

	tp_doc_array(&d->json, "optimization_candidates");
	for (size_t at = 0; d->s->findings &&
	    (r = tp_set_next(d->s->findings, "finding", &at)); ) {
		if (!(id = tp_rec_text(r, "id")) || !proposals(d, NULL, id))
			continue;
		tp_doc_object(&d->json, NULL);
		tp_doc_text(&d->json, "candidate_id", id);
		evidence(d, id);
		tp_doc_maybe(&d->json, "rationale", tp_rec_text(r, "text"));
		proposals(d, "suggestions", id);
		tp_doc_maybe(&d->json, "title", tp_rec_text(r, "title"));
		tp_doc_close(&d->json, '}');
	}
	tp_doc_close(&d->json, ']');
}

static void
metadata(struct doc *d)
{
	static const char *const keys[] = {
		"artifact_name", "artifact_ref", "config_hash", "git_sha",
		"hardware_type", "mesh_or_topology", "num_devices",
		"num_hosts", "run_id", "run_path"
	};
	double count;

	tp_doc_object(&d->json, "run_metadata");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (tp_json_number(d->s->artifact, keys[i], &count) &&
		    count >= 0 && count < 1e9)
			tp_doc_int(&d->json, keys[i], (int64_t)count);
		else
			tp_doc_maybe(&d->json, keys[i],
			    tp_json_text(d->s->artifact, keys[i]));
	tp_doc_close(&d->json, '}');
}

/* Times of COUNT steps, null where they are not known. */
static void
spread(struct tp_doc *j, const char *key, const struct tp_step_times *s,
    size_t count)
{
	const struct {
		const char *key;
		double ps;
	} rows[] = {
		{ "max", s->max }, { "mean", s->mean },
		{ "median", s->median }, { "min", s->min }, { "p90", s->p90 },
	};

	tp_doc_object(j, key);
	tp_doc_int(j, "count", (int64_t)count);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (s->count)
			tp_doc_float(j, rows[i].key, rows[i].ps / 1e6);
		else
			tp_doc_null(j, rows[i].key);
	tp_doc_close(j, '}');
}

static void
steps(struct doc *d)
{
	const struct tp_jax_steps *st = &d->c->steps;
	struct tp_doc *j = &d->json;
	int untimed = st->basis == TP_JAX_BY_DISPATCH;

	tp_doc_object(j, "step_time");
	spread(j, "all_steps", &st->all, untimed ? st->count : st->all.count);
	tp_doc_array(j, "classes");
	for (size_t i = 0; i < st->class_count; i++) {
		const struct tp_step_class *k = &st->classes[i];

		tp_doc_object(j, NULL);
		tp_doc_int(j, "count", (int64_t)k->times.count);
		spread(j, "duration_stats", &k->times, k->times.count);
		tp_doc_float(j, "fraction_of_steady", k->share);
		tp_doc_text(j, "name", k->name);
		if (k->period)
			tp_doc_int(j, "periodicity", k->period);
		else
			tp_doc_null(j, "periodicity");
		tp_doc_float(j, "representative_duration",
		    k->ps / 1e6);
		tp_doc_int(j, "representative_step", k->number);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
	spread(j, "steady_state_steps", &st->steady, untimed ?
	    st->host.count : st->steady.count);
	tp_doc_int(j, "warmup_steps_ignored", d->c->warmup);
	tp_doc_close(j, '}');
}

static void
breakdown(struct doc *d)
{
	static const enum tp_jax_part order[] = {
		TP_JAX_COMMUNICATION, TP_JAX_COMPUTE, TP_JAX_HOST,
		TP_JAX_OTHER, TP_JAX_STALL
	};
	const struct tp_jax_breakdown *b = d->breakdown;
	struct tp_doc *j = &d->json;

	tp_doc_object(j, "time_breakdown");
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		/* "duration_basis" comes between compute and host */
		if (order[i] == TP_JAX_HOST)
			tp_doc_text(j, "duration_basis",
			    basis_names[d->s->basis]);
		tp_doc_object(j, tp_jax_part_name(order[i]));
		tp_doc_float(j, "share_of_total",
		    share(b->part_ps[order[i]], b->total_ps));
		tp_doc_us(j, "total_duration", b->part_ps[order[i]]);
		tp_doc_close(j, '}');
	}
	tp_doc_us(j, "total_duration", b->total_ps);
	tp_doc_close(j, '}');
}

/* A time on the trace's own clock. */
static double
clock_us(const struct tp_jax_trace *c, int64_t ps)
{
	int64_t from = c->base_ps + ps % 1000000;

	return (double)c->base_us + (double)(ps / 1000000) + (double)from / 1e6;
}

static void
overview(struct doc *d)
{
	const struct tp_jax_trace *c = d->c;
	const struct tp_tracks *t = &c->tracks;
	struct tp_doc *j = &d->json;
	const char *cut = tp_jax_trace_truncated(c);
	size_t host = 0;

	tp_doc_object(j, "trace_overview");
	tp_doc_maybe(j, "display_time_unit", c->time_unit);
	tp_doc_text(j, "duration_basis", basis_names[d->s->basis ==
	    TP_JAX_DEVICE ? TP_JAX_DEVICE : TP_JAX_PER_TRACK]);
	tp_doc_int(j, "num_complete_events", (int64_t)c->complete_count);
	tp_doc_int(j, "num_events_total", (int64_t)c->event_count);
	tp_doc_int(j, "num_processes", (int64_t)t->named_processes);
	tp_doc_int(j, "num_threads", (int64_t)t->named_threads);
	/* the host whose clock the base is from */
	while (host < t->host_count && t->axes[host].first_ps == INT64_MAX)
		host++;
	if (host < t->host_count) {
		tp_doc_float(j, "profile_end_ts",
		    clock_us(c, t->axes[host].last_ps));
		tp_doc_float(j, "profile_start_ts",
		    clock_us(c, t->axes[host].first_ps));
	} else {
		tp_doc_null(j, "profile_end_ts");
		tp_doc_null(j, "profile_start_ts");
	}
	tp_doc_array(j, "quality_warnings");
	if (cut)
		tp_doc_text(j, NULL, tp_jax_cut_text(c->jax, cut));
	tp_doc_close(j, ']');
	tp_doc_bool(j, "suspected_truncation", cut != NULL);
	tp_doc_close(j, '}');
}

static void
top_votes(struct tp_doc *j, const char *key, const struct tp_jax_votes *v)
{
	char *done = tp_zalloc(v->names.count + 1);

	tp_doc_array(j, key);
	for (int n = 0; n < TOP_VOTES; n++) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < v->names.count; i++)
			if (!done[i] && (best == SIZE_MAX ||
			    v->counts[i] > v->counts[best] ||
			    (v->counts[i] == v->counts[best] &&
			    tp_name_cmp(&v->names.names[i],
			    &v->names.names[best]) < 0)))
				best = i;
		if (best == SIZE_MAX)
			break;
		done[best] = 1;
		tp_doc_text(j, NULL, v->names.names[best].text);
	}
	tp_doc_close(j, ']');
	tp_free(done);
}

static void
provenance(struct doc *d)
{
	struct tp_doc *j = &d->json;

	tp_doc_object(j, "trace_provenance");
	top_votes(j, "run_ids", &d->c->run_ids);
	top_votes(j, "source_file_hints", &d->c->sources);
	tp_doc_maybe(j, "trace_sha256", d->s->sha256);
	tp_doc_close(j, '}');
}

/* Write R as an object on one line. */
static void
record(struct tp_doc *j, const struct tp_rec *r)
{
	tp_doc_object(j, NULL);
	j->compact++;
	for (size_t i = 0; i < r->count; i++) {
		const struct tp_field *f = &r->fields[i];

		if (f->type == TP_FIELD_TEXT)
			tp_doc_text(j, f->key, f->text);
		else if (f->type == TP_FIELD_BOOL)
			tp_doc_bool(j, f->key, f->n != 0);
		else
			tp_doc_number(j, f->key, f->text);
	}
	tp_doc_close(j, '}');
	j->compact--;
}

/*
 * Write the records of the trace as they are: at most "rows" of each kind, or
 * as many operations as there are in "hot_ops", and none of the kinds in
 * "except".  A note says what is left out.
 */
static void
records(struct doc *d)
{
	const struct tp_set *set = d->s->records;
	const struct cJSON *except = tp_json_get(d->s->keep, "except");
	struct tp_names kinds = { 0 };
	struct tp_set notes = { 0 };
	struct tp_out out;
	struct tp_err err;
	size_t *counts, at, most;
	uint64_t left = 0;
	double rows = 0;

	tp_json_number(d->s->keep, "rows", &rows);
	counts = tp_zalloc((set->count + 1) * sizeof *counts);
	tp_doc_array(&d->json, "records");
	for (size_t i = 0; i < set->count; i++) {
		const char *kind = set->recs[i].kind;

		if (tp_json_holds(except, kind))
			continue;
		at = (size_t)tp_names_add(&kinds, kind, strlen(kind));
		most = strcmp(kind, "op") ? (size_t)rows : d->s->hot_ops;
		if (counts[at]++ < most)
			record(&d->json, &set->recs[i]);
		else if (most == (size_t)rows)
			left++;
	}
	if (left) {
		tp_out_init(&out, -1);
		tp_out_note(&out, "summary.cut", 0, left, "the document keeps "
		    "the first %zu rows of each table", (size_t)rows);
		if (!tp_set_take(&notes, &out, &err))
			record(&d->json, notes.recs);
		tp_out_release(&out);
		tp_set_release(&notes);
	}
	tp_doc_close(&d->json, ']');
	tp_names_release(&kinds);
	tp_free(counts);
}

/*
 * Write members that only this program has, apart from those that other
 * readers know.
 */
static void
ours(struct doc *d)
{
	struct tp_doc *j = &d->json;

	tp_doc_object(j, "tracepipe");
	tp_doc_array(j, "findings");
	for (size_t i = 0; i < d->s->findings->count; i++)
		record(j, &d->s->findings->recs[i]);
	tp_doc_close(j, ']');
	records(d);
	put_samples(j, &d->c->steps);
	tp_doc_close(j, '}');
}

void
tp_jax_summarise(const struct tp_jax_trace *c,
    const struct tp_jax_summary *s, struct tp_buf *buf)
{
	const struct tp_jax_breakdown *const bases[] = {
		&c->time.device, &c->time.per_track, &c->time.global
	};
	struct doc d = { .json = { .buf = buf }, .c = c, .s = s };

	d.breakdown = bases[s->basis];
	tp_doc_object(&d.json, NULL);
	communication(&d);
	windows(&d);
	gaps(&d);
	tp_doc_maybe(&d.json, "generated_at_utc", s->generated_at);
	regions(&d);
	hot_ops(&d);
	candidates(&d);
	metadata(&d);
	tp_doc_text(&d.json, "schema_version", "profile_summary.v1");
	families(&d);
	tp_doc_text(&d.json, "source_format", "perfetto_trace_json");
	tp_doc_maybe(&d.json, "source_path", s->source_path);
	steps(&d);
	breakdown(&d);
	overview(&d);
	provenance(&d);
	if (s->basis == TP_JAX_DEVICE)
		ours(&d);
	tp_doc_close(&d.json, '}');
	tp_buf_release(&d.text);
}
