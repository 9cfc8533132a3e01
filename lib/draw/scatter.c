/*
 * scatter - operations in a roofline diagram
 *
 * x: floating-point operations per byte; y: floating-point operations per
 * second reached; both logarithmic.  The largest operations of one trace are
 * drawn; the very largest get a number.
 *
 * Memory: 72 bytes per record, and names.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/groups.h"
#include "draw/picture.h"
#include "draw/scale.h"

/*
 * DECADES: below the highest roof, at most.  HEIGHT: of the plot, as LINES of a
 * text.  PHONE: the width of the plot on a phone.  DOT, SMALL: radius of the
 * largest and smallest dots, in tenths of a pixel.
 */
enum { DOTS = 40, NAMED = 8, ROOFS = 6, DECADES = 6, HEIGHT = 320, LINES = 16,
	PHONE = 290, DOT = 110, SMALL = 25, TICKS = 6 };

#define WIDE 0.37	/* most width of the name of the memory */
#define LABEL 0.045	/* height of a label, as a part of the plot */
#define EDGE 0.03	/* room for the dots at the edges */
#define ROOM 0.94	/* the part below the names of roofs */
#define ROOF_NAMES 40	/* longest name, in bytes, that another is joined to */
/* Rates of a chip are between these. */
#define LEAST_RATE 1
#define MOST_RATE 1e17
/* Tolerance for a power of ten, for rounding of its logarithm. */
#define NEARLY 1e-9

struct dot {
	const char *name;
	const char *reached;	/* share of its roof; may be "" */
	const char *spec;	/* its roof; or NULL */
	size_t group, order;
	int64_t size;
	double rate;		/* the value of y */
	double x, y;		/* logarithms */
};

struct roof {
	const char *name;
	double rate, y;		/* y: logarithm of rate */
	double label;		/* where its name is */
};

struct scatter {
	const char *key;	/* key of the size, gives the unit */
	const char *src;	/* the trace */
	struct tp_groups groups;
	struct dot *dots;	/* largest first */
	size_t count, cap, drawn, named;
	size_t uncosted;
	size_t others;		/* traces not drawn */
	size_t slow;		/* drawn on the lower edge, being below it */
	int64_t all, drawn_size;
	struct roof roofs[ROOFS];	/* highest first */
	size_t roof_count;
	double label_x, label_y;	/* of the memory's name */
	double memory_rate, memory;	/* memory bandwidth, and its
					 * logarithm */
	const char *no_roof;	/* text when there is no roof; or NULL */
	int left, right, bottom, top;	/* the axes: powers of ten */
};

/*
 * Read into *X the rate of the record whose key is the member KEY of the spec.
 * With "calls" that key is the work of a call, and the rate is that of all
 * calls over the time of all.  Returns 1, or 0 if there is none.
 */
static int
rate_of(const struct tp_words *w, const char *key, double *x)
{
	const char *name = tp_json_text(w->spec, key);
	const char *calls = tp_json_text(w->spec, "calls");
	double count, ns;

	if (!name || !tp_rec_real(w->rec, name, x))
		return 0;
	if (calls && tp_rec_real(w->rec, calls, &count) && tp_rec_real(w->rec,
	    tp_json_text(w->spec, "key"), &ns) && ns > 0)
		*x *= count * 1e9 / ns;
	return *x >= LEAST_RATE && *x <= MOST_RATE;
}

/* The text of the record's field that member KEY of the spec names, or NULL. */
static const char *
text_of(const struct tp_words *w, const char *key)
{
	const char *name = tp_json_text(w->spec, key);

	return name ? tp_rec_text(w->rec, name) : NULL;
}

/*
 * TEXT without "\n" and blanks inside brackets, which a pretty-printed shape
 * contains.
 */
static const char *
flatten(struct tp_words *w, const char *text)
{
	struct tp_buf b = { 0 };

	if (!strstr(text, "\\n"))
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
	text = tp_words_keep(w, &b);
	tp_buf_release(&b);
	return text;
}

static void
add_dot(struct scatter *c, struct tp_words *w, int64_t size, double rate,
    double bytes)
{
	struct dot dot = { .size = size, .rate = rate, .order = c->count,
	    .x = log10(rate) - log10(bytes), .y = log10(rate),
	    .spec = text_of(w, "same") };

	dot.name = flatten(w, tp_words(w, "name"));
	dot.reached = tp_words(w, "reached");
	dot.group = tp_groups_add(&c->groups, w, tp_words(w, "group"), size);
	TP_APPEND(c->dots, c->count, c->cap, dot);
}

