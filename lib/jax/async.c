/* async - transfers in flight in a JAX trace */
#include <ctype.h>
#include <string.h>

#include <tp/order.h>

#include "async.h"
#include "steps.h"

/* Strip '%' and the trailing number from a name. */
static void
bare(const char **from, const char **end)
{
	const char *p;

	tp_jax_trim(from, end);
	if (*from < *end && **from == '%')
		++*from;
	for (p = *end; p > *from && (isdigit((unsigned char)p[-1]) ||
	    p[-1] == '.'); p--)
		;
	*end = p;
}

static enum tp_jax_half
half_of(const struct tp_jax *jax, const char *from, const char *end)
{
	const struct tp_class *c;

	bare(&from, &end);
	c = tp_class_of_part(&jax->pairs, from, (size_t)(end - from));
	return !c ? TP_JAX_WHOLE : c->number ? TP_JAX_DONE : TP_JAX_START;
}

enum tp_jax_half
tp_jax_half_of(const struct tp_jax *jax, const char *name)
{
	return half_of(jax, name, name + strlen(name));
}

/* Cache: what is known of a name with the arguments it had last. */
struct cached {
	uint32_t detail;
	unsigned char half;
	unsigned char class;
	int has_key, has_flight;
	ptrdiff_t key, flight;		/* flight -1: none */
	int64_t bytes;
	int is_pageable;
};

/* Copies of one direction between host and device. */
struct direction {
	struct tp_ival runs;		/* while one is moving */
	int64_t bytes;			/* of those whose end is known */
	struct complete {
		int64_t from, to, bytes;
	} *complete;			/* found complete: it ended by TO */
	size_t count, cap;
};
enum { DIRECTIONS = 2 };

struct tp_jax_pairing {
	struct tp_ids names;		/* seen on this device */
	struct cached *cached;		/* as names */
	size_t cached_cap;
	struct tp_jax_flights *flights;
	struct tp_ival *in_flight, *group;	/* in_flight: by class; group:
						 * by flight */
	size_t group_cap, group_count;
	struct direction directions[DIRECTIONS];
	const struct tp_tracks *tracks;
	struct tp_jax *jax;
	struct tp_names keys;		/* of starts: name and number */
	struct open {
		int64_t from;
		int is_open;
	} *open;			/* by key */
	size_t open_cap;
	struct tp_buf buf;
};

/* Index of the flights of CLASS and KIND. */
static ptrdiff_t
flight_of(struct tp_jax_pairing *p, enum tp_jax_use class, const char *kind)
{
	struct tp_jax_flights *f = p->flights;
	size_t i;

	for (i = 0; i < f->count; i++)
		if (f->list[i].class == class &&
		    (!kind || !strcmp(kind, f->list[i].kind)))
			break;
	tp_grow(&f->list, &f->cap, i + 1, sizeof *f->list);
	tp_grow(&p->group, &p->group_cap, i + 1, sizeof *p->group);
	if (i == f->count)
		f->list[f->count++] = (struct tp_jax_flight){
		    .class = class, .kind = kind };
	for (; p->group_count <= i; p->group_count++)
		p->group[p->group_count] = (struct tp_ival){ 0 };
	return (ptrdiff_t)i;
}

/*
 * Read DETAILS of a copy on a GPU into CACHED, such as "kind_src:pageable
 * kind_dst:device size:4096 dest:0 async:1".
 */
static void
tell_copy(struct cached *cached, const char *details)
{
	const char *size = strstr(details, "size:");
	int64_t bytes;

	cached->is_pageable = strstr(details, ":pageable") != NULL;
	if (size && (size == details || size[-1] == ' ') &&
	    tp_jax_whole(size + 5, strcspn(size + 5, " "), &bytes) &&
	    bytes > 0)
		cached->bytes = bytes;
}

/* Find the flights that S, with CACHED, belongs to. */
static void
tell_flight(struct tp_jax_pairing *p, const struct tp_jax_event *s,
    struct cached *cached)
{
	enum tp_jax_use class = tp_jax_class_of(p->jax, p->tracks, s);
	const char *name = tp_slice_name(p->tracks, s), *kind = NULL;

	if (class == TP_JAX_WORK || class == TP_JAX_WAIT) {
		/*
		 * a fusion that starts or ends a transfer, recognised by name
		 */
		const struct tp_class *c = tp_class_of(&p->jax->classes,
		    (const char *[]){ NULL, name });

		class = (enum tp_jax_use)c->number;
	}
	if (class != TP_JAX_COLLECTIVE && class != TP_JAX_TO_DEVICE &&
	    class != TP_JAX_TO_HOST && class != TP_JAX_ON_DEVICE &&
	    class != TP_JAX_ANY_DIRECTION) {
		cached->flight = -1;
		return;
	}
	if (class == TP_JAX_COLLECTIVE)
		kind = tp_jax_collective_of(p->jax, p->tracks, s->name,
		    p->tracks->details[s->detail].of[TP_DETAIL_CATEGORY]);
	else
		cached->bytes = tp_jax_shape_bytes(tp_detail_get(p->tracks,
		    s->detail, TP_DETAIL_LONG_NAME));
	tell_copy(cached, tp_detail_get(p->tracks, s->detail, TP_DETAIL_COPY));
	cached->class = (unsigned char)class;
	cached->flight = flight_of(p, class, kind);
}

