/* segments - parts of a run that each have their own step shape */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/segments.h>
#include <tp/order.h>

/* Fewer steps, or intervals under a label, show no repetition. */
#define FEWEST 3
/*
 * A family of steps needs 1/FAMILY_SHARE of the GPU time to be a part; a
 * rest between parts needs 1/REST_SHARE.
 */
#define FAMILY_SHARE 50
#define REST_SHARE 100
/* A mark that covers this many tenths of the run is not a part of it. */
#define WHOLE_TENTHS 9
/*
 * Two families are one if neither has this many tenths of the other's GPU
 * time and intervals.
 */
#define SAME_BUSY 15
#define SAME_INTERVALS 13
/* With more runs of labels, labels are not phases of the program. */
#define LABEL_RUNS 16

int
tp_segments_row(const struct tp_segments_in *in, size_t *at,
    struct tp_buffer_row *row)
{
	const struct tp_cmdbuf *cb = in->cb;

	while (*at < cb->row_count) {
		*row = cb->rows[(*at)++];
		if (cb->buffers[row->buffer].proc != in->proc ||
		    row->to_ns <= in->window->from_ns ||
		    row->from_ns >= in->window->to_ns)
			continue;
		TP_MOST(row->from_ns, in->window->from_ns);
		TP_LEAST(row->to_ns, in->window->to_ns);
		return 1;
	}
	return 0;
}

int64_t *
tp_segments_ends(const struct tp_segments_in *in)
{
	const struct tp_cmdbuf *cb = in->cb;
	int64_t *ends = tp_alloc((cb->row_count + 1) * sizeof *ends);
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < cb->row_count; i++) {
		if (cb->buffers[cb->rows[i].buffer].proc == in->proc &&
		    cb->rows[i].to_ns > last)
			last = cb->rows[i].to_ns;
		ends[i] = last;
	}
	return ends;
}

size_t
tp_segments_first(const struct tp_segments_in *in, int64_t from_ns)
{
	size_t low;

	TP_SEEK(low, 0, in->ends ? in->cb->row_count : 0, mid, in->ends[mid] <=
	    from_ns);
	return low;
}

static struct tp_segment *
add_segment(struct tp_segments *segs, const char *name, const char *method,
    int64_t from, int64_t to)
{
	struct tp_segment *s;

	s = TP_PUSH(segs->list, segs->count, segs->cap);
	*s = (struct tp_segment){ .name = name, .name_len = name ?
	    strlen(name) : 0, .method = method, .from_ns = from,
	    .to_ns = to, .tokens = -1 };
	return s;
}

static void
clear(struct tp_segments *segs)
{
	for (size_t i = 0; i < segs->count; i++)
		tp_free(segs->list[i].found.steps);
	segs->count = 0;
}

/* The GPU work from FROM to TO, split at pauses. */
struct parts {
	struct tp_part *v;
	size_t count, cap;
	int64_t under_ns;		/* longest gap within a part */
	int64_t busy_ns;
};

static void
find_parts(const struct tp_segments_in *in, int64_t from, int64_t to,
    struct parts *p)
{
	struct tp_buffer_row r;
	struct tp_part *last = NULL;
	int64_t gap;

	for (size_t at = tp_segments_first(in, from);
	    tp_segments_row(in, &at, &r) && r.from_ns < to; ) {
		if (r.from_ns < from)
			continue;
		TP_LEAST(r.to_ns, to);
		gap = last ? r.from_ns - last->to_ns : 0;
		if (!last || (gap >= in->limit_ns && !tp_buffer_queued(
		    &in->cb->buffers[r.buffer], last->to_ns))) {
			last = TP_PUSH(p->v, p->count, p->cap);
			*last = (struct tp_part){ r.from_ns, r.from_ns, 0, 0 };
		} else if (gap > p->under_ns) {
			p->under_ns = gap;
		}
		last->intervals++;
		TP_MOST(r.from_ns, last->to_ns);
		if (r.to_ns > r.from_ns) {
			last->busy_ns += r.to_ns - r.from_ns;
			p->busy_ns += r.to_ns - r.from_ns;
			last->to_ns = r.to_ns;
		}
	}
}

