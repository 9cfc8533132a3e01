/* kernels_view - the kernels of two runs side by side */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "build.h"
#include "kernel_names.h"

struct view {
	const struct tp_kernels_run *baseline, *candidate;
	const struct tp_name **names;	/* of either run that match, sorted */
	size_t count;
	const char *match;
	char id[24];
};

/*
 * Set OUT to SRC without its first word that is in LIST.  Returns whether there
 * was one.
 */
static int
without_role(const struct cJSON *list, const char *src, struct tp_buf *out)
{
	const char *at, *word = tp_build_word(list, src, &at);

	tp_buf_clear(out);
	if (!word)
		return 0;
	tp_buf_add(out, src, (size_t)(at - src));
	tp_buf_chr(out, '\n');
	tp_buf_str(out, at + strlen(word));
	return 1;
}

/*
 * Whether OFF and ON are the same name but for the word that says without or
 * with SME2.
 */
static int
are_pair(const struct tp_kernel_words *w, const char *off, const char *on)
{
	struct tp_buf a = { 0 }, b = { 0 };
	int same = without_role(w->off, off, &a) &&
	    without_role(w->on, on, &b) && !strcmp(a.p, b.p);

	tp_buf_release(&a);
	tp_buf_release(&b);
	return same;
}

static int
has(const struct tp_kernels_run *run, const struct tp_name *name)
{
	return tp_names_find(&run->kernels->names, name->text, name->len) >= 0;
}

static void
emit_view(const struct view *v, const struct tp_kernel_words *w,
    struct tp_out *out)
{
	int64_t both = 0, baseline = 0, candidate = 0;
	struct tp_kernel_parts parts;
	size_t i;

	for (i = 0; i < v->count; i++) {
		int b = has(v->baseline, v->names[i]);
		int c = has(v->candidate, v->names[i]);

		both += b && c;
		baseline += b && !c;
		candidate += c && !b;
	}
	out->src = v->candidate->src;
	tp_out_begin(out, "kernel_view");
	tp_out_text(out, "id", v->id);
	tp_out_text(out, "baseline", v->baseline->src);
	tp_out_text(out, "candidate", v->candidate->src);
	tp_out_text(out, "match", v->match);
	tp_out_int(out, "kernel_count", (int64_t)v->count);
	tp_out_int(out, "both_count", both);
	tp_out_int(out, "baseline_only_count", baseline);
	tp_out_int(out, "candidate_only_count", candidate);
	tp_out_end(out);
	for (i = 0; i < v->count; i++) {
		tp_kernel_parse(w, v->names[i]->text, v->names[i]->len,
		    &parts);
		tp_out_begin(out, "kernel_view.row");
		tp_out_text(out, "kernel_view_id", v->id);
		tp_out_bytes(out, "kernel_name", v->names[i]->text,
		    v->names[i]->len);
		tp_out_text(out, "arch", tp_kernel_arch_name(parts.arch));
		tp_out_bool(out, "in_baseline", has(v->baseline,
		    v->names[i]));
		tp_out_bool(out, "in_candidate", has(v->candidate,
		    v->names[i]));
		tp_out_end(out);
	}
}

/* Add the kernels of a run that match to EITHER. */
static void
add_names(const struct tp_kernels *k, const char *match,
    struct tp_names *either)
{
	for (size_t i = 0; i < k->names.count; i++) {
		const struct tp_name *n = &k->names.names[i];

		if (!match || tp_glob(match, n->text, n->len))
			tp_names_add(either, n->text, n->len);
	}
}

static void
show(const struct tp_kernels_run *baseline,
    const struct tp_kernels_run *candidate, size_t number,
    const struct tp_kernel_words *w, const char *match, struct tp_out *out)
{
	struct view v = { .baseline = baseline, .candidate = candidate,
	    .match = match };
	struct tp_names either = { 0 };

	snprintf(v.id, sizeof v.id, "%zu", number);
	add_names(baseline->kernels, match, &either);
	add_names(candidate->kernels, match, &either);
	v.names = tp_names_sorted(&either);
	v.count = either.count;
	emit_view(&v, w, out);
	tp_free(v.names);
	tp_names_release(&either);
}

/*
 * Compare two runs whose names do not make a pair: in the order given, unless a
 * name says which of them is the baseline.
 */
static void
show_two(const struct tp_kernels_run *a, const struct tp_kernels_run *b,
    const struct tp_kernel_words *w, const char *match, struct tp_out *out)
{
	enum tp_build first = tp_build_of(w->off, w->on, a->src);
	enum tp_build second = tp_build_of(w->off, w->on, b->src);
	int turn = first != second && (first == TP_BUILD_ON ||
	    second == TP_BUILD_OFF);

	show(turn ? b : a, turn ? a : b, 1, w, match, out);
}

void
tp_kernels_emit_views(const struct tp_kernels_run *runs, size_t count,
    const struct tp_kernel_words *w, const char *match, struct tp_out *out)
{
	const struct tp_kernels_run *two[2] = { NULL, NULL };
	size_t i, k, views = 0, filled = 0;

	for (i = 0; i < count; i++) {
		if (!runs[i].kernels->names.count)
			continue;
		if (filled < 2)
			two[filled] = &runs[i];
		filled++;
		for (k = 0; k < count; k++)
			if (runs[k].kernels->names.count && are_pair(w,
			    runs[i].src, runs[k].src))
				show(&runs[i], &runs[k], ++views, w, match,
				    out);
	}
	if (!views && filled == 2)
		show_two(two[0], two[1], w, match, out);
}
