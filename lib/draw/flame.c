/*
 * flame - a tree with branches as wide as their time
 *
 * A record is a node.  It names itself and its
 * parent ("id", "parent"), or it has a path ("path", "separator") and its
 * parent is the longest prefix of that path that is a node.  Of several
 * traces the first is shown.
 *
 * A node whose parent is missing, or is its own descendant, becomes a child
 * of the root.  A node shorter than its children together is as wide as they
 * are.
 *
 * A chain of functions that only call the next one, at the start or end of a
 * stack, is drawn as its last function.
 *
 * Memory: 170 bytes per node, and distinct names.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/show/fit.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "draw/groups.h"
#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"

enum {
	FOLDED = 3,		/* least length of a chain that becomes one
				 * row */
	NAMED = 3, WIDE = 36,
	NOTED = 100,		/* nodes below 1/N of the whole are not named */
	ROWS = 40, ROW = 15,	/* of a page */
	MARKS = 361,		/* most marks: about 60 KB */
	NARROW = 3000,		/* 1/N of the whole: the narrowest mark */
	LABELLED = 22,		/* 1/N of the whole: a mark with its name */
	LINES = 20,		/* of a text, each with 1/LEAST of the whole */
	LEAST = 50,
};

#define NONE SIZE_MAX

struct node {
	const struct tp_rec *rec;
	size_t name, group;	/* NONE: no group */
	size_t parent, first, next;	/* 0: the root; as child or sibling:
					 * none */
	size_t row;		/* 0: the root */
	size_t rank;		/* order by total, without hidden nodes; parents
				 * come before children */
	size_t head;		/* first node of the chain that */
	size_t stands_for;	/* this one is drawn for, and its length; 0:
				 * hidden, a node below is drawn for it */
	int64_t total, self;
	int64_t from;		/* sum of totals to its left */
};

struct flame {
	struct node *nodes;	/* [0] is the root */
	size_t count, cap;
	struct tp_names names;	/* of nodes */
	int64_t *selfs;		/* the self time of all of a name, */
	struct tp_groups groups;
	int64_t *group_selfs;	/* ... and of a group; only those with some */
	int is_coloured;	/* ... are coloured: whether any is */
	size_t base;		/* first row drawn; the root has no row when it
				 * has a single child */
	const char *key;	/* key, gives the unit: "total_ns" */
	const char *self;	/* key of the self time, or NULL */
	const char *word;	/* word for a node: "call" */
	const char *of;		/* what is divided: "CPU samples" */
	const char *grouped_by;	/* key of the groups, "library", or NULL */
	const char *src;
	size_t left;		/* traces not drawn */
	size_t timeless;
};

#define GAP 0.0006	/* between marks */

struct reading {
	struct flame *flame;
	struct tp_words *words;
	const char *id, *parent, *path, *separator;
	struct tp_names ids;
	size_t *owners, owner_cap;	/* by index in ids: the node */
	int64_t sum;			/* of all totals */
};

struct ranked {
	const struct node *node;
	const char *name;
};

static int
read_spec(struct reading *r)
{
	struct flame *f = r->flame;
	const cJSON *spec = r->words->spec;

	r->id = tp_json_text(spec, "id");
	r->parent = tp_json_text(spec, "parent");
	r->path = tp_json_text(spec, "path");
	r->separator = tp_json_text(spec, "separator");
	f->word = tp_json_text(spec, "word");
	f->of = tp_words(r->words, "of");
	f->grouped_by = tp_json_text(spec, "group");
	if (f->word && *f->of && (r->path ? r->separator != NULL : r->id &&
	    r->parent))
		return 1;
	return tp_words_fail(r->words, "a tree needs a word, what it is of, "
	    "and id and parent, or path and separator");
}

/*
 * Choose the unit of the picture: the first key of "total" in share/pictures
 * that the first record has.
 */
static void
choose_unit(struct reading *r)
{
	const cJSON *spec = r->words->spec, *keys = tp_json_get(spec, "total");
	int64_t n;
	int at = tp_words_value(r->words, keys, &n);

	if (at < 0)
		return;
	r->flame->key = cJSON_GetArrayItem(keys, at)->valuestring;
	r->flame->self = cJSON_GetStringValue(cJSON_GetArrayItem(tp_json_get(
	    spec, "self"), at));
}

