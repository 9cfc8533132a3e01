/*
 * xctrace - rows of the XML that `xctrace export` writes
 *
 * Cells map to columns by position.  Any element with an id may be referred
 * to by a later one with the same tag, whatever column it is in.  Therefore
 * all ids are registered, but contents are kept only for tags of wanted
 * columns, of any table that the filter reads.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <tp/limits.h>
#include <tp/read/xctrace.h>
#include <tp/text.h>

#include "read.h"
#include "word.h"
#include "xml.h"
#include "xml_row.h"

/* Elements whose children matter; all others are a text and a fmt. */
enum part {
	PART_NONE,			/* not asked for yet */
	PART_LEAF, PART_PROCESS, PART_PID, PART_THREAD, PART_TID,
	PART_BACKTRACE, PART_TAGGED, PART_FRAME, PART_BINARY, PART_ADDRESSES,
	PART_SENTINEL
};

enum fmt { FMT_NONE, FMT_TEXT, FMT_APART };

/*
 * A finished element.  There is one per id, and all are kept, so a node is
 * only as large as its contents.
 */
struct node {
	uint32_t len;			/* of the text */
	unsigned char part, fmt;
	unsigned char type;		/* by its tag: enum tp_type */
	char text[];			/* raw content; if FMT_APART, followed
					 * by the display form or, for a frame
					 * or binary, its name; both end in
					 * NUL */
};

/* Precedes a node that is not a leaf: the result of its children. */
union derived {
	int64_t n;			/* pid, tid; -1: none */
	const struct tp_stack *stack;	/* of a backtrace */
	const char *library;		/* of a frame */
};

/* An open element inside a row. */
struct open {
	uint64_t id;
	size_t at;			/* offset in x->text of its fmt, with
					 * NUL, */
	size_t text_at;			/* ... and of its text so far */
	size_t kids_at;
	int has_id;			/* -1: a ref or sentinel, without
					 * contents */
	int passed;			/* its contents are not wanted */
	enum part part;
	unsigned char type;		/* as of a node */
};

struct col {
	char *name, *human, *type;
	int kept;			/* a wanted column has its type */
};

struct xc {
	struct tp_rows *rows;
	struct tp_xml xml;
	struct tp_arena arena;
	struct node **dense;		/* by id */
	size_t dense_count, dense_cap;
	struct tp_ids sparse;		/* ids far from the others */
	struct node **sparse_nodes;
	size_t sparse_cap;
	uint64_t registered;
	struct node *passed;		/* represents all nodes whose text is
					 * not kept */
	int keep_all;
	struct tp_buf text;		/* of the open elements, innermost
					 * last */
	struct node **kids;		/* children of the open elements */
	size_t kid_count, kid_cap;
	struct open open[TP_DEPTH_MAX + 1];
	int open_count;
	int in_row, schemas, details;
	struct node **cells;
	size_t cell_count, cell_cap;
	uint64_t row_line;
	struct tp_xml_tokens tokens;
	/* of the current schema */
	char *schema;
	struct col *cols;		/* then of the current table */
	size_t col_count, col_cap;
	int in_schema;
	size_t ncols;			/* of the current table */
};

static enum part
part_of(const char *tag, size_t len)
{
	switch (*tag) {
	case 'p':
		return tp_is(tag, len, "process") ? PART_PROCESS :
		    tp_is(tag, len, "pid") ? PART_PID : PART_LEAF;
	case 't':
		return tp_is(tag, len, "thread") ? PART_THREAD :
		    tp_is(tag, len, "tid") ? PART_TID :
		    tp_is(tag, len, "tagged-backtrace") ? PART_TAGGED :
		    tp_is(tag, len, "text-addresses") ? PART_ADDRESSES :
		    PART_LEAF;
	case 'b':
		return tp_is(tag, len, "backtrace") ? PART_BACKTRACE :
		    tp_is(tag, len, "binary") ? PART_BINARY : PART_LEAF;
	case 'f':
		return tp_is(tag, len, "frame") ? PART_FRAME : PART_LEAF;
	case 's':
		return tp_is(tag, len, "sentinel") ? PART_SENTINEL : PART_LEAF;
	default:
		return PART_LEAF;
	}
}

