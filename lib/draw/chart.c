/*
 * chart - events over time: lanes, steps, gaps, levels
 *
 * All times share one axis.  Lanes are coloured by
 * the kind of their work.  They may be grouped in panels, one run above the
 * other; a lane that both runs have is at the same position in both.
 *
 * Memory: 32 bytes per record of a lane or a level.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "draw/groups.h"
#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/words.h"

#define TP_CHART_ROWS 24	/* most lanes drawn */
#define TP_CHART_FOLD 4		/* more foldable lanes are merged */
#define TP_CHART_PANELS 2	/* which share the rows */
#define TP_CHART_GAPS 5		/* most gaps named */
#define TP_CHART_LEVELS 6
#define TP_CHART_KINDS (TP_GROUPS + 1)	/* the last: any other */

struct tp_chart_run {		/* a stretch of a lane */
	int64_t from, to, busy;
	size_t kind;			/* place in the chart's kinds */
};

struct tp_chart_row {
	const char *name;		/* NULL: no such lane */
	const char *fold;		/* name of the merged lanes; or "" */
	size_t panel;
	struct tp_chart_run *runs;	/* in order of time */
	size_t count, cap;
	int64_t busy;
};

struct tp_chart_panel {
	const char *name;
	int64_t from, to;
};

struct tp_chart_band {		/* a step */
	int64_t from, to;
	const char *name;
	int hatched;			/* excluded from figures: warm-up */
};

struct tp_chart_gap {		/* one of the longest, in time order */
	int64_t from, to;
	int64_t number;			/* its rank among all */
	const char *name;		/* its cause; may be "" */
};

enum { TP_CHART_SIDES = 4 };
struct tp_chart_path {		/* the critical path, in a thin lane */
	const char *name;
	const char *sides[TP_CHART_SIDES];	/* what it may be in; the last
						 * is not drawn */
	const char *colours[TP_CHART_SIDES];	/* NULL: of the text */
	struct tp_chart_run *runs;	/* in order of time; kind: of sides */
	size_t count, cap;
};

struct tp_chart_level {
	const char *name;
	struct tp_chart_part {
		int64_t from, to, min, max;
	} *parts;			/* in order of time */
	size_t count, cap;
	int64_t peak, peak_at;
};

struct tp_chart {
	struct tp_arena arena;
	int64_t from, to;		/* the axis */
	int64_t whole;			/* length before it was cut to */
	const char *window;		/* this window, in words; or NULL */
	struct tp_chart_row rows[TP_CHART_ROWS];
	size_t row_count, rows_left;	/* drawn; and not drawn */
	size_t idle_rows;		/* lanes left out because */
	int64_t least_busy;		/* they are busy for less than this */
	const char *shared;		/* prefix common to all names: "all: GPU
					 * 0"; or "" */
	struct tp_names names;		/* of all lanes; rows come first */
	struct tp_groups kinds;
	char letters[TP_CHART_KINDS][2];	/* of kinds, in text; "": only
						 * one is drawn */
	int has_kinds;			/* the picture says which */
	struct tp_chart_path path;
	struct tp_chart_panel panels[TP_CHART_PANELS];
	size_t panel_count;		/* 0: no panels */
	struct tp_chart_band *bands;
	size_t band_count, band_cap;
	const char *band_word;		/* before their names: "step " */
	const char *band_label;		/* label of their own row; NULL: they
					 * span the lanes */
	struct tp_chart_gap gaps[TP_CHART_GAPS];
	size_t gap_count;
	const char *gaps_of;		/* "of 2 s idle in 10 gaps"; or "" */
	struct tp_chart_level levels[TP_CHART_LEVELS];
	size_t level_count;
	struct tp_names panels_left, levels_left;	/* not drawn */
};

/* How busy a lane was in a part of the axis, 0 to 1: in all, and by kind. */
struct tp_chart_cell {
	double share, of[TP_CHART_KINDS];
};

/* What all functions that read records share. */
struct reading {
	struct tp_chart *chart;
	const cJSON *picture, *spec;
	const struct tp_set *set;
	const struct tp_rec *rec;
	struct tp_err *err;
	int many;		/* several traces: names begin with src */
};

/* Larger times are not from a trace; smaller ones cannot overflow a sum. */
#define FAR (INT64_MAX / 4)

enum {
	IDLE_PART = 200,	/* lanes busy below 1/N of the busiest are
				 * omitted */
	NAMED = 3,
	WINDOW_FIFTHS = 3,	/* a window below N/5 of the axis becomes the
				 * axis */
	NARROW_PART = 2000,	/* gaps below 1/N of the axis are not named */
};

static int
has_span(const struct tp_rec *rec, int64_t *from, int64_t *to)
{
	int64_t length;

	if (!tp_rec_int(rec, "start_ns", from))
		return 0;
	if (!tp_rec_int(rec, "end_ns", to)) {
		if (!tp_rec_int(rec, "duration_ns", &length) ||
		    length > FAR || length < 0 || *from > FAR)
			return 0;
		*to = *from + length;
	}
	return *from >= -FAR && *to <= FAR && *to >= *from;
}

static void
widen(int64_t *least, int64_t *most, int64_t from, int64_t to)
{
	TP_LEAST(*least, from);
	TP_MOST(*most, to);
}

/*
 * The record's name without the text "drop"; "" if it is not shown, NULL with
 * ERR.
 */
static const char *
name_of(const struct reading *r)
{
	struct tp_chart *c = r->chart;
	const char *name = tp_words(&c->arena, r->spec, "name", r->set,
	    r->rec, r->err), *drop = tp_json_text(r->spec, "drop"), *at, *label;
	struct tp_buf whole = { 0 };

	at = name && drop ? strstr(name, drop) : NULL;
	if (!name || !*name || (!r->many && !at))
		return name;
	if (r->many) {
		tp_show_text(&whole, r->rec->src, strlen(r->rec->src));
		tp_buf_str(&whole, ": ");
	}
	if (at)
		tp_buf_add(&whole, name, (size_t)(at - name));
	tp_buf_str(&whole, at ? at + strlen(drop) : name);
	label = tp_arena_text(&c->arena, whole.p, whole.len);
	tp_buf_release(&whole);
	return label;
}

/*
 * Returns whether A and B are of one lane or level: they differ in times,
 * sizes and counts only.
 */
