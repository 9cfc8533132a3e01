/* to_timeline - a run on Metal as a timeline */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/cpu.h>
#include <tp/order.h>

#include "metal/run.h"

#define PS 1000
/* A thread that ran but for so little of a time did not wait in it. */
#define LEAST_WAIT_NS 20000
#define CAUSES_MAX 64
/* A rest is at least so many samples without one. */
#define RESTS_LEAST 3

enum { RAN, OTHERS_RAN, WAITED, WHOSE };

/* Samples of a time, or of several, by name. */
struct spent {
	int64_t *by[WHOSE], sum[WHOSE];
	uint32_t *names;		/* that have any */
	size_t count, cap;
	int64_t first_ns;		/* the first in which the thread ran;
					 * INT64_MAX: none */
};

/* What a thread does in a part of a time; ranks follow each other. */
struct item {
	uint32_t name;			/* of the run; TP_NIL: not running */
	int rank;
	int64_t ns;
};
enum { RESTS, SLEEPS, COMPUTES, BUILDS };
/* Of the name of an item: another thread ran it, for which this one waited. */
#define BY_OTHERS ((uint32_t)1 << 31)

struct items {
	struct item *list;
	size_t count, cap;
	int64_t told_ns;		/* before them: for the GPU */
};

/* From one commit of a thread to its next one. */
struct segment {
	int64_t from_ns, to_ns;		/* from: TP_METAL_UNKNOWN, the first */
	int64_t end_ns;			/* when all that it had committed ended,
					 * if that is within; else from_ns */
	uint32_t row;			/* that ended then */
	const struct tp_metal_buffer *buffer;	/* that is committed next */
	int is_late, is_long, is_pause;
	/* of late ones */
	int64_t told_ns;		/* the thread was told until then, */
	int64_t encode_ns;		/* ... and opened an encoder */
	int is_awaited;			/* and did nothing else in between */
};

/* Waits for a commit that are too short for samples of their own. */
struct pool {
	struct spent spent;
	int64_t before_ns, ran_ns, others_ns, late_ns, told_ns;
	struct items items;
};

struct filler {
	struct tp_metal_run *run;
	const struct tp_metal_limits *limits;
	struct tp_metal_timeline *t;
	struct tp_buf text;
	int take_turns;			/* threads that commit are one track */
	uint32_t *order;		/* buffers, by track and commit */
	size_t count;
	int64_t *ends;			/* of the works of a track, sorted */
	uint32_t *end_rows;
	size_t end_count;
	int64_t period_ns, long_ns;
	struct spent before, spent, all;
	struct pool pool;
	struct items items;
	uint64_t rests, released;	/* rests of a thread that is ahead; of
					 * them, those that an end of work
					 * ended */
};

TP_ORDER(by_commit, struct tp_metal_buffer, TP_UP(track) TP_UP(commit_ns)
    TP_UP(to_ns) TP_UP(first))
TP_ORDER(by_time, struct tp_metal_sample, TP_UP(at_ns) TP_UP(tid) TP_UP(name)
    TP_UP(waits))
TP_ORDER(by_rank, struct item, TP_UP(rank) TP_UP(name))

/* A name is of one cause: that of another thread is another one. */
static uint32_t
name_of(struct filler *f, const char *text, enum tp_metal_meant of, int cause,
    int is_pause)
{
	uint32_t name;

	tp_buf_clear(&f->text);
	tp_buf_str(&f->text, text);
	if (of == TP_METAL_HELD)
		tp_buf_str(&f->text, " (another thread)");
	if (is_pause)
		tp_buf_str(&f->text, " (pause)");
	name = (uint32_t)tp_names_add(&f->t->tl.names, f->text.p, f->text.len);
	*(struct tp_metal_meaning *)TP_ITEM(f->t->meanings, f->t->meaning_cap,
	    name) = (struct tp_metal_meaning){ (signed char)cause, (uint8_t)of,
	    (uint8_t)is_pause };
	return name;
}

static uint32_t
put(struct filler *f, const struct segment *s, enum tp_slice_kind kind,
    enum tp_path_class class, uint32_t name, int64_t from, int64_t to)
{
	return tp_timeline_add(&f->t->tl, (struct tp_slice){
	    .from_ps = from * PS, .to_ps = to * PS,
	    .track = s->buffer->track, .name = name, .kind = (uint8_t)kind,
	    .told = (uint8_t)(1 + class) });
}

/* The cause of waiting for another thread. */
static int
lock_of(const struct tp_cpu_buckets *causes)
{
	size_t n = tp_cpu_bucket_count(causes);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(tp_cpu_bucket_name(causes, i), "lock"))
			return (int)i;
	return -1;
}

