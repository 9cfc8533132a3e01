/* emit_launchers - launchers of a PyTorch trace as records */
#include <tp/alloc.h>

#include "emit_torch.h"
#include "step_samples.h"
#include "tab.h"

/* What only some launchers have, by launcher; TP_TAB_ABSENT: not this one. */
struct parts {
	int64_t *copied_ps;	/* direct time of one that launched only
				 * copies: its category is by name, not by what
				 * the GPU did */
	int64_t *other_ps;	/* ... of one whose category says nothing */
};

static struct parts
parts_of(const struct tp_torch_file *file, struct tp_torch_samples *samples)
{
	const struct tp_torch_launchers *l = &file->launchers;
	struct parts p = {
		tp_alloc((l->count + 1) * sizeof *p.copied_ps),
		tp_alloc((l->count + 1) * sizeof *p.other_ps) };

	for (size_t i = 0; i < l->count; i++) {
		const struct tp_torch_launcher *at = &l->list[i];

		tp_torch_samples_put(samples, i, at->event);
		p.copied_ps[i] = at->copies == at->counted ? at->direct_ps :
		    TP_TAB_ABSENT;
		p.other_ps[i] = at->category ? TP_TAB_ABSENT : at->direct_ps;
	}
	return p;
}

void
tp_torch_emit_launchers(const struct tp_torch_out *o,
    const struct tp_torch_args *args)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_launchers *l = &o->file->launchers;
	struct tp_tab tab = { .count = l->count, .process_rank = o->rank };
	const struct tp_column *event;
	struct tp_torch_samples samples;
	struct parts p;

	tp_torch_samples_init(&samples, &o->file->times, t, l->count);
	p = parts_of(o->file, &samples);
	tp_torch_samples_tab(&samples, &tab);
	event = TP_TAB_FIELD(&tab, NULL, "event", TP_TAB_INT, l->list, event);
	TP_TAB_FIELD(&tab, NULL, "counted", TP_TAB_INT, l->list, counted);
	TP_TAB_FIELD(&tab, NULL, "own", TP_TAB_PS, l->list, direct_ps);
	TP_TAB_FIELD(&tab, NULL, "subtree", TP_TAB_PS, l->list, subtree_ps);
	TP_TAB_ARRAY(&tab, NULL, "copied", TP_TAB_PS, p.copied_ps);
	TP_TAB_ARRAY(&tab, NULL, "other", TP_TAB_PS, p.other_ps);
	TP_TAB_NAMES(&tab, NULL, "category", l->list, category,
	    &t->ops->categories, TP_TAB_ABSENT);
	TP_TAB_NAMES(&tab, event, "op", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_FIELD(&tab, event, "first_uid", TP_TAB_INT, t->events, uid);
	tp_torch_tab_lane(&tab, TP_TAB_FIELD(&tab, event, "lane", TP_TAB_INT,
	    t->events, lane), t);
	tp_torch_tab_args(&tab, NULL, t, args);
	tp_tab_emit(&tab, "launcher.category", "counted", o->out);
	tp_tab_emit(&tab, "launcher.name", "counted", o->out);
	tp_tab_emit(&tab, "launcher", "counted", o->out);
	tp_free(p.copied_ps);
	tp_free(p.other_ps);
	tp_torch_samples_release(&samples);
}
