/*
 * xctrace - rows of the XML that `xctrace export` writes
 *
 * Cells are mapped by position.  Any element with an id may be referred to
 * by a later one, whatever column it stood in, so all are registered.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tp/xctrace.h>

#include "read.h"
#include "xml.h"

/* Elements whose children matter; all others are a text and a fmt. */
enum part {
	PART_LEAF, PART_PROCESS, PART_PID, PART_THREAD, PART_TID,
	PART_BACKTRACE, PART_TAGGED, PART_FRAME, PART_BINARY, PART_ADDRESSES
};

struct node {
	enum part part;
	const char *text;		/* raw content; a frame's or binary's
					 * name; a process's display form */
	size_t len;
	const char *fmt;		/* NULL: none */
	int64_t n;			/* pid, tid */
	const struct tp_stack *stack;
	const char *library;		/* of a frame */
};

/* An element that is open inside a row. */
struct open {
	struct node *node;
	uint64_t id;
	size_t text_at, kids_at;
	int has_id;			/* -1: a ref or a sentinel, empty */
};

struct col {
	char *name, *human, *type;
};

struct xc {
	struct tp_rows *rows;
	struct tp_xml xml;
	struct tp_arena arena;
	struct node **dense;		/* by id */
	size_t dense_cap;
	struct tp_ids sparse;		/* ids that are far off */
	struct node **sparse_nodes;
	size_t sparse_cap;
	uint64_t registered;
	struct tp_names tags;		/* and what each tag is: */
	unsigned char *tag_part;	/* enum part */
	size_t tag_cap;
	struct tp_buf text;
	struct node **kids;		/* children of the open elements */
	size_t kid_count, kid_cap;
	struct open open[TP_XML_DEPTH + 1];
	int open_count;
	int in_row, schemas, details;
	struct node **cells;
	size_t cell_count, cell_cap;
	uint64_t row_line;
	/* the schema being read */
	char *schema;
	struct col *cols;
	size_t col_count, col_cap;
	int in_schema;
	size_t ncols;			/* of the current table */
};

static void
no_memory(struct xc *x)
{
	tp_fail_memory(x->xml.err);
	tp_xml_stop(&x->xml);
}

static enum part
part_of(struct xc *x, const char *tag)
{
	static const struct { const char *tag; enum part part; } parts[] = {
		{ "process", PART_PROCESS }, { "pid", PART_PID },
		{ "thread", PART_THREAD }, { "tid", PART_TID },
		{ "backtrace", PART_BACKTRACE },
		{ "tagged-backtrace", PART_TAGGED },
		{ "frame", PART_FRAME }, { "binary", PART_BINARY },
		{ "text-addresses", PART_ADDRESSES },
	};
	size_t known = x->tags.count, i;
	ptrdiff_t at = tp_names_add(&x->tags, tag, strlen(tag));

	if (at < 0 || tp_grow(&x->tag_part, &x->tag_cap, x->tags.count,
	    1) < 0) {
		no_memory(x);
		return PART_LEAF;
	}
	if (x->tags.count > known) {
		x->tag_part[at] = PART_LEAF;
		for (i = 0; i < sizeof parts / sizeof *parts; i++)
			if (!strcmp(parts[i].tag, tag))
				x->tag_part[at] = (unsigned char)parts[i].part;
	}
	return (enum part)x->tag_part[at];
}

static struct node *
find(const struct xc *x, uint64_t id)
{
	ptrdiff_t at;

	/* an id that was far off may have come within reach since */
	if (id < x->dense_cap && (x->dense[id] || !x->sparse.count))
		return x->dense[id];
	at = tp_ids_find(&x->sparse, id, 0);
	return at < 0 ? NULL : x->sparse_nodes[at];
}

