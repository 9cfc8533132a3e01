/* what_if - what a change would be worth, by replay */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include <tp/timeline/path.h>

#include "what_if.h"

#define APART "apart"
#define MEDIAN "median"
#define LATE "late"

/* Groups of classes, and what is no time of a class. */
static const char *const groups[] = { "host", "device", "streams", "devices",
    "rank", NULL };
enum { HOST, DEVICE, STREAMS, DEVICES, RANK };

/* A parsed what-if. */
struct wish {
	int class, group;	/* -1: the other one */
	const char *name;	/* NULL: all of the class */
	size_t name_len;
	double factor;
	int64_t rank;
	int is_late;		/* of ranks: all that are late */
};

static int
find(const char *const *list, const char *text, size_t len)
{
	for (int i = 0; list[i]; i++)
		if (strlen(list[i]) == len && !memcmp(list[i], text, len))
			return i;
	return -1;
}

/* Parse TEXT.  Returns NULL, or what is wrong. */
static const char *
parse(struct wish *w, const char *text)
{
	const char *equals = strrchr(text, '='), *slash = strchr(text, '/');
	size_t len;
	char *end;

	*w = (struct wish){ .factor = 1 };
	if (!equals || equals == text)
		return "it is CLASS[/NAME]=FACTOR, as in data-loading=0";
	if (slash && slash > equals)
		slash = NULL;
	len = (size_t)((slash ? slash : equals) - text);
	w->class = find(tp_path_classes, text, len);
	w->group = find(groups, text, len);
	if (w->class < 0 && w->group < 0)
		return "no class of the path is called so (tp-path(1) lists "
		    "them)";
	if (slash) {
		w->name = slash + 1;
		w->name_len = (size_t)(equals - w->name);
	}
	if (w->group == RANK) {
		w->rank = w->name ? strtoll(w->name, &end, 10) : -1;
		w->is_late = w->name && w->name_len == strlen(LATE) &&
		    !memcmp(w->name, LATE, w->name_len);
		return (!w->is_late && (w->rank < 0 || end == w->name ||
		    *end != '=')) || strcmp(equals + 1, MEDIAN) ?
		    "of ranks only rank/N=median and rank/late=median are "
		    "known" : NULL;
	}
	if (w->group >= STREAMS)
		return slash || strcmp(equals + 1, APART) ?
		    "of streams and devices only =apart is known" : NULL;
	w->factor = strtod(equals + 1, &end);
	if (end == equals + 1 || *end || !(w->factor >= 0) ||
	    w->factor > 1000)
		return "FACTOR is a number from 0 to 1000";
	if (w->name && (w->group >= 0 || !w->name_len))
		return "NAME belongs to a class";
	return NULL;
}

int
tp_what_if_check(const char *text, struct tp_err *err)
{
	struct wish w;
	const char *why = parse(&w, text);

	return why ? tp_fail(err, TP_USAGE, "what-if", 0, "--what-if '%.80s': "
	    "%s", text, why) : 0;
}

static int
is_name(const struct tp_graph *g, const struct wish *w, uint32_t name)
{
	const struct tp_name *n;

	if (!w->name)
		return 1;
	if (name == TP_NIL)
		return 0;
	n = &g->timeline->names.names[name];
	return n->len == w->name_len && !memcmp(n->text, w->name, n->len);
}

static double *
ones(size_t count)
{
	double *list = tp_alloc((count + 1) * sizeof *list);

	for (size_t i = 0; i < count; i++)
		list[i] = 1;
	return list;
}

void
tp_change_host(struct tp_change *c, const struct tp_graph *g)
{
	c->by_what = ones(g->what_count);
	c->by_wait = ones(g->what_count);
}

void
tp_change_what(struct tp_change *c, const struct tp_graph *g, size_t what,
    int is_sync, double factor)
{
	if (is_sync || g->whats[what].class == TP_PATH_FREE)
		c->by_wait[what] = factor;
	if (!is_sync)
		c->by_what[what] = factor;
}

/* Set FACTOR of what threads were in.  Returns how many. */
static size_t
choose_host(struct tp_change *c, const struct tp_graph *g,
    const struct wish *w)
{
	size_t n = 0;

	tp_change_host(c, g);
	if (w->class == TP_PATH_SYNC && !w->name)
		c->idle = w->factor;
	for (size_t i = 0; i < g->what_count; i++) {
		enum tp_path_class class =
		    (enum tp_path_class)g->whats[i].class;
		int is_sync = w->class == TP_PATH_SYNC &&
		    tp_path_is_sync(class);

		if (tp_path_is_device(class) || (!is_sync && w->class >= 0 &&
		    (int)class != w->class) || !is_name(g, w,
		    g->whats[i].name))
			continue;
		n++;
		tp_change_what(c, g, i, is_sync, w->factor);
	}
	return n;
}

