/* names - what the names in a trace of JAX/XLA mean */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "names.h"

enum { PART_STALL, PART_COMMUNICATION };	/* in xla->parts */

static int
damaged(struct tp_err *err, const char *what)
{
	if (tp_alloc_failed())
		return tp_fail_memory(err);
	return tp_fail(err, TP_BAD, "share.damaged", 0,
	    "share/ops/jax.json: %s", what);
}

static int
load_pattern(struct tp_pattern *p, const struct cJSON *from, const char *key,
    struct tp_err *err)
{
	return tp_pattern_load(p, from, key, REG_ICASE, "ops/jax.json", err);
}

static int
make_room(struct tp_jax *jax, struct jax_classes *classes, size_t count,
    struct tp_err *err)
{
	classes->list = tp_arena_get(&jax->arena,
	    (count + 1) * sizeof *classes->list);
	if (!classes->list)
		return tp_fail_memory(err);
	memset(classes->list, 0, (count + 1) * sizeof *classes->list);
	return 0;
}

/* A list of classes; the last has no pattern and takes the rest. */
static int
load_classes(struct tp_jax *jax, struct jax_classes *classes,
    const struct cJSON *list, struct tp_err *err)
{
	const struct cJSON *i;

	if (make_room(jax, classes, (size_t)cJSON_GetArraySize(list),
	    err) < 0)
		return -1;
	cJSON_ArrayForEach(i, list) {
		struct jax_class *c = &classes->list[classes->count];
		const char *name = tp_json_text(i, "name");
		const char *flops = tp_json_text(i, "flops");

		if (!name)
			return damaged(err, "a class has no name");
		c->name = tp_arena_text(&jax->arena, name, strlen(name));
		if (!c->name)
			return tp_fail_memory(err);
		if (flops)
			c->flops = !strcmp(flops, "attention") ?
			    TP_JAX_FLOPS_ATTENTION : TP_JAX_FLOPS_LOSS;
		if (load_pattern(&c->match, i, "match", err) < 0)
			return -1;
		classes->count++;
	}
	if (!classes->count || classes->list[classes->count - 1].match.is_set)
		return damaged(err, "the last class must have no match");
	return 0;
}

static int
load_parts(struct tp_jax *jax, const struct cJSON *doc, struct tp_err *err)
{
	static const char *const keys[] = { "stall", "communication" };

	if (make_room(jax, &jax->parts, 2, err) < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		if (load_pattern(&jax->parts.list[i].match, doc, keys[i],
		    err) < 0)
			return -1;
		if (!jax->parts.list[i].match.is_set)
			return damaged(err, "stall or communication has no "
			    "match");
		jax->parts.count++;
	}
	return 0;
}

static int
load_texts(struct tp_jax *jax, const struct cJSON *doc, struct tp_err *err)
{
	const struct cJSON *lanes = tp_json_get(doc, "lanes");
	const struct cJSON *marks = tp_json_get(doc, "markers");
	const struct cJSON *regions = tp_json_get(doc, "regions");
	const struct cJSON *copies = tp_json_get(doc, "copies");
	const char *step = tp_json_text(doc, "host_step");
	const char *copy = tp_json_text(copies, "name");
	const struct {
		const char ***texts;
		const struct cJSON *in;
		const char *key;
	} lists[] = {
		{ &jax->device, lanes, "device" },
		{ &jax->host, lanes, "host" },
		{ &jax->ops, lanes, "ops" },
		{ &jax->steps, lanes, "steps" },
		{ &jax->marker_names, marks, "names" },
		{ &jax->marker_starts, marks, "starts" },
		{ &jax->copy_starts, copies, "starts" },
		{ &jax->region_wrappers, regions, "wrappers" },
		{ &jax->region_names, regions, "names" },
		{ &jax->region_starts, regions, "starts" },
		{ &jax->region_holds, regions, "holds" },
	};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		*lists[i].texts = tp_share_texts(&jax->arena,
		    tp_json_get(lists[i].in, lists[i].key));
		if (!*lists[i].texts)
			return damaged(err, "a list of lanes, markers, "
			    "copies or regions is missing");
	}
	if (!step)
		return damaged(err, "host_step is missing");
	if (!copy)
		return damaged(err, "the name of copies is missing");
	jax->host_step = tp_arena_text(&jax->arena, step, strlen(step));
	jax->copy = tp_arena_text(&jax->arena, copy, strlen(copy));
	return jax->host_step && jax->copy ? 0 : tp_fail_memory(err);
}

static int
load_truncation(struct tp_jax *jax, const struct cJSON *doc,
    struct tp_err *err)
{
	static const char *const keys[] = { TP_JAX_AT_LIMIT,
	    TP_JAX_LANE_ENDS };
	const struct cJSON *in = tp_json_get(doc, "truncation"), *i;
	const struct cJSON *limits = tp_json_get(in, "event_limits");
	int64_t *list = tp_arena_get(&jax->arena, (size_t)
	    (cJSON_GetArraySize(limits) + 1) * sizeof *list);

	if (!list)
		return tp_fail_memory(err);
	jax->event_limits = list;
	cJSON_ArrayForEach(i, limits) {
		if (!cJSON_IsNumber(i) || !(i->valuedouble >= 1 &&
		    i->valuedouble < 1e15))
			return damaged(err, "a limit of events is no count");
		list[jax->event_limit_count++] = (int64_t)i->valuedouble;
	}
	for (size_t k = 0; k < 2; k++) {
		const char *text = tp_json_text(in, keys[k]);

		if (!text)
			return damaged(err, "truncation has no text");
		jax->cut_texts[k] = tp_arena_text(&jax->arena, text,
		    strlen(text));
		if (!jax->cut_texts[k])
			return tp_fail_memory(err);
	}
	return 0;
}

