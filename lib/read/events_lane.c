/* events_lane - the lanes of a trace and what metadata calls them */
#include <string.h>

#include "events_private.h"

static void
add_part(struct tp_buf *key, const struct tp_arg *part)
{
	uint32_t len = part->type ? part->len : 0;

	/* with its length, since a text may contain any byte */
	tp_buf_chr(key, (char)part->type);
	tp_buf_add(key, (const char *)&len, sizeof len);
	if (len)
		tp_buf_add(key, part->text, len);
}

/* The part of the stored KEY at *AT; moves *AT past it. */
static struct tp_arg
kept(const char *key, size_t *at)
{
	struct tp_arg part = { 0 };

	part.type = (enum tp_arg_type)key[(*at)++];
	memcpy(&part.len, key + *at, sizeof part.len);
	*at += sizeof part.len;
	part.text = key + *at;
	*at += part.len;
	return part;
}

static int
number(const struct tp_arg *arg, int64_t *n)
{
	return arg->type == TP_ARG_NUMBER &&
	    !tp_json_int(arg->text, arg->len, n);
}

static void
describe(struct tp_lanes *l, size_t i, const struct tp_arg *pid)
{
	struct tp_lane *lane = &l->lanes[i];
	size_t at = 0, had = l->process_keys.count;
	ptrdiff_t process;

	memset(lane, 0, sizeof *lane);
	lane->pid = kept(l->keys.names[i].text, &at);
	lane->tid = kept(l->keys.names[i].text, &at);
	lane->pid_is_n = number(&lane->pid, &lane->pid_n);
	lane->tid_is_n = number(&lane->tid, &lane->tid_n);
	tp_buf_clear(&l->key);
	add_part(&l->key, pid);
	process = tp_names_add(&l->process_keys, l->key.p, l->key.len);
	tp_grow(&l->processes, &l->process_cap, (size_t)process + 1,
	    sizeof *l->processes);
	if ((size_t)process == had)
		l->processes[had] = NULL;
	lane->process = (size_t)process;
}

static inline int
same(const struct tp_arg *a, const struct tp_arg *b)
{
	return a->type == b->type && (!a->type || (a->len == b->len &&
	    tp_same_bytes(a->text, b->text, a->len)));
}

/* Cache slot for a lane. */
static uint32_t *
slot(struct tp_lanes *l, const struct tp_arg *pid, const struct tp_arg *tid)
{
	unsigned h = pid->type * 7u + tid->type;

	if (pid->type && pid->len)
		h += (unsigned char)pid->text[pid->len - 1] * 5u;
	if (tid->type && tid->len)
		h += (unsigned char)tid->text[tid->len - 1] * 3u +
		    tid->len;
	return &l->recent[h % TP_RECENT_LANES];
}

static size_t
find_or_add(struct tp_lanes *l, const struct tp_arg *pid,
    const struct tp_arg *tid)
{
	size_t had = l->keys.count, i;

	tp_buf_clear(&l->key);
	add_part(&l->key, pid);
	add_part(&l->key, tid);
	i = (size_t)tp_names_add(&l->keys, l->key.p, l->key.len);
	if (l->keys.count == had)
		return i;
	tp_grow(&l->lanes, &l->cap, had + 1, sizeof *l->lanes);
	tp_grow(&l->threads, &l->thread_cap, had + 1, sizeof *l->threads);
	l->threads[had] = NULL;
	describe(l, had, pid);
	return i;
}

size_t
tp_lanes_add(struct tp_lanes *l, const struct tp_arg *pid,
    const struct tp_arg *tid)
{
	uint32_t *recent = slot(l, pid, tid);
	size_t i = *recent;

	if (i < l->keys.count && same(&l->lanes[i].tid, tid) &&
	    same(&l->lanes[i].pid, pid))
		return i;
	i = find_or_add(l, pid, tid);
	if (i < UINT32_MAX)
		*recent = (uint32_t)i;
	return i;
}

/* An empty name says nothing.  Returns whether another name was replaced. */
static int
call(char **at, const struct tp_arg *name)
{
	char *copy, *was = *at;
	int differs;

	if (!name->len)
		return 0;
	copy = tp_alloc((size_t)name->len + 1);
	memcpy(copy, name->text, name->len);
	copy[name->len] = '\0';
	differs = was && strcmp(was, copy) != 0;
	tp_free(was);
	*at = copy;
	return differs;
}

int
tp_lanes_call(struct tp_lanes *l, size_t lane, int process,
    const struct tp_arg *name)
{
	return call(process ? &l->processes[l->lanes[lane].process] :
	    &l->threads[lane], name);
}

void
tp_lanes_name(struct tp_lanes *l, const struct tp_arg *pid,
    const struct tp_arg *tid, const struct tp_arg *name)
{
	ptrdiff_t at;

	tp_buf_clear(&l->key);
	add_part(&l->key, pid);
	if (tid)
		add_part(&l->key, tid);
	at = tp_names_find(tid ? &l->keys : &l->process_keys, l->key.p,
	    l->key.len);
	if (at >= 0)
		call(tid ? &l->threads[at] : &l->processes[at], name);
}

void
tp_lanes_release(struct tp_lanes *l)
{
	for (size_t i = 0; i < l->keys.count; i++)
		tp_free(l->threads[i]);
	for (size_t i = 0; i < l->process_keys.count; i++)
		tp_free(l->processes[i]);
	tp_free(l->threads);
	tp_free(l->processes);
	tp_free(l->lanes);
	tp_names_release(&l->keys);
	tp_names_release(&l->process_keys);
	tp_buf_release(&l->key);
}

void
tp_events_of_row(struct tp_events *e, struct tp_event *v,
    const struct tp_arg *pid, const struct tp_arg *tid)
{
	v->lane = tp_lanes_add(&e->lanes, pid, tid);
	v->phase = 'X';
	v->id = (struct tp_arg){ 0 };
	v->args = e->args;
	v->own_args = 0;
	v->kind = 0;
	v->index = e->elements - 1;
}