/* The same for work. */
static size_t
choose_work(struct tp_change *c, const struct tp_graph *g,
    const struct wish *w)
{
	size_t n = 0;

	c->by_work = ones(g->work_count);
	for (size_t i = 0; i < g->work_count; i++) {
		const struct tp_what *what = &g->whats[g->work_what[i]];
		const struct tp_launch *l = tp_node_launch(g,
		    (uint32_t)(g->host_count + i));

		if ((w->class >= 0 && what->class != w->class) ||
		    (!is_name(g, w, what->name) && !(l && w->name &&
		    is_name(g, w, l->op))))
			continue;
		n++;
		c->by_work[i] = w->factor;
	}
	return n;
}

/* Take what RANKS[AT] has most above the others down to their median. */
static void
take_excess(struct tp_change *c, const struct tp_graph *g,
    const struct tp_ranks_times *ranks, size_t at)
{
	uint32_t process = ranks->list[at].process;
	int64_t median, **lists;
	size_t class = tp_rank_excess(ranks, at, &median);
	double *factors, x;

	if (class == TP_PATH_CLASSES)
		return;
	x = (double)median / (double)ranks->list[at].ps[class];
	for (size_t i = 0; class == TP_PATH_KERNEL && i < g->work_count; i++)
		if (g->whats[g->work_what[i]].class !=
		    TP_PATH_COMMUNICATION && tp_node_process(g,
		    (uint32_t)(g->host_count + i)) == process)
			c->by_work[i] = x;
	if (class == TP_PATH_KERNEL)
		return;
	factors = ones(g->what_count);
	lists = tp_zalloc((g->what_count + 1) * sizeof *lists);
	for (size_t i = 0; i < g->what_count; i++)
		if (g->whats[i].class == class) {
			factors[i] = x;
			lists[i] = c->less;
		}
	tp_graph_less(g, ranks->from_ps, ranks->to_ps, process, factors,
	    lists);
	tp_free(factors);
	tp_free(lists);
}

/* The same for rank W, or for all that are late. */
static size_t
choose_ranks(struct tp_change *c, const struct tp_graph *g,
    const struct tp_ranks_times *ranks, const struct wish *w)
{
	size_t n = 0;

	if (!ranks)
		return 0;
	c->by_work = ones(g->work_count);
	c->less = tp_zalloc((g->host_count + 1) * sizeof *c->less);
	for (size_t i = 0; i < ranks->count; i++) {
		if (w->is_late ? !ranks->list[i].is_late :
		    ranks->list[i].number != w->rank)
			continue;
		n++;
		take_excess(c, g, ranks, i);
	}
	return n;
}

size_t
tp_what_if_make(struct tp_change *c, const struct tp_graph *g,
    const struct tp_ranks_times *ranks, const char *text)
{
	struct wish w;

	*c = TP_CHANGE_NONE;
	if (parse(&w, text))
		return 0;
	if (w.group == RANK)
		return choose_ranks(c, g, ranks, &w);
	if (w.group == STREAMS)
		c->streams_apart = 1;
	else if (w.group == DEVICES)
		c->devices_apart = 1;
	else if (w.class == TP_PATH_DEVICE_GAP)
		c->gap = w.factor;
	else if (w.class == TP_PATH_LAUNCH_LATENCY)
		c->launch = w.factor;
	else if (w.group == DEVICE || (w.class >= 0 &&
	    tp_path_is_device((enum tp_path_class)w.class)))
		return choose_work(c, g, &w);
	else
		return choose_host(c, g, &w);
	return 1;
}

void
tp_change_release(struct tp_change *c)
{
	tp_free(c->by_what);
	tp_free(c->by_wait);
	tp_free(c->by_work);
	tp_free(c->less);
	tp_free(c->by_gap);
	*c = TP_CHANGE_NONE;
}

int64_t
tp_what_if_gain(const struct tp_path *path, const struct tp_change *changes,
    size_t count, int64_t *ends)
{
	int64_t from = path->from_ps, until = path->until_ps, to = path->to_ps;
	int64_t end = INT64_MIN;

	for (const struct tp_path *p = path->next; p; p = p->next) {
		TP_LEAST(from, p->from_ps);
		TP_MOST(until, p->until_ps);
		TP_MOST(to, p->to_ps);
	}
	tp_graph_replay(path->graph, from, until, changes, count, ends);
	for (; path; path = path->next) {
		int64_t ps = tp_path_end(path, ends);

		TP_MOST(end, ps);
	}
	return to - end;
}
