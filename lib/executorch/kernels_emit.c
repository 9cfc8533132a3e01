/* kernels_emit - the kernels of a run as records */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>

#include "build.h"
#include "kernel_names.h"

static int
is_wanted(const char *match, const struct tp_name *name)
{
	return !match || tp_glob(match, name->text, name->len);
}

/* What an operator's name says, or NULL. */
static const struct tp_class *
token_of(const struct tp_kernel_words *w, const struct tp_name *name)
{
	return tp_class_of_name(&w->operators, name->text);
}

static int
is_proof(const struct tp_class *token)
{
	return token && cJSON_IsTrue(tp_json_get(token->row, "proof"));
}

static void
emit_summary(const struct tp_kernels *k, const struct tp_kernel_words *w,
    struct tp_out *out)
{
	static const char *const builds[] = { NULL, "off", "on" };
	static const char *const keys[TP_ARCH_COUNT] = { "sme2_kernel_count",
	    "sme_kernel_count", "neon_kernel_count", "other_kernel_count" };
	int64_t archs[TP_ARCH_COUNT] = { 0 }, total = 0, proofs = 0;
	struct tp_kernel_parts parts;
	size_t i;

	for (i = 0; i < k->names.count; i++) {
		const struct tp_name *name = &k->names.names[i];

		tp_kernel_parse(w, name->text, name->len, &parts);
		archs[parts.arch]++;
		if (__builtin_add_overflow(total, tp_kernel_registered(k, i),
		    &total))
			total = INT64_MAX;
	}
	for (i = 0; i < k->operators.count; i++)
		proofs += is_proof(token_of(w, &k->operators.names[i]));
	tp_out_begin(out, "kernel.summary");
	tp_out_text(out, "build", builds[tp_build_of(w->off, w->on,
	    out->src)]);
	if (k->names.count) {
		tp_out_int(out, "kernel_count",
		    (int64_t)k->names.count);
		tp_out_int(out, "registered_count", total);
		for (i = 0; i < TP_ARCH_COUNT; i++)
			tp_out_int(out, keys[i], archs[i]);
	}
	if (k->operators.count) {
		tp_out_int(out, "operator_count", (int64_t)k->operators.count);
		tp_out_int(out, "proof_operator_count", proofs);
	}
	tp_out_end(out);
}

static void
emit_part(struct tp_out *out, const char *key,
    const struct tp_kernel_part *part)
{
	if (part->len)
		tp_out_bytes(out, key, part->text, part->len);
}

static void
emit_kernel(const struct tp_kernels *k, size_t i,
    const struct tp_kernel_words *w, struct tp_out *out)
{
	const struct tp_name *name = &k->names.names[i];
	ptrdiff_t family = k->kernels[i].family;
	struct tp_kernel_parts parts;

	tp_kernel_parse(w, name->text, name->len, &parts);
	tp_out_begin(out, "kernel");
	tp_out_bytes(out, "kernel_name", name->text, name->len);
	if (family >= 0)
		tp_out_bytes(out, "family", k->families.names[family].text,
		    k->families.names[family].len);
	tp_out_int(out, "registered_count", tp_kernel_registered(k, i));
	emit_part(out, "dtype", &parts.dtype);
	emit_part(out, "op", &parts.op);
	emit_part(out, "variant", &parts.variant);
	emit_part(out, "shape", &parts.shape);
	emit_part(out, "isa", &parts.isa);
	tp_out_text(out, "arch", tp_kernel_arch_name(parts.arch));
	tp_out_bool(out, "has_sme", parts.arch <= TP_ARCH_SME);
	tp_out_bool(out, "has_sme2", parts.arch == TP_ARCH_SME2);
	tp_out_end(out);
}

struct rank {
	int64_t count;
	size_t at;
};

/* By falling count, then in order of arrival. */
TP_ORDER(by_count, struct rank, TP_DOWN(count) TP_UP(at))

static void
emit_evidence(const struct tp_kernels *k, const struct tp_kernel_words *w,
    struct tp_out *out)
{
	for (size_t i = 0; i < k->operators.count; i++) {
		const struct tp_name *name = &k->operators.names[i];
		const struct tp_class *token = token_of(w, name);

		if (!token)
			continue;
		tp_out_begin(out, "kernel.evidence");
		tp_out_bytes(out, "operator", name->text, name->len);
		tp_out_text(out, "token", token->name);
		tp_out_bool(out, "is_proof", is_proof(token));
		tp_out_int(out, "rows", k->operator_rows[i]);
		tp_out_end(out);
	}
}

void
tp_kernels_emit(const struct tp_kernels *k, const struct tp_kernel_words *w,
    const char *match, struct tp_out *out)
{
	struct rank *ranks;
	size_t i, n = 0;

	if (!k->names.count && !k->operators.count)
		return;
	ranks = tp_alloc((k->names.count + 1) * sizeof *ranks);
	for (i = 0; i < k->names.count; i++)
		if (is_wanted(match, &k->names.names[i]))
			ranks[n++] = (struct rank){ tp_kernel_registered(k,
			    i), i };
	TP_SORT(ranks, n, by_count);
	emit_summary(k, w, out);
	for (i = 0; i < n; i++)
		emit_kernel(k, ranks[i].at, w, out);
	emit_evidence(k, w, out);
	tp_free(ranks);
}
