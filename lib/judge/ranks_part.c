/*
 * ranks_part - partial results of some ranks, as mergeable records
 *
 * A partial is "ranks.part", then the kinds of collectives, the ranks and
 * their steps, the groups with sums over collectives that all their ranks
 * took part in, their members, totals of these collectives by kind, and the
 * collectives that other ranks may still join.  All are sorted by content,
 * so equal ranks give equal bytes.  Sums that may exceed 2^63 are text.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/judge/ranks.h>
#include <tp/order.h>
#include <tp/os.h>

#define VERSION 1

/* Times in ranks.c lie within these, so their differences do not overflow. */
#define EARLIEST INT64_C(-200000000000000000)
#define LATEST INT64_C(4900000000000000000)

static void
put_sum(struct tp_buf *buf, tp_int128 n)
{
	char text[48], *p = text + sizeof text - 1;
	int is_negative = n < 0;

	*p = '\0';
	do {
		int digit = (int)(n % 10);

		*--p = (char)('0' + (digit < 0 ? -digit : digit));
	} while (n /= 10);
	if (is_negative)
		*--p = '-';
	tp_buf_str(buf, p);
}

static void
out_sum(struct tp_out *out, const char *key, tp_int128 n)
{
	struct tp_buf buf = { 0 };

	put_sum(&buf, n);
	tp_out_text(out, key, buf.p ? buf.p : "");
	tp_buf_release(&buf);
}

/*
 * Parse the number at *P and move past it.  0, or -1 when it is none.  Limit
 * the digits so that sums of many cannot overflow.
 */
static int
get_sum(const char **p, tp_int128 *n)
{
	int is_negative = **p == '-', digits = 0;

	*n = 0;
	for (*p += is_negative; **p >= '0' && **p <= '9'; ++*p) {
		*n = *n * 10 + (**p - '0');
		if (++digits > 30)
			return -1;
	}
	*n = is_negative ? -*n : *n;
	return digits ? 0 : -1;
}

static int
get_number(const char **p, int64_t *n)
{
	tp_int128 sum;

	if (get_sum(p, &sum) < 0 || sum < INT64_MIN || sum > INT64_MAX)
		return -1;
	*n = (int64_t)sum;
	return 0;
}

/* Parse the sum in KEY of REC. */
static int
take_sum(const struct tp_rec *rec, const char *key, tp_int128 *n)
{
	const char *text = tp_rec_text(rec, key);

	return text && !get_sum(&text, n) && !*text ? 0 : -1;
}

static int
take_count(const struct tp_rec *rec, const char *key, uint32_t *n)
{
	int64_t value;

	if (!tp_rec_int(rec, key, &value) || value < 0 || value > UINT32_MAX)
		return -1;
	*n = (uint32_t)value;
	return 0;
}

static int
take_time(const struct tp_rec *rec, const char *key, int64_t *ns)
{
	return tp_rec_int(rec, key, ns) && *ns >= EARLIEST && *ns <= LATEST ?
	    0 : -1;
}

/* The kind of collective of REC. */
static int
take_what(const struct tp_ranks *r, const struct tp_rec *rec, uint32_t *what)
{
	uint32_t at;

	if (take_count(rec, "what_index", &at) < 0 || at >= r->part_what_count)
		return -1;
	*what = r->part_whats[at];
	return 0;
}

static int
take_kind(struct tp_ranks *r, const struct tp_rec *rec)
{
	ptrdiff_t what = tp_ranks_what(r, rec);
	uint32_t at;

	if (take_count(rec, "what_index", &at) < 0 || at != r->part_what_count)
		return -1;
	TP_APPEND(r->part_whats, r->part_what_count, r->part_what_cap,
	    (uint32_t)what);
	return 0;
}