/* Medians over the steps of F except the first. */
static void
medians(const struct tp_steps_found *f, int64_t *busy, int64_t *intervals)
{
	size_t n = f->count - 1;
	int64_t *v = tp_alloc((n + 1) * sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = f->steps[i + 1].busy_ns;
	tp_sort_ints(v, n);
	*busy = n ? v[(n - 1) / 2] : f->steps[0].busy_ns;
	for (size_t i = 0; i < n; i++)
		v[i] = f->steps[i + 1].intervals;
	tp_sort_ints(v, n);
	*intervals = n ? v[(n - 1) / 2] : f->steps[0].intervals;
	tp_free(v);
}

static int
within(int64_t a, int64_t b, int64_t tenths)
{
	return (tp_int128)10 * a <= (tp_int128)tenths * b &&
	    (tp_int128)10 * b <= (tp_int128)tenths * a;
}

/* Whether the steps of A and B have the same shape. */
static int
is_same(const struct tp_steps_found *a, const struct tp_steps_found *b)
{
	int64_t busy[2], intervals[2];

	medians(a, &busy[0], &intervals[0]);
	medians(b, &busy[1], &intervals[1]);
	return within(busy[0], busy[1], SAME_BUSY) &&
	    within(intervals[0], intervals[1], SAME_INTERVALS);
}

/*
 * Add a part with the steps of FOUND, taking ownership.  Steps of the same
 * shape as the part before extend it.
 */
static void
add_family(struct tp_segments *segs, size_t first, const char *name,
    struct tp_steps_found *found)
{
	struct tp_segment *s = segs->count > first ?
	    &segs->list[segs->count - 1] : NULL;
	struct tp_step *more;

	if (s && is_same(&s->found, found)) {
		more = tp_alloc((s->found.count + found->count) *
		    sizeof *more);
		memcpy(more, s->found.steps, s->found.count * sizeof *more);
		memcpy(more + s->found.count, found->steps,
		    found->count * sizeof *more);
		tp_free(s->found.steps);
		tp_free(found->steps);
		s->found.steps = more;
		s->found.count += found->count;
		s->to_ns = more[s->found.count - 1].end_ns;
		return;
	}
	s = add_segment(segs, name, "step-family", found->steps[0].start_ns,
	    found->steps[found->count - 1].end_ns);
	s->found = *found;
}

/*
 * Add the families of steps among the COUNT PARTS, in time order, after
 * segment FIRST: first the family with most work, then those before and
 * after it.
 */
static void
add_families(struct tp_segments *segs, size_t first, const char *name,
    const struct tp_part *parts, size_t count, int64_t under_ns,
    int64_t least_ns)
{
	struct tp_steps_found f = { 0 };
	size_t from = 0, end;
	int64_t busy = 0, last;

	tp_steps_in_parts(parts, count, under_ns, 1, &f);
	for (size_t i = 0; i < f.count; i++)
		busy += f.steps[i].busy_ns;
	if (!f.count || busy < least_ns) {
		tp_free(f.steps);
		return;
	}
	last = f.steps[f.count - 1].end_ns;
	while (from < count && parts[from].to_ns <= f.steps[0].first_ns)
		from++;
	for (end = from; end < count && parts[end].from_ns < last; end++)
		;
	add_families(segs, first, name, parts, from, under_ns, least_ns);
	add_family(segs, first, name, &f);
	add_families(segs, first, name, parts + end, count - end, under_ns,
	    least_ns);
}

/* Copy steps FROM .. END-1 of ALL to S. */
static void
copy_steps(struct tp_segment *s, const struct tp_steps_found *all,
    size_t from, size_t end)
{
	s->found = *all;
	s->found.count = end - from;
	s->found.steps = tp_alloc((end - from) * sizeof *s->found.steps);
	memcpy(s->found.steps, all->steps + from,
	    (end - from) * sizeof *s->found.steps);
}

/*
 * As add_families(), when MAIN, the steps of the run, are known: they come
 * first.
 */
static void
add_around(struct tp_segments *segs, const struct tp_steps_found *main,
    const struct tp_part *parts, size_t count, int64_t under_ns,
    int64_t least_ns)
{
	struct tp_segment whole = { 0 };
	size_t from = 0, end;
	int64_t last;

	if (!main->count) {
		add_families(segs, 0, NULL, parts, count, under_ns, least_ns);
		return;
	}
	last = main->steps[main->count - 1].end_ns;
	while (from < count && parts[from].to_ns <= main->steps[0].first_ns)
		from++;
	for (end = from; end < count && parts[end].from_ns < last; end++)
		;
	add_families(segs, 0, NULL, parts, from, under_ns, least_ns);
	copy_steps(&whole, main, 0, main->count);
	add_family(segs, 0, NULL, &whole.found);
	add_families(segs, 0, NULL, parts + end, count - end, under_ns,
	    least_ns);
}

/* Split the steps of a part by shape, and add each family. */
static void
split_steps(struct tp_segments *segs, const struct tp_steps_found *found,
    const char *name, int64_t least_ns)
{
	struct tp_part *parts = tp_alloc((found->count + 1) * sizeof *parts);
	size_t n = 0;

	for (size_t i = 0; i < found->count; i++) {
		const struct tp_step *s = &found->steps[i];

		parts[n++] = (struct tp_part){ s->start_ns, s->end_ns,
		    s->busy_ns, s->intervals };
	}
	add_families(segs, segs->count, name, parts, n, 0, least_ns);
	tp_free(parts);
}

/*
 * Give S the steps that lie in it: those of the run, else what repeats
 * there.
 */
static void
find_steps(const struct tp_segments_in *in, struct tp_segment *s)
{
	const struct tp_steps_found *main = in->main;
	struct parts p = { 0 };
	size_t from, end;

	TP_SEEK(from, 0, main->count, mid, main->steps[mid].start_ns <
	    s->from_ns);
	for (end = from; end < main->count &&
	    main->steps[end].end_ns <= s->to_ns; end++)
		;
	if (end - from >= FEWEST || (end > from &&
	    !strcmp(main->method, "signpost"))) {
		copy_steps(s, main, from, end);
		return;
	}
	find_parts(in, s->from_ns, s->to_ns, &p);
	tp_steps_in_parts(p.v, p.count, p.under_ns, 0, &s->found);
	if (!s->found.count && in->gpu->has_labels)
		tp_steps_in_labels(in, s->from_ns, s->to_ns, 0, &s->found);
	tp_free(p.v);
}

/* A mark that may be a part. */
struct phase {
	const struct tp_mark *mark;
	int is_step;
};

/* Earlier first; of those with equal start the longest. */
TP_ORDER(by_time, struct phase, TP_UP(mark->from_ns) TP_DOWN(mark->to_ns)
    TP_UP(mark->name))

/*
 * Whether most of the COUNT marks at M lie within steps of the run, or
 * overlap each other: then they are not parts of it.
 */
static int
is_inner(const struct tp_segments_in *in, const struct tp_mark *m,
    size_t count)
{
	const struct tp_steps_found *f = in->main;
	size_t low, inside = 0;

	TP_SEEK(low, 0, f->name ? f->count : 0, mid, f->steps[mid].end_ns <=
	    m[0].from_ns);
	for (size_t i = 0; i < count; i++) {
		if (i && m[i].from_ns < m[i - 1].to_ns)
			return 1;
		while (f->name && low < f->count &&
		    f->steps[low].end_ns <= m[i].from_ns)
			low++;
		inside += f->name && low < f->count &&
		    f->steps[low].start_ns <= m[i].from_ns &&
		    m[i].to_ns <= f->steps[low].end_ns;
	}
	return inside > count / 2;
}

/* Collect the marks that may be parts of the run into V, in time order. */
static size_t
candidates(const struct tp_segments_in *in, struct phase *v)
{
	const struct tp_mark *m = in->marks;
	size_t n = 0, from, end;

	for (from = 0; from < in->mark_count; from = end) {
		const char *name = in->steps->names.names[m[from].name].text;
		int is_step = in->main->name && !strcmp(name,
		    in->main->name);

		for (end = from; end < in->mark_count &&
		    m[end].name == m[from].name; end++)
			;
		if (!is_step && is_inner(in, m + from, end - from))
			continue;
		for (; from < end; from++)
			v[n++] = (struct phase){ &m[from], is_step };
	}
	TP_SORT(v, n, by_time);
	return n;
}

/* Whether phase V covers the whole run, and so separates nothing. */
static int
is_whole(const struct phase *v, int64_t from, int64_t to)
{
	int64_t a = v->mark->from_ns > from ? v->mark->from_ns : from;
	int64_t b = v->mark->to_ns < to ? v->mark->to_ns : to;

	return !v->is_step && b - a > (to - from) / 10 * WHOLE_TENTHS;
}

/* Whether smaller marks fill half of phase AT of the N at V. */
static int
is_filled(const struct phase *v, size_t n, size_t at)
{
	const struct tp_mark *m = v[at].mark;
	int64_t filled = 0, end = m->from_ns;
	size_t parts = 0;

	for (size_t i = at + 1; i < n && v[i].mark->from_ns < m->to_ns; i++) {
		if (v[i].is_step || v[i].mark->to_ns > m->to_ns ||
		    v[i].mark->from_ns < end)
			continue;
		end = v[i].mark->to_ns;
		filled += end - v[i].mark->from_ns;
		parts++;
	}
	return parts > 1 && filled > (m->to_ns - m->from_ns) / 2;
}

/*
 * Reduce the N marks at V to parts of the run: outermost marks, unless
 * smaller ones fill them.
 */
static size_t
outermost(struct phase *v, size_t n)
{
	int64_t end = INT64_MIN;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].mark->from_ns < end || (!v[i].is_step &&
		    is_filled(v, n, i)))
			continue;
		end = v[i].mark->to_ns;
		v[kept++] = v[i];
	}
	return kept;
}