/* The thread of S is in NAME, of the run, from FROM to TO. */
static void
put_name(struct filler *f, const struct segment *s, uint32_t name,
    int64_t from, int64_t to)
{
	const struct tp_metal_run *run = f->run;
	int cause, is_held = name != TP_NIL && name & BY_OTHERS;

	if (to <= from)
		return;
	if (name == TP_NIL) {
		put(f, s, TP_SLICE_FUNCTION, TP_PATH_UNTRACED, name_of(f,
		    "not running", TP_METAL_RESTS, -1, s->is_pause), from, to);
		return;
	}
	cause = is_held ? lock_of(run->buckets) : run->causes[name];
	name &= ~BY_OTHERS;
	put(f, s, TP_SLICE_FUNCTION, tp_cpu_bucket_class(run->buckets,
	    (size_t)cause), name_of(f, run->names.names[name].text, is_held ?
	    TP_METAL_HELD : TP_METAL_NAMED, cause, s->is_pause), from, to);
}

/* The same in what nobody recorded. */
static void
put_unknown(struct filler *f, const struct segment *s, int64_t from,
    int64_t to)
{
	if (to > from)
		put(f, s, TP_SLICE_FUNCTION, TP_PATH_RANGE, name_of(f,
		    "not recorded", TP_METAL_LATE, -1, s->is_pause), from, to);
}

/* The same in a wait of CLASS for the end of ROW. */
static void
put_wait(struct filler *f, const struct segment *s, enum tp_path_class class,
    uint32_t row, int64_t from, int64_t to)
{
	static const char *const texts[] = { "wait for the GPU",
		"wait, or late", "wait for room in the queue" };
	int at = class == TP_PATH_SYNC ? 0 : class == TP_PATH_BLOCKED ? 1 : 2;
	uint32_t call;

	/* it goes on after that */
	TP_MOST(to, f->run->rows[row].to_ns + 1);
	if (to <= from)
		return;
	call = put(f, s, TP_SLICE_CALL, class, name_of(f, texts[at],
	    at == 1 ? TP_METAL_LATE : TP_METAL_NAMED, -1, s->is_pause), from,
	    to);
	TP_APPEND(f->t->tl.awaits, f->t->tl.await_count, f->t->tl.await_cap,
	    (struct tp_await){ call, row });
}

static void
spent_begin(struct filler *f, struct spent *s)
{
	for (int i = 0; i < WHOSE; i++) {
		if (!s->by[i])
			s->by[i] = tp_zalloc((f->run->names.count + 1) *
			    sizeof *s->by[i]);
		for (size_t k = 0; k < s->count; k++)
			s->by[i][s->names[k]] = 0;
		s->sum[i] = 0;
	}
	s->count = 0;
	s->first_ns = INT64_MAX;
}

static void
spent_release(struct spent *s)
{
	for (int i = 0; i < WHOSE; i++)
		tp_free(s->by[i]);
	tp_free(s->names);
}

/* Add the samples from FROM on, before TO, to S, as those of TRACK see them. */
static void
spend(struct filler *f, struct spent *s, uint32_t track, int64_t from,
    int64_t to)
{
	const struct tp_metal_run *run = f->run;
	size_t i;

	TP_SEEK(i, 0, run->sample_count, mid, run->samples[mid].at_ns < from);
	for (; i < run->sample_count && run->samples[i].at_ns < to; i++) {
		const struct tp_metal_sample *x = &run->samples[i];
		int whose = x->waits ? WAITED : x->track == track ? RAN :
		    OTHERS_RAN;

		if (x->waits && x->track != track)
			continue;
		if (!s->by[RAN][x->name] && !s->by[OTHERS_RAN][x->name] &&
		    !s->by[WAITED][x->name])
			TP_APPEND(s->names, s->count, s->cap, x->name);
		s->by[whose][x->name] += x->weight_ns;
		s->sum[whose] += x->weight_ns;
		if (whose == RAN)
			TP_LEAST(s->first_ns, x->at_ns);
	}
}

/* PART, scaled so that OF becomes WHOLE. */
static int64_t
scaled(int64_t part, int64_t of, int64_t whole)
{
	return of <= whole ? part : (int64_t)((tp_int128)part * whole / of);
}

static int64_t
share(int64_t ns, int64_t of, int64_t whole)
{
	return whole ? (int64_t)((tp_int128)ns * of / whole) : 0;
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static const char *
part_of(const struct filler *f, uint32_t name)
{
	return tp_cpu_bucket_part(f->run->buckets,
	    (size_t)f->run->causes[name]);
}

static void
item_add(struct items *items, uint32_t name, int rank, int64_t ns)
{
	if (ns > 0)
		TP_APPEND(items->list, items->count, items->cap, (struct item){
		    name, rank, ns });
}

/*
 * Divide SLEPT among the names of WHOSE samples of S that are waits (WAITS), or
 * parts of another name.  Returns what is left of it.
 */
static int64_t
share_sleep(const struct filler *f, struct items *items, const struct spent *s,
    int whose, int waits, int64_t slept)
{
	int64_t sum = 0, seen = 0, at = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < s->count; i++) {
			const char *part = part_of(f, s->names[i]);
			int64_t ns = s->by[whose][s->names[i]], to;

			if (!ns || !part || waits != !strcmp(part, "waiting"))
				continue;
			if (!pass) {
				sum += ns;
				continue;
			}
			seen += ns;
			to = scaled(seen, sum, slept);
			item_add(items, s->names[i], SLEEPS, to - at);
			at = to;
		}
	return slept - at;
}

