/* waits - what the CPU did while the GPU waited for a commit */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/cpu.h>
#include <tp/order.h>

#include "metal/waits.h"

#define CAUSES_MAX 16
/* Upper bound on times and sums of a few times: nine years. */
#define TIME_MAX (INT64_C(1) << 58)
/* Gaps shorter than this many samples, or than LONG_NS, are merged. */
#define LONG_SAMPLES 8
#define LONG_NS 100000

/* From the last gap, or the start, past the end of work to the commit. */
struct gap {
	int64_t last_ns, from_ns, done_ns, to_ns;
};

/* Samples in one gap, or in several. */
struct sampled {
	int64_t before_ns, late_ns, told_ns;	/* lengths */
	int64_t ran_before_ns;
	int64_t cause_ns[CAUSES_MAX];
	int64_t others_ns[CAUSES_MAX];	/* in threads that do not commit */
	int64_t waited_ns[CAUSES_MAX];	/* asleep, in threads that do */
};

struct view {
	const char *scope;
	int64_t segment;		/* 0: none */
	int is_main, is_known;
	int64_t start_ns, end_ns;
	int64_t piece_ns[TP_WAITS_PIECES];
	struct gap *gaps;
	size_t count, cap;
	struct tp_waits_longest longest;
	size_t recent;			/* gap of the last sample */
	uint32_t *at;			/* per gap: index in sampled */
	uint32_t *next;			/* and that of the next long gap */
	struct sampled *sampled;	/* [0]: all short gaps */
	size_t sampled_count;
};

struct tp_waits_trace {
	struct view *views;		/* all, the steps, then segments */
	size_t count, cap;
	struct tp_ids segments;		/* segment numbers, in the order of
					 * views */
	char *process;			/* NULL: unknown */
	int64_t pid;
	int is_ready;			/* all gaps have been read */
	struct tp_ids tids;		/* threads that commit */
	uint64_t samples;		/* of the process */
	int64_t first_ns;		/* the first of those before its GPU
					 * work */
	int64_t before_ns[CAUSES_MAX];	/* all of those, if they commit */
};

static struct tp_waits_trace *
trace_of(struct tp_waits *waits, const char *src)
{
	ptrdiff_t i = tp_names_add(&waits->srcs, src, strlen(src));

	return TP_ITEM(waits->traces, waits->cap, i);
}

static int
damaged(struct tp_err *err, const char *kind)
{
	tp_fail(err, TP_BAD, "record.damaged", 0, "a %s without its times, "
	    "in order", kind);
	err->what = kind;
	return -1;
}

/* Time KEY of REC in ns. */
static int
time_of(const struct tp_rec *rec, const char *key, int64_t *ns)
{
	return tp_rec_int(rec, key, ns) && *ns > -TIME_MAX && *ns < TIME_MAX;
}

static void
add_weight(int64_t *sum, int64_t ns)
{
	*sum = ns < TIME_MAX - *sum ? *sum + ns : TIME_MAX;
}

/* Index of REC's view in T; -1 when REC names none. */
static ptrdiff_t
place_of(struct tp_waits_trace *t, const struct tp_rec *rec)
{
	const char *scope = tp_rec_text(rec, "scope");
	int64_t segment;
	ptrdiff_t at;

	if (!scope)
		return -1;
	if (!strcmp(scope, "span"))
		return 0;
	if (!strcmp(scope, "steps"))
		return 1;
	if (strcmp(scope, "segment") ||
	    !tp_rec_int(rec, "segment", &segment) || segment < 1)
		return -1;
	at = tp_ids_add(&t->segments, (uint64_t)segment, 0);
	return at + 2;
}

/* The view of REC; NULL with ERR. */
static struct view *
view_of(struct tp_waits_trace *t, const struct tp_rec *rec,
    struct tp_err *err)
{
	ptrdiff_t at = place_of(t, rec);
	size_t known = t->count, need = at < 2 ? 2 : (size_t)at + 1;

