/* identity_group - group traces by what they say, and name the captures */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/read/capture_folder.h>
#include <tp/read/identity.h>
#include <tp/text.h>

/* Leave out traces of another program than most, if these are few. */
static void
find_strays(struct tp_identity *const *list, size_t count)
{
	size_t of[TP_PROFILER_OTHER + 1] = { 0 }, bulk = 0, speak = 0;

	for (size_t i = 0; i < count; i++) {
		speak += !list[i]->is_mute;
		of[list[i]->profiler] += !list[i]->is_mute;
	}
	for (size_t i = 1; i <= TP_PROFILER_OTHER; i++)
		bulk = of[i] > of[bulk] ? i : bulk;
	for (size_t i = 0; i < count; i++)
		list[i]->capture = list[i]->is_mute ||
		    (list[i]->profiler != bulk && of[bulk] >=
		    3 * (speak - of[bulk])) ? TP_STRAY : 0;
}

/* Captures named in a message. */
#define LISTED_MAX 20

/* Of more captures than this no further trace is part (quadratic time). */
#define SEARCHED_MAX 4096

/* Traces of one capture, so far. */
struct capture {
	const struct tp_identity *first;
	int64_t at_ns, rank_count;
	size_t count;
};

/* Which part of a capture ID is, by number; 0: not known. */
static uint64_t
part_of(const struct tp_identity *id)
{
	return id->profiler == TP_PROFILER_JAX ? id->host :
	    (uint64_t)(id->rank + 1);
}

/* Whether one of two traces of a host ended before the other began. */
static int
is_after(const struct tp_identity *a, const struct tp_identity *b)
{
	return (a->until_ns && b->at_ns > a->until_ns) ||
	    (b->until_ns && a->at_ns > b->until_ns);
}

struct captures {
	struct capture *list;
	size_t count, cap;
	struct tp_ids parts;	/* captures, and ranks or hosts in them */
};

static uint64_t
apart_ns(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)(a - b) : (uint64_t)(b - a);
}

static int
same_folder(const struct tp_identity *a, const struct tp_identity *b)
{
	size_t n = (size_t)(tp_base(a->path) - a->path);

	return n == (size_t)(tp_base(b->path) - b->path) &&
	    !memcmp(a->path, b->path, n);
}

/* Whether A and B are of one job, of which each rank is here once. */
static int
same_job(const struct tp_identity *a, const struct tp_identity *b)
{
	return a->job && a->job == b->job;
}

/* Whether what ID says of itself contradicts no trace of C. */
static int
agrees(const struct capture *c, const struct tp_identity *id)
{
	const struct tp_identity *first = c->first;
	int timed = id->at_ns && c->at_ns && !same_job(first, id);

	if (id->profiler != first->profiler || (timed &&
	    apart_ns(id->at_ns, c->at_ns) > TP_APART_S * 1000000000ULL))
		return 0;
	if (id->rank_count >= 0 && c->rank_count >= 0 &&
	    id->rank_count != c->rank_count)
		return 0;
	/* GPUs of a job may differ, if it is one by time */
	return !*id->device || !*first->device ||
	    !strcmp(id->device, first->device) || (timed &&
	    id->profiler != TP_PROFILER_JAX);
}

/*
 * Whether the names of A and B are the same but for a number that is the rank
 * of each.
 */
static int
same_name(const struct tp_identity *a, const struct tp_identity *b)
{
	const char *p = tp_base(a->path), *q = tp_base(b->path);
	char *p_end, *q_end;
	long x, y;

	while (*p && *q) {
		if (!tp_is_digit(*p) || !tp_is_digit(*q)) {
			if (*p++ != *q++)
				return 0;
			continue;
		}
		x = strtol(p, &p_end, 10);
		y = strtol(q, &q_end, 10);
		if (x != y && (x != a->rank || y != b->rank))
			return 0;
		p = p_end;
		q = q_end;
	}
	return *p == *q;
}

/* Whether ID is of the job whose rank 0 is FIRST, by folder and name. */
static int
may_be_of(const struct tp_identity *first, const struct tp_identity *id)
{
	return id->profiler == first->profiler && id->rank >= 0 &&
	    id->rank_count == first->rank_count && same_folder(first, id) &&
	    same_name(first, id);
}

