/*
 * etdp_rows - the events of an ETDump as rows of a timeline
 *
 * Rows are in nesting order: as logged, or with an instruction's events
 * moved before its call (etdp_order.h).  Columns are those of the CSV that
 * other tools make of an ETDump, plus the position of an event in the
 * program.  Ticks are treated as nanoseconds.
 *
 * An analysis gets whole runs: of a truncated file those that lost no event,
 * or if there are none, whatever is left.
 *
 * Memory: the whole file, because its offsets point anywhere in it, and 64
 * rows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/buf.h>
#include <tp/records.h>
#include <tp/share.h>

#include "etdp.h"
#include "etdp_order.h"
#include "program.h"
#include "read.h"
#include "rows.h"

/* Make V the number TEXT. */
static void
put_decimal(struct tp_value *v, const char *text, size_t len)
{
	v->type = TP_DECIMAL;
	v->text = text;
	v->len = v->whole = (uint32_t)len;
}

/* N ticks in thousands (DIGITS 3) or millions (6): "399.054", "3.0". */
static void
put_ticks(struct tp_value *v, uint64_t n, int digits, struct tp_arena *arena)
{
	uint64_t scale = digits == 3 ? 1000 : 1000000;
	char text[48];
	int len = snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64,
	    n / scale, digits, n % scale);

	while (text[len - 1] == '0' && text[len - 2] != '.')
		len--;
	put_decimal(v, tp_arena_text(arena, text, (size_t)len), (size_t)len);
}

/* PART as a percentage of WHOLE; absent when WHOLE is 0. */
static void
put_percent(struct tp_value *v, uint64_t part, uint64_t whole,
    struct tp_arena *arena)
{
	struct tp_buf text = { 0 };

	if (!whole)
		return;
	tp_json_real(&text, 100 * ((double)part / (double)whole));
	put_decimal(v, tp_arena_text(arena, text.p, text.len), text.len);
	tp_buf_release(&text);
}

static void
put_text(struct tp_value *v, const char *p, size_t len)
{
	v->type = TP_TEXT;
	v->text = p;
	v->len = v->whole = (uint32_t)len;
}

static void
put_whole(struct tp_value *v, int64_t n)
{
	v->type = TP_COUNT;
	v->n = n;
}

/* Length of a name without a trailing " #3". */
static size_t
base_length(const char *name, size_t len)
{
	size_t n = len;

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n < len && n > 2 && !memcmp(name + n - 2, " #", 2) ? n - 2 : len;
}

#define TABLE "etdump-timeline"

/* Rows queued before they are returned. */
#define BATCH 64

/* 36 years, the limit for other tables too. */
#define LONGEST_NS ((uint64_t)1 << 60)

enum column { MODEL, NAME, TYPE, BACKEND, START, END, TOOK, SHARE, NODE, RUN,
    BLOCK, CHAIN, INSTRUCTION, COLUMNS };
static const char *const names[COLUMNS] = { "model_id", "name", "type",
    "delegate_backend", "start_us", "end_us", "duration_ms", "pct_total",
    "node_id", "run_index", "block", "chain_index", "instruction_id" };

struct etdp {
	struct tp_buf bytes;
	struct tp_etdp dump;
	char *model;			/* name of the file, or NULL */
	enum column *columns;		/* per value of a row */
	size_t block, event;		/* next one to read */
	size_t *order;			/* order of the block; NULL: as
					 * logged */
	uint64_t moved;			/* number of events moved */
	uint64_t node;			/* node of the event in the block */
	uint64_t number;		/* number of the event in the file */
	uint64_t withheld;		/* events of incomplete runs */
	uint64_t first_total;		/* ticks of run 0 and loading */
	const struct tp_program *program;
	ptrdiff_t method;		/* method of the current block */
	int read;
	struct tp_err damage;		/* damage of the packed input */
};

static int
is_delegated(const struct tp_etdp_event *e)
{
	return e->id >= 0 || e->id_len;
}

/* Give E, an event of a delegate, its name there. */
static void
name_event(struct tp_etdp_event *e, struct tp_arena *arena)
{
	char digits[24];

	if (e->id < 0 && e->id_len) {
		e->name = e->id_text;
		e->name_len = e->id_len;
	} else if (e->id >= 0) {
		e->name_len = (size_t)snprintf(digits, sizeof digits, "%"
		    PRId64, e->id);
		e->name = tp_arena_text(arena, digits, e->name_len);
	}
}