/*
 * The total of REC; 0 if it is absent or would overflow the sum of all, which
 * bounds every partial sum.
 */
static int64_t
total_of(struct reading *r, const struct tp_rec *rec)
{
	int64_t n;

	if (!tp_rec_int(rec, r->flame->key, &n) || n < 0 ||
	    n > INT64_MAX - r->sum) {
		r->flame->timeless++;
		return 0;
	}
	r->sum += n;
	return n;
}

static void
add_flame_node(struct reading *r, const struct tp_rec *rec)
{
	struct flame *f = r->flame;
	const struct tp_field *id = tp_rec_field(rec, r->path ? r->path :
	    r->id);
	struct node *node;
	size_t had = r->ids.count;
	ptrdiff_t at;

	if (!id)
		return;
	at = tp_names_add(&r->ids, id->text, id->len);
	TP_ITEM(r->owners, r->owner_cap, at);
	if ((size_t)at == had)
		r->owners[at] = f->count;
	node = TP_PUSH(f->nodes, f->count, f->cap);
	node->rec = rec;
	node->stands_for = 1;
	node->total = total_of(r, rec);
	if (!f->self || !tp_rec_int(rec, f->self, &node->self) ||
	    node->self < 0)
		node->self = -1;
	else if (node->self > node->total)
		node->self = node->total;
}

static void
read_nodes(struct reading *r)
{
	struct flame *f = r->flame;
	struct tp_words *w = r->words;
	struct node *root = TP_PUSH(f->nodes, f->count, f->cap);

	root->stands_for = 1;
	while (tp_words_next(w)) {
		if (!f->key)
			choose_unit(r);
		if (!f->key || tp_words_panel(w))
			continue;
		f->src = w->rec->src;
		add_flame_node(r, w->rec);
	}
	f->left = tp_words_left(&w->traces, 1);
}

/* The node with ID, or 0. */
static size_t
owner(const struct reading *r, const char *id, size_t len)
{
	ptrdiff_t at = tp_names_find(&r->ids, id, len);

	return at < 0 ? 0 : r->owners[at];
}

/*
 * The node at the longest prefix of NODE's path, or 0; *NAME gets the rest of
 * the path.
 */
static size_t
above(const struct reading *r, const struct node *node,
    const char **name)
{
	const struct tp_field *path = tp_rec_field(node->rec, r->path);
	size_t len = strlen(r->separator), parent;

	for (size_t at = path->len; at-- > 0;) {
		if (strncmp(path->text + at, r->separator, len) != 0)
			continue;
		parent = owner(r, path->text, at);
		*name = path->text + at + len;
		if (parent)
			return parent;
	}
	*name = path->text;
	return 0;
}

/* Set the parent, the name and the group of NODE. */
static void
place_node(struct reading *r, struct node *node)
{
	struct flame *f = r->flame;
	const struct tp_field *parent;
	const char *group = f->grouped_by ? tp_rec_text(node->rec,
	    f->grouped_by) : NULL, *name;
	struct tp_buf text = { 0 };

	r->words->rec = node->rec;
	if (r->path) {
		node->parent = above(r, node, &name);
		tp_show_text(&text, name, strlen(name));
		name = tp_words_keep(r->words, &text);
		tp_buf_release(&text);
	} else {
		parent = tp_rec_field(node->rec, r->parent);
		if (parent)
			node->parent = owner(r, parent->text, parent->len);
		name = tp_words(r->words, "name");
	}
	name = *name ? name : "?";
	node->name = (size_t)tp_names_add(&f->names, name, strlen(name));
	node->group = group && *group ? tp_groups_add(&f->groups, r->words,
	    group, 0) : NONE;
}

/*
 * Move a node that is its own ancestor to the root.  ROW temporarily holds the
 * number of the last walk that visited a node.
 */