static int
is_same(const struct tp_rec *a, const struct tp_rec *b)
{
	const char *key, *unit;

	if (!a || a->count != b->count)
		return 0;
	for (size_t i = 0; i < a->count; i++) {
		key = a->fields[i].key;
		if (strcmp(key, b->fields[i].key) != 0)
			return 0;
		unit = strrchr(key, '_');
		if ((unit && (!strcmp(unit, "_ns") || !strcmp(unit,
		    "_bytes"))) || !strcmp(key, "count"))
			continue;
		if (strcmp(a->fields[i].text, b->fields[i].text) != 0)
			return 0;
	}
	return 1;
}

static int
by_start(const void *a, const void *b)
{
	/* all element types begin with from and to */
	const int64_t *x = a, *y = b;
	size_t i = x[0] == y[0];

	return (x[i] > y[i]) - (x[i] < y[i]);
}

/* The number of rows each panel has room for. */
static size_t
room(const struct reading *r)
{
	return tp_json_get(r->picture, "panel") ? TP_CHART_ROWS /
	    TP_CHART_PANELS : TP_CHART_ROWS;
}

/*
 * The number of the record's panel, TP_CHART_PANELS if there are too many, or
 * -1 with ERR.
 */
static int
find_panel(struct reading *r)
{
	struct tp_chart *c = r->chart;
	struct tp_chart_panel *p = c->panels;
	const char *name;

	if (!tp_json_get(r->picture, "panel"))
		return 0;
	name = tp_words(&c->arena, r->picture, "panel", r->set, r->rec,
	    r->err);
	if (!name)
		return -1;
	while (p < c->panels + c->panel_count && strcmp(p->name, name) != 0)
		p++;
	if (p < c->panels + c->panel_count)
		return (int)(p - c->panels);
	if (c->panel_count == TP_CHART_PANELS) {
		tp_names_add(&c->panels_left, name, strlen(name));
		return TP_CHART_PANELS;
	}
	p->name = name;
	p->from = FAR;
	p->to = -FAR;
	return (int)c->panel_count++;
}

/*
 * Set *ROW to the row of that name, added if new; NULL beyond the last row
 * drawn.
 */
static int
find_row(struct reading *r, const char *name, struct tp_chart_row **row)
{
	struct tp_chart *c = r->chart;
	int panel = find_panel(r);
	ptrdiff_t at;

	*row = NULL;
	if (panel < 0 || panel == TP_CHART_PANELS)
		return panel < 0 ? -1 : 0;
	at = tp_names_add(&c->names, name, strlen(name));
	if ((size_t)at >= room(r))
		return 0;
	*row = &c->rows[(size_t)panel * room(r) + (size_t)at];
	if ((*row)->name)
		return 0;
	(*row)->fold = tp_words(&c->arena, r->spec, "fold", r->set, r->rec,
	    r->err);
	if (!(*row)->fold)
		return -1;
	(*row)->name = name;
	(*row)->panel = (size_t)panel;
	return 0;
}

/* Set *KIND to the group of the record's work; 0, or -1 with ERR. */
static int
find_kind(struct reading *r, size_t *kind)
{
	struct tp_chart *c = r->chart;
	const char *name = "busy";

	if (tp_json_get(r->spec, "kind")) {
		c->has_kinds = 1;
		name = tp_words(&c->arena, r->spec, "kind", r->set, r->rec,
		    r->err);
	}
	return name ? tp_groups_add(&c->kinds, name, 0, kind, r->err) : -1;
}

static void
add_run(struct reading *r, struct tp_chart_row *row, size_t kind)
{
	struct tp_chart_run run = { .kind = kind };

	if (!has_span(r->rec, &run.from, &run.to) ||
	    !tp_rec_int(r->rec, "busy_ns", &run.busy) || run.busy < 0 ||
	    run.busy > run.to - run.from)
		return;
	TP_APPEND(row->runs, row->count, row->cap, run);
	tp_scale_sum(&row->busy, run.busy);
	widen(&r->chart->from, &r->chart->to, run.from, run.to);
	widen(&r->chart->panels[row->panel].from,
	    &r->chart->panels[row->panel].to, run.from, run.to);
}

static int
read_lanes(struct reading *r)
{
	struct tp_chart_row *row = NULL;
	const struct tp_rec *last = NULL;
	const char *name;
	size_t at = 0, kind = 0;

	r->many = tp_words_many(r->spec, r->set);
	while ((r->rec = tp_words_next(r->spec, r->set, &at))) {
		if (!is_same(last, r->rec)) {
			row = NULL;
			last = r->rec;
			name = name_of(r);
			if (!name || (*name && find_row(r, name, &row) < 0) ||
			    (row && find_kind(r, &kind) < 0))
				return -1;
		}
		if (row)
			add_run(r, row, kind);
	}
	return 0;
}

/* The path of one process: that of the next begins again. */
static int
read_path(struct reading *r)
{
	struct tp_chart_path *p = &r->chart->path;
	const cJSON *sides = tp_json_get(r->spec, "sides");
	struct tp_chart_run run = { 0 };
	const struct tp_rec *first = NULL;
	const char *side;
	int64_t last = -FAR;
	size_t at = 0;

	p->name = tp_json_text(r->spec, "name");
	for (int i = 0; i < TP_CHART_SIDES; i++) {
		const cJSON *of = cJSON_GetArrayItem(sides, i);
		const char *colour = tp_json_text(of, "colour");

		p->sides[i] = tp_json_text(of, "name");
		p->colours[i] = colour ? tp_svg_colour(colour) : NULL;
	}
	if (!p->name || !p->sides[TP_CHART_SIDES - 1])
		return tp_fail(r->err, TP_BAD, "picture.damaged", 0,
		    "a path needs a name and %d sides", TP_CHART_SIDES);
	while ((r->rec = tp_words_next(r->spec, r->set, &at))) {
		if (!has_span(r->rec, &run.from, &run.to))
			continue;
		if (run.from < last || (first && strcmp(first->src,
		    r->rec->src) != 0))
			break;
		first = r->rec;
		last = run.to;
		side = tp_rec_text(r->rec, "part");
		run.busy = run.to - run.from;
		for (run.kind = 0; side && run.kind < TP_CHART_SIDES - 1;
		    run.kind++)
			if (!strcmp(side, p->sides[run.kind]))
				break;
		TP_APPEND(p->runs, p->count, p->cap, run);
		widen(&r->chart->from, &r->chart->to, run.from, run.to);
	}
	return 0;
}