	if (at < 0) {
		damaged(err, rec->kind);
		return NULL;
	}
	tp_grow(&t->views, &t->cap, need, sizeof *t->views);
	if (need > known) {
		memset(t->views + known, 0, (need - known) * sizeof *t->views);
		t->count = need;
	}
	return &t->views[at];
}

static int
add_gap(struct tp_waits_trace *t, struct view *v, const struct tp_rec *rec,
    struct tp_err *err)
{
	struct gap g;
	size_t n = v->count;
	int64_t tid, encode;

	if (!time_of(rec, "start_ns", &g.from_ns) ||
	    !time_of(rec, "commit_ns", &g.to_ns) || g.from_ns >= g.to_ns ||
	    (n && g.from_ns < v->gaps[n - 1].to_ns))
		return damaged(err, "budget.gap");
	if (n)
		g.last_ns = v->gaps[n - 1].to_ns;
	else if (!time_of(rec, "last_commit_ns", &g.last_ns) ||
	    g.last_ns > g.from_ns)
		g.last_ns = g.from_ns;
	if (!time_of(rec, "completed_ns", &g.done_ns) ||
	    g.done_ns < g.from_ns)
		g.done_ns = g.from_ns;
	TP_LEAST(g.done_ns, g.to_ns);
	if (!time_of(rec, "encode_start_ns", &encode) || encode > g.to_ns)
		encode = g.to_ns;
	TP_MOST(encode, g.done_ns);
	tp_grow(&v->gaps, &v->cap, n + 1, sizeof g);
	v->gaps[v->count++] = g;
	tp_waits_take(&v->longest, &(struct tp_waits_gap){ g.from_ns,
	    g.done_ns, encode, encode, g.to_ns });
	if (tp_rec_int(rec, "tid", &tid))
		tp_ids_add(&t->tids, (uint64_t)tid, 0);
	return 0;
}

static int
add_sums(struct tp_waits_trace *t, struct view *v, const struct tp_rec *rec,
    struct tp_err *err)
{
	const char *name = tp_rec_text(rec, "process");
	const char *role = tp_rec_text(rec, "role");

	if (!name || !time_of(rec, "start_ns", &v->start_ns) ||
	    !time_of(rec, "end_ns", &v->end_ns) ||
	    v->start_ns >= v->end_ns)
		return damaged(err, "budget.gpu");
	for (size_t i = 0; i < TP_WAITS_PIECES; i++)
		if (!time_of(rec, tp_waits_pieces[i].key, &v->piece_ns[i]))
			v->piece_ns[i] = 0;
	if (!tp_rec_int(rec, "rows", &v->longest.rows))
		v->longest.rows = 0;
	v->scope = v == &t->views[0] ? "span" : v == &t->views[1] ?
	    "steps" : "segment";
	if (v > &t->views[1])
		v->segment = (int64_t)t->segments.ids[v - t->views - 2].a;
	v->is_main = role && !strcmp(role, "main");
	v->is_known = 1;
	if (!tp_rec_int(rec, "pid", &t->pid))
		t->pid = -1;
	if (!t->process)
		t->process = tp_dup(name);
	return 0;
}

int
tp_waits_add(struct tp_waits *waits, const struct tp_rec *rec,
    struct tp_err *err)
{
	int is_gap = !strcmp(rec->kind, "budget.gap");
	struct tp_waits_trace *t;
	struct view *v;

	if (!is_gap && strcmp(rec->kind, "budget.gpu"))
		return 0;
	t = trace_of(waits, rec->src);
	v = view_of(t, rec, err);
	if (!v)
		return -1;
	if (t->is_ready)
		return tp_fail(err, TP_BAD, "record.damaged", 0, "a %s behind "
		    "samples: give the records first, with --like",
		    rec->kind);
	return is_gap ? add_gap(t, v, rec, err) : add_sums(t, v, rec, err);
}