static int
take_rank(struct tp_ranks *r, const struct tp_rec *rec)
{
	const char *base = tp_rec_text(rec, "clock_base"), *p = base;
	ptrdiff_t gpu = tp_ranks_text(r, tp_rec_text(rec, "gpu_name"));
	struct tp_rank *k;
	int64_t number;
	ptrdiff_t at;

	if (!tp_rec_int(rec, "process_rank", &number) || number < 0)
		return -1;
	at = tp_ranks_rank(r, number, rec->src);
	k = &r->ranks[at];
	k->trace_count++;
	k->gpu = (uint32_t)gpu;
	k->job_count = tp_ranks_number(rec, "rank_count");
	if (!r->rank_count || k->job_count > r->rank_count)
		r->rank_count = k->job_count;
	tp_rec_int(rec, "listed_device_count", &k->device_count);
	if (base && (get_number(&p, &k->base_ns) < 0 || *p ||
	    k->base_ns < 0 || k->base_ns >= INT64_MAX / 2))
		return -1;
	k->has_base = base != NULL;
	k->has_range = !take_time(rec, "first_ns", &k->first_ns) &&
	    !take_time(rec, "last_ns", &k->last_ns);
	tp_ranks_take_time(k, rec);
	return tp_rec_int(rec, "collective_count", &k->run_count) &&
	    tp_rec_int(rec, "collective_sum_ns", &k->collective_sum_ns) ? 0 :
	    -1;
}

static int
take_step(struct tp_ranks *r, const struct tp_rec *rec)
{
	int64_t number;
	ptrdiff_t at;

	if (!tp_rec_int(rec, "process_rank", &number) || number < 0)
		return -1;
	at = tp_ranks_rank(r, number, rec->src);
	tp_ranks_add_step(&r->ranks[at], rec);
	return 0;
}

static int
take_group(struct tp_ranks *r, const struct tp_rec *rec)
{
	uint32_t what, matched, apart;
	struct tp_ranks_group *g;
	tp_int128 last;
	ptrdiff_t at;

	if (take_what(r, rec, &what) < 0 ||
	    take_count(rec, "matched_count", &matched) < 0 ||
	    take_count(rec, "apart_count", &apart) < 0 ||
	    take_sum(rec, "last_sum", &last) < 0)
		return -1;
	at = tp_ranks_group(r, what);
	g = &r->groups[at];
	g->is_odd |= tp_rec_field(rec, "is_out_of_step") != NULL;
	g->matched_count += matched;
	g->apart_count += apart;
	g->last_sum += last;
	return 0;
}

static int
take_member(struct tp_ranks *r, const struct tp_rec *rec)
{
	struct tp_ranks_member m;
	uint32_t what;

	if (!tp_rec_int(rec, "process_rank", &m.rank) || m.rank < 0 ||
	    take_what(r, rec, &what) < 0 ||
	    take_count(rec, "count", &m.count) < 0 ||
	    take_sum(rec, "start_sum", &m.start_sum) < 0)
		return -1;
	m.group = (uint32_t)tp_ranks_group(r, what);
	*tp_ranks_member(r) = m;
	return 0;
}

/* Parse "EXCHANGE,START,END ..." into the COUNT times of ROW. */
static int
take_times(struct tp_ranks_sum *row, const char *text, uint32_t count)
{
	struct tp_ranks_times t;

	tp_grow(&row->times, &row->times_cap, (size_t)row->count + count,
	    sizeof *row->times);
	for (; count; count--) {
		if (get_number(&text, &t.exchange) < 0 || *text++ != ',' ||
		    get_number(&text, &t.skew_start) < 0 || *text++ != ',' ||
		    get_number(&text, &t.skew_end) < 0 ||
		    *text != (count > 1 ? ' ' : '\0'))
			return -1;
		text++;
		row->times[row->count++] = t;
	}
	return 0;
}

/* Parse "RANK:COUNT ...". */
static int
take_lasts(struct tp_ranks *r, uint32_t what, const char *text)
{
	int64_t rank, count;

	while (*text) {
		if (get_number(&text, &rank) < 0 || rank < 0 ||
		    *text++ != ':' || get_number(&text, &count) < 0 ||
		    count < 0 || count > UINT32_MAX ||
		    (*text && *text++ != ' '))
			return -1;
		tp_ranks_add_last(r, what, rank, (uint64_t)count);
	}
	return 0;
}