/* Add GPU work from FROM to TO, as far as it lies in STEP. */
static void
add_work(struct tp_step *step, int64_t from, int64_t to)
{
	TP_MOST(from, step->start_ns);
	TP_LEAST(to, step->end_ns);
	if (to <= from)
		return;
	if (!step->busy_ns)
		step->first_ns = from;
	step->busy_ns += to - from;
	step->last_ns = to;
}

/*
 * Add marks V[FROM] .. V[END-1], of one name, as a part with these as its
 * steps; or as several parts when the steps change shape.
 */
static void
add_loop(struct tp_segments *segs, const struct tp_segments_in *in,
    const struct phase *v, size_t from, size_t end, int64_t least_ns)
{
	struct tp_steps_found f = { .method = "signpost",
	    .name = in->steps->names.names[v[from].mark->name].text };
	size_t first = segs->count, at = 0, k = 0;
	struct tp_buffer_row r;
	struct tp_segment *s;
	int64_t done = INT64_MIN, tokens = 0;

	f.count = end - from;
	f.steps = tp_zalloc(f.count * sizeof *f.steps);
	for (size_t i = 0; i < f.count; i++) {
		const struct tp_mark *m = v[from + i].mark;

		f.steps[i].start_ns = m->from_ns;
		f.steps[i].end_ns = m->to_ns;
		f.steps[i].buffers = -1;
		tokens = tokens < 0 || m->tokens < 0 ? -1 :
		    tokens + m->tokens;
	}
	at = tp_segments_first(in, f.steps[0].start_ns);
	while (k < f.count && tp_segments_row(in, &at, &r)) {
		while (k < f.count && f.steps[k].end_ns <= r.from_ns)
			k++;
		if (k < f.count && f.steps[k].start_ns <= r.from_ns)
			f.steps[k].intervals++;
		TP_MOST(r.from_ns, done);
		/* work that began before a step may reach into it */
		for (size_t i = k; i < f.count &&
		    f.steps[i].start_ns < r.to_ns; i++)
			add_work(&f.steps[i], r.from_ns, r.to_ns);
		TP_MOST(done, r.to_ns);
	}
	split_steps(segs, &f, f.name, least_ns);
	if (segs->count - first > 1) {
		for (size_t i = first; i < segs->count; i++) {
			struct tp_steps_found *own = &segs->list[i].found;

			own->method = f.method;
			own->name = f.name;
			/* a marked step begins where its mark does */
			for (size_t n = 0; n < own->count; n++)
				own->steps[n].start_ns =
				    own->steps[n].first_ns;
			segs->list[i].from_ns = own->steps[0].start_ns;
		}
		tp_free(f.steps);
		return;
	}
	while (segs->count > first)
		tp_free(segs->list[--segs->count].found.steps);
	s = add_segment(segs, f.name, "signpost", f.steps[0].start_ns,
	    f.steps[f.count - 1].end_ns);
	s->tokens = tokens;
	s->found = f;
}

