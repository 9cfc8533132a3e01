/* steps_gaps - steps as consecutive similar parts of the GPU work */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/steps.h>
#include <tp/order.h>

/* Fewer parts or steps show no repetition. */
#define FEWEST 3
/* A pause stands out when it is this many times the next shorter one. */
#define BREAK 1.5
#define BREAK_FEW 3	/* when it separates few steps */
/*
 * Parts are of one kind when none has more than this many times another's
 * busy time, or its GPU intervals.
 */
#define KIND_BUSY 1.5
#define KIND_INTERVALS 1.1
/*
 * Largest median deviation from the median busy time, as a share of it,
 * among repeating parts; noise that fills a kind evenly gives 0.1.  Where
 * MEMBERS parts have MANY intervals, all the same number, that alone is
 * strong evidence.
 */
#define ALIKE_MAX 0.1
#define ALIKE_FEW_MAX 0.06
#define MANY 8
#define MEMBERS 5
/* A slow step may take this many times the median. */
#define SLOW 5
/*
 * This many parts with the same number, at least MANY, of intervals are of
 * one kind whatever their length: steps that get slower or faster.
 */
#define SAME_FEWEST 10

/* Common properties of parts of one kind. */
struct kind {
	int64_t busy, intervals;	/* medians */
	double busy_off, intervals_off;	/* allowed deviation of a member */
};

struct run {
	size_t first, count;
	int64_t busy;
	const char *reason;		/* why these are no steps; NULL: they
					 * are */
};

TP_ORDER(by_busy, struct tp_part, TP_UP(busy_ns))

TP_ORDER(by_intervals, struct tp_part, TP_UP(intervals))

static int64_t
busy_of(const struct tp_part *part)
{
	return part->busy_ns;
}

static int64_t
intervals_of(const struct tp_part *part)
{
	return part->intervals;
}

