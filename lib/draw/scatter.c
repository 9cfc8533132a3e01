/* scatter - operations in a roofline diagram */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/scale.h"
#include "draw/scatter.h"
#include "draw/words.h"

#define ROOF_NAMES 40	/* longest name, in bytes, that another is joined to */
/* Rates of a chip are between these. */
#define LEAST_RATE 1
#define MOST_RATE 1e17
/* Tolerance for a power of ten, for rounding of its logarithm. */
#define NEARLY 1e-9

struct reading {
	struct tp_scatter *scatter;
	const cJSON *picture, *spec;
	const struct tp_set *set;
	const char *src;
	struct tp_err *err;
};

/*
 * Read into *X the rate of REC whose key is the member KEY of SPEC.  Returns 1,
 * or 0 if there is none.
 */
static int
rate_of(const struct tp_rec *rec, const cJSON *spec, const char *key,
    double *x)
{
	const char *name = tp_json_text(spec, key);

	return name && tp_rec_real(rec, name, x) && *x >= LEAST_RATE &&
	    *x <= MOST_RATE;
}

/*
 * TEXT without "\n" and blanks inside brackets, which a pretty-printed shape
 * contains.
 */
static const char *
flatten(struct reading *r, const char *text)
{
	struct tp_buf b = { 0 };

	if (!text || !strstr(text, "\\n"))
		return text;
	for (; *text; text++) {
		if (!strncmp(text, "\\n", 2))
			text++;
		else if (*text != ' ' || (b.len && !strchr(" [",
		    b.p[b.len - 1])))
			tp_buf_chr(&b, *text);
		while (b.len > 1 && b.p[b.len - 1] == ']' && b.p[b.len - 2] ==
		    ' ')
			b.p[--b.len - 1] = ']';
	}
	tp_buf_str(&b, "");
	text = tp_arena_text(&r->scatter->arena, b.p, b.len);
	tp_buf_release(&b);
	return text;
}

static int
add_dot(struct reading *r, const struct tp_rec *rec, struct tp_dot *dot)
{
	struct tp_scatter *c = r->scatter;
	const char *same = tp_json_text(r->spec, "same"), *group;

	dot->spec = same ? tp_rec_text(rec, same) : NULL;
	dot->name = flatten(r, tp_words(&c->arena, r->spec, "name", r->set,
	    rec, r->err));
	dot->reached = dot->name ? tp_words(&c->arena, r->spec, "reached",
	    r->set, rec, r->err) : NULL;
	group = dot->reached ? tp_words(&c->arena, r->spec, "group", r->set,
	    rec, r->err) : NULL;
	if (!group || tp_groups_add(&c->groups, group, dot->size, &dot->group,
	    r->err) < 0)
		return -1;
	dot->order = c->count;
	TP_APPEND(c->dots, c->count, c->cap, *dot);
	return 0;
}

static int
read_dots(struct reading *r)
{
	struct tp_scatter *c = r->scatter;
	const struct tp_rec *rec;
	struct tp_dot dot;
	double bytes = 0;
	size_t at = 0;
	int is;

	while ((rec = tp_words_next(r->spec, r->set, &at))) {
		memset(&dot, 0, sizeof dot);
		if (!tp_rec_int(rec, c->key, &dot.size) || dot.size <= 0 ||
		    dot.size > TP_SCALE_FAR)
			continue;
		is = rate_of(rec, r->spec, "flops", &dot.rate) &&
		    rate_of(rec, r->spec, "bytes", &bytes);
		if (is && !r->src) {
			r->src = rec->src;
			/*
			 * earlier records may belong to other traces: restart
			 * with this one
			 */
			at = c->uncosted = 0;
			c->all = 0;
			continue;
		}
		if (r->src && strcmp(r->src, rec->src) != 0) {
			if (is)
				tp_names_add(&c->others, rec->src,
				    strlen(rec->src));
			continue;
		}
		tp_scale_sum(&c->all, dot.size);
		c->uncosted += !is;
		if (!is)
			continue;
		dot.x = log10(dot.rate) - log10(bytes);
		dot.y = log10(dot.rate);
		if (add_dot(r, rec, &dot) < 0)
			return -1;
	}
	return c->count > 0;
}

TP_ORDER(by_size, struct tp_dot, TP_DOWN(size) TP_UP(order))

/* Whether a dot is compared with SPEC; if no dot says, all are. */
static int
is_used(const struct tp_names *specs, const char *spec)
{
	return !specs->count || (spec && tp_names_find(specs, spec,
	    strlen(spec)) >= 0);
}

