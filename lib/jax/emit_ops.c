/* emit_ops - operations, families and collectives as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"

static void
out_group(struct tp_out *out, const struct tp_jax_group *g, int64_t of_ps,
    const struct tp_tracks *t)
{
	tp_out_int(out, "count", (int64_t)g->count);
	tp_out_ps(out, "duration_sum_ns", g->total_ps);
	if (g->count)
		tp_out_real_ps(out, "mean_ns", (double)g->total_ps /
		    (double)g->count);
	tp_out_ps(out, "exclusive_ns", g->own_ps);
	tp_out_ratio(out, "exclusive_ratio", g->own_ps, of_ps);
	out_name(out, "example_op", t, g->example->name);
}

static void
emit_families(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;
	struct tp_jax_groups families = { 0 };
	uint64_t calls = 0;

	tp_jax_families(&families, &c->ops, SIZE_MAX, t, c->jax, c->as_peer);
	for (size_t i = 0; i < families.count; i++)
		calls += families.list[i].count;
	for (size_t i = 0; i < families.count; i++) {
		const struct tp_jax_group *g = &families.list[i];

		tp_out_begin(out, "op.family");
		tp_out_text(out, "family", g->name);
		out_group(out, g, c->ops.own_ps, t);
		if (c->time.device_count)
			tp_out_real_ps(out, "device_mean_ns",
			    (double)g->own_ps / (double)c->time.device_count);
		tp_out_ratio(out, "count_ratio", (int64_t)g->count,
		    (int64_t)calls);
		out_text(out, "shape", t, g->shape);
		tp_jax_samples_emit_family(&c->samples, g->name, out);
		tp_out_end(out);
	}
	tp_jax_groups_release(&families);
}

/* Operations that differ only in the number after their name. */
struct alike {
	const struct tp_jax_op *first;	/* operation with most own time */
	const struct tp_name *name;
	uint64_t names, count;
	int64_t total_ps, own_ps;
};

TP_ORDER(alike_by_own, struct alike, TP_DOWN(own_ps) TP_UP(first->part)
    TP_BY(tp_name_cmp(a->name, b->name)))

static void
out_alike(struct tp_out *out, const struct alike *a, size_t rank,
    const struct tp_jax_trace *c)
{
	const struct tp_tracks *t = &c->tracks;

	tp_out_begin(out, "op.canonical");
	tp_out_int(out, "rank", (int64_t)rank);
	out_text(out, "canonical_name", t, a->first->canonical);
	tp_out_text(out, "category", tp_jax_part_name(a->first->part));
	tp_out_int(out, "op_count", (int64_t)a->names);
	tp_out_int(out, "count", (int64_t)a->count);
	tp_out_ps(out, "duration_sum_ns", a->total_ps);
	tp_out_real_ps(out, "mean_ns", (double)a->total_ps / (double)a->count);
	tp_out_ps(out, "exclusive_ns", a->own_ps);
	tp_out_ratio(out, "exclusive_ratio", a->own_ps, c->ops.own_ps);
	out_name(out, "example_op", t, a->first->name);
	out_text(out, "shape", t, a->first->shape);
	out_text(out, "source_file", t, a->first->source);
	tp_jax_samples_emit_canonical(&c->samples, a->first->canonical,
	    a->first->part, out);
	tp_out_end(out);
}

static void
emit_alike(const struct tp_jax_trace *c, struct tp_out *out)
{
	struct alike *list = tp_alloc((c->ops.count + 1) * sizeof *list);
	struct tp_ids ids = { 0 };
	ptrdiff_t at;

	for (size_t i = 0; i < c->ops.count; i++) {
		const struct tp_jax_op *op = &c->ops.list[i];
		size_t had = ids.count;

		at = tp_ids_add(&ids, op->canonical, (uint64_t)op->part);
		if ((size_t)at == had)
			list[at] = (struct alike){ .first = op,
			    .name = &c->tracks.texts.names[op->canonical] };
		list[at].names++;
		list[at].count += op->count;
		tp_ps_add(&list[at].total_ps, op->total_ps);
		tp_ps_add(&list[at].own_ps, op->own_ps);
	}
	TP_SORT(list, ids.count, alike_by_own);
	for (size_t i = 0; i < ids.count; i++)
		out_alike(out, &list[i], i + 1, c);
	tp_ids_release(&ids);
	tp_free(list);
}