static double
limit(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* Median of V; *OFF gets the median deviation from it as a share. */
static int64_t
median(int64_t *v, size_t n, double *off)
{
	int64_t m;

	tp_sort_ints(v, n);
	m = v[(n - 1) / 2];
	for (size_t i = 0; i < n; i++)
		v[i] = v[i] < m ? m - v[i] : v[i] - m;
	tp_sort_ints(v, n);
	*off = (double)v[(n - 1) / 2] / (double)(m ? m : 1);
	return m;
}

/*
 * Reduce the *COUNT parts at *PARTS, sorted by KEY, to the parts with most busy
 * time whose keys are within a factor of TIMES.
 */
static void
heaviest(const struct tp_part **parts, size_t *count,
    int64_t (*key)(const struct tp_part *part), double times)
{
	const struct tp_part *v = *parts;
	size_t n = *count, low = 0, from = 0, i;
	tp_int128 weight = 0, best = 0;

	for (*count = i = 0; i < n; i++) {
		weight += v[i].busy_ns;
		while ((double)key(&v[i]) > times * (double)key(&v[low]))
			weight -= v[low++].busy_ns;
		if (i + 1 - low >= FEWEST && weight > best) {
			best = weight;
			from = low;
			*count = i + 1 - low;
		}
	}
	*parts = v + from;
}

/* As find_kind(), for parts at SORTED with the same number of intervals. */
static int
find_same(struct tp_part *sorted, size_t n, int64_t *v, struct kind *kind)
{
	const struct tp_part *of = sorted;
	double off;

	TP_SORT(sorted, n, by_intervals);
	heaviest(&of, &n, intervals_of, 1);
	if (n < SAME_FEWEST || of->intervals < MANY)
		return -1;
	for (size_t i = 0; i < n; i++)
		v[i] = of[i].busy_ns;
	kind->intervals = of->intervals;
	kind->intervals_off = 1;
	kind->busy = median(v, n, &off);
	kind->busy_off = (double)kind->busy;
	return 0;
}

/*
 * The kind with most busy time among the N parts at SORTED, which are
 * reordered; V has room for as many numbers.  0, or -1 when nothing repeats.
 */
static int
find_kind(struct tp_part *sorted, size_t n, int64_t *v, struct kind *kind)
{
	const struct tp_part *of = sorted;
	double off, most;
	size_t i;

	TP_SORT(sorted, n, by_busy);
	heaviest(&of, &n, busy_of, KIND_BUSY);
	if (!n)
		return -1;
	memmove(sorted, of, n * sizeof *sorted);
	TP_SORT(sorted, n, by_intervals);
	of = sorted;
	heaviest(&of, &n, intervals_of, KIND_INTERVALS);
	if (!n)
		return -1;
	for (i = 0; i < n; i++)
		v[i] = of[i].intervals;
	kind->intervals = median(v, n, &off);
	kind->intervals_off = limit(4 * off, 0.1, 0.3) *
	    (double)kind->intervals;
	TP_MOST(kind->intervals_off, 1);
	for (i = 0; i < n; i++)
		v[i] = of[i].busy_ns;
	kind->busy = median(v, n, &off);
	kind->busy_off = limit(4 * off, 0.15, 0.5) * (double)kind->busy;
	most = kind->intervals < MANY || n < MEMBERS ? ALIKE_FEW_MAX :
	    ALIKE_MAX;
	return off > most ? -1 : 0;
}

static int
is_near(int64_t x, int64_t m, double off)
{
	return (double)(x < m ? m - x : x - m) <= off;
}

enum { OTHER, SAME_TIME, SAME_WORK, SAME_BOTH };

static int
likeness(const struct tp_part *p, const struct kind *kind)
{
	int time = is_near(p->busy_ns, kind->busy, kind->busy_off);
	int work = is_near(p->intervals, kind->intervals,
	    kind->intervals_off);

	if (work && (p->busy_ns / SLOW > kind->busy ||
	    p->busy_ns < kind->busy / SLOW))
		return OTHER;
	return work ? time ? SAME_BOTH : SAME_WORK :
	    time ? SAME_TIME : OTHER;
}

/*
 * Make a run of the parts FIRST .. END-1, none of which is OTHER.  It
 * begins one part before the first that matches in both measures: the first
 * step does the same work in more time.
 */
static void
take_run(const struct tp_part *parts, const struct kind *kind, size_t first,
    size_t end, struct run *best)
{
	size_t alike = 0, i;
	int64_t busy = 0;

	for (i = first; i < end && likeness(&parts[i], kind) != SAME_BOTH;
	    i++)
		;
	first = i > first && likeness(&parts[i - 1], kind) == SAME_WORK ?
	    i - 1 : i;
	while (first < end && likeness(&parts[end - 1], kind) == SAME_TIME)
		end--;
	for (i = first; i < end; i++) {
		alike += likeness(&parts[i], kind) == SAME_BOTH;
		busy += parts[i].busy_ns;
	}
	if (end - first < FEWEST || alike * 4 < (end - first) * 3 ||
	    busy <= best->busy)
		return;
	best->first = first;
	best->count = end - first;
	best->busy = busy;
}

/*
 * Whether the steps end before part AT of N: it is OTHER, or the first of
 * several that do not match.
 */
static int
ends_run(const struct tp_part *parts, size_t n, size_t at,
    const struct kind *kind)
{
	size_t i;

	if (likeness(&parts[at], kind) == OTHER)
		return 1;
	for (i = at; i < n && i < at + MEMBERS; i++)
		if (likeness(&parts[i], kind) == SAME_BOTH)
			return 0;
	return i == at + MEMBERS;
}

/*
 * The run of steps among N parts that holds most work, or with ANY, any that
 * repeats; SORTED and V are scratch.
 */
static struct run
find_run(const struct tp_part *parts, size_t n, int any,
    struct tp_part *sorted, int64_t *v)
{
	struct run run = { .reason = "not-alike" };
	struct kind kind;
	int64_t total = 0, wall;
	size_t first = 0, i;

	if (n < FEWEST) {
		run.reason = "too-few";
		return run;
	}
	memcpy(sorted, parts, n * sizeof *sorted);
	if (find_kind(sorted, n, v, &kind) < 0) {
		memcpy(sorted, parts, n * sizeof *sorted);
		if (find_same(sorted, n, v, &kind) < 0)
			return run;
	}
	for (i = 0; i <= n; i++) {
		if (i < n)
			total += parts[i].busy_ns;
		if (i < n && !ends_run(parts, n, i, &kind))
			continue;
		take_run(parts, &kind, first, i, &run);
		first = i + 1;
	}
	if (!run.count || (!any && run.busy < total / 2))
		return run;
	wall = parts[run.first + run.count - 1].to_ns -
	    parts[run.first].from_ns;
	/*
	 * bursts on an otherwise idle GPU are no loop, unless there are many
	 * with many intervals
	 */
	run.reason = run.busy < (run.count >= SAME_FEWEST &&
	    kind.intervals >= MANY ? wall / 100 : wall / 10) ? "idle" : NULL;
	return run;
}

/* Join PARTS across pauses below LIMIT_NS; JOINED gets their new number. */
static size_t
join(const struct tp_part *parts, size_t n, int64_t limit_ns,
    struct tp_part *joined)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct tp_part *last = count ? &joined[count - 1] : NULL;

		if (!last || parts[i].from_ns - last->to_ns >= limit_ns) {
			joined[count++] = parts[i];
			continue;
		}
		last->to_ns = parts[i].to_ns;
		last->busy_ns += parts[i].busy_ns;
		last->intervals += parts[i].intervals;
	}
	return count;
}