static int
read_bands(struct reading *r)
{
	struct tp_chart *c = r->chart;
	struct tp_chart_band band;
	const struct tp_rec *first = NULL;
	const struct tp_field *f;
	const char *key = tp_json_text(r->spec, "hatched");
	size_t at = 0;

	c->band_label = tp_json_text(r->spec, "label");
	c->band_word = tp_json_text(r->spec, "word");
	c->band_word = c->band_word ? c->band_word : "";
	while ((r->rec = tp_words_next(r->spec, r->set, &at))) {
		/* steps of one trace only: those of several would overlap */
		if (first && strcmp(first->src, r->rec->src) != 0)
			break;
		if (!has_span(r->rec, &band.from, &band.to))
			continue;
		first = r->rec;
		band.name = name_of(r);
		f = key ? tp_rec_field(r->rec, key) : NULL;
		band.hatched = f && f->type == TP_FIELD_BOOL && f->n;
		if (!band.name)
			return -1;
		TP_APPEND(c->bands, c->band_count, c->band_cap, band);
	}
	return 0;
}

/* The name that more than half of the labelled bands have, or NULL. */
static const char *
most_bands(const struct tp_chart *c)
{
	const char *name = NULL;
	size_t lead = 0, count = 0;

	for (size_t i = 0; i < c->band_count && c->band_label; i++) {
		name = lead ? name : c->bands[i].name;
		lead = !strcmp(name, c->bands[i].name) ? lead + 1 : lead - 1;
	}
	for (size_t i = 0; i < c->band_count && name; i++)
		count += !strcmp(name, c->bands[i].name);
	return count > 1 && count > c->band_count / 2 ? name : NULL;
}

/* If most bands have one name, keep these and number them. */
static void
number_bands(struct tp_chart *c)
{
	const char *name = most_bands(c);
	struct tp_buf text = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < c->band_count && name; i++) {
		if (strcmp(name, c->bands[i].name) != 0)
			continue;
		c->bands[kept++] = c->bands[i];
		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%zu", kept);
		c->bands[kept - 1].name = tp_arena_text(&c->arena, text.p,
		    text.len);
	}
	tp_buf_clear(&text);
	if (name) {
		c->band_count = kept;
		c->band_label = name;
		tp_buf_fmt(&text, "%s ", name);
		c->band_word = tp_arena_text(&c->arena, text.p, text.len);
	}
	tp_buf_release(&text);
}

/* Read the first bands of which there are several, else the first. */
static int
choose_bands(struct reading *r)
{
	const cJSON *list = tp_json_get(r->picture, "bands"), *spec;
	size_t at;

	r->many = 0;
	r->spec = tp_words_first(list, r->set);
	cJSON_ArrayForEach(spec, list) {
		at = 0;
		if (tp_words_next(spec, r->set, &at) &&
		    tp_words_next(spec, r->set, &at)) {
			r->spec = spec;
			break;
		}
	}
	if (r->spec && read_bands(r) < 0)
		return -1;
	number_bands(r->chart);
	return 0;
}

TP_ORDER(by_length, struct tp_chart_gap,
    TP_BY(TP_CMP(b->to - b->from, a->to - a->from)) TP_UP(from))

/* Keep the longest gaps within the axis, sorted by falling length. */
static int
read_gaps(struct reading *r)
{
	struct tp_chart *c = r->chart;
	const struct tp_rec *first = NULL;
	struct tp_chart_gap gap;
	size_t at = 0, i;
	int64_t number = 0;

	/* the summary covers the whole of one trace */
	if (!c->window && !tp_words_many(r->spec, r->set))
		c->gaps_of = tp_words(&c->arena, r->spec, "of", r->set, NULL,
		    r->err);
	if (!c->gaps_of)
		return -1;
	while ((r->rec = tp_words_next(r->spec, r->set, &at))) {
		if (!tp_rec_int(r->rec, "rank", &gap.number))
			gap.number = number + 1;
		/* each trace, and each rank of it, numbers its own */
		if (gap.number <= number || (first && strcmp(first->src,
		    r->rec->src) != 0))
			break;
		first = r->rec;
		number = gap.number;
		if (!has_span(r->rec, &gap.from, &gap.to) ||
		    gap.to == gap.from || gap.from < c->from ||
		    gap.to > c->to)
			continue;
		i = c->gap_count;
		if (i == TP_CHART_GAPS && by_length(&c->gaps[i - 1],
		    &gap) <= 0)
			continue;
		gap.name = name_of(r);
		if (!gap.name)
			return -1;
		if (i < TP_CHART_GAPS)
			c->gap_count++;
		else
			i--;
		for (; i && by_length(&c->gaps[i - 1], &gap) > 0; i--)
			c->gaps[i] = c->gaps[i - 1];
		c->gaps[i] = gap;
	}
	return 0;
}

static struct tp_chart_level *
find_level(struct tp_chart *c, const char *name)
{
	for (size_t i = 0; i < c->level_count; i++)
		if (!strcmp(c->levels[i].name, name))
			return &c->levels[i];
	if (c->level_count == TP_CHART_LEVELS) {
		tp_names_add(&c->levels_left, name, strlen(name));
		return NULL;
	}
	c->levels[c->level_count].name = name;
	return &c->levels[c->level_count++];
}

static void
add_part(struct reading *r, struct tp_chart_level *l)
{
	struct tp_chart_part p;

	if (!has_span(r->rec, &p.from, &p.to) ||
	    !tp_rec_int(r->rec, "min_bytes", &p.min) ||
	    !tp_rec_int(r->rec, "max_bytes", &p.max) || p.min < 0 ||
	    p.max < p.min)
		return;
	TP_APPEND(l->parts, l->count, l->cap, p);
	if (p.max > l->peak) {
		l->peak = p.max;
		l->peak_at = p.from;
	}
	widen(&r->chart->from, &r->chart->to, p.from, p.to);
}

static int
read_levels(struct reading *r)
{
	struct tp_chart_level *level = NULL;
	const struct tp_rec *last = NULL;
	const char *name;
	size_t at = 0;

	r->many = tp_words_many(r->spec, r->set);
	while ((r->rec = tp_words_next(r->spec, r->set, &at))) {
		if (!is_same(last, r->rec)) {
			last = r->rec;
			name = name_of(r);
			if (!name)
				return -1;
			level = *name ? find_level(r->chart, name) : NULL;
		}
		if (level)
			add_part(r, level);
	}
	return 0;
}