/* Add the parts that the program marked in a run from FIRST_NS to LAST_NS. */
static void
by_marks(struct tp_segments *segs, const struct tp_segments_in *in,
    int64_t least_ns, int64_t first_ns, int64_t last_ns)
{
	struct phase *v;
	struct tp_segment *s;
	size_t n, from, end;

	if (!in->mark_count)
		return;
	v = tp_alloc(in->mark_count * sizeof *v);
	n = candidates(in, v);
	for (from = end = 0; from < n; from++)
		if (!is_whole(&v[from], first_ns, last_ns))
			v[end++] = v[from];
	n = outermost(v, end);
	for (from = 0; from < n; from = end) {
		const struct tp_mark *m = v[from].mark;

		for (end = from + 1; end < n && v[end].mark->name == m->name;
		    end++)
			;
		if (end - from >= FEWEST) {
			add_loop(segs, in, v, from, end, least_ns);
			continue;
		}
		end = from + 1;
		s = add_segment(segs, in->steps->names.names[m->name].text,
		    "signpost", m->from_ns, m->to_ns);
		find_steps(in, s);
		s->tokens = m->tokens;
	}
	tp_free(v);
}

/* Add runs of intervals with the same label. */
static void
by_labels(struct tp_segments *segs, const struct tp_segments_in *in,
    int64_t least_ns)
{
	struct run { uint32_t label; int64_t from, to, busy, rows; }
	    runs[LABEL_RUNS], *run = NULL;
	struct tp_buffer_row r;
	size_t n = 0, named = 0;
	struct tp_segment *s;

	for (size_t at = 0; tp_segments_row(in, &at, &r); ) {
		if (!run || run->label != r.label) {
			if (n == LABEL_RUNS)
				return;
			run = &runs[n++];
			*run = (struct run){ r.label, r.from_ns, r.from_ns,
			    0, 0 };
		}
		run->rows++;
		TP_MOST(r.from_ns, run->to);
		if (r.to_ns > r.from_ns) {
			run->busy += r.to_ns - r.from_ns;
			run->to = r.to_ns;
		}
	}
	for (size_t i = 0; i < n; i++)
		named += runs[i].label && runs[i].rows >= FEWEST &&
		    runs[i].busy >= least_ns;
	for (size_t i = 0; i < n && named > 1; i++) {
		if (!runs[i].label || runs[i].rows < FEWEST ||
		    runs[i].busy < least_ns)
			continue;
		s = add_segment(segs, tp_labels_name(&in->gpu->labels,
		    runs[i].label), "label", runs[i].from, runs[i].to);
		find_steps(in, s);
		s->name_len = tp_label_given(s->name);
	}
}

