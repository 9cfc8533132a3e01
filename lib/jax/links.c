/* links - which event of a host launched the work of devices */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/text.h>

#include "links.h"

enum { NONE = -1 };
/* Hosts state more bits of a run's id than devices do. */
#define RUN_BITS UINT64_C(0xfffffff)

/* A call of a function by a host. */
struct call {
	uint32_t host, function, slice;
	int64_t from_ps;
};

struct build {
	struct tp_jax_links *links;
	const struct tp_tracks *t;
	const struct tp_jax *jax;
	struct tp_names functions;
	struct call *calls;	/* by host, function and start */
	size_t call_count, call_cap;
};

static const struct tp_track *
track_of(const struct tp_tracks *t, uint32_t slice)
{
	return &t->tracks[t->slices[slice].track];
}

/* What ties of HOST as TIE have as a key, when their kind is KIND. */
static struct tp_id
key_of(uint32_t host, const struct tp_jax_tie *tie, enum tp_jax_tie_kind kind)
{
	return (struct tp_id){ (uint64_t)host << 32 | (uint64_t)tie->type <<
	    8 | kind, kind == TP_JAX_RUN ? tie->id & RUN_BITS : tie->id };
}

/*
 * Note which event of a host TIE, of KIND, leads to: the earliest, as later
 * ones tell of the end of the same work.
 */
static void
note_tie(struct tp_jax_links *l, const struct tp_jax_tie *tie,
    enum tp_jax_tie_kind kind)
{
	const struct tp_jax_event *all = l->tracks->slices;

	for (uint32_t slice = tie->slice; slice - tie->slice < tie->count;
	    slice++) {
		const struct tp_track *k = track_of(l->tracks, slice);
		struct tp_id key = key_of(k->host, tie, kind);
		size_t had = l->keys.count;
		ptrdiff_t at;

		if (k->role != TP_ROLE_HOST)
			continue;
		at = tp_ids_add(&l->keys, key.a, key.b);
		TP_ITEM(l->slices, l->slice_cap, at);
		if ((size_t)at == had || all[slice].from_ps <
		    all[l->slices[at]].from_ps)
			l->slices[at] = slice;
	}
}

static void
note_ties(struct tp_jax_links *l)
{
	static const enum tp_jax_tie_kind kinds[] = { TP_JAX_CORRELATION,
	    TP_JAX_RUN, TP_JAX_PRODUCED };

	for (int k = 0; k < 3; k++)
		for (size_t i = 0; i < l->ties[kinds[k]].count; i++)
			note_tie(l, &l->ties[kinds[k]].list[i], kinds[k]);
}

const struct tp_jax_tie *
tp_jax_tie_of(const struct tp_jax_links *l, uint32_t slice,
    enum tp_jax_tie_kind kind)
{
	const struct tp_jax_tie *list = l->ties[kind].list;
	size_t at;

	TP_SEEK(at, 0, l->ties[kind].count, mid, list[mid].slice <= slice);
	return at && slice - list[at - 1].slice < list[at - 1].count ?
	    &list[at - 1] : NULL;
}

ptrdiff_t
tp_jax_link_follow(const struct tp_jax_links *l, uint32_t slice,
    enum tp_jax_tie_kind kind)
{
	const struct tp_jax_tie *tie = tp_jax_tie_of(l, slice, kind);
	struct tp_id key;
	ptrdiff_t at;

	if (!tie)
		return NONE;
	key = key_of(track_of(l->tracks, slice)->host, tie,
	    kind == TP_JAX_CONSUMED ? TP_JAX_PRODUCED : kind);
	at = tp_ids_find(&l->keys, key.a, key.b);
	return at >= 0 && l->slices[at] != slice ?
	    (ptrdiff_t)l->slices[at] : NONE;
}

/*
 * Index of the function in the NAME of its call or program, which begins with
 * PREFIX; NONE: of neither.  A program is called after its function, with '_'
 * for what a name cannot have.
 */