/* Number the jobs of which the list holds each rank once. */
static void
find_jobs(struct tp_identity *const *list, size_t count)
{
	struct tp_ids ranks;
	size_t files;

	for (size_t i = 0; i < count; i++)
		list[i]->job = 0;
	for (size_t i = 0; i < count; i++) {
		if (list[i]->rank || list[i]->rank_count < 2)
			continue;
		ranks = (struct tp_ids){ 0 };
		files = 0;
		for (size_t k = 0; k < count; k++)
			if (may_be_of(list[i], list[k])) {
				tp_ids_add(&ranks, (uint64_t)list[k]->rank, 0);
				files++;
			}
		for (size_t k = 0; k < count &&
		    files == (size_t)list[i]->rank_count &&
		    ranks.count == files; k++)
			if (may_be_of(list[i], list[k]))
				list[k]->job = i + 1;
		tp_ids_release(&ranks);
	}
}

/* Whether ID needs a rank, to be of a capture of several, and has none. */
static int
is_lone(const struct tp_identity *id)
{
	return id->profiler != TP_PROFILER_JAX && id->rank < 0;
}

/*
 * How far ID is from capture AT, which it may be of: in time, else by folder;
 * UINT64_MAX: not of it.
 */
static uint64_t
distance(const struct captures *s, size_t at, const struct tp_identity *id)
{
	const struct capture *c = &s->list[at];

	if (!agrees(c, id) || is_lone(c->first) || (part_of(id) &&
	    tp_ids_find(&s->parts, at, part_of(id)) >= 0 &&
	    (id->profiler != TP_PROFILER_JAX || is_after(c->first, id))))
		return UINT64_MAX;
	if (id->at_ns && c->at_ns)
		return same_job(id, c->first) ? 0 :
		    apart_ns(id->at_ns, c->at_ns);
	return UINT64_MAX - 1 - (uint64_t)same_folder(id, c->first);
}

/* The capture that ID is of: the nearest, unless two are; SIZE_MAX: none. */
static size_t
find_capture(const struct captures *s, const struct tp_identity *id)
{
	uint64_t least = UINT64_MAX, d;
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < s->count && s->count < SEARCHED_MAX; i++) {
		d = distance(s, i, id);
		if (d < least)
			at = i;
		else if (d == least)
			at = SIZE_MAX;
		least = d < least ? d : least;
	}
	return at;
}

static void
assign_capture(struct captures *s, struct tp_identity *id)
{
	size_t at = is_lone(id) ? SIZE_MAX : find_capture(s, id);
	struct capture *c;

	if (at == SIZE_MAX) {
		at = s->count;
		TP_APPEND(s->list, s->count, s->cap, (struct capture){
		    .first = id, .rank_count = -1 });
	}
	c = &s->list[at];
	c->count++;
	c->at_ns = c->at_ns ? c->at_ns : id->at_ns;
	c->rank_count = c->rank_count < 0 ? id->rank_count : c->rank_count;
	id->capture = at;
	if (part_of(id))
		tp_ids_add(&s->parts, at, part_of(id));
}

/*
 * Place the LONE traces that do not say their rank: with the ranks of the only
 * job, if these are more, else each by itself.
 */
static void
place_lone(struct captures *s, struct tp_identity *const *list, size_t count,
    size_t lone)
{
	int beside = s->count == 1 && s->list[0].count > 1 &&
	    s->list[0].count > lone;

	for (size_t i = 0; lone && i < count; i++)
		if (list[i]->capture == TP_STRAY || !is_lone(list[i]))
			continue;
		else if (beside && agrees(&s->list[0], list[i]))
			list[i]->capture = 0;
		else
			assign_capture(s, list[i]);
}

/*
 * Place the mute traces: with the only capture, or the only one of those in
 * their folder; elsewhere they stay strays.
 */
static void
place_mute(struct captures *s, struct tp_identity *const *list, size_t count)
{
	size_t at;

	for (size_t i = 0; i < count; i++) {
		if (!list[i]->is_mute)
			continue;
		at = s->count == 1 ? 0 : TP_STRAY;
		for (size_t k = 0; k < count && s->count > 1; k++)
			if (!list[k]->is_mute && list[k]->capture != TP_STRAY &&
			    list[k]->capture != at &&
			    same_folder(list[i], list[k])) {
				if (at != TP_STRAY) {
					at = TP_STRAY;
					break;
				}
				at = list[k]->capture;
			}
		list[i]->capture = at;
		if (at != TP_STRAY)
			s->list[at].count++;
	}
}