/* Whether E, the current event, is the last of its instruction. */
static int
is_last(const struct etdp *x, const struct tp_etdp_event *e)
{
	const struct tp_etdp_block *b = &x->dump.blocks[x->block];
	struct tp_etdp_event next;

	for (size_t i = x->event + 1; i < b->events.count; i++) {
		tp_etdp_event(b, x->order ? x->order[i] : i, &next);
		if (next.kind == TP_ETDP_PROFILE)
			return next.chain != e->chain ||
			    next.instruction != e->instruction;
	}
	return 1;
}

/*
 * The backend that ran E, from the program by its instruction; else whether
 * it was a delegate.
 */
static void
backend_of(const struct etdp *x, const struct tp_etdp_event *e,
    struct tp_value *v)
{
	const char *name = is_delegated(e) ? "delegated" : "portable", *id;
	size_t len = strlen(name), id_len;

	if (e->chain >= 0 && x->method >= 0 && (is_delegated(e) ||
	    !is_last(x, e)) && tp_program_backend(x->program,
	    (size_t)x->method, e->chain, e->instruction, &id, &id_len)) {
		name = id;
		len = id_len;
	}
	put_text(v, name, len);
}

static void
set(struct tp_rows *rows, struct tp_value *v, enum column c,
    const struct tp_etdp_event *e, uint64_t ticks)
{
	struct etdp *x = rows->form;
	const struct tp_etdp_block *b = &x->dump.blocks[x->block];
	struct tp_arena *arena = &rows->fill->arena;

	switch (c) {
	case MODEL:
		if (x->model)
			put_text(v, x->model, strlen(x->model));
		return;
	case NAME:
		if (e->name_len)
			put_text(v, e->name, e->name_len);
		return;
	case TYPE:
		put_text(v, e->name, base_length(e->name, e->name_len));
		return;
	case BACKEND:
		backend_of(x, e, v);
		return;
	case START:
		put_ticks(v, e->start, 3, arena);
		return;
	case END:
		put_ticks(v, e->start > e->end ? e->start + ticks :
		    e->end, 3, arena);
		return;
	case TOOK:
		put_ticks(v, ticks, 6, arena);
		return;
	case SHARE:
		put_percent(v, ticks, b->run ? b->ticks : x->first_total,
		    arena);
		return;
	case NODE:
		put_whole(v, (int64_t)(b->node + x->node));
		return;
	case RUN:
		put_whole(v, b->run);
		return;
	case BLOCK:
		put_text(v, b->name, b->name_len);
		return;
	case CHAIN:
		if (e->chain >= 0)
			put_whole(v, e->chain);
		return;
	case INSTRUCTION:
		if (e->chain >= 0)
			put_whole(v, e->instruction);
		return;
	default:
		return;
	}
}

static void
damaged(struct tp_rows *rows, const char *what, const char *why)
{
	const struct etdp *x = rows->form;
	struct tp_err err;

	tp_fail(&err, TP_BAD, "row.damaged", x->number, "event %" PRIu64
	    " %s", x->number, why);
	err.what = what;
	tp_queue_damage(rows, &err);
}

/* Queue E as a row. */
static void
row(struct tp_rows *rows, struct tp_etdp_event *e)
{
	const struct etdp *x = rows->form;
	struct tp_value *v = tp_queue_row(rows, x->number);
	uint64_t ticks = 0;

	if (e->kind == TP_ETDP_LOST) {
		damaged(rows, "place", "points to where the file has "
		    "no such event");
		return;
	}
	if (tp_etdp_ticks(e, &ticks) < 0) {
		damaged(rows, "time", "ends before it starts");
		return;
	}
	if (ticks > LONGEST_NS) {
		damaged(rows, "duration", "lasts longer than 36 years");
		return;
	}
	name_event(e, &rows->fill->arena);
	for (size_t i = 0; i < rows->plan->count; i++)
		if (x->columns[i] < COLUMNS)
			set(rows, &v[i], x->columns[i], e, ticks);
}

/* Whether the rows of B are returned. */
static int
is_given(const struct tp_rows *rows, const struct tp_etdp_block *b)
{
	const struct etdp *x = rows->form;

	return rows->plan->wanted && (!rows->binds || !b->is_run ||
	    !b->lost || !x->dump.whole_runs);
}