/* Add a roof of RATE, or add NAME to the roof of that rate. */
static void
add_roof(struct reading *r, const char *name, double rate)
{
	struct tp_scatter *c = r->scatter;
	struct tp_buf both = { 0 };
	size_t at = 0;

	while (at < c->roof_count && c->roofs[at].rate > rate)
		at++;
	if (at < c->roof_count && !(c->roofs[at].rate < rate)) {
		if (strlen(c->roofs[at].name) > ROOF_NAMES ||
		    strstr(c->roofs[at].name, name))
			return;
		tp_buf_fmt(&both, "%s, %s", c->roofs[at].name, name);
		name = tp_arena_text(&c->arena, both.p, both.len);
		tp_buf_release(&both);
		c->roofs[at].name = name;
		return;
	}
	if (c->roof_count == TP_SCATTER_ROOFS)
		return;
	memmove(&c->roofs[at + 1], &c->roofs[at], (c->roof_count++ - at) *
	    sizeof *c->roofs);
	c->roofs[at] = (struct tp_roof){ .name = name, .rate = rate,
	    .y = log10(rate) };
}

static int
add_roofs(struct reading *r, const struct tp_names *specs)
{
	struct tp_scatter *c = r->scatter;
	const cJSON *spec = tp_json_get(r->picture, "roofs");
	const char *same = tp_json_text(spec, "same"), *name, *said;
	const struct tp_rec *rec;
	double rate, bytes;
	size_t at = 0;

	while ((rec = tp_words_next(spec, r->set, &at))) {
		if (strcmp(rec->src, r->src) != 0 ||
		    !rate_of(rec, spec, "flops", &rate) ||
		    !rate_of(rec, spec, "bytes", &bytes) ||
		    !is_used(specs, same ? tp_rec_text(rec, same) : NULL))
			continue;
		name = tp_words(&c->arena, spec, "name", r->set, rec, r->err);
		said = name ? tp_json_text(tp_json_get(spec, "names"), name) :
		    NULL;
		if (!name)
			return -1;
		add_roof(r, said ? said : name, rate);
		c->memory_rate = bytes;
		c->memory = log10(bytes);
	}
	return 0;
}

static int
read_roofs(struct reading *r)
{
	const struct tp_scatter *c = r->scatter;
	struct tp_names specs = { 0 };	/* that dots are compared with */
	int rc;

	for (size_t i = 0; i < c->count; i++)
		if (c->dots[i].spec)
			tp_names_add(&specs, c->dots[i].spec,
			    strlen(c->dots[i].spec));
	rc = add_roofs(r, &specs);
	tp_names_release(&specs);
	return rc;
}

static void
include(int *from, int *to, double log)
{
	int low = (int)floor(log + NEARLY), high = (int)ceil(log - NEARLY);

	*from = low < *from ? low : *from;
	*to = high > *to ? high : *to;
}

/* Set the axes to contain all dots and roofs, at least two decades long. */
static void
set_axes(struct tp_scatter *c)
{
	c->left = c->bottom = 99;
	c->right = c->top = -99;
	for (size_t i = 0; i < c->drawn; i++) {
		include(&c->left, &c->right, c->dots[i].x);
		include(&c->bottom, &c->top, c->dots[i].y);
	}
	for (size_t i = 0; i < c->roof_count; i++) {
		include(&c->left, &c->right, c->roofs[i].y - c->memory);
		include(&c->bottom, &c->top, c->roofs[i].y);
	}
	TP_MOST(c->bottom, c->top - TP_SCATTER_DECADES);
	for (size_t i = 0; i < c->drawn; i++)
		c->slow += c->dots[i].y < c->bottom;
	TP_MOST(c->right, c->left + 2);
	TP_LEAST(c->bottom, c->top - 2);
}

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no dots, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_scatter *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	struct reading r = { .scatter = c, .picture = picture, .set = set,
	    .err = err };
	double least = 0;
	int rc;

	memset(c, 0, sizeof *c);
	r.spec = tp_words_first(tp_json_get(picture, "from"), set);
	if (!r.spec)
		return 0;
	c->key = tp_json_text(r.spec, "key");
	if (!c->key)
		return tp_fail(err, TP_BAD, "picture.damaged", 0,
		    "dots have no key");
	rc = read_dots(&r);
	if (rc <= 0)
		return rc;
	TP_SORT(c->dots, c->count, by_size);
	tp_groups_rank(&c->groups);
	c->drawn = c->count < TP_SCATTER_DOTS ? c->count : TP_SCATTER_DOTS;
	c->named = c->count < TP_SCATTER_NAMED ? c->count : TP_SCATTER_NAMED;
	for (size_t i = 0; i < c->drawn; i++) {
		tp_scale_sum(&c->drawn_size, c->dots[i].size);
		tp_groups_use(&c->groups, c->dots[i].group);
	}
	/* no picture if the dots cover only a small share of the time */
	tp_json_number(picture, "least-share", &least);
	if ((double)c->drawn_size < (double)c->all * least)
		return 0;
	if (read_roofs(&r) < 0)
		return -1;
	if (!c->roof_count)
		c->no_roof = tp_json_text(picture, "no-roof");
	set_axes(c);
	return 1;
}

