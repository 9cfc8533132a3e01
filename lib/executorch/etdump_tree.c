/* etdump_tree - rows that name their parents, in the order of nesting */
#include <tp/alloc.h>
#include <tp/executorch/etdump.h>
#include <tp/order.h>

#include "etdump_private.h"

/* Runtimes do not nest deeper than this. */
#define DEPTH_MAX 64

struct tp_etdump_kept {
	int64_t run, node, parent, ns;
	uint64_t line;
	uint32_t name, backend;		/* indices in names and backends */
	uint32_t order;			/* of arrival */
	uint8_t is_outside;
};

void
tp_etdump_keep(struct tp_etdump *e, const struct tp_etdump_event *v,
    int64_t parent)
{
	ptrdiff_t name = tp_names_add(&e->names, v->name, v->name_len);
	ptrdiff_t backend = tp_names_add(&e->backends, v->backend,
	    v->backend_len);
	struct tp_etdump_kept *k;

	if (e->kept_count >= UINT32_MAX)
		tp_no_memory();
	k = TP_PUSH(e->kept, e->kept_count, e->kept_cap);
	*k = (struct tp_etdump_kept){ v->run, v->node, parent, v->ns, v->line,
	    (uint32_t)name, (uint32_t)backend, (uint32_t)(e->kept_count - 1),
	    (uint8_t)v->is_outside };
}

/* By run, then by parent, then in order of arrival. */
TP_ORDER(by_parent, struct tp_etdump_kept, TP_UP(run) TP_UP(parent)
    TP_UP(order))

/* The first row of RUN with a parent of at least PARENT. */
static size_t
children_of(const struct tp_etdump *e, int64_t run, int64_t parent)
{
	size_t from;

	TP_SEEK(from, 0, e->kept_count, middle, e->kept[middle].run < run ||
	    (e->kept[middle].run == run && e->kept[middle].parent < parent));
	return from;
}

static int
is_child(const struct tp_etdump *e, size_t at, int64_t run, int64_t parent)
{
	return at < e->kept_count && e->kept[at].run == run &&
	    e->kept[at].parent == parent;
}

static int
is_call(enum tp_frame_kind kind)
{
	return kind == TP_FRAME_DELEGATE || kind == TP_FRAME_OPERATOR;
}

static enum tp_frame_kind
kind_of(const struct tp_etdump *e, const struct tp_etdump_kept *k)
{
	const struct tp_name *name = &e->names.names[k->name];

	return tp_op_frame(e->class, name->text, name->len);
}

/*
 * Add row K, after all its children.  CALL is the kind of the outermost call
 * around it; IS_TREE says that parents are known.
 */
static int
add_kept_row(struct tp_etdump *e, const struct tp_etdump_kept *k, int is_tree,
    enum tp_frame_kind call, struct tp_err *err)
{
	/* copies: adding names may move the array */
	const struct tp_name name = e->names.names[k->name];
	const struct tp_name backend = e->backends.names[k->backend];
	enum tp_frame_kind kind = kind_of(e, k);
	size_t at = is_tree ? children_of(e, k->run, k->node) : 0;
	struct tp_etdump_event v = { .name = name.text,
	    .name_len = name.len, .backend = backend.text,
	    .backend_len = backend.len, .run = k->run, .node = k->node,
	    .ns = k->ns, .times = 1, .line = k->line, .is_sorted = is_tree,
	    .is_outside = k->is_outside,
	    .is_inner = is_tree && ((is_call(kind) && call) ||
	    (kind == TP_NO_FRAME && is_child(e, at, k->run, k->node))),
	    .place = call == TP_FRAME_DELEGATE ? TP_PLACE_DELEGATE :
	    call == TP_FRAME_OPERATOR ? TP_PLACE_PORTABLE :
	    TP_PLACE_METHOD };

	return tp_etdump_add_event(e, &v, err);
}

/* A level of the walk: a row and the next of its children. */
struct step {
	size_t row, next;
	enum tp_frame_kind call;	/* outermost call around the row, or
					 * none */
};

/* Add row AT and all its descendants in post-order. */
static int
walk(struct tp_etdump *e, size_t at, struct tp_err *err)
{
	struct step steps[DEPTH_MAX];
	size_t depth = 0;

	steps[depth++] = (struct step){ at, children_of(e, e->kept[at].run,
	    e->kept[at].node), TP_NO_FRAME };
	while (depth) {
		struct step *s = &steps[depth - 1];
		const struct tp_etdump_kept *k = &e->kept[s->row];
		enum tp_frame_kind kind = kind_of(e, k), call = s->call ?
		    s->call : is_call(kind) ? kind : TP_NO_FRAME;

		if (!is_child(e, s->next, k->run, k->node)) {
			if (add_kept_row(e, k, 1, s->call, err) < 0)
				return -1;
			depth--;
			continue;
		}
		if (depth == DEPTH_MAX || e->kept[s->next].node == k->node)
			return tp_fail(err, TP_BAD, "timeline.parents",
			    k->line, "parents nest deeper than %d, or in a "
			    "circle", DEPTH_MAX);
		at = s->next++;
		steps[depth++] = (struct step){ at, children_of(e, k->run,
		    e->kept[at].node), call };
	}
	return 0;
}

/* Add the rows in order of arrival: none names a parent. */
static int
take_flat(struct tp_etdump *e, struct tp_err *err)
{
	size_t count = e->kept_count;

	e->kept_count = 0;
	for (size_t i = 0; i < count; i++)
		if (add_kept_row(e, &e->kept[i], 0, TP_NO_FRAME, err) < 0)
			return -1;
	return 0;
}

int
tp_etdump_nest(struct tp_etdump *e, struct tp_err *err)
{
	uint64_t rows = e->rows;
	size_t named = 0;

	while (named < e->kept_count && e->kept[named].parent ==
	    TP_ETDUMP_ROOT)
		named++;
	if (named == e->kept_count)
		return take_flat(e, err);
	TP_SORT(e->kept, e->kept_count, by_parent);
	for (size_t i = 0; i < e->kept_count; i++)
		if (e->kept[i].parent == TP_ETDUMP_ROOT &&
		    walk(e, i, err) < 0)
			return -1;
	if (e->rows - rows != e->kept_count)
		return tp_fail(err, TP_BAD, "timeline.parents", 0,
		    "rows name a parent_id that does not exist, or each other");
	return 0;
}