static int64_t
busy_sum(const struct tp_part *parts, size_t first, size_t end)
{
	int64_t busy = 0;

	for (; first < end; first++)
		busy += parts[first].busy_ns;
	return busy;
}

static int
is_alike(const struct tp_part *a, const struct tp_part *b)
{
	return (double)a->intervals <= KIND_INTERVALS * (double)b->intervals &&
	    (double)b->intervals <= KIND_INTERVALS * (double)a->intervals &&
	    (double)a->busy_ns <= KIND_BUSY * (double)b->busy_ns &&
	    (double)b->busy_ns <= KIND_BUSY * (double)a->busy_ns;
}

/*
 * A first step that waits between its buffers, while kernels are compiled,
 * is split into many parts.  If the parts right before RUN add up to a step
 * in intervals and busy time, return their number, and the joined part in
 * *ONE.  V is scratch for one number per part.
 */
static size_t
broken_first(const struct tp_part *parts, const struct run *run, int64_t *v,
    struct tp_part *one)
{
	const struct tp_part *p = &parts[run->first];
	int64_t intervals, busy;
	double off;
	size_t i;

	for (i = 0; i < run->count; i++)
		v[i] = p[i].intervals;
	intervals = median(v, run->count, &off);
	for (i = 0; i < run->count; i++)
		v[i] = p[i].busy_ns;
	busy = median(v, run->count, &off);
	*one = (struct tp_part){ 0, p->from_ns, 0, 0 };
	for (i = 0; i < run->first && one->intervals < intervals; i++) {
		one->intervals += p[-1 - (ptrdiff_t)i].intervals;
		one->busy_ns += p[-1 - (ptrdiff_t)i].busy_ns;
		if (!i)
			one->to_ns = p[-1].to_ns;
		one->from_ns = p[-1 - (ptrdiff_t)i].from_ns;
	}
	/* equal parts with more before them are steps of another kind */
	if (i > 1 && i < run->first && is_alike(&p[-1 - (ptrdiff_t)i],
	    &p[-(ptrdiff_t)i]) && is_alike(&p[-1], &p[-(ptrdiff_t)i]))
		return 0;
	return i > 1 && intervals >= MANY && one->intervals == intervals &&
	    (double)one->busy_ns <= KIND_BUSY * (double)busy &&
	    (double)busy <= KIND_BUSY * (double)one->busy_ns ? i : 0;
}

