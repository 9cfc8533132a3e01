/* segments_emit - the records of parts of one run */
#include <string.h>

#include <cjson/cJSON.h>
#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/metal/segments.h>
#include <tp/order.h>
#include <tp/share.h>
#include <tp/text.h>

#include "classes.h"

#define LISTED 50	/* labels that get a record */

/* GPU figures of one part. */
struct figures {
	size_t step;			/* first step that has not ended */
	struct tp_stat duration, gap;
	struct tp_ids labels;
	struct label {
		int64_t rows;
		tp_int128 duration_sum;
		const char *name;
	} *sums;			/* by label index */
	size_t cap;
	int64_t busy_ns, end_ns, rows, buffers;
};

static void
release_segment_stats(struct figures *g)
{
	tp_stat_release(&g->duration);
	tp_stat_release(&g->gap);
	tp_ids_release(&g->labels);
	tp_free(g->sums);
}

static void
take_label(struct figures *g, uint32_t label, int64_t ns)
{
	ptrdiff_t at = tp_ids_add(&g->labels, label, 0);

	TP_ITEM(g->sums, g->cap, at);
	g->sums[at].rows++;
	g->sums[at].duration_sum += ns;
}

/* Count row R in the step of F that it began in, or between steps. */
static void
count_row(struct figures *g, struct tp_steps_found *f,
    const struct tp_buffer_row *r, int is_first)
{
	while (g->step < f->count && f->steps[g->step].end_ns <= r->from_ns)
		g->step++;
	if (is_first && g->step < f->count &&
	    f->steps[g->step].start_ns <= r->from_ns)
		f->steps[g->step].buffers++;
}

static void
take_row(struct figures *g, const struct tp_cmdbuf *cb,
    struct tp_steps_found *f, const struct tp_buffer_row *r)
{
	const struct tp_buffer *b = &cb->buffers[r->buffer];
	int64_t from = r->from_ns;

	count_row(g, f, r, !b->anonymous && b->from_ns == from);
	tp_stat_add(&g->duration, r->to_ns - from);
	take_label(g, r->label, r->to_ns - from);
	g->buffers += !b->anonymous && b->from_ns == from;
	if (g->rows++ && from > g->end_ns)
		tp_stat_add(&g->gap, from - g->end_ns);
	TP_MOST(from, g->end_ns);
	if (r->to_ns > from) {
		g->busy_ns += r->to_ns - from;
		g->end_ns = r->to_ns;
	}
}

/* Longest first; ties by name. */
TP_ORDER(by_sum, struct label, TP_DOWN(duration_sum)
    TP_BY(strcmp(a->name, b->name)))

/* Collect the labels, longest first; returns their number. */
static size_t
sort_labels(struct figures *g, const struct tp_labels *labels)
{
	size_t n = 0;

	for (size_t i = 0; i < g->labels.count; i++) {
		uint32_t label = (uint32_t)g->labels.ids[i].a;

		if (!label)
			continue;
		g->sums[n] = g->sums[i];
		g->sums[n++].name = tp_labels_name(labels, label);
	}
	TP_SORT(g->sums, n, by_sum);
	return n;
}

/* Meaning of names. */
struct words {
	cJSON *doc;			/* share/ops/segments.json */
	struct tp_classes phases, tokens;
	const struct tp_primitives *primitives;
};

static int
load_words(struct words *words, const struct tp_segments_in *in,
    struct tp_err *err)
{
	static const char file[] = "ops/segments.json";

	words->doc = tp_share_json(file, err);
	if (!words->doc || tp_classes_load(&words->phases, words->doc, file,
	    "phases", NULL, "order", err) < 0 ||
	    tp_classes_load(&words->tokens, words->doc, file, "tokens", NULL,
	    NULL, err) < 0)
		return -1;
	words->primitives = tp_labels_primitives(&in->gpu->labels, err);
	return words->primitives ? 0 : -1;
}

static void
release_words(struct words *words)
{
	tp_classes_release(&words->phases);
	tp_classes_release(&words->tokens);
	cJSON_Delete(words->doc);
}

/* Write the purpose of part S, from its name. */
static void
phase(const struct tp_segment *s, const struct words *words,
    struct tp_out *out)
{
	const struct tp_class *c = tp_class_of_part(&words->phases, s->name,
	    s->name_len);
	double order;

	if (!c)
		return;
	if (!tp_same_name(c->name, strlen(c->name), s->name, s->name_len))
		tp_out_text(out, "stage", c->name);
	if (tp_json_number(c->row, "order", &order))
		tp_out_int(out, "compare_order", (int64_t)order);
}

/* Write the tokens of part S, from its marks or from its number of steps. */
static void
tokens(const struct tp_segment *s, const struct words *words,
    struct tp_out *out)
{
	int64_t n = s->tokens, wall = s->to_ns - s->from_ns;

