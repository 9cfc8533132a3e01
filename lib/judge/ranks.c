/* ranks - compare the traces of the ranks of one job: reading */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>
#include <tp/text.h>

/* Three years: differences of times on one clock then fit 63 bits. */
#define LIMIT_NS INT64_C(100000000000000000)

ptrdiff_t
tp_ranks_text(struct tp_ranks *r, const char *text)
{
	/* text 0 is "" */
	if (!r->texts.count)
		tp_names_add(&r->texts, "", 0);
	return text ? tp_names_add(&r->texts, text, strlen(text)) : 0;
}

ptrdiff_t
tp_ranks_rank(struct tp_ranks *r, int64_t number, const char *src)
{
	size_t had = r->numbers.count;
	ptrdiff_t at = tp_ids_add(&r->numbers, (uint64_t)number, 0);

	if ((size_t)at < had)
		return at;
	TP_APPEND(r->ranks, r->count, r->cap, (struct tp_rank){
	    .number = number, .src = (uint32_t)tp_ranks_text(r, src),
	    .span_ns = -1, .busy_ns = -1, .compute_ns = -1,
	    .communication_ns = -1, .communication_union_ns = -1,
	    .memcpy_ns = -1, .idle_ns = -1 });
	return at;
}

int64_t
tp_ranks_number(const struct tp_rec *rec, const char *key)
{
	int64_t n = -1;

	tp_rec_int(rec, key, &n);
	return n;
}