static void
read_dots(struct scatter *c, struct tp_words *w)
{
	const char *src = NULL;
	double rate, bytes;
	int64_t size;
	int is;

	while (tp_words_next(w)) {
		size = tp_words_amount(w, "key");
		if (size <= 0)
			continue;
		is = rate_of(w, "flops", &rate) && rate_of(w, "bytes", &bytes);
		if (is && !src) {
			/*
			 * earlier records may belong to other traces: restart
			 * with this one
			 */
			src = w->rec->src;
			tp_words_begin(w, w->spec);
			c->uncosted = 0;
			c->all = 0;
			continue;
		}
		if (is)
			tp_words_panel(w);
		if (src && strcmp(src, w->rec->src) != 0)
			continue;
		tp_scale_sum(&c->all, size);
		if (is)
			add_dot(c, w, size, rate, bytes);
		else
			c->uncosted++;
	}
	c->src = src;
	c->others = tp_words_left(&w->traces, 1);
}

TP_ORDER(by_size, struct dot, TP_DOWN(size) TP_UP(order))

/* Whether a dot is compared with SPEC; if no dot says, all are. */
static int
is_used(const struct tp_names *specs, const char *spec)
{
	return !specs->count || (spec && tp_names_find(specs, spec,
	    strlen(spec)) >= 0);
}

/* Add a roof of RATE, or add NAME to the roof of that rate. */
static void
add_roof(struct scatter *c, struct tp_words *w, const char *name, double rate)
{
	struct tp_buf both = { 0 };
	size_t at = 0;

	while (at < c->roof_count && c->roofs[at].rate > rate)
		at++;
	if (at < c->roof_count && !(c->roofs[at].rate < rate)) {
		if (strlen(c->roofs[at].name) > ROOF_NAMES ||
		    strstr(c->roofs[at].name, name))
			return;
		tp_buf_fmt(&both, "%s, %s", c->roofs[at].name, name);
		c->roofs[at].name = tp_words_keep(w, &both);
		tp_buf_release(&both);
		return;
	}
	if (c->roof_count == ROOFS)
		return;
	memmove(&c->roofs[at + 1], &c->roofs[at], (c->roof_count++ - at) *
	    sizeof *c->roofs);
	c->roofs[at] = (struct roof){ .name = name, .rate = rate,
	    .y = log10(rate) };
}

static void
read_roofs(struct scatter *c, struct tp_words *w)
{
	struct tp_names specs = { 0 };	/* that dots are compared with */
	const char *name, *said;
	double rate, bytes;

	for (size_t i = 0; i < c->count; i++)
		if (c->dots[i].spec)
			tp_names_add(&specs, c->dots[i].spec,
			    strlen(c->dots[i].spec));
	tp_words_begin(w, tp_json_get(w->picture, "roofs"));
	while (tp_words_next(w)) {
		if (strcmp(w->rec->src, c->src) != 0 || !rate_of(w, "flops",
		    &rate) || !rate_of(w, "bytes", &bytes) ||
		    !is_used(&specs, text_of(w, "same")))
			continue;
		name = tp_words(w, "name");
		said = tp_json_text(tp_json_get(w->spec, "names"), name);
		add_roof(c, w, said ? said : name, rate);
		c->memory_rate = bytes;
		c->memory = log10(bytes);
	}
	tp_names_release(&specs);
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
set_axes(struct scatter *c)
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
	TP_MOST(c->bottom, c->top - DECADES);
	for (size_t i = 0; i < c->drawn; i++)
		c->slow += c->dots[i].y < c->bottom;
	TP_MOST(c->right, c->left + 2);
	TP_LEAST(c->bottom, c->top - 2);
}