static int
take_part_sum(struct tp_ranks *r, const struct tp_rec *rec)
{
	const char *times = tp_rec_text(rec, "times");
	const char *lasts = tp_rec_text(rec, "lasts");
	uint32_t what, count, least, most;
	tp_int128 wait, moved, in_most = 0, in_all = 0;
	struct tp_ranks_sum *row;
	int64_t low, high;
	int in_known;

	if (take_what(r, rec, &what) < 0 || !times || !lasts ||
	    take_count(rec, "count", &count) < 0 || !count ||
	    take_count(rec, "traced_min_count", &least) < 0 ||
	    take_count(rec, "traced_max_count", &most) < 0 ||
	    !tp_rec_int(rec, "low_rank", &low) || low < 0 ||
	    !tp_rec_int(rec, "high_rank", &high) || high < low ||
	    take_sum(rec, "wait_sum", &wait) < 0 ||
	    take_sum(rec, "moved_sum", &moved) < 0)
		return -1;
	row = tp_ranks_sum(r, what);
	in_known = !take_sum(rec, "in_most_sum", &in_most) &&
	    !take_sum(rec, "in_sum", &in_all);
	if (!row->count) {
		row->traced_min = least;
		row->low_rank = low;
		row->in_known = 1;
	}
	row->traced_min = least < row->traced_min ? least : row->traced_min;
	row->traced_max = most > row->traced_max ? most : row->traced_max;
	row->low_rank = low < row->low_rank ? low : row->low_rank;
	row->high_rank = high > row->high_rank ? high : row->high_rank;
	row->wait += wait;
	row->moved += moved;
	row->in_most += in_most;
	row->in_all += in_all;
	row->in_known &= in_known;
	return take_times(row, times, count) < 0 ||
	    take_lasts(r, what, lasts) < 0 ? -1 : 0;
}

static int
take_instance(struct tp_ranks *r, const struct tp_rec *rec)
{
	struct tp_ranks_instance x = { 0 };

	if (take_what(r, rec, &x.what) < 0 ||
	    take_count(rec, "instance_index", &x.order) < 0 ||
	    take_count(rec, "traced_count", &x.traced_count) < 0 ||
	    !x.traced_count ||
	    !tp_rec_int(rec, "low_rank", &x.low_rank) || x.low_rank < 0 ||
	    !tp_rec_int(rec, "high_rank", &x.high_rank) || x.high_rank < 0 ||
	    !tp_rec_int(rec, "came_last_rank", &x.last_rank) ||
	    x.last_rank < 0 ||
	    take_time(rec, "start_first_ns", &x.start_first_ns) < 0 ||
	    take_time(rec, "start_last_ns", &x.start_last_ns) < 0 ||
	    take_time(rec, "end_first_ns", &x.end_first_ns) < 0 ||
	    take_time(rec, "end_last_ns", &x.end_last_ns) < 0 ||
	    take_time(rec, "shortest_ns", &x.shortest_ns) < 0 ||
	    take_sum(rec, "start_sum", &x.start_sum) < 0)
		return -1;
	x.group = (uint32_t)tp_ranks_group(r, x.what);
	x.in_known = tp_rec_int(rec, "in_max_bytes", &x.in_max) &&
	    !take_sum(rec, "in_sum", &x.in_sum);
	*tp_ranks_instance(r) = x;
	return 0;
}

static int
read_part_header(struct tp_ranks *r, const struct tp_rec *rec,
    struct tp_err *err)
{
	const char *digest = tp_rec_text(rec, "digest");
	size_t had = r->parts.count;
	int64_t version, unknown = 0;

	if (!tp_rec_int(rec, "part_version", &version) || !digest)
		return -1;
	if (version != VERSION)
		return tp_fail(err, TP_BAD, "record.damaged", 0, "a partial of "
		    "another version of tp-ranks: make both with one");
	tp_names_add(&r->parts, digest, strlen(digest));
	/* a repeated task may deliver its partial twice */
	r->skips = r->parts.count == had;
	if (!r->skips && tp_rec_int(rec, "unknown_rank_count", &unknown))
		r->unknown_count += (uint64_t)unknown;
	r->part_what_count = 0;
	return 0;
}