static void
break_circles(struct flame *f)
{
	for (size_t i = 1; i < f->count; i++) {
		size_t at = i;

		while (at && !f->nodes[at].row) {
			f->nodes[at].row = i;
			if (f->nodes[f->nodes[at].parent].row == i)
				f->nodes[at].parent = 0;
			at = f->nodes[at].parent;
		}
	}
}

static void
unlink_all(struct flame *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->nodes[i].first = f->nodes[i].next = 0;
}

/* Make node AT the first child of its parent. */
static void
link_first(struct flame *f, size_t at)
{
	struct node *parent = &f->nodes[f->nodes[at].parent];

	f->nodes[at].next = parent->first;
	parent->first = at;
}

/*
 * The node after AT in depth-first order, largest children first; 0 at the
 * end.
 */
static size_t
next_node(const struct flame *f, size_t at)
{
	if (f->nodes[at].first)
		return f->nodes[at].first;
	while (at && !f->nodes[at].next)
		at = f->nodes[at].parent;
	return f->nodes[at].next;
}

/*
 * Raise totals to at least the sum of the children.  ORDER has room for all
 * nodes.
 */
static void
add_up(struct flame *f, size_t *order)
{
	size_t n = 0;

	unlink_all(f);
	for (size_t i = f->count; i-- > 1;)
		link_first(f, i);
	f->nodes[0].row = 0;
	for (size_t at = f->nodes[0].first; at; at = next_node(f, at)) {
		f->nodes[at].row = f->nodes[f->nodes[at].parent].row + 1;
		order[n++] = at;
	}
	while (n-- > 0) {
		struct node *node = &f->nodes[order[n]];

		/* "from" is the sum of the children until arrange() sets it */
		TP_MOST(node->total, node->from);
		if (node->self < 0)
			node->self = node->total - node->from;
		f->nodes[node->parent].from += node->total;
		f->selfs[node->name] += node->self;
		if (node->group != NONE)
			f->group_selfs[node->group] += node->self;
	}
	f->nodes[0].total = f->nodes[0].from;
	f->nodes[0].from = 0;
}

/*
 * By falling total, parents before children, then by name and in order of
 * arrival.
 */
TP_ORDER(by_total, struct ranked, TP_DOWN(node->total) TP_UP(node->row)
    TP_BY(strcmp(a->name, b->name)) TP_UP(node))

static const char *
name_of(const struct flame *f, size_t at)
{
	return f->names.names[f->nodes[at].name].text;
}

/* Order children by size and set where each begins. */
static void
arrange(struct flame *f, struct ranked *ranked)
{
	size_t n = f->count - 1, at = 0;
	int64_t to;

	for (size_t i = 0; i < n; i++) {
		ranked[i].node = &f->nodes[i + 1];
		ranked[i].name = name_of(f, i + 1);
	}
	TP_SORT(ranked, n, by_total);
	unlink_all(f);
	for (size_t i = n; i-- > 0;)
		link_first(f, (size_t)(ranked[i].node - f->nodes));
	do {
		to = f->nodes[at].from;
		for (size_t c = f->nodes[at].first; c; c = f->nodes[c].next) {
			f->nodes[c].from = to;
			to += f->nodes[c].total;
		}
		at = next_node(f, at);
	} while (at);
}

/*
 * Fold a chain of nodes without time of their own and with one child each into
 * its last node, which is returned.  A chain that ends in a leaf is kept: the
 * end of a stack is of interest.
 */
static size_t
fold_chain(struct flame *f, size_t head)
{
	size_t last = head, count = 1;

	while (f->nodes[last].first && f->nodes[f->nodes[last].first].total ==
	    f->nodes[last].total) {
		last = f->nodes[last].first;
		count++;
	}
	if (count < FOLDED || !f->nodes[last].first)
		return last;
	for (size_t at = last; at != head;) {
		at = f->nodes[at].parent;
		f->nodes[at].stands_for = 0;
	}
	f->nodes[last].head = head;
	f->nodes[last].stands_for = count;
	return last;
}