static int
read_scatter(void *picture, struct tp_words *w)
{
	struct scatter *c = picture;
	double least = 0;

	if (!tp_words_first(w, "from"))
		return 0;
	c->key = tp_json_text(w->spec, "key");
	if (!c->key)
		return tp_words_fail(w, "dots have no key");
	read_dots(c, w);
	if (!c->count)
		return 0;
	TP_SORT(c->dots, c->count, by_size);
	tp_groups_rank(&c->groups);
	c->drawn = c->count < DOTS ? c->count : DOTS;
	c->named = c->count < NAMED ? c->count : NAMED;
	for (size_t i = 0; i < c->drawn; i++) {
		tp_scale_sum(&c->drawn_size, c->dots[i].size);
		tp_groups_use(&c->groups, c->dots[i].group);
	}
	/* no picture if the dots cover only a small share of the time */
	tp_json_number(w->picture, "least-share", &least);
	if ((double)c->drawn_size < (double)c->all * least)
		return 0;
	read_roofs(c, w);
	if (!c->roof_count)
		c->no_roof = tp_json_text(w->picture, "no-roof");
	set_axes(c);
	return 1;
}

static void
release(void *picture)
{
	struct scatter *c = picture;

	tp_free(c->dots);
	tp_groups_release(&c->groups);
}

/* "33.1 us": the size of a dot. */
static void
put_size(const struct scatter *c, int64_t size, struct tp_buf *b)
{
	tp_scale_number(b, c->key, size);
}

/* "11.7 TFLOP/s". */
static void
put_rate(double rate, struct tp_buf *b)
{
	tp_scale_real(b, "x_flops_per_s", rate);
}

/* "3.05 TiB/s". */
static void
put_bandwidth(const struct scatter *c, struct tp_buf *b)
{
	tp_scale_real(b, "x_bytes_per_s", c->memory_rate);
}