struct tp_waits_trace *
tp_waits_of(struct tp_waits *waits, const char *src)
{
	ptrdiff_t at = tp_names_find(&waits->srcs, src, strlen(src));

	if (at < 0 && waits->srcs.count == 1)
		at = 0;
	return at < 0 ? NULL : &waits->traces[at];
}

/* Whether gap I of V is a pause that stands alone. */
static int
is_pause(const struct view *v, size_t i)
{
	return i == v->longest.at && v->count &&
	    tp_waits_alone(&v->longest, v->end_ns - v->start_ns);
}

/* Assign every gap its samples entry, after all were read. */
static void
make_ready(struct view *v, int64_t weight_ns)
{
	int64_t since = v->count ? v->gaps[0].last_ns : 0;
	int64_t length, least_ns = weight_ns < LONG_NS / LONG_SAMPLES ?
	    LONG_NS : weight_ns < TIME_MAX / LONG_SAMPLES ? weight_ns *
	    LONG_SAMPLES : TIME_MAX;
	struct sampled *s;
	size_t n = 1, i;

	v->at = tp_alloc((v->count + 1) * sizeof *v->at);
	v->next = tp_zalloc((v->count + 1) * sizeof *v->next);
	for (i = 0; i < v->count; i++) {
		length = v->gaps[i].to_ns - v->gaps[i].from_ns;
		v->at[i] = length >= least_ns || is_pause(v, i) ?
		    (uint32_t)n++ : 0;
	}
	v->sampled = tp_zalloc(n * sizeof *v->sampled);
	v->sampled_count = n;
	for (i = v->count; i-- > 0;)
		v->next[i] = v->at[i] ? v->at[i] : v->next[i + 1];
	for (i = 0; i < v->count; i++) {
		s = &v->sampled[v->at[i]];
		/* long: since the last long gap, without short ones */
		s->before_ns += v->gaps[i].from_ns - (v->at[i] ? since :
		    v->gaps[i].last_ns);
		since = v->at[i] ? v->gaps[i].to_ns : since +
		    v->gaps[i].to_ns - v->gaps[i].from_ns;
		s->late_ns += v->gaps[i].to_ns - v->gaps[i].from_ns;
		s->told_ns += v->gaps[i].done_ns - v->gaps[i].from_ns;
	}
}

/* The gap of V that contains AT_NS, or whose time before does; NULL: none. */
static const struct gap *
gap_at(struct view *v, int64_t at_ns)
{
	size_t low;

	if (v->recent < v->count && v->gaps[v->recent].last_ns <= at_ns &&
	    at_ns < v->gaps[v->recent].to_ns)
		return &v->gaps[v->recent];
	TP_SEEK(low, 0, v->count, mid, v->gaps[mid].to_ns <= at_ns);
	if (low == v->count || at_ns < v->gaps[low].last_ns)
		return NULL;
	v->recent = low;
	return &v->gaps[low];
}

static int
is_of(const struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	return t->process && !strcmp(t->process, of->process) &&
	    (t->pid < 0 || of->pid < 0 || t->pid == of->pid);
}

/* Whether the sample is of a thread that the GPU waits for. */
static int
commits(const struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	static const char main_thread[] = "Main Thread";
	const size_t len = sizeof main_thread - 1;

	/* of all threads some always sleep */
	return (!t->tids.count && !of->waits) || of->tid < 0 ||
	    tp_ids_find(&t->tids, (uint64_t)of->tid, 0) >= 0 ||
	    ((!of->waits || !t->tids.count) && of->thread_len >= len &&
	    !memcmp(of->thread, main_thread, len));
}

static int64_t
sum_of(const int64_t *cause_ns)
{
	int64_t sum = 0;

	for (size_t i = 0; i < CAUSES_MAX; i++)
		add_weight(&sum, cause_ns[i]);
	return sum;
}