static const char *
node_fmt(const struct node *node)
{
	return node->fmt == FMT_NONE ? NULL : node->fmt == FMT_TEXT ?
	    node->text : node->text + node->len + 1;
}

static union derived *
derived(struct node *node)
{
	return (union derived *)(void *)node - 1;
}

/* The pid or tid of NODE, or of its child; -1: none. */
static int64_t
node_n(struct node *node)
{
	return node->part >= PART_PROCESS && node->part <= PART_TID ?
	    derived(node)->n : -1;
}

static const struct tp_stack *
node_stack(struct node *node)
{
	return node->part == PART_BACKTRACE || node->part == PART_TAGGED ?
	    derived(node)->stack : NULL;
}

static struct node *
find_node_by_id(const struct xc *x, uint64_t id)
{
	ptrdiff_t at;

	/* an id that was far off may have come within reach since */
	if (id < x->dense_count && (x->dense[id] || !x->sparse.count))
		return x->dense[id];
	if (!x->sparse.count)
		return NULL;
	at = tp_ids_find(&x->sparse, id, 0);
	return at < 0 ? NULL : x->sparse_nodes[at];
}

static void
enter(struct xc *x, uint64_t id, struct node *node)
{
	ptrdiff_t at;

	/*
	 * ids are dense from 1; a far one must not cost memory up to its value
	 */
	if (id < 2 * x->registered + 65536) {
		if (id >= x->dense_cap)
			tp_grow(&x->dense, &x->dense_cap, (size_t)id + 1,
			    sizeof *x->dense);
		while (x->dense_count <= id)
			x->dense[x->dense_count++] = NULL;
		x->dense[id] = node;
	} else {
		at = tp_ids_add(&x->sparse, id, 0);
		tp_grow(&x->sparse_nodes, &x->sparse_cap, x->sparse.count,
		    sizeof node);
		x->sparse_nodes[at] = node;
	}
	x->registered++;
}

/* Add a finished element to the open one around it, or to the cells. */
static void
hand_up(struct xc *x, struct node *node)
{
	const struct open *o;

	if (!x->open_count) {
		TP_APPEND(x->cells, x->cell_count, x->cell_cap, node);
		return;
	}
	o = &x->open[x->open_count - 1];
	if (node && o->has_id >= 0 && o->part != PART_LEAF)
		TP_APPEND(x->kids, x->kid_count, x->kid_cap, node);
}

static struct tp_xml_text
text_of(const char *p)
{
	return (struct tp_xml_text){ p, p ? (uint32_t)strlen(p) : 0, 0 };
}

/* Convert a start tag of expat to a token. */
static struct tp_xml_token
token_of(struct xc *x, const char *tag, const char **atts)
{
	struct tp_xml_token t = { .is = TP_XML_START,
	    .fmt = text_of(tp_xml_attr(atts, "fmt")),
	    .named = text_of(tp_xml_attr(atts, "name")) };
	const char *id = tp_xml_attr(atts, "id");
	const char *ref = tp_xml_attr(atts, "ref");
	size_t len = strlen(tag);

	if (tp_xml_tags_full(&x->tokens, tag, len)) {
		tp_fail(x->xml.err, TP_LIMIT, "limit.tags",
		    tp_xml_line(&x->xml), "elements of more than %d names",
		    TP_XML_TAGS);
		tp_xml_stop(&x->xml);
		return t;
	}
	t.tag = tp_xml_tag(&x->tokens, tag, len);
	if (id)
		tp_xml_number(&t, TP_XML_ID, id, strlen(id));
	if (ref)
		tp_xml_number(&t, TP_XML_REF, ref, strlen(ref));
	return t;
}