static void
enter(struct xc *x, uint64_t id, struct node *node)
{
	size_t cap = x->dense_cap;
	ptrdiff_t at;

	/* ids are dense from 1; a wild one must not cost its size */
	if (id < 2 * x->registered + 65536) {
		if (tp_grow(&x->dense, &x->dense_cap, (size_t)id + 1,
		    sizeof *x->dense) < 0) {
			no_memory(x);
			return;
		}
		memset(x->dense + cap, 0,
		    (x->dense_cap - cap) * sizeof *x->dense);
		x->dense[id] = node;
	} else {
		at = tp_ids_add(&x->sparse, id, 0);
		if (at < 0 || tp_grow(&x->sparse_nodes, &x->sparse_cap,
		    x->sparse.count, sizeof node) < 0) {
			no_memory(x);
			return;
		}
		x->sparse_nodes[at] = node;
	}
	x->registered++;
}

/* A finished element belongs to the open one above it, or is a cell. */
static void
hand_up(struct xc *x, struct node *node)
{
	if (!x->open_count) {
		if (tp_grow(&x->cells, &x->cell_cap, x->cell_count + 1,
		    sizeof node) < 0)
			no_memory(x);
		else
			x->cells[x->cell_count++] = node;
	} else if (node && x->open[x->open_count - 1].has_id >= 0 &&
	    x->open[x->open_count - 1].node->part != PART_LEAF) {
		if (tp_grow(&x->kids, &x->kid_cap, x->kid_count + 1,
		    sizeof node) < 0)
			no_memory(x);
		else
			x->kids[x->kid_count++] = node;
	}
}

static int
parse_u64(const char *text, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return end == text || *end || errno || *text == '-' ? -1 : 0;
}

static void
cell_start(struct xc *x, const char *tag, const char **atts)
{
	const char *ref = tp_xml_attr(atts, "ref"), *v;
	struct open *o = &x->open[x->open_count];
	struct node *node;
	uint64_t id;

	o->has_id = 0;
	o->node = NULL;
	o->text_at = x->text.len;
	o->kids_at = x->kid_count;
	if (ref) {
		node = parse_u64(ref, &id) < 0 ? NULL : find(x, id);
		if (!node)
			tp_trace_note(x->rows->trace, "ref.unknown", 0, 1,
			    "%s: a reference to an id that was not seen "
			    "before; the cell counts as absent",
			    tp_in_name(x->rows->in));
		hand_up(x, node);
		o->id = 0;
		x->open_count++;
		/* a ref is empty; what stands in it is not looked at */
		o->node = node;
		o->has_id = -1;
		return;
	}
	if (!strcmp(tag, "sentinel")) {
		hand_up(x, NULL);
		o->has_id = -1;
		x->open_count++;
		return;
	}
	node = tp_arena_get(&x->arena, sizeof *node);
	if (!node) {
		no_memory(x);
		return;
	}
	memset(node, 0, sizeof *node);
	node->part = part_of(x, tag);
	node->n = -1;
	node->text = "";
	v = tp_xml_attr(atts, node->part == PART_FRAME ||
	    node->part == PART_BINARY ? "name" : "fmt");
	if (v)
		node->fmt = tp_arena_text(&x->arena, v, strlen(v));
	v = tp_xml_attr(atts, "id");
	o->has_id = v && !parse_u64(v, &o->id);
	o->node = node;
	x->open_count++;
}

static int
all_digits(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return 0;
	return len > 0;
}

/* The leaf alone has a name in old exports: "mach_msg ← (8 other frames)". */
static const struct tp_stack *
old_stack(struct xc *x, struct node *node)
{
	struct tp_stack *s = tp_arena_get(&x->arena, sizeof *s);
	struct tp_frame *f = tp_arena_get(&x->arena, sizeof *f);
	const char *arrow;

	if (!s || !f) {
		no_memory(x);
		return NULL;
	}
	arrow = strstr(node->fmt, " \xe2\x86\x90 ");
	f->name = tp_arena_text(&x->arena, node->fmt, arrow ?
	    (size_t)(arrow - node->fmt) : strlen(node->fmt));
	f->library = "";
	s->frames = f;
	s->count = 1;
	s->addresses_only = 1;
	if (!f->name)
		no_memory(x);
	return s;
}

