/* chart - what happened over time, read from records */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "draw/chart.h"
#include "draw/scale.h"
#include "draw/words.h"

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
	for (int i = 0; i < TP_CHART_SIDES; i++)
		p->sides[i] = cJSON_GetStringValue(cJSON_GetArrayItem(sides,
		    i));
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

void
tp_chart_spread(const struct tp_chart *c, const struct tp_chart_run *runs,
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

size_t
tp_chart_most(const struct tp_chart_cell *cell)
{
	size_t most = 0;

	for (size_t i = 1; i < TP_CHART_KINDS; i++)
		if (cell->of[i] > cell->of[most])
			most = i;
	return most;
}

int
tp_chart_has_side(const struct tp_chart *c, size_t side)
{
	for (size_t i = 0; i < c->path.count; i++)
		if (c->path.runs[i].kind == side)
			return 1;
	return 0;
}

const char *
tp_chart_kind(const struct tp_chart *c, size_t kind)
{
	return kind < c->kinds.count ? c->kinds.top[kind] : "any other";
}

int
tp_chart_begins(const struct tp_chart *c, size_t i)
{
	return c->panel_count && (!i || c->rows[i].panel !=
	    c->rows[i - 1].panel);
}

void
tp_chart_panel_words(const struct tp_chart_panel *panel, struct tp_buf *b)
{
	tp_buf_str(b, panel->name);
	tp_buf_str(b, *panel->name ? ", " : "");
	tp_unit_ns(b, panel->to - panel->from);
}

void
tp_chart_gap_words(const struct tp_chart_gap *gap, struct tp_buf *b)
{
	tp_unit_ns(b, gap->to - gap->from);
	tp_buf_str(b, " at ");
	tp_unit_ns(b, gap->from);
	if (*gap->name) {
		tp_buf_str(b, ": ");
		tp_buf_str(b, gap->name);
	}
}

void
tp_chart_gap_line(const struct tp_chart *c, size_t n, struct tp_buf *b)
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
	tp_chart_gap_words(gap, b);
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

void
tp_chart_rest(const struct tp_chart *c, const char *meaning, struct tp_buf *b)
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

TP_DRAW_HEAD(chart)
{
	struct tp_chart c;
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
		if (form == TP_DRAW_SVG)
			tp_chart_svg(&c, d);
		else
			tp_chart_text(&c, columns, form == TP_DRAW_ASCII,
			    &d->picture);
	}
	release_chart(&c);
	return rc;
}
