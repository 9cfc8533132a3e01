/* pseudo - make operations from kernels inside one operator */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>

#include "frame.h"
#include "launch.h"
#include "model.h"
#include "pseudo.h"

/* A pseudo operation to be: the places of the tree that it goes around. */
struct piece {
	int64_t at_ps;			/* start on the GPU */
	uint32_t start, stop;
	uint32_t anchor;		/* event of the operator */
	uint32_t name;			/* index in the rule's names */
	int bare;			/* without arguments */
	const struct tp_torch_pseudo_rule *rule;
};

struct pieces {
	struct piece *list;
	size_t count, cap;
};

/* Whether a name matches a rule; determined once per name. */
enum { UNASKED, NO, YES };

struct making {
	struct tp_torch *t;
	const struct tp_torch_pseudo_rule *rule;
	struct tp_torch_pseudo_counts *counts;
	unsigned char *op, *kernel, *among;	/* by name, for the rule */
	unsigned char *taken;		/* by place of the tree */
	unsigned char *counted;		/* by event: has pseudo operations */
	struct tp_torch_function *functions;	/* matching the rule, by lane
						 * and start, the longer
						 * first */
	size_t function_count, function_cap;
	struct pieces all, some;	/* some: of the current operator */
	struct tp_buf text[4];
};

static int
is(unsigned char *known, uint32_t name, const struct tp_torch *t,
    const struct tp_classes *what, const struct tp_classes *but)
{
	const char *text = t->names.names[name].text;

	if (known[name] == UNASKED)
		known[name] = tp_class_of_name(what, text) &&
		    !tp_class_of_name(but, text) ? YES : NO;
	return known[name] == YES;
}

static int
is_op(struct making *m, const struct tp_torch_event *e)
{
	static const struct tp_classes none;

	return e->cat == TP_TORCH_OP &&
	    is(m->op, e->name, m->t, &m->rule->op, &none);
}

static int
is_kernel(struct making *m, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_KERNEL &&
	    is(m->kernel, e->name, m->t, &m->rule->kernel, &m->rule->except);
}

/* Whether [START, STOP) is free, has work, and consists of siblings. */
static int
is_free(const struct making *m, uint32_t start, uint32_t stop)
{
	const struct tp_torch *t = m->t;
	uint32_t parent;

	if (start >= stop ||
	    tp_torch_link_at(t, start) == tp_torch_link_at(t, stop))
		return 0;
	parent = t->events[t->tree[start]].parent;
	for (uint32_t i = start; i < stop;
	    i = t->events[t->tree[i]].last)
		if (t->events[t->tree[i]].parent != parent ||
		    t->events[t->tree[i]].last > stop)
			return 0;
	for (uint32_t i = start; i < stop; i++)
		if (m->taken[i])
			return 0;
	return 1;
}

static void
add_pseudo_piece(struct pieces *p, struct piece piece)
{
	TP_APPEND(p->list, p->count, p->cap, piece);
}

TP_ORDER(by_time, struct piece, TP_UP(at_ps) TP_UP(start))

TP_ORDER(by_place, struct piece, TP_UP(start))

/*
 * Name the pieces of ANCHOR in m->some.  Unless CLEAR, or if their number does
 * not fit, counts ANCHOR as unclear.
 */
static void
settle(struct making *m, uint32_t anchor, int clear)
{
	struct pieces *p = &m->some;
	uint32_t names = m->rule->name_count;

	if (!p->count)
		return;
	if (!clear || p->count % names) {
		m->counts->unclear++;
		return;
	}
	TP_SORT(p->list, p->count, by_time);
	m->counts->operators += !m->counted[anchor];
	m->counted[anchor] = 1;
	for (size_t i = 0; i < p->count; i++) {
		struct piece *piece = &p->list[i];

		piece->anchor = anchor;
		piece->rule = m->rule;
		piece->name = (uint32_t)(i % names);
		piece->bare |= p->count > names;
		memset(m->taken + piece->start, 1, piece->stop - piece->start);
		add_pseudo_piece(&m->all, *piece);
	}
}

/* Whether the rule applies to E, which launched links [FIRST, LAST). */
static int
applies(struct making *m, const struct tp_torch_event *e, uint32_t first,
    uint32_t last)
{
	static const struct tp_classes none;
	const struct tp_torch *t = m->t;
	int among = !m->rule->among.count;

	for (uint32_t i = e->order + 1; m->rule->leaf && i < e->last; i++)
		if (t->events[t->tree[i]].cat == TP_TORCH_OP)
			return 0;
	for (; !among && first < last; first++)
		among = is(m->among, t->events[t->links[first].work].name, t,
		    &m->rule->among, &none);
	return among;
}