/*
 * Add a copy of BYTES from FROM to TO.  ENDED: when it ended is known, else
 * that it ended by TO.
 */
static void
add_copy(struct direction *w, int64_t from, int64_t to, int64_t bytes,
    int ended)
{
	struct complete *c;

	if (ended) {
		tp_ps_add(&w->bytes, bytes);
		tp_ival_add(&w->runs, from, to);
		return;
	}
	c = TP_PUSH(w->complete, w->count, w->cap);
	*c = (struct complete){ from, to, bytes };
}

/*
 * Add S, or the pair it completes, as in flight from FROM to TO; ENDED as
 * above.
 */
static void
flew(struct tp_jax_pairing *p, const struct tp_jax_event *s,
    struct cached *cached, int64_t from, int64_t to, int ended)
{
	struct tp_jax_flight *f;

	if (!cached->has_flight)
		tell_flight(p, s, cached);
	cached->has_flight = 1;
	if (cached->flight < 0)
		return;
	tp_ival_add(&p->in_flight[cached->class], from, to);
	tp_ival_add(&p->group[cached->flight], from, to);
	if (cached->class == TP_JAX_TO_DEVICE || cached->class ==
	    TP_JAX_TO_HOST)
		add_copy(&p->directions[cached->class == TP_JAX_TO_HOST], from,
		    to, cached->bytes, ended);
	f = &p->flights->list[cached->flight];
	f->count++;
	f->pageable_count += (uint64_t)cached->is_pageable;
	f->is_unsized |= cached->bytes <= 0;
	if (f->is_unsized)
		f->bytes = 0;
	else
		tp_ps_add(&f->bytes, cached->bytes);
}

/* The last operand in LONG_NAME, which ends at *END; NULL: none. */
static const char *
operand(const char *long_name, const char **end)
{
	const char *at = strstr(long_name, " = "), *last = NULL;

	for (; at && *at; at++)
		if (*at == '%')
			last = at + 1;
	for (at = last; at && (isalnum((unsigned char)*at) || *at == '-' ||
	    *at == '_' || *at == '.'); at++)
		;
	*end = at;
	return last;
}

/* Key of the transfer that S starts or waits for. */
static ptrdiff_t
key_of(struct tp_jax_pairing *p, const struct tp_jax_event *s,
    enum tp_jax_half half)
{
	const char *name = tp_slice_name(p->tracks, s), *end, *from, *number;

	if (half == TP_JAX_DONE) {
		from = operand(tp_detail_get(p->tracks, s->detail,
		    TP_DETAIL_LONG_NAME), &end);
		if (from && half_of(p->jax, from, end) == TP_JAX_START)
			return tp_names_add(&p->keys, from,
			    (size_t)(end - from));
	}
	end = name + strlen(name);
	tp_jax_trim(&name, &end);
	name += name < end && *name == '%';
	if (half == TP_JAX_START)
		return tp_names_add(&p->keys, name, (size_t)(end - name));
	/* X-done.N waits for X-start.N */
	from = name;
	number = end;
	bare(&from, &number);
	tp_buf_clear(&p->buf);
	tp_buf_add(&p->buf, from, (size_t)(number - from) - strlen("done"));
	tp_buf_str(&p->buf, "start");
	tp_buf_add(&p->buf, number, (size_t)(end - number));
	return tp_names_add(&p->keys, p->buf.p, p->buf.len);
}

static void
add_async_half(struct tp_jax_pairing *p, const struct tp_jax_event *s,
    struct cached *cached)
{
	enum tp_jax_half half = (enum tp_jax_half)cached->half;
	size_t had = p->keys.count;
	struct open start;
	ptrdiff_t key;

	if (half == TP_JAX_WHOLE) {
		if (tp_jax_class_of(p->jax, p->tracks, s) != TP_JAX_WORK)
			flew(p, s, cached, s->from_ps, s->to_ps, 1);
		return;
	}
	key = cached->has_key ? cached->key : key_of(p, s, half);
	cached->key = key;
	cached->has_key = 1;
	TP_ITEM(p->open, p->open_cap, key);
	if ((size_t)key == had)
		p->open[key].is_open = 0;
	start = p->open[key];
	p->open[key] = (struct open){ s->from_ps, half == TP_JAX_START };
	if (half != TP_JAX_START)
		flew(p, s, cached, start.is_open ? start.from : s->from_ps,
		    s->to_ps, !start.is_open ||
		    tp_slice_ps(s) >= TP_JAX_SHORT_PS);
}