/* Write the rates of computing and moving in PS, by memory. */
static void
out_rates(struct tp_out *out, const struct tp_jax_rates *r, int64_t ps)
{
	static const char *const keys[TP_JAX_SPACES] = {
		"hbm_bytes_per_s", "cmem_read_bytes_per_s",
		"cmem_write_bytes_per_s", "vmem_read_bytes_per_s",
		"vmem_write_bytes_per_s"
	};

	out_rate(out, "work_flops_per_s", r->flops, ps);
	out_rate(out, "model_flops_per_s", r->model_flops, ps);
	out_rate(out, "accessed_bytes_per_s", r->bytes, ps);
	for (size_t i = 0; i < TP_JAX_SPACES; i++)
		out_rate(out, keys[i], r->space_bytes[i], ps);
	if (r->flops > 0 && r->bytes > 0)
		tp_out_real(out, "flops_per_byte", r->flops / r->bytes);
}

/* Write what calls of OP measured of themselves, relative to its total time. */
static void
out_measured(struct tp_out *out, const struct tp_jax_op *op)
{
	const struct tp_jax_measured *m = &op->rates.measured;
	double scale = 1 + m->scaled_ps / (double)op->total_ps;

	if (m->timed_ps)
		tp_out_ps(out, "device_clock_sum_ns", m->device_ps);
	if (m->stall_ps > 0) {
		tp_out_ps(out, "dma_stall_ns", m->stall_ps);
		tp_out_ratio(out, "dma_stall_ratio", m->stall_ps,
		    op->total_ps);
	}
	if (!m->has_scale)
		return;
	tp_out_real(out, "time_scale_factor", scale);
	out_rate(out, "normalised_flops_per_s", op->rates.flops * scale,
	    op->rates.ps);
}

/*
 * Write the cost of one call of an operation, as the trace states it,
 * compared with the chip.
 */
static void
out_costs(struct tp_out *out, const struct tp_jax_op *op)
{
	const struct tp_jax_costs *costs = &op->costs;
	const struct tp_jax_rates *r = &op->rates;
	double n = (double)costs->count;

	if (op->total_ps)
		out_measured(out, op);
	if (r->ps && (op->use == TP_JAX_WORK || op->use == TP_JAX_CONTAINER ||
	    (op->use == TP_JAX_COLLECTIVE && op->half == TP_JAX_WHOLE))) {
		if (r->flops > 0 && costs->count)
			tp_out_int(out, "work_flops", (int64_t)nearbyint(
			    r->flops / (double)r->count));
		if (r->bytes > 0 && costs->count)
			tp_out_int(out, "accessed_bytes", (int64_t)nearbyint(
			    r->bytes / (double)r->count));
		out_rates(out, r, r->ps);
	}
	if (!costs->roof_ps || !costs->ps)
		return;
	tp_out_text(out, "bound", costs->limit == TP_JAX_BY_MATH ? "compute" :
	    costs->limit == TP_JAX_LAYOUT ? "layout" : "memory");
	if (costs->limit != TP_JAX_BY_MATH && r->has_spaces)
		tp_out_text(out, "memory_space",
		    tp_jax_spaces[costs->space]);
	tp_out_int(out, "roofline_ps", (int64_t)nearbyint(
	    (double)costs->roof_ps / n));
	tp_out_ratio(out, "roofline_of_time_factor", costs->roof_ps,
	    costs->ps);
	if (costs->roof_ps <= costs->ps)
		tp_out_ps(out, "above_roofline_ns", costs->ps - costs->roof_ps);
}

/*
 * The value of KEY in DETAILS, "KEY:value KEY:value", and its length in
 * *LEN, 0 when missing.
 */
static const char *
detail_of(const char *details, const char *key, size_t *len)
{
	static const char blanks[] = " \t\n";
	size_t n = strlen(key);

	for (; *details; details += *len) {
		details += strspn(details, blanks);
		*len = strcspn(details, blanks);
		if (*len > n && details[n] == ':' &&
		    !memcmp(details, key, n)) {
			*len -= n + 1;
			return details + n + 1;
		}
	}
	*len = 0;
	return details;
}

static int64_t
count_of(const char *details, const char *key)
{
	size_t len;
	const char *text = detail_of(details, key, &len);
	int64_t n;

	return len && tp_jax_whole(text, len, &n) && n >= 0 ? n : -1;
}

/*
 * Write how a GPU kernel was launched; fields where 0 stands for unknown are
 * left out.
 */