/* Make pieces of the kernels below E. */
static void
by_kernel(struct making *m, const struct tp_torch_event *e, uint32_t first,
    uint32_t last)
{
	const struct tp_torch *t = m->t;
	int clear = 1;

	for (uint32_t i = first; i < last; i++) {
		const struct tp_torch_link *l = &t->links[i];
		const struct tp_torch_event *call = &t->events[l->call];

		if (!is_kernel(m, &t->events[l->work]) ||
		    m->taken[call->order])
			continue;
		clear &= (i == first || l[-1].call != l->call) &&
		    (i + 1 == last || l[1].call != l->call);
		add_pseudo_piece(&m->some, (struct piece){
		    .at_ps = t->events[l->work].from_ps, .start = call->order,
		    .stop = call->last });
	}
	settle(m, t->tree[e->order], clear);
}

/* The first of the rule's functions that begins on LANE at AT_PS or later. */
static size_t
function_from(const struct making *m, uint32_t lane, int64_t at_ps)
{
	size_t from;

	TP_SEEK(from, 0, m->function_count, middle, m->functions[middle].lane <
	    lane || (m->functions[middle].lane == lane &&
	    m->functions[middle].from_ps < at_ps));
	return from;
}

/* Make pieces of the functions in E, each with all that it launched. */
static void
by_function(struct making *m, const struct tp_torch_event *e)
{
	const struct tp_torch *t = m->t;
	uint32_t start, stop = e->order + 1;

	for (size_t i = function_from(m, e->lane, e->from_ps);
	    i < m->function_count; i++) {
		const struct tp_torch_function *f = &m->functions[i];
		uint32_t before = stop;

		if (f->lane != e->lane || f->from_ps >= e->to_ps)
			break;
		tp_torch_function_place(t, f, before, &start, &stop);
		if (stop <= before || stop > e->last ||
		    !is_free(m, start, stop)) {
			stop = before;
			continue;
		}
		add_pseudo_piece(&m->some, (struct piece){ f->from_ps, start,
		    stop, 0, 0, 0, NULL });
	}
	settle(m, t->tree[e->order], 1);
}

/* Make pieces of the outermost functions around an operator. */
static void
around(struct making *m)
{
	const struct tp_torch *t = m->t;
	uint32_t start, stop, before = 0;

	for (size_t i = 0; i < m->function_count; i++) {
		const struct tp_torch_function *f = &m->functions[i];
		uint32_t found = TP_TORCH_NO;
		struct piece piece = { .at_ps = f->from_ps };

		tp_torch_function_place(t, f, before, &start, &stop);
		if (stop <= before || !is_free(m, start, stop))
			continue;
		before = stop;
		for (uint32_t k = start; k < stop; k++) {
			if (!is_op(m, &t->events[t->tree[k]]))
				continue;
			piece.bare = found != TP_TORCH_NO;
			found = found == TP_TORCH_NO ? t->tree[k] : found;
		}
		if (found == TP_TORCH_NO || !applies(m, &t->events[found],
		    tp_torch_link_at(t, start), tp_torch_link_at(t, stop)))
			continue;
		piece.start = start;
		piece.stop = stop;
		m->some.count = 0;
		add_pseudo_piece(&m->some, piece);
		settle(m, found, 1);
	}
}

/* Collect the functions that match the rule. */
static void
find_functions(struct making *m)
{
	const struct tp_torch *t = m->t;
	const struct tp_classes *what = m->rule->around.count ?
	    &m->rule->around : &m->rule->function;
	unsigned char *known = tp_zalloc(t->function_names.count + 1);

	m->function_count = 0;
	for (size_t i = 0; i < t->function_count; i++) {
		const struct tp_torch_function *f = &t->functions[i];

		if (known[f->name] == UNASKED)
			known[f->name] = tp_class_of_name(what, t->
			    function_names.names[f->name].text) ? YES : NO;
		if (known[f->name] == NO)
			continue;
		TP_APPEND(m->functions, m->function_count, m->function_cap, *f);
	}
	tp_free(known);
}

/* Whether any operator matches the rule. */
static int
occurs(struct making *m)
{
	for (size_t i = 0; i < m->t->tree_count; i++)
		if (is_op(m, &m->t->events[m->t->tree[i]]))
			return 1;
	return 0;
}

