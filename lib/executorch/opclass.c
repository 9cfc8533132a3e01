/* opclass - what an operator is, by its name */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/share.h>
#include <tp/text.h>

#include "opclass.h"

#define FILE_NAME "ops/executorch.json"

/* Longer names are judged by their start. */
#define JUDGED 512

static int
add_category(struct tp_opclass *ops, const char *name, size_t *at)
{
	for (*at = 0; *at < ops->category_count; ++*at)
		if (!strcmp(ops->categories[*at], name))
			return 0;
	if (ops->category_count == TP_CATEGORIES_MAX)
		return -1;
	ops->categories[ops->category_count++] = name;
	return 0;
}

static const cJSON *
item(const struct cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *
text(const struct cJSON *object, const char *key)
{
	return cJSON_GetStringValue(item(object, key));
}

int
tp_opclass_load(struct tp_opclass *ops, struct tp_err *err)
{
	const cJSON *rule;
	size_t at;

	memset(ops, 0, sizeof *ops);
	ops->doc = tp_share_json(FILE_NAME, err);
	if (!ops->doc)
		return -1;
	cJSON_ArrayForEach(rule, item(ops->doc, "rules")) {
		if (!text(rule, "category") || !text(rule, "rule"))
			return tp_fail(err, TP_BAD, "share.damaged", 0,
			    FILE_NAME ": a rule without category or rule");
		if (add_category(ops, text(rule, "category"), &at) < 0)
			return tp_fail(err, TP_BAD, "share.damaged", 0,
			    FILE_NAME ": more than %d categories",
			    TP_CATEGORIES_MAX);
	}
	if (!text(ops->doc, "rest") ||
	    add_category(ops, text(ops->doc, "rest"), &ops->rest) < 0)
		return tp_fail(err, TP_BAD, "share.damaged", 0,
		    FILE_NAME ": no category for the rest");
	return 0;
}

void
tp_opclass_release(struct tp_opclass *ops)
{
	cJSON_Delete(ops->doc);
	memset(ops, 0, sizeof *ops);
}

size_t
tp_op_base(const char *name, size_t len)
{
	size_t i = len;

	while (i && name[i - 1] >= '0' && name[i - 1] <= '9')
		i--;
	return i < len && i > 2 && name[i - 1] == '#' && name[i - 2] == ' ' ?
	    i - 2 : len;
}

static int
is_listed(const cJSON *list, const char *name, size_t len)
{
	const cJSON *i;

	cJSON_ArrayForEach(i, list)
		if (cJSON_IsString(i) && tp_is(name, len, i->valuestring))
			return 1;
	return 0;
}

enum tp_frame_kind
tp_op_frame(const struct tp_opclass *ops, const char *name, size_t len)
{
	static const char *const kinds[] = { [TP_FRAME_EXECUTE] = "execute",
	    [TP_FRAME_DELEGATE] = "delegate",
	    [TP_FRAME_OPERATOR] = "operator",
	    [TP_FRAME_CONTROL] = "control", [TP_FRAME_LOAD] = "load" };
	const cJSON *frames = item(ops->doc, "frames");

	for (int i = TP_FRAME_EXECUTE; i <= TP_FRAME_LOAD; i++)
		if (is_listed(item(frames, kinds[i]), name, len))
			return (enum tp_frame_kind)i;
	return TP_NO_FRAME;
}

int
tp_op_is_portable(const struct tp_opclass *ops, const char *name, size_t len)
{
	return !len || is_listed(item(ops->doc, "portable"), name, len);
}

static int
is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	    (unsigned char)c >= 0x80;
}

/* The words of NAME into WORDS (JUDGED + 1 bytes), a blank between them. */
static size_t
split(const char *name, size_t len, char *words)
{
	static const char call[] = "native_call_";
	size_t n = 0;
	char c;

	if (len > sizeof call - 1 && !memcmp(name, call, sizeof call - 1)) {
		name += sizeof call - 1;
		len -= sizeof call - 1;
	}
	if (len > JUDGED)
		len = JUDGED;
	for (size_t i = 0; i < len; i++) {
		c = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i];
		if (is_word_byte(c))
			words[n++] = c;
		else if (n && words[n - 1] != ' ')
			words[n++] = ' ';
	}
	n -= n && words[n - 1] == ' ';
	words[n] = '\0';
	return n;
}

static int
starts_with(const cJSON *list, const char *words, size_t len)
{
	const cJSON *i;
	size_t n;

	cJSON_ArrayForEach(i, list) {
		if (!cJSON_IsString(i))
			continue;
		n = strlen(i->valuestring);
		if (len >= n && !memcmp(words, i->valuestring, n) &&
		    (len == n || words[n] == ' '))
			return 1;
	}
	return 0;
}

static int
has_word(const cJSON *list, const char *words, size_t len)
{
	const char *p = words, *end = words + len, *to;
	const cJSON *i;

	for (; p < end; p = to + 1) {
		to = memchr(p, ' ', (size_t)(end - p));
		to = to ? to : end;
		cJSON_ArrayForEach(i, list)
			if (cJSON_IsString(i) &&
			    tp_glob(i->valuestring, p, (size_t)(to - p)))
				return 1;
	}
	return 0;
}

size_t
tp_op_category(const struct tp_opclass *ops, const char *name, size_t len,
    const char **rule)
{
	char words[JUDGED + 1];
	const cJSON *r;
	size_t n = split(name, tp_op_base(name, len), words), at;

	cJSON_ArrayForEach(r, item(ops->doc, "rules")) {
		if (!starts_with(item(r, "start"), words, n) &&
		    !has_word(item(r, "words"), words, n))
			continue;
		*rule = text(r, "rule");
		for (at = 0; at + 1 < ops->category_count; at++)
			if (!strcmp(ops->categories[at], text(r, "category")))
				break;
		return at;
	}
	*rule = "rest";
	return ops->rest;
}

int
tp_op_unpacked(const struct tp_opclass *ops, const char *name, size_t len,
    struct tp_buf *out)
{
	const char *p = name, *end = name + len, *to;
	int changed = 0;

	while (p < end) {
		const cJSON *other = NULL, *i;

		for (to = p; to < end && is_word_byte((char)(*to | 32));)
			to++;
		cJSON_ArrayForEach(i, item(ops->doc, "packed"))
			if (tp_is(p, (size_t)(to - p), i->string))
				other = i;
		if (cJSON_IsString(other))
			tp_buf_add(out, other->valuestring,
			    strlen(other->valuestring));
		else
			tp_buf_add(out, p, (size_t)(to - p));
		changed |= cJSON_IsString(other);
		if (to < end)
			tp_buf_chr(out, *to++);
		p = to;
	}
	return changed;
}