/*
 * Call READ for each spec under KEY of the picture; with FIRST only for the
 * first spec that has records.
 */
static int
each(struct reading *r, const char *key, int first,
    int (*read)(struct reading *))
{
	const cJSON *list = tp_json_get(r->picture, key), *spec;

	r->many = 0;
	if (first) {
		r->spec = tp_words_first(list, r->set);
		return r->spec ? read(r) : 0;
	}
	cJSON_ArrayForEach(spec, list) {
		r->spec = spec;
		if (read(r) < 0)
			return -1;
	}
	return 0;
}

/* Move the runs of ROW to ONE. */
static void
join(struct tp_chart_row *one, struct tp_chart_row *row)
{
	size_t count = one->count + row->count;

	tp_grow(&one->runs, &one->cap, count, sizeof *one->runs);
	for (size_t i = 0; i < row->count; i++)
		one->runs[one->count++] = row->runs[i];
	tp_scale_sum(&one->busy, row->busy);
	tp_free(row->runs);
	memset(row, 0, sizeof *row);
}

/*
 * Join the lanes with a "fold" name into one if there are many of them beside
 * other lanes.
 */
static void
fold(struct tp_chart *c)
{
	struct tp_chart_row *one = NULL;
	size_t count = 0, own = 0;

	for (size_t i = 0; i < TP_CHART_ROWS; i++) {
		count += c->rows[i].name && *c->rows[i].fold;
		own += c->rows[i].name && !*c->rows[i].fold;
	}
	if (!own || count <= TP_CHART_FOLD)
		return;
	for (size_t i = 0; i < TP_CHART_ROWS; i++) {
		if (!c->rows[i].name || !*c->rows[i].fold)
			continue;
		if (one)
			join(one, &c->rows[i]);
		one = one ? one : &c->rows[i];
		one->name = one->fold;
	}
}

/*
 * Compact the rows and drop lanes that are almost idle in all panels; those are
 * only counted.
 */
static void
drop_idle(struct tp_chart *c, size_t each)
{
	int64_t busy[TP_CHART_ROWS] = { 0 }, most = 0;
	struct tp_chart_row row;

	for (size_t i = 0; i < TP_CHART_ROWS; i++) {
		TP_MOST(busy[i % each], c->rows[i].busy);
		TP_MOST(most, busy[i % each]);
	}
	c->least_busy = most / IDLE_PART;
	for (size_t i = 0; i < TP_CHART_ROWS; i++) {
		row = c->rows[i];
		memset(&c->rows[i], 0, sizeof c->rows[i]);
		if (row.name && busy[i % each] >= c->least_busy) {
			c->rows[c->row_count++] = row;
			continue;
		}
		c->idle_rows += row.name != NULL;
		tp_free(row.runs);
	}
}

/*
 * Whether all lanes begin with the first LEN bytes of the first one and
 * continue with a word.  "stream" of "stream 7" must keep its number.
 */
static int
all_begin(const struct tp_chart *c, size_t len)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const char *name = c->rows[i].name;

		if (strncmp(name, c->rows[0].name, len) != 0 ||
		    strchr("0123456789", name[len]))
			return 0;
	}
	return 1;
}

/*
 * Move words that all lanes begin with to one label, so that lanes have room
 * for what distinguishes them.  Not in panels, whose names are phrases.
 */
static void
share_words(struct tp_chart *c)
{
	const char *first = c->rows[0].name;
	size_t word = 0;
	struct tp_buf text = { 0 };

	for (size_t k = 0; first[k]; k++)
		if (first[k] == ' ' && all_begin(c, k + 1))
			word = k + 1;
	if (c->row_count < 2 || !word || c->panel_count)
		return;
	tp_buf_fmt(&text, "all: %.*s", (int)word - 1, first);
	c->shared = tp_arena_text(&c->arena, text.p, text.len);
	tp_buf_release(&text);
	for (size_t i = 0; i < c->row_count; i++)
		c->rows[i].name += word;
}

/*
 * Read the analysed window from the records of "window".  Returns whether there
 * is one on the axis.
 */
static int
read_window(struct reading *r, int64_t *from, int64_t *to)
{
	size_t at = 0;
	int64_t a, b;

	r->spec = tp_json_get(r->picture, "window");
	while ((r->rec = tp_words_next(r->spec, r->set, &at)))
		if (has_span(r->rec, &a, &b))
			widen(from, to, a, b);
	TP_MOST(*from, r->chart->from);
	TP_LEAST(*to, r->chart->to);
	return *from < *to;
}

/* Cut COUNT runs to FROM .. TO.  Returns how many are left, and their BUSY. */
static size_t
cut_runs(struct tp_chart_run *runs, size_t count, int64_t from, int64_t to,
    int64_t *busy)
{
	size_t kept = 0;

	*busy = 0;
	for (size_t i = 0; i < count; i++) {
		struct tp_chart_run old = runs[i], run = old;

		run.from = old.from < from ? from : old.from;
		run.to = old.to > to ? to : old.to;
		if (run.from >= run.to)
			continue;
		if (run.to - run.from < old.to - old.from)
			run.busy = (int64_t)((double)old.busy *
			    ((double)(run.to - run.from) /
			    (double)(old.to - old.from)));
		tp_scale_sum(busy, run.busy);
		runs[kept++] = run;
	}
	return kept;
}

static void
cut_parts(struct tp_chart_level *l, int64_t from, int64_t to)
{
	size_t kept = 0;

	l->peak = 0;
	l->peak_at = from;
	for (size_t i = 0; i < l->count; i++) {
		struct tp_chart_part part = l->parts[i];

		part.from = part.from < from ? from : part.from;
		part.to = part.to > to ? to : part.to;
		if (part.from >= part.to)
			continue;
		if (!kept || part.max > l->peak) {
			l->peak = part.max;
			l->peak_at = part.from;
		}
		l->parts[kept++] = part;
	}
	l->count = kept;
}