static void
fold(struct flame *f, const struct ranked *ranked)
{
	size_t shown = 0, last = 0;

	for (size_t at = f->nodes[0].first; at; at = next_node(f, at)) {
		struct node *n = &f->nodes[at];

		if (!last)
			last = fold_chain(f, at);
		n->row = f->nodes[n->parent].row + (n->stands_for > 0);
		if (at == last)
			last = 0;
	}
	for (size_t i = 0; i + 1 < f->count; i++) {
		size_t at = (size_t)(ranked[i].node - f->nodes);

		f->nodes[at].rank = shown;
		shown += f->nodes[at].stands_for > 0;
	}
	f->base = f->nodes[f->nodes[0].first].total == f->nodes[0].total;
}

static void
make_tree(struct reading *r)
{
	struct flame *f = r->flame;
	struct ranked *ranked = tp_alloc(f->count * sizeof *ranked);
	size_t *order = tp_alloc(f->count * sizeof *order);

	for (size_t i = 1; i < f->count; i++)
		place_node(r, &f->nodes[i]);
	f->selfs = tp_zalloc((f->names.count + 1) * sizeof *f->selfs);
	f->group_selfs = tp_zalloc((f->groups.names.count + 1) *
	    sizeof *f->group_selfs);
	break_circles(f);
	add_up(f, order);
	arrange(f, ranked);
	fold(f, ranked);
	tp_free(order);
	tp_free(ranked);
}

static void
rank_groups(struct flame *f)
{
	struct tp_groups *g = &f->groups;

	for (size_t i = 0; i < g->names.count && !g->is_given; i++)
		g->sums[i] = f->group_selfs[i];
	tp_groups_rank(g);
	for (size_t i = 0; i < g->count; i++)
		f->is_coloured |= f->group_selfs[g->places[i]] > 0;
}

static int
read_flame(void *picture, struct tp_words *w)
{
	struct flame *f = picture;
	struct reading r = { .flame = f, .words = w };

	/* a template may say that the records do not suffice */
	if (!tp_words_first(w, "from") || (tp_json_get(w->spec, "if") &&
	    !*tp_words(w, "if")) || !read_spec(&r))
		return 0;
	tp_groups_order(&f->groups, w);
	read_nodes(&r);
	make_tree(&r);
	rank_groups(f);
	tp_names_release(&r.ids);
	tp_free(r.owners);
	return f->nodes[0].total > 0;
}

static void
release(void *picture)
{
	struct flame *f = picture;

	tp_free(f->nodes);
	tp_names_release(&f->names);
	tp_free(f->selfs);
	tp_free(f->group_selfs);
	tp_groups_release(&f->groups);
}

/*
 * Whether node AT is drawn: it took time, and no other node is drawn for it.
 */
static int
is_drawn(const struct flame *f, size_t at)
{
	const struct node *n = &f->nodes[at];

	return n->total && n->stands_for && n->row >= f->base;
}

/*
 * Put the names with most self time into PLACES, at most MOST.  Returns their
 * number.
 */
static size_t
largest(const struct flame *f, size_t *places, size_t most)
{
	size_t n = 0, at;

	for (size_t i = 0; i < f->names.count; i++) {
		if (!f->selfs[i] || (n == most &&
		    f->selfs[places[n - 1]] >= f->selfs[i]))
			continue;
		n += n < most;
		for (at = n - 1; at && f->selfs[places[at - 1]] < f->selfs[i];
		    at--)
			places[at] = places[at - 1];
		places[at] = i;
	}
	return n;
}

/* N in the unit of the picture. */
static void
put_amount(const struct flame *f, int64_t n, struct tp_buf *b)
{
	tp_scale_number(b, f->key, n);
}

/* N as a share of the whole. */
static void
put_share(const struct flame *f, int64_t n, struct tp_buf *b)
{
	tp_unit_percent(b, (double)n / (double)f->nodes[0].total);
}

/* Name of node AT, or of the chain it is drawn for. */
static void
put_name(const struct flame *f, size_t at, struct tp_buf *b)
{
	const struct node *n = &f->nodes[at];

	if (!at)
		tp_buf_fmt(b, "all %ss", f->word);
	else if (n->stands_for > 1)
		tp_buf_fmt(b, "%s to %s (%zu %ss)", name_of(f, n->head),
		    name_of(f, at), n->stands_for, f->word);
	else
		tp_buf_str(b, name_of(f, at));
}