/*
 * The first method of the program whose instructions match the current
 * block; -1: none.
 */
static ptrdiff_t
method_of(const struct etdp *x)
{
	const struct tp_etdp_block *b = &x->dump.blocks[x->block];
	size_t methods = x->program ? tp_program_methods(x->program) : 0, i;
	struct tp_etdp_event e;

	for (size_t m = 0; m < methods; m++) {
		for (i = 0; i < b->events.count; i++) {
			tp_etdp_event(b, i, &e);
			if (e.kind == TP_ETDP_PROFILE && e.chain >= 0 &&
			    !tp_program_fits(x->program, m, e.chain,
			    e.instruction, is_delegated(&e)))
				break;
		}
		if (i == b->events.count)
			return (ptrdiff_t)m;
	}
	return -1;
}

static void
next_block(struct etdp *x)
{
	x->block++;
	x->event = 0;
	x->node = 0;
	tp_free(x->order);
	x->order = NULL;
}

static void
begin_block(struct etdp *x, const struct tp_etdp_block *b)
{
	uint64_t moved;

	x->method = method_of(x);
	tp_etdp_order(b, &x->order, &moved);
	x->moved += moved;
}

static void
next_event(struct tp_rows *rows)
{
	struct etdp *x = rows->form;
	const struct tp_etdp_block *b = &x->dump.blocks[x->block];
	struct tp_etdp_event e;
	uint64_t n;

	if (!x->event && !is_given(rows, b)) {
		n = b->profiled + (tp_etdp_is_cut(&x->dump) ? 0 : b->lost);
		if (rows->plan->wanted)
			x->withheld += n;
		tp_count_rows(rows, n);
		x->number += b->events.count;
		next_block(x);
		return;
	}
	if (!x->event)
		begin_block(x, b);
	if (x->event == b->events.count) {
		next_block(x);
		return;
	}
	tp_etdp_event(b, x->order ? x->order[x->event] : x->event, &e);
	x->number++;
	if (e.kind == TP_ETDP_PROFILE || (e.kind == TP_ETDP_LOST &&
	    !tp_etdp_is_cut(&x->dump)))
		row(rows, &e);
	x->node += e.kind == TP_ETDP_PROFILE;
	x->event++;
}

/* Choose the columns of TABLE that an ETDump has, and map values to them. */
static int
plan(struct tp_rows *rows, struct tp_err *err)
{
	const struct tp_table *t = tp_tables_find(rows->tables, TABLE);
	struct etdp *x = rows->form;
	ptrdiff_t *cell_of;
	int rc;

	if (!t)
		return tp_share_fail(err, TP_BAD, "share/tables "
		    "has no table '" TABLE "'");
	cell_of = tp_alloc((t->column_count + 1) * sizeof *cell_of);
	for (size_t i = 0; i < t->column_count; i++) {
		cell_of[i] = -1;
		for (int c = 0; c < COLUMNS; c++)
			if (!strcmp(t->columns[i].name, names[c]))
				cell_of[i] = c;
	}
	rc = tp_plan_table(rows, t, cell_of, err);
	tp_free(cell_of);
	if (rc < 0)
		return -1;
	x->columns = tp_alloc((rows->plan->count + 1) * sizeof *x->columns);
	for (size_t i = 0; i < rows->plan->count; i++)
		x->columns[i] = rows->plan->slots[i].cell < 0 ? COLUMNS :
		    (enum column)rows->plan->slots[i].cell;
	return 0;
}

/* Read and scan the whole file. */
static int
read_file(struct tp_rows *rows, struct tp_err *err)
{
	struct etdp *x = rows->form;
	const char *block;
	ptrdiff_t n;

	while ((n = tp_in_read(rows->in, &block,
	    &x->damage)) > 0)
		tp_buf_add(&x->bytes, block, (size_t)n);
	/* use what came before the end of truncated gzip data */
	if (n < 0 && x->damage.status != TP_BAD) {
		*err = x->damage;
		return -1;
	}
	if (plan(rows, err) < 0 || tp_etdp_init(&x->dump, x->bytes.p ?
	    x->bytes.p : "", x->bytes.len, err) < 0)
		return -1;
	for (size_t i = 0; i < x->dump.count; i++)
		if (!x->dump.blocks[i].run)
			x->first_total += x->dump.blocks[i].ticks;
	x->program = rows->trace->program;
	if (!strcmp(tp_in_name(rows->in), "<stdin>"))
		return 0;
	x->model = tp_trace_name(tp_in_name(rows->in));
	return 0;
}

