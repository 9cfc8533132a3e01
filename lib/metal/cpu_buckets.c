/* cpu_buckets - what kind of code a frame is, by patterns from share/ops */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/metal/cpu.h>
#include <tp/share.h>
#include <tp/text.h>

struct bucket_rule {
	int bucket;
	const char **libraries, **symbols;	/* NULL-terminated, or NULL */
};

struct tp_cpu_buckets {
	struct { const char *name, *label, *part; } *buckets;
	size_t count;
	int rest, unresolved;
	struct bucket_rule *rules;
	size_t rule_count;
	struct bucket_rule plumbing;
	struct tp_arena arena;
};

static const char *
keep(struct tp_cpu_buckets *b, const struct cJSON *item)
{
	const char *s = cJSON_GetStringValue(item);

	return s ? tp_arena_text(&b->arena, s, strlen(s)) : NULL;
}

static int
named(const struct tp_cpu_buckets *b, const char *name)
{
	for (size_t i = 0; name && i < b->count; i++)
		if (!strcmp(b->buckets[i].name, name))
			return (int)i;
	return -1;
}

static int
load(struct tp_cpu_buckets *b, const struct cJSON *doc, const char *path,
    struct tp_err *err)
{
	const struct cJSON *list = tp_json_get(doc, "buckets"), *i;
	const struct cJSON *rules = tp_json_get(doc, "rules");
	const char *role;

	b->buckets = tp_arena_get(&b->arena,
	    ((size_t)cJSON_GetArraySize(list) + 1) * sizeof *b->buckets);
	b->rules = tp_arena_get(&b->arena,
	    ((size_t)cJSON_GetArraySize(rules) + 1) * sizeof *b->rules);
	if (!b->buckets || !b->rules)
		return tp_fail_memory(err);
	b->rest = b->unresolved = -1;
	cJSON_ArrayForEach(i, list) {
		b->buckets[b->count].name = keep(b, tp_json_get(i, "name"));
		b->buckets[b->count].label = keep(b, tp_json_get(i, "label"));
		b->buckets[b->count].part = keep(b, tp_json_get(i, "part"));
		role = tp_json_text(i, "role");
		if (role && !strcmp(role, "rest"))
			b->rest = (int)b->count;
		if (role && !strcmp(role, "unresolved"))
			b->unresolved = (int)b->count;
		if (!b->buckets[b->count].name || !b->buckets[b->count].label)
			return tp_fail(err, TP_BAD, "share.damaged", 0,
			    "share/%s: a bucket lacks its name or label",
			    path);
		b->count++;
	}
	cJSON_ArrayForEach(i, rules) {
		struct bucket_rule *r = &b->rules[b->rule_count++];

		r->bucket = named(b, tp_json_text(i, "bucket"));
		r->libraries = tp_share_texts(&b->arena,
		    tp_json_get(i, "library"));
		r->symbols = tp_share_texts(&b->arena,
		    tp_json_get(i, "symbol"));
		if (r->bucket < 0 || (!r->libraries && !r->symbols))
			return tp_fail(err, TP_BAD, "share.damaged", 0,
			    "share/%s: rule %zu names no bucket or has no "
			    "pattern", path, b->rule_count);
	}
	i = tp_json_get(doc, "plumbing");
	b->plumbing.libraries = tp_share_texts(&b->arena,
	    tp_json_get(i, "library"));
	b->plumbing.symbols = tp_share_texts(&b->arena,
	    tp_json_get(i, "symbol"));
	if (b->rest < 0 || b->unresolved < 0)
		return tp_fail(err, TP_BAD, "share.damaged", 0,
		    "share/%s: one bucket must have the role rest, one "
		    "unresolved", path);
	return 0;
}

struct tp_cpu_buckets *
tp_cpu_buckets_load(const char *name, struct tp_err *err)
{
	char path[64];
	struct cJSON *doc;
	struct tp_cpu_buckets *b;

	snprintf(path, sizeof path, "ops/%s.json", name);
	doc = tp_share_json(path, err);
	if (!doc)
		return NULL;
	b = tp_zalloc(sizeof *b);
	if (!b)
		tp_fail_memory(err);
	else if (load(b, doc, path, err) < 0) {
		tp_cpu_buckets_free(b);
		b = NULL;
	}
	cJSON_Delete(doc);
	return b;
}

void
tp_cpu_buckets_free(struct tp_cpu_buckets *b)
{
	if (!b)
		return;
	tp_arena_release(&b->arena);
	tp_free(b);
}

static int
any(const char *const *patterns, const char *text)
{
	for (; *patterns; patterns++)
		if (tp_glob(*patterns, text, strlen(text)))
			return 1;
	return 0;
}

int
tp_cpu_is_plumbing(const struct tp_cpu_buckets *b, const char *symbol,
    const char *library)
{
	const struct bucket_rule *r = &b->plumbing;

	return (r->libraries && any(r->libraries, library)) ||
	    (r->symbols && any(r->symbols, symbol));
}

int
tp_cpu_bucket_of(const struct tp_cpu_buckets *b, const char *symbol,
    const char *library)
{
	for (size_t i = 0; i < b->rule_count; i++) {
		const struct bucket_rule *r = &b->rules[i];

		if ((!r->libraries || any(r->libraries, library)) &&
		    (!r->symbols || any(r->symbols, symbol)))
			return r->bucket;
	}
	return -1;
}

size_t
tp_cpu_bucket_count(const struct tp_cpu_buckets *b)
{
	return b->count;
}

const char *
tp_cpu_bucket_name(const struct tp_cpu_buckets *b, size_t i)
{
	return b->buckets[i].name;
}

const char *
tp_cpu_bucket_label(const struct tp_cpu_buckets *b, size_t i)
{
	return b->buckets[i].label;
}

const char *
tp_cpu_bucket_part(const struct tp_cpu_buckets *b, size_t i)
{
	return b->buckets[i].part;
}

int
tp_cpu_bucket_rest(const struct tp_cpu_buckets *b, const char *leaf)
{
	/* an address, or "(no backtrace)" */
	return !strncmp(leaf, "0x", 2) || *leaf == '(' ? b->unresolved :
	    b->rest;
}
