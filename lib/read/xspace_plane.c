/* xspace_plane - what a plane of an XSpace calls its events */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>

#include "xspace.h"

/* Ids below this are looked up in a table: exporters count from 1. */
#define DENSE_MAX ((uint64_t)1 << 20)

enum { PLANE_KINDS = 4, PLANE_STATS = 5, PLANE_OWN = 6 };

static int
is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/* The exporter drops these: what they say is for others. */
static int
is_hidden(const char *name, size_t len)
{
	static const char *const names[] = { "PrefetchProduce",
	    "PrefetchConsume", "ParallelInterleaveProduce",
	    "ParallelInterleaveConsume", "ParallelInterleaveInitializeInput",
	    "ParallelMapProduce", "ParallelMapConsume", "MapAndBatchProduce",
	    "MapAndBatchConsume", "ParseExampleProduce",
	    "ParseExampleConsume" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is(name, len, names[i]))
			return 1;
	return 0;
}

static struct tp_arg
text_arg(const char *text, size_t len)
{
	return (struct tp_arg){ TP_ARG_STRING, (uint32_t)len, text };
}

/* A copy of the bytes of F that lives as long as the plane; no text without
 * memory. */
static struct tp_arg
kept(struct tp_xspace *x, const struct tp_proto_field *f)
{
	char *copy = tp_arena_text(&x->texts, (const char *)f->bytes,
	    (size_t)f->value);

	return copy ? text_arg(copy, (size_t)f->value) : (struct tp_arg){ 0 };
}

static int
want_of(const struct tp_arg_names *names, const char *text, size_t len)
{
	for (size_t i = 0; i < names->wanted; i++)
		if (names->len[i] == len && !memcmp(names->name[i], text, len))
			return (int)i;
	return -1;
}

/* The parts of a map's entry M: its key, and its value, which must be there;
 * -1. */
static int
entry(struct tp_proto m, uint64_t *key, struct tp_proto *value)
{
	struct tp_proto_field f;
	int rc, found = 0;

	*key = 0;
	while ((rc = tp_proto_next(&m, &f)) > 0)
		if (f.number == 1 && f.wire == TP_WIRE_VARINT) {
			*key = f.value;
		} else if (f.number == 2 && f.wire == TP_WIRE_BYTES) {
			*value = tp_proto_of(&f);
			found = 1;
		}
	return rc < 0 || !found ? -1 : 0;
}

static int
add_stat(struct tp_xspace *x, uint64_t id, struct tp_proto m)
{
	struct tp_arg name = { TP_ARG_STRING, 0, "" };
	struct tp_proto_field f;
	ptrdiff_t at;
	int rc;

	while ((rc = tp_proto_next(&m, &f)) > 0)
		if (f.number == 2 && f.wire == TP_WIRE_BYTES)
			name = kept(x, &f);
	if (rc < 0)
		return 1;
	at = tp_ids_add(&x->stat_ids, id, 0);
	if (!name.type || at < 0 || tp_grow(&x->stats, &x->stat_cap,
	    (size_t)at + 1, sizeof *x->stats) < 0)
		return -1;
	x->stats[at] = (struct tp_xstat){ name.text, name.len,
	    want_of(&x->e->reading.names, name.text, name.len),
	    is(name.text, name.len, "step_name") };
	return 0;
}

const struct tp_xstat *
tp_xspace_stat(const struct tp_xspace *x, uint64_t id)
{
	ptrdiff_t at = tp_ids_find(&x->stat_ids, id, 0);

	return at < 0 ? NULL : &x->stats[at];
}

uint64_t
tp_xspace_stat_id(const struct tp_xspace *x, const char *name)
{
	for (size_t i = 0; i < x->stat_ids.count; i++)
		if (is(x->stats[i].name, x->stats[i].len, name))
			return x->stat_ids.ids[i].a;
	return 0;
}

/* The value of the stat M as text, a number in ROOM; absent when it has
 * none.  *STAT is what it is of, or NULL. */
