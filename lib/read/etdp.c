/* etdp - the events of an ETDump (.etdp) of ExecuTorch */
#include <inttypes.h>
#include <string.h>

#include "etdp.h"

/* Field numbers of the schema. */
enum { DUMP_VERSION, DUMP_BLOCKS };
enum { BLOCK_NAME, BLOCK_EVENTS = 3 };
enum { EVENT_PROFILE, EVENT_ALLOCATION, EVENT_DEBUG };
enum { PROFILE_NAME, PROFILE_CHAIN, PROFILE_INSTRUCTION, PROFILE_ID,
    PROFILE_ID_TEXT, PROFILE_START = 6, PROFILE_END };
enum { ALLOCATION_BYTES = 1 };

/* The block of loading. */
#define NO_RUN "Default"

/* Least bytes of an event, even of a truncated one: its entry in a list. */
#define EVENT_BYTES 4

/*
 * Limit on the total length of names: part of the file, but shared by
 * several events.
 */
#define NAMES_FACTOR 64
#define NAMES_BYTES ((uint64_t)1 << 20)

#define TICKS_32 ((uint64_t)1 << 32)

int
tp_etdp_is_cut(const struct tp_etdp *d)
{
	return d->said_bytes > d->flat.len;
}

int
tp_etdp_ticks(const struct tp_etdp_event *e, uint64_t *ticks)
{
	int wraps = e->start > e->end;

	if (wraps && e->start >= TICKS_32)
		return -1;
	*ticks = wraps ? TICKS_32 - e->start + e->end : e->end - e->start;
	return wraps;
}

/* Whether the LEN bytes at TEXT can be a name. */
static int
is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ')
			return 0;
	return len > 0;
}

static int
read_profile(const struct tp_flat_table *t, struct tp_etdp_event *e)
{
	e->chain = 0;
	e->id = e->instruction = -1;
	e->name = e->id_text = "";
	e->name_len = e->id_len = 0;
	e->start = e->end = 0;
	if (tp_flat_text(t, PROFILE_NAME, &e->name, &e->name_len) < 0 ||
	    tp_flat_int(t, PROFILE_CHAIN, &e->chain) < 0 ||
	    tp_flat_int(t, PROFILE_INSTRUCTION, &e->instruction) < 0 ||
	    tp_flat_int(t, PROFILE_ID, &e->id) < 0 ||
	    tp_flat_text(t, PROFILE_ID_TEXT, &e->id_text, &e->id_len) < 0 ||
	    tp_flat_number(t, PROFILE_START, 8, &e->start) < 0 ||
	    tp_flat_number(t, PROFILE_END, 8, &e->end) < 0)
		return -1;
	/* events of the runtime itself have no chain */
	if (e->chain < 0 || e->instruction < 0)
		e->chain = e->instruction = -1;
	return 0;
}

void
tp_etdp_event(const struct tp_etdp_block *b, size_t i,
    struct tp_etdp_event *e)
{
	struct tp_flat_table event, part;
	int profile, allocation, debug;

	e->kind = TP_ETDP_LOST;
	if (tp_flat_item(&b->events, i, &event) < 0)
		return;
	profile = tp_flat_child(&event, EVENT_PROFILE, &part);
	if (profile) {
		if (profile > 0 && !read_profile(&part, e))
			e->kind = TP_ETDP_PROFILE;
		return;
	}
	allocation = tp_flat_child(&event, EVENT_ALLOCATION, &part);
	e->bytes = 0;
	if (allocation) {
		if (allocation > 0 && tp_flat_number(&part, ALLOCATION_BYTES,
		    8, &e->bytes) >= 0)
			e->kind = TP_ETDP_ALLOCATION;
		return;
	}
	debug = tp_flat_child(&event, EVENT_DEBUG, &part);
	if (debug > 0)
		e->kind = TP_ETDP_DEBUG;
}

/* Update the signature of a block, which identifies what it logged, with E. */
static uint64_t
sign(uint64_t before, const struct tp_etdp_event *e)
{
	uint64_t parts[] = { before, tp_hash_bytes(e->name, e->name_len),
	    (uint64_t)e->chain, (uint64_t)e->instruction, (uint64_t)e->id,
	    tp_hash_bytes(e->id_text, e->id_len) };

	return tp_hash_bytes(parts, sizeof parts);
}

/* Totals over all blocks scanned so far. */
struct survey {
	uint64_t events, name_bytes;
	uint64_t nodes;			/* over all signatures so far */
	struct tp_ids signatures;	/* (signature, number of events) */
	uint64_t *first;		/* first node of each */
	size_t cap;
};

static void
count(struct tp_etdp *d, struct tp_etdp_block *b, struct survey *s,
    const struct tp_etdp_event *e)
{
	uint64_t ticks;
	int wraps;

	switch (e->kind) {
	case TP_ETDP_PROFILE:
		b->profiled++;
		s->name_bytes += e->name_len + e->id_len;
		wraps = tp_etdp_ticks(e, &ticks);
		d->wrapped += wraps > 0;
		if (wraps >= 0 && __builtin_add_overflow(b->ticks, ticks,
		    &b->ticks))
			b->ticks = UINT64_MAX;
		break;
	case TP_ETDP_ALLOCATION:
		d->allocations++;
		d->allocated_bytes += e->bytes;
		break;
	case TP_ETDP_DEBUG:
		d->debugs++;
		break;
	default:
		b->lost++;
	}
}

/* Number the nodes of B; blocks of equal SIGNATURE share them. */
static void
number(struct tp_etdp_block *b, struct survey *s, uint64_t signature)
{
	size_t known = s->signatures.count;
	ptrdiff_t at = tp_ids_add(&s->signatures, signature, b->profiled);

	TP_ITEM(s->first, s->cap, at);
	if ((size_t)at == known) {
		s->first[at] = s->nodes;
		s->nodes += b->profiled;
	}
	b->node = s->first[at];
}

