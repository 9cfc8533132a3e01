/* xla - what the names in a trace of JAX/XLA mean */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "private.h"

enum { PART_STALL, PART_COMMUNICATION };	/* in xla->parts */

static int
damaged(struct tp_err *err, const char *what)
{
	if (tp_alloc_failed())
		return tp_fail_memory(err);
	return tp_fail(err, TP_BAD, "share.damaged", 0,
	    "share/ops/xla.json: %s", what);
}

static int
compile(struct xla_class *class, const struct cJSON *pattern,
    struct tp_err *err)
{
	const char *text = cJSON_GetStringValue(pattern);

	if (!text)
		return 0;
	if (regcomp(&class->match, text, REG_EXTENDED | REG_ICASE |
	    REG_NOSUB))
		return damaged(err, "a match is not a regular expression");
	class->matched = 1;
	return 0;
}

static int
make_room(struct tp_xla *xla, struct xla_classes *classes, size_t count,
    struct tp_err *err)
{
	classes->list = tp_arena_get(&xla->arena,
	    (count + 1) * sizeof *classes->list);
	if (!classes->list)
		return tp_fail_memory(err);
	memset(classes->list, 0, (count + 1) * sizeof *classes->list);
	return 0;
}

/* A list of classes; the last has no pattern and takes the rest. */
static int
load_classes(struct tp_xla *xla, struct xla_classes *classes,
    const struct cJSON *list, struct tp_err *err)
{
	const struct cJSON *i;

	if (make_room(xla, classes, (size_t)cJSON_GetArraySize(list),
	    err) < 0)
		return -1;
	cJSON_ArrayForEach(i, list) {
		struct xla_class *c = &classes->list[classes->count];
		const char *name = tp_json_text(i, "name");
		const char *flops = tp_json_text(i, "flops");

		if (!name)
			return damaged(err, "a class has no name");
		c->name = tp_arena_text(&xla->arena, name, strlen(name));
		if (!c->name)
			return tp_fail_memory(err);
		if (flops)
			c->flops = !strcmp(flops, "attention") ?
			    TP_XLA_FLOPS_ATTENTION : TP_XLA_FLOPS_LOSS;
		if (compile(c, tp_json_get(i, "match"), err) < 0)
			return -1;
		classes->count++;
	}
	if (!classes->count || classes->list[classes->count - 1].matched)
		return damaged(err, "the last class must have no match");
	return 0;
}

static int
load_parts(struct tp_xla *xla, const struct cJSON *doc, struct tp_err *err)
{
	static const char *const keys[] = { "stall", "communication" };

	if (make_room(xla, &xla->parts, 2, err) < 0)
		return -1;
	for (size_t i = 0; i < 2; i++) {
		if (compile(&xla->parts.list[i],
		    tp_json_get(doc, keys[i]), err) < 0)
			return -1;
		if (!xla->parts.list[i].matched)
			return damaged(err, "stall or communication has no "
			    "match");
		xla->parts.count++;
	}
	return 0;
}

static int
load_texts(struct tp_xla *xla, const struct cJSON *doc, struct tp_err *err)
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
		{ &xla->device, lanes, "device" },
		{ &xla->host, lanes, "host" },
		{ &xla->ops, lanes, "ops" },
		{ &xla->steps, lanes, "steps" },
		{ &xla->marker_names, marks, "names" },
		{ &xla->marker_starts, marks, "starts" },
		{ &xla->copy_starts, copies, "starts" },
		{ &xla->region_wrappers, regions, "wrappers" },
		{ &xla->region_names, regions, "names" },
		{ &xla->region_starts, regions, "starts" },
		{ &xla->region_holds, regions, "holds" },
	};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		*lists[i].texts = tp_share_texts(&xla->arena,
		    tp_json_get(lists[i].in, lists[i].key));
		if (!*lists[i].texts)
			return damaged(err, "a list of lanes, markers, "
			    "copies or regions is missing");
	}
	if (!step)
		return damaged(err, "host_step is missing");
	if (!copy)
		return damaged(err, "the name of copies is missing");
	xla->host_step = tp_arena_text(&xla->arena, step, strlen(step));
	xla->copy = tp_arena_text(&xla->arena, copy, strlen(copy));
	return xla->host_step && xla->copy ? 0 : tp_fail_memory(err);
}