int
tp_waits_wants(struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	const struct gap *g;

	if (!is_of(t, of) || !commits(t, of))
		return 0;
	for (size_t i = 0; i < t->count; i++) {
		g = gap_at(&t->views[i], of->at_ns);
		if (g && g->from_ns <= of->at_ns)
			return 1;
	}
	return 0;
}

void
tp_waits_sample(struct tp_waits_trace *t, const struct tp_waits_sample *of)
{
	const struct gap *g;
	struct sampled *s;
	struct view *v;
	uint32_t next;
	int mine;

	if (!is_of(t, of) || of->cause >= CAUSES_MAX)
		return;
	for (size_t i = 0; i < t->count && !t->is_ready; i++)
		make_ready(&t->views[i], of->weight_ns);
	t->is_ready = 1;
	t->samples++;
	mine = commits(t, of);
	if (mine && !of->waits && of->at_ns < t->views[0].start_ns) {
		if (!sum_of(t->before_ns) || t->first_ns > of->at_ns)
			t->first_ns = of->at_ns;
		add_weight(&t->before_ns[of->cause], of->weight_ns);
	}
	for (size_t i = 0; i < t->count; i++) {
		v = &t->views[i];
		g = gap_at(v, of->at_ns);
		if (!g)
			continue;
		s = &v->sampled[v->at[g - v->gaps]];
		next = v->next[g - v->gaps];
		if (of->at_ns >= g->from_ns)
			add_weight(&(of->waits ? s->waited_ns : mine ?
			    s->cause_ns : s->others_ns)[of->cause],
			    of->weight_ns);
		else if (of->waits)
			continue;
		else if (mine)
			add_weight(&s->ran_before_ns, of->weight_ns);
		if (of->at_ns < g->from_ns && mine && next &&
		    s != &v->sampled[next])
			add_weight(&v->sampled[next].ran_before_ns,
			    of->weight_ns);
	}
}