/* Cut the axis to the analysed window if that is a small part of it. */
static int
cut_axis(struct reading *r)
{
	struct tp_chart *c = r->chart;
	int64_t from = FAR, to = -FAR, busy;

	c->whole = c->to - c->from;
	if (!read_window(r, &from, &to) ||
	    to - from >= c->whole / 5 * WINDOW_FIFTHS)
		return 0;
	c->window = tp_words(&c->arena, r->spec, "name", r->set, NULL,
	    r->err);
	if (!c->window)
		return -1;
	c->from = from;
	c->to = to;
	for (size_t i = 0; i < TP_CHART_ROWS; i++)
		c->rows[i].count = cut_runs(c->rows[i].runs, c->rows[i].count,
		    from, to, &c->rows[i].busy);
	c->path.count = cut_runs(c->path.runs, c->path.count, from, to, &busy);
	for (size_t i = 0; i < c->level_count; i++)
		cut_parts(&c->levels[i], from, to);
	return 0;
}

/* Cut steps to the axis and drop gaps too short to be seen. */
static void
trim(struct tp_chart *c)
{
	int64_t least = (c->to - c->from) / NARROW_PART;
	size_t kept = 0;

	for (size_t i = 0; i < c->band_count; i++) {
		struct tp_chart_band b = c->bands[i];

		b.from = b.from < c->from ? c->from : b.from;
		b.to = b.to > c->to ? c->to : b.to;
		if (b.from < b.to)
			c->bands[kept++] = b;
	}
	c->band_count = kept;
	kept = 0;
	for (size_t i = 0; i < c->gap_count; i++)
		if (c->gaps[i].to - c->gaps[i].from >= least)
			c->gaps[kept++] = c->gaps[i];
	c->gap_count = kept;
	TP_SORT(c->gaps, c->gap_count, by_start);
}

/* Choose the kinds that have a colour, and mark those that are drawn. */
static void
rank_kinds(struct tp_chart *c)
{
	struct tp_chart_row *row;

	for (row = c->rows; row < c->rows + c->row_count; row++)
		for (size_t k = 0; k < row->count; k++)
			tp_scale_sum(&c->kinds.sums[row->runs[k].kind],
			    row->runs[k].busy);
	tp_groups_rank(&c->kinds);
	for (row = c->rows; row < c->rows + c->row_count; row++)
		for (size_t k = 0; k < row->count; k++) {
			tp_groups_use(&c->kinds, row->runs[k].kind);
			row->runs[k].kind = tp_groups_place(&c->kinds,
			    row->runs[k].kind);
		}
}

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are neither lanes nor
 * levels, or -1 with ERR.  C must be released in any case.
 */
static int
make(struct tp_chart *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	struct reading r = { .chart = c, .picture = picture, .set = set,
	    .err = err };

	memset(c, 0, sizeof *c);
	c->shared = c->gaps_of = "";
	c->from = FAR;
	c->to = -FAR;
	if (each(&r, "lanes", 0, read_lanes) < 0 ||
	    each(&r, "levels", 0, read_levels) < 0 ||
	    (c->names.count && each(&r, "path", 1, read_path) < 0))
		return -1;
	if (c->to <= c->from)
		return 0;
	fold(c);
	/* steps and gaps do not extend the axis of lanes and levels */
	if (cut_axis(&r) < 0 || choose_bands(&r) < 0 ||
	    each(&r, "gaps", 1, read_gaps) < 0)
		return -1;
	/* a panel whose lanes have no drawable stretch has no length */
	for (size_t i = 0; i < c->panel_count; i++)
		if (c->panels[i].to < c->panels[i].from)
			c->panels[i].from = c->panels[i].to = c->from;
	trim(c);
	drop_idle(c, room(&r));
	c->rows_left = c->names.count > room(&r) ? c->names.count - room(&r) :
	    0;
	for (size_t i = 0; i < c->row_count; i++)
		TP_SORT(c->rows[i].runs, c->rows[i].count, by_start);
	for (size_t i = 0; i < c->level_count; i++)
		TP_SORT(c->levels[i].parts, c->levels[i].count, by_start);
	rank_kinds(c);
	if (c->row_count)
		share_words(c);
	return 1;
}

static void
release_chart(struct tp_chart *c)
{
	for (size_t i = 0; i < TP_CHART_ROWS; i++)
		tp_free(c->rows[i].runs);
	for (size_t i = 0; i < c->level_count; i++)
		tp_free(c->levels[i].parts);
	tp_free(c->bands);
	tp_free(c->path.runs);
	tp_groups_release(&c->kinds);
	tp_names_release(&c->names);
	tp_names_release(&c->panels_left);
	tp_names_release(&c->levels_left);
	tp_arena_release(&c->arena);
}

/* Divide the axis into COUNT equal parts, which CELLS gets of COUNT RUNS. */
static void
spread(const struct tp_chart *c, const struct tp_chart_run *runs,
    size_t run_count, struct tp_chart_cell *cells, size_t count)
{
	double cell = (double)(c->to - c->from) / (double)count;
	double from, to, ratio, a, b;

	memset(cells, 0, count * sizeof *cells);
	for (size_t k = 0; k < run_count; k++) {
		const struct tp_chart_run *r = &runs[k];

		if (r->to <= r->from)
			continue;
		from = (double)(r->from - c->from);
		to = (double)(r->to - c->from);
		ratio = (double)r->busy / (to - from) / cell;
		for (size_t i = (size_t)(from / cell); i < count; i++) {
			a = (double)i * cell;
			b = a + cell;
			if (a >= to)
				break;
			a = a > from ? a : from;
			b = b < to ? b : to;
			if (b <= a)
				continue;
			cells[i].share += (b - a) * ratio;
			cells[i].of[r->kind] += (b - a) * ratio;
		}
	}
}

/* The kind with most of CELL. */
static size_t
most_of(const struct tp_chart_cell *cell)
{
	size_t most = 0;

	for (size_t i = 1; i < TP_CHART_KINDS; i++)
		if (cell->of[i] > cell->of[most])
			most = i;
	return most;
}

/* Whether the path is in SIDE at any time. */
static int
has_side(const struct tp_chart *c, size_t side)
{
	for (size_t i = 0; i < c->path.count; i++)
		if (c->path.runs[i].kind == side)
			return 1;
	return 0;
}

/* Whether row I is the first of a panel. */
static int
begins(const struct tp_chart *c, size_t i)
{
	return c->panel_count && (!i || c->rows[i].panel !=
	    c->rows[i - 1].panel);
}