/* Add the families of steps from FROM to TO that labels separate. */
static void
add_periods(struct tp_segments *segs, const struct tp_segments_in *in,
    int64_t from, int64_t to, int64_t least_ns)
{
	struct tp_steps_found f = { 0 };
	int64_t busy = 0, end;

	if (!in->gpu->has_labels)
		return;
	tp_steps_in_labels(in, from, to, 1, &f);
	for (size_t i = 0; i < f.count; i++)
		busy += f.steps[i].busy_ns;
	if (!f.count || busy < least_ns) {
		tp_free(f.steps);
		return;
	}
	end = f.steps[f.count - 1].end_ns;
	add_periods(segs, in, from, f.steps[0].start_ns, least_ns);
	add_family(segs, 0, NULL, &f);
	add_periods(segs, in, end, to, least_ns);
}

static int64_t
busy_of(const struct tp_steps_found *f)
{
	int64_t busy = 0;

	for (size_t i = 0; i < f->count; i++)
		busy += f->steps[i].busy_ns;
	return busy;
}

/* The segment whose steps have most GPU work; NULL when none has steps. */
static const struct tp_segment *
heaviest(const struct tp_segments *segs)
{
	const struct tp_segment *best = NULL;

	for (size_t i = 0; i < segs->count; i++)
		if (segs->list[i].found.count && (!best || busy_of(
		    &segs->list[i].found) > busy_of(&best->found)))
			best = &segs->list[i];
	return best;
}

/*
 * When the run has no steps because other work interrupts them, adopt the
 * steps of the heaviest shape if they hold half of its work, BUSY_NS.
 */
static void
adopt(const struct tp_segments *segs, struct tp_steps_found *main,
    int64_t busy_ns)
{
	const struct tp_segment *best = heaviest(segs);
	struct tp_step *steps;
	size_t n = 0, count = 0;
	int64_t busy = 0;
	int same;

	if (!best)
		return;
	for (size_t i = 0; i < segs->count; i++)
		count += segs->list[i].found.count;
	steps = tp_alloc(count * sizeof *steps);
	for (size_t i = 0; i < segs->count; i++) {
		const struct tp_steps_found *f = &segs->list[i].found;

		same = f->count ? is_same(&best->found, f) : 0;
		for (size_t k = 0; k < f->count && same; k++) {
			busy += f->steps[k].busy_ns;
			steps[n++] = f->steps[k];
		}
	}
	if (busy < busy_ns / 2) {
		tp_free(steps);
		return;
	}
	main->method = best->found.method;
	main->limit_ns = best->found.limit_ns;
	main->reason = NULL;
	main->steps = steps;
	main->count = n;
}