static const struct tp_stack *
make_stack(struct xc *x, struct node **kids, size_t count, struct node *node)
{
	struct tp_stack *s;
	struct tp_frame *f;
	size_t i, n = 0, addresses = 0;

	for (i = 0; i < count; i++) {
		n += kids[i]->part == PART_FRAME;
		addresses += kids[i]->part == PART_ADDRESSES;
	}
	if (!n)
		return addresses && node->fmt && *node->fmt ?
		    old_stack(x, node) : NULL;
	s = tp_arena_get(&x->arena, sizeof *s);
	f = tp_arena_get(&x->arena, n * sizeof *f);
	if (!s || !f) {
		no_memory(x);
		return NULL;
	}
	s->frames = f;
	s->count = n;
	s->addresses_only = 0;
	for (i = 0; i < count; i++) {
		if (kids[i]->part != PART_FRAME)
			continue;
		f->name = kids[i]->fmt ? kids[i]->fmt : "";
		f->library = kids[i]->library ? kids[i]->library : "";
		f++;
	}
	return s;
}

/* All children of an element are there: derive what rows will ask for. */
static void
finish(struct xc *x, struct node *node, struct node **kids, size_t count)
{
	size_t i;

	switch (node->part) {
	case PART_PID:
	case PART_TID:
		node->n = strtoll(node->text, NULL, 10);
		break;
	case PART_PROCESS:
	case PART_THREAD:
		for (i = 0; i < count; i++)
			if (kids[i]->part == (node->part == PART_PROCESS ?
			    PART_PID : PART_TID))
				node->n = kids[i]->n;
		break;
	case PART_FRAME:
		for (i = 0; i < count; i++)
			if (kids[i]->part == PART_BINARY)
				node->library = kids[i]->fmt;
		break;
	case PART_BACKTRACE:
		node->stack = make_stack(x, kids, count, node);
		break;
	case PART_TAGGED:
		/* newer Xcode may put the frames here without a backtrace */
		for (i = 0; i < count && !node->stack; i++)
			node->stack = kids[i]->stack;
		if (!node->stack)
			node->stack = make_stack(x, kids, count, node);
		break;
	default:
		break;
	}
}

static void
cell_end(struct xc *x)
{
	struct open *o = &x->open[--x->open_count];
	struct node *node = o->node;

	if (o->has_id >= 0) {
		node->len = x->text.len - o->text_at;
		node->text = tp_arena_text(&x->arena, x->text.p ?
		    x->text.p + o->text_at : "", node->len);
		if (!node->text) {
			no_memory(x);
			return;
		}
		finish(x, node, x->kids ? x->kids + o->kids_at : NULL,
		    x->kid_count - o->kids_at);
		x->kid_count = o->kids_at;
		if (o->has_id)
			enter(x, o->id, node);
		hand_up(x, node);
	}
	x->text.len = o->text_at;
}

/* What a row shows of NODE in a column of TYPE. */
static int
node_value(struct xc *x, struct tp_value *v, const struct tp_slot *slot,
    const struct node *node, struct tp_err *err)
{
	const char *text = node->text;
	size_t len = node->len;

	switch (slot->type) {
	case TP_STACK:
		if (!node->stack)
			return 0;
		v->type = TP_STACK;
		v->stack = node->stack;
		return 0;
	case TP_TEXT:
	case TP_PROCESS:
	case TP_THREAD:
		/* a code is shown by its name, a composite by its fmt */
		if (node->fmt && (!len || all_digits(text, len) ||
		    slot->type != TP_TEXT)) {
			text = node->fmt;
			len = strlen(text);
		}
		break;
	default:
		break;
	}
	if (tp_cell_parse(v, slot->type, slot->name, text, len, &x->arena,
	    err) < 0)
		return -1;
	if ((slot->type == TP_PROCESS || slot->type == TP_THREAD) &&
	    node->n >= 0)
		v->n = node->n;
	return 0;
}