struct tp_jax *
tp_jax_new(struct tp_err *err)
{
	struct cJSON *doc = tp_share_json("ops/jax.json", err);
	struct tp_jax *jax;

	if (!doc)
		return NULL;
	jax = tp_zalloc(sizeof *jax);
	if (!jax)
		tp_fail_memory(err);
	else if (load_texts(jax, doc, err) < 0 ||
	    load_parts(jax, doc, err) < 0 ||
	    load_classes(jax, &jax->collectives,
	    tp_json_get(doc, "collectives"), err) < 0 ||
	    load_classes(jax, &jax->families,
	    tp_json_get(doc, "families"), err) < 0 ||
	    load_truncation(jax, doc, err) < 0) {
		tp_jax_free(jax);
		jax = NULL;
	}
	cJSON_Delete(doc);
	return jax;
}

static void
release_classes(struct jax_classes *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		tp_pattern_release(&classes->list[i].match);
}

void
tp_jax_free(struct tp_jax *jax)
{
	if (!jax)
		return;
	release_classes(&jax->parts);
	release_classes(&jax->collectives);
	release_classes(&jax->families);
	tp_free(jax->known);
	tp_free(jax->regions);
	tp_free(jax->answers);
	tp_names_release(&jax->region_parts);
	tp_ids_release(&jax->region_keys);
	tp_ids_release(&jax->asked);
	tp_buf_release(&jax->scratch);
	tp_buf_release(&jax->other);
	tp_arena_release(&jax->arena);
	tp_free(jax);
}

static int
any(const char *const *patterns, const char *text)
{
	for (; text && *patterns; patterns++)
		if (tp_glob(*patterns, text, strlen(text)))
			return 1;
	return 0;
}

void
tp_jax_roles(const struct tp_jax *jax, struct tp_tracks *tracks)
{
	for (size_t i = 0; i < tracks->track_count; i++) {
		struct tp_track *t = &tracks->tracks[i];

		if (any(jax->host, t->process))
			t->role = TP_ROLE_HOST;
		else if (!any(jax->device, t->process))
			t->role = TP_ROLE_OTHER;
		else if (any(jax->ops, t->thread))
			t->role = TP_ROLE_OPS;
		else if (any(jax->steps, t->thread))
			t->role = TP_ROLE_STEPS;
		else
			t->role = TP_ROLE_DEVICE;
	}
}

const char *
tp_jax_host_step(const struct tp_jax *jax)
{
	return jax->host_step;
}

int
tp_jax_at_limit(const struct tp_jax *jax, uint64_t count)
{
	for (size_t i = 0; i < jax->event_limit_count; i++) {
		uint64_t limit = (uint64_t)jax->event_limits[i];

		if (count >= limit && count < limit + limit / 1000)
			return 1;
	}
	return 0;
}

const char *
tp_jax_cut_text(const struct tp_jax *jax, const char *why)
{
	return jax->cut_texts[strcmp(why, TP_JAX_AT_LIMIT) != 0];
}

const char *
tp_jax_copy(const struct tp_jax *jax, const char *canonical)
{
	for (size_t i = 0; jax->copy_starts[i]; i++)
		if (!strncmp(canonical, jax->copy_starts[i],
		    strlen(jax->copy_starts[i])))
			return jax->copy;
	return NULL;
}

const char *
tp_jax_part_name(enum tp_jax_part part)
{
	static const char *const names[] = {
		"compute", "communication", "host", "stall", "other"
	};

	return names[part];
}

enum tp_jax_part
tp_jax_op_part(struct tp_jax *jax, const struct tp_tracks *tracks,
    uint32_t name)
{
	const char *text = tracks->names.names[name].text;
	enum tp_jax_part part = TP_JAX_COMPUTE;

	if (name < jax->known_count && jax->known[name])
		return (enum tp_jax_part)(jax->known[name] - 1);
	if (tp_pattern_fits(&jax->parts.list[PART_STALL].match, text))
		part = TP_JAX_STALL;
	else if (tp_pattern_fits(&jax->parts.list[PART_COMMUNICATION].match,
	    text))
		part = TP_JAX_COMMUNICATION;
	/* without memory it is found again next time */
	if (!tp_grow(&jax->known, &jax->known_cap, (size_t)name + 1, 1)) {
		if (name >= jax->known_count) {
			memset(jax->known + jax->known_count, 0,
			    name + 1 - jax->known_count);
			jax->known_count = (size_t)name + 1;
		}
		jax->known[name] = (unsigned char)(part + 1);
	}
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

static const struct jax_class *
class_of(const struct jax_classes *classes, const char *text)
{
	const struct jax_class *c = classes->list;

	while (c->match.is_set && !tp_pattern_fits(&c->match, text))
		c++;
	return c;
}

const char *
tp_jax_collective(const struct tp_jax *jax, const char *name)
{
	return class_of(&jax->collectives, name)->name;
}

const char *
tp_jax_family(const struct tp_jax *jax, const char *text,
    enum tp_jax_flops *flops)
{
	const struct jax_class *c = class_of(&jax->families, text);

	if (flops)
		*flops = c->flops;
	return c->name;
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
	struct tp_buf low = { 0 };
	int yes = 0;

	for (const char *p = canonical; *p; p++)
		tp_buf_chr(&low, *p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	for (size_t i = 0; low.p && jax->marker_names[i]; i++)
		yes |= !strcmp(low.p, jax->marker_names[i]);
	for (size_t i = 0; low.p && jax->marker_starts[i]; i++)
		yes |= !strncmp(low.p, jax->marker_starts[i],
		    strlen(jax->marker_starts[i]));
	tp_buf_release(&low);
	return yes;
}