/* 10^P: "1,000", with UNIT "1 GFLOP/s". */
static void
put_power(int p, int unit, struct tp_buf *b)
{
	static const char *const units[] = { "FLOP/s", "kFLOP/s", "MFLOP/s",
	    "GFLOP/s", "TFLOP/s", "PFLOP/s" };
	int thousands = p < 3 ? 0 : p / 3 > 5 ? 5 : p / 3;
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

/* "They took 30.0 % of the time of all operations." */
static void
put_share(const struct scatter *c, struct tp_buf *b)
{
	tp_buf_str(b, "They took ");
	tp_unit_percent(b, (double)c->drawn_size / (double)c->all);
	tp_buf_str(b, " of the time of all operations.");
}

/* What is not drawn, as sentences; nothing when all is drawn. */
static void
put_rest(const struct scatter *c, struct tp_buf *b)
{
	size_t small = c->count - c->drawn;

	if (c->slow)
		tp_buf_fmt(b, "On the lower edge: %zu slower one%s. ",
		    c->slow, c->slow == 1 ? "" : "s");
	if (c->drawn_size < c->all) {
		tp_buf_str(b, "Not drawn: ");
		put_size(c, c->all - c->drawn_size, b);
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
	if (c->others)
		tp_buf_fmt(b, "%zu more trace%s not drawn. ", c->others,
		    c->others == 1 ? " is" : "s are");
	if (b->len)
		b->len--;
}

/* Where LOG is between the powers of ten FROM and TO, 0 to 1. */
static double
place(double log, int from, int to)
{
	return fmin(fmax((log - from) / (to - from), 0), 1);
}

static double
at_x(const struct scatter *c, double log)
{
	return EDGE + (1 - 2 * EDGE) * place(log, c->left, c->right);
}

static double
at_y(const struct scatter *c, double log)
{
	return EDGE + (ROOM - EDGE) * place(log, c->bottom, c->top);
}

static void
show_axes(const struct scatter *c, struct tp_scene *s)
{
	int step = (c->top - c->bottom + 2 * TICKS - 1) / (2 * TICKS);
	double at;

	for (int d = c->bottom; d <= c->top; d += step) {
		at = at_y(c, d);
		tp_scene_line(s, 0, at, 1, at)->percent = 15;
		put_power(d, 1, &s->text);
		tp_scene_text(s, -1, at, 1, tp_scene_keep(s));
	}
	for (int d = c->left; d <= c->right; d++) {
		at = at_x(c, d);
		tp_scene_line(s, at, 0, at, 1)->percent = 15;
	}
}

/* A line of a roof; in text, SIGN. */
static void
show_roof(const struct scatter *c, double x, double y, double to,
    double end, enum tp_sign sign, struct tp_scene *s)
{
	struct tp_mark *m = tp_scene_line(s, at_x(c, x), at_y(c, y), at_x(c,
	    to), at_y(c, end));

	m->percent = 80;
	m->sign = sign;
}

static void
show_roofs(struct scatter *c, struct tp_scene *s)
{
	double low = fmax(c->bottom - c->memory, c->left), ridge, y = 2;

	if (!c->roof_count)
		return;
	ridge = c->roofs[0].y - c->memory;
	show_roof(c, low, low + c->memory, ridge, c->roofs[0].y,
	    TP_SIGN_SLOPE, s);
	for (size_t i = 0; i < c->roof_count; i++) {
		struct roof *roof = &c->roofs[i];

		show_roof(c, roof->y - c->memory, roof->y, c->right, roof->y,
		    TP_SIGN_THIN, s);
		put_rate(roof->rate, &s->text);
		tp_buf_fmt(&s->text, " %s", roof->name);
		roof->label = y = fmin(at_y(c, roof->y) + LABEL / 2, y -
		    LABEL);
		tp_scene_text(s, 1, y, 1, tp_scene_keep(s))->sign =
		    TP_SIGN_NONE;
	}
	/* the space above a roof is free: no dot can be there */
	tp_buf_str(&s->text, "memory ");
	put_bandwidth(c, &s->text);
	low = (low + ridge) / 2;
	y = at_y(c, low + c->memory);
	if (at_x(c, ridge) < 0.4) {
		c->label_x = at_x(c, low) + 0.02;
		c->label_y = y - LABEL;
	} else {
		c->label_x = fmax(at_x(c, low) - WIDE, 0);
		c->label_y = y + LABEL;
	}
	tp_scene_text(s, c->label_x, c->label_y, -1, tp_scene_keep(s))->
	    sign = TP_SIGN_NONE;
}

static void
show_dot(const struct scatter *c, const struct dot *dot,
    struct tp_scene *s)
{
	struct tp_mark *m;
	double r = DOT * sqrt((double)dot->size / (double)c->dots[0].size);

	tp_buf_fmt(&s->text, "%s (%s): ", dot->name, tp_groups_name(&c->groups,
	    dot->group));
	put_size(c, dot->size, &s->text);
	tp_buf_str(&s->text, ", ");
	put_rate(dot->rate, &s->text);
	if (*dot->reached)
		tp_buf_fmt(&s->text, ", %s", dot->reached);
	m = tp_scene_mark(s, at_x(c, dot->x), at_x(c, dot->x));
	m->shape = TP_SHAPE_POINT;
	m->sign = TP_SIGN_RING;
	if (!s->form)
		m->sign = TP_SIGN_DOT;
	m->low = m->high = at_y(c, dot->y);
	m->size = r < SMALL ? SMALL : (int)lround(r);
	m->colour = tp_groups_colour(&c->groups, tp_groups_place(&c->groups,
	    dot->group));
	m->percent = 80;
	m->title = tp_scene_keep(s);
}

/* Whether the name of a roof, or of the memory, is at (X, Y). */
static int
is_named(const struct scatter *c, double x, double y)
{
	for (size_t i = 0; i < c->roof_count; i++)
		if (x > 0.4 && fabs(c->roofs[i].label - y) < LABEL * 0.9)
			return 1;
	return c->roof_count && fabs(c->label_y - y) < LABEL && x >
	    c->label_x - 0.03 && x < c->label_x + WIDE;
}

/* Write the numbers of the largest dots, on them or where none is yet. */
static void
show_numbers(const struct scatter *c, struct tp_scene *s)
{
	static const signed char around[][2] = { { 0, 0 }, { 1, 0 }, { -1, 0 },
	    { 0, 1 }, { 0, -1 }, { 1, 1 }, { -1, -1 }, { 1, -1 }, { -1, 1 } };
	double taken[NAMED][2], x = 0, y = 0;
	size_t count = 0, k, n;

	for (size_t i = 0; i < c->named; i++) {
		char digit[] = { (char)('1' + i), '\0' };

		for (n = k = 0; n < sizeof around / sizeof *around; n++) {
			x = at_x(c, c->dots[i].x) + around[n][0] * 9.0 / PHONE;
			y = at_y(c, c->dots[i].y) + around[n][1] * LABEL;
			for (k = 0; k < count; k++)
				if (fabs(taken[k][0] - x) < 8.0 / PHONE &&
				    fabs(taken[k][1] - y) < LABEL * 0.9)
					break;
			if (k == count && x >= 0 && x <= 1 && y >= 0 && y <=
			    1 && !is_named(c, x, y))
				break;
		}
		if (n == sizeof around / sizeof *around)
			continue;
		taken[count][0] = x;
		taken[count++][1] = y;
		tp_scene_text(s, x, y, 0, tp_arena_text(&s->arena, digit, 1));
	}
}

static void
show_list(const struct scatter *c, struct tp_scene *s)
{
	struct tp_scene_row *row;
	struct tp_mark *m;

	for (size_t i = 0; i < c->named; i++) {
		const struct dot *dot = &c->dots[i];

		tp_buf_fmt(&s->text, "%zu %s", i + 1, dot->name);
		row = tp_scene_row(s, TP_ROW, tp_scene_keep(s));
		row->values[0] = tp_scene_number(s, c->key, dot->size);
		put_rate(dot->rate, &s->text);
		row->values[1] = s->form || !*dot->reached ?
		    tp_scene_keep(s) : dot->reached;
		tp_buf_clear(&s->text);
		row->note = dot->reached;
		if (s->form)
			continue;
		row->is_key = 1;
		m = tp_scene_mark(s, 0, 0);
		m->colour = tp_groups_colour(&c->groups, tp_groups_place(
		    &c->groups, dot->group));
		m->percent = 80;
	}
	if (s->form && c->drawn > c->named)
		tp_buf_fmt(&s->text, "%s: %zu that take less", s->form ==
		    TP_DRAW_ASCII ? "o" : "\xe2\x97\x8b", c->drawn -
		    c->named);
	tp_scene_words(s);
}

static void
fill(void *picture, struct tp_scene *s)
{
	struct scatter *c = picture;
	struct tp_scene_row *row;

	s->left = 0.21;
	if (!s->form)
		tp_buf_str(&s->text, "Each dot is an operation; its area "
		    "is its time. ");
	put_share(c, &s->text);
	tp_scene_words(s);
	row = tp_scene_row(s, TP_ROW, NULL);
	row->height = HEIGHT;
	row->lines = LINES;
	show_axes(c, s);
	show_roofs(c, s);
	for (size_t i = c->drawn; i-- > 0;)
		show_dot(c, &c->dots[i], s);
	show_numbers(c, s);
	tp_scene_row(s, TP_AXIS, "FLOP/byte");
	for (int d = c->left; d <= c->right; d++) {
		put_power(d, 0, &s->text);
		tp_scene_text(s, at_x(c, d), 0, 0, tp_scene_keep(s));
	}
	for (size_t i = 0; s->form && i < c->roof_count; i++) {
		if (!i) {
			tp_buf_str(&s->text, "/ memory ");
			put_bandwidth(c, &s->text);
		}
		tp_buf_fmt(&s->text, "; - %s ", c->roofs[i].name);
		put_rate(c->roofs[i].rate, &s->text);
	}
	tp_scene_words(s);
	tp_groups_keys(&c->groups, s, 80);
	show_list(c, s);
	if (c->no_roof)
		tp_buf_str(&s->text, c->no_roof);
	tp_scene_words(s);
	put_rest(c, &s->text);
	tp_scene_words(s);
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct scatter *c = picture;

	if (b->len)
		return;
	for (size_t i = 0; i < 3 && i < c->named; i++) {
		tp_buf_fmt(b, "%s%s ", i ? "; " : "", c->dots[i].name);
		put_size(c, c->dots[i].size, b);
		tp_buf_str(b, " at ");
		put_rate(c->dots[i].rate, b);
		if (*c->dots[i].reached)
			tp_buf_fmt(b, ", %s", c->dots[i].reached);
	}
	tp_buf_str(b, ". All that are drawn took ");
	tp_unit_percent(b, (double)c->drawn_size / (double)c->all);
	tp_buf_str(b, " of the time.");
	if (c->roof_count) {
		tp_buf_fmt(b, " Roofs: %s ", c->roofs[0].name);
		put_rate(c->roofs[0].rate, b);
		tp_buf_str(b, ", memory ");
		put_bandwidth(c, b);
		tp_buf_chr(b, '.');
	}
}

const struct tp_picture_type tp_scatter = { .name = "scatter",
    .size = sizeof(struct scatter), .read = read_scatter, .say = say,
    .fill = fill, .release = release };