int
tp_ranks_take_part(struct tp_ranks *r, const struct tp_rec *rec,
    struct tp_err *err)
{
	static const struct {
		const char *kind;
		int (*take)(struct tp_ranks *, const struct tp_rec *);
	} kinds[] = {
		{ "ranks.part.what", take_kind },
		{ "ranks.part.rank", take_rank },
		{ "ranks.part.step", take_step },
		{ "ranks.part.group", take_group },
		{ "ranks.part.member", take_member },
		{ "ranks.part.row", take_part_sum },
		{ "ranks.part.instance", take_instance },
	};
	int rc = -1;

	err->status = TP_OK;
	if (!strcmp(rec->kind, "ranks.part"))
		rc = read_part_header(r, rec, err);
	else if (r->skips)
		return 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(rec->kind, kinds[i].kind))
			rc = r->parts.count ? kinds[i].take(r, rec) : -1;
	if (rc >= 0 || err->status != TP_OK)
		return rc;
	return tp_fail(err, TP_BAD, "record.damaged", 0,
	    "a record of a partial is damaged, or its "
	    "'ranks.part' is not before it");
}

/* The content of a partial, sorted. */
struct part {
	const struct tp_ranks *r;
	uint32_t *whats;		/* ids, sorted by content */
	size_t what_count;
	uint32_t *index;		/* by id: index in whats */
};

/* For the comparison: qsort() has no argument for it. */
static const struct part *sorted;

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

TP_ORDER(by_what, uint32_t, TP_BY(tp_ranks_compare(sorted->r, *a, *b)))

static uint32_t
group_index(uint32_t group)
{
	return sorted->index[sorted->r->groups[group].what];
}

TP_ORDER(by_group, uint32_t, TP_BY(compare(group_index(*a), group_index(*b))))

TP_ORDER(by_rank, struct tp_ranks_member, TP_UP(rank)
    TP_BY(compare(group_index(a->group), group_index(b->group))))

TP_ORDER(by_order, struct tp_ranks_instance,
    TP_BY(compare(group_index(a->group), group_index(b->group))) TP_UP(order))

TP_ORDER(by_times, struct tp_ranks_times, TP_UP(exchange) TP_UP(skew_start)
    TP_UP(skew_end))

/* A pair of last_ids with its count. */
struct last {
	uint32_t what;
	int64_t rank;
	uint64_t count;
};

TP_ORDER(by_last, struct last, TP_UP(what) TP_UP(rank))

/* Collect and sort the kinds in use. */
static void
sort_whats(struct part *p)
{
	const struct tp_ranks *r = p->r;
	size_t n = r->what_keys.count;
	char *used = tp_zalloc(n + 1);

	p->whats = tp_alloc((n + 1) * sizeof *p->whats);
	p->index = tp_zalloc((n + 1) * sizeof *p->index);
	for (size_t i = 0; i < r->group_ids.count; i++)
		used[r->groups[i].what] = 1;
	for (size_t i = 0; i < r->sum_cap; i++)
		if (r->sums[i].count)
			used[i] = 1;
	for (size_t i = 0; i < r->instance_count; i++)
		used[r->instances[i].what] = 1;
	for (size_t i = 0; i < n; i++)
		if (used[i])
			p->whats[p->what_count++] = (uint32_t)i;
	TP_SORT(p->whats, p->what_count, by_what);
	for (size_t i = 0; i < p->what_count; i++)
		p->index[p->whats[i]] = (uint32_t)i;
	tp_free(used);
}

static void
emit_whats(const struct part *p, struct tp_out *out)
{
	for (size_t i = 0; i < p->what_count; i++) {
		const struct tp_ranks_what *w = &p->r->whats[p->whats[i]];

		tp_out_begin(out, "ranks.part.what");
		tp_out_int(out, "what_index", (int64_t)i);
		tp_ranks_out_what(p->r, w, out);
		tp_out_known(out, "stream", w->stream);
		tp_out_known(out, "collective_bytes", w->moved_bytes);
		if (w->bus_factor > 0)
			tp_out_real(out, "bus_factor", w->bus_factor);
		tp_out_end(out);
	}
}

