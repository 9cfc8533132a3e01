/* xspace_plane - event and stat definitions of a plane of an XSpace */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "word.h"
#include "xspace.h"

/* Ids below this, and not far above their number, use the table. */
#define SMALL_MAX ((uint64_t)1 << 20)

/* Index of ID, added when new. */
static ptrdiff_t
add_id(struct tp_xids *ids, uint64_t id)
{
	ptrdiff_t at = tp_ids_add(&ids->ids, id, 0);

	if (id >= SMALL_MAX || id >= 16 * (uint64_t)at + 4096)
		return at;
	TP_ITEM(ids->small, ids->small_cap, (ptrdiff_t)id);
	ids->small[id] = (uint32_t)at + 1;
	return at;
}

static inline ptrdiff_t
find_id(const struct tp_xids *ids, uint64_t id)
{
	return id < ids->small_cap && ids->small[id] ?
	    (ptrdiff_t)ids->small[id] - 1 : tp_ids_find(&ids->ids, id, 0);
}

static void
release_ids(struct tp_xids *ids)
{
	tp_ids_release(&ids->ids);
	tp_free(ids->small);
	*ids = (struct tp_xids){ 0 };
}

/* Stats that the exporter drops: they are meant for other programs. */
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
		if (tp_is(name, len, names[i]))
			return 1;
	return 0;
}

static enum tp_xuse
use_of(const char *name, size_t len)
{
	return is_hidden(name, len) ? TP_X_HIDDEN :
	    tp_is(name, len, "MemoryAllocation") ||
	    tp_is(name, len, "MemoryDeallocation") ? TP_X_MEMORY :
	    TP_X_PLAIN;
}

static struct tp_arg
text_arg(const char *text, size_t len)
{
	return (struct tp_arg){ TP_ARG_STRING, (uint32_t)len, text };
}

/* A copy of the bytes of F that lives as long as the plane. */
static struct tp_arg
kept(struct tp_xspace *x, const struct tp_proto_field *f)
{
	char *copy = tp_arena_text(&x->texts, (const char *)f->bytes,
	    (size_t)f->value);

	return text_arg(copy, (size_t)f->value);
}

/* Split the map entry M into key and value; -1 when it has no value. */
static int
entry(struct tp_proto m, uint64_t *key, struct tp_proto *value)
{
	struct tp_proto_field f;
	int rc, found = 0;

	*key = 0;
	while ((rc = tp_proto_next(&m, &f)) > 0)
		if (f.number == ENTRY_KEY && f.wire == TP_WIRE_VARINT) {
			*key = f.value;
		} else if (f.number == ENTRY_VALUE &&
		    f.wire == TP_WIRE_BYTES) {
			*value = tp_proto_of(&f);
			found = 1;
		}
	return rc < 0 || !found ? -1 : 0;
}

/* Add the stat ID that M defines; -1 when M is damaged. */
static int
add_stat(struct tp_xspace *x, uint64_t id, struct tp_proto m)
{
	struct tp_arg name = { TP_ARG_STRING, 0, "" };
	struct tp_proto_field f;
	ptrdiff_t at;
	int rc;

	while ((rc = tp_proto_next(&m, &f)) > 0)
		if (f.number == STAT_NAME && f.wire == TP_WIRE_BYTES)
			name = kept(x, &f);
	if (rc < 0)
		return -1;
	at = add_id(&x->stat_ids, id);
	TP_ITEM(x->stats, x->stat_cap, at);
	x->stats[at] = (struct tp_xstat){ name.text, name.len,
	    tp_xspace_want(x, name.text, name.len),
	    tp_is(name.text, name.len, "step_name"),
	    tp_is(name.text, name.len, "memory_access_breakdown") };
	return 0;
}

const struct tp_xstat *
tp_xspace_stat(const struct tp_xspace *x, uint64_t id)
{
	ptrdiff_t at = find_id(&x->stat_ids, id);

	return at < 0 ? NULL : &x->stats[at];
}

uint64_t
tp_xspace_stat_id(const struct tp_xspace *x, const char *name)
{
	for (size_t i = 0; i < x->stat_ids.ids.count; i++)
		if (tp_is(x->stats[i].name, x->stats[i].len, name))
			return x->stat_ids.ids.ids[i].a;
	return 0;
}

/*
 * The definition of stat ID, or NULL when it is not wanted; ANY: all are
 * wanted.
 */
static const struct tp_xstat *
wanted_stat(const struct tp_xspace *x, uint64_t id, int any)
{
	const struct tp_xstat *stat = tp_xspace_stat(x, id);

	return stat && (any || stat->want >= 0 || stat->is_step) ? stat :
	    NULL;
}