/*
 * Waiting for files or for a compiler is mostly sleep: add SLEPT to what S is
 * mostly in, if that is a part by itself.  Returns what is left of it.
 */
static int64_t
share_rest(const struct filler *f, struct items *items, const struct spent *s,
    int64_t slept)
{
	int64_t by_cause[CAUSES_MAX] = { 0 };
	uint32_t most = TP_NIL;

	for (size_t i = 0; i < s->count; i++)
		by_cause[f->run->causes[s->names[i]]] +=
		    s->by[RAN][s->names[i]];
	for (size_t i = 0; i < s->count; i++)
		if (part_of(f, s->names[i]) && by_cause[f->run->causes[
		    s->names[i]]] > s->sum[RAN] / 2 && (most == TP_NIL ||
		    s->by[RAN][s->names[i]] > s->by[RAN][most]))
			most = s->names[i];
	if (most == TP_NIL)
		return slept;
	item_add(items, most, SLEEPS, slept);
	return 0;
}

/*
 * While other threads ran for half of SLEPT, or longer, this one waited for
 * them: for the interpreter, or for what they make.  Returns what is left.
 */
static int64_t
share_others(const struct filler *f, struct items *items,
    const struct spent *s, int64_t slept)
{
	const int64_t *ran = s->by[OTHERS_RAN];
	uint32_t most = TP_NIL;

	if (slept <= 0 || s->sum[OTHERS_RAN] < slept / 2)
		return slept;
	/* what they are known for in the whole run comes before it */
	slept = share_sleep(f, items, &f->all, OTHERS_RAN, 0, slept);
	if (slept <= 0)
		return slept;
	for (size_t i = 0; i < s->count; i++)
		if (ran[s->names[i]] && (most == TP_NIL || ran[s->names[i]] >
		    ran[most]))
			most = s->names[i];
	if (most == TP_NIL)
		return slept;
	item_add(items, most | BY_OTHERS, SLEEPS, slept);
	return 0;
}

/*
 * Say in ITEMS what a thread did for LATE_NS in which S was sampled: at most
 * TOLD_NS of its sleep is for the GPU.
 */
static void
share_out(const struct filler *f, struct items *items, const struct spent *s,
    int64_t late_ns, int64_t told_ns)
{
	int64_t seen = 0, at = 0, slept;

	items->count = 0;
	for (size_t i = 0; i < s->count; i++) {
		int64_t to;

		seen += s->by[RAN][s->names[i]];
		to = scaled(seen, s->sum[RAN], late_ns);
		item_add(items, s->names[i], part_of(f, s->names[i]) ?
		    COMPUTES : BUILDS, to - at);
		at = to;
	}
	/*
	 * a lock is held, and a sleep in a loop ended, by other threads: what
	 * these do comes before it
	 */
	slept = share_sleep(f, items, s, WAITED, 0, late_ns - at);
	slept = share_sleep(f, items, s, OTHERS_RAN, 0, slept);
	slept = share_sleep(f, items, s, WAITED, 1, slept);
	items->told_ns = least(slept, told_ns);
	slept -= items->told_ns;
	if (slept > 0)
		slept = share_rest(f, items, s, slept);
	slept = share_others(f, items, s, slept);
	item_add(items, TP_NIL, RESTS, slept);
	TP_SORT(items->list, items->count, by_rank);
}

/* The thread of S does what ITEMS, of OF_NS, say from FROM to TO. */
static void
put_items(struct filler *f, const struct segment *s, const struct items *items,
    int64_t from, int64_t to)
{
	int64_t seen = 0, sum = 0, at = from, next;

	for (size_t i = 0; i < items->count; i++)
		sum += items->list[i].ns;
	for (size_t i = 0; i < items->count; i++, at = next) {
		seen += items->list[i].ns;
		next = from + share(to - from, seen, sum);
		put_name(f, s, items->list[i].name, at, next);
	}
	if (!sum)
		put_name(f, s, TP_NIL, from, to);
}

