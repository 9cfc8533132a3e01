/* kernel_names - parse names of microkernels */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/executorch/kernels.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "kernel_names.h"

#define FILE_NAME "ops/xnnpack.json"

static const char *const arch_names[TP_ARCH_COUNT + 1] = { "SME2", "SME",
    "NEON", "Other", NULL };

const char *
tp_kernel_arch_name(enum tp_kernel_arch arch)
{
	return arch_names[arch];
}

#define AT(MEMBER) offsetof(struct tp_kernel_words, MEMBER)
static const struct tp_class_list lists[] = {
	{ "dtypes", NULL, NULL, NULL, AT(dtypes) },
	{ "arch", NULL, NULL, arch_names, AT(arch) },
	{ "family", NULL, NULL, NULL, AT(family) },
	{ "operators", NULL, "proof", NULL, AT(operators) },
	{ "log", NULL, NULL, NULL, AT(log) },
	{ "lost", NULL, NULL, NULL, AT(lost) },
	{ NULL, NULL, NULL, NULL, 0 }
};

int
tp_kernel_words_load(struct tp_kernel_words *w, struct tp_err *err)
{
	memset(w, 0, sizeof *w);
	w->doc = tp_share_json(FILE_NAME, err);
	if (!w->doc ||
	    tp_class_lists_load(w, lists, w->doc, FILE_NAME, err) < 0)
		return -1;
	w->ops = tp_json_get(w->doc, "ops");
	w->off = tp_json_get(w->doc, "off");
	w->on = tp_json_get(w->doc, "on");
	return w->ops && w->off && w->on ? 0 :
	    tp_share_damaged(FILE_NAME, "ops, off or on", err);
}

/* The length of the word that the LEN bytes at P begin with, up to '_'. */
static size_t
word(const char *p, size_t len)
{
	const char *end = memchr(p, '_', len);

	return end ? (size_t)(end - p) : len;
}

/* The length of the op at P: the longest listed one, else a word. */
static size_t
op_length(const struct tp_kernel_words *w, const char *p, size_t len)
{
	size_t best = word(p, len), n;
	const struct cJSON *i;

	cJSON_ArrayForEach(i, w->ops) {
		n = i->valuestring ? strlen(i->valuestring) : 0;
		if (n > best && n <= len && !memcmp(p, i->valuestring, n) &&
		    (n == len || p[n] == '_'))
			best = n;
	}
	return best;
}

static struct tp_kernel_part
part(const char *p, const char *end)
{
	return (struct tp_kernel_part){ p, end > p ? (size_t)(end - p) : 0 };
}

/* The first place of SOUGHT between P and END, or END. */
static const char *
find_text(const char *p, const char *end, const char *sought)
{
	size_t n = strlen(sought);

	for (; (size_t)(end - p) >= n; p++)
		if (!memcmp(p, sought, n))
			return p;
	return end;
}

/*
 * Take the shape from the start of the ISA ("4x4_aarch64_neon") if there is
 * none in front of "__".
 */
static void
late_shape(struct tp_kernel_parts *parts)
{
	const char *p = parts->isa.text;
	size_t n = word(p, parts->isa.len);

	if (parts->shape.len || n == parts->isa.len ||
	    !tp_glob("[0-9]*x[0-9]*", p, n))
		return;
	parts->shape = part(p, p + n);
	parts->isa = part(p + n + 1, p + parts->isa.len);
}

/* Split DTYPES_OP_VARIANT, the part between "xnn_" and "_ukernel". */
static void
front(const struct tp_kernel_words *w, const char *p, const char *end,
    struct tp_kernel_parts *parts)
{
	const char *start = p;
	size_t n;

	for (; p < end; p += n + 1) {
		n = word(p, (size_t)(end - p));
		if (!tp_class_of_part(&w->dtypes, p, n))
			break;
	}
	parts->dtype = part(start, p - (p > start));
	if (p >= end)
		return;
	n = op_length(w, p, (size_t)(end - p));
	parts->op = part(p, p + n);
	parts->variant = part(p + n + (p + n < end), end);
}

void
tp_kernel_parse(const struct tp_kernel_words *w, const char *name, size_t len,
    struct tp_kernel_parts *parts)
{
	const char *end = name + len, *isa, *shape, *tail;
	const struct tp_class *arch = NULL;

	memset(parts, 0, sizeof *parts);
	isa = find_text(name, end, "__");
	tail = find_text(name, isa, "_ukernel");
	shape = tail < isa ? tail + strlen("_ukernel") : isa;
	parts->isa = part(isa + 2, end);
	parts->shape = part(shape + (shape < isa), isa);
	if (len > 4 && !memcmp(name, "xnn_", 4) && tail > name + 4)
		front(w, name + 4, tail, parts);
	if (parts->isa.len)
		late_shape(parts);
	if (parts->isa.len)
		arch = tp_class_of_part(&w->arch, parts->isa.text,
		    parts->isa.len);
	parts->arch = arch ? (enum tp_kernel_arch)arch->number :
	    TP_ARCH_OTHER;
}
