/* emit_hlo - operations, their groups, and collectives as records */
#include <string.h>

#include <tp/alloc.h>

#include "emit_jax.h"
#include "tab.h"

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

/* What operations lack of their own for the records of their groups. */
struct more {
	const struct tp_jax_trace *c;
	const struct tp_jax_programs *programs;
	const char *kind;		/* being written */
	const char **families;		/* by operation, as the rest */
	uint64_t *calls;
	struct cost {
		double flops, bytes;	/* NAN: unknown */
		int64_t ps, roof_ps, judged_ps, above_ps;	/* judged: time
					 * of those with a roofline */
	} *costs;
};

static void
make_more(struct more *m, const struct tp_jax_trace *c)
{
	size_t n = c->ops.count + 1;
	struct tp_buf text = { 0 };

	m->families = tp_alloc(n * sizeof *m->families);
	m->calls = tp_alloc(n * sizeof *m->calls);
	m->costs = tp_alloc(n * sizeof *m->costs);
	for (size_t i = 0; i < c->ops.count; i++) {
		const struct tp_jax_op *op = &c->ops.list[i];
		const struct tp_jax_costs *costs = &op->costs;
		/* faster than the chip allows, so the cost is wrong */
		int is_right = costs->roof_ps <= costs->ps;
		int is_judged = is_right && costs->roof_ps;

		m->families[i] = tp_jax_op_family(op, &c->tracks, c->jax,
		    c->as_peer, &text);
		m->calls[i] = tp_jax_op_calls(op, c->as_peer);
		m->costs[i] = (struct cost){
		    is_right && costs->flops > 0 ? costs->flops : NAN,
		    is_right && costs->bytes > 0 ? costs->bytes : NAN,
		    is_right && costs->ps ? costs->ps : TP_TAB_ABSENT,
		    is_judged ? costs->roof_ps : TP_TAB_ABSENT,
		    is_judged ? costs->ps : TP_TAB_ABSENT,
		    is_judged ? costs->ps - costs->roof_ps : TP_TAB_ABSENT };
	}
	tp_buf_release(&text);
}

static void
out_more(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct more *m = arg;
	const struct tp_jax_trace *c = m->c;
	const struct tp_tracks *t = &c->tracks;
	const struct tp_jax_op *op = &c->ops.list[*items];
	int is_program = !strcmp(m->kind, "op.program");

	(void)count;
	if (!strcmp(key, "program")) {
		ptrdiff_t at = tp_jax_out_program(out, m->programs, t,
		    op->program, op->module, is_program || op->has_twin ||
		    c->on_cpu);

		if (is_program && at >= 0)
			tp_out_int(out, "execution_count",
			    (int64_t)m->programs->counts[at]);
	} else if (!strcmp(key, "is_rematerialised")) {
		if (tp_jax_recomputed(c->jax, t->names.names[op->name].text) ||
		    tp_jax_recomputed(c->jax, t->texts.names[op->tf_op].text))
			tp_out_bool(out, key, 1);
		out_costs(out, op);
		out_kernel(out, c->jax, t->texts.names[op->kernel].text);
		tp_jax_samples_emit(&c->samples, *items, out);
	} else if (!strcmp(m->kind, "op.canonical")) {
		tp_jax_samples_emit_canonical(&c->samples, op->canonical,
		    op->part, out);
	} else {
		tp_jax_samples_emit_family(&c->samples, m->families[*items],
		    out);
	}
}