static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct etdp *x = rows->form;
	size_t most = rows->fill->row_count + BATCH;

	if (!x->read && read_file(rows, err) < 0)
		return -1;
	x->read = 1;
	while (x->block < x->dump.count && rows->fill->row_count < most)
		next_event(rows);
	return x->block < x->dump.count;
}

/* Note what else the file holds. */
static void
note_rest(struct tp_rows *rows)
{
	const struct etdp *x = rows->form;
	const struct tp_etdp *d = &x->dump;
	const char *file = tp_in_name(rows->in);

	if (d->allocations)
		tp_trace_note(rows->trace, "etdump.allocations", 0,
		    d->allocations, "%s: allocations were logged, of %" PRIu64
		    " bytes together; they are counted, not analysed", file,
		    d->allocated_bytes);
	if (d->debugs)
		tp_trace_note(rows->trace, "etdump.debug", 0, d->debugs,
		    "%s: values of tensors were logged too, which makes runs "
		    "slower: do not compare their latency with that of others",
		    file);
	if (x->moved)
		tp_trace_note(rows->trace, "etdump.aside", 0, x->moved, "%s: "
		    "events were not logged right before the call of their "
		    "instruction: they are assigned to it", file);
	if (d->wrapped)
		tp_trace_note(rows->trace, "time.wrapped", 0, d->wrapped,
		    "%s: events end before they start: their 32-bit clock "
		    "wrapped, and 2^32 ticks were added", file);
	if (d->version)
		tp_trace_note(rows->trace, "etdump.version", 0, 1, "%s: "
		    "version %" PRIu32 " of the format; this program knows 0",
		    file, d->version);
	if (d->said_bytes && d->said_bytes < d->flat.len)
		tp_trace_note(rows->trace, "etdump.trailing", 0,
		    d->flat.len - d->said_bytes, "%s: bytes after the end of "
		    "the ETDump were ignored", file);
}

/* Fail with a description of what remains of a truncated file. */
static int
fail_parts(const struct etdp *x, struct tp_err *err)
{
	const struct tp_etdp *d = &x->dump;
	const char *left = d->cut_runs == 1 ? " and is left out" :
	    " and are left out";
	char runs[80] = "", blocks[80] = "";

	if (d->cut_runs)
		snprintf(runs, sizeof runs, ", %zu %s events%s", d->cut_runs,
		    d->cut_runs == 1 ? "lacks" : "lack", x->withheld ? left :
		    "");
	if (d->lost_blocks)
		snprintf(blocks, sizeof blocks, ", %" PRIu64 " more %s lost",
		    d->lost_blocks, d->lost_blocks == 1 ? "is" : "are");
	return tp_fail(err, TP_BAD, tp_etdp_is_cut(d) ? "input.truncated" :
	    "etdump.damaged", 0, "the ETDump is %s: of its runs %zu %s "
	    "whole%s%s; copy it again from the device", tp_etdp_is_cut(d) ?
	    "cut off" : "damaged", d->whole_runs, d->whole_runs == 1 ? "is" :
	    "are", runs, blocks);
}

static int
finish(struct tp_rows *rows, struct tp_err *err)
{
	const struct etdp *x = rows->form;
	const struct tp_etdp *d = &x->dump;
	struct tp_source *s = &rows->trace->sources[rows->plan->source];

	note_rest(rows);
	if (!tp_etdp_is_cut(d) && !d->lost_blocks && !x->withheld) {
		*err = x->damage;
		return err->status ? -1 : 0;
	}
	if (tp_etdp_is_cut(d)) {
		s->rows += d->lost_events;
		s->skipped += d->lost_events;
	}
	s->skipped += x->withheld;
	return fail_parts(x, err);
}

static void
close_form(struct tp_rows *rows)
{
	struct etdp *x = rows->form;

	tp_etdp_release(&x->dump);
	tp_buf_release(&x->bytes);
	tp_free(x->order);
	tp_free(x->columns);
	tp_free(x->model);
	tp_free(x);
}

void
tp_etdp_rows_open(struct tp_rows *rows)
{
	struct etdp *x = tp_zalloc(sizeof *x);

	rows->form = x;
	rows->more = more;
	rows->finish = finish;
	rows->close = close_form;
}