static void
emit_rank(const struct part *p, const struct tp_rank *k, struct tp_out *out)
{
	tp_out_begin(out, "ranks.part.rank");
	tp_out_int(out, "process_rank", k->number);
	tp_ranks_out_text(p->r, out, "gpu_name", k->gpu);
	if (k->has_base)
		out_sum(out, "clock_base", k->base_ns);
	tp_out_known(out, "rank_count", k->job_count);
	if (k->device_count)
		tp_out_int(out, "listed_device_count", k->device_count);
	if (k->has_range) {
		tp_out_int(out, "first_ns", k->first_ns);
		tp_out_int(out, "last_ns", k->last_ns);
	}
	if (k->has_time) {
		tp_out_int(out, "span_ns", k->span_ns);
		tp_out_int(out, "busy_ns", k->busy_ns);
		tp_ranks_out_parts(k, out);
	}
	tp_out_int(out, "collective_count", k->run_count);
	tp_out_int(out, "collective_sum_ns", k->collective_sum_ns);
	tp_out_end(out);
	for (int64_t i = 0; i < k->step_count; i++) {
		tp_out_begin(out, "ranks.part.step");
		tp_out_int(out, "process_rank", k->number);
		tp_ranks_out_step(&k->steps[i], out);
		tp_out_end(out);
	}
}

static void
emit_groups(const struct part *p, struct tp_out *out)
{
	size_t count = p->r->group_ids.count;
	uint32_t *list = tp_alloc((count + 1) * sizeof *list);

	for (size_t i = 0; i < count; i++)
		list[i] = (uint32_t)i;
	TP_SORT(list, count, by_group);
	for (size_t i = 0; i < count; i++) {
		const struct tp_ranks_group *x = &p->r->groups[list[i]];

		tp_out_begin(out, "ranks.part.group");
		tp_out_int(out, "what_index", p->index[x->what]);
		tp_out_int(out, "matched_count", x->matched_count);
		tp_out_int(out, "apart_count", x->apart_count);
		out_sum(out, "last_sum", x->last_sum);
		if (x->is_odd)
			tp_out_bool(out, "is_out_of_step", 1);
		tp_out_end(out);
	}
	tp_free(list);
}

static void
emit_members(const struct part *p, struct tp_out *out)
{
	const struct tp_ranks *r = p->r;
	struct tp_ranks_member *list = tp_alloc((r->member_count + 1) *
	    sizeof *list);

	if (r->member_count)
		memcpy(list, r->members, r->member_count * sizeof *list);
	TP_SORT(list, r->member_count, by_rank);
	for (size_t i = 0; i < r->member_count; i++) {
		tp_out_begin(out, "ranks.part.member");
		tp_out_int(out, "process_rank", list[i].rank);
		tp_out_int(out, "what_index", group_index(list[i].group));
		tp_out_int(out, "count", list[i].count);
		out_sum(out, "start_sum", list[i].start_sum);
		tp_out_end(out);
	}
	tp_free(list);
}

/*
 * Write the row of WHAT; *LAST points to the first of its pairs and moves
 * past them.
 */
static void
emit_part_sum(const struct part *p, uint32_t what, const struct last **last,
    const struct last *end, struct tp_buf *buf, struct tp_out *out)
{
	struct tp_ranks_sum *row = &p->r->sums[what];

	tp_out_begin(out, "ranks.part.row");
	tp_out_int(out, "what_index", p->index[what]);
	tp_out_int(out, "count", (int64_t)row->count);
	tp_out_int(out, "traced_min_count", row->traced_min);
	tp_out_int(out, "traced_max_count", row->traced_max);
	tp_out_int(out, "low_rank", row->low_rank);
	tp_out_int(out, "high_rank", row->high_rank);
	out_sum(out, "wait_sum", row->wait);
	out_sum(out, "moved_sum", row->moved);
	if (row->in_known) {
		out_sum(out, "in_most_sum", row->in_most);
		out_sum(out, "in_sum", row->in_all);
	}
	TP_SORT(row->times, row->count, by_times);
	tp_buf_clear(buf);
	for (uint64_t i = 0; i < row->count; i++)
		tp_buf_fmt(buf, "%s%lld,%lld,%lld", i ? " " : "",
		    (long long)row->times[i].exchange,
		    (long long)row->times[i].skew_start,
		    (long long)row->times[i].skew_end);
	tp_out_text(out, "times", buf->p);
	tp_buf_clear(buf);
	for (; *last < end && (*last)->what == p->index[what]; ++*last)
		tp_buf_fmt(buf, "%s%lld:%llu", buf->len ? " " : "",
		    (long long)(*last)->rank,
		    (unsigned long long)(*last)->count);
	tp_out_text(out, "lasts", buf->len ? buf->p : "");
	tp_out_end(out);
}

