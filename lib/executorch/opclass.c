/* opclass - classify ExecuTorch events by name */
#include <cjson/cJSON.h>
#include <stddef.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/share.h>

#include "opclass.h"

#define FILE_NAME "ops/executorch.json"
#define EXPECTED_NAME "compare/executorch.json"

/* Only this many bytes of a name are classified. */
#define JUDGED 512

static const char *const kinds[] = { "", [TP_FRAME_EXECUTE] = "execute",
    [TP_FRAME_DELEGATE] = "delegate", [TP_FRAME_OPERATOR] = "operator",
    [TP_FRAME_CONTROL] = "control", [TP_FRAME_LOAD] = "load",
    [TP_FRAME_INNER] = "inner", NULL };

#define AT(MEMBER) offsetof(struct tp_opclass, MEMBER)
static const struct tp_class_list lists[] = {
	{ "frames", NULL, NULL, kinds, AT(frames) },
	{ "portable", NULL, NULL, NULL, AT(portable) },
	{ "packed", NULL, NULL, NULL, AT(packed) },
	{ "rules", NULL, "rule part", NULL, AT(rules) },
	{ "outside", NULL, NULL, NULL, AT(outside) },
	{ "scaled", NULL, "times", NULL, AT(scaled) },
	{ NULL, NULL, NULL, NULL, 0 }
};

/*
 * Collect the distinct category names of the rules and number the rules by
 * them.
 */
static int
load_categories(struct tp_opclass *ops, struct tp_err *err)
{
	for (size_t i = 0; i < ops->rules.count; i++) {
		const struct tp_class *c = &ops->rules.list[i];
		size_t at = 0;

		if (!tp_json_text(c->row, "rule"))
			return tp_share_damaged(FILE_NAME, "rule", err);
		while (at < ops->category_count &&
		    strcmp(ops->categories[at], c->name))
			at++;
		if (at == TP_CATEGORIES_MAX)
			return tp_share_fail(err, TP_BAD,
			    FILE_NAME ": more than %d categories",
			    TP_CATEGORIES_MAX);
		ops->categories[at] = c->name;
		if (at == ops->category_count)
			ops->category_count++;
	}
	return tp_classes_number(&ops->rules, ops->categories, FILE_NAME,
	    "rules", err);
}

int
tp_opclass_load(struct tp_opclass *ops, struct tp_err *err)
{
	memset(ops, 0, sizeof *ops);
	ops->doc = tp_share_json(FILE_NAME, err);
	if (!ops->doc)
		return -1;
	ops->expected = tp_share_json(EXPECTED_NAME, err);
	if (!ops->expected)
		return -1;
	if (tp_class_lists_load(ops, lists, ops->doc, FILE_NAME, err) < 0)
		return -1;
	return ops->rules.has_rest ? load_categories(ops, err) :
	    tp_share_fail(err, TP_BAD, FILE_NAME ": no category for the rest");
}

void
tp_opclass_release(struct tp_opclass *ops)
{
	tp_class_lists_release(ops, lists);
	cJSON_Delete(ops->doc);
	cJSON_Delete(ops->expected);
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

enum tp_frame_kind
tp_op_frame(const struct tp_opclass *ops, const char *name, size_t len)
{
	const struct tp_class *c = tp_class_of_part(&ops->frames, name, len);

	return c ? (enum tp_frame_kind)c->number : TP_NO_FRAME;
}

int
tp_op_is_outside(const struct tp_opclass *ops, const char *name, size_t len)
{
	return tp_class_of_part(&ops->outside, name, len) != NULL;
}

int64_t
tp_op_scale(const struct tp_opclass *ops, const char *name, size_t len)
{
	const struct tp_class *c = tp_class_of_part(&ops->scaled, name, len);
	double times;

	return c && tp_json_number(c->row, "times", &times) && times >= 1 &&
	    times <= 1e9 ? (int64_t)times : 1;
}

int
tp_op_is_portable(const struct tp_opclass *ops, const char *name, size_t len)
{
	return !len || tp_class_of_part(&ops->portable, name, len);
}

static const char native_call[] = "native_call_";

int
tp_op_is_native(const char *name, size_t len)
{
	return len >= sizeof native_call - 1 &&
	    !memcmp(name, native_call, sizeof native_call - 1);
}

static int
is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	    (unsigned char)c >= 0x80;
}

/*
 * Split NAME into WORDS (JUDGED + 3 bytes) with a blank before and after each
 * word.
 */
static void
split(const char *name, size_t len, char *words)
{
	size_t n = 1;
	char c;

	*words = ' ';

	if (len > sizeof native_call - 1 && tp_op_is_native(name, len)) {
		name += sizeof native_call - 1;
		len -= sizeof native_call - 1;
	}
	TP_LEAST(len, JUDGED);
	for (size_t i = 0; i < len; i++) {
		c = name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i];
		if (is_word_byte(c))
			words[n++] = c;
		else if (words[n - 1] != ' ')
			words[n++] = ' ';
	}
	if (words[n - 1] != ' ')
		words[n++] = ' ';
	words[n] = '\0';
}

static const struct tp_class *
class_of(const struct tp_opclass *ops, const char *name, size_t len)
{
	char words[JUDGED + 3];

	split(name, tp_op_base(name, len), words);
	return tp_class_of_name(&ops->rules, words);
}

size_t
tp_op_category(const struct tp_opclass *ops, const char *name, size_t len,
    const char **rule)
{
	const struct tp_class *c = class_of(ops, name, len);

	*rule = tp_json_text(c->row, "rule");
	return (size_t)c->number;
}

enum tp_budget_part
tp_op_part(const struct tp_opclass *ops, const char *name, size_t len)
{
	const char *part = tp_json_text(class_of(ops, name, len)->row,
	    "part");
	int known = part ? tp_budget_part_named(part) : -1;

	return known < 0 ? TP_PART_OPERATORS : (enum tp_budget_part)known;
}

double
tp_op_expected(const struct tp_opclass *ops, const char *category)
{
	const struct cJSON *i;
	const char *name;
	double low;

	cJSON_ArrayForEach(i, tp_json_get(tp_json_get(ops->expected,
	    "accel"), "expected"))
		if ((name = tp_json_text(i, "category")) &&
		    !strcmp(name, category) &&
		    tp_json_number(i, "low", &low) && low > 1)
			return low;
	return 1;
}

int
tp_op_unpacked(const struct tp_opclass *ops, const char *name, size_t len,
    struct tp_buf *out)
{
	const char *p = name, *end = name + len, *to;
	int changed = 0;

	while (p < end) {
		const struct tp_class *other;

		for (to = p; to < end && is_word_byte((char)(*to | 32));)
			to++;
		other = tp_class_of_part(&ops->packed, p, (size_t)(to - p));
		if (other)
			tp_buf_str(out, other->name);
		else
			tp_buf_add(out, p, (size_t)(to - p));
		changed |= other != NULL;
		if (to < end)
			tp_buf_chr(out, *to++);
		p = to;
	}
	return changed;
}