/* Append to the text of the open elements. */
static void
add_text(struct xc *x, const char *text, size_t len)
{
	struct tp_buf *buf = &x->text;

	if (len < buf->cap - buf->len) {
		memcpy(buf->p + buf->len, text, len);
		buf->len += len;
		buf->p[buf->len] = '\0';
		return;
	}
	tp_buf_add(buf, text, len);
}

/* Append a text that may have entities. */
static void
add_written(struct xc *x, const struct tp_xml_text *text)
{
	char *to;

	if (!text->has_entities) {
		add_text(x, text->p, text->len);
		return;
	}
	to = tp_buf_room(&x->text, text->len);
	x->text.len += tp_xml_plain(to, text);
	x->text.p[x->text.len] = '\0';
}

static void
unknown(struct xc *x)
{
	tp_trace_note(x->rows->trace, "ref.unknown", 0, 1, "%s: a reference "
	    "to an id that was not seen before, or that is another kind of "
	    "element; the cell counts as absent",
	    tp_in_name(x->rows->in));
}

/*
 * Whether the contents of elements NAME are kept; MORE: keeps them from now on.
 */
static int
keep_tag_content(struct xc *x, const char *name, int more)
{
	uint32_t at = tp_xml_tag(&x->tokens, name, strlen(name));

	/* the cells of a column of type "any" may have any tag */
	x->keep_all |= more && !strcmp(name, "any");
	return x->tokens.tags[at].kept |= (unsigned char)more;
}

/* Keep the contents of elements of all wanted columns, of any table. */
static void
keep_wanted(struct xc *x)
{
	const struct tp_bind *b = x->rows->binds;
	const struct tp_table *t;
	const char *tag;
	ptrdiff_t at;

	x->keep_all = !b;
	for (; b && b->table; b++) {
		t = tp_tables_find(x->rows->tables, b->table);
		for (size_t i = 0; b->columns && b->columns[i].column; i++) {
			at = t ? tp_table_column_of(t, b->columns[i].column) :
			    -1;
			tag = at < 0 ? NULL : t->columns[at].engineering;
			if (tag)
				keep_tag_content(x, tag, 1);
		}
		x->keep_all |= !b->columns;
	}
}

/* The tag of T, with its part. */
static const struct tp_xml_tag *
tag_of(struct xc *x, const struct tp_xml_token *t)
{
	struct tp_xml_tag *tag = &x->tokens.tags[t->tag];

	if (tag->part == PART_NONE) {
		tag->part = (unsigned char)part_of(tag->name, tag->len);
		tag->type = (unsigned char)tp_tables_type(x->rows->tables,
		    tag->name);
	}
	return tag;
}

/*
 * Whether the contents of an element of TAG may be needed: its tag is wanted,
 * or the column it is in.
 */
static int
is_kept(const struct xc *x, const struct tp_xml_tag *tag)
{
	return x->keep_all || tag->kept || (!x->open_count &&
	    x->cell_count < x->col_count && x->cols[x->cell_count].kept);
}

/* Whether T is a ref or a sentinel; *NODE takes its place. */
static int
is_other(struct xc *x, const struct tp_xml_token *t,
    const struct tp_xml_tag *tag, struct node **node)
{
	*node = t->numbered == TP_XML_REF ? find_node_by_id(x, t->id) : NULL;
	if (t->numbered < TP_XML_REF)
		return tag->part == PART_SENTINEL;
	if (!*node)
		unknown(x);
	else	/* it may be far away, and the row's end asks for it */
		__builtin_prefetch(*node);
	return 1;
}

static void
cell_start(struct xc *x, const struct tp_xml_token *t)
{
	const struct tp_xml_tag *tag = tag_of(x, t);
	struct open *o = &x->open[x->open_count];
	const struct tp_xml_text *fmt = &t->fmt;
	struct node *node;

	o->at = x->text.len;
	o->kids_at = x->kid_count;
	o->passed = 0;
	if (is_other(x, t, tag, &node)) {
		hand_up(x, node);
		x->open[x->open_count++].has_id = -1;
		return;
	}
	o->part = tag->part;
	o->type = tag->type;
	o->passed = o->part == PART_LEAF && !is_kept(x, tag);
	if (o->part == PART_FRAME || o->part == PART_BINARY)
		fmt = &t->named;
	if (fmt->p && !o->passed) {
		add_written(x, fmt);
		add_text(x, "", 1);
	}
	o->text_at = x->text.len;
	o->has_id = t->numbered == TP_XML_ID;
	o->id = t->id;
	x->open_count++;
}

