/* events_votes - whose trace events these are, as most of the first ones say */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/share.h>

#include "events_private.h"

/* PyTorch has the first, XLA the others. */
const char *const tp_vote_args[] = { "correlation", "hlo_op", "hlo_module",
    "hlo_category", "tf_op", "step_num", NULL };

int
tp_votes_init(struct tp_votes *v, struct tp_err *err)
{
	static const char file[] = "ops/torch.json";

	v->ops = tp_share_json(file, err);
	return !v->ops || tp_classes_load(&v->events, v->ops, file, "events",
	    NULL, "device", err) < 0 ? -1 : 0;
}

static int
is_torch(const struct tp_votes *v, const struct tp_event *e)
{
	char lower[64];

	if (e->cat.type != TP_ARG_STRING)
		return e->args[0].type != TP_ARG_ABSENT;
	if (e->cat.len >= sizeof lower)
		return 0;
	for (size_t i = 0; i < e->cat.len; i++)
		lower[i] = (char)tolower((unsigned char)e->cat.text[i]);
	return tp_class_of_part(&v->events, lower, e->cat.len) != NULL;
}

void
tp_votes_add(struct tp_votes *v, const struct tp_event *e, size_t process)
{
	size_t i = 1;

	if (e->phase == 'M')
		return;
	if (is_torch(v, e)) {
		v->torch++;
		return;
	}
	while (tp_vote_args[i] && e->args[i].type == TP_ARG_ABSENT)
		i++;
	if (tp_vote_args[i]) {
		v->xla++;
		return;
	}
	TP_ITEM(v->silent, v->cap, process);
	v->silent[process]++;
}

enum tp_profiler
tp_votes_count(struct tp_votes *v, const struct tp_events *peek,
    struct tp_in *in)
{
	size_t n = peek ? tp_events_process_count(peek) : 0;
	struct tp_err unread;

	for (size_t i = 0; i < n && i < v->cap; i++) {
		const char *name = tp_events_process_name(peek, i);

		if (name && (!strncmp(name, "/device:", 8) ||
		    !strncmp(name, "/host:", 6)))
			v->xla += v->silent[i];
		else
			v->other += v->silent[i];
	}
	/* names alone may fill what is looked at */
	if (v->xla > v->torch + v->other || (v->xla + v->torch + v->other ==
	    0 && tp_in_is_xla(in, &unread)))
		return TP_PROFILER_JAX;
	return v->torch > v->xla ? TP_PROFILER_TORCH : TP_PROFILER_OTHER;
}

void
tp_votes_release(struct tp_votes *v)
{
	tp_classes_release(&v->events);
	cJSON_Delete(v->ops);
	tp_free(v->silent);
}
