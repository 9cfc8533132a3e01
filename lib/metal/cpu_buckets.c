/* cpu_buckets - classify frames by patterns of share/ops */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/metal/cpu.h>
#include <tp/share.h>

#include "classes.h"

struct tp_cpu_buckets {
	struct cJSON *doc;
	const struct cJSON *buckets;
	const char **names, **parts;		/* of the buckets */
	uint8_t *classes;
	size_t count;
	int rest, unresolved;
	struct tp_classes rules, plumbing;	/* subjects: symbol, library */
};

/* Find each bucket's index by name, and the buckets with a special role. */
static int
load_buckets(struct tp_cpu_buckets *b, const char *path, struct tp_err *err)
{
	const struct cJSON *i;
	const char *role;
	size_t n;

	b->buckets = tp_json_get(b->doc, "buckets");
	n = (size_t)cJSON_GetArraySize(b->buckets) + 1;
	b->names = tp_zalloc(2 * n * sizeof *b->names);
	b->parts = b->names + n;
	b->classes = tp_alloc(n);
	b->rest = b->unresolved = -1;
	cJSON_ArrayForEach(i, b->buckets) {
		b->names[b->count] = tp_json_text(i, "name");
		b->parts[b->count] = tp_json_text(i, "part");
		/* samples of no class are a range */
		b->classes[b->count] = (uint8_t)tp_path_class_called(
		    tp_json_text(i, "class"), TP_PATH_RANGE);
		role = tp_json_text(i, "role");
		if (role && !strcmp(role, "rest"))
			b->rest = (int)b->count;
		if (role && !strcmp(role, "unresolved"))
			b->unresolved = (int)b->count;
		if (!b->names[b->count++] || !tp_json_text(i, "label"))
			return tp_share_fail(err, TP_BAD,
			    "share/%s: a bucket lacks its name or label",
			    path);
	}
	if (b->rest < 0 || b->unresolved < 0)
		return tp_share_fail(err, TP_BAD,
		    "share/%s: one bucket must have the role rest, one "
		    "unresolved", path);
	return 0;
}

static int
load(struct tp_cpu_buckets *b, const char *path, struct tp_err *err)
{
	static const char subjects[] = "symbol library";

	b->doc = tp_share_json(path, err);
	if (!b->doc || load_buckets(b, path, err) < 0 ||
	    tp_classes_load(&b->rules, b->doc, path, "rules", subjects, NULL,
	    err) < 0 || tp_classes_number(&b->rules, b->names, path, "rules",
	    err) < 0)
		return -1;
	return tp_json_get(b->doc, "plumbing") ? tp_classes_load(&b->plumbing,
	    b->doc, path, "plumbing", subjects, NULL, err) : 0;
}

static void
cpu_buckets_free(struct tp_cpu_buckets *b)
{
	if (!b)
		return;
	tp_classes_release(&b->rules);
	tp_classes_release(&b->plumbing);
	tp_free(b->names);
	tp_free(b->classes);
	cJSON_Delete(b->doc);
	tp_free(b);
}

struct tp_cpu_buckets *
tp_cpu_buckets_load(const char *name, struct tp_err *err)
{
	char path[64];
	struct tp_cpu_buckets *b = tp_zalloc(sizeof *b);

	snprintf(path, sizeof path, "ops/%s.json", name);
	if (load(b, path, err) < 0) {
		cpu_buckets_free(b);
		b = NULL;
	}
	return b;
}

int
tp_cpu_is_plumbing(const struct tp_cpu_buckets *b, const char *symbol,
    const char *library)
{
	const char *const texts[] = { symbol, library };

	return tp_class_of(&b->plumbing, texts) != NULL;
}

int
tp_cpu_bucket_of(const struct tp_cpu_buckets *b, const char *symbol,
    const char *library)
{
	const char *const texts[] = { symbol, library };
	const struct tp_class *of = tp_class_of(&b->rules, texts);

	return of ? of->number : -1;
}

size_t
tp_cpu_bucket_count(const struct tp_cpu_buckets *b)
{
	return b->count;
}

const char *
tp_cpu_bucket_name(const struct tp_cpu_buckets *b, size_t i)
{
	return b->names[i];
}

const char *
tp_cpu_bucket_label(const struct tp_cpu_buckets *b, size_t i)
{
	return tp_json_text(cJSON_GetArrayItem(b->buckets, (int)i), "label");
}

enum tp_path_class
tp_cpu_bucket_class(const struct tp_cpu_buckets *b, size_t i)
{
	return (enum tp_path_class)b->classes[i];
}

const char *
tp_cpu_bucket_part(const struct tp_cpu_buckets *b, size_t i)
{
	return b->parts[i];
}

int
tp_cpu_bucket_rest(const struct tp_cpu_buckets *b, const char *leaf)
{
	/* an address, or "(no backtrace)" */
	return !strncmp(leaf, "0x", 2) || *leaf == '(' ? b->unresolved :
	    b->rest;
}