static ptrdiff_t
function_of(struct build *b, const struct tp_name *name, const char *prefix)
{
	size_t len = strlen(prefix), end;
	ptrdiff_t at;
	char *copy;

	if (name->len <= len || memcmp(name->text, prefix, len))
		return NONE;
	copy = tp_dup_part(name->text + len, name->len - len);
	end = strcspn(copy, "()");
	for (size_t i = 0; i < end; i++)
		if (!tp_is_word(copy[i]) && copy[i] != '.' && copy[i] != '-')
			copy[i] = '_';
	at = end ? tp_names_add(&b->functions, copy, end) : NONE;
	tp_free(copy);
	return at;
}

TP_ORDER(by_call, struct call, TP_UP(host) TP_UP(function) TP_UP(from_ps)
    TP_UP(slice))

/* Whether an event around S has its name. */
static int
is_inside_itself(const struct build *b, const struct tp_jax_event *s)
{
	for (uint32_t at = s->parent; at; at = b->t->slices[at - 1].parent)
		if (b->t->slices[at - 1].name == s->name)
			return 1;
	return 0;
}

/* Find the calls of functions; FUNCTIONS: of each name. */
static void
note_calls(struct build *b, const ptrdiff_t *functions)
{
	for (uint32_t i = 0; i < b->t->count; i++) {
		const struct tp_jax_event *s = &b->t->slices[i];
		const struct tp_track *k = track_of(b->t, i);

		if (k->role == TP_ROLE_HOST && functions[s->name] >= 0 &&
		    !is_inside_itself(b, s))
			TP_APPEND(b->calls, b->call_count, b->call_cap,
			    (struct call){ k->host,
			    (uint32_t)functions[s->name], i, s->from_ps });
	}
	TP_SORT(b->calls, b->call_count, by_call);
}

/*
 * Link the executions of FUNCTION on lane K to its COUNT CALLS, in order, if
 * there are as many and none begins before its call.
 */
static void
link_in_order(struct build *b, const struct tp_track *k,
    const ptrdiff_t *functions, const struct call *calls, size_t count)
{
	for (int links = 0; links < 2; links++) {
		size_t n = 0;

		for (uint32_t i = 0; i < k->count; i++) {
			uint32_t at = b->t->order[k->first + i];
			const struct tp_jax_event *s = &b->t->slices[at];

			if (functions[s->name] != (ptrdiff_t)calls->function)
				continue;
			if (n == count || s->from_ps < calls[n].from_ps)
				return;
			if (links)
				b->links->calls[at] = calls[n].slice + 1;
			n++;
		}
		if (n != count)
			return;
	}
}

/* Link executions of programs to the calls of their functions. */
static void
note_order(struct build *b)
{
	const struct tp_names *names = &b->t->names;
	ptrdiff_t *of_call = tp_alloc((names->count + 1) * sizeof *of_call);
	ptrdiff_t *of_program = tp_alloc((names->count + 1) *
	    sizeof *of_program);

	for (size_t i = 0; i < names->count; i++) {
		of_call[i] = function_of(b, &names->names[i], b->jax->call_of);
		of_program[i] = function_of(b, &names->names[i],
		    b->jax->program_of);
	}
	note_calls(b, of_call);
	for (size_t i = 0, end; i < b->call_count; i = end) {
		const struct call *c = &b->calls[i];

		for (end = i; end < b->call_count && b->calls[end].host ==
		    c->host && b->calls[end].function == c->function; end++)
			;
		for (size_t j = 0; j < b->t->track_count; j++) {
			const struct tp_track *k = &b->t->tracks[j];

			if (k->holds_programs && k->host == c->host)
				link_in_order(b, k, of_program, c, end - i);
		}
	}
	tp_free(of_call);
	tp_free(of_program);
}

void
tp_jax_links_make(struct tp_jax_links *l, const struct tp_tracks *t,
    const struct tp_jax *jax, const struct tp_jax_ties ties[TP_JAX_TIES])
{
	struct build b = { .links = l, .t = t, .jax = jax };

	memset(l, 0, sizeof *l);
	l->tracks = t;
	l->ties = ties;
	l->calls = tp_zalloc((t->count + 1) * sizeof *l->calls);
	note_ties(l);
	note_order(&b);
	tp_names_release(&b.functions);
	tp_free(b.calls);
}