/* Number captures as their first traces appear, and count their traces. */
static void
number(const struct captures *s, struct tp_identity *const *list, size_t count)
{
	size_t *numbers = tp_zalloc((s->count + 1) * sizeof *numbers);
	size_t next = 0, at;

	for (size_t i = 0; i < count; i++) {
		at = list[i]->capture;
		if (at != TP_STRAY && !list[i]->is_mute && !numbers[at])
			numbers[at] = ++next;
	}
	for (size_t i = 0; i < count; i++) {
		at = list[i]->capture;
		if (at == TP_STRAY)
			continue;
		list[i]->capture = numbers[at] - 1;
		list[i]->count = s->list[at].count;
	}
	tp_free(numbers);
}

size_t
tp_identity_group(struct tp_identity *const *list, size_t count)
{
	struct captures s = { 0 };
	size_t lone = 0;

	for (size_t i = 0; i < count && list[i]->is_mute; i++)
		if (i + 1 == count)
			list[0]->is_mute = 0;	/* it speaks for all */
	find_strays(list, count);
	find_jobs(list, count);
	for (size_t i = 0; i < count; i++)
		if (list[i]->capture == TP_STRAY)
			continue;
		else if (is_lone(list[i]))
			lone++;
		else
			assign_capture(&s, list[i]);
	place_lone(&s, list, count, lone);
	place_mute(&s, list, count);
	number(&s, list, count);
	tp_ids_release(&s.parts);
	tp_free(s.list);
	return s.count;
}

/* The name of the file at PATH, without what its format is called. */
static size_t
stem_of(const char *path, const char **name)
{
	static const char *const ends[] = { ".pt", ".sqlite", ".db", ".csv" };
	size_t len = tp_capture_host(path, name), n;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(*name + len - n, ends[i], n))
			len -= n;
	}
	return len;
}

/*
 * Find a name, not among TAKEN, for the capture that ID is the first trace of:
 * that of its file, unless IS_ALONE of its folder.
 */
static void
name_capture(struct tp_buf *buf, const struct tp_identity *id, int is_alone,
    const struct tp_names *taken)
{
	const char *base, *below = id->path + id->place, *name;
	size_t stem = stem_of(id->path, &base), len = stem, had;

	name = base;
	if (!is_alone && base > below + 1) {
		name = below;
		len = (size_t)(base - below) - 1;
	}
	if (tp_names_find(taken, name, len) >= 0) {
		name = below;
		len = (size_t)(base - below) + stem;
	}
	tp_buf_clear(buf);
	tp_buf_add(buf, name, len);
	had = buf->len;
	for (int n = 2; tp_names_find(taken, buf->p, buf->len) >= 0; n++) {
		buf->len = had;
		tp_buf_fmt(buf, " (%d)", n);
	}
}

/* Append " (GPU, 2026-02-20)", as far as known. */
static void
append_identity(struct tp_buf *buf, const struct tp_identity *id)
{
	static const char *const programs[] = { "trace events", "PyTorch",
	    "another program" };
	time_t t = (time_t)(id->at_ns / 1000000000);
	char day[32];
	struct tm tm;

	tp_buf_str(buf, " (");
	if (id->count > 1)
		tp_buf_fmt(buf, "%zu files, ", id->count);
	if (*id->device)
		tp_show_text(buf, id->device, strlen(id->device));
	else
		tp_buf_str(buf, programs[id->profiler]);
	if (id->at_ns && gmtime_r(&t, &tm) &&
	    strftime(day, sizeof day, "%Y-%m-%d", &tm))
		tp_buf_fmt(buf, ", %s", day);
	tp_buf_chr(buf, ')');
}

void
tp_identity_names(struct tp_identity *const *list, size_t count,
    struct tp_names *names, struct tp_buf *told)
{
	struct tp_buf name = { 0 };
	size_t told_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i]->capture != names->count || list[i]->is_mute)
			continue;	/* of one before, or a stray */
		name_capture(&name, list[i], list[i]->count == 1, names);
		tp_names_add(names, name.p, name.len);
		if (told_count++ == LISTED_MAX)
			tp_buf_str(told, " ...");
		if (told_count > LISTED_MAX)
			continue;
		tp_buf_str(told, told_count > 1 ? ", " : "");
		tp_show_text(told, name.p, name.len);
		append_identity(told, list[i]);
	}
	tp_buf_release(&name);
}
