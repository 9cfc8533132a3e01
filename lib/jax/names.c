/* names - the meaning of names in a JAX/XLA trace */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/budget.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "names.h"
#include "timeline/timeline.h"

#define FILE_NAME "ops/jax.json"

static int
damaged(struct tp_err *err, const char *what)
{
	return tp_share_fail(err, TP_BAD, "share/" FILE_NAME ": %s", what);
}

/* Required class names, in the order of the enums they map to. */
static const char *const process_names[] = { "host", "device", NULL },
    *const thread_names[] = { "ops", "streams", "async", "steps",
    "modules", NULL },
    *const class_names[] = { "work", "communication", "to-device", "to-host",
    "copy", "any-way", "infeed", "wait", "container", NULL },
    *const limit_names[] = { "math", "memory", "layout", NULL },
    *const pair_names[] = { "start", "done", NULL };
const char *const tp_jax_part_names[TP_JAX_PARTS + 1] = { "compute",
    "communication", "host", "stall", "other", NULL };

enum { OPS, STREAMS, ASYNC, STEPS, MODULES };	/* indexes of thread_names */

#define LIMIT(KEY, MEMBER, UNITS) \
	{ KEY, offsetof(struct tp_jax, MEMBER), UNITS }
static const struct tp_share_limit limits[] = {
	LIMIT("host_wake_ns", host_wake_ps, 1000),
	LIMIT("no_registers", no_registers, 1),
	LIMIT("linked_least_ratio", linked_least_ratio, 0),
	LIMIT("one_gap_of_wall_ratio", one_gap_of_wall_ratio, 0),
	LIMIT("one_gap_least_steps", one_gap_least_steps, 0),
	LIMIT("one_gap_least_waits", one_gap_least_waits, 0),
	LIMIT("function_least_ratio", function_least_ratio, 0),
	LIMIT("function_most_ratio", function_most_ratio, 0),
	LIMIT("view_outside_ratio", view_outside_ratio, 0)
};
#undef LIMIT

#define AT(MEMBER) offsetof(struct tp_jax, MEMBER)
static const struct tp_class_list lists[] = {
	{ "processes", NULL, NULL, process_names, AT(processes) },
	{ "threads", NULL, NULL, thread_names, AT(threads) },
	{ "parts", NULL, NULL, tp_jax_part_names, AT(parts) },
	{ "classes", "category match", NULL, class_names, AT(classes) },
	{ "limits", "category match", NULL, limit_names, AT(limits) },
	{ "pairs", NULL, NULL, pair_names, AT(pairs) },
	{ "host", NULL, NULL, tp_path_classes, AT(host) },
	{ "views", NULL, NULL, NULL, AT(views) },
	{ "launches", NULL, NULL, NULL, AT(launches) },
	{ "calls", NULL, NULL, NULL, AT(calls) },
	{ "callbacks", NULL, NULL, NULL, AT(callbacks) },
	{ "collectives", NULL, NULL, NULL, AT(collectives) },
	{ "families", NULL, "flops", NULL, AT(families) },
	{ "kernels", NULL, NULL, NULL, AT(kernels) },
	{ "copies", NULL, NULL, NULL, AT(copies) },
	{ "markers", NULL, NULL, NULL, AT(markers) },
	{ "recomputed", NULL, NULL, NULL, AT(recomputed) },
	{ "wrappers", NULL, NULL, NULL, AT(wrappers) },
	{ "noise", NULL, NULL, NULL, AT(noise) },
	{ NULL, NULL, NULL, NULL, 0 }
};
static int
load_lists(struct tp_jax *jax, struct tp_err *err)
{
	if (tp_class_lists_load(jax, lists, jax->doc, FILE_NAME, err) < 0)
		return -1;
	jax->host_memory = tp_json_text(jax->doc, "host_memory");
	jax->no_direction = tp_json_text(jax->doc, "no_direction");
	if (!jax->host_memory || !jax->no_direction)
		return damaged(err, "host_memory or no_direction is missing");
	if (tp_share_limits(jax, limits, sizeof limits / sizeof *limits,
	    jax->doc, 0, FILE_NAME, err) < 0)
		return -1;
	jax->call_of = tp_json_text(jax->doc, "call_of");
	jax->program_of = tp_json_text(jax->doc, "program_of");
	if (!jax->call_of || !jax->program_of)
		return damaged(err, "call_of or program_of is missing");
	return jax->collectives.has_rest && jax->families.has_rest &&
	    jax->classes.has_rest ? 0 : damaged(err, "the last of "
	    "collectives, families and classes must have no match");
}