TP_ORDER(by_start, struct complete, TP_UP(from) TP_UP(to))

/* Longest that a copy takes, over its time at the rate of others. */
enum { SLOWEST = 2 };

/* Bytes per ps of copies whose end is known; 0: unknown. */
static double
rate_of(const struct direction *w)
{
	int64_t ps = tp_ival_busy(&w->runs);

	return ps > 0 ? (double)w->bytes / (double)ps : 0;
}

/*
 * Add how long copies that were found complete took at most, with RATE for the
 * others; one moves after another.
 */
static void
close_direction(struct direction *w, double rate)
{
	int64_t end = INT64_MIN;

	TP_SORT(w->complete, w->count, by_start);
	for (size_t i = 0; rate > 0 && i < w->count; i++) {
		const struct complete *c = &w->complete[i];
		double took = SLOWEST * (double)c->bytes / rate;

		TP_MOST(end, c->from);
		end = took < (double)(c->to - end) ? end + (int64_t)took :
		    c->to;
		tp_ival_add(&w->runs, c->from, end);
	}
	tp_ival_finish(&w->runs);
}

/* Add the hidden time of each kind on this device. */
static void
close_groups(struct tp_jax_pairing *p, const struct tp_ival *work)
{
	for (size_t i = 0; i < p->group_count; i++) {
		struct tp_jax_flight *f = &p->flights->list[i];

		tp_ival_finish(&p->group[i]);
		tp_ps_add(&f->flight_ps, tp_ival_busy(&p->group[i]));
		tp_ps_add(&f->hidden_ps, tp_ival_common(&p->group[i], work));
	}
}

/* What is known of S. */
static struct cached *
cached_of(struct tp_jax_pairing *p, const struct tp_jax_event *s)
{
	size_t had = p->names.count;
	size_t at = (size_t)tp_ids_add(&p->names, s->name, 0);
	struct cached *cached;

	TP_ITEM(p->cached, p->cached_cap, at);
	cached = &p->cached[at];
	if (at == had || cached->detail != s->detail)
		*cached = (struct cached){ .detail = s->detail,
		    .half = (unsigned char)tp_jax_half_of(p->jax,
		    tp_slice_name(p->tracks, s)) };
	return cached;
}

struct tp_jax_pairing *
tp_jax_pairing_new(struct tp_jax_flights *flights)
{
	struct tp_jax_pairing *p = tp_zalloc(sizeof *p);

	p->flights = flights;
	return p;
}

void
tp_jax_pairing_add(struct tp_jax_pairing *p, struct tp_ival *in_flight,
    const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_track *lane, int has_lane)
{
	p->in_flight = in_flight;
	p->tracks = t;
	p->jax = jax;
	for (uint32_t j = 0; j < lane->count; j++) {
		const struct tp_jax_event *s = &t->slices[t->order[
		    lane->first + j]];
		struct cached *cached = cached_of(p, s);

		/* a lane of transfers in flight is more accurate than pairs */
		if (lane->role == TP_ROLE_FLIGHT)
			flew(p, s, cached, s->from_ps, s->to_ps, 1);
		else if (!has_lane || cached->half == TP_JAX_WHOLE)
			add_async_half(p, s, cached);
	}
}

void
tp_jax_pairing_end(struct tp_jax_pairing *p, struct tp_ival *in_flight,
    const struct tp_ival *work, struct tp_ival *both_directions)
{
	double rates[DIRECTIONS];

	for (int i = 0; i < TP_JAX_CLASSES; i++)
		tp_ival_finish(&in_flight[i]);
	for (int i = 0; i < DIRECTIONS; i++) {
		tp_ival_finish(&p->directions[i].runs);
		rates[i] = rate_of(&p->directions[i]);
	}
	for (int i = 0; i < DIRECTIONS; i++)
		close_direction(&p->directions[i],
		    rates[i] > 0 ? rates[i] : rates[!i]);
	tp_ival_meet(both_directions, &p->directions[0].runs,
	    &p->directions[1].runs);
	tp_ival_finish(both_directions);
	close_groups(p, work);
}

void
tp_jax_pairing_free(struct tp_jax_pairing *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->group_count; i++)
		tp_ival_release(&p->group[i]);
	for (int i = 0; i < DIRECTIONS; i++) {
		tp_ival_release(&p->directions[i].runs);
		tp_free(p->directions[i].complete);
	}
	tp_free(p->group);
	tp_free(p->open);
	tp_names_release(&p->keys);
	tp_buf_release(&p->buf);
	tp_ids_release(&p->names);
	tp_free(p->cached);
	tp_free(p);
}

TP_ORDER(longest_first, struct tp_jax_flight, TP_DOWN(flight_ps) TP_UP(class)
    TP_BY(a->kind && b->kind ? strcmp(a->kind, b->kind) : 0))

void
tp_jax_flights_sort(struct tp_jax_flights *f)
{
	TP_SORT(f->list, f->count, longest_first);
}
