/* xla_region - from tf_op paths and names to regions */
#include <string.h>

#include "private.h"

struct part {
	const char *text;
	size_t len;
};

/* Without blanks around it, and without the ':' that some ends have. */
static void
trim(struct part *p)
{
	const char *end = p->text + p->len;

	tp_xla_trim(&p->text, &end);
	while (p->text < end && *p->text == ':')
		p->text++;
	while (end > p->text && end[-1] == ':')
		end--;
	p->len = (size_t)(end - p->text);
}

static int
starts(const struct part *p, const char *word)
{
	size_t n = strlen(word);

	return p->len >= n && !memcmp(p->text, word, n);
}

/* Take one "wrapper(" ... ")" off P; a bare wrapper leaves nothing. */
static int
peel(const struct tp_xla *xla, struct part *p)
{
	for (const char **w = xla->region_wrappers; *w; w++) {
		size_t n = strlen(*w);

		if (!starts(p, *w))
			continue;
		if (p->len == n) {
			p->len = 0;
			return 0;
		}
		if (p->text[n] == '(' && p->text[p->len - 1] == ')') {
			p->text += n + 1;
			p->len -= n + 2;
			trim(p);
			return 1;
		}
	}
	return 0;
}

/* Lower case, runs of other characters as one '_', none at the ends. */
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

/* Whether P says how the program runs, not what it computes. */
static int
is_noise(struct tp_xla *xla, const struct part *p)
{
	const char *text;

	plain(p, &xla->scratch);
	text = xla->scratch.len ? xla->scratch.p : "";
	while (*text == '_')
		text++;
	if (!*text)
		return 1;
	for (const char **w = xla->region_names; *w; w++)
		if (!strcmp(text, *w))
			return 1;
	for (const char **w = xla->region_starts; *w; w++)
		if (!strncmp(text, *w, strlen(*w)))
			return 1;
	for (const char **w = xla->region_holds; *w; w++)
		if (strstr(text, *w))
			return 1;
	return 0;
}

static void
clean(const struct tp_xla *xla, struct part *p)
{
	const char *dot;

	trim(p);
	while (peel(xla, p))
		;
	if (starts(p, "dynamic_donated") &&
	    (dot = memchr(p->text, '.', p->len))) {
		p->len -= (size_t)(dot + 1 - p->text);
		p->text = dot + 1;
	}
}

/* The region PART below PARENT; 0 without memory. */
static uint32_t
child(struct tp_xla *xla, uint32_t parent, const char *text, size_t len)
{
	ptrdiff_t part, at;

	if (!xla->region_count) {	/* region 0 is none */
		if (tp_grow(&xla->regions, &xla->region_cap, 1,
		    sizeof *xla->regions) < 0 ||
		    tp_ids_add(&xla->region_keys, UINT64_MAX, 0) < 0)
			return 0;
		xla->regions[0] = (struct tp_xla_region){ 0, 0, 0 };
		xla->region_count = 1;
	}
	part = tp_names_add(&xla->region_parts, text, len);
	if (part < 0)
		return 0;
	at = tp_ids_add(&xla->region_keys, parent, (uint64_t)part);
	if (at < 0 || tp_grow(&xla->regions, &xla->region_cap,
	    (size_t)at + 1, sizeof *xla->regions) < 0)
		return 0;
	if ((size_t)at == xla->region_count)
		xla->regions[xla->region_count++] = (struct tp_xla_region){
		    parent, (uint32_t)part, xla->regions[parent].depth + 1 };
	return (uint32_t)at;
}

/* Region of TEXT split at SEPARATOR into *REGION (0: nothing remains). */
static int
split(struct tp_xla *xla, const char *text, const char *separator,
    uint32_t *region)
{
	size_t n = strlen(separator);
	const char *end;
	struct part p;

	for (*region = 0; text; text = end ? end + n : NULL) {
		end = strstr(text, separator);
		p.text = text;
		p.len = end ? (size_t)(end - text) : strlen(text);
		clean(xla, &p);
		if (is_noise(xla, &p))
			continue;
		*region = child(xla, *region, p.text, p.len);
		if (!*region)
			return -1;
	}
	return 0;
}

static int
find_region(struct tp_xla *xla, const char *tf_op, const char *name,
    uint32_t *region, int *bare)
{
	struct tp_buf canonical = { 0 };

	*bare = 0;
	*region = 0;
	if (*tf_op && (split(xla, tf_op, "/", region) < 0 || *region))
		return *region ? 0 : -1;
	for (int i = 0; i < 2; i++) {
		const char *separator = i ? "::" : "=>";

		if (!strstr(name, separator))
			continue;
		if (split(xla, name, separator, region) < 0)
			return -1;
		if (*region)
			return 0;
	}
	*bare = 1;
	tp_xla_canonical(&canonical, name);
	*region = canonical.failed ? 0 :
	    child(xla, 0, canonical.p ? canonical.p : "", canonical.len);
	tp_buf_release(&canonical);
	return *region ? 0 : -1;
}

uint32_t
tp_xla_region_of(struct tp_xla *xla, const struct tp_tracks *tracks,
    uint32_t tf_op, uint32_t name, int *bare, struct tp_err *err)
{
	ptrdiff_t at = tp_ids_add(&xla->asked, tf_op, name);
	size_t had = xla->asked.count - 1;
	uint32_t region;

	if (at < 0 || tp_grow(&xla->answers, &xla->answer_cap,
	    (size_t)at + 1, sizeof *xla->answers) < 0) {
		tp_fail_memory(err);
		return 0;
	}
	if ((size_t)at == had) {	/* new, or the last that was asked */
		if (find_region(xla, tracks->texts.names[tf_op].text,
		    tracks->names.names[name].text, &region, bare) < 0) {
			tp_fail_memory(err);
			return 0;
		}
		xla->answers[at] = region * 2 + (uint32_t)*bare;
	}
	*bare = (int)(xla->answers[at] & 1);
	return xla->answers[at] / 2;
}

uint32_t
tp_xla_slice_region(struct tp_xla *xla, const struct tp_tracks *tracks,
    const struct tp_slice *slice, int *bare, struct tp_err *err)
{
	return tp_xla_region_of(xla, tracks,
	    tracks->details[slice->detail].tf_op, slice->name, bare, err);
}

const struct tp_xla_region *
tp_xla_region(const struct tp_xla *xla, uint32_t region)
{
	return &xla->regions[region];
}

const char *
tp_xla_region_name(const struct tp_xla *xla, uint32_t region)
{
	return xla->region_parts.names[xla->regions[region].part].text;
}

void
tp_xla_region_path(const struct tp_xla *xla, uint32_t region,
    struct tp_buf *buf)
{
	if (xla->regions[region].parent) {
		tp_xla_region_path(xla, xla->regions[region].parent, buf);
		tp_buf_str(buf, "=>");
	}
	tp_buf_str(buf, tp_xla_region_name(xla, region));
}

int
tp_xla_region_order(struct tp_xla *xla, uint32_t a, uint32_t b)
{
	struct tp_buf *x = &xla->scratch, *y = &xla->other;

	if (a == b)
		return 0;
	tp_buf_clear(x);
	tp_buf_clear(y);
	tp_xla_region_path(xla, a, x);
	tp_xla_region_path(xla, b, y);
	return x->p && y->p ? strcmp(x->p, y->p) : 0;
}

uint32_t
tp_xla_region_cut(const struct tp_xla *xla, uint32_t region, uint32_t depth)
{
	while (xla->regions[region].depth > depth)
		region = xla->regions[region].parent;
	return region;
}