static void
add_columns(struct tp_tab *tab, const struct more *m)
{
	const struct tp_jax_trace *c = m->c;
	const struct tp_jax_op *list = c->ops.list;
	const struct tp_names *texts = &c->tracks.texts;

	TP_TAB_NAMES(tab, NULL, "name", list, name, &c->tracks.names,
	    TP_TAB_ABSENT);
	TP_TAB_NAMES(tab, NULL, "canonical_name", list, canonical, texts, 0);
	TP_TAB_WORDS(tab, NULL, "category", list, part, tp_jax_part_names);
	TP_TAB_FIELD(tab, NULL, "count", TP_TAB_INT, list, count);
	TP_TAB_FIELD(tab, NULL, "total", TP_TAB_PS, list, total_ps);
	TP_TAB_FIELD(tab, NULL, "own", TP_TAB_PS, list, own_ps);
	TP_TAB_NAMES(tab, NULL, "shape", list, shape, texts, 0);
	TP_TAB_NAMES(tab, NULL, "source_file", list, source, texts, 0);
	TP_TAB_NAMES(tab, NULL, "tf_op", list, tf_op, texts, 0);
	TP_TAB_NAMES(tab, NULL, "source_stack", list, stack, texts, 0);
	TP_TAB_NAMES(tab, NULL, "program", list, program, texts, 0);
	TP_TAB_NAMES(tab, NULL, "hlo_category", list, category, texts, 0);
	TP_TAB_ARRAY(tab, NULL, "family", TP_TAB_TEXT, m->families);
	TP_TAB_ARRAY(tab, NULL, "calls", TP_TAB_INT, m->calls);
	TP_TAB_FIELD(tab, NULL, "costed", TP_TAB_PS, m->costs, ps);
	TP_TAB_FIELD(tab, NULL, "flops", TP_TAB_REAL, m->costs, flops);
	TP_TAB_FIELD(tab, NULL, "bytes", TP_TAB_REAL, m->costs, bytes);
	TP_TAB_FIELD(tab, NULL, "roof", TP_TAB_PS, m->costs, roof_ps);
	TP_TAB_FIELD(tab, NULL, "judged", TP_TAB_PS, m->costs, judged_ps);
	TP_TAB_FIELD(tab, NULL, "above", TP_TAB_PS, m->costs, above_ps);
	tp_tab_total(tab, "own", c->ops.own_ps);
	tp_tab_total(tab, "devices", (int64_t)c->time.device_count);
}

static void
emit_groups(const struct tp_jax_trace *c, struct tp_out *out)
{
	static const struct {
		const char *kind, *where;
	} kinds[] = {
		{ "op.family", NULL }, { "op.canonical", NULL }, { "op", NULL },
		{ "op.program", "program" }, { "op.hlo_category",
		    "hlo_category" },
	};
	struct tp_jax_programs programs;
	struct more m = { .c = c, .programs = &programs };
	struct tp_tab tab = { .count = c->ops.count, .process_rank = -1,
	    .also = out_more, .also_arg = &m };

	tp_jax_find_programs(&programs, c);
	make_more(&m, c);
	add_columns(&tab, &m);
	for (size_t i = 0; i < (c->as_peer ? 3 : sizeof kinds / sizeof *kinds);
	    i++) {
		m.kind = kinds[i].kind;
		tp_tab_emit(&tab, m.kind, kinds[i].where, out);
	}
	tp_free(m.families);
	tp_free(m.calls);
	tp_free(m.costs);
	tp_jax_release_programs(&programs);
}

void
tp_jax_emit_ops(const struct tp_jax_trace *c, struct tp_out *out)
{
	tp_out_begin(out, "op.summary");
	tp_out_int(out, "op_count", (int64_t)c->ops.count);
	tp_out_ps(out, "duration_sum_ns", c->ops.total_ps);
	tp_out_ps(out, "exclusive_ns", c->ops.own_ps);
	if (!c->as_peer)
		out_all_costs(out, c);
	tp_out_end(out);
	if (!c->as_peer)
		emit_rate(c, out);
	emit_groups(c, out);
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
		tp_out_int(out, "count", (int64_t)g->count);
		tp_out_ps(out, "duration_sum_ns", g->total_ps);
		if (g->count)
			tp_out_real_ps(out, "mean_ns", (double)g->total_ps /
			    (double)g->count);
		tp_out_ps(out, "exclusive_ns", g->own_ps);
		tp_out_ratio(out, "exclusive_ratio", g->own_ps, c->ops.own_ps);
		out_name(out, "example_op", &c->tracks, g->example->name);
		tp_jax_samples_emit_collective(&c->samples, g->name, out);
		tp_out_end(out);
	}
	for (size_t i = 0; i < c->time.flights.count; i++)
		if (c->time.flights.list[i].flight_ps)
			emit_flight(&c->time.flights.list[i], out);
}