static void
out_kernel(struct tp_out *out, const struct tp_jax *jax, const char *details)
{
	static const char *const shapes[] = { "grid", "block" };
	int64_t n, shared = count_of(details, "group_mem");
	const char *text;
	size_t len;

	for (size_t i = 0; i < 2; i++) {
		text = detail_of(details, shapes[i], &len);
		if (len)
			tp_out_bytes(out, shapes[i], text, len);
	}
	if ((n = count_of(details, "regs")) >= jax->no_registers)
		return;		/* the rest of the address is in the others */
	if (n > 0)
		tp_out_int(out, "register_count", n);
	if (shared < 0 && (shared = count_of(details, "static_shared")) >= 0 &&
	    (n = count_of(details, "dynamic_shared")) > 0)
		shared += n;
	tp_out_known(out, "shared_bytes", shared);
	if ((n = count_of(details, "occ_pct")) > 0)
		tp_out_real(out, "occupancy_ratio", (double)n / 100);
}

static void
emit_each(const struct tp_jax_trace *c, const struct tp_jax_programs *programs,
    struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;

	for (size_t i = 0; i < c->ops.count; i++) {
		const struct tp_jax_op *op = &c->ops.list[i];

		tp_out_begin(out, "op");
		tp_out_int(out, "rank", (int64_t)i + 1);
		out_name(out, "name", t, op->name);
		out_text(out, "canonical_name", t, op->canonical);
		tp_out_text(out, "category", tp_jax_part_name(op->part));
		tp_out_int(out, "count", (int64_t)op->count);
		tp_out_ps(out, "duration_sum_ns", op->total_ps);
		tp_out_real_ps(out, "mean_ns", (double)op->total_ps /
		    (double)op->count);
		tp_out_ps(out, "exclusive_ns", op->own_ps);
		tp_out_ratio(out, "exclusive_ratio", op->own_ps,
		    c->ops.own_ps);
		out_text(out, "shape", t, op->shape);
		out_text(out, "source_file", t, op->source);
		out_text(out, "tf_op", t, op->tf_op);
		out_text(out, "source_stack", t, op->stack);
		tp_jax_out_program(out, programs, t, op->program, op->module,
		    op->has_twin || c->on_cpu);
		out_text(out, "hlo_category", t, op->category);
		if (tp_jax_recomputed(c->jax, t->names.names[op->name].text) ||
		    tp_jax_recomputed(c->jax, t->texts.names[op->tf_op].text))
			tp_out_bool(out, "is_rematerialised", 1);
		out_costs(out, op);
		out_kernel(out, c->jax, t->texts.names[op->kernel].text);
		tp_jax_samples_emit(&c->samples, i, out);
		tp_out_end(out);
	}
}

static void
out_part_of_peak(struct tp_out *out, const char *key, double amount,
    int64_t span_ps, double peak_per_s)
{
	if (peak_per_s > 0)
		tp_out_real(out, key, amount / ((double)span_ps / 1e12 *
		    peak_per_s));
}

/* Whether COSTS above the roofline are right: the rate is not the peak. */
static int
is_rate_beaten(const struct tp_platform *platform,
    const struct tp_jax_costs *costs)
{
	return costs->limit == TP_JAX_BY_MATH && platform->figures &&
	    !strcmp(platform->figures, "achievable");
}

/*
 * Write the total cost relative to the chips' peak over their time at work
 * and idle in between.
 */
static void
out_all_costs(struct tp_out *out, const struct tp_jax_trace *c)
{
	const struct tp_platform *platform = c->jax->platform;
	struct tp_jax_costs all = { 0 };
	struct tp_jax_rates rates = { 0 };
	struct tp_jax_measured measured = { 0 };
	int64_t wrong_ps = 0, wrongs = 0, span_ps = 0;

	for (size_t i = 0; i < c->ops.count; i++) {
		const struct tp_jax_costs *costs = &c->ops.list[i].costs;

		tp_jax_measured_add(&measured, &c->ops.list[i].rates.measured);
		if (c->ops.list[i].use != TP_JAX_CONTAINER)
			tp_jax_rates_add(&rates, &c->ops.list[i].rates);
		all.count += costs->count;
		tp_ps_add(&all.ps, costs->ps);
		if (costs->roof_ps > costs->ps) {
			wrongs++;
			tp_ps_add(&wrong_ps, costs->ps);
			if (!is_rate_beaten(platform, costs))
				continue;
		}
		all.flops += costs->flops;
		all.bytes += costs->bytes;
	}
	for (size_t i = 0; i < c->time.device_count; i++)
		tp_ps_add(&span_ps, c->time.devices[i].last_ps -
		    c->time.devices[i].first_ps);
	tp_out_text(out, "platform_basis", tp_platform_basis_name(c->basis));
	tp_out_ps(out, "costed_ns", all.ps);
	tp_out_ratio(out, "costed_ratio", all.ps, c->ops.own_ps);
	if (span_ps)
		out_rates(out, &rates, span_ps);
	if (measured.timed_ps) {
		tp_out_ratio(out, "clock_differ_ratio", measured.differ_ps,
		    measured.timed_ps);
		tp_out_ps(out, "clock_differ_max_ns", measured.differ_max_ps);
	}
	if (c->matrix_unit_ratio > 0)
		tp_out_real(out, "matrix_unit_ratio", c->matrix_unit_ratio);
	if (!platform)
		return;
	tp_out_text(out, "platform_name", platform->name);
	tp_out_text(out, "figures", platform->figures);
	if (!span_ps || !all.count)
		return;
	out_part_of_peak(out, "flops_of_peak_ratio", all.flops, span_ps,
	    tp_platform_flops(platform, TP_SPEC_XLA));
	out_part_of_peak(out, "bytes_of_peak_ratio", all.bytes, span_ps,
	    platform->memory_bytes_per_s);
	tp_out_int(out, "anomaly_count", wrongs);
	tp_out_ps(out, "anomaly_ns", wrong_ps);
}