static void
apply(struct making *m)
{
	const struct tp_torch *t = m->t;

	memset(m->op, UNASKED, t->names.count);
	if (!occurs(m))
		return;
	memset(m->kernel, UNASKED, t->names.count);
	memset(m->among, UNASKED, t->names.count);
	if (!m->rule->kernel.count)
		find_functions(m);
	if (m->rule->around.count) {
		around(m);
		return;
	}
	for (size_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];
		uint32_t first, last;

		if (!is_op(m, e))
			continue;
		tp_torch_links_below(t, e, &first, &last);
		m->some.count = 0;
		if (!applies(m, e, first, last))
			continue;
		if (m->rule->kernel.count)
			by_kernel(m, e, first, last);
		else
			by_function(m, e);
	}
}

/*
 * Append to TO the number that ADD finds in the name of the first matching
 * kernel of ANCHOR; nothing if there is none.
 */
static void
add_number(const struct tp_torch *t, const struct tp_torch_event *anchor,
    const cJSON *add, struct tp_buf *to)
{
	const char *behind = tp_json_text(add, "behind"), *at;
	uint32_t i, last;

	tp_torch_links_below(t, anchor, &i, &last);
	for (; i < last; i++) {
		const struct tp_name *name = tp_torch_event_name(t,
		    &t->events[t->links[i].work]);

		if (!tp_glob(tp_json_text(add, "kernel"), name->text,
		    name->len) || !(at = strstr(name->text, behind)))
			continue;
		at += strlen(behind);
		tp_buf_add(to, at, strspn(at, "0123456789"));
		return;
	}
}

/*
 * Append the JSON list LIST to TO without its ']', so that items can follow.
 * Returns 0, or -1 if it is not a list.
 */
static int
open_list(struct tp_buf *to, const char *list)
{
	size_t len = strlen(list);

	while (len && strchr(" \t\r\n", list[len - 1]))
		len--;
	if (len < 2 || *list != '[' || list[len - 1] != ']')
		return -1;
	for (len--; strchr(" \t\r\n", list[len - 1]); len--)
		;
	tp_buf_add(to, list, len);
	return 0;
}

/* The arguments of piece P: those of its operator and what the rule adds. */
static ptrdiff_t
args_of(struct making *m, const struct piece *p)
{
	static const char *const blank[] = { "[]", "\"Scalar\"", "[]", "" };
	struct tp_torch *t = m->t;
	const struct tp_torch_event *anchor = &t->events[p->anchor];
	const cJSON *adds = tp_json_get(p->rule->row, "adds"), *add;
	struct tp_torch_args a = tp_torch_args_of(t, anchor);
	const uint32_t list[4] = { a.dims, a.types, a.strides, a.concrete };
	ptrdiff_t at[4];
	const char *comma;

	if (p->bare || !anchor->inputs)
		return 0;
	if (!adds)
		return anchor->inputs;
	for (int i = 0; i < 4; i++) {
		struct tp_buf *to = &m->text[i];

		tp_buf_clear(to);
		if (!a.concrete ||
		    open_list(to, t->texts.names[list[i]].text) < 0) {
			at[i] = list[i];
			continue;
		}
		comma = to->len > 1 ? "," : "";
		cJSON_ArrayForEach(add, adds) {
			tp_buf_str(to, comma);
			tp_buf_str(to, i < 3 ? blank[i] : "\"");
			if (i == 3) {
				add_number(t, anchor, add, to);
				tp_buf_chr(to, '"');
			}
			comma = ",";
		}
		tp_buf_chr(to, ']');
		at[i] = tp_names_add(&t->texts, to->p, to->len);
	}
	return tp_ids_add(&t->arg_ids, (uint64_t)at[0] << 32 |
	    (uint64_t)at[1], (uint64_t)at[2] << 32 | (uint64_t)at[3]);
}

