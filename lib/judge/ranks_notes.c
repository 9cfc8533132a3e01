/* ranks_notes - notes about problems with the ranks of one job */
#include <tp/judge/ranks.h>
#include <tp/records.h>


/* Note ranks whose traces state a smaller job than others do. */
static void
note_jobs(const struct tp_ranks *r, struct tp_out *out)
{
	int64_t least = r->rank_count;
	uint64_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		int64_t n = r->ranks[i].job_count;

		count += n > 0 && n < r->rank_count;
		least = n > 0 && n < least ? n : least;
	}
	if (count)
		tp_out_note(out, "rank.job", 0, count, "traces tell of jobs "
		    "of %lld and of %lld ranks: they may not be of one run",
		    (long long)least, (long long)r->rank_count);
}

/* Note a rank that began after another had ended. */
static void
note_time(const struct tp_ranks *r, struct tp_out *out)
{
	const struct tp_rank *late = NULL, *early = NULL;

	for (size_t i = 0; i < r->count; i++) {
		const struct tp_rank *k = &r->ranks[i];

		if (!k->has_base || !k->has_range)
			continue;
		if (!late || k->base_ns + k->first_ns >
		    late->base_ns + late->first_ns)
			late = k;
		if (!early || k->base_ns + k->last_ns <
		    early->base_ns + early->last_ns)
			early = k;
	}
	if (late && late->base_ns + late->first_ns >
	    early->base_ns + early->last_ns)
		tp_out_note(out, "rank.time", 0, 1, "rank %lld began after "
		    "rank %lld had ended, as their clocks have it: they may "
		    "not be of one run", (long long)late->number,
		    (long long)early->number);
}

/* Note ranks on another GPU than the first known one. */
static void
note_gpus(const struct tp_ranks *r, struct tp_out *out)
{
	uint32_t first = 0, other = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		uint32_t gpu = r->ranks[i].gpu;

		if (!first)
			first = gpu;
		if (!gpu || gpu == first)
			continue;
		other = gpu;
		count++;
	}
	if (count)
		tp_out_note(out, "rank.gpu", 0, count, "ranks ran on GPUs of "
		    "other names ('%.80s', '%.80s'): they are not equally "
		    "fast", r->texts.names[first].text,
		    r->texts.names[other].text);
}

void
tp_ranks_emit_notes(const struct tp_ranks *r, int64_t step_min,
    int64_t step_max, struct tp_out *out)
{
	int64_t missing = r->rank_count - (int64_t)r->count;

	if (missing > 0)
		tp_out_note(out, "rank.missing",
		    r->expected > (int64_t)r->count ? 3 : 0, (uint64_t)missing,
		    "the job has %lld ranks, of which %zu were traced: what "
		    "is said of all is of these", (long long)r->rank_count,
		    r->count);
	if (r->unknown_count)
		tp_out_note(out, "rank.unknown", 0, r->unknown_count,
		    "a trace does not say which rank it is of and is left "
		    "out");
	note_jobs(r, out);
	note_time(r, out);
	if (step_min != step_max)
		tp_out_note(out, "rank.steps", 0, (uint64_t)(step_max -
		    step_min), "ranks recorded from %lld to %lld steps",
		    (long long)step_min, (long long)step_max);
	note_gpus(r, out);
	if (r->clock != TP_RANKS_COMMON && r->match_count)
		tp_out_note(out, "rank.clock", 0, r->match_count,
		    r->clock == TP_RANKS_APART ? "ranks left collectives "
		    "before others came, so clocks differ or these were no "
		    "counterparts: who waited for whom is not told" :
		    "whether clocks of the ranks agree is not known: who "
		    "waited for whom is not told");
	if (r->odd_count)
		tp_out_note(out, "rank.out-of-step", 0, r->odd_count,
		    "ranks of a process group do not do the same collectives "
		    "in the same order: nothing is told of that group");
	if (r->unmatched_count)
		tp_out_note(out, "rank.unmatched", 0, r->unmatched_count,
		    "a collective has no counterpart on another rank");
}