static struct tp_arg
stat_value(const struct tp_xspace *x, struct tp_proto m,
    const struct tp_xstat **stat, char room[32])
{
	static const char opaque[] = "<opaque bytes>";
	struct tp_arg value = { 0 };
	const struct tp_xstat *ref;
	struct tp_proto_field f;
	int n = 0;

	*stat = NULL;
	while (tp_proto_next(&m, &f) > 0) {
		switch (f.number) {
		case 1:
			*stat = tp_xspace_stat(x, f.value);
			/* nobody wants it */
			if (!*stat || ((*stat)->want < 0 &&
			    !(*stat)->is_step))
				return value;
			continue;
		case 2:
			n = snprintf(room, 32, "%.17g", tp_proto_double(&f));
			break;
		case 3:
			n = snprintf(room, 32, "%" PRIu64, f.value);
			break;
		case 4:
			n = snprintf(room, 32, "%" PRId64, (int64_t)f.value);
			break;
		case 5:
			if (f.wire == TP_WIRE_BYTES)
				value = text_arg((const char *)f.bytes,
				    (size_t)f.value);
			continue;
		case 6:
		case 8:
			value = text_arg(opaque, sizeof opaque - 1);
			continue;
		case 7:
			ref = tp_xspace_stat(x, f.value);
			if (ref)
				value = text_arg(ref->name, ref->len);
			continue;
		default:
			continue;
		}
		value = text_arg(room, (size_t)n);
	}
	return value;
}

/* The stat M is one of the kind that is being added.  -1 without memory. */
static int
add_kind_arg(struct tp_xspace *x, struct tp_xkind *k, struct tp_proto m)
{
	const struct tp_xstat *stat;
	char room[32];
	struct tp_arg value = stat_value(x, m, &stat, room);
	const char *copy;

	if (!stat || !value.type)
		return 0;
	copy = tp_arena_text(&x->texts, value.text, value.len);
	if (!copy)
		return -1;
	value.text = copy;
	if (stat->is_step) {
		k->name = value;
		return 0;
	}
	if (tp_grow(&x->kind_args, &x->kind_arg_cap, x->kind_arg_count + 1,
	    sizeof *x->kind_args) < 0)
		return -1;
	x->kind_args[x->kind_arg_count++] = (struct tp_xarg){
	    (uint32_t)stat->want, value };
	k->arg_count++;
	return 0;
}

/* What a kind is called: short where there is a short name, then the whole is
 * its "long_name". */
static int
name_kind(struct tp_xspace *x, struct tp_xkind *k, const struct tp_arg *name,
    const struct tp_arg *shown)
{
	int want = want_of(&x->e->reading.names, "long_name", 9);

	k->name = shown->len ? *shown : *name;
	if (!shown->len || want < 0)
		return 0;
	if (tp_grow(&x->kind_args, &x->kind_arg_cap, x->kind_arg_count + 1,
	    sizeof *x->kind_args) < 0)
		return -1;
	x->kind_args[x->kind_arg_count++] = (struct tp_xarg){ (uint32_t)want,
	    *name };
	k->arg_count++;
	return 0;
}

static int
add_kind(struct tp_xspace *x, uint64_t id, struct tp_proto m)
{
	struct tp_arg name = { TP_ARG_STRING, 0, "" }, shown = { 0 };
	struct tp_xkind k = { .args = x->kind_arg_count };
	struct tp_proto rest = m;
	struct tp_proto_field f;
	ptrdiff_t at;
	int rc;

	while ((rc = tp_proto_next(&m, &f)) > 0)
		if (f.number == 2 && f.wire == TP_WIRE_BYTES)
			name = kept(x, &f);
		else if (f.number == 4 && f.wire == TP_WIRE_BYTES)
			shown = kept(x, &f);
	if (rc < 0)
		return 1;
	if (!name.type || name_kind(x, &k, &name, &shown) < 0)
		return -1;
	k.use = is_hidden(name.text, name.len) ? TP_X_HIDDEN :
	    is(name.text, name.len, "MemoryAllocation") ||
	    is(name.text, name.len, "MemoryDeallocation") ? TP_X_MEMORY :
	    TP_X_PLAIN;
	while (tp_proto_next(&rest, &f) > 0)
		if (f.number == 5 && f.wire == TP_WIRE_BYTES &&
		    add_kind_arg(x, &k, tp_proto_of(&f)) < 0)
			return -1;
	at = tp_ids_add(&x->kind_ids, id, 0);
	if (at < 0 || tp_grow(&x->kinds, &x->kind_cap, (size_t)at + 1,
	    sizeof *x->kinds) < 0)
		return -1;
	x->kinds[at] = k;
	if (id < DENSE_MAX && id < 16 * (uint64_t)at + 4096) {
		size_t had = x->dense_cap;

		if (tp_grow(&x->dense, &x->dense_cap, (size_t)id + 1,
		    sizeof *x->dense) < 0)
			return -1;
		memset(x->dense + had, 0, (x->dense_cap - had) *
		    sizeof *x->dense);
		x->dense[id] = (uint32_t)at + 1;
	}
	return 0;
}