static int
load_truncation(struct tp_xla *xla, const struct cJSON *doc,
    struct tp_err *err)
{
	static const char *const keys[] = { TP_XLA_AT_LIMIT,
	    TP_XLA_LANE_ENDS };
	const struct cJSON *in = tp_json_get(doc, "truncation"), *i;
	const struct cJSON *limits = tp_json_get(in, "event_limits");
	int64_t *list = tp_arena_get(&xla->arena, (size_t)
	    (cJSON_GetArraySize(limits) + 1) * sizeof *list);

	if (!list)
		return tp_fail_memory(err);
	xla->event_limits = list;
	cJSON_ArrayForEach(i, limits) {
		if (!cJSON_IsNumber(i) || !(i->valuedouble >= 1 &&
		    i->valuedouble < 1e15))
			return damaged(err, "a limit of events is no count");
		list[xla->event_limit_count++] = (int64_t)i->valuedouble;
	}
	for (size_t k = 0; k < 2; k++) {
		const char *text = tp_json_text(in, keys[k]);

		if (!text)
			return damaged(err, "truncation has no text");
		xla->cut_texts[k] = tp_arena_text(&xla->arena, text,
		    strlen(text));
		if (!xla->cut_texts[k])
			return tp_fail_memory(err);
	}
	return 0;
}

struct tp_xla *
tp_xla_new(struct tp_err *err)
{
	struct cJSON *doc = tp_share_json("ops/xla.json", err);
	struct tp_xla *xla;

	if (!doc)
		return NULL;
	xla = tp_zalloc(sizeof *xla);
	if (!xla)
		tp_fail_memory(err);
	else if (load_texts(xla, doc, err) < 0 ||
	    load_parts(xla, doc, err) < 0 ||
	    load_classes(xla, &xla->collectives,
	    tp_json_get(doc, "collectives"), err) < 0 ||
	    load_classes(xla, &xla->families,
	    tp_json_get(doc, "families"), err) < 0 ||
	    load_truncation(xla, doc, err) < 0) {
		tp_xla_free(xla);
		xla = NULL;
	}
	cJSON_Delete(doc);
	return xla;
}

static void
release_classes(struct xla_classes *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		if (classes->list[i].matched)
			regfree(&classes->list[i].match);
}