/* "before: jax, 55.3 ms". */
static void
put_panel(const struct tp_chart_panel *panel, struct tp_buf *b)
{
	tp_buf_str(b, panel->name);
	tp_buf_str(b, *panel->name ? ", " : "");
	tp_unit_ns(b, panel->to - panel->from);
}

/* "422 ms at 2.35 s: waiting for the CPU". */
static void
put_gap(const struct tp_chart_gap *gap, struct tp_buf *b)
{
	tp_unit_ns(b, gap->to - gap->from);
	tp_buf_str(b, " at ");
	tp_unit_ns(b, gap->from);
	if (*gap->name) {
		tp_buf_str(b, ": ");
		tp_buf_str(b, gap->name);
	}
}

/*
 * Line N (0 to gap_count) of the list of gaps: first their total length, then
 * one line per gap: "1: 422 ms at 2.35 s: waiting for the CPU".
 */
static void
put_gap_line(const struct tp_chart *c, size_t n, struct tp_buf *b)
{
	const struct tp_chart_gap *gap = NULL;
	int64_t sum = 0, last = INT64_MIN;

	if (!n) {
		for (size_t i = 0; i < c->gap_count; i++)
			tp_scale_sum(&sum, c->gaps[i].to - c->gaps[i].from);
		if (c->gap_count > 1)
			tp_buf_fmt(b, "%zu longest gaps: ", c->gap_count);
		else
			tp_buf_str(b, "longest gap: ");
		tp_unit_ns(b, sum);
		tp_buf_fmt(b, "%s%s", *c->gaps_of ? " " : "", c->gaps_of);
		return;
	}
	/* the Nth by number */
	for (; n; n--, last = gap->number) {
		gap = NULL;
		for (size_t i = 0; i < c->gap_count; i++)
			if (c->gaps[i].number > last && (!gap ||
			    c->gaps[i].number < gap->number))
				gap = &c->gaps[i];
		if (!gap)
			return;
	}
	tp_buf_int(b, gap->number);
	tp_buf_str(b, ": ");
	put_gap(gap, b);
}

/*
 * Describe the first lanes and levels for readers who cannot see the picture.
 */
static void
say(const struct tp_chart *c, struct tp_buf *b)
{
	size_t said = 0;

	for (size_t i = 0; i < c->row_count && i < NAMED; i++) {
		tp_buf_fmt(b, "%s%s for ", said++ ? "; " : "",
		    c->rows[i].name);
		tp_unit_ns(b, c->rows[i].busy);
	}
	for (size_t i = 0; i < c->level_count && i < NAMED; i++) {
		tp_buf_fmt(b, "%s%s peaks at ", said++ ? "; " : "",
		    c->levels[i].name);
		tp_scale_number(b, "n_bytes", c->levels[i].peak);
	}
}

/* "Drawn: 200 ms that were analysed, of 1.64 s." */
static void
add_window(const struct tp_chart *c, struct tp_buf *b)
{
	tp_buf_str(b, "Drawn: ");
	tp_unit_ns(b, c->to - c->from);
	tp_buf_fmt(b, " %s, of ", c->window);
	tp_unit_ns(b, c->whole);
	tp_buf_chr(b, '.');
}

/* What is drawn, MEANING, which explains the lanes, and what is not drawn. */
static void
put_rest(const struct tp_chart *c, const char *meaning, struct tp_buf *b)
{
	size_t left = c->rows_left + c->levels_left.count;
	const char *begin = "Not drawn: ";

	if (c->window)
		add_window(c, b);
	if (c->row_count)
		tp_buf_fmt(b, "%s%s", b->len && *meaning ? " " : "", meaning);
	if (b->len)
		begin = " Not drawn: ";
	if (c->idle_rows) {
		tp_buf_fmt(b, "%s%zu lane%s busy for less than ", begin,
		    c->idle_rows, c->idle_rows == 1 ? "" : "s");
		tp_unit_ns(b, c->least_busy);
		begin = ", ";
	}
	if (left) {
		tp_buf_fmt(b, "%s%zu more lane%s", begin, left, left == 1 ?
		    "" : "s");
		begin = ", ";
	}
	if (c->panels_left.count)
		tp_buf_fmt(b, "%s%zu more", begin, c->panels_left.count);
}

/*
 * Lengths in pixels: of lanes, TALL if there are few and LOW if there are
 * many, of the path, of levels and of bands.  MARKS: most stretches in all
 * lanes; with more, lanes are drawn as cells.
 */
enum { TALL = 36, FEW = 3, LANE = 18, MANY = 8, LOW = 10, THIN = 8,
	LEVEL = 48, LEVEL_LINES = 4, BAND = 14, TICKS = 8, MARKS = 2200,
	CELLS = 664, STEPS = 6 };

static double
at(const struct tp_chart *c, int64_t t)
{
	return (double)(t - c->from) / (double)(c->to - c->from);
}

/* The first letter of NAME that is none of the COUNT LETTERS, or a mark. */
static char
free_letter(const char *name, char letters[][2], size_t count)
{
	const char *marks = "#@%$&+=";
	size_t k;

	for (; *name; name++) {
		char letter = (char)toupper((unsigned char)*name);

		for (k = 0; k < count && *letters[k] != letter; k++)
			;
		if (isalnum((unsigned char)*name) && k == count)
			return letter;
	}
	return marks[count];
}

/* Give each kind that is drawn a letter: what numbers it, if anything does. */
static void
set_letters(struct tp_chart *c)
{
	size_t used = 0;

	for (size_t k = 0; k < TP_CHART_KINDS; k++)
		used += c->kinds.is_used[k] != 0;
	for (size_t k = 0; k < TP_CHART_KINDS && used > 1; k++) {
		const char *name = tp_groups_called(&c->kinds, k);
		size_t len = strlen(name);

		if (c->kinds.is_used[k])
			*c->letters[k] = free_letter(len && isdigit((unsigned
			    char)name[len - 1]) ? name + len - 1 : name,
			    c->letters, k);
	}
}