/*
 * Make the stack of old exports, where only the leaf has a name: "mach_msg ← (8
 * other frames)".
 */
static const struct tp_stack *
old_stack(struct xc *x, const char *fmt)
{
	struct tp_stack *s = tp_arena_get(&x->arena, sizeof *s);
	struct tp_frame *f = tp_arena_get(&x->arena, sizeof *f);
	const char *arrow;

	arrow = strstr(fmt, " \xe2\x86\x90 ");
	f->name = tp_arena_text(&x->arena, fmt, arrow ?
	    (size_t)(arrow - fmt) : strlen(fmt));
	f->library = "";
	*s = (struct tp_stack){ .frames = f, .count = 1, .addresses_only = 1 };
	return s;
}

/* Stacks made so far, of all files: the id of the last. */
static uint64_t stacks;

static const struct tp_stack *
make_stack(struct xc *x, struct node **kids, size_t count,
    const struct node *node)
{
	const char *fmt = node_fmt(node), *library;
	struct tp_stack *s;
	struct tp_frame *f;
	size_t i, n = 0, addresses = 0;

	for (i = 0; i < count; i++) {
		n += kids[i]->part == PART_FRAME;
		addresses += kids[i]->part == PART_ADDRESSES;
	}
	if (!n)
		return addresses && fmt && *fmt ? old_stack(x, fmt) : NULL;
	s = tp_arena_get(&x->arena, sizeof *s);
	f = tp_arena_get(&x->arena, n * sizeof *f);
	*s = (struct tp_stack){ .frames = f, .count = n, .id = ++stacks };
	for (i = 0; i < count; i++) {
		if (kids[i]->part != PART_FRAME)
			continue;
		fmt = node_fmt(kids[i]);
		library = derived(kids[i])->library;
		f->name = fmt ? fmt : "";
		f->library = library ? library : "";
		f++;
	}
	return s;
}

/* Derive the result of an element whose children are complete. */
static void
finish(struct xc *x, struct node *node, struct node **kids, size_t count)
{
	union derived *d = derived(node);
	size_t i;

	switch ((enum part)node->part) {
	case PART_PID:
	case PART_TID:
		d->n = strtoll(node->text, NULL, 10);
		break;
	case PART_PROCESS:
	case PART_THREAD:
		d->n = -1;
		for (i = 0; i < count; i++)
			if (kids[i]->part == (node->part == PART_PROCESS ?
			    PART_PID : PART_TID))
				d->n = derived(kids[i])->n;
		break;
	case PART_FRAME:
		d->library = NULL;
		for (i = 0; i < count; i++)
			if (kids[i]->part == PART_BINARY)
				d->library = node_fmt(kids[i]);
		break;
	case PART_BACKTRACE:
		d->stack = make_stack(x, kids, count, node);
		break;
	case PART_TAGGED:
		/* newer Xcode may put the frames here without a backtrace */
		d->stack = NULL;
		for (i = 0; i < count && !d->stack; i++)
			d->stack = node_stack(kids[i]);
		if (!d->stack)
			d->stack = make_stack(x, kids, count, node);
		break;
	default:
		break;
	}
}

/*
 * A new node of PART and TYPE with TEXT, and FMT unless it is NULL; its
 * derived result comes later.
 */