static void
emit_part_sums(const struct part *p, struct tp_out *out)
{
	const struct tp_ranks *r = p->r;
	struct last *lasts = tp_alloc((r->last_ids.count + 1) *
	    sizeof *lasts);
	const struct last *last = lasts;
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < r->last_ids.count; i++)
		lasts[i] = (struct last){ p->index[r->last_ids.ids[i].a],
		    (int64_t)r->last_ids.ids[i].b, r->lasts[i] };
	TP_SORT(lasts, r->last_ids.count, by_last);
	for (size_t i = 0; i < p->what_count; i++)
		if (p->whats[i] < r->sum_cap && r->sums[p->whats[i]].count)
			emit_part_sum(p, p->whats[i], &last, lasts +
			    r->last_ids.count, &buf, out);
	tp_free(lasts);
	tp_buf_release(&buf);
}

static void
emit_instances(const struct part *p, struct tp_out *out)
{
	struct tp_ranks_instance *list = p->r->instances;
	size_t count = p->r->instance_count;

	TP_SORT(list, count, by_order);
	for (const struct tp_ranks_instance *x = list; count--; x++) {
		tp_out_begin(out, "ranks.part.instance");
		tp_out_int(out, "what_index", p->index[x->what]);
		tp_out_int(out, "instance_index", x->order);
		tp_out_int(out, "traced_count", x->traced_count);
		tp_out_int(out, "low_rank", x->low_rank);
		tp_out_int(out, "high_rank", x->high_rank);
		tp_out_int(out, "came_last_rank", x->last_rank);
		tp_out_int(out, "start_first_ns", x->start_first_ns);
		tp_out_int(out, "start_last_ns", x->start_last_ns);
		tp_out_int(out, "end_first_ns", x->end_first_ns);
		tp_out_int(out, "end_last_ns", x->end_last_ns);
		tp_out_int(out, "shortest_ns", x->shortest_ns);
		out_sum(out, "start_sum", x->start_sum);
		if (x->in_known) {
			tp_out_int(out, "in_max_bytes", x->in_max);
			out_sum(out, "in_sum", x->in_sum);
		}
		tp_out_end(out);
	}
}

int
tp_ranks_emit_part(const struct tp_ranks *r, const struct tp_buf *told,
    struct tp_out *out, struct tp_err *err)
{
	struct part p = { .r = r };
	struct tp_out body;
	char hex[65];
	size_t len;
	int rc;

	tp_out_init(&body, -1);
	body.src = out->src;
	sorted = &p;
	sort_whats(&p);
	emit_whats(&p, &body);
	for (size_t i = 0; i < r->count; i++)
		emit_rank(&p, &r->ranks[i], &body);
	emit_groups(&p, &body);
	emit_members(&p, &body);
	emit_part_sums(&p, &body);
	emit_instances(&p, &body);
	len = body.buf.len;
	tp_out_raw(&body, told->p ? told->p : "", told->len);
	rc = tp_os_sha256_of(body.buf.p ? body.buf.p : "", body.buf.len, hex);
	if (rc < 0)
		tp_fail(err, TP_IO, "output.failed", 0, "cannot make a "
		    "SHA-256");
	if (!rc) {
		tp_out_begin(out, "ranks.part");
		tp_out_int(out, "part_version", VERSION);
		tp_out_int(out, "traced_count", (int64_t)r->count);
		if (r->unknown_count)
			tp_out_int(out, "unknown_rank_count",
			    (int64_t)r->unknown_count);
		tp_out_text(out, "digest", hex);
		tp_out_end(out);
		tp_out_raw(out, body.buf.p ? body.buf.p : "", len);
	}
	tp_free(p.whats);
	tp_free(p.index);
	tp_out_release(&body);
	return rc;
}