const struct tp_xkind *
tp_xspace_kind(const struct tp_xspace *x, uint64_t id)
{
	ptrdiff_t at;

	if (id < x->dense_cap && x->dense[id])
		return &x->kinds[x->dense[id] - 1];
	at = tp_ids_find(&x->kind_ids, id, 0);
	return at < 0 ? NULL : &x->kinds[at];
}

/* Call ADD with every entry of the map NUMBER of plane P. */
static int
read_map(struct tp_xspace *x, const struct tp_xplane *p, uint32_t number,
    int (*add)(struct tp_xspace *, uint64_t, struct tp_proto),
    struct tp_err *err)
{
	struct tp_walk w = p->place;
	struct tp_proto m, value;
	struct tp_proto_field f;
	uint64_t at, key;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number != number || f.wire != TP_WIRE_BYTES)
			continue;
		if (tp_xspace_message(x, at, f.value, &m, err) < 0)
			return -1;
		rc = entry(m, &key, &value) < 0 ? 1 : add(x, key, value);
		if (rc < 0)
			return tp_fail_memory(err);
		/* one that the input ends in is told as that */
		if (rc && !(x->cut && w.at >= x->reach.len))
			tp_xspace_damaged(x, at, "what an id means");
	}
	return rc;
}

/* V as JSON: a double holds 15 digits. */
static cJSON *
own_value(struct tp_xspace *x, const struct tp_arg *v, int is_number)
{
	char *text;

	if (is_number && (v->len <= 15 || memchr(v->text, '.', v->len)))
		return cJSON_ParseWithLength(v->text, v->len);
	text = tp_arena_text(&x->texts, v->text, v->len);
	return text ? cJSON_CreateString(text) : NULL;
}

/* The stats of plane P itself, added to ABOUT. */
static int
read_own(struct tp_xspace *x, const struct tp_xplane *p, cJSON *about,
    struct tp_err *err)
{
	struct tp_walk w = p->place;
	struct tp_proto m, stat_text;
	struct tp_proto_field f;
	uint64_t at;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		const struct tp_xstat *stat;
		struct tp_xstat wanted;
		struct tp_arg v;
		char room[32];
		cJSON *value;
		ptrdiff_t id;

		if (f.number != PLANE_OWN || f.wire != TP_WIRE_BYTES)
			continue;
		if (tp_xspace_message(x, at, f.value, &m, err) < 0)
			return -1;
		stat_text = m;
		if (tp_proto_next(&m, &f) <= 0 || f.number != 1)
			continue;
		id = tp_ids_find(&x->stat_ids, f.value, 0);
		if (id < 0)
			continue;
		/* each is kept, whoever wants it */
		wanted = x->stats[id];
		x->stats[id].want = 0;
		v = stat_value(x, stat_text, &stat, room);
		x->stats[id] = wanted;
		if (!v.type)
			continue;
		value = own_value(x, &v, v.text == room);
		if (value && cJSON_AddItemToObject(about, wanted.name, value))
			continue;
		cJSON_Delete(value);
		return tp_fail_memory(err);
	}
	return rc;
}