/* A number as text: 17 digits with an exponent, or a sign and 20 digits. */
enum { ROOM = 24 + TP_SLACK };

/*
 * The value of stat M, if wanted, as text; a number is printed into ROOM.
 * Absent when it has none.  *STAT gets its definition, or NULL; *IS_KEPT:
 * the text lives as long as the plane.
 */
static struct tp_arg
stat_value(const struct tp_xspace *x, struct tp_proto m, int any,
    const struct tp_xstat **stat, char room[ROOM], int *is_kept)
{
	static const char opaque[] = "<opaque bytes>";
	struct tp_arg value = { 0 };
	const struct tp_xstat *ref;
	struct tp_proto_field f;
	int has_id = 0, n = 0;

	*stat = NULL;
	*is_kept = 0;
	while (tp_proto_next(&m, &f) > 0) {
		switch (f.number << 3 | f.wire) {
		case STAT_ID << 3 | TP_WIRE_VARINT:
			has_id = 1;
			*stat = wanted_stat(x, f.value, any);
			if (!*stat)
				return (struct tp_arg){ 0 };
			continue;
		case STAT_DOUBLE << 3 | TP_WIRE_64:
			n = snprintf(room, ROOM, "%.17g", tp_proto_double(&f));
			break;
		case STAT_UINT << 3 | TP_WIRE_VARINT:
			n = (int)(tp_put_digits(room, f.value) - room);
			break;
		case STAT_INT << 3 | TP_WIRE_VARINT:
			n = (int64_t)f.value < 0;
			*room = '-';
			n = (int)(tp_put_digits(room + n, n ? 0 - f.value :
			    f.value) - room);
			break;
		case STAT_TEXT << 3 | TP_WIRE_BYTES:
			value = text_arg((const char *)f.bytes,
			    (size_t)f.value);
			continue;
		case STAT_BYTES << 3 | TP_WIRE_BYTES:
		case STAT_PACKED << 3 | TP_WIRE_BYTES:
			value = text_arg(opaque, sizeof opaque - 1);
			continue;
		case STAT_REF << 3 | TP_WIRE_VARINT:
			ref = tp_xspace_stat(x, f.value);
			*is_kept = !!ref;
			if (ref)
				value = text_arg(ref->name, ref->len);
			continue;
		default:
			continue;
		}
		value = text_arg(room, (size_t)n);
	}
	if (!has_id)
		*stat = wanted_stat(x, 0, any);
	return *stat ? value : (struct tp_arg){ 0 };
}

/* Make VALUE argument WANT of every event of K, the last kind. */
static void
keep_arg(struct tp_xspace *x, struct tp_xkind *k, uint32_t want,
    const struct tp_arg *value)
{
	struct tp_xarg *a;

	for (size_t i = 0; i < k->arg_count; i++) {
		a = &x->kind_args[k->args + i];
		if (a->want == want) {
			a->value = *value;
			return;
		}
	}
	TP_APPEND(x->kind_args, x->kind_arg_count, x->kind_arg_cap, (struct
	    tp_xarg){ want, *value });
	k->arg_count++;
}

/* Append the access M to BUF; fields that are 0 are omitted in M. */
static void
add_access(struct tp_buf *buf, struct tp_proto m)
{
	static const char *const spaces[] = { NULL, "HBM", "CMEM", "VMEM" };
	static const char *const hows[] = { "access", "read", "write" };
	uint64_t v[ACCESS_BYTES + 1] = { 0 };
	struct tp_proto_field f;

	while (tp_proto_next(&m, &f) > 0)
		if (f.number <= ACCESS_BYTES && f.wire == TP_WIRE_VARINT)
			v[f.number] = f.value;
	if (buf->len)
		tp_buf_str(buf, ", ");
	if (v[ACCESS_SPACE] && v[ACCESS_SPACE] < 4)
		tp_buf_str(buf, spaces[v[ACCESS_SPACE]]);
	else
		tp_buf_fmt(buf, "memory%" PRIu64, v[ACCESS_SPACE]);
	tp_buf_fmt(buf, " %s %" PRIu64, hows[v[ACCESS_HOW] < 3 ?
	    v[ACCESS_HOW] : 0], v[ACCESS_BYTES]);
}

