/* region - make regions from tf_op paths and names */
#include <string.h>

#include <tp/text.h>

#include "names.h"

struct part {
	const char *text;
	size_t len;
};

/* Strip surrounding blanks, and a trailing ':'. */
static void
trim(struct part *p)
{
	const char *end = p->text + p->len;

	tp_jax_trim(&p->text, &end);
	while (p->text < end && *p->text == ':')
		p->text++;
	while (end > p->text && end[-1] == ':')
		end--;
	p->len = (size_t)(end - p->text);
}

/* Remove one "wrapper(" ... ")" from P; a bare wrapper leaves nothing. */
static int
peel(const struct tp_jax *jax, struct part *p)
{
	const char *open = p->len ? memchr(p->text, '(', p->len) : NULL;
	size_t n = open ? (size_t)(open - p->text) : p->len;

	if ((open && p->text[p->len - 1] != ')') ||
	    !tp_class_of_part(&jax->wrappers, p->text, n))
		return 0;
	if (!open) {
		p->len = 0;
		return 0;
	}
	p->text += n + 1;
	p->len -= n + 2;
	trim(p);
	return 1;
}

/* Lower case, with runs of other characters as one '_', none at the ends. */
static void
plain(const struct part *p, struct tp_buf *buf)
{
	tp_buf_clear(buf);
	for (size_t i = 0; i < p->len; i++) {
		char c = p->text[i];

		if (c >= 'A' && c <= 'Z')
			c += 'a' - 'A';
		if (c != '_' && !(c >= 'a' && c <= 'z') &&
		    !(c >= '0' && c <= '9'))
			c = '_';
		if (c != '_' || p->text[i] == '_' || !buf->len ||
		    buf->p[buf->len - 1] != '_')
			tp_buf_chr(buf, c);
	}
	while (buf->len && buf->p[buf->len - 1] == '_')
		buf->p[--buf->len] = '\0';
}

/* Whether P describes how the program runs, not what it computes. */
static int
is_noise(struct tp_jax *jax, const struct part *p)
{
	const char *text;

	plain(p, &jax->scratch);
	text = jax->scratch.len ? jax->scratch.p : "";
	while (*text == '_')
		text++;
	return !*text || tp_class_of_name(&jax->noise, text);
}

static void
clean(const struct tp_jax *jax, struct part *p)
{
	const char *dot;

	trim(p);
	while (peel(jax, p))
		;
	if (tp_begins(p->text, p->text + p->len, "dynamic_donated") &&
	    (dot = memchr(p->text, '.', p->len))) {
		p->len -= (size_t)(dot + 1 - p->text);
		p->text = dot + 1;
	}
}

/* The region TEXT (LEN bytes) below PARENT, added when new. */
static uint32_t
child(struct tp_jax *jax, uint32_t parent, const char *text, size_t len)
{
	ptrdiff_t part, at;

	if (!jax->region_count) {	/* region 0 is none */
		tp_grow(&jax->regions, &jax->region_cap, 1,
		    sizeof *jax->regions);
		tp_ids_add(&jax->region_keys, UINT64_MAX, 0);
		jax->regions[0] = (struct tp_jax_region){ 0, 0, 0 };
		jax->region_count = 1;
	}
	part = tp_names_add(&jax->region_parts, text, len);
	at = tp_ids_add(&jax->region_keys, parent, (uint64_t)part);
	TP_ITEM(jax->regions, jax->region_cap, at);
	if ((size_t)at == jax->region_count)
		jax->regions[jax->region_count++] = (struct tp_jax_region){
		    parent, (uint32_t)part, jax->regions[parent].depth + 1 };
	return (uint32_t)at;
}

/* Split TEXT at SEPARATOR into *REGION (0: nothing remains). */
static void
split(struct tp_jax *jax, const char *text, const char *separator,
    uint32_t *region)
{
	size_t n = strlen(separator);
	const char *end;
	struct part p;

	for (*region = 0; text; text = end ? end + n : NULL) {
		end = strstr(text, separator);
		p.text = text;
		p.len = end ? (size_t)(end - text) : strlen(text);
		clean(jax, &p);
		if (is_noise(jax, &p))
			continue;
		*region = child(jax, *region, p.text, p.len);
	}
}

static void
find_region(struct tp_jax *jax, const char *tf_op, const char *name,
    uint32_t *region, int *bare)
{
	struct tp_buf canonical = { 0 };

	*bare = 0;
	*region = 0;
	if (*tf_op)
		split(jax, tf_op, "/", region);
	for (int i = 0; !*region && i < 2; i++) {
		const char *separator = i ? "::" : "=>";

		if (strstr(name, separator))
			split(jax, name, separator, region);
	}
	if (*region)
		return;
	*bare = 1;
	tp_jax_canonical(&canonical, name);
	*region = child(jax, 0, canonical.p ? canonical.p : "", canonical.len);
	tp_buf_release(&canonical);
}

uint32_t
tp_jax_region_of(struct tp_jax *jax, const struct tp_tracks *tracks,
    uint32_t tf_op, uint32_t name, int *bare)
{
	ptrdiff_t at = tp_ids_add(&jax->asked, tf_op, name);
	size_t had = jax->asked.count - 1;
	uint32_t region;

	TP_ITEM(jax->answers, jax->answer_cap, at);
	if ((size_t)at == had) {	/* new, or looked up last */
		find_region(jax, tracks->texts.names[tf_op].text,
		    tracks->names.names[name].text, &region, bare);
		jax->answers[at] = region * 2 + (uint32_t)*bare;
	}
	*bare = (int)(jax->answers[at] & 1);
	return jax->answers[at] / 2;
}

uint32_t
tp_jax_slice_region(struct tp_jax *jax, const struct tp_tracks *tracks,
    const struct tp_jax_event *slice, int *bare)
{
	return tp_jax_region_of(jax, tracks,
	    tracks->details[slice->detail].of[TP_DETAIL_TF_OP], slice->name,
	    bare);
}

const struct tp_jax_region *
tp_jax_region_at(const struct tp_jax *jax, uint32_t region)
{
	return &jax->regions[region];
}

const char *
tp_jax_region_name(const struct tp_jax *jax, uint32_t region)
{
	return jax->region_parts.names[jax->regions[region].part].text;
}

void
tp_jax_region_path(const struct tp_jax *jax, uint32_t region,
    struct tp_buf *buf)
{
	if (jax->regions[region].parent) {
		tp_jax_region_path(jax, jax->regions[region].parent, buf);
		tp_buf_str(buf, "=>");
	}
	tp_buf_str(buf, tp_jax_region_name(jax, region));
}

int
tp_jax_region_order(struct tp_jax *jax, uint32_t a, uint32_t b)
{
	struct tp_buf *x = &jax->scratch, *y = &jax->other;

	if (a == b)
		return 0;
	tp_buf_clear(x);
	tp_buf_clear(y);
	tp_jax_region_path(jax, a, x);
	tp_jax_region_path(jax, b, y);
	return x->p && y->p ? strcmp(x->p, y->p) : 0;
}

uint32_t
tp_jax_region_cut(const struct tp_jax *jax, uint32_t region, uint32_t depth)
{
	while (jax->regions[region].depth > depth)
		region = jax->regions[region].parent;
	return region;
}