/* Shade every other step, through the lanes if it has no row of its own. */
static void
show_bands(const struct tp_chart *c, struct tp_scene *s)
{
	struct tp_scene_row *row;
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	if (!c->band_count)
		return;
	row = tp_scene_row(s, s->form ? TP_AXIS : TP_ROW, c->band_label ?
	    c->band_label : "steps");
	row->height = BAND;
	row->is_tight = 1;
	for (size_t i = 0; i < c->band_count; i++) {
		const struct tp_chart_band *b = &c->bands[i];

		m = tp_scene_mark(s, at(c, b->from), at(c, b->to));
		m->percent = i % 2 ? 6 : 14;
		tp_buf_fmt(&text, "%s%s", b->name, b->hatched && s->form ?
		    "*" : "");
		m->text = tp_scene_keep(s, &text);
		m->hatched = b->hatched;
		tp_buf_fmt(&text, "%s%s%s: ", c->band_word, b->name,
		    b->hatched ? " (warm-up)" : "");
		tp_unit_ns(&text, b->to - b->from);
		m->title = tp_scene_keep(s, &text);
	}
	tp_buf_release(&text);
}

/* Shade ROWS of the scene from row FIRST on where steps and gaps are. */
static void
show_spans(const struct tp_chart *c, size_t first, size_t rows,
    struct tp_scene *s)
{
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	for (size_t i = 0; i < c->band_count && !c->band_label && rows; i++) {
		m = tp_scene_span(s, first, first + rows - 1, at(c,
		    c->bands[i].from), at(c, c->bands[i].to));
		m->percent = i % 2 ? 4 : 9;
		m->sign = TP_SIGN_NONE;
	}
	for (size_t i = 0; i < c->gap_count && rows; i++) {
		m = tp_scene_span(s, first, first + rows - 1, at(c,
		    c->gaps[i].from), fmax(at(c, c->gaps[i].to), at(c,
		    c->gaps[i].from) + 0.0006));
		put_gap(&c->gaps[i], &text);
		m->title = tp_scene_keep(s, &text);
		m->percent = 20;
		m->sign = TP_SIGN_NONE;
	}
	tp_buf_release(&text);
}

static void
show_gap_numbers(const struct tp_chart *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };

	if (c->gap_count)
		tp_scene_row(s, TP_NAMES, "gaps");
	for (size_t i = 0; i < c->gap_count; i++) {
		tp_buf_int(&text, c->gaps[i].number);
		tp_scene_text(s, at(c, c->gaps[i].from / 2 + c->gaps[i].to /
		    2), 0, 0, tp_scene_keep(s, &text));
	}
	tp_buf_release(&text);
}

static struct tp_mark *
show_run(const struct tp_chart *c, size_t kind, double x, double to,
    double share, struct tp_scene *s)
{
	struct tp_mark *m = tp_scene_mark(s, x, to);
	/* in steps: equal heights take fewer bytes */
	double steps = ceil(share * STEPS - 0.5);

	m->sign = TP_SIGN_AREA;
	m->high = s->form ? share : share >= 1 ? 1 : fmax(steps, 1) / STEPS;
	m->colour = tp_groups_colour(&c->kinds, kind);
	m->text = *c->letters[kind] ? c->letters[kind] : NULL;
	return m;
}

/* Draw ROW as cells, of which there are fewer than the STRETCHES of all. */
static void
show_cells(const struct tp_chart *c, const struct tp_chart_row *row,
    size_t stretches, struct tp_scene *s)
{
	size_t count = (size_t)CELLS * MARKS / stretches + 1;
	struct tp_chart_cell *cells = tp_alloc(count * sizeof *cells);

	spread(c, row->runs, row->count, cells, count);
	for (size_t i = 0; i < count; i++)
		if (cells[i].share > 0)
			show_run(c, most_of(&cells[i]), (double)i / (double)
			    count, (double)(i + 1) / (double)count,
			    cells[i].share, s);
	tp_free(cells);
}

/* The time that ROW was busy with each kind, as titles of its marks. */
static void
add_titles(const struct tp_chart *c, const struct tp_chart_row *row,
    struct tp_scene_row *to, struct tp_scene *s)
{
	struct tp_buf text = { 0 };

	for (size_t k = 0; k < TP_CHART_KINDS; k++) {
		const char *colour = tp_groups_colour(&c->kinds, k);
		int64_t busy = 0;

		for (size_t i = 0; i < row->count; i++)
			if (row->runs[i].kind == k)
				tp_scale_sum(&busy, row->runs[i].busy);
		tp_buf_fmt(&text, "%s%s%s: ", row->name, c->has_kinds ? ", " :
		    "", c->has_kinds ? tp_groups_called(&c->kinds, k) : "");
		tp_unit_ns(&text, busy);
		for (size_t i = 0; i < to->count && busy; i++)
			if (to->marks[i].colour == colour) {
				to->marks[i].title = tp_scene_keep(s, &text);
				break;
			}
		tp_buf_clear(&text);
	}
	tp_buf_release(&text);
}

static void
show_lane(const struct tp_chart *c, const struct tp_chart_row *row,
    size_t stretches, struct tp_scene *s)
{
	struct tp_scene_row *to = tp_scene_row(s, TP_ROW, row->name);
	struct tp_buf text = { 0 };

	tp_unit_ns(&text, row->busy);
	to->values[0] = tp_scene_keep(s, &text);
	to->title = row->name;
	to->height = c->row_count <= FEW ? TALL : c->row_count <= MANY ? LANE :
	    LOW;
	to->track = c->panel_count ? at(c, c->panels[row->panel].to) : 1;
	if (stretches > MARKS && !s->form)
		show_cells(c, row, stretches, s);
	for (size_t i = 0; i < row->count && (stretches <= MARKS || s->form);
	    i++) {
		const struct tp_chart_run *r = &row->runs[i];

		if (r->to > r->from)
			show_run(c, r->kind, at(c, r->from), at(c, r->to),
			    (double)r->busy / (double)(r->to - r->from), s);
	}
	add_titles(c, row, &s->rows[s->count - 1], s);
	tp_buf_release(&text);
}

/* The sample of SIDE of the path; what waits is not drawn, or a dot. */
static void
show_side(const struct tp_chart *c, size_t side, struct tp_mark *m,
    struct tp_scene *s)
{
	int waits = side == TP_CHART_SIDES - 1;

	m->sign = TP_SIGN_AREA;
	m->colour = c->path.colours[side];
	m->percent = waits ? 7 : 100;
	m->text = waits ? "." : tp_arena_text(&s->arena, c->path.sides[side],
	    1);
}