/* Append the MemoryAccessBreakdown of stat M to BUF as text. */
static void
add_accesses(struct tp_buf *buf, struct tp_proto m)
{
	struct tp_proto list;
	struct tp_proto_field f, one;

	while (tp_proto_next(&m, &f) > 0) {
		if (f.number != STAT_BYTES || f.wire != TP_WIRE_BYTES)
			continue;
		list = tp_proto_of(&f);
		while (tp_proto_next(&list, &one) > 0)
			if (one.number == ACCESSES_LIST &&
			    one.wire == TP_WIRE_BYTES)
				add_access(buf, tp_proto_of(&one));
	}
}

/* Add stat M to the kind being defined. */
static void
add_kind_arg(struct tp_xspace *x, struct tp_xkind *k, struct tp_proto m)
{
	const struct tp_xstat *stat;
	char room[ROOM];
	int is_kept;
	struct tp_arg value = stat_value(x, m, 0, &stat, room, &is_kept);
	struct tp_buf buf = { 0 };

	if (!stat || !value.type)
		return;
	if (stat->is_accesses) {
		add_accesses(&buf, m);
		value = text_arg(buf.p ? buf.p : "", buf.len);
	}
	/* a text may be shared by thousands */
	if (!is_kept || stat->is_accesses)
		value.text = tp_arena_text(&x->texts, value.text, value.len);
	tp_buf_release(&buf);
	if (stat->is_step)
		k->name = value;
	else
		keep_arg(x, k, (uint32_t)stat->want, &value);
}

/*
 * Name a kind: by its display name if it has one, with the full name as
 * "long_name".
 */
static void
name_kind(struct tp_xspace *x, struct tp_xkind *k, const struct tp_arg *name,
    const struct tp_arg *shown)
{
	int want = tp_xspace_want(x, "long_name", 9);

	k->name = shown->len ? *shown : *name;
	if (!shown->len || want < 0)
		return;
	keep_arg(x, k, (uint32_t)want, name);
}

/* Add the kind ID that M defines; -1 when M is damaged. */
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
		if (f.number == KIND_NAME && f.wire == TP_WIRE_BYTES)
			name = kept(x, &f);
		else if (f.number == KIND_SHOWN && f.wire == TP_WIRE_BYTES)
			shown = kept(x, &f);
	if (rc < 0)
		return -1;
	name_kind(x, &k, &name, &shown);
	k.use = use_of(name.text, name.len);
	while (tp_proto_next(&rest, &f) > 0)
		if (f.number == KIND_STATS && f.wire == TP_WIRE_BYTES)
			add_kind_arg(x, &k, tp_proto_of(&f));
	at = add_id(&x->kind_ids, id);
	TP_ITEM(x->kinds, x->kind_cap, at);
	x->kinds[at] = k;
	return 0;
}

const struct tp_xkind *
tp_xspace_kind(const struct tp_xspace *x, uint64_t id)
{
	ptrdiff_t at = find_id(&x->kind_ids, id);

	return at < 0 ? NULL : &x->kinds[at];
}

/*
 * Call ADD for every entry of the map in field NUMBER of plane P.  0, or -1
 * with ERR.
 */
static int
read_map(struct tp_xspace *x, const struct tp_xplane *p, uint32_t number,
    int (*add)(struct tp_xspace *, uint64_t, struct tp_proto),
    struct tp_err *err)
{
	struct tp_walk w = p->place;
	struct tp_proto m, value = { 0 };
	struct tp_proto_field f;
	uint64_t at, key;
	int rc;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number != number || f.wire != TP_WIRE_BYTES ||
		    x->clipped)
			continue;
		if (tp_xspace_message(x, at, f.value, &m, err) < 0)
			return -1;
		if (entry(m, &key, &value) < 0 || add(x, key, value) < 0)
			tp_xspace_damaged(x, at, "no meaning of an id");
	}
	return rc;
}

/* V as JSON; a double holds 15 digits. */
static cJSON *
own_value(struct tp_xspace *x, const struct tp_arg *v, int is_number)
{
	if (is_number && (v->len <= 15 || memchr(v->text, '.', v->len)) &&
	    tp_json_is_number(v->text, v->len))
		return cJSON_ParseWithLength(v->text, v->len);
	return cJSON_CreateString(tp_arena_text(&x->texts, v->text, v->len));
}

/* Most bytes of a text among a plane's own stats. */
#define OWN_TEXT 4096

/* Add the plane's own stats to ABOUT. */
static int
read_own(struct tp_xspace *x, const struct tp_xplane *p, cJSON *about,
    struct tp_err *err)
{
	struct tp_walk w = p->place;
	const struct tp_xstat *stat;
	struct tp_proto m;
	struct tp_proto_field f;
	struct tp_arg v;
	uint64_t at;
	char room[ROOM];
	int rc, is_kept, left = TP_X_STATS;