static int
check_truncation(const struct tp_jax *jax, struct tp_err *err)
{
	const struct cJSON *in = tp_json_get(jax->doc, "truncation"), *i;

	cJSON_ArrayForEach(i, tp_json_get(in, "event_limits"))
		if (!cJSON_IsNumber(i) || !(i->valuedouble >= 1 &&
		    i->valuedouble < 1e15))
			return damaged(err, "a limit of events is not a count");
	return tp_json_text(in, TP_JAX_AT_LIMIT) &&
	    tp_json_text(in, TP_JAX_LANE_ENDS) ? 0 :
	    damaged(err, "truncation has no text");
}

struct tp_jax *
tp_jax_new(struct tp_err *err)
{
	struct tp_jax *jax = tp_zalloc(sizeof *jax);

	jax->doc = tp_share_json(FILE_NAME, err);
	if (jax->doc && !load_lists(jax, err) && !check_truncation(jax, err)) {
		if (tp_jax_host_step(jax))
			return jax;
		damaged(err, "host_step is missing");
	}
	tp_jax_free(jax);
	return NULL;
}

void
tp_jax_free(struct tp_jax *jax)
{
	if (!jax)
		return;
	tp_class_lists_release(jax, lists);
	tp_free(jax->known);
	tp_free(jax->classed);
	tp_free(jax->last);
	tp_ids_release(&jax->classed_ids);
	tp_free(jax->regions);
	tp_free(jax->answers);
	tp_names_release(&jax->region_parts);
	tp_ids_release(&jax->region_keys);
	tp_ids_release(&jax->asked);
	tp_buf_release(&jax->scratch);
	tp_buf_release(&jax->other);
	cJSON_Delete(jax->doc);
	tp_free(jax);
}

/* The role of a lane, from the names of its process and thread. */
static enum tp_role
role_of(const struct tp_jax *jax, const struct tp_track *t)
{
	const struct tp_class *process = tp_class_of_name(&jax->processes,
	    t->process), *thread;

	if (!process)
		return TP_ROLE_OTHER;
	if (!process->number)
		return TP_ROLE_HOST;
	thread = tp_class_of_name(&jax->threads, t->thread);
	if (!thread || thread->number == MODULES)
		return TP_ROLE_DEVICE;
	return thread->number == STEPS ? TP_ROLE_STEPS : TP_ROLE_OPS;
}

/* Whether T is a lane of KIND on a device. */
static int
is_kind(const struct tp_jax *jax, const struct tp_track *t, int kind)
{
	const struct tp_class *c = t->role == TP_ROLE_OPS ||
	    t->role == TP_ROLE_DEVICE ?
	    tp_class_of_name(&jax->threads, t->thread) : NULL;

	return c && c->number == kind;
}

static int
has_streams(const struct tp_jax *jax, const struct tp_tracks *tracks,
    const struct tp_track *of)
{
	for (size_t i = 0; i < tracks->track_count; i++) {
		const struct tp_track *t = &tracks->tracks[i];

		if (t->host == of->host && t->pid == of->pid &&
		    (t->count || t->is_awaited) && is_kind(jax, t, STREAMS))
			return 1;
	}
	return 0;
}

void
tp_jax_roles(const struct tp_jax *jax, struct tp_tracks *tracks)
{
	const struct tp_track *asked = NULL;
	int streams = 0;

	for (size_t i = 0; i < tracks->track_count; i++)
		tracks->tracks[i].role = role_of(jax, &tracks->tracks[i]);
	for (size_t i = 0; i < tracks->track_count; i++) {
		struct tp_track *t = &tracks->tracks[i];

		/* tracks of one process are usually adjacent */
		if (is_kind(jax, t, OPS) && (!asked || asked->pid != t->pid ||
		    asked->host != t->host)) {
			streams = has_streams(jax, tracks, t);
			asked = t;
		}
		if (is_kind(jax, t, OPS) && streams)
			t->role = TP_ROLE_DEVICE;
		if (is_kind(jax, t, ASYNC))
			t->role = TP_ROLE_FLIGHT;
		t->holds_programs = is_kind(jax, t, MODULES);
	}
}

int
tp_jax_is_host(const struct tp_jax *jax, const char *process)
{
	const struct tp_class *c = tp_class_of_name(&jax->processes, process);

	return c && !c->number;
}

int
tp_jax_is_device(const struct tp_jax *jax, const char *process)
{
	const struct tp_class *c = tp_class_of_name(&jax->processes, process);

	return c && c->number;
}

const char *
tp_jax_host_step(const struct tp_jax *jax)
{
	return tp_json_text(jax->doc, "host_step");
}

int
tp_jax_at_limit(const struct tp_jax *jax, uint64_t count)
{
	const struct cJSON *i, *in = tp_json_get(jax->doc, "truncation");

	cJSON_ArrayForEach(i, tp_json_get(in, "event_limits")) {
		uint64_t limit = (uint64_t)i->valuedouble;

		if (count >= limit && count < limit + limit / 1000)
			return 1;
	}
	return 0;
}