/* "2.76 s of CPU samples; most self time: malloc 31.0 %, free 12.0 %." */
static void
put_words(const struct flame *f, struct tp_buf *b)
{
	size_t places[NAMED], n = largest(f, places, NAMED);
	const char *name;

	put_amount(f, f->nodes[0].total, b);
	tp_buf_fmt(b, " of %s", f->of);
	for (size_t i = 0; i < n; i++) {
		if (f->selfs[places[i]] < f->nodes[0].total / NOTED)
			break;
		tp_buf_str(b, i ? ", " : "; most self time: ");
		name = f->names.names[places[i]].text;
		tp_fit_cut(b, name, strlen(name), WIDE, "..");
		tp_buf_chr(b, ' ');
		put_share(f, f->selfs[places[i]], b);
	}
}

/* Append to the list B that N nodes are not drawn, because of WHY. */
static void
put_left(const struct flame *f, size_t n, const char *why,
    struct tp_buf *b)
{
	if (!n)
		return;
	tp_buf_str(b, b->len ? ", " : "Not drawn: ");
	tp_unit_group(b, (int64_t)n);
	tp_buf_fmt(b, " %s%s %s", f->word, n == 1 ? "" : "s", why);
}

/* Append the records that cannot be drawn. */
static void
put_rest(const struct flame *f, struct tp_buf *b)
{
	put_left(f, f->timeless, "without a time", b);
	if (f->left) {
		tp_buf_fmt(b, "%s%zu trace%s other than ", b->len ? ", " :
		    "Not drawn: ", f->left, f->left == 1 ? "" : "s");
		tp_show_text(b, f->src, strlen(f->src));
	}
}

static const char *
colour_of(const struct flame *f, size_t group)
{
	const struct tp_groups *g = &f->groups;

	if (group != NONE && f->group_selfs[group])
		return tp_groups_colour(g, tp_groups_place(g, group));
	return tp_svg_colour(f->is_coloured ? "grey" : "blue");
}

static void
put_title(const struct flame *f, size_t at, struct tp_buf *b)
{
	const struct node *n = &f->nodes[at];

	put_name(f, at, b);
	if (at && n->group != NONE)
		tp_buf_fmt(b, ", %s", tp_groups_name(&f->groups, n->group));
	tp_buf_str(b, ": ");
	put_amount(f, n->total, b);
	tp_buf_str(b, " (");
	put_share(f, n->total, b);
	if (at && n->self) {
		tp_buf_str(b, "), self ");
		put_amount(f, n->self, b);
		tp_buf_str(b, " (");
		put_share(f, n->self, b);
	}
	tp_buf_chr(b, ')');
}

/* Draw node AT in its row, of those that begin with row FIRST of the scene. */
static void
show_mark(const struct flame *f, size_t at, size_t first,
    struct tp_scene *s)
{
	const struct node *n = &f->nodes[at];
	double whole = (double)f->nodes[0].total;
	size_t row = n->row - f->base;
	double wide = (double)n->total / whole;
	struct tp_mark *m;

	m = tp_scene_mark_in(s, first + row, (double)n->from / whole,
	    (double)n->from / whole + wide - (wide > 4 * GAP ? GAP : 0));
	m->colour = at ? colour_of(f, n->group) : NULL;
	m->percent = !at ? 15 : row % 2 ? 60 : 45;
	put_title(f, at, &s->text);
	m->title = tp_scene_keep(s);
	if (n->total >= f->nodes[0].total / LABELLED) {
		put_name(f, at, &s->text);
		tp_buf_chr(&s->text, ' ');
		put_share(f, n->total, &s->text);
		m->text = tp_scene_keep(s);
	}
}

/* Add to the legend that NAME, drawn in COLOUR, took N. */
static void
add_key(const struct flame *f, const char *name, const char *colour,
    int64_t n, struct tp_scene *s)
{
	struct tp_mark *m = tp_scene_mark(s, 0, 0);

	tp_buf_fmt(&s->text, "%s ", name);
	put_share(f, n, &s->text);
	m->text = tp_scene_keep(s);
	m->colour = colour;
	m->percent = 60;
}