void
tp_xla_free(struct tp_xla *xla)
{
	if (!xla)
		return;
	release_classes(&xla->parts);
	release_classes(&xla->collectives);
	release_classes(&xla->families);
	tp_free(xla->known);
	tp_free(xla->regions);
	tp_free(xla->answers);
	tp_names_release(&xla->region_parts);
	tp_ids_release(&xla->region_keys);
	tp_ids_release(&xla->asked);
	tp_buf_release(&xla->scratch);
	tp_buf_release(&xla->other);
	tp_arena_release(&xla->arena);
	tp_free(xla);
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
tp_xla_roles(const struct tp_xla *xla, struct tp_tracks *tracks)
{
	for (size_t i = 0; i < tracks->track_count; i++) {
		struct tp_track *t = &tracks->tracks[i];

		if (any(xla->host, t->process))
			t->role = TP_ROLE_HOST;
		else if (!any(xla->device, t->process))
			t->role = TP_ROLE_OTHER;
		else if (any(xla->ops, t->thread))
			t->role = TP_ROLE_OPS;
		else if (any(xla->steps, t->thread))
			t->role = TP_ROLE_STEPS;
		else
			t->role = TP_ROLE_DEVICE;
	}
}

const char *
tp_xla_host_step(const struct tp_xla *xla)
{
	return xla->host_step;
}

int
tp_xla_at_limit(const struct tp_xla *xla, uint64_t count)
{
	for (size_t i = 0; i < xla->event_limit_count; i++) {
		uint64_t limit = (uint64_t)xla->event_limits[i];

		if (count >= limit && count < limit + limit / 1000)
			return 1;
	}
	return 0;
}

const char *
tp_xla_cut_text(const struct tp_xla *xla, const char *why)
{
	return xla->cut_texts[strcmp(why, TP_XLA_AT_LIMIT) != 0];
}

const char *
tp_xla_copy(const struct tp_xla *xla, const char *canonical)
{
	for (size_t i = 0; xla->copy_starts[i]; i++)
		if (!strncmp(canonical, xla->copy_starts[i],
		    strlen(xla->copy_starts[i])))
			return xla->copy;
	return NULL;
}

const char *
tp_xla_part_name(enum tp_xla_part part)
{
	static const char *const names[] = {
		"compute", "communication", "host", "stall", "other"
	};

	return names[part];
}

static int
matches(const struct xla_class *class, const char *text)
{
	return !regexec(&class->match, text, 0, NULL, 0);
}

enum tp_xla_part
tp_xla_op_part(struct tp_xla *xla, const struct tp_tracks *tracks,
    uint32_t name)
{
	const char *text = tracks->names.names[name].text;
	enum tp_xla_part part = TP_XLA_COMPUTE;

	if (name < xla->known_count && xla->known[name])
		return (enum tp_xla_part)(xla->known[name] - 1);
	if (matches(&xla->parts.list[PART_STALL], text))
		part = TP_XLA_STALL;
	else if (matches(&xla->parts.list[PART_COMMUNICATION], text))
		part = TP_XLA_COMMUNICATION;
	/* without memory it is found again next time */
	if (!tp_grow(&xla->known, &xla->known_cap, (size_t)name + 1, 1)) {
		if (name >= xla->known_count) {
			memset(xla->known + xla->known_count, 0,
			    name + 1 - xla->known_count);
			xla->known_count = (size_t)name + 1;
		}
		xla->known[name] = (unsigned char)(part + 1);
	}
	return part;
}

enum tp_xla_part
tp_xla_part_of(struct tp_xla *xla, const struct tp_tracks *tracks,
    const struct tp_slice *slice)
{
	enum tp_xla_part part = tp_xla_op_part(xla, tracks, slice->name);
	enum tp_role role = tracks->tracks[slice->track].role;

	if (part == TP_XLA_STALL)
		return part;
	if (role == TP_ROLE_HOST)
		return TP_XLA_HOST;
	if (part == TP_XLA_COMPUTE && role == TP_ROLE_OTHER)
		return TP_XLA_OTHER;
	return part;
}

static const struct xla_class *
class_of(const struct xla_classes *classes, const char *text)
{
	const struct xla_class *c = classes->list;

	while (c->matched && !matches(c, text))
		c++;
	return c;
}

const char *
tp_xla_collective(const struct tp_xla *xla, const char *name)
{
	return class_of(&xla->collectives, name)->name;
}

const char *
tp_xla_family(const struct tp_xla *xla, const char *text,
    enum tp_xla_flops *flops)
{
	const struct xla_class *c = class_of(&xla->families, text);

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
tp_xla_trim(const char **from, const char **end)
{
	while (*from < *end && is_blank(**from))
		++*from;
	while (*end > *from && is_blank((*end)[-1]))
		--*end;
}

void
tp_xla_canonical(struct tp_buf *buf, const char *name)
{
	const char *end = name + strlen(name), *digits;

	tp_xla_trim(&name, &end);
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
tp_xla_marker(const struct tp_xla *xla, const char *canonical)
{
	struct tp_buf low = { 0 };
	int yes = 0;

	for (const char *p = canonical; *p; p++)
		tp_buf_chr(&low, *p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	for (size_t i = 0; low.p && xla->marker_names[i]; i++)
		yes |= !strcmp(low.p, xla->marker_names[i]);
	for (size_t i = 0; low.p && xla->marker_starts[i]; i++)
		yes |= !strncmp(low.p, xla->marker_starts[i],
		    strlen(xla->marker_starts[i]));
	tp_buf_release(&low);
	return yes;
}
