/* resource - allocations and deallocations of Metal resources: reading rows */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/resource.h>
#include <tp/text.h>

#include "tables.h"

enum event { ALLOCATED, FREED, OTHER };

static enum event
event_of(const struct tp_value *v)
{
	const char *end;

	if (v->type == TP_NONE || !v->len)
		return ALLOCATED;
	end = v->text + v->len;
	return tp_begins(v->text, end, "Alloc") ? ALLOCATED :
	    tp_begins(v->text, end, "Dealloc") ? FREED : OTHER;
}

/* The values of a row of either table. */
struct cells {
	const struct tp_value *at, *lifetime, *id, *label, *type, *event;
	const struct tp_value *size, *vidmem, *sysmem;
};

static void
cells_of(struct cells *c, const struct tp_row *row, int kernel)
{
	static const struct tp_value none = { .type = TP_NONE };
	const struct tp_value *v = row->v;

	c->at = &v[TP_RES_TIME];
	c->id = &v[TP_RES_ID];
	c->vidmem = &v[TP_RES_VIDMEM];
	c->sysmem = &v[TP_RES_SYSMEM];
	c->type = &v[TP_RES_TYPE];
	c->event = &v[TP_RES_EVENT];
	c->size = kernel ? &none : &v[TP_RES_SIZE];
	c->lifetime = kernel ? &none : &v[TP_RES_LIFETIME];
	c->label = kernel ? &none : &v[TP_RES_LABEL];
}

static int
negative(const struct tp_value *v)
{
	return v->type != TP_NONE && v->n < 0;
}

static const char *
damage(const struct cells *c)
{
	int64_t end;

	if (c->at->type == TP_NONE)
		return "no time";
	if (negative(c->size) || negative(c->vidmem) || negative(c->sysmem))
		return "negative size";
	if (negative(c->lifetime) || (c->lifetime->type != TP_NONE &&
	    __builtin_add_overflow(c->at->n, c->lifetime->n, &end)))
		return "bad lifetime";
	if (c->vidmem->type != TP_NONE && c->sysmem->type != TP_NONE &&
	    __builtin_add_overflow(c->vidmem->n, c->sysmem->n, &end))
		return "a size beyond 2^63";
	return NULL;
}

/* The size the table states, else the sum over both memories. */
static int64_t
size_of(const struct cells *c)
{
	int64_t n = 0;

	if (c->size->type != TP_NONE)
		return c->size->n;
	if (c->vidmem->type == TP_NONE && c->sysmem->type == TP_NONE)
		return -1;
	n += c->vidmem->type != TP_NONE ? c->vidmem->n : 0;
	n += c->sysmem->type != TP_NONE ? c->sysmem->n : 0;
	return n;
}

/* Index of a pair of label and type. */
static ptrdiff_t
kind_of(struct tp_resources *res, const struct cells *c)
{
	ptrdiff_t label = -1, type = -1;

	if (c->label->type != TP_NONE && c->label->len)
		label = tp_names_add(&res->labels, c->label->text,
		    c->label->len);
	if (c->type->type != TP_NONE && c->type->len)
		type = tp_names_add(&res->types, c->type->text, c->type->len);
	return tp_ids_add(&res->kinds, (uint64_t)(label + 1),
	    (uint64_t)(type + 1));
}

static void
add_to(tp_int128 *sum, int *known, const struct tp_value *v)
{
	if (v->type == TP_NONE)
		return;
	*known = 1;
	*sum += v->n;
}

int
tp_resource_add(struct tp_resources *res, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err)
{
	int kernel = !strcmp(row->bind->table, TP_TABLE_KERNEL_RESOURCE);
	struct tp_resource_list *list = &res->lists[kernel];
	struct tp_resource_event *e;
	struct tp_resource_rows *rows;
	enum event event;
	struct cells c;
	ptrdiff_t proc, kind, id;

	cells_of(&c, row, kernel);
	if (damage(&c))
		return tp_row_bad(err, row, damage(&c));
	if (c.at->n < window->from_ns || c.at->n >= window->to_ns)
		return 0;
	proc = tp_row_process(&res->procs, row, TP_RES_PROCESS);
	rows = TP_ITEM(list->rows, list->row_cap, proc + 1);
	rows->rows++;
	event = event_of(c.event);
	if (event == OTHER) {
		rows->others++;
		return 0;
	}
	if (event == ALLOCATED) {
		add_to(&rows->vidmem, &rows->vidmem_known, c.vidmem);
		add_to(&rows->sysmem, &rows->sysmem_known, c.sysmem);
	}
	kind = kind_of(res, &c);
	/* without an id, each row is a resource of its own */
	id = c.id->type == TP_ID ? tp_ids_add(&list->ids,
	    (uint64_t)(proc + 1), c.id->id) : tp_ids_add(&list->ids,
	    UINT64_MAX, list->count);
	e = TP_PUSH(list->events, list->count, list->cap);
	e->at_ns = c.at->n;
	e->bytes = size_of(&c);
	e->lifetime_ns = event == ALLOCATED && c.lifetime->type != TP_NONE ?
	    c.lifetime->n : -1;
	e->id = (uint32_t)id;
	e->kind = (uint32_t)kind;
	e->proc = (int32_t)proc;
	e->state = event == FREED ? TP_RES_FREED : TP_RES_ALLOCATED;
	return 0;
}