/* Scan all events of B.  0, or -1 with ERR. */
static int
survey_block(struct tp_etdp *d, struct tp_etdp_block *b, struct survey *s,
    struct tp_err *err)
{
	uint64_t signature = 0;
	struct tp_etdp_event e;

	/* overlapping lists would make a small file endless */
	s->events += b->events.count;
	if (s->events > d->flat.len / EVENT_BYTES)
		return tp_fail(err, TP_BAD, "etdump.damaged", 0, "the ETDump "
		    "states more events than fit into it: copy it again from "
		    "the device");
	for (size_t i = 0; i < b->events.count; i++) {
		tp_etdp_event(b, i, &e);
		count(d, b, s, &e);
		if (e.kind == TP_ETDP_PROFILE)
			signature = sign(signature, &e);
	}
	if (s->name_bytes > d->flat.len * NAMES_FACTOR + NAMES_BYTES)
		return tp_fail(err, TP_LIMIT, "limit.names", 0, "the names of "
		    "the events are together %d times as long as the file",
		    NAMES_FACTOR);
	b->lost += b->events.said - b->events.count;
	d->lost_events += b->lost;
	if (b->is_run)
		*(b->lost ? &d->cut_runs : &d->whole_runs) += 1;
	number(b, s, signature);
	return 0;
}

/* Add the block in T: 1, 0 when it is lost, -1 with ERR. */
static int
add_block(struct tp_etdp *d, const struct tp_flat_table *t,
    struct tp_err *err)
{
	struct tp_etdp_block *b, block = { .name = "" };
	int named = tp_flat_text(t, BLOCK_NAME, &block.name, &block.name_len);
	int listed = tp_flat_list(t, BLOCK_EVENTS, 4, &block.events);

	if (named < 0 && !tp_etdp_is_cut(d))
		return tp_fail(err, TP_BAD, "etdump.old", 0, "an ETDump "
		    "of a release before 0.1, or a damaged one: make it again "
		    "with a newer ExecuTorch, or export it with the Inspector "
		    "of that release as CSV");
	if (named < 0 || listed < 0)
		return 0;
	if (named > 0 && !is_name(block.name, block.name_len))
		return tp_fail(err, TP_BAD, "etdump.old", 0, "an ETDump "
		    "of a release before 0.1: export it with the Inspector of "
		    "that release as CSV");
	tp_grow(&d->blocks, &d->cap, d->count + 1, sizeof *b);
	block.is_run = !(block.name_len == strlen(NO_RUN) &&
	    !memcmp(block.name, NO_RUN, block.name_len));
	b = &d->blocks[d->count++];
	*b = block;
	return 1;
}

static int
survey(struct tp_etdp *d, const struct tp_flat_list *list, struct survey *s,
    struct tp_err *err)
{
	struct tp_flat_table table;
	int64_t runs = 0;
	int rc;

	d->lost_blocks = list->said - list->count;
	for (size_t i = 0; i < list->count; i++) {
		rc = tp_flat_item(list, i, &table) < 0 ? 0 :
		    add_block(d, &table, err);
		if (rc < 0)
			return -1;
		if (!rc) {
			d->lost_blocks++;
			continue;
		}
		d->blocks[d->count - 1].run = d->blocks[d->count - 1].is_run ?
		    runs++ : 0;
		if (survey_block(d, &d->blocks[d->count - 1], s, err) < 0)
			return -1;
	}
	return 0;
}

/* Skip a size prefix.  0, or -1 when the identifier is not in its place. */
static int
take_size(struct tp_etdp *d)
{
	static const char mark[] = "ED00";
	const unsigned char *p = d->flat.p;

	if (d->flat.len >= 12 && !memcmp(p + 8, mark, 4)) {
		d->said_bytes = tp_flat_u32(p);
		d->flat.p += 4;
		d->flat.len -= 4;
		return 0;
	}
	return d->flat.len >= 8 && !memcmp(p + 4, mark, 4) ? 0 : -1;
}

int
tp_etdp_init(struct tp_etdp *d, const char *bytes, size_t len,
    struct tp_err *err)
{
	struct tp_flat_list list = { 0 };
	struct survey s = { 0 };
	struct tp_flat_table root;
	uint64_t version = 0;
	int rc;

	memset(d, 0, sizeof *d);
	d->flat.p = (const unsigned char *)bytes;
	d->flat.len = len;
	if (take_size(d) < 0)
		return tp_fail(err, TP_BAD, "etdump.damaged", 0, "not an "
		    "ETDump: it does not begin like one");
	rc = tp_flat_root(&d->flat, &root) < 0 ? -1 :
	    tp_flat_list(&root, DUMP_BLOCKS, 4, &list);
	if (rc < 0 || tp_flat_number(&root, DUMP_VERSION, 4, &version) < 0)
		return tp_etdp_is_cut(d) ? tp_fail(err, TP_BAD,
		    "input.truncated", 0, "the ETDump is cut off before its "
		    "list of runs: copy it again from the device") :
		    tp_fail(err, TP_BAD, "etdump.damaged", 0, "the ETDump is "
		    "damaged: its list of runs is not where it states; copy it "
		    "again from the device");
	d->version = (uint32_t)version;
	rc = survey(d, &list, &s, err);
	tp_ids_release(&s.signatures);
	tp_free(s.first);
	return rc;
}

void
tp_etdp_release(struct tp_etdp *d)
{
	tp_free(d->blocks);
	memset(d, 0, sizeof *d);
}