void
tp_ranks_take_time(struct tp_rank *k, const struct tp_rec *rec)
{
	const struct { const char *key; int64_t *to; } keys[] = {
		{ "span_ns", &k->span_ns }, { "busy_ns", &k->busy_ns },
		{ "compute_ns", &k->compute_ns },
		{ "communication_ns", &k->communication_ns },
		{ "communication_union_ns", &k->communication_union_ns },
		{ "memcpy_ns", &k->memcpy_ns }, { "idle_ns", &k->idle_ns },
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		*keys[i].to = tp_ranks_number(rec, keys[i].key);
	k->has_time = k->span_ns >= 0 && k->busy_ns >= 0 &&
	    k->compute_ns >= 0;
}

void
tp_ranks_add_step(struct tp_rank *k, const struct tp_rec *rec)
{
	TP_APPEND(k->steps, k->step_count, k->step_cap, (struct tp_ranks_step){
	    .index = tp_ranks_number(rec, "index"),
	    .number = tp_ranks_number(rec, "number"),
	    .wall_ns = tp_ranks_number(rec, "wall_ns"),
	    .compute_ns = tp_ranks_number(rec, "compute_ns"),
	    .communication_ns = tp_ranks_number(rec, "communication_ns"),
	    .memcpy_ns = tp_ranks_number(rec, "memcpy_ns"), });
}

static void
take_trace(struct tp_ranks *r, struct tp_rank *k, const struct tp_rec *rec)
{
	k->trace_count++;
	k->job_count = tp_ranks_number(rec, "rank_count");
	if (!r->rank_count || k->job_count > r->rank_count)
		r->rank_count = k->job_count;
	k->has_range = tp_rec_int(rec, "first_ns", &k->first_ns) &&
	    tp_rec_int(rec, "last_ns", &k->last_ns) &&
	    k->first_ns >= -LIMIT_NS && k->first_ns <= k->last_ns &&
	    k->last_ns <= LIMIT_NS;
}

static void
take_clock(struct tp_rank *k, const struct tp_rec *rec)
{
	const char *text = tp_rec_text(rec, "clock_base");
	char *end;

	if (!text)
		return;
	k->base_ns = strtoll(text, &end, 10);
	k->has_base = *text && !*end && k->base_ns >= 0 &&
	    k->base_ns < INT64_MAX / 2;
	if (!k->has_base)
		k->base_ns = 0;
}

ptrdiff_t
tp_ranks_what(struct tp_ranks *r, const struct tp_rec *rec)
{
	struct tp_ranks_what what;
	ptrdiff_t at;
	struct { const char *key; uint32_t *to; } keys[] = {
		{ "collective", &what.collective }, { "name", &what.name },
		{ "kernel", &what.kernel }, { "process_group", &what.group },
		{ "process_group_ranks", &what.group_ranks },
		{ "element_type", &what.dtype },
	};

	memset(&what, 0, sizeof what);	/* used as a hash key, padding
					 * included */
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		*keys[i].to = (uint32_t)tp_ranks_text(r, tp_rec_text(rec,
		    keys[i].key));
	what.stream = tp_ranks_number(rec, "stream");
	what.size = tp_ranks_number(rec, "process_group_count");
	what.in_elements = tp_ranks_number(rec, "in_element_count");
	what.out_elements = tp_ranks_number(rec, "out_element_count");
	what.in_bytes = tp_ranks_number(rec, "in_bytes");
	what.out_bytes = tp_ranks_number(rec, "out_bytes");
	what.moved_bytes = tp_ranks_number(rec, "collective_bytes");
	tp_rec_real(rec, "bus_factor", &what.bus_factor);
	at = tp_names_add(&r->what_keys, (const char *)&what, sizeof what);
	TP_ITEM(r->whats, r->what_cap, at);
	r->whats[at] = what;
	return at;
}

static void
take_run(struct tp_ranks *r, uint32_t rank, const struct tp_rec *rec)
{
	struct tp_rank *k = &r->ranks[rank];
	struct tp_ranks_run run = { .rank = rank,
	    .order = (uint32_t)k->run_count };
	ptrdiff_t what = tp_ranks_what(r, rec);
	int64_t ns;

	if (!tp_rec_int(rec, "start_ns", &run.from_ns) ||
	    !tp_rec_int(rec, "duration_ns", &ns) || ns < 0 || ns > LIMIT_NS ||
	    run.from_ns < -LIMIT_NS || run.from_ns > LIMIT_NS)
		return;
	run.to_ns = run.from_ns + ns;
	run.what = (uint32_t)what;
	TP_APPEND(r->runs, r->run_count, r->run_cap, run);
	k->run_count++;
	k->collective_sum_ns = tp_narrow((tp_int128)k->collective_sum_ns + ns);
}

int
tp_ranks_take(struct tp_ranks *r, const struct tp_rec *rec, ptrdiff_t *rank,
    struct tp_err *err)
{
	const char *scope = tp_rec_text(rec, "scope");
	int is_trace = !strcmp(rec->kind, "trace.summary");
	int64_t n;
	struct tp_rank *k;

	*rank = -1;
	if (!strncmp(rec->kind, "ranks.part", 10))
		return tp_ranks_take_part(r, rec, err);
	if (!strcmp(rec->kind, "path.gain") &&
	    tp_same(tp_rec_text(rec, "what_if"), "rank/late=median")) {
		r->has_late_gain = tp_rec_int(rec, "gain_ns",
		    &r->late_gain_ns) && tp_rec_real(rec, "gain_ratio",
		    &r->late_gain_ratio);
		return 0;
	}
	if (is_trace) {
		r->is_empty = tp_ranks_number(rec, "event_count") == 0;
		r->empty_count += (uint64_t)r->is_empty;
	}
	if (r->is_empty)
		return 0;
	if (!tp_rec_int(rec, "process_rank", &n) || n < 0) {
		r->unknown_count += (uint64_t)is_trace;
		return 0;
	}
	*rank = tp_ranks_rank(r, n, rec->src);
	k = &r->ranks[*rank];
	if (is_trace) {
		k->gpu = (uint32_t)tp_ranks_text(r, tp_rec_text(rec,
		    "gpu_name"));
		take_trace(r, k, rec);
	} else if (!strcmp(rec->kind, "gpu.device")) {
		int64_t alike = tp_ranks_number(rec, "alike_count");

		k->device_count += alike > 0 && alike < 65536 ? alike : 0;
	} else if (!strcmp(rec->kind, "trace.clock")) {
		take_clock(k, rec);
	} else if (!strcmp(rec->kind, "timeline.step")) {
		tp_ranks_add_step(k, rec);
	} else if (!strcmp(rec->kind, "timeline.summary") && scope &&
	    !strcmp(scope, "all")) {
		tp_ranks_take_time(k, rec);
	} else if (!strcmp(rec->kind, "collective.run")) {
		take_run(r, (uint32_t)*rank, rec);
	}
	return 0;
}

struct tp_ranks_instance *
tp_ranks_instance(struct tp_ranks *r)
{
	return TP_PUSH(r->instances, r->instance_count, r->instance_cap);
}

struct tp_ranks_member *
tp_ranks_member(struct tp_ranks *r)
{
	return TP_PUSH(r->members, r->member_count, r->member_cap);
}

/*
 * Groups are identified by process group, or without one by stream and
 * kernel.
 */
ptrdiff_t
tp_ranks_group(struct tp_ranks *r, uint32_t what)
{
	const struct tp_ranks_what *w = &r->whats[what];
	size_t had = r->group_ids.count;
	ptrdiff_t at;

	at = w->group ? tp_ids_add(&r->group_ids, (uint64_t)w->group << 32,
	    w->group_ranks) : tp_ids_add(&r->group_ids,
	    (uint64_t)w->kernel << 32 | 1 |
	    (uint64_t)(w->name && !w->kernel) << 1, (uint64_t)w->stream);
	if ((size_t)at < had)
		return at;
	tp_grow(&r->groups, &r->group_cap, (size_t)at + 1, sizeof *r->groups);
	r->groups[at] = (struct tp_ranks_group){ .what = what };
	return at;
}

struct tp_ranks_sum *
tp_ranks_sum(struct tp_ranks *r, uint32_t what)
{
	return TP_ITEM(r->sums, r->sum_cap, what);
}

void
tp_ranks_add_last(struct tp_ranks *r, uint32_t what, int64_t rank, uint64_t n)
{
	ptrdiff_t at = tp_ids_add(&r->last_ids, what, (uint64_t)rank);

	TP_ITEM(r->lasts, r->last_cap, at);
	r->lasts[at] += n;
}

static int
compare_text(const struct tp_ranks *r, uint32_t a, uint32_t b)
{
	return a == b ? 0 : !a || !b ? (a > b) - (a < b) :
	    strcmp(r->texts.names[a].text, r->texts.names[b].text);
}

int
tp_ranks_compare(const struct tp_ranks *r, uint32_t a, uint32_t b)
{
	const struct tp_ranks_what *x = &r->whats[a], *y = &r->whats[b];
	const uint32_t texts[][2] = {
		{ x->group, y->group }, { x->group_ranks, y->group_ranks },
		{ x->collective, y->collective }, { x->kernel, y->kernel },
		{ x->name, y->name }, { x->dtype, y->dtype },
	};
	const int64_t numbers[][2] = {
		{ x->stream, y->stream }, { x->size, y->size },
		{ x->in_elements, y->in_elements },
		{ x->out_elements, y->out_elements },
		{ x->in_bytes, y->in_bytes }, { x->out_bytes, y->out_bytes },
		{ x->moved_bytes, y->moved_bytes },
	};
	int d = 0;

	for (size_t i = 0; !d && i < sizeof texts / sizeof *texts; i++)
		d = compare_text(r, texts[i][0], texts[i][1]);
	for (size_t i = 0; !d && i < sizeof numbers / sizeof *numbers; i++)
		d = (numbers[i][0] > numbers[i][1]) -
		    (numbers[i][0] < numbers[i][1]);
	return d ? d : (x->bus_factor > y->bus_factor) -
	    (x->bus_factor < y->bus_factor);
}
