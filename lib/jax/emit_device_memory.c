/* emit_device_memory - device memory and input stages as records */
#include <string.h>

#include "emit_jax.h"
#include "tab.h"

/* Write part N of the text in NAME. */
static void
out_part(struct tp_out *out, const char *key, const struct tp_name *name,
    int n)
{
	const char *p = name->text, *end = p + name->len, *to;

	for (;; p = to + 1) {
		to = memchr(p, TP_JAX_MEMORY_PART, (size_t)(end - p));
		if (!n-- || !to)
			break;
	}
	if (!to)
		to = end;
	if (to > p)
		tp_out_bytes(out, key, p, (size_t)(to - p));
}

static void
out_whose(struct tp_out *out, const struct tp_jax_trace *c,
    const struct tp_jax_memory_of *m)
{
	const struct tp_name *id = &c->memory.ids.names[m->id];

	if (*id->text == TP_JAX_MEMORY_PART)
		tp_out_text(out, "memory_id", "unknown");
	else
		out_part(out, "memory_id", id, 0);
	tp_jax_out_host(out, c, "host", m->peak.host);
}

static void
emit_one(const struct tp_jax_trace *c, const struct tp_jax_memory_of *m,
    struct tp_out *out)
{
	const struct tp_jax_alloc *p = &m->peak;
	int64_t stack = p->reserved > 0 ? p->reserved : 0;
	int64_t used = stack + p->allocated;

	tp_out_begin(out, "mem.device");
	out_whose(out, c, m);
	tp_out_int(out, "peak_bytes", used);
	tp_out_int(out, "heap_bytes", p->allocated);
	if (p->reserved >= 0)
		tp_out_int(out, "stack_bytes", stack);
	if (p->available >= 0) {
		tp_out_int(out, "capacity_bytes", used + p->available);
		tp_out_ratio(out, "peak_of_capacity_ratio", used,
		    used + p->available);
	}
	tp_out_ps(out, "peak_at_ns", p->at_ps);
	/* each host has its own time axis */
	for (size_t i = 0; i < c->steps.part_count; i++) {
		const struct tp_jax_step_part *part = &c->steps.parts[i];
		/* hosts allocate when they dispatch */
		int by_host = c->steps.from_host;
		int64_t from = by_host ? part->host_span.from_ps :
		    part->from_ps, to = by_host ? part->host_span.to_ps :
		    part->to_ps;

		if (part->host != p->host || p->at_ps < from ||
		    p->at_ps >= to)
			continue;
		tp_out_int(out, "peak_step", part->number);
		break;
	}
	tp_out_known(out, "lifetime_peak_bytes", p->lifetime_peak);
	if (p->fragmentation >= 0)
		tp_out_real(out, "fragmentation_ratio", p->fragmentation);
	tp_out_int(out, "last_bytes", m->last_bytes);
	tp_out_int(out, "allocation_count", (int64_t)m->allocations);
	tp_out_int(out, "free_count", (int64_t)m->frees);
	tp_out_end(out);
}

static void
emit_live(const struct tp_jax_trace *c, const struct tp_jax_memory_of *m,
    struct tp_out *out)
{
	static const char *const parts[] = { "tf_op", "region_type",
	    "data_type", "shape" };

	for (size_t i = 0; i < m->live_count; i++) {
		const struct tp_jax_live *l = &m->live[i];

		tp_out_begin(out, "mem.live");
		out_whose(out, c, m);
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_int(out, "live_bytes", l->bytes);
		tp_out_ratio(out, "heap_ratio", l->bytes, m->peak.allocated);
		if (l->count)
			tp_out_int(out, "count", (int64_t)l->count);
		for (int k = 0; l->what && k < 4; k++)
			out_part(out, parts[k], &c->memory.texts.names[
			    l->what - 1], k);
		tp_out_end(out);
	}
}

void
tp_jax_emit_memory(const struct tp_jax_trace *c, struct tp_out *out)
{
	for (size_t i = 0; i < c->memory.list_count; i++)
		emit_one(c, &c->memory.list[i], out);
	for (size_t i = 0; i < c->memory.list_count; i++)
		emit_live(c, &c->memory.list[i], out);
}

static void
out_stage(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	static const char *const parts[] = { "stage_id", "stage_name",
	    "stage_category" };
	const struct tp_names *names = arg;

	(void)key;
	(void)count;
	for (int k = 0; k < 3; k++)
		out_part(out, parts[k], &names->names[*items], k);
}

void
tp_jax_emit_stages(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_jax_stage *list = c->stages.list;
	struct tp_tab tab = { .count = c->stages.names.count,
	    .process_rank = -1, .also = out_stage,
	    .also_arg = (void *)&c->stages.names };

	TP_TAB_FIELD(&tab, NULL, "count", TP_TAB_INT, list, count);
	TP_TAB_FIELD(&tab, NULL, "total", TP_TAB_PS, list, total_ps);
	TP_TAB_FIELD(&tab, NULL, "longest", TP_TAB_PS, list, max_ps);
	tp_tab_emit(&tab, "pipeline.stage", NULL, out);
}