static struct node *
make_node(struct xc *x, enum part part, unsigned char type, const char *fmt,
    size_t fmt_len, const char *text, size_t len)
{
	size_t front = part == PART_LEAF ? 0 : sizeof(union derived);
	int same = fmt && fmt_len == len && tp_same_bytes(fmt, text, len);
	struct node *node;
	char *p;

	p = tp_arena_get(&x->arena, front + offsetof(struct node, text) +
	    len + 1 + (same || !fmt ? 0 : fmt_len + 1));
	node = (struct node *)(void *)(p + front);
	node->len = (uint32_t)len;
	node->part = (unsigned char)part;
	node->type = type;
	node->fmt = same ? FMT_TEXT : fmt ? FMT_APART : FMT_NONE;
	memcpy(node->text, text, len);
	node->text[len] = '\0';
	if (node->fmt == FMT_APART) {
		memcpy(node->text + len + 1, fmt, fmt_len);
		node->text[len + 1 + fmt_len] = '\0';
	}
	return node;
}

/* NODE is done; HAS_ID: it may be referred to by ID. */
static void
node_end(struct xc *x, struct node *node, int has_id, uint64_t id)
{
	if (has_id)
		enter(x, id, node);
	hand_up(x, node);
}

static void
cell_end(struct xc *x)
{
	struct open *o = &x->open[--x->open_count];
	struct node *node;

	if (o->has_id >= 0) {
		node = o->passed ? x->passed : make_node(x, o->part,
		    o->type, o->text_at > o->at ? x->text.p + o->at : NULL,
		    o->text_at - o->at - 1, x->text.p + o->text_at,
		    x->text.len - o->text_at);
		if (o->part != PART_LEAF)
			finish(x, node, x->kids ? x->kids + o->kids_at : NULL,
			    x->kid_count - o->kids_at);
		x->kid_count = o->kids_at;
		node_end(x, node, o->has_id, o->id);
	}
	x->text.len = o->at;
}

/* Take an element without children. */
static void
leaf(struct xc *x, const struct tp_xml_token *t)
{
	const struct tp_xml_tag *tag = tag_of(x, t);
	struct node *node;

	if (is_other(x, t, tag, &node)) {
		hand_up(x, node);
	} else if (tag->part == PART_LEAF && !is_kept(x, tag)) {
		node_end(x, x->passed, t->numbered == TP_XML_ID, t->id);
	} else if (tag->part != PART_LEAF || t->text.has_entities ||
	    t->fmt.has_entities) {
		cell_start(x, t);
		add_written(x, &t->text);
		cell_end(x);
	} else {
		node = make_node(x, PART_LEAF, tag->type, t->fmt.p,
		    t->fmt.len, t->text.p, t->text.len);
		node_end(x, node, t->numbered == TP_XML_ID, t->id);
	}
}

/* Set V to the value of NODE in column SLOT.  Returns 0, or -1 with ERR. */
static int
node_value(struct xc *x, struct tp_value *v, const struct tp_slot *slot,
    struct node *node, struct tp_err *err)
{
	const char *text = node->text, *fmt = node_fmt(node);
	size_t len = node->len;
	struct tp_slot own;

	if (slot->is_any && tp_is_number(node->type)) {
		own = *slot;
		own.type = node->type;
		own.is_any = 0;
		slot = &own;
	}
	switch (slot->type) {
	case TP_STACK:
		v->stack = node_stack(node);
		v->type = v->stack ? TP_STACK : TP_NONE;
		return 0;
	case TP_TEXT:
	case TP_PROCESS:
	case TP_THREAD:
		/* a code is shown by its name, a composite by its fmt */
		if (fmt && (!len || tp_is_digits(text, len) ||
		    slot->type != TP_TEXT)) {
			text = fmt;
			len = strlen(text);
		}
		break;
	default:
		break;
	}
	if (tp_cell_parse(v, slot, text, len, &x->arena, err) < 0)
		return -1;
	if ((slot->type == TP_PROCESS || slot->type == TP_THREAD) &&
	    node_n(node) >= 0)
		v->n = node_n(node);
	return 0;
}