	while ((rc = tp_xspace_field(x, &w, &f, &at, err)) > 0) {
		if (f.number != PLANE_OWN || f.wire != TP_WIRE_BYTES ||
		    x->clipped || !left)
			continue;
		if (tp_xspace_message(x, at, f.value, &m, err) < 0)
			return -1;
		v = stat_value(x, m, 1, &stat, room, &is_kept);
		if (v.len > OWN_TEXT || !v.type)
			continue;
		left--;
		cJSON_AddItemToObject(about, stat->name, own_value(x, &v,
		    v.text == room));
	}
	return rc;
}

/* Make a member of plane AT's own stats. */
static int
keep_own(struct tp_xspace *x, const struct tp_xplane *p, struct tp_err *err)
{
	cJSON *about = cJSON_CreateObject(), *all;
	char pid[24];
	int rc;

	cJSON_AddStringToObject(about, "name", p->name);
	rc = read_own(x, p, about, err);
	if (rc < 0) {
		cJSON_Delete(about);
		return -1;
	}
	if (!p->is_wanted) {
		tp_members_put(&x->e->members, "environment", 11, about);
		return 0;
	}
	all = (cJSON *)(uintptr_t)tp_members_find(&x->e->members, "planes");
	snprintf(pid, sizeof pid, "%" PRId64, p->pid);
	if (!all) {
		all = cJSON_CreateObject();
		tp_members_put(&x->e->members, "planes", 6, all);
	}
	if (!cJSON_GetObjectItemCaseSensitive(all, pid) &&
	    cJSON_AddItemToObject(all, pid, about))
		return 0;
	cJSON_Delete(about);
	return 0;
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
	x->kind_base += x->kind_ids.ids.count;
	release_ids(&x->stat_ids);
	release_ids(&x->kind_ids);
	tp_free(x->stats);
	tp_free(x->kinds);
	tp_free(x->kind_args);
	x->stats = NULL;
	x->kinds = NULL;
	x->kind_args = NULL;
	x->stat_cap = x->kind_cap = x->kind_arg_cap = 0;
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

/* Whether the first bytes of stat F show that it is not wanted. */
static inline int
is_unwanted(const struct tp_xspace *x, const struct tp_proto_field *f)
{
	const unsigned char *p = f->bytes;
	const struct tp_xstat *stat;

	if (f->value < 2 || p[0] != (STAT_ID << 3) || p[1] >= 0x80 ||
	    p[1] >= x->stat_ids.small_cap || !x->stat_ids.small[p[1]])
		return 0;
	stat = &x->stats[x->stat_ids.small[p[1]] - 1];
	return stat->want < 0 && !stat->is_step;
}

/* Set an argument of this event only. */
static void
set_own(struct tp_xspace *x, uint32_t want, const struct tp_arg *value)
{
	set(x, want, value);
	/* arguments from 63 on exist only in other formats */
	if (want < 63)
		x->own |= (uint64_t)1 << want;
	x->filled = NULL;
}

void
tp_xspace_fill(struct tp_xspace *x, const struct tp_xkind *k,
    struct tp_proto event, struct tp_proto stats, struct tp_arg *name)
{
	const struct tp_xstat *stat;
	int is_kept, has_stats = stats.p < stats.end;
	struct tp_proto_field f;
	struct tp_arg v;
	char room[ROOM];

	*name = k->name;
	x->own = 0;
	if (x->filled != k) {
		while (x->set_count)
			x->e->args[x->set[--x->set_count]].type =
			    TP_ARG_ABSENT;
		for (size_t i = 0; i < k->arg_count; i++)
			set(x, x->kind_args[k->args + i].want,
			    &x->kind_args[k->args + i].value);
		x->filled = k;
	}
	while (tp_proto_next(&stats, &f) > 0) {
		if (f.number != EVENT_STATS || f.wire != TP_WIRE_BYTES ||
		    is_unwanted(x, &f))
			continue;
		v = stat_value(x, tp_proto_of(&f), 0, &stat, room, &is_kept);
		if (!stat || !v.type)
			continue;
		if (stat->is_step) {
			tp_buf_clear(&x->e->text);
			tp_buf_add(&x->e->text, v.text, v.len);
			*name = text_arg(x->e->text.p, v.len);
			x->own |= ~(UINT64_MAX >> 1);
			continue;
		}
		if (v.text == room) {
			memcpy(x->numbers[stat->want], room, v.len);
			v.text = x->numbers[stat->want];
		}
		set_own(x, (uint32_t)stat->want, &v);
	}
	if (has_stats && x->programs)
		tp_xspace_explain(x, event, set_own);
}