/* Add the event of piece P.  Returns its index. */
static uint32_t
event_of(struct making *m, const struct piece *p)
{
	struct tp_torch *t = m->t;
	const char *name = p->rule->names[p->name];
	const struct tp_torch_event *first = &t->events[t->tree[p->start]];
	struct tp_torch_event e = { .from_ps = first->from_ps,
	    .to_ps = first->to_ps, .lane = first->lane, .uid = first->uid,
	    .correlation = TP_TORCH_NO, .external = TP_TORCH_NO,
	    .number = TP_TORCH_NO, .parent = TP_TORCH_NO, .order =
	    TP_TORCH_NO, .last = TP_TORCH_NO, .stream = -1, .device =
	    TP_TORCH_PSEUDO, .cat = TP_TORCH_OP };
	ptrdiff_t at = tp_torch_add_name(t, name, strlen(name));
	ptrdiff_t args = args_of(m, p);

	if (t->count >= TP_TORCH_MOST)
		tp_no_memory();
	tp_grow(&t->events, &t->cap, t->count + 1, sizeof *t->events);
	e.name = (uint32_t)at;
	e.inputs = (uint32_t)args;
	for (uint32_t i = p->start; i < p->stop; i++)
		TP_MOST(e.to_ps, t->events[t->tree[i]].to_ps);
	t->events[t->count] = e;
	return (uint32_t)t->count++;
}

static void
put(struct making *m)
{
	struct tp_torch *t = m->t;
	struct pieces *p = &m->all;
	struct tp_torch_around *list = tp_alloc((p->count + 1) * sizeof *list);

	TP_SORT(p->list, p->count, by_place);
	for (size_t i = 0; i < p->count; i++) {
		m->counts->operations++;
		m->counts->kernels += tp_torch_link_at(t, p->list[i].stop) -
		    tp_torch_link_at(t, p->list[i].start);
		list[i] = (struct tp_torch_around){ p->list[i].start,
		    p->list[i].stop, event_of(m, &p->list[i]) };
	}
	if (p->count)
		tp_torch_surround(t, list, p->count);
	tp_free(list);
}

/* The length of NAME without the number of its call. */
static size_t
unnumbered(const struct tp_torch_pseudo_rules *rules,
    const struct tp_name *name)
{
	size_t end = name->len;
	int any = 0;

	while (end && name->text[end - 1] >= '0' && name->text[end - 1] <= '9')
		end--;
	if (end == name->len || !end || name->text[end - 1] != '_')
		return name->len;
	for (size_t i = 0; !any && i < rules->numbered_count; i++)
		any = tp_class_of_name(&rules->numbered[i], name->text) !=
		    NULL;
	return any ? end - 1 : name->len;
}

/* Remove call numbers from names of operators. */
static void
unnumber(struct tp_torch *t, const struct tp_torch_pseudo_rules *rules)
{
	size_t count = t->names.count;
	uint32_t *to = tp_alloc((count + 1) * sizeof *to);

	for (size_t i = 0; i < count; i++) {
		const struct tp_name *name = &t->names.names[i];
		size_t len = unnumbered(rules, name);

		to[i] = (uint32_t)(len == name->len ? (ptrdiff_t)i :
		    tp_torch_add_name(t, name->text, len));
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->events[i].cat == TP_TORCH_OP)
			t->events[i].name = to[t->events[i].name];
	tp_free(to);
}

int
tp_torch_serves(const struct tp_torch *t)
{
	struct tp_torch_served served;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_name *name = tp_torch_event_name(t,
		    &t->events[i]);

		if ((t->events[i].cat == TP_TORCH_ANNOTATION ||
		    t->events[i].cat == TP_TORCH_GPU_ANNOTATION) &&
		    !tp_torch_served(name->text, name->len, &served))
			return 1;
	}
	return 0;
}

void
tp_torch_pseudo_make(struct tp_torch *t,
    const struct tp_torch_pseudo_rules *rules, enum tp_torch_pseudo_when when,
    struct tp_torch_pseudo_counts *counts)
{
	struct making m = { .t = t, .counts = counts };
	size_t names;

	if (when == TP_TORCH_PSEUDO_NEVER ||
	    (when == TP_TORCH_PSEUDO_SERVERS && !tp_torch_serves(t)))
		return;
	if (when == TP_TORCH_PSEUDO_ALWAYS)
		unnumber(t, rules);
	tp_torch_sort_functions(t);
	names = t->names.count + 1;
	m.op = tp_alloc(names);
	m.kernel = tp_alloc(names);
	m.among = tp_alloc(names);
	m.taken = tp_zalloc(t->tree_count + 1);
	m.counted = tp_zalloc(t->count + 1);
	for (size_t i = 0; i < rules->count; i++) {
		m.rule = &rules->list[i];
		apply(&m);
	}
	put(&m);
	tp_free(m.op);
	tp_free(m.kernel);
	tp_free(m.among);
	tp_free(m.taken);
	tp_free(m.counted);
	tp_free(m.functions);
	tp_free(m.all.list);
	tp_free(m.some.list);
	for (int i = 0; i < 4; i++)
		tp_buf_release(&m.text[i]);
}