/* The thread of S runs from FROM to TO, in what SPENT, or all samples, say. */
static void
put_run(struct filler *f, const struct segment *s, const struct spent *spent,
    int64_t from, int64_t to)
{
	int64_t seen = 0, at = from, next;

	if (to <= from)
		return;
	if (!spent->sum[RAN] && to - from >= f->long_ns) {
		put_name(f, s, TP_NIL, from, to);
		return;
	}
	if (!spent->sum[RAN])
		spent = &f->all;
	if (!spent->sum[RAN]) {
		put_unknown(f, s, from, to);
		return;
	}
	for (size_t i = 0; i < spent->count; i++, at = next) {
		seen += spent->by[RAN][spent->names[i]];
		next = from + share(to - from, seen, spent->sum[RAN]);
		put_name(f, s, spent->names[i], at, next);
	}
}

/*
 * What the thread was in after work had ended, if that is mostly no work of its
 * own, told apart from the GPU by ITEMS: what other threads ran, or sleep.
 * Returns how long it was in no work; 0 if it mostly worked.
 */
static int64_t
find_sleep(const struct items *items, uint32_t *name)
{
	const struct item *most = NULL;
	int64_t slept = 0, sum = 0;

	for (size_t i = 0; i < items->count; i++) {
		const struct item *item = &items->list[i];

		sum += item->ns;
		if (item->rank > SLEEPS)
			continue;
		slept += item->ns;
		if (!most || item->ns > most->ns)
			most = item;
	}
	*name = most ? most->name : TP_NIL;
	return slept > sum / 2 ? slept : 0;
}

/* Fill S, in which the thread committed late, from samples. */
static void
fill_late(struct filler *f, const struct segment *s)
{
	int64_t before = s->end_ns - s->from_ns, ran, others, could, at, rest;
	struct items *items = s->is_long ? &f->items : &f->pool.items;
	int64_t slept;
	uint32_t name;
	int slept_on, held;

	spent_begin(f, &f->before);
	spend(f, &f->before, s->buffer->track, s->from_ns, s->end_ns);
	spent_begin(f, &f->spent);
	if (s->is_long) {
		spend(f, &f->spent, s->buffer->track, s->end_ns, s->to_ns);
		share_out(f, items, &f->spent, s->to_ns - s->end_ns,
		    s->told_ns - s->end_ns);
	}
	/* of little time the samples say little */
	ran = before >= f->long_ns ? f->before.sum[RAN] : share(before,
	    f->pool.ran_ns, f->pool.before_ns);
	others = before >= f->long_ns ? f->before.sum[OTHERS_RAN] :
	    share(before, f->pool.others_ns, f->pool.before_ns);
	could = before - least(ran, before);
	if (could < LEAST_WAIT_NS || (double)could < (before >= f->long_ns ?
	    0.1 : 0.5) * (double)before)
		could = 0;
	/* who does not run soon after an end did not wait for it */
	rest = (int64_t)(f->limits->ran_ratio * (double)(s->to_ns -
	    s->end_ns));
	TP_MOST(rest, f->limits->latency_ns);
	slept = find_sleep(items, &name);
	/* nor who is held up by others, before the end as after it */
	held = slept && name != TP_NIL && name & BY_OTHERS && others >=
	    could / 2;
	slept_on = s->is_long ? least(f->spent.first_ns, s->to_ns) >
	    s->end_ns + rest && items->count &&
	    items->list[0].rank <= SLEEPS :
	    /* less than half a sample is not told from waking up */
	    share(s->to_ns - s->end_ns, slept, f->pool.late_ns) >=
	    f->period_ns / 2;
	put_run(f, s, &f->before, s->from_ns, s->end_ns - could);
	at = s->end_ns;
	if (could && (held || slept_on)) {
		put_name(f, s, name, at - could, at);
	} else {
		at += s->is_long ? items->told_ns : share(s->to_ns - at,
		    items->told_ns, f->pool.late_ns);
		if (could)
			put_wait(f, s, TP_PATH_SYNC, s->row, s->end_ns - could,
			    at);
		else
			put_name(f, s, TP_NIL, s->end_ns, at);
	}
	put_items(f, s, items, at, s->to_ns);
}

/* The same without samples: whether the thread waited may not be known. */
static void
fill_unsampled(struct filler *f, const struct segment *s)
{
	int64_t encode = s->encode_ns, at = s->from_ns;

	if (s->is_late && s->buffer->encode_ns >= s->end_ns) {
		put_wait(f, s, s->is_awaited ? TP_PATH_SYNC : TP_PATH_BLOCKED,
		    s->row, at, s->told_ns);
		at = s->told_ns;
	} else if (s->is_late) {
		/* with an encoder open it did not wait */
		encode = s->buffer->encode_ns;
		TP_MOST(encode, at);
	}
	if (s->from_ns != TP_METAL_UNKNOWN)
		put_unknown(f, s, at, encode);
	if (encode < s->to_ns)
		put(f, s, TP_SLICE_FUNCTION, TP_PATH_LAUNCH_CALL, name_of(f,
		    "encoding", TP_METAL_ENCODING, -1, s->is_pause), encode,
		    s->to_ns);
}

