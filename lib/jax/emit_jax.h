/* emit_jax - what the files of emit share */
#ifndef TP_JAX_EMIT_JAX_H
#define TP_JAX_EMIT_JAX_H

#include <math.h>
#include <stdio.h>

#include <tp/jax/emit.h>

/* AMOUNT per PS as a rate per second; nothing when AMOUNT is 0. */
static inline void
out_rate(struct tp_out *out, const char *key, double amount, int64_t ps)
{
	if (amount > 0)
		tp_out_real(out, key, amount * 1e12 / (double)ps);
}

/* TEXT of T, left out when it is "". */
static inline void
out_text(struct tp_out *out, const char *key, const struct tp_tracks *t,
    uint32_t text)
{
	const struct tp_name *n = &t->texts.names[text];

	if (n->len)
		tp_out_bytes(out, key, n->text, n->len);
}

static inline void
out_name(struct tp_out *out, const char *key, const struct tp_tracks *t,
    uint32_t name)
{
	tp_out_bytes(out, key, t->names.names[name].text,
	    t->names.names[name].len);
}

/*
 * Write "op.summary platform.rate op.family op.canonical op" and, as far as the
 * trace states them, "op.program op.hlo_category".
 */
void tp_jax_emit_ops(const struct tp_jax_trace *c, struct tp_out *out);
/* Executions of whole programs, on all devices. */
struct tp_jax_programs {
	struct tp_ids ids;	/* ids of names */
	uint64_t *counts;	/* of each */
	size_t cap;
};
/* Find the programs of C; none when operations do not state theirs. */
void tp_jax_find_programs(struct tp_jax_programs *programs,
    const struct tp_jax_trace *c);
/*
 * Write PROGRAM, an id or the name of MODULE, as "program_id" and, if
 * IS_NAMED, as "program" by the best name known.  Returns its index, or -1.
 */
ptrdiff_t tp_jax_out_program(struct tp_out *out,
    const struct tp_jax_programs *programs, const struct tp_tracks *t,
    uint32_t program, uint32_t module, int is_named);
void tp_jax_release_programs(struct tp_jax_programs *programs);
/* Write "region.summary region.alike region region.op". */
void tp_jax_emit_regions(const struct tp_jax_trace *c, struct tp_out *out);
/*
 * Write "host.summary host host.step step.host" when there are several
 * hosts.
 */
void tp_jax_emit_hosts(const struct tp_jax_trace *c, struct tp_out *out);
/* Write "step.change". */
void tp_jax_emit_changes(const struct tp_jax_trace *c, struct tp_out *out);
/*
 * With several hosts, write HOST as KEY_index, and as KEY when it has a
 * name.
 */
void tp_jax_out_host(struct tp_out *out, const struct tp_jax_trace *c,
    const char *key, size_t host);
/* Write "mem.device mem.live" when the capture has allocations. */
void tp_jax_emit_memory(const struct tp_jax_trace *c, struct tp_out *out);
/* Write "pipeline.stage" of the input pipeline, when the capture has it. */
void tp_jax_emit_stages(const struct tp_jax_trace *c, struct tp_out *out);
/* Write "host.thread". */
void tp_jax_emit_threads(const struct tp_jax_trace *c, struct tp_out *out);
/*
 * Write the "budget.window budget.part budget" of each host of C that has
 * devices, and of the busiest "path.window path.class path.name path.exposer
 * gap.class gap.part gap.sync device.summary".  0, or -1 with ERR.
 */
int tp_jax_emit_budget(struct tp_jax_trace *c, struct tp_out *out,
    struct tp_err *err);
void tp_jax_emit_comm(const struct tp_jax_trace *c, struct tp_out *out);

#endif