/* Write the peak rates of the platform. */
static void
emit_rate(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_platform *platform = c->jax->platform;

	if (!platform)
		return;
	tp_out_begin(out, "platform.rate");
	tp_out_text(out, "platform_name", platform->name);
	tp_out_text(out, "compute_spec", TP_SPEC_XLA);
	tp_out_real(out, "peak_flops_per_s", tp_platform_flops(platform,
	    TP_SPEC_XLA));
	tp_out_real(out, "memory_bytes_per_s", platform->memory_bytes_per_s);
	tp_out_end(out);
}

void
tp_jax_emit_ops(const struct tp_jax_trace *c, struct tp_out *out)
{
	struct tp_jax_programs programs;

	tp_out_begin(out, "op.summary");
	tp_out_int(out, "op_count", (int64_t)c->ops.count);
	tp_out_ps(out, "duration_sum_ns", c->ops.total_ps);
	tp_out_ps(out, "exclusive_ns", c->ops.own_ps);
	if (!c->as_peer)
		out_all_costs(out, c);
	tp_out_end(out);
	if (!c->as_peer)
		emit_rate(c, out);
	emit_families(c, out);
	emit_alike(c, out);
	tp_jax_find_programs(&programs, c);
	emit_each(c, &programs, out);
	if (!c->as_peer)
		tp_jax_emit_programs(c, &programs, out);
	tp_jax_release_programs(&programs);
}

/* Write copies and collectives that ran beside operations. */
static void
emit_flight(const struct tp_jax_flight *f, struct tp_out *out)
{
	int64_t exposed = f->flight_ps - f->hidden_ps;

	tp_out_begin(out, "flight");
	if (f->kind)
		tp_out_text(out, "collective", f->kind);
	else
		tp_out_text(out, "direction", f->class == TP_JAX_TO_HOST ?
		    "D2H" : f->class == TP_JAX_TO_DEVICE ? "H2D" :
		    f->class == TP_JAX_ON_DEVICE ? "D2D" : "other");
	tp_out_int(out, "count", (int64_t)f->count);
	if (f->pageable_count)
		tp_out_int(out, "pageable_count", (int64_t)f->pageable_count);
	tp_out_ps(out, "in_flight_ns", f->flight_ps);
	tp_out_ps(out, "hidden_ns", f->hidden_ps);
	tp_out_ps(out, "exposed_ns", exposed);
	tp_out_ratio(out, "hidden_of_flight_ratio", f->hidden_ps,
	    f->flight_ps);
	if (f->bytes > 0) {
		tp_out_int(out, "moved_bytes", f->bytes);
		tp_out_int(out, "moved_bytes_per_s", (int64_t)
		    ((double)f->bytes / (double)f->flight_ps * 1e12));
	}
	tp_out_end(out);
}

void
tp_jax_emit_comm(const struct tp_jax_trace *c, struct tp_out *out)
{
	for (size_t i = 0; i < c->collectives.count; i++) {
		const struct tp_jax_group *g = &c->collectives.list[i];

		tp_out_begin(out, "collective");
		tp_out_text(out, "collective", g->name);
		out_group(out, g, c->ops.own_ps, &c->tracks);
		tp_jax_samples_emit_collective(&c->samples, g->name, out);
		tp_out_end(out);
	}
	for (size_t i = 0; i < c->time.flights.count; i++)
		if (c->time.flights.list[i].flight_ps)
			emit_flight(&c->time.flights.list[i], out);
}