static void
queue_row(struct xc *x)
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
		tp_count_rows(rows, 1);
		return;
	}
	v = tp_queue_row(rows, x->row_line);
	if (x->cell_count != x->ncols) {
		tp_fail(&err, TP_BAD, "row.damaged", x->row_line,
		    "%zu cells where the table has %zu columns",
		    x->cell_count, x->ncols);
		err.what = "cells";
		tp_queue_damage(rows, &err);
		return;
	}
	for (i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];
		struct node *node = s->cell < 0 ? NULL :
		    x->cells[s->cell];

		if (node == x->passed) {
			unknown(x);	/* a ref to an element with another
					 * tag */
			continue;
		}
		if (node && node_value(x, &v[i], s, node, &err) < 0) {
			err.line = x->row_line;
			tp_queue_damage(rows, &err);
			return;
		}
	}
}

static void
row_end(struct xc *x)
{
	queue_row(x);
	x->in_row = 0;
	tp_buf_clear(&x->text);
}

static char *
dup_text(struct xc *x, const char *text)
{
	return tp_arena_text(&x->arena, text, strlen(text));
}

/*
 * Keep the cells of wanted columns, and of columns with the same type, to which
 * wanted cells may refer.
 */
static void
keep_planned(struct xc *x)
{
	const struct tp_plan *p = x->rows->plan;
	struct col *c;

	for (size_t i = 0; p->wanted && i < p->count; i++)
		if (p->slots[i].cell >= 0) {
			c = &x->cols[p->slots[i].cell];
			if (c->type)
				keep_tag_content(x, c->type, 1);
		}
	for (size_t i = 0; i < x->col_count; i++) {
		c = &x->cols[i];
		c->kept = keep_tag_content(x, c->type ? c->type : "", 0);
	}
}

/*
 * Plan the rows of TABLE.  Of columns with one key the first counts, as in
 * other forms, because a record has a key once.  0, or -1 with x->xml.err.
 */
static int
plan_table(struct xc *x, const struct tp_table *table)
{
	ptrdiff_t *cell_of = tp_alloc((table->column_count + 1) *
	    sizeof *cell_of);
	struct tp_names keys = { 0 };
	int rc;

	for (size_t i = 0; i < table->column_count; i++) {
		const char *key = table->columns[i].key;
		size_t had = keys.count;

		tp_names_add(&keys, key, strlen(key));
		cell_of[i] = keys.count == had ? -1 : (ptrdiff_t)i;
		if (keys.count == had)
			tp_trace_note(x->rows->trace, "header.duplicate", 0,
			    1, "%s: column '%s' stands twice in the header; "
			    "the first counts", tp_in_name(x->rows->in),
			    table->columns[i].name);
	}
	rc = tp_plan_table(x->rows, table, cell_of, x->xml.err);
	tp_names_release(&keys);
	tp_free(cell_of);
	return rc;
}

/* End the schema: find its table and plan the rows. */
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
	for (i = 0; i < n; i++) {
		c[i].name = x->cols[i].name ? x->cols[i].name : "";
		c[i].human = x->cols[i].human ? x->cols[i].human : "";
		c[i].type = tp_tables_type(tables, x->cols[i].type ?
		    x->cols[i].type : "");
		at = known ? tp_table_column_of(known, c[i].name) : -1;
		if (at >= 0) {
			c[i].type = known->columns[at].type;
			c[i].engineering = known->columns[at].engineering;
		}
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
	tables->longest_ns = known ? known->longest_ns : 0;
	/* with another column order it is a different table of that name */
	table = same ? known : tp_tables_add(tables, x->schema, NULL, c, n);
	tp_free(c);
	x->ncols = n;
	x->schemas++;
	if (plan_table(x, table) < 0) {
		x->xml.err->line = tp_xml_line(&x->xml);
		tp_xml_stop(&x->xml);
		return;
	}
	keep_planned(x);
}

