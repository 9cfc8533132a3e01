/* roofline - the shortest time a chip could take for an operation */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include <tp/roofline.h>

/* Platform NAME of DOC, or with NAME NULL the only one in it; or NULL. */
static const struct cJSON *
entry(const struct cJSON *doc, const char *name)
{
	const struct cJSON *i, *gpus = tp_json_get(doc, "gpus");

	cJSON_ArrayForEach(i, gpus)
		if (name ? tp_same_name(i->string, strlen(i->string), name,
		    strlen(name)) : cJSON_GetArraySize(gpus) == 1)
			return i;
	return NULL;
}

static void
set_platform(struct tp_platform *p, struct cJSON *doc,
    const struct cJSON *entry)
{
	double rate;

	p->doc = doc;
	p->entry = entry;
	p->name = entry->string;
	p->figures = tp_json_text(entry, "figures");
	p->source = tp_json_text(entry, "source");
	if (tp_json_number(entry, "memory_bytes_per_s", &rate) && rate > 0)
		p->memory_bytes_per_s = rate;
	if (tp_json_number(entry, "cache_bytes", &rate) && rate > 0)
		p->cache_bytes = rate;
	if (tp_json_number(entry, "kernel_floor_ns", &rate) && rate > 0)
		p->kernel_floor_ns = rate;
	if (tp_json_number(entry, "host_bytes_per_s", &rate) && rate > 0)
		p->host_bytes_per_s = rate;
}

static int
load_file(struct tp_platform *p, const char *path, struct tp_err *err)
{
	struct cJSON *doc = tp_share_file(path, err);
	const struct cJSON *one = doc ? entry(doc, NULL) : NULL;

	p->is_file = 1;
	if (one)
		set_platform(p, doc, one);
	else if (doc)
		tp_share_fail(err, TP_USAGE,
		    "'%.200s' does not hold one platform", path);
	if (doc && !one)
		cJSON_Delete(doc);
	return one ? 0 : -1;
}

/* share/platforms/FILE; NULL with ERR. */
static struct cJSON *
load_shared(const char *file, struct tp_err *err)
{
	struct tp_buf path = { 0 };
	struct cJSON *doc = NULL;

	tp_buf_fmt(&path, "platforms/%s", file);
	doc = tp_share_json(path.p, err);
	tp_buf_release(&path);
	return doc;
}

/* Look NAME up in share/FILE: 1, 0 when it is not there, -1 with ERR. */
static int
look(struct tp_platform *p, const char *file, const char *name,
    struct tp_choice *names, struct tp_err *err)
{
	const struct cJSON *found, *i;
	struct cJSON *doc = load_shared(file, err);

	if (!doc)
		return -1;
	found = entry(doc, name);
	if (found) {
		set_platform(p, doc, found);
		return 1;
	}
	cJSON_ArrayForEach(i, tp_json_get(doc, "gpus"))
		tp_choice_add(names, i->string);
	cJSON_Delete(doc);
	return 0;
}

int
tp_platform_load(struct tp_platform *platform, const char *name,
    struct tp_err *err)
{
	struct tp_choice names;
	char **files;
	int count, rc = 0;

	memset(platform, 0, sizeof *platform);
	if (tp_share_is_path(name))
		return load_file(platform, name, err);
	count = tp_share_list("platforms", ".json", &files, err);
	if (count < 0)
		return -1;
	tp_choice_init(&names, name);
	for (int i = 0; i < count && !rc; i++)
		rc = look(platform, files[i], name, &names, err);
	if (!rc)
		tp_fail(err, TP_USAGE, "share.missing", 0, "no platform "
		    "'%.40s'; there are %.590s", name,
		    tp_choice_text(&names));
	tp_share_free_list(files, count);
	tp_choice_release(&names);
	return rc > 0 ? 0 : -1;
}

/*
 * Whether ENTRY has MULTIPROCESSORS and about MEMORY_BYTES: drivers reserve
 * a few percent.
 */
static int
is_sized(const struct cJSON *entry, int64_t multiprocessors,
    int64_t memory_bytes)
{
	double whole, gib, have = (double)memory_bytes / 1073741824;

	return tp_json_number(entry, "multiprocessor_count", &whole) &&
	    (int64_t)whole == multiprocessors &&
	    tp_json_number(entry, "memory_gib", &gib) &&
	    have > gib * 0.94 && have <= gib * 1.01;
}

/*
 * Match a GPU with the platforms of DOC, which P owns from then on if one is
 * found.
 */
static void
match(struct tp_platform *p, struct cJSON *doc, const char *gpu,
    int64_t multiprocessors, int64_t memory_bytes,
    enum tp_platform_basis *basis)
{
	const struct cJSON *i;
	double whole;

	cJSON_ArrayForEach(i, tp_json_get(doc, "gpus")) {
		if (*gpu ? !tp_json_fits(tp_json_get(i, "device_names"), gpu) :
		    !is_sized(i, multiprocessors, memory_bytes))
			continue;
		if (multiprocessors >= 0 && tp_json_number(i,
		    "multiprocessor_count", &whole) &&
		    (int64_t)whole != multiprocessors) {
			if (*basis == TP_PLATFORM_UNKNOWN)
				*basis = TP_PLATFORM_PART;
		} else if (p->doc) {
			*basis = TP_PLATFORM_AMBIGUOUS;
		} else {
			set_platform(p, doc, i);
			*basis = *gpu ? TP_PLATFORM_TRACE :
			    TP_PLATFORM_INFERRED;
		}
	}
	if (p->doc != doc)
		cJSON_Delete(doc);
}