/* Add repeating work, split where it changes shape. */
static void
by_families(struct tp_segments *segs, const struct tp_segments_in *in,
    const struct parts *p, int64_t least_ns)
{
	const struct tp_steps_found *main = in->main;

	if (!main->count || !strcmp(main->method, "label"))
		add_periods(segs, in, INT64_MIN, INT64_MAX, least_ns);
	if (!segs->count)
		add_around(segs, main, p->v, p->count, p->under_ns, least_ns);
	if (!main->count)
		adopt(segs, in->main, p->busy_ns);
	if (segs->count > 1 || !main->count)
		return;
	/* a single shape: keep the steps of the run as found */
	clear(segs);
	copy_steps(add_segment(segs, NULL, "step-family",
	    main->steps[0].start_ns,
	    main->steps[main->count - 1].end_ns), main, 0, main->count);
}

/* The first part of P that begins at or after FROM. */
static size_t
first_part(const struct parts *p, int64_t from)
{
	size_t low;

	TP_SEEK(low, 0, p->count, mid, p->v[mid].from_ns < from);
	return low;
}

/*
 * Add the work from FROM to TO if there is enough of it; with its steps,
 * unless IS_SEARCHED.
 */
static void
add_rest(struct tp_segments *segs, const struct tp_segments_in *in,
    const struct parts *p, int64_t from, int64_t to, int is_searched)
{
	int64_t busy = 0, first = 0, last = 0;
	struct tp_segment *s;

	for (size_t i = first_part(p, from); i < p->count &&
	    p->v[i].from_ns < to; i++) {
		const struct tp_part *part = &p->v[i];

		/* a part that crosses a border belongs to the known segment */
		if (part->from_ns < from || part->to_ns > to)
			continue;
		if (!busy)
			first = part->from_ns;
		busy += part->busy_ns;
		last = part->to_ns;
	}
	if (!busy || busy < p->busy_ns / REST_SHARE)
		return;
	s = add_segment(segs, NULL, "rest", first, last);
	if (!is_searched)
		find_steps(in, s);
}

TP_ORDER(by_start, struct tp_segment, TP_UP(from_ns))

void
tp_segments_find(struct tp_segments *segs, const struct tp_segments_in *in)
{
	struct parts p = { 0 };
	size_t known;
	int64_t from = INT64_MIN, least;
	int is_searched;

	find_parts(in, INT64_MIN, INT64_MAX, &p);
	least = p.busy_ns / FAMILY_SHARE;
	if (p.count)
		by_marks(segs, in, least, p.v[0].from_ns,
		    p.v[p.count - 1].to_ns);
	/* a single part adds nothing */
	if (segs->count == 1 && segs->list[0].found.count == in->main->count)
		clear(segs);
	if (p.count && !segs->count)
		by_labels(segs, in, least);
	is_searched = !segs->count;
	if (p.count && is_searched)
		by_families(segs, in, &p, least);
	known = segs->count;
	for (size_t i = 0; i <= known && known; i++) {
		add_rest(segs, in, &p, from, i < known ?
		    segs->list[i].from_ns : INT64_MAX, is_searched);
		from = i < known ? segs->list[i].to_ns : from;
	}
	if (segs->count > known)
		TP_SORT(segs->list, segs->count, by_start);
	if (segs->count < 2)
		clear(segs);
	tp_free(p.v);
}

int
tp_segments_choose(const struct tp_segments *segs,
    struct tp_steps_found *found)
{
	const struct tp_segment *best = heaviest(segs), *s;
	size_t kept = 0, at = 0;
	int same;

	for (size_t i = 0; best && i < segs->count; i++) {
		s = &segs->list[i];
		if (!s->found.count)
			continue;
		same = is_same(&best->found, &s->found);
		/* move steps of the run that lie in it to the front */
		while (at < found->count &&
		    found->steps[at].start_ns < s->from_ns)
			at++;
		for (; at < found->count &&
		    found->steps[at].end_ns <= s->to_ns; at++)
			if (same)
				found->steps[kept++] = found->steps[at];
	}
	if (!kept || kept == found->count)
		return 0;
	found->count = kept;
	return 1;
}