	if (n < 0 && s->found.count && s->found.name &&
	    tp_class_of_name(&words->tokens, s->found.name))
		n = (int64_t)s->found.count;
	if (n < 0)
		return;
	tp_out_int(out, "token_count", n);
	if (wall > 0)
		tp_out_real(out, "tokens_per_s", (double)n * 1e9 /
		    (double)wall);
}

static void
begin_segment(struct tp_out *out, const char *kind, size_t segment)
{
	tp_out_begin(out, kind);
	tp_out_text(out, "scope", "target");
	tp_out_int(out, "segment", (int64_t)segment);
}

static void
emit_segment(struct tp_segment *s, size_t at, struct figures *g,
    const struct tp_segments_in *in, const struct words *words,
    struct tp_out *out)
{
	struct tp_primitives_count count = { 0 };
	size_t named = sort_labels(g, &in->gpu->labels);
	int64_t wall = s->to_ns - s->from_ns;

	begin_segment(out, "segment", at);
	if (s->name) {
		tp_out_bytes(out, "name", s->name, s->name_len);
		phase(s, words, out);
	}
	tp_out_text(out, "boundary", s->method);
	tp_out_int(out, "start_ns", s->from_ns);
	tp_out_int(out, "end_ns", s->to_ns);
	tp_out_int(out, "wall_ns", wall);
	tp_out_int(out, "busy_ns", g->busy_ns);
	tp_out_ratio(out, "busy_of_wall_ratio", g->busy_ns, wall);
	tp_out_int(out, "interval_count", g->rows);
	tp_out_int(out, "command_buffer_count", g->buffers);
	tp_stat_emit(&g->duration, out, "duration", "p50", "_ns");
	tp_stat_emit(&g->gap, out, "gap", "p50", "_ns");
	if (in->gpu->has_labels) {
		for (size_t i = 0; i < named; i++)
			tp_primitives_add(words->primitives, &count,
			    g->sums[i].name, g->sums[i].rows);
		tp_out_int(out, "named_label_count", (int64_t)named);
		tp_primitives_emit(&count, out);
		tp_out_bool(out, "is_cut", named > LISTED);
	}
	tokens(s, words, out);
	if (s->found.count) {
		tp_out_text(out, "step_method", s->found.method);
		tp_steps_emit_figures(&s->found, out);
	}
	tp_out_end(out);
	for (size_t i = 0; i < named && i < LISTED; i++) {
		begin_segment(out, "segment.label", at);
		tp_out_int(out, "rank", (int64_t)i + 1);
		tp_out_text(out, "label", g->sums[i].name);
		tp_out_int(out, "rows", g->sums[i].rows);
		tp_out_int(out, "duration_sum_ns",
		    tp_narrow(g->sums[i].duration_sum));
		tp_out_end(out);
	}
	tp_steps_emit_each(&s->found, "segment.step", at, out);
}

static void
summary(const struct tp_segments *segs, struct tp_out *out)
{
	const char *method = "rest";
	int64_t stepped = 0;

	for (size_t i = segs->count; i-- > 0;) {
		stepped += segs->list[i].found.count > 0;
		if (strcmp(segs->list[i].method, "rest"))
			method = segs->list[i].method;
	}
	tp_out_begin(out, "segment.summary");
	tp_out_text(out, "scope", "target");
	tp_out_text(out, "boundary", method);
	tp_out_int(out, "segment_count", (int64_t)segs->count);
	tp_out_int(out, "stepped_count", stepped);
	tp_out_end(out);
}

int
tp_segments_emit(struct tp_segments *segs, const struct tp_segments_in *in,
    struct tp_out *out, struct tp_err *err)
{
	struct tp_buffer_row r;
	struct words words = { 0 };
	int64_t last = INT64_MIN;
	size_t at = 0, i;
	int more = tp_segments_row(in, &at, &r);

	if (!segs->count)
		return 0;
	if (load_words(&words, in, err) < 0) {
		release_words(&words);
		return -1;
	}
	summary(segs, out);
	for (i = 0; i < segs->count; i++) {
		struct tp_segment *s = &segs->list[i];
		struct figures g = { .end_ns = s->from_ns };

		for (size_t k = 0; k < s->found.count; k++)
			s->found.steps[k].buffers = 0;
		while (more && r.from_ns < s->from_ns) {
			TP_MOST(last, r.to_ns);
			more = tp_segments_row(in, &at, &r);
		}
		/* work that began earlier and still runs */
		if (last > s->from_ns) {
			g.end_ns = last < s->to_ns ? last : s->to_ns;
			g.busy_ns = g.end_ns - s->from_ns;
		}
		while (more && r.from_ns < s->to_ns) {
			TP_MOST(last, r.to_ns);
			TP_LEAST(r.to_ns, s->to_ns);
			take_row(&g, in->cb, &s->found, &r);
			more = tp_segments_row(in, &at, &r);
		}
		emit_segment(s, i + 1, &g, in, &words, out);
		release_segment_stats(&g);
	}
	release_words(&words);
	return 0;
}