int
tp_platform_find(struct tp_platform *platform, const char *gpu,
    int64_t multiprocessors, int64_t memory_bytes,
    enum tp_platform_basis *basis, struct tp_err *err)
{
	struct cJSON *doc = NULL;
	char **files;
	int count, rc = 0;

	memset(platform, 0, sizeof *platform);
	*basis = TP_PLATFORM_UNKNOWN;
	count = tp_share_list("platforms", ".json", &files, err);
	if (count < 0)
		return -1;
	for (int i = 0; i < count && !rc; i++)
		if ((doc = load_shared(files[i], err)))
			match(platform, doc, gpu, multiprocessors,
			    memory_bytes, basis);
		else
			rc = -1;
	tp_share_free_list(files, count);
	if (platform->doc && platform->memory_bytes_per_s <= 0)
		*basis = TP_PLATFORM_UNKNOWN;
	if (rc < 0 || (*basis != TP_PLATFORM_TRACE &&
	    *basis != TP_PLATFORM_INFERRED))
		tp_platform_release(platform);
	return rc;
}

const char *
tp_platform_basis_name(enum tp_platform_basis basis)
{
	static const char *const names[] = {
		[TP_PLATFORM_UNNAMED] = "unnamed",
		[TP_PLATFORM_OPTION] = "option",
		[TP_PLATFORM_TRACE] = "trace", [TP_PLATFORM_OFF] = "off",
		[TP_PLATFORM_MIXED] = "mixed",
		[TP_PLATFORM_UNKNOWN] = "unknown",
		[TP_PLATFORM_AMBIGUOUS] = "ambiguous",
		[TP_PLATFORM_PART] = "part",
		[TP_PLATFORM_INFERRED] = "inferred",
		[TP_PLATFORM_ESTIMATED] = "estimated",
	};

	return names[basis];
}

/*
 * Make P of a platform called NAME that no file lists; FLOPS_PER_S of SPEC
 * may be 0.
 */
static void
take_unlisted(struct tp_platform *p, const char *name, const char *figures,
    const char *source, const char *spec, double flops_per_s,
    double memory_bytes_per_s)
{
	struct cJSON *doc = cJSON_CreateObject();
	struct cJSON *one = cJSON_AddObjectToObject(cJSON_AddObjectToObject(
	    doc, "gpus"), name);
	struct cJSON *rates = cJSON_AddObjectToObject(one, "flops_per_s");

	memset(p, 0, sizeof *p);
	cJSON_AddStringToObject(one, "figures", figures);
	cJSON_AddStringToObject(one, "source", source);
	cJSON_AddNumberToObject(one, "memory_bytes_per_s", memory_bytes_per_s);
	if (flops_per_s > 0)
		cJSON_AddNumberToObject(rates, spec, flops_per_s);
	set_platform(p, doc, one);
}

void
tp_platform_stated(struct tp_platform *p, const char *name, double flops_per_s,
    double memory_bytes_per_s)
{
	take_unlisted(p, name, "peak", "the capture itself", TP_SPEC_XLA,
	    flops_per_s, memory_bytes_per_s);
}

int
tp_platform_estimate(struct tp_platform *p, const char *name,
    const struct tp_chip *chip, struct tp_err *err)
{
	struct cJSON *doc = load_shared("nvidia.json", err);
	const struct cJSON *estimate = tp_json_get(doc, "estimate");
	const char *source = tp_json_text(estimate, "source");
	double lanes = 0, floor = 0;
	char capability[32];

	if (!doc)
		return -1;
	snprintf(capability, sizeof capability, "%" PRId64 ".%" PRId64,
	    chip->major, chip->minor);
	tp_json_number(tp_json_get(estimate, "lanes"), capability, &lanes);
	tp_json_number(estimate, "kernel_floor_ns", &floor);
	take_unlisted(p, name, "estimate", source ? source : "", "vector_fp32",
	    chip->multiprocessors > 0 && chip->clock_hz > 0 ?
	    (double)chip->multiprocessors * lanes * 2 * (double)chip->clock_hz :
	    0, (double)chip->memory_bytes_per_s);
	p->kernel_floor_ns = floor;
	if (chip->cache_bytes > 0)
		p->cache_bytes = (double)chip->cache_bytes;
	cJSON_Delete(doc);
	return 0;
}

void
tp_platform_release(struct tp_platform *platform)
{
	cJSON_Delete(platform->doc);
	memset(platform, 0, sizeof *platform);
}

double
tp_platform_flops(const struct tp_platform *platform, const char *spec)
{
	double rate;

	return spec && tp_json_number(tp_json_get(platform->entry,
	    "flops_per_s"), spec, &rate) && rate > 0 ? rate : 0;
}

const char *
tp_platform_spec(const struct tp_platform *platform, size_t at)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, tp_json_get(platform->entry, "flops_per_s"))
		if (tp_platform_flops(platform, i->string) > 0 && !at--)
			return i->string;
	return NULL;
}

struct tp_roofline
tp_roofline_of(const struct tp_platform *platform,
    const struct tp_cost *cost)
{
	struct tp_roofline r = { 0 };
	double compute = 0, memory;

	if (!platform || cost->bytes < 0 || platform->memory_bytes_per_s <= 0)
		return r;
	if (cost->flops || cost->spec) {
		r.flops_per_s = cost->flops > 0 ?
		    tp_platform_flops(platform, cost->spec) : 0;
		if (r.flops_per_s <= 0)
			return r;
		compute = (double)cost->flops * 1e9 / r.flops_per_s;
	} else if (!cost->bytes) {
		return r;
	}
	memory = (double)cost->bytes * 1e9 / platform->memory_bytes_per_s;
	r.bound = compute >= memory ? TP_BOUND_COMPUTE : TP_BOUND_MEMORY;
	r.time_ns = compute >= memory ? compute : memory;
	return r;
}