static void
show_path(const struct tp_chart *c, struct tp_scene *s)
{
	struct tp_scene_row *row;

	if (!c->path.count)
		return;
	row = tp_scene_row(s, TP_ROW, c->path.name);
	row->title = c->path.name;
	row->height = THIN;
	row->track = s->form ? 0 : 1;
	for (size_t i = 0; i < c->path.count; i++) {
		const struct tp_chart_run *r = &c->path.runs[i];

		if (r->to > r->from && (s->form || r->kind + 1 <
		    TP_CHART_SIDES))
			show_side(c, r->kind, tp_scene_mark(s, at(c, r->from),
			    at(c, r->to)), s);
	}
}

/*
 * Draw a level as an area up to its maximum and a darker one up to its minimum.
 */
static void
show_level(const struct tp_chart *c, const struct tp_chart_level *l,
    struct tp_scene *s)
{
	static const char *const shades[] = { "#d5b0cb", "#b377a3" };
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, l->name);
	double most = l->peak ? (double)l->peak : 1;
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	tp_scale_number(&text, "n_bytes", l->peak);
	row->values[0] = tp_scene_keep(s, &text);
	tp_buf_fmt(&text, "%s: peak %s at ", l->name, row->values[0]);
	tp_unit_ns(&text, l->peak_at);
	row->title = tp_scene_keep(s, &text);
	row->height = LEVEL;
	row->lines = l->peak ? LEVEL_LINES : 1;
	for (int pass = 0; pass < (s->form ? 1 : 2); pass++)
		for (size_t i = 0; i < l->count; i++) {
			const struct tp_chart_part *part = &l->parts[i];

			m = tp_scene_mark(s, at(c, part->from), at(c,
			    part->to));
			m->high = (double)(pass ? part->min : part->max) /
			    most;
			m->colour = shades[pass];
			m->sign = TP_SIGN_AREA;
		}
	m = tp_scene_mark(s, at(c, l->peak_at), at(c, l->peak_at));
	m->shape = TP_SHAPE_POINT;
	m->low = m->high = s->form ? 0 : 0.95;
	m->sign = s->form ? TP_SIGN_NONE : TP_SIGN_RING;
	m->size = 25;
	tp_buf_release(&text);
}

static void
show_axis(const struct tp_chart *c, struct tp_scene *s)
{
	int64_t step = tp_scale_step(c->to - c->from, TICKS), t;
	struct tp_buf text = { 0 };

	tp_scene_row(s, TP_AXIS, s->form ? c->shared : NULL);
	for (t = c->from - c->from % step; t <= c->to; t += step) {
		if (t < c->from)
			continue;
		tp_scale_time(&text, t, step);
		tp_scene_text(s, at(c, t), 0, 0, tp_scene_keep(s, &text));
	}
	tp_buf_release(&text);
}

/* What the colours or letters mean: of kinds, and of the path. */
static void
show_legend(const struct tp_chart *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };
	struct tp_mark *m;
	int n = 0;

	if (c->has_kinds)
		tp_groups_keys(&c->kinds, s, 100);
	for (size_t k = 0; k < TP_CHART_KINDS && s->form; k++)
		if (*c->letters[k])
			tp_buf_fmt(&text, "%s%s %s", text.len ? ", " : "",
			    c->letters[k], tp_groups_called(&c->kinds, k));
	if (text.len)
		tp_buf_str(&text, "; small: in use for less than half");
	tp_scene_words(s, &text);
	if (c->path.count)
		tp_buf_fmt(&text, "%s:", c->path.name);
	for (size_t k = 0; k < TP_CHART_SIDES && s->form; k++)
		if (has_side(c, k))
			tp_buf_fmt(&text, "%s %c %s", n++ ? "," : "", k + 1 ==
			    TP_CHART_SIDES ? '.' : *c->path.sides[k],
			    c->path.sides[k]);
	tp_scene_words(s, &text);
	if (!s->form && c->path.count)
		tp_scene_row(s, TP_LEGEND, NULL);
	for (size_t k = 0; k < TP_CHART_SIDES && !s->form; k++)
		if (has_side(c, k)) {
			m = tp_scene_mark(s, 0, 0);
			show_side(c, k, m, s);
			m->text = c->path.sides[k];
		}
	tp_buf_release(&text);
}

static void
show_list(const struct tp_chart *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; c->gap_count && i <= c->gap_count; i++) {
		put_gap_line(c, i, &text);
		tp_scene_words(s, &text);
	}
	for (size_t i = 0; i < c->band_count && s->form && !text.len; i++)
		if (c->bands[i].hatched)
			tp_buf_str(&text, "* warm-up");
	tp_scene_words(s, &text);
	put_rest(c, s->form && *c->letters[0] ? "" : "A lane is full where it "
	    "was in use all the time.", &text);
	tp_scene_words(s, &text);
	tp_buf_release(&text);
}

static void
fill(struct tp_chart *c, struct tp_scene *s)
{
	size_t first, rows, stretches = 0;
	struct tp_buf text = { 0 };

	set_letters(c);
	for (size_t i = 0; i < c->row_count; i++)
		stretches += c->rows[i].count;
	if (!s->form)
		tp_buf_str(&text, c->shared);
	tp_scene_words(s, &text);
	show_bands(c, s);
	show_gap_numbers(c, s);
	first = s->count;
	for (size_t i = 0; i < c->row_count; i++) {
		if (begins(c, i)) {
			put_panel(&c->panels[c->rows[i].panel], &text);
			tp_scene_words(s, &text);
		}
		show_lane(c, &c->rows[i], stretches, s);
	}
	show_path(c, s);
	rows = s->count - first;
	for (size_t i = 0; i < c->level_count; i++)
		show_level(c, &c->levels[i], s);
	show_spans(c, first, rows ? rows : s->count - first, s);
	show_axis(c, s);
	show_legend(c, s);
	show_list(c, s);
	tp_buf_release(&text);
}

TP_DRAW_HEAD(chart)
{
	struct tp_chart c;
	struct tp_scene s;
	int rc = make(&c, picture, set, err);

	if (rc > 0) {
		if (c.window) {
			/*
			 * the picture's text is about the whole, not the window
			 */
			tp_buf_clear(&d->text);
			add_window(&c, &d->text);
			tp_buf_chr(&d->text, ' ');
		}
		if (!d->text.len || c.window)
			say(&c, &d->text);
		tp_scene_begin(&s, form, columns);
		fill(&c, &s);
		tp_scene_end(&s, d);
	}
	release_chart(&c);
	return rc;
}