static void
row_start(struct xc *x, uint64_t line)
{
	x->in_row = 1;
	x->cell_count = 0;
	x->row_line = line;
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
		struct tp_xml_token t = token_of(x, tag, atts);

		if (!x->xml.stopped)
			cell_start(x, &t);
	} else if (!x->in_schema && !strcmp(tag, "row")) {
		row_start(x, tp_xml_line(&x->xml));
	} else if (!strcmp(tag, "schema")) {
		v = tp_xml_attr(atts, "name");
		x->schema = dup_text(x, v ? v : "");
		x->col_count = 0;
		x->in_schema = 1;
	} else if (x->in_schema && !strcmp(tag, "col")) {
		tp_grow(&x->cols, &x->col_cap, x->col_count + 1,
		    sizeof *x->cols);
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
		*field = dup_text(x, x->text.p);
	tp_buf_clear(&x->text);
}

static void
on_text(void *arg, const char *text, int len)
{
	struct xc *x = arg;

	if ((!x->open_count && !x->in_schema) || (x->open_count &&
	    x->open[x->open_count - 1].passed))
		return;
	add_text(x, text, (size_t)len);
	if (x->text.len > (size_t)tp_limits.line_bytes) {
		tp_xml_too_long(&x->xml);
		tp_xml_stop(&x->xml);
	}
}

/* Handle the tokens of a row as the handlers of expat would. */
static void
take_row(struct xc *x, uint64_t line)
{
	const struct tp_xml_token *t = x->tokens.list;
	const struct tp_xml_token *end = t + x->tokens.count;

	row_start(x, line);
	for (; t < end && !x->xml.stopped; t++)
		switch (t->is) {
		case TP_XML_START:
			cell_start(x, t);
			break;
		case TP_XML_LEAF:
			leaf(x, t);
			break;
		case TP_XML_TEXT:
			if (!x->open[x->open_count - 1].passed)
				add_written(x, &t->text);
			break;
		case TP_XML_END:
			cell_end(x);
		}
	if (!x->xml.stopped)
		row_end(x);
}

/* Take rows in the form that xctrace writes, which need no XML parser. */
static size_t
on_rows(void *arg, const char *p, size_t len)
{
	struct xc *x = arg;
	const char *from = p, *end = tp_xml_last_row(p, p + len);
	uint64_t line;
	size_t n;

	if (x->rows->only_library || x->in_row || x->in_schema ||
	    x->xml.depth + 1 + TP_XML_DEPTH > tp_limits.depth)
		return 0;
	line = tp_xml_line(&x->xml) - x->xml.lines;
	while (p < end && !memcmp(p, TP_XML_ROW, TP_XML_ROW_LEN)) {
		n = tp_xml_row(p, end, &x->tokens);
		if (!n || n > (size_t)tp_limits.line_bytes)
			break;
		take_row(x, line + x->xml.lines);
		if (x->xml.stopped)
			break;
		for (p += n; p < from + len && (*p == '\n' || *p == ' ' ||
		    *p == '\t'); p++)
			x->xml.lines += *p == '\n';
	}
	return (size_t)(p - from);
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
	tp_buf_release(&x->text);
	tp_free(x->dense);
	tp_free(x->sparse_nodes);
	tp_free(x->kids);
	tp_free(x->cells);
	tp_free(x->cols);
	tp_xml_release(&x->tokens);
	tp_free(x);
}

void
tp_xctrace_open(struct tp_rows *rows)
{
	struct xc *x = tp_zalloc(sizeof *x);

	rows->form = x;
	rows->more = more;
	rows->close = close_form;
	/* allocate: the text of an empty element must not be NULL */
	tp_buf_add(&x->text, "", 0);
	x->rows = rows;
	x->passed = tp_arena_get(&x->arena, sizeof *x->passed + 1);
	memset(x->passed, 0, sizeof *x->passed + 1);
	x->xml.arg = x;
	x->xml.start = on_start;
	x->xml.end = on_end;
	x->xml.text = on_text;
	x->xml.rows = on_rows;
	tp_xml_open(&x->xml, rows->in);
	/* tag 0, the first guess for all, is a name whatever a schema says */
	tp_xml_tag(&x->tokens, "row", 3);
	keep_wanted(x);
}