static void
release_scatter(struct tp_scatter *c)
{
	tp_free(c->dots);
	tp_groups_release(&c->groups);
	tp_names_release(&c->others);
	tp_arena_release(&c->arena);
}

int
tp_scatter_place(double log, int from, int to, int size)
{
	double at = (log - from) / (to - from) * size;

	return at < 0 ? 0 : at > size ? size : (int)lround(at);
}

void
tp_scatter_size(const struct tp_scatter *c, int64_t size, struct tp_buf *b)
{
	tp_scale_number(b, c->key, size);
}

void
tp_scatter_rate(double rate, struct tp_buf *b)
{
	tp_scale_real(b, "x_flops_per_s", rate);
}

void
tp_scatter_bandwidth(const struct tp_scatter *c, struct tp_buf *b)
{
	tp_scale_real(b, "x_bytes_per_s", c->memory_rate);
}

void
tp_scatter_power(int p, int unit, struct tp_buf *b)
{
	static const char *const units[] = { "FLOP/s", "kFLOP/s", "MFLOP/s",
	    "GFLOP/s", "TFLOP/s" };
	int thousands = p < 3 ? 0 : p / 3 > 4 ? 4 : p / 3;
	int64_t n = 1;

	if (unit)
		p -= thousands * 3;
	if (p < -6 || p > 9) {
		tp_buf_fmt(b, "1e%d", p);
	} else if (p < 0) {
		tp_buf_str(b, "0.");
		while (++p < 0)
			tp_buf_chr(b, '0');
		tp_buf_chr(b, '1');
	} else {
		while (p--)
			n *= 10;
		tp_unit_group(b, n);
	}
	if (unit)
		tp_buf_fmt(b, " %s", units[thousands]);
}

void
tp_scatter_share(const struct tp_scatter *c, struct tp_buf *b)
{
	tp_buf_str(b, "They took ");
	tp_unit_percent(b, (double)c->drawn_size / (double)c->all);
	tp_buf_str(b, " of the time of all operations.");
}

void
tp_scatter_rest(const struct tp_scatter *c, struct tp_buf *b)
{
	size_t small = c->count - c->drawn;

	if (c->slow)
		tp_buf_fmt(b, "On the lower edge: %zu slower one%s. ",
		    c->slow, c->slow == 1 ? "" : "s");
	if (c->drawn_size < c->all) {
		tp_buf_str(b, "Not drawn: ");
		tp_scatter_size(c, c->all - c->drawn_size, b);
		tp_buf_str(b, " (");
		tp_unit_percent(b, (double)(c->all - c->drawn_size) /
		    (double)c->all);
		tp_buf_str(b, " of the time), ");
		if (c->uncosted)
			tp_buf_fmt(b, "%zu without FLOPs or bytes%s",
			    c->uncosted, small ? ", " : "");
		if (small)
			tp_buf_fmt(b, "%zu that take less", small);
		tp_buf_str(b, ". ");
	}
	if (c->others.count)
		tp_buf_fmt(b, "%zu more trace%s not drawn. ", c->others.count,
		    c->others.count == 1 ? " is" : "s are");
	if (b->len)
		b->len--;
}

/* Describe the largest dots for readers who cannot see the picture. */
static void
say(const struct tp_scatter *c, struct tp_buf *b)
{
	for (size_t i = 0; i < 3 && i < c->named; i++) {
		tp_buf_fmt(b, "%s%s ", i ? "; " : "", c->dots[i].name);
		tp_scatter_size(c, c->dots[i].size, b);
		tp_buf_str(b, " at ");
		tp_scatter_rate(c->dots[i].rate, b);
		if (*c->dots[i].reached)
			tp_buf_fmt(b, ", %s", c->dots[i].reached);
	}
	tp_buf_str(b, ". All that are drawn took ");
	tp_unit_percent(b, (double)c->drawn_size / (double)c->all);
	tp_buf_str(b, " of the time.");
	if (c->roof_count) {
		tp_buf_fmt(b, " Roofs: %s ", c->roofs[0].name);
		tp_scatter_rate(c->roofs[0].rate, b);
		tp_buf_str(b, ", memory ");
		tp_scatter_bandwidth(c, b);
		tp_buf_chr(b, '.');
	}
}

TP_DRAW(scatter, say(&c, &d->text))