static void
show_legend(const struct flame *f, struct tp_scene *s)
{
	const struct tp_groups *g = &f->groups;
	int64_t rest = f->nodes[0].total, n;

	if (!f->is_coloured)
		return;
	tp_buf_fmt(&s->text, "Self, by %s:", f->grouped_by);
	tp_scene_words(s);
	tp_scene_row(s, TP_LEGEND, NULL);
	for (size_t i = 0; i < g->count; i++, rest -= n) {
		n = f->group_selfs[g->places[i]];
		if (n)
			add_key(f, g->top[i], g->colours[i], n, s);
	}
	if (rest)
		add_key(f, "other", tp_svg_colour("grey"), rest, s);
}

static void
show_marks(const struct flame *f, struct tp_scene *s, struct tp_buf *rest)
{
	size_t narrow = 0, deep = 0, small = 0, at = 0, first = s->count;
	struct tp_scene_row *row;

	do {
		const struct node *n = &f->nodes[at];
		size_t to = n->row - f->base;

		if (!is_drawn(f, at)) {
			;
		} else if (n->total < f->nodes[0].total / NARROW) {
			narrow++;
		} else if (to >= ROWS) {
			deep++;
		} else if (n->rank >= MARKS) {
			small++;
		} else {
			while (s->count <= first + to) {
				row = tp_scene_row(s, TP_ROW, NULL);
				row->height = ROW;
				row->is_tight = 1;
			}
			show_mark(f, at, first, s);
		}
		at = next_node(f, at);
	} while (at);
	put_left(f, narrow, "narrower than 0.3 pixels", rest);
	put_left(f, deep, "deeper", rest);
	put_left(f, small, "smaller than these", rest);
}

/* Node AT as a line of a terminal. */
static void
show_line(const struct flame *f, size_t at, struct tp_scene *s)
{
	const struct node *n = &f->nodes[at];
	struct tp_scene_row *row;
	size_t depth = n->row - f->base;

	/* of a deep stack, the ends are enough */
	for (size_t i = 0; i < depth && i < s->columns / 4; i++)
		tp_buf_chr(&s->text, ' ');
	put_name(f, at, &s->text);
	row = tp_scene_row(s, TP_ROW, tp_scene_keep(s));
	row->values[0] = tp_scene_number(s, f->key, n->total);
	row->values[1] = tp_scene_share(s, (double)n->total /
	    (double)f->nodes[0].total);
	tp_scene_mark(s, 0, (double)n->total / (double)f->nodes[0].total);
}

static void
show_lines(const struct flame *f, struct tp_scene *s, struct tp_buf *rest)
{
	size_t at = 0, left = 0;
	int64_t most = 0;

	s->names = 0.6;
	do {
		const struct node *n = &f->nodes[at];

		if (is_drawn(f, at) && n->rank < LINES && n->total >=
		    f->nodes[0].total / LEAST) {
			show_line(f, at, s);
		} else if (is_drawn(f, at)) {
			left++;
			TP_MOST(most, n->total);
		}
		at = next_node(f, at);
	} while (at);
	tp_buf_str(&s->text, "of at most ");
	put_share(f, most, &s->text);
	put_left(f, left, tp_scene_keep(s), rest);
}

static void
fill(void *picture, struct tp_scene *s)
{
	const struct flame *f = picture;
	struct tp_buf rest = { 0 };

	put_words(f, &s->text);
	tp_scene_words(s);
	(s->form ? show_lines : show_marks)(f, s, &rest);
	if (!s->form)
		show_legend(f, s);
	put_rest(f, &rest);
	tp_buf_str(&rest, "");
	tp_scene_say(s, rest.p);
	tp_buf_release(&rest);
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct flame *f = picture;

	if (!b->len)
		put_words(f, b);
}

const struct tp_picture_type tp_flame = { .name = "flame",
    .size = sizeof(struct flame), .read = read_flame, .say = say,
    .fill = fill, .release = release };