/*
 * Find the longest rest of the thread of S, which is ahead, from *FROM to *TO:
 * 0 if it ran for most of the time.
 */
static int
find_rest(const struct filler *f, const struct segment *s, int64_t *from,
    int64_t *to)
{
	const struct tp_metal_run *run = f->run;
	int64_t last = s->from_ns, ran = 0, most = 0;
	size_t i;

	if (s->to_ns - s->from_ns < RESTS_LEAST * f->period_ns)
		return 0;

	TP_SEEK(i, 0, run->sample_count, mid, run->samples[mid].at_ns <
	    s->from_ns);
	for (; ; i++) {
		const struct tp_metal_sample *x = i < run->sample_count &&
		    run->samples[i].at_ns < s->to_ns ? &run->samples[i] : NULL;
		int64_t at = x ? x->at_ns : s->to_ns;

		if (x && (x->waits || x->track != s->buffer->track))
			continue;
		if (at - last > most) {
			most = at - last;
			*from = last;
			*to = at;
		}
		last = at;
		if (!x)
			break;
		ran += x->weight_ns;
	}
	return most >= RESTS_LEAST * f->period_ns && (double)ran <= (1 -
	    f->limits->ran_ratio) * (double)(s->to_ns - s->from_ns);
}

/* The row whose end let a thread go on that ran again by TO; or TP_NIL. */
static uint32_t
ended_by(const struct filler *f, int64_t from, int64_t to)
{
	size_t at;

	TP_SEEK(at, 0, f->end_count, mid, f->ends[mid] <= to);
	return at && f->ends[at - 1] > from && f->ends[at - 1] >= to -
	    f->period_ns - f->limits->wake_ns ? f->end_rows[at - 1] : TP_NIL;
}

/* Fill S, in which the thread was ahead of the GPU. */
static void
fill_ahead(struct filler *f, const struct segment *s)
{
	int64_t from, to;
	uint32_t row;

	spent_begin(f, &f->spent);
	spend(f, &f->spent, s->buffer->track, s->from_ns, s->to_ns);
	if (!find_rest(f, s, &from, &to)) {
		put_run(f, s, &f->spent, s->from_ns, s->to_ns);
		return;
	}
	row = ended_by(f, from, to);
	if ((double)f->released < f->limits->held_back_ratio *
	    (double)f->rests)
		row = TP_NIL;
	put_run(f, s, &f->spent, s->from_ns, from);
	if (row != TP_NIL) {
		to = f->run->rows[row].to_ns;
		put_wait(f, s, TP_PATH_QUEUE_FULL, row, from, to);
	} else {
		/* what is sampled ran since the sample before */
		if (to < s->to_ns && to - from > f->period_ns)
			to -= f->period_ns;
		put_name(f, s, TP_NIL, from, to);
	}
	put_run(f, s, &f->spent, to, s->to_ns);
}

/* Fill S, before the first commit. */
static void
fill_first(struct filler *f, struct segment *s)
{
	spent_begin(f, &f->spent);
	spend(f, &f->spent, s->buffer->track, INT64_MIN, s->to_ns);
	if (f->spent.first_ns < s->to_ns)
		put_run(f, s, &f->spent, f->spent.first_ns, s->to_ns);
}

/* When the thread of S, late, was told of the end; and what it did then. */
static void
find_told(const struct filler *f, struct segment *s)
{
	const struct tp_metal_buffer *done =
	    &f->run->buffers[f->run->rows[s->row].buffer];
	int64_t turns = s->encode_ns + s->end_ns - s->from_ns;

	s->told_ns = s->end_ns;
	if (done->done_ns > s->end_ns && done->done_ns <= s->to_ns &&
	    done->done_ns <= s->encode_ns)
		s->told_ns = done->done_ns;
	TP_MOST(s->encode_ns, s->told_ns);
	if (s->told_ns == s->end_ns || s->encode_ns - s->told_ns >
	    f->limits->wake_ns)
		return;
	s->is_awaited = 1;
	s->told_ns = s->encode_ns;
	/* what was encoded as soon as it woke is too short to be sampled */
	if (f->run->sample_count)
		s->told_ns = least(turns, s->to_ns);
}

/*
 * Set S to the segment that ends with the commit of buffer AT of the order;
 * *ROW is that which ended last of those committed before.
 */