/* Turn RUN of the N PARTS into steps; V is scratch. */
static void
to_steps(const struct tp_part *parts, size_t n, const struct run *run,
    int64_t *v, struct tp_steps_found *found)
{
	struct tp_part one;
	size_t broken = broken_first(parts, run, v, &one);
	size_t first = run->first - broken, count = run->count + !!broken;
	struct tp_step *s;
	int64_t end;
	double off;
	size_t i;

	s = tp_zalloc(count * sizeof *s);
	for (i = 0; i < count; i++) {
		const struct tp_part *p = !broken ? &parts[first + i] :
		    i ? &parts[run->first + i - 1] : &one;

		end = i ? s[i - 1].end_ns : p->from_ns;
		s[i] = (struct tp_step){ end, p->to_ns, p->from_ns, p->to_ns,
		    p->busy_ns, p->intervals, -1, 0, NULL };
		if (i)
			v[i - 1] = p->to_ns - end;
	}
	if (first) {
		end = parts[first - 1].to_ns;
		if (s->first_ns - end <= median(v, count - 1, &off))
			s->start_ns = end;
	}
	tp_free(found->steps);
	found->steps = s;
	found->count = count;
	found->before_ns = busy_sum(parts, 0, first);
	found->after_ns = busy_sum(parts, run->first + run->count, n);
	found->method = "gap";
}

/*
 * Try the limits at which a pause stands out, shortest first.  A limit is
 * better when steps hold a tenth more work than with the best so far, or
 * about as much and the pause stands out more.
 */
static void
try_limits(const struct tp_part *parts, size_t n, int64_t under_ns,
    int any, int64_t *pauses, struct tp_part *room, int64_t *v,
    struct tp_steps_found *found)
{
	int64_t best_busy = 0, last = under_ns;
	double stands, best_stands = 0;
	struct tp_part *joined = room, *sorted = room + n;
	struct run run;
	size_t count, i;

	for (i = 0; i + 1 < n; last = pauses[i++]) {
		stands = (double)pauses[i] / (double)(last > 0 ? last : 1);
		if (i && stands < BREAK)
			continue;
		count = join(parts, n, pauses[i], joined);
		run = find_run(joined, count, any, sorted, v);
		if (!run.reason && run.count < MEMBERS && stands < BREAK_FEW)
			run.reason = "not-alike";
		if (run.reason) {
			if (!i || !strcmp(run.reason, "idle"))
				found->reason = run.reason;
			continue;
		}
		if ((double)run.busy < 1.1 * (double)best_busy &&
		    (run.busy < best_busy - best_busy / 10 ||
		    stands <= best_stands))
			continue;
		best_busy = run.busy;
		best_stands = stands;
		found->limit_ns = pauses[i];
		to_steps(joined, count, &run, v, found);
	}
}

void
tp_steps_in_parts(const struct tp_part *parts, size_t n, int64_t under_ns,
    int any, struct tp_steps_found *found)
{
	struct tp_part *room;
	int64_t *pauses, *v;
	size_t i;

	found->reason = n < 2 ? "no-pause" : "too-few";
	if (n < FEWEST)
		return;
	room = tp_alloc(2 * n * sizeof *room);
	pauses = tp_alloc(n * sizeof *pauses);
	v = tp_alloc(n * sizeof *v);
	for (i = 0; i + 1 < n; i++)
		pauses[i] = parts[i + 1].from_ns - parts[i].to_ns;
	tp_sort_ints(pauses, n - 1);
	try_limits(parts, n, under_ns, any, pauses, room, v, found);
	tp_free(room);
	tp_free(pauses);
	tp_free(v);
	if (found->method)
		found->reason = NULL;
}