static void
row_end(struct xc *x)
{
	struct tp_rows *rows = x->rows;
	const struct tp_plan *p = rows->plan;
	struct tp_value *v;
	struct tp_err err;
	size_t i;

	if (!p || !x->schemas) {
		tp_trace_note(rows->trace, "table.unused", 0, 1,
		    "%s: rows without a schema (details of a track) are not "
		    "read", tp_in_name(rows->in));
		x->details = 1;
		return;
	}
	if (!p->wanted) {
		tp_count_row(rows);
		return;
	}
	v = tp_queue_row(rows, x->row_line);
	if (!v) {
		no_memory(x);
		return;
	}
	if (x->cell_count != x->ncols) {
		tp_fail(&err, TP_BAD, "row.damaged", x->row_line,
		    "%zu cells where the table has %zu columns",
		    x->cell_count, x->ncols);
		err.what = "cells";
		if (tp_queue_damage(rows, &err) < 0)
			no_memory(x);
		return;
	}
	for (i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];
		const struct node *node = s->cell < 0 ? NULL :
		    x->cells[s->cell];

		if (node && node_value(x, &v[i], s, node, &err) < 0) {
			err.line = x->row_line;
			if (tp_queue_damage(rows, &err) < 0)
				no_memory(x);
			return;
		}
	}
}

static char *
dup_text(struct xc *x, const char *text)
{
	char *p = tp_arena_text(&x->arena, text, strlen(text));

	if (!p)
		no_memory(x);
	return p;
}

/* The schema is complete: find the table and plan its rows. */
static void
schema_end(struct xc *x)
{
	struct tp_tables *tables = x->rows->tables;
	const struct tp_table *known = tp_tables_find(tables, x->schema);
	struct tp_table_column *c;
	const struct tp_table *table;
	size_t i, n = x->col_count;
	ptrdiff_t at;
	int same = known && known->column_count == n;

	c = tp_zalloc((n + 1) * sizeof *c);
	if (!c) {
		no_memory(x);
		return;
	}
	for (i = 0; i < n; i++) {
		c[i].name = x->cols[i].name ? x->cols[i].name : "";
		c[i].human = x->cols[i].human ? x->cols[i].human : "";
		c[i].type = tp_tables_type(tables, x->cols[i].type ?
		    x->cols[i].type : "");
		at = known ? tp_table_column(known, c[i].name) : -1;
		if (at >= 0)
			c[i].type = known->columns[at].type;
		same = same && at == (ptrdiff_t)i;
	}
	if (tables->count >= TP_TABLES_MAX && !same) {
		tp_free(c);
		tp_fail(x->xml.err, TP_LIMIT, "limit.tables",
		    tp_xml_line(&x->xml), "more than %d tables",
		    TP_TABLES_MAX);
		tp_xml_stop(&x->xml);
		return;
	}
	/* another column order than ours is another table of that name */
	table = same ? known : tp_tables_add(tables, x->schema, c, n);
	tp_free(c);
	if (!table) {
		no_memory(x);
		return;
	}
	x->ncols = n;
	x->schemas++;
	if (tp_plan_table(x->rows, table, NULL, x->xml.err) < 0) {
		x->xml.err->line = tp_xml_line(&x->xml);
		tp_xml_stop(&x->xml);
	}
}