static void
find_segment(const struct filler *f, struct segment *s, size_t at,
    uint32_t *row)
{
	const struct tp_metal_run *run = f->run;
	const struct tp_metal_buffer *b = &run->buffers[f->order[at]], *last =
	    at ? &run->buffers[f->order[at - 1]] : NULL;

	*s = (struct segment){ .from_ns = TP_METAL_UNKNOWN,
	    .to_ns = b->commit_ns, .buffer = b, .row = TP_NIL };
	s->encode_ns = least(b->encode_ns, s->to_ns);
	if (!last || last->track != b->track) {
		*row = TP_NIL;
		return;
	}
	s->from_ns = s->end_ns = last->commit_ns;
	TP_MOST(s->encode_ns, s->from_ns);
	if (*row == TP_NIL || last->to_ns > run->rows[*row].to_ns)
		*row = last->last;
	s->row = *row;
	s->is_late = run->rows[*row].to_ns > s->from_ns &&
	    s->to_ns > run->rows[*row].to_ns + run->late_ns;
	if (s->is_late) {
		s->end_ns = run->rows[*row].to_ns;
		find_told(f, s);
		s->is_pause = least(s->to_ns, f->t->pause.to_ns) -
		    (s->end_ns > f->t->pause.from_ns ? s->end_ns :
		    f->t->pause.from_ns) > (f->t->pause.to_ns -
		    f->t->pause.from_ns) / 2;
	}
	s->is_long = s->to_ns - s->end_ns >= f->long_ns || s->is_pause;
}

/* Add S to the waits that share their samples, as far as it is short. */
static void
add_pool(struct filler *f, const struct segment *s)
{
	struct pool *p = &f->pool;

	spent_begin(f, &f->before);
	spend(f, &f->before, s->buffer->track, s->from_ns, s->end_ns);
	if (s->end_ns - s->from_ns < f->long_ns) {
		p->before_ns += s->end_ns - s->from_ns;
		p->ran_ns += f->before.sum[RAN];
		p->others_ns += f->before.sum[OTHERS_RAN];
	}
	if (s->is_long)
		return;
	spend(f, &p->spent, s->buffer->track, s->end_ns, s->to_ns);
	p->late_ns += s->to_ns - s->end_ns;
	p->told_ns += s->told_ns - s->end_ns;
}

/* Look at the segments of a track once, from AT on, to END. */
static void
survey(struct filler *f, size_t at, size_t end)
{
	uint32_t row = TP_NIL;

	f->pool.before_ns = f->pool.ran_ns = f->pool.others_ns =
	    f->pool.late_ns = f->pool.told_ns = 0;
	f->rests = f->released = 0;
	spent_begin(f, &f->pool.spent);
	spent_begin(f, &f->all);
	spend(f, &f->all, f->run->buffers[f->order[at]].track, INT64_MIN,
	    INT64_MAX);
	for (size_t i = at; i < end; i++) {
		struct segment s;
		int64_t from, to;

		find_segment(f, &s, i, &row);
		if (s.from_ns == TP_METAL_UNKNOWN)
			continue;
		if (s.is_late)
			add_pool(f, &s);
		if (s.is_late || !find_rest(f, &s, &from, &to))
			continue;
		f->rests++;
		f->released += ended_by(f, from, to) != TP_NIL;
	}
	share_out(f, &f->pool.items, &f->pool.spent, f->pool.late_ns,
	    f->pool.told_ns);
}

struct end {
	int64_t ns;
	uint32_t row;
};

TP_ORDER(by_end, struct end, TP_UP(ns) TP_UP(row))

/* Sort the ends of the buffers of the order from AT to END. */
static void
find_ends(struct filler *f, size_t at, size_t end)
{
	struct end *list = tp_alloc((end - at + 1) * sizeof *list);

	f->end_count = end - at;
	for (size_t i = 0; i < f->end_count; i++) {
		const struct tp_metal_buffer *b =
		    &f->run->buffers[f->order[at + i]];

		list[i] = (struct end){ b->to_ns, b->last };
	}
	TP_SORT(list, f->end_count, by_end);
	for (size_t i = 0; i < f->end_count; i++) {
		f->ends[i] = list[i].ns;
		f->end_rows[i] = list[i].row;
	}
	tp_free(list);
}

/* Add the thread that committed buffers AT to END of the order. */
static void
add_thread(struct filler *f, size_t at, size_t end)
{
	int sampled = f->run->sample_count > 0;
	uint32_t commit = name_of(f, "commit", TP_METAL_NAMED, -1, 0);
	uint32_t row = TP_NIL;

	find_ends(f, at, end);
	if (sampled)
		survey(f, at, end);
	for (size_t i = at; i < end; i++) {
		struct tp_metal_buffer *b = &f->run->buffers[f->order[i]];
		struct segment s;

		find_segment(f, &s, i, &row);
		if (!sampled)
			fill_unsampled(f, &s);
		else if (s.from_ns == TP_METAL_UNKNOWN)
			fill_first(f, &s);
		else if (s.is_late)
			fill_late(f, &s);
		else
			fill_ahead(f, &s);
		b->commit = 1 + put(f, &s, TP_SLICE_CALL, TP_PATH_LAUNCH_CALL,
		    commit, b->commit_ns, b->commit_ns);
		f->t->tl.slices[b->commit - 1].told = 0;
	}
}

/*
 * Find whether the threads that commit run one after the other, as a program
 * and its backward pass do: hardly ever two within a sample period.
 */
