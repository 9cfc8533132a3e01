/* ranks - the traces of several ranks of one job, held together: reading */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/ranks.h>

#include "stat.h"

/* Three years: times on one clock then differ by less than 2^63. */
#define LIMIT_NS INT64_C(100000000000000000)

static ptrdiff_t
add_text(struct tp_ranks *r, const char *text)
{
	/* text 0 is "" */
	if (!r->texts.count && tp_names_add(&r->texts, "", 0) < 0)
		return -1;
	return text ? tp_names_add(&r->texts, text, strlen(text)) : 0;
}

/* The rank of NUMBER, added when new. */
static ptrdiff_t
rank_of(struct tp_ranks *r, int64_t number, const char *src)
{
	ptrdiff_t text;

	/* records of one rank follow each other: the latest first */
	for (size_t i = r->count; i-- > 0;)
		if (r->ranks[i].number == number)
			return (ptrdiff_t)i;
	text = add_text(r, src);
	if (text < 0 || tp_grow(&r->ranks, &r->cap, r->count + 1,
	    sizeof *r->ranks) < 0)
		return -1;
	r->ranks[r->count] = (struct tp_rank){ .number = number,
	    .src = (uint32_t)text };
	return (ptrdiff_t)r->count++;
}

static int64_t
number(const struct tp_rec *rec, const char *key)
{
	int64_t n = -1;

	tp_rec_int(rec, key, &n);
	return n;
}

static void
take_time(struct tp_rank *k, const struct tp_rec *rec)
{
	const struct { const char *key; int64_t *to; } keys[] = {
		{ "span_ns", &k->span_ns }, { "busy_ns", &k->busy_ns },
		{ "compute_ns", &k->compute_ns },
		{ "communication_ns", &k->communication_ns },
		{ "communication_union_ns", &k->communication_union_ns },
		{ "memcpy_ns", &k->memcpy_ns }, { "idle_ns", &k->idle_ns },
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		*keys[i].to = number(rec, keys[i].key);
	k->has_time = k->span_ns >= 0 && k->busy_ns >= 0 &&
	    k->compute_ns >= 0;
}

static int
take_step(struct tp_rank *k, const struct tp_rec *rec)
{
	if (tp_grow(&k->steps, &k->step_cap, (size_t)k->step_count + 1,
	    sizeof *k->steps) < 0)
		return -1;
	k->steps[k->step_count++] = (struct tp_ranks_step){
	    .index = number(rec, "index"),
	    .number = number(rec, "number"),
	    .wall_ns = number(rec, "wall_ns"),
	    .compute_ns = number(rec, "compute_ns"),
	    .communication_ns = number(rec, "communication_ns"),
	    .memcpy_ns = number(rec, "memcpy_ns"),
	};
	return 0;
}

static void
take_trace(struct tp_ranks *r, struct tp_rank *k, const struct tp_rec *rec)
{
	k->trace_count++;
	k->job_count = number(rec, "rank_count");
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

/* Index of what REC says of the collective. */
static ptrdiff_t
add_what(struct tp_ranks *r, const struct tp_rec *rec)
{
	struct tp_ranks_what what;
	ptrdiff_t at;
	struct { const char *key; uint32_t *to; } keys[] = {
		{ "collective", &what.collective }, { "name", &what.name },
		{ "kernel", &what.kernel }, { "process_group", &what.group },
		{ "process_group_ranks", &what.group_ranks },
		{ "element_type", &what.dtype },
	};

	memset(&what, 0, sizeof what);	/* it is a key */
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		at = add_text(r, tp_rec_text(rec, keys[i].key));
		if (at < 0)
			return -1;
		*keys[i].to = (uint32_t)at;
	}
	what.stream = number(rec, "stream");
	what.size = number(rec, "process_group_count");
	what.in_elements = number(rec, "in_element_count");
	what.out_elements = number(rec, "out_element_count");
	what.in_bytes = number(rec, "in_bytes");
	what.out_bytes = number(rec, "out_bytes");
	what.moved_bytes = number(rec, "collective_bytes");
	tp_rec_real(rec, "bus_factor", &what.bus_factor);
	at = tp_names_add(&r->what_keys, (const char *)&what, sizeof what);
	if (at < 0 || tp_grow(&r->whats, &r->what_cap, (size_t)at + 1,
	    sizeof what) < 0)
		return -1;
	r->whats[at] = what;
	return at;
}

static int
take_run(struct tp_ranks *r, uint32_t rank, const struct tp_rec *rec)
{
	struct tp_rank *k = &r->ranks[rank];
	struct tp_ranks_run run = { .rank = rank,
	    .order = (uint32_t)k->run_count };
	ptrdiff_t what = add_what(r, rec);
	int64_t ns;

	if (what < 0 || tp_grow(&r->runs, &r->run_cap, r->run_count + 1,
	    sizeof run) < 0)
		return -1;
	if (!tp_rec_int(rec, "start_ns", &run.from_ns) ||
	    !tp_rec_int(rec, "duration_ns", &ns) || ns < 0 || ns > LIMIT_NS ||
	    run.from_ns < -LIMIT_NS || run.from_ns > LIMIT_NS)
		return 0;
	run.to_ns = run.from_ns + ns;
	run.what = (uint32_t)what;
	r->runs[r->run_count++] = run;
	k->run_count++;
	k->collective_sum_ns = tp_narrow((tp_int128)k->collective_sum_ns + ns);
	return 0;
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
	if (!tp_rec_int(rec, "process_rank", &n) || n < 0) {
		r->unknown_count += (uint64_t)is_trace;
		return 0;
	}
	*rank = rank_of(r, n, rec->src);
	if (*rank < 0)
		return tp_fail_memory(err);
	k = &r->ranks[*rank];
	if (is_trace) {
		ptrdiff_t gpu = add_text(r, tp_rec_text(rec, "gpu_name"));

		if (gpu < 0)
			return tp_fail_memory(err);
		k->gpu = (uint32_t)gpu;
		take_trace(r, k, rec);
	} else if (!strcmp(rec->kind, "gpu.device")) {
		int64_t alike = number(rec, "alike_count");

		k->device_count += alike > 0 && alike < 65536 ? alike : 0;
	} else if (!strcmp(rec->kind, "trace.clock")) {
		take_clock(k, rec);
	} else if (!strcmp(rec->kind, "timeline.step")) {
		if (take_step(k, rec) < 0)
			return tp_fail_memory(err);
	} else if (!strcmp(rec->kind, "timeline.summary") && scope &&
	    !strcmp(scope, "all")) {
		take_time(k, rec);
	} else if (!strcmp(rec->kind, "collective.run") &&
	    take_run(r, (uint32_t)*rank, rec) < 0) {
		return tp_fail_memory(err);
	}
	return 0;
}

void
tp_ranks_release(struct tp_ranks *r)
{
	tp_names_release(&r->texts);
	tp_names_release(&r->what_keys);
	tp_free(r->whats);
	for (size_t i = 0; i < r->count; i++)
		tp_free(r->ranks[i].steps);
	tp_free(r->ranks);
	tp_free(r->runs);
	tp_free(r->matches);
	tp_free(r->rows);
	memset(r, 0, sizeof *r);
}