const char *
tp_jax_cut_text(const struct tp_jax *jax, const char *why)
{
	return tp_json_text(tp_json_get(jax->doc, "truncation"), why);
}

const char *
tp_jax_copy(const struct tp_jax *jax, const char *canonical)
{
	const struct tp_class *copy = tp_class_of_name(&jax->copies,
	    canonical);

	return copy ? copy->name : NULL;
}

const char *
tp_jax_part_name(enum tp_jax_part part)
{
	return tp_jax_part_names[part];
}

enum tp_jax_part
tp_jax_op_part(struct tp_jax *jax, const struct tp_tracks *tracks,
    uint32_t name)
{
	const struct tp_class *c;
	enum tp_jax_part part;

	if (name < jax->known_count && jax->known[name])
		return (enum tp_jax_part)(jax->known[name] - 1);
	c = tp_class_of_name(&jax->parts, tracks->names.names[name].text);
	part = c ? (enum tp_jax_part)c->number : TP_JAX_COMPUTE;
	tp_grow(&jax->known, &jax->known_cap, (size_t)name + 1, 1);
	if (name >= jax->known_count) {
		memset(jax->known + jax->known_count, 0,
		    name + 1 - jax->known_count);
		jax->known_count = (size_t)name + 1;
	}
	jax->known[name] = (unsigned char)(part + 1);
	return part;
}

enum tp_jax_part
tp_jax_part_of(struct tp_jax *jax, const struct tp_tracks *tracks,
    const struct tp_jax_event *slice)
{
	enum tp_jax_part part = tp_jax_op_part(jax, tracks, slice->name);
	enum tp_role role = tracks->tracks[slice->track].role;

	if (part == TP_JAX_STALL)
		return part;
	if (role == TP_ROLE_HOST)
		return TP_JAX_HOST;
	if (part == TP_JAX_COMPUTE && role == TP_ROLE_OTHER)
		return TP_JAX_OTHER;
	return part;
}

const char *
tp_jax_collective(const struct tp_jax *jax, const char *name)
{
	return tp_class_of_name(&jax->collectives, name)->name;
}

const char *
tp_jax_collective_of(const struct tp_jax *jax, const struct tp_tracks *t,
    uint32_t name, uint32_t category)
{
	const struct tp_class *c = tp_class_of_name(&jax->collectives,
	    t->names.names[name].text);

	if (category && c == &jax->collectives.list[jax->collectives.count - 1])
		return tp_jax_collective(jax, t->texts.names[category].text);
	return c->name;
}

const char *
tp_jax_family(const struct tp_jax *jax, const char *text,
    enum tp_jax_flops *flops)
{
	const struct tp_class *c = tp_class_of_name(&jax->families, text);
	const char *by = flops ? tp_json_text(c->row, "flops") : NULL;

	if (flops)
		*flops = !by ? TP_JAX_FLOPS_SHAPE : strcmp(by, "attention") ?
		    TP_JAX_FLOPS_LOSS : TP_JAX_FLOPS_ATTENTION;
	return c->name;
}

const char *
tp_jax_family_or_kernel(const struct tp_jax *jax, const char *text)
{
	const struct tp_classes *families = &jax->families;
	const char *name = tp_jax_family(jax, text, NULL);
	const struct tp_class *kernel =
	    name != families->list[families->count - 1].name ? NULL :
	    tp_class_of_name(&jax->kernels, text);

	return kernel ? kernel->name : name;
}

static int
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void
tp_jax_trim(const char **from, const char **end)
{
	while (*from < *end && is_blank(**from))
		++*from;
	while (*end > *from && is_blank((*end)[-1]))
		--*end;
}

void
tp_jax_canonical(struct tp_buf *buf, const char *name)
{
	const char *end = name + strlen(name), *digits;

	tp_jax_trim(&name, &end);
	if (*name == '%' && name < end)
		name++;
	for (digits = end; digits > name && digits[-1] >= '0' &&
	    digits[-1] <= '9'; digits--)
		;
	if (digits < end && digits > name && digits[-1] == '.')
		end = digits - 1;
	tp_buf_add(buf, name, (size_t)(end - name));
}

int
tp_jax_marker(const struct tp_jax *jax, const char *canonical)
{
	return tp_class_of_name(&jax->markers, canonical) != NULL;
}

int
tp_jax_recomputed(const struct tp_jax *jax, const char *text)
{
	return tp_class_of_name(&jax->recomputed, text) != NULL;
}

void
tp_jax_tally_add(struct tp_jax_tally *t, uint64_t a, uint64_t b, uint32_t count)
{
	ptrdiff_t at = tp_ids_add(&t->ids, a, b);

	TP_ITEM(t->counts, t->cap, at);
	t->counts[at] += count;
}

void
tp_jax_tally_release(struct tp_jax_tally *t)
{
	tp_ids_release(&t->ids);
	tp_free(t->counts);
	memset(t, 0, sizeof *t);
}