static void
find_turns(struct filler *f)
{
	struct tp_metal_run *run = f->run;
	int64_t tid = -1, at_ns = INT64_MIN;
	size_t count = 0, beside = 0;

	TP_SORT(run->samples, run->sample_count, by_time);
	for (size_t i = 0; i < run->sample_count; i++) {
		const struct tp_metal_sample *x = &run->samples[i];

		if (x->waits || x->tid < 0 || tp_ids_find(&run->tids,
		    (uint64_t)x->tid, 0) < 0)
			continue;
		count++;
		beside += x->tid != tid && at_ns > x->at_ns - x->weight_ns;
		tid = x->tid;
		at_ns = x->at_ns;
	}
	f->take_turns = run->tids.count > 1 && count && (double)beside <
	    f->limits->beside_ratio * (double)count;
}

/* The track of thread TID; that of commits by unknown threads is the last. */
static uint32_t
track_of(const struct filler *f, int64_t tid)
{
	ptrdiff_t at = tp_ids_find(&f->run->tids, (uint64_t)tid, 0);

	return at < 0 ? (uint32_t)f->run->tids.count : f->take_turns ? 0 :
	    (uint32_t)at;
}

/* Set what rows say of buffers, and the order of those committed. */
static void
find_order(struct filler *f)
{
	struct tp_metal_run *run = f->run;
	struct tp_metal_buffer *list = tp_alloc((run->buffer_count + 1) *
	    sizeof *list);

	f->order = tp_alloc((run->buffer_count + 1) * sizeof *f->order);
	for (size_t i = 0; i < run->buffer_count; i++)
		run->buffers[i].first = TP_NIL;
	for (uint32_t i = 0; i < run->row_count; i++) {
		struct tp_metal_buffer *b;

		if (run->rows[i].buffer == TP_NIL)
			continue;
		b = &run->buffers[run->rows[i].buffer];
		if (b->first == TP_NIL) {
			b->first = b->last = i;
			/* clocks of host and device may differ */
			TP_LEAST(b->commit_ns, run->rows[i].from_ns);
		}
		if (run->rows[i].to_ns > run->rows[b->last].to_ns)
			b->last = i;
		b->to_ns = run->rows[b->last].to_ns;
	}
	for (uint32_t i = 0; i < run->buffer_count; i++) {
		struct tp_metal_buffer *b = &run->buffers[i];

		if (b->first == TP_NIL || b->commit_ns == TP_METAL_UNKNOWN)
			continue;
		b->track = track_of(f, b->tid);
		list[f->count] = *b;
		list[f->count++].commit = i;
	}
	TP_SORT(list, f->count, by_commit);
	for (size_t i = 0; i < f->count; i++)
		f->order[i] = list[i].commit;
	tp_free(list);
}

/* Find the longest wait for a commit, if it stands alone. */
static void
find_pause(struct filler *f)
{
	const struct tp_metal_run *run = f->run;
	const struct tp_metal_limits *l = f->limits;
	struct tp_metal_pause *p = &f->t->pause;
	const struct tp_metal_view *v = NULL;
	int64_t end = INT64_MIN, length, rows = 0;

	for (size_t i = 0; i < run->view_count; i++)
		if (run->views[i].is_main)
			v = &run->views[i];
	for (size_t i = 0; v && i < run->row_count; i++) {
		const struct tp_metal_row *r = &run->rows[i];
		const struct tp_metal_buffer *b;
		int64_t commit, most = p->to_ns - p->from_ns;

		if (r->buffer == TP_NIL || r->to_ns <= v->from_ns ||
		    r->from_ns >= v->to_ns)
			continue;
		b = &run->buffers[r->buffer];
		commit = least(b->commit_ns, r->from_ns);
		rows++;
		if (end > INT64_MIN && b->first == i && commit > end +
		    run->late_ns) {
			length = commit - end;
			p->count++;
			if (length > most) {
				p->next_ns = most;
				p->from_ns = end;
				p->to_ns = commit;
			} else {
				TP_MOST(p->next_ns, length);
			}
		}
		TP_MOST(end, r->to_ns);
	}
	length = p->to_ns - p->from_ns;
	if (!v || (double)rows < l->alone_rows || (double)length <
	    l->alone_factor * (double)p->next_ns || (double)length <
	    l->alone_ratio * (double)(v->to_ns - v->from_ns))
		p->from_ns = p->to_ns = 0;
}