/* PART, scaled so that OF becomes WHOLE. */
static int64_t
scaled(int64_t part, int64_t of, int64_t whole)
{
	return of <= whole ? part :
	    (int64_t)((tp_int128)part * whole / of);
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What the CPU did in late gaps: times that sum to those of the gaps. */
struct shares {
	int64_t cause_ns[CAUSES_MAX];	/* in threads that commit */
	int64_t asleep_ns[CAUSES_MAX];	/* while these slept: what they
					 * waited in, or others did */
	int64_t slept_ns;		/* the rest */
	int64_t moved_ns;		/* of the first, what could have been
					 * done before */
};

/*
 * Divide what is left of the sleep among the causes that SPENT_NS has time of
 * and that are waits (WAITS) or parts of another name.
 */
static void
share_sleep(struct shares *h, const int64_t *spent_ns, int waits,
    const struct tp_cpu_buckets *causes)
{
	size_t n = tp_cpu_bucket_count(causes), i;
	int64_t sum = 0, seen = 0, at = 0, before;
	int is_one[CAUSES_MAX] = { 0 };

	for (i = 0; i < n; i++) {
		const char *part = tp_cpu_bucket_part(causes, i);

		is_one[i] = part && waits == !strcmp(part, "waiting");
		if (is_one[i])
			sum += spent_ns[i];
	}
	for (i = 0; i < n; i++) {
		if (!is_one[i])
			continue;
		seen += spent_ns[i];
		before = at;
		at = scaled(seen, sum, h->slept_ns);
		h->asleep_ns[i] += at - before;
	}
	h->slept_ns -= at;
}

/* Divide the late time of S; at most TOLD_NS of the sleep is for the GPU. */
static void
share_out(struct shares *h, const struct sampled *s,
    const struct tp_cpu_buckets *causes)
{
	int64_t sum = 0, told, seen = 0, at = 0;
	size_t n = tp_cpu_bucket_count(causes), i;

	memset(h, 0, sizeof *h);
	for (i = 0; i < n; i++)
		sum += s->cause_ns[i];
	for (i = 0; i < n; i++) {
		seen += s->cause_ns[i];
		h->cause_ns[i] = scaled(seen, sum, s->late_ns) - at;
		at += h->cause_ns[i];
		if (!tp_cpu_bucket_part(causes, i))
			h->moved_ns += h->cause_ns[i];
	}
	h->slept_ns = s->late_ns - at;
	/*
	 * a lock is held, and a sleep in a loop ended, by other threads: what
	 * these do comes before it
	 */
	share_sleep(h, s->waited_ns, 0, causes);
	share_sleep(h, s->others_ns, 0, causes);
	share_sleep(h, s->waited_ns, 1, causes);
	told = least(h->slept_ns, s->told_ns);
	/* waiting for files or a compiler is mostly sleep */
	for (i = 0; i < n && h->slept_ns > told; i++)
		if (tp_cpu_bucket_part(causes, i) && at - h->moved_ns >
		    h->moved_ns && s->cause_ns[i] > sum / 2) {
			h->cause_ns[i] += h->slept_ns - told;
			h->slept_ns = told;
		}
}

/* The part of the budget of cause I; building without one. */
static enum tp_budget_part
part_of(const struct tp_cpu_buckets *causes, size_t i)
{
	const char *part = tp_cpu_bucket_part(causes, i);

	return part ? (enum tp_budget_part)tp_budget_part_named(part) :
	    TP_PART_BUILDING;
}

/* Sums of late gaps. */
struct late {
	int64_t late_ns, told_ns;
	int64_t sync_ns, waited_ns;	/* of these: synchronising; asleep */
};

/* Add the samples S to B as parts of its late time, which they sum to. */
static void
divide(struct tp_budget *b, const struct sampled *s,
    const struct tp_cpu_buckets *causes, struct late *sum)
{
	size_t n = tp_cpu_bucket_count(causes), i;
	int64_t could, told, sync, moved, seen = 0, at = 0;
	struct shares h;

	share_out(&h, s, causes);
	moved = h.moved_ns;
	/* time asleep before, when nothing ran */
	could = s->before_ns - least(s->ran_before_ns, s->before_ns);
	told = least(h.slept_ns, s->told_ns);
	tp_budget_add(b, TP_PART_SYNCHRONISING, "notification", told, 0);
	tp_budget_add(b, TP_PART_UNRECORDED, "not-running",
	    h.slept_ns - told, 0);
	sync = least(could, moved);
	tp_budget_add(b, TP_PART_SYNCHRONISING, "taking-turns", sync, 0);
	for (i = 0; i < n; i++) {
		int64_t ns = h.cause_ns[i];

		if (!tp_cpu_bucket_part(causes, i) && moved) {
			/* its share of what is not synchronising */
			seen += ns;
			ns = (int64_t)((tp_int128)seen * (moved - sync) /
			    moved) - at;
			at += ns;
		}
		tp_budget_add(b, part_of(causes, i), tp_cpu_bucket_name(causes,
		    i), ns + h.asleep_ns[i], 0);
	}
	sum->late_ns += s->late_ns;
	sum->told_ns += s->told_ns;
	sum->waited_ns += told;
	sum->sync_ns += told + sync;
}

/* The share OF of WHOLE of NS; 0 without a WHOLE. */
static int64_t
share(int64_t ns, int64_t of, int64_t whole)
{
	return whole ? (int64_t)((tp_int128)ns * of / whole) : 0;
}

/* Add the samples S of a pause to B: what the CPU did in it. */
static void
divide_pause(struct tp_budget *b, const struct sampled *s,
    const struct tp_cpu_buckets *causes)
{
	size_t n = tp_cpu_bucket_count(causes), i;
	struct shares h;

	share_out(&h, s, causes);
	for (i = 0; i < n; i++)
		tp_budget_add(b, TP_PART_PAUSE, tp_cpu_bucket_name(causes, i),
		    h.cause_ns[i] + h.asleep_ns[i], 0);
	tp_budget_add(b, TP_PART_PAUSE, "not-running", h.slept_ns, 0);
}

static void
add_sampled(struct tp_budget *b, const struct view *v,
    const struct tp_cpu_buckets *causes)
{
	int64_t told = v->piece_ns[TP_WAITS_START_1];
	int64_t start = v->piece_ns[TP_WAITS_START_2], sync;
	struct late sum = { 0 };
	size_t pause = is_pause(v, v->longest.at) ? v->at[v->longest.at] : 0;

	for (int i = 0; i < TP_WAITS_SURE; i++)
		tp_waits_piece(b, i, v->piece_ns[i]);
	for (size_t i = 0; i < v->sampled_count; i++) {
		if (i && i == pause) {
			divide_pause(b, &v->sampled[i], causes);
			tp_waits_pause(b, &v->longest);
			continue;
		}
		divide(b, &v->sampled[i], causes, &sum);
	}
	/*
	 * From commits to starts: as much as the CPU could have committed
	 * before, or after a notification as much as it slept for that.
	 */
	sync = share(told, sum.waited_ns, sum.told_ns);
	TP_MOST(sync, share(told, sum.sync_ns, sum.late_ns));
	sync += share(start, sum.sync_ns, sum.late_ns);
	tp_budget_add(b, TP_PART_SYNCHRONISING, "start", sync, 0);
	tp_budget_add(b, TP_PART_LAUNCH, "start", told + start - sync, 0);
}

static void
emit_view(const struct tp_waits_trace *t, const struct view *v,
    const struct tp_cpu_buckets *causes, struct tp_out *out)
{
	struct tp_budget b = { .scope = v->scope, .segment = v->segment,
	    .is_main = v->is_main, .start_ns = v->start_ns,
	    .end_ns = v->end_ns };

	if (t->samples)
		add_sampled(&b, v, causes);
	else
		tp_waits_pieces_add(&b, v->piece_ns, &v->longest);
	tp_waits_rest(&b);
	tp_budget_emit(&b, out);
}

/* Write what the threads that commit did before the first GPU work. */
static void
emit_before(const struct tp_waits_trace *t,
    const struct tp_cpu_buckets *causes, struct tp_out *out)
{
	int64_t start_ns = t->views[0].start_ns, sum = sum_of(t->before_ns);
	int64_t time_ns = start_ns - t->first_ns;
	size_t most = 0;

	if (!sum)
		return;
	for (size_t i = 1; i < tp_cpu_bucket_count(causes); i++)
		if (t->before_ns[i] > t->before_ns[most])
			most = i;
	tp_out_begin(out, "cpu.before");
	tp_out_int(out, "start_ns", t->first_ns);
	tp_out_int(out, "end_ns", start_ns);
	tp_out_int(out, "time_ns", time_ns);
	tp_out_int(out, "sampled_ns", sum);
	tp_out_text(out, "cause", tp_cpu_bucket_name(causes, most));
	tp_out_text(out, "label", tp_cpu_bucket_label(causes, most));
	/* threads run beside each other */
	tp_out_int(out, "cause_ns", scaled(t->before_ns[most], sum, time_ns));
	tp_out_end(out);
}

TP_ORDER(by_segment, struct view, TP_UP(segment))

void
tp_waits_emit(struct tp_waits_trace *t, const struct tp_cpu_buckets *causes,
    struct tp_out *out)
{
	if (t->count > 2)
		qsort(t->views + 2, t->count - 2, sizeof *t->views,
		    by_segment);
	if (t->count)
		emit_before(t, causes, out);
	for (size_t i = 0; i < t->count; i++)
		if (t->views[i].is_known)
			emit_view(t, &t->views[i], causes, out);
}