static void
on_start(void *arg, const char *tag, const char **atts)
{
	struct xc *x = arg;
	const char *v;

	if (x->xml.depth == 1 && strcmp(tag, "trace-query-result")) {
		tp_fail(x->xml.err, TP_BAD, "input.unknown",
		    tp_xml_line(&x->xml), "XML, but no export of xctrace: it "
		    "starts with <%.40s>", tag);
		tp_xml_stop(&x->xml);
	} else if (x->in_row) {
		cell_start(x, tag, atts);
	} else if (!x->in_schema && !strcmp(tag, "row")) {
		x->in_row = 1;
		x->cell_count = 0;
		x->row_line = tp_xml_line(&x->xml);
	} else if (!strcmp(tag, "schema")) {
		v = tp_xml_attr(atts, "name");
		x->schema = dup_text(x, v ? v : "");
		x->col_count = 0;
		x->in_schema = 1;
	} else if (x->in_schema && !strcmp(tag, "col")) {
		if (tp_grow(&x->cols, &x->col_cap, x->col_count + 1,
		    sizeof *x->cols) < 0)
			no_memory(x);
		else
			memset(&x->cols[x->col_count++], 0, sizeof *x->cols);
	} else if (!strcmp(tag, "node") &&
	    (v = tp_xml_attr(atts, "xpath")) && (v = strstr(v, "/run["))) {
		x->rows->trace->run_number = strtoll(v + 5, NULL, 10);
	}
	if (x->in_schema)
		tp_buf_clear(&x->text);
}

static void
on_end(void *arg, const char *tag)
{
	struct xc *x = arg;
	struct col *c;
	char **field = NULL;

	if (x->in_row) {
		if (x->open_count) {
			cell_end(x);
			return;
		}
		row_end(x);
		x->in_row = 0;
		tp_buf_clear(&x->text);
		return;
	}
	if (!x->in_schema)
		return;
	if (!strcmp(tag, "schema")) {
		x->in_schema = 0;
		schema_end(x);
		return;
	}
	if (!x->col_count)
		return;
	c = &x->cols[x->col_count - 1];
	if (!strcmp(tag, "mnemonic"))
		field = &c->name;
	else if (!strcmp(tag, "name"))
		field = &c->human;
	else if (!strcmp(tag, "engineering-type"))
		field = &c->type;
	if (field)
		*field = dup_text(x, x->text.p ? x->text.p : "");
	tp_buf_clear(&x->text);
}

static void
on_text(void *arg, const char *text, int len)
{
	struct xc *x = arg;

	if (!x->open_count && !x->in_schema)
		return;
	tp_buf_add(&x->text, text, (size_t)len);
	if (x->text.failed)
		no_memory(x);
	else if (x->text.len > TP_XML_TEXT_MAX) {
		tp_xml_too_long(&x->xml);
		tp_xml_stop(&x->xml);
	}
}

static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct xc *x = rows->form;
	int rc = tp_xml_more(&x->xml, err);

	if (rc)
		return rc;
	if (!x->schemas && !x->details)
		tp_trace_note(rows->trace, "table.empty", 0, 1,
		    "%s: the export holds no table: its xpath matched nothing",
		    tp_in_name(rows->in));
	return 0;
}

static void
close_form(struct tp_rows *rows)
{
	struct xc *x = rows->form;

	tp_xml_close(&x->xml);
	tp_arena_release(&x->arena);
	tp_ids_release(&x->sparse);
	tp_names_release(&x->tags);
	tp_buf_release(&x->text);
	tp_free(x->dense);
	tp_free(x->sparse_nodes);
	tp_free(x->tag_part);
	tp_free(x->kids);
	tp_free(x->cells);
	tp_free(x->cols);
	tp_free(x);
}

int
tp_xctrace_open(struct tp_rows *rows, struct tp_err *err)
{
	struct xc *x = tp_zalloc(sizeof *x);

	if (!x)
		return tp_fail_memory(err);
	rows->form = x;
	rows->more = more;
	rows->close = close_form;
	x->rows = rows;
	x->xml.arg = x;
	x->xml.start = on_start;
	x->xml.end = on_end;
	x->xml.text = on_text;
	return tp_xml_open(&x->xml, rows->in, err);
}