/* What the plane AT says of itself becomes a member. */
static int
keep_own(struct tp_xspace *x, const struct tp_xplane *p, struct tp_err *err)
{
	cJSON *about = cJSON_CreateObject(), *all;
	char pid[24];
	int rc;

	if (!about || !cJSON_AddStringToObject(about, "name", p->name)) {
		cJSON_Delete(about);
		return tp_fail_memory(err);
	}
	rc = read_own(x, p, about, err);
	if (rc < 0) {
		cJSON_Delete(about);
		return -1;
	}
	if (!p->is_wanted)
		return tp_members_put(&x->e->members, "environment", 11,
		    about) < 0 ? tp_fail_memory(err) : 0;
	all = (cJSON *)(uintptr_t)tp_members_find(&x->e->members, "planes");
	snprintf(pid, sizeof pid, "%" PRId64, p->pid);
	if (!all) {
		all = cJSON_CreateObject();
		if (!all || tp_members_put(&x->e->members, "planes", 6,
		    all) < 0) {
			cJSON_Delete(about);
			return tp_fail_memory(err);
		}
	}
	if (!cJSON_GetObjectItemCaseSensitive(all, pid) &&
	    cJSON_AddItemToObject(all, pid, about))
		return 0;
	cJSON_Delete(about);
	return tp_alloc_failed() ? tp_fail_memory(err) : 0;
}

int
tp_xspace_open_plane(struct tp_xspace *x, size_t at, struct tp_err *err)
{
	const struct tp_xplane *p = &x->planes[at];

	tp_xspace_close_plane(x);
	x->plane = at;
	return read_map(x, p, PLANE_STATS, add_stat, err) < 0 ||
	    (p->is_wanted && read_map(x, p, PLANE_KINDS, add_kind,
	    err) < 0) || keep_own(x, p, err) < 0 ? -1 :
	    tp_xspace_open_programs(x, at, err);
}

void
tp_xspace_close_plane(struct tp_xspace *x)
{
	tp_xspace_close_programs(x);
	tp_arena_release(&x->texts);
	memset(&x->texts, 0, sizeof x->texts);
	tp_ids_release(&x->stat_ids);
	tp_ids_release(&x->kind_ids);
	tp_free(x->stats);
	tp_free(x->kinds);
	tp_free(x->kind_args);
	tp_free(x->dense);
	x->stats = NULL;
	x->kinds = NULL;
	x->kind_args = NULL;
	x->dense = NULL;
	x->stat_cap = x->kind_cap = x->kind_arg_cap = x->dense_cap = 0;
	x->kind_arg_count = 0;
	x->filled = NULL;
	x->plane = SIZE_MAX;
}

static void
set(struct tp_xspace *x, uint32_t want, const struct tp_arg *value)
{
	struct tp_arg *arg = &x->e->args[want];

	if (!arg->type)
		x->set[x->set_count++] = want;
	*arg = *value;
}

/* The next event of the same kind may not have it. */
static void
set_own(struct tp_xspace *x, uint32_t want, const struct tp_arg *value)
{
	set(x, want, value);
	x->filled = NULL;
}

int
tp_xspace_fill(struct tp_xspace *x, const struct tp_xkind *k,
    struct tp_proto m, int has_stats, struct tp_arg *name)
{
	const struct tp_xstat *stat;
	struct tp_proto rest = m;
	struct tp_proto_field f;
	struct tp_arg v;
	char room[32];

	*name = k->name;
	if (x->filled != k) {
		while (x->set_count)
			x->e->args[x->set[--x->set_count]].type =
			    TP_ARG_ABSENT;
		for (size_t i = 0; i < k->arg_count; i++)
			set(x, x->kind_args[k->args + i].want,
			    &x->kind_args[k->args + i].value);
		x->filled = k;
	}
	while (has_stats && tp_proto_next(&rest, &f) > 0) {
		if (f.number != 4 || f.wire != TP_WIRE_BYTES)
			continue;
		v = stat_value(x, tp_proto_of(&f), &stat, room);
		if (!stat || !v.type)
			continue;
		if (stat->is_step) {
			tp_buf_clear(&x->e->text);
			tp_buf_add(&x->e->text, v.text, v.len);
			if (x->e->text.failed)
				return -1;
			*name = text_arg(x->e->text.p, v.len);
			continue;
		}
		if (v.text == room) {
			memcpy(x->numbers[stat->want], room, v.len);
			v.text = x->numbers[stat->want];
		}
		set_own(x, (uint32_t)stat->want, &v);
	}
	if (has_stats && x->programs)
		tp_xspace_explain(x, m, set_own);
	return 0;
}