/* Say of which track samples are. */
static void
find_tracks(struct filler *f)
{
	struct tp_metal_run *run = f->run;
	size_t *counts = tp_zalloc((run->tids.count + 2) * sizeof *counts);
	uint32_t main = 0;

	for (size_t i = 0; i < f->count; i++)
		counts[run->buffers[f->order[i]].track]++;
	for (uint32_t i = 1; i <= run->tids.count; i++)
		if (counts[i] > counts[main])
			main = i;
	tp_free(counts);
	for (size_t i = 0; i < run->sample_count; i++) {
		struct tp_metal_sample *x = &run->samples[i];

		x->track = track_of(f, x->tid);
		if (x->track == run->tids.count)
			x->track = x->commits ? main : TP_NIL;
	}
	f->period_ns = run->sample_count ? run->samples[0].weight_ns : 0;
	f->long_ns = (int64_t)(f->limits->long_samples *
	    (double)f->period_ns);
	TP_MOST(f->long_ns, f->limits->long_ns);
}

/* Add the rows, in whose order the slices begin. */
static void
add_rows(struct filler *f)
{
	const struct tp_metal_run *run = f->run;
	uint32_t stream = (uint32_t)run->tids.count + 1;
	uint32_t names[] = { name_of(f, "command buffer", TP_METAL_BUFFERS,
	    -1, 0), name_of(f, "encoder", TP_METAL_ENCODERS, -1, 0),
	    name_of(f, "other processes", TP_METAL_OTHERS, -1, 0),
	    name_of(f, "buffer of unknown commit", TP_METAL_UNLINKED, -1, 0) };

	f->t->others = stream + 1;
	for (uint32_t i = 0; i < run->row_count; i++) {
		const struct tp_metal_row *r = &run->rows[i];
		const struct tp_metal_buffer *b = r->buffer == TP_NIL ? NULL :
		    &run->buffers[r->buffer];

		tp_timeline_add(&f->t->tl, (struct tp_slice){
		    .from_ps = r->from_ns * PS, .to_ps = r->to_ns * PS,
		    .track = stream + !b, .name = names[!b ? 2 :
		    b->commit_ns == TP_METAL_UNKNOWN ? 3 : b->first != i],
		    .kind = TP_SLICE_WORK, .class = TP_PATH_KERNEL });
	}
}

/*
 * Say which commit launched each row.  Where another process had its turn
 * before work that was committed, it began when that could have.
 */
static void
add_launches(struct filler *f)
{
	const struct tp_metal_run *run = f->run;
	const struct tp_metal_row *next = NULL;

	for (size_t i = run->row_count; i-- > 0; ) {
		const struct tp_metal_row *r = &run->rows[i];
		int is_other = r->buffer == TP_NIL;
		const struct tp_metal_buffer *b;

		if (!is_other)
			next = r;
		if (!next) {
			f->t->tl.slices[i].track += (uint32_t)is_other;
			continue;
		}
		b = &run->buffers[next->buffer];
		if (!is_other || (b->commit && b->commit_ns <= r->from_ns &&
		    next->from_ns >= r->to_ns))
			f->t->tl.slices[i].launch = b->commit;
		if (!f->t->tl.slices[i].launch && is_other)
			f->t->tl.slices[i].track++;
	}
}

static void
add_tracks(struct filler *f)
{
	const struct tp_metal_run *run = f->run;
	struct tp_timeline *tl = &f->t->tl;
	size_t threads = run->tids.count + 1;

	tl->is_shared = 1;
	for (int i = 0; i < 2; i++)
		TP_APPEND(tl->processes, tl->process_count, tl->process_cap,
		    (struct tp_process){ .pid = i ? -1 : run->pid,
		    .rank = -1 });
	for (size_t i = 0; i < threads + 3; i++)
		TP_APPEND(tl->tracks, tl->track_count, tl->track_cap,
		    (struct tp_timeline_track){ .process = i > threads,
		    .tid = i + 1 < threads ? (int64_t)run->tids.ids[i].a : -1,
		    .name = TP_NIL, .is_stream = i >= threads });
}

void
tp_metal_to_timeline(struct tp_metal_timeline *t, struct tp_metal_run *run,
    const struct tp_metal_limits *limits)
{
	struct filler f = { .run = run, .limits = limits, .t = t };
	size_t end;

	memset(t, 0, sizeof *t);
	add_tracks(&f);
	find_turns(&f);
	find_order(&f);
	find_tracks(&f);
	find_pause(&f);
	add_rows(&f);
	f.ends = tp_alloc((f.count + 1) * sizeof *f.ends);
	f.end_rows = tp_alloc((f.count + 1) * sizeof *f.end_rows);
	for (size_t at = 0; at < f.count; at = end) {
		for (end = at; end < f.count && run->buffers[f.order[end]].track
		    == run->buffers[f.order[at]].track; end++)
			;
		add_thread(&f, at, end);
	}
	add_launches(&f);
	tp_timeline_end(&t->tl);
	spent_release(&f.before);
	spent_release(&f.spent);
	spent_release(&f.all);
	spent_release(&f.pool.spent);
	tp_free(f.pool.items.list);
	tp_free(f.items.list);
	tp_free(f.ends);
	tp_free(f.end_rows);
	tp_free(f.order);
	tp_buf_release(&f.text);
}
