/*
 * chart - events over time: lanes, steps, gaps, levels
 *
 * All times share one axis.  Lanes are coloured by
 * the kind of their work.  They may be grouped in panels, one run above the
 * other; a lane that both runs have is at the same position in both.
 *
 * Memory: 40 bytes per record of a lane or a level.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "draw/groups.h"
#include "draw/picture.h"
#include "draw/scale.h"

enum {
	ROWS = 24,		/* most lanes drawn */
	FOLD = 4,		/* more foldable lanes are merged */
	PANELS = 2,		/* which share the rows */
	GAPS = 5,		/* most gaps named */
	LEVELS = 6,
	KINDS = TP_GROUPS + 1,	/* the last: any other */
	SIDES = 4,		/* of the critical path; the last is not
				 * drawn */
	IDLE_PART = 200,	/* lanes busy below 1/N of the busiest are
				 * omitted */
	NAMED = 3,
	WINDOW_FIFTHS = 3,	/* a window below N/5 of the axis becomes the
				 * axis */
	NARROW_PART = 2000,	/* gaps below 1/N of the axis are not named */
};

/* Larger times are not from a trace; smaller ones cannot overflow a sum. */
#define FAR (INT64_MAX / 4)

struct span {
	int64_t from, to;
};

struct run {			/* a stretch of a lane or a level */
	struct span span;
	int64_t busy;		/* of a level: its highest value, */
	int64_t low;		/* ... and its lowest */
	size_t kind;		/* place in the chart's kinds; of the path: in
				 * its sides */
};

struct lane {			/* or a level, or the critical path */
	const char *name;	/* NULL: no such lane */
	const char *fold;	/* name of the merged lanes; or "" */
	size_t panel;
	struct run *runs;	/* in order of time */
	size_t count, cap;
	int64_t busy;		/* in all; of a level: its peak, */
	int64_t peak_at;	/* ... and when that was */
};

struct band {			/* a step */
	struct span span;
	const char *name;
	int hatched;		/* excluded from figures: warm-up */
};

struct gap {			/* one of the longest, in time order */
	struct span span;
	int64_t number;		/* its rank among all */
	const char *name;	/* its cause; may be "" */
};

struct chart {
	struct span axis;
	int64_t whole;			/* its length before it was cut to */
	const char *window;		/* this window, in words; or NULL */
	struct lane rows[ROWS];
	size_t row_count, rows_left;	/* drawn; and not drawn */
	size_t idle_rows;		/* lanes left out because */
	int64_t least_busy;		/* they are busy for less than this */
	const char *shared;		/* prefix common to all names: "all: GPU
					 * 0"; or "" */
	const char *full, *small;	/* what full lanes and small letters
					 * are */
	struct tp_names names;		/* of all lanes; rows come first */
	struct tp_groups kinds;
	char letters[KINDS][2];		/* of kinds, in text; "": only one is
					 * drawn */
	int has_kinds;			/* the picture says which */
	struct lane path;		/* thin */
	const char *sides[SIDES];	/* what it may be in */
	const char *colours[SIDES];	/* NULL: of the text */
	struct tp_names panel_names;
	struct span panels[PANELS];
	size_t panel_count;		/* 0: no panels */
	struct band *bands;
	size_t band_count, band_cap;
	const char *band_word;		/* before their names: "step " */
	const char *band_label;		/* label of their own row; NULL: they
					 * span the lanes */
	struct gap gaps[GAPS];
	size_t gap_count;
	const char *gaps_of;		/* "of 2 s idle in 10 gaps"; or "" */
	struct tp_names level_names;
	struct lane levels[LEVELS];
	size_t level_count;
	int many;			/* several traces: names begin with
					 * src */
};

/* How busy a lane was in a part of the axis, 0 to 1: in all, and by kind. */
struct cell {
	double share, of[KINDS];
};

static int64_t
length(struct span s)
{
	return s.to - s.from;
}

static int
has_span(const struct tp_rec *rec, struct span *s)
{
	int64_t length;

	if (!tp_rec_int(rec, "start_ns", &s->from))
		return 0;
	if (!tp_rec_int(rec, "end_ns", &s->to)) {
		if (!tp_rec_int(rec, "duration_ns", &length) ||
		    length > FAR || length < 0 || s->from > FAR)
			return 0;
		s->to = s->from + length;
	}
	return s->from >= -FAR && s->to <= FAR && s->to >= s->from;
}

static void
widen(struct span *s, struct span to)
{
	TP_LEAST(s->from, to.from);
	TP_MOST(s->to, to.to);
}

/* Cut S to the axis.  Returns whether anything is left. */
static int
cut(const struct chart *c, struct span *s)
{
	TP_MOST(s->from, c->axis.from);
	TP_LEAST(s->to, c->axis.to);
	return s->from < s->to;
}

/* The record's name without the text "drop"; "" if it is not shown. */
static const char *
name_of(struct chart *c, struct tp_words *w)
{
	const char *name = tp_words(w, "name"), *at;
	const char *drop = tp_json_text(w->spec, "drop");
	struct tp_buf whole = { 0 };

	at = drop ? strstr(name, drop) : NULL;
	if (!*name || (!c->many && !at))
		return name;
	if (c->many) {
		tp_show_text(&whole, w->rec->src, strlen(w->rec->src));
		tp_buf_str(&whole, ": ");
	}
	if (at)
		tp_buf_add(&whole, name, (size_t)(at - name));
	tp_buf_str(&whole, at ? at + strlen(drop) : name);
	name = tp_words_keep(w, &whole);
	tp_buf_release(&whole);
	return name;
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
room(const struct tp_words *w)
{
	return tp_json_get(w->picture, "panel") ? ROWS / PANELS : ROWS;
}

/* The number of the record's panel, PANELS or more if there are too many. */
static size_t
find_panel(struct chart *c, struct tp_words *w)
{
	const char *name;
	size_t at;

	if (!tp_json_get(w->picture, "panel"))
		return 0;
	name = tp_words_of(w, w->picture, "panel");
	at = (size_t)tp_names_add(&c->panel_names, name, strlen(name));
	if (at < PANELS && at == c->panel_count)
		c->panels[c->panel_count++] = (struct span){ FAR, -FAR };
	return at;
}

/* The row of that name, added if new; NULL beyond the last row drawn. */
static struct lane *
find_row(struct chart *c, struct tp_words *w, const char *name)
{
	size_t panel = find_panel(c, w), at;
	struct lane *row;

	if (panel >= PANELS)
		return NULL;
	at = (size_t)tp_names_add(&c->names, name, strlen(name));
	if (at >= room(w))
		return NULL;
	row = &c->rows[panel * room(w) + at];
	if (!row->name)
		row->fold = tp_words(w, "fold");
	row->name = name;
	row->panel = panel;
	return row;
}

static struct lane *
find_level(struct chart *c, const char *name)
{
	size_t at = (size_t)tp_names_add(&c->level_names, name, strlen(name));

	if (at >= LEVELS)
		return NULL;
	TP_MOST(c->level_count, at + 1);
	c->levels[at].name = name;
	return &c->levels[at];
}

/* The group of the record's work. */
static size_t
find_kind(struct chart *c, struct tp_words *w)
{
	int has = tp_json_get(w->spec, "kind") != NULL;

	c->has_kinds |= has;
	return tp_groups_add(&c->kinds, w, has ? tp_words(w, "kind") : "busy",
	    0);
}

static void
add_run(struct chart *c, const struct tp_rec *rec, struct lane *lane,
    size_t kind, int is_level)
{
	struct run run = { .kind = kind };

	if (!has_span(rec, &run.span) || !tp_rec_int(rec, is_level ?
	    "max_bytes" : "busy_ns", &run.busy) || run.busy < 0)
		return;
	if (is_level ? !tp_rec_int(rec, "min_bytes", &run.low) ||
	    run.low < 0 || run.low > run.busy : run.busy > length(run.span))
		return;
	TP_APPEND(lane->runs, lane->count, lane->cap, run);
	widen(&c->axis, run.span);
	if (!is_level)
		widen(&c->panels[lane->panel], run.span);
}

/* Read the lanes or levels of all specs in the list KEY. */
static void
read_lanes(struct chart *c, struct tp_words *w, const char *key, int are_levels)
{
	struct lane *lane = NULL;
	const struct tp_rec *last = NULL;
	const cJSON *spec;
	const char *name;
	size_t kind = 0;

	cJSON_ArrayForEach(spec, tp_json_get(w->picture, key)) {
		tp_words_begin(w, spec);
		c->many = tp_words_many(w);
		for (last = NULL; tp_words_next(w);) {
			if (!is_same(last, w->rec)) {
				last = w->rec;
				name = name_of(c, w);
				lane = !*name ? NULL : are_levels ?
				    find_level(c, name) : find_row(c, w, name);
				if (lane && !are_levels)
					kind = find_kind(c, w);
			}
			if (lane)
				add_run(c, w->rec, lane, kind, are_levels);
		}
	}
	c->many = 0;
}

/* The path of one process: that of the next begins again. */
static void
read_path(struct chart *c, struct tp_words *w)
{
	const cJSON *sides = tp_json_get(w->spec, "sides");
	struct run run = { 0 };
	const char *side;
	int64_t last = -FAR;

	c->path.name = tp_json_text(w->spec, "name");
	for (int i = 0; i < SIDES; i++) {
		const cJSON *of = cJSON_GetArrayItem(sides, i);

		c->sides[i] = tp_json_text(of, "name");
		c->colours[i] = tp_words_colour(of, "colour");
	}
	if (!c->path.name || !c->sides[SIDES - 1])
		tp_words_fail(w, "a path needs a name and 4 sides");
	while (tp_words_next(w)) {
		if (!has_span(w->rec, &run.span))
			continue;
		if (run.span.from < last || tp_words_other(w))
			break;
		last = run.span.to;
		side = tp_rec_text(w->rec, "part");
		run.busy = length(run.span);
		for (run.kind = 0; side && run.kind < SIDES - 1; run.kind++)
			if (!strcmp(side, c->sides[run.kind]))
				break;
		TP_APPEND(c->path.runs, c->path.count, c->path.cap, run);
		widen(&c->axis, run.span);
	}
}

static void
read_bands(struct chart *c, struct tp_words *w)
{
	struct band band;

	c->band_label = tp_json_text(w->spec, "label");
	c->band_word = tp_json_text(w->spec, "word");
	c->band_word = c->band_word ? c->band_word : "";
	while (tp_words_next(w)) {
		if (!has_span(w->rec, &band.span))
			continue;
		/* steps of one trace only: those of several would overlap */
		if (tp_words_other(w))
			break;
		band.name = name_of(c, w);
		band.hatched = tp_words_is(w, "hatched");
		TP_APPEND(c->bands, c->band_count, c->band_cap, band);
	}
}

/* The name that more than half of the labelled bands have, or NULL. */
static const char *
most_bands(const struct chart *c)
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
number_bands(struct chart *c, struct tp_words *w)
{
	const char *name = most_bands(c);
	struct tp_buf text = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < c->band_count && name; i++) {
		if (strcmp(name, c->bands[i].name) != 0)
			continue;
		c->bands[kept++] = c->bands[i];
		tp_buf_fmt(&text, "%zu", kept);
		c->bands[kept - 1].name = tp_words_keep(w, &text);
	}
	if (name) {
		c->band_count = kept;
		c->band_label = name;
		tp_buf_fmt(&text, "%s ", name);
		c->band_word = tp_words_keep(w, &text);
	}
	tp_buf_release(&text);
}

/* Read the first bands of which there are several, else the first. */
static void
choose_bands(struct chart *c, struct tp_words *w)
{
	const cJSON *spec;

	cJSON_ArrayForEach(spec, tp_json_get(w->picture, "bands")) {
		tp_words_begin(w, spec);
		if (tp_words_next(w) && tp_words_next(w))
			break;
	}
	tp_words_begin(w, spec);
	if (spec || tp_words_first(w, "bands"))
		read_bands(c, w);
	number_bands(c, w);
}

TP_ORDER(by_length, struct gap, TP_BY(TP_CMP(length(b->span),
    length(a->span))) TP_UP(span.from))

/* Keep the longest gaps within the axis, sorted by falling length. */
static void
read_gaps(struct chart *c, struct tp_words *w)
{
	struct gap gap;
	size_t i;
	int64_t number = 0;

	/* the summary covers the whole of one trace */
	if (!c->window && !tp_words_many(w))
		c->gaps_of = tp_words(w, "of");
	while (tp_words_next(w)) {
		if (!tp_rec_int(w->rec, "rank", &gap.number))
			gap.number = number + 1;
		/* each trace, and each rank of it, numbers its own */
		if (gap.number <= number || tp_words_other(w))
			break;
		number = gap.number;
		if (!has_span(w->rec, &gap.span) || !length(gap.span) ||
		    gap.span.from < c->axis.from || gap.span.to > c->axis.to)
			continue;
		i = c->gap_count;
		if (i == GAPS && by_length(&c->gaps[i - 1], &gap) <= 0)
			continue;
		gap.name = name_of(c, w);
		if (i < GAPS)
			c->gap_count++;
		else
			i--;
		for (; i && by_length(&c->gaps[i - 1], &gap) > 0; i--)
			c->gaps[i] = c->gaps[i - 1];
		c->gaps[i] = gap;
	}
}

/* Move the runs of ROW to ONE. */
static void
join(struct lane *one, struct lane *row)
{
	tp_grow(&one->runs, &one->cap, one->count + row->count,
	    sizeof *one->runs);
	for (size_t i = 0; i < row->count; i++)
		one->runs[one->count++] = row->runs[i];
	tp_free(row->runs);
	memset(row, 0, sizeof *row);
}

/*
 * Join the lanes with a "fold" name into one if there are many of them beside
 * other lanes.
 */
static void
fold(struct chart *c)
{
	struct lane *one = NULL;
	size_t count = 0, own = 0;

	for (size_t i = 0; i < ROWS; i++) {
		count += c->rows[i].name && *c->rows[i].fold;
		own += c->rows[i].name && !*c->rows[i].fold;
	}
	if (!own || count <= FOLD)
		return;
	for (size_t i = 0; i < ROWS; i++) {
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
drop_idle(struct chart *c, size_t each)
{
	int64_t busy[ROWS] = { 0 }, most = 0;
	struct lane row;

	for (size_t i = 0; i < ROWS; i++) {
		TP_MOST(busy[i % each], c->rows[i].busy);
		TP_MOST(most, busy[i % each]);
	}
	c->least_busy = most / IDLE_PART;
	for (size_t i = 0; i < ROWS; i++) {
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
all_begin(const struct chart *c, size_t len)
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
share_words(struct chart *c, struct tp_words *w)
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
	c->shared = tp_words_keep(w, &text);
	tp_buf_release(&text);
	for (size_t i = 0; i < c->row_count; i++)
		c->rows[i].name += word;
}

/* Cut the axis to the analysed window if that is a small part of it. */
static void
cut_axis(struct chart *c, struct tp_words *w)
{
	struct span window = { FAR, -FAR }, s;

	c->whole = length(c->axis);
	tp_words_begin(w, tp_json_get(w->picture, "window"));
	while (tp_words_next(w))
		if (has_span(w->rec, &s))
			widen(&window, s);
	if (!cut(c, &window) || length(window) >= c->whole / 5 * WINDOW_FIFTHS)
		return;
	c->window = tp_words(w, "name");
	c->axis = window;
}

/* Cut the runs of LANE to the axis, sort them and sum them up. */
static void
cut_lane(const struct chart *c, struct lane *lane, int is_level)
{
	size_t kept = 0;

	for (size_t i = 0; i < lane->count && c->window; i++) {
		struct run run = lane->runs[i];
		int64_t whole = length(run.span), part;

		if (!cut(c, &run.span))
			continue;
		part = length(run.span);
		if (part < whole && !is_level)
			run.busy = (int64_t)((double)run.busy *
			    ((double)part / (double)whole));
		lane->runs[kept++] = run;
	}
	if (c->window)
		lane->count = kept;
	TP_SORT(lane->runs, lane->count, by_start);
	for (size_t i = 0; i < lane->count; i++) {
		const struct run *run = &lane->runs[i];

		if (!is_level) {
			tp_scale_sum(&lane->busy, run->busy);
		} else if (!i || run->busy > lane->busy) {
			lane->busy = run->busy;
			lane->peak_at = run->span.from;
		}
	}
}

/* Cut steps to the axis and drop gaps too short to be seen. */
static void
trim(struct chart *c)
{
	int64_t least = length(c->axis) / NARROW_PART;
	size_t kept = 0;

	for (size_t i = 0; i < c->band_count; i++)
		if (cut(c, &c->bands[i].span))
			c->bands[kept++] = c->bands[i];
	c->band_count = kept;
	kept = 0;
	for (size_t i = 0; i < c->gap_count; i++)
		if (length(c->gaps[i].span) >= least)
			c->gaps[kept++] = c->gaps[i];
	c->gap_count = kept;
	TP_SORT(c->gaps, c->gap_count, by_start);
}

/* Choose the kinds that have a colour, and mark those that are drawn. */
static void
rank_kinds(struct chart *c)
{
	struct lane *row;

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

static int
read_chart(void *picture, struct tp_words *w)
{
	struct chart *c = picture;

	c->shared = c->gaps_of = "";
	c->axis = (struct span){ FAR, -FAR };
	c->full = tp_words_of(w, w->picture, "full");
	c->small = tp_words_of(w, w->picture, "small");
	read_lanes(c, w, "lanes", 0);
	read_lanes(c, w, "levels", 1);
	if (c->names.count && tp_words_first(w, "path"))
		read_path(c, w);
	if (c->axis.to <= c->axis.from || w->failed)
		return 0;
	fold(c);
	/* steps and gaps do not extend the axis of lanes and levels */
	cut_axis(c, w);
	choose_bands(c, w);
	if (tp_words_first(w, "gaps"))
		read_gaps(c, w);
	/* a panel whose lanes have no drawable stretch has no length */
	for (size_t i = 0; i < c->panel_count; i++)
		if (c->panels[i].to < c->panels[i].from)
			c->panels[i].from = c->panels[i].to = c->axis.from;
	trim(c);
	for (size_t i = 0; i < ROWS; i++)
		cut_lane(c, &c->rows[i], 0);
	for (size_t i = 0; i < c->level_count; i++)
		cut_lane(c, &c->levels[i], 1);
	cut_lane(c, &c->path, 0);
	drop_idle(c, room(w));
	c->rows_left = tp_words_left(&c->names, room(w));
	rank_kinds(c);
	if (c->row_count)
		share_words(c, w);
	return 1;
}

static void
release(void *picture)
{
	struct chart *c = picture;

	for (size_t i = 0; i < ROWS; i++)
		tp_free(c->rows[i].runs);
	for (size_t i = 0; i < c->level_count; i++)
		tp_free(c->levels[i].runs);
	tp_free(c->bands);
	tp_free(c->path.runs);
	tp_groups_release(&c->kinds);
	tp_names_release(&c->names);
	tp_names_release(&c->panel_names);
	tp_names_release(&c->level_names);
}

/* Divide the axis into COUNT equal parts, which CELLS gets of COUNT RUNS. */
static void
spread(const struct chart *c, const struct run *runs,
    size_t run_count, struct cell *cells, size_t count)
{
	double cell = (double)length(c->axis) / (double)count;
	double from, to, ratio, a, b;

	memset(cells, 0, count * sizeof *cells);
	for (size_t k = 0; k < run_count; k++) {
		const struct run *r = &runs[k];

		if (!length(r->span))
			continue;
		from = (double)(r->span.from - c->axis.from);
		to = (double)(r->span.to - c->axis.from);
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
most_of(const struct cell *cell)
{
	size_t most = 0;

	for (size_t i = 1; i < KINDS; i++)
		if (cell->of[i] > cell->of[most])
			most = i;
	return most;
}

/* Whether the path is in SIDE at any time. */
static int
has_side(const struct chart *c, size_t side)
{
	for (size_t i = 0; i < c->path.count; i++)
		if (c->path.runs[i].kind == side)
			return 1;
	return 0;
}

/* "422 ms at 2.35 s: waiting for the CPU". */
static void
put_gap(const struct gap *gap, struct tp_buf *b)
{
	tp_unit_ns(b, length(gap->span));
	tp_buf_str(b, " at ");
	tp_unit_ns(b, gap->span.from);
	tp_buf_fmt(b, "%s%s", *gap->name ? ": " : "", gap->name);
}

/*
 * Line N (0 to gap_count) of the list of gaps: first their total length, then
 * one line per gap: "1: 422 ms at 2.35 s: waiting for the CPU".
 */
static void
put_gap_line(const struct chart *c, size_t n, struct tp_buf *b)
{
	const struct gap *gap = NULL;
	int64_t sum = 0, last = INT64_MIN;

	if (!n) {
		for (size_t i = 0; i < c->gap_count; i++)
			tp_scale_sum(&sum, length(c->gaps[i].span));
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

/* "Drawn: 200 ms that were analysed, of 1.64 s." */
static void
add_window(const struct chart *c, struct tp_buf *b)
{
	tp_buf_str(b, "Drawn: ");
	tp_unit_ns(b, length(c->axis));
	tp_buf_fmt(b, " %s, of ", c->window);
	tp_unit_ns(b, c->whole);
	tp_buf_chr(b, '.');
}

/* What is drawn, MEANING, which explains the lanes, and what is not drawn. */
static void
put_rest(const struct chart *c, const char *meaning, struct tp_buf *b)
{
	size_t left = c->rows_left + tp_words_left(&c->level_names, LEVELS);
	size_t panels = tp_words_left(&c->panel_names, PANELS);
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
	if (panels)
		tp_buf_fmt(b, "%s%zu more", begin, panels);
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
at(const struct chart *c, int64_t t)
{
	return (double)(t - c->axis.from) / (double)length(c->axis);
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
set_letters(struct chart *c)
{
	size_t used = 0;

	for (size_t k = 0; k < KINDS; k++)
		used += c->kinds.is_used[k] != 0;
	for (size_t k = 0; k < KINDS && used > 1; k++) {
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
show_bands(const struct chart *c, struct tp_scene *s)
{
	struct tp_scene_row *row;
	struct tp_mark *m;

	if (!c->band_count)
		return;
	row = tp_scene_row(s, s->form ? TP_AXIS : TP_ROW, c->band_label ?
	    c->band_label : "steps");
	row->height = BAND;
	row->is_tight = 1;
	for (size_t i = 0; i < c->band_count; i++) {
		const struct band *b = &c->bands[i];

		m = tp_scene_mark(s, at(c, b->span.from), at(c,
		    b->span.to));
		m->percent = i % 2 ? 6 : 14;
		tp_buf_fmt(&s->text, "%s%s", b->name, b->hatched && s->form ?
		    "*" : "");
		m->text = tp_scene_keep(s);
		m->hatched = b->hatched;
		tp_buf_fmt(&s->text, "%s%s%s: ", c->band_word, b->name,
		    b->hatched ? " (warm-up)" : "");
		tp_unit_ns(&s->text, length(b->span));
		m->title = tp_scene_keep(s);
	}
}

/* Shade ROWS of the scene from row FIRST on where steps and gaps are. */
static void
show_spans(const struct chart *c, size_t first, size_t rows,
    struct tp_scene *s)
{
	struct tp_mark *m;

	for (size_t i = 0; i < c->band_count && !c->band_label && rows; i++) {
		m = tp_scene_span(s, first, first + rows - 1, at(c,
		    c->bands[i].span.from), at(c, c->bands[i].span.to));
		m->percent = i % 2 ? 4 : 9;
		m->sign = TP_SIGN_NONE;
	}
	for (size_t i = 0; i < c->gap_count && rows; i++) {
		double from = at(c, c->gaps[i].span.from);

		m = tp_scene_span(s, first, first + rows - 1, from, fmax(at(c,
		    c->gaps[i].span.to), from + 0.0006));
		put_gap(&c->gaps[i], &s->text);
		m->title = tp_scene_keep(s);
		m->percent = 20;
		m->sign = TP_SIGN_NONE;
	}
}

static void
show_gap_numbers(const struct chart *c, struct tp_scene *s)
{
	if (c->gap_count)
		tp_scene_row(s, TP_NAMES, "gaps");
	for (size_t i = 0; i < c->gap_count; i++) {
		struct span gap = c->gaps[i].span;

		tp_buf_int(&s->text, c->gaps[i].number);
		tp_scene_text(s, at(c, gap.from / 2 + gap.to / 2), 0, 0,
		    tp_scene_keep(s));
	}
}

static struct tp_mark *
show_run(const struct chart *c, size_t kind, double x, double to,
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
show_cells(const struct chart *c, const struct lane *row,
    size_t stretches, struct tp_scene *s)
{
	size_t count = (size_t)CELLS * MARKS / stretches + 1;
	struct cell *cells = tp_alloc(count * sizeof *cells);

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
add_titles(const struct chart *c, const struct lane *row,
    struct tp_scene_row *to, struct tp_scene *s)
{

	for (size_t k = 0; k < KINDS; k++) {
		const char *colour = tp_groups_colour(&c->kinds, k);
		int64_t busy = 0;

		for (size_t i = 0; i < row->count; i++)
			if (row->runs[i].kind == k)
				tp_scale_sum(&busy, row->runs[i].busy);
		tp_buf_fmt(&s->text, "%s%s%s: ", row->name, c->has_kinds ?
		    ", " : "", c->has_kinds ? tp_groups_called(&c->kinds, k) :
		    "");
		tp_unit_ns(&s->text, busy);
		for (size_t i = 0; i < to->count && busy; i++)
			if (to->marks[i].colour == colour) {
				to->marks[i].title = tp_scene_keep(s);
				break;
			}
		tp_buf_clear(&s->text);
	}
}

static void
show_lane(const struct chart *c, const struct lane *row,
    size_t stretches, struct tp_scene *s)
{
	struct tp_scene_row *to = tp_scene_row(s, TP_ROW, row->name);

	to->values[0] = tp_scene_ns(s, row->busy);
	to->title = row->name;
	to->height = c->row_count <= FEW ? TALL : c->row_count <= MANY ? LANE :
	    LOW;
	to->track = c->panel_count ? at(c, c->panels[row->panel].to) : 1;
	if (stretches > MARKS && !s->form)
		show_cells(c, row, stretches, s);
	for (size_t i = 0; i < row->count && (stretches <= MARKS || s->form);
	    i++) {
		const struct run *r = &row->runs[i];

		if (length(r->span))
			show_run(c, r->kind, at(c, r->span.from), at(c,
			    r->span.to), (double)r->busy / (double)length(
			    r->span), s);
	}
	add_titles(c, row, &s->rows[s->count - 1], s);
}

/* The sample of SIDE of the path; what waits is not drawn, or a dot. */
static void
show_side(const struct chart *c, size_t side, struct tp_mark *m,
    struct tp_scene *s)
{
	int waits = side == SIDES - 1;

	m->sign = TP_SIGN_AREA;
	m->colour = c->colours[side];
	m->percent = waits ? 7 : 100;
	m->text = waits ? "." : tp_arena_text(&s->arena, c->sides[side],
	    1);
}

static void
show_path(const struct chart *c, struct tp_scene *s)
{
	struct tp_scene_row *row;

	if (!c->path.count)
		return;
	row = tp_scene_row(s, TP_ROW, c->path.name);
	row->title = c->path.name;
	row->height = THIN;
	row->track = s->form ? 0 : 1;
	for (size_t i = 0; i < c->path.count; i++) {
		const struct run *r = &c->path.runs[i];

		if (length(r->span) && (s->form || r->kind + 1 < SIDES))
			show_side(c, r->kind, tp_scene_mark(s, at(c,
			    r->span.from), at(c, r->span.to)), s);
	}
}

/*
 * Draw a level as an area up to its maximum and a darker one up to its minimum.
 */
static void
show_level(const struct chart *c, const struct lane *l,
    struct tp_scene *s)
{
	static const char *const shades[] = { "#d5b0cb", "#b377a3" };
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, l->name);
	double most = l->busy ? (double)l->busy : 1;
	struct tp_mark *m;

	row->values[0] = tp_scene_number(s, "n_bytes", l->busy);
	tp_buf_fmt(&s->text, "%s: peak %s at ", l->name, row->values[0]);
	tp_unit_ns(&s->text, l->peak_at);
	row->title = tp_scene_keep(s);
	row->height = LEVEL;
	row->lines = l->busy ? LEVEL_LINES : 1;
	for (int pass = 0; pass < (s->form ? 1 : 2); pass++)
		for (size_t i = 0; i < l->count; i++) {
			const struct run *r = &l->runs[i];

			m = tp_scene_mark(s, at(c, r->span.from), at(c,
			    r->span.to));
			m->high = (double)(pass ? r->low : r->busy) / most;
			m->colour = shades[pass];
			m->sign = TP_SIGN_AREA;
		}
	m = tp_scene_mark(s, at(c, l->peak_at), at(c, l->peak_at));
	m->shape = TP_SHAPE_POINT;
	m->low = m->high = s->form ? 0 : 0.95;
	m->sign = s->form ? TP_SIGN_NONE : TP_SIGN_RING;
	m->size = 25;
}

static void
show_axis(const struct chart *c, struct tp_scene *s)
{
	int64_t step = tp_scale_step(length(c->axis), TICKS), t;

	tp_scene_row(s, TP_AXIS, s->form ? c->shared : NULL);
	for (t = c->axis.from - c->axis.from % step; t <= c->axis.to;
	    t += step) {
		if (t < c->axis.from)
			continue;
		tp_scale_time(&s->text, t, step);
		tp_scene_text(s, at(c, t), 0, 0, tp_scene_keep(s));
	}
}

/* What the colours or letters mean: of kinds, and of the path. */
static void
show_legend(const struct chart *c, struct tp_scene *s)
{
	struct tp_mark *m;
	int n = 0;

	if (c->has_kinds)
		tp_groups_keys(&c->kinds, s, 100);
	for (size_t k = 0; k < KINDS && s->form; k++)
		if (*c->letters[k])
			tp_buf_fmt(&s->text, "%s%s %s", s->text.len ? ", " : "",
			    c->letters[k], tp_groups_called(&c->kinds, k));
	if (s->text.len)
		tp_buf_fmt(&s->text, "; %s", c->small);
	tp_scene_words(s);
	if (!c->path.count)
		return;
	tp_buf_fmt(&s->text, "%s:", c->path.name);
	if (!s->form) {
		tp_scene_words(s);
		tp_scene_row(s, TP_LEGEND, NULL);
	}
	for (size_t k = 0; k < SIDES; k++) {
		const char *name = c->sides[k];

		if (!has_side(c, k))
			continue;
		if (s->form) {
			tp_buf_fmt(&s->text, "%s %c %s", n++ ? "," : "",
			    k + 1 == SIDES ? '.' : *name, name);
			continue;
		}
		m = tp_scene_mark(s, 0, 0);
		show_side(c, k, m, s);
		m->text = name;
	}
	tp_scene_words(s);
}

static void
show_list(const struct chart *c, struct tp_scene *s)
{

	for (size_t i = 0; c->gap_count && i <= c->gap_count; i++) {
		put_gap_line(c, i, &s->text);
		tp_scene_words(s);
	}
	for (size_t i = 0; i < c->band_count && s->form && !s->text.len; i++)
		if (c->bands[i].hatched)
			tp_buf_str(&s->text, "* warm-up");
	tp_scene_words(s);
	put_rest(c, s->form && *c->letters[0] ? "" : c->full, &s->text);
	tp_scene_words(s);
}

static void
fill(void *picture, struct tp_scene *s)
{
	struct chart *c = picture;
	size_t first, rows, stretches = 0;

	set_letters(c);
	for (size_t i = 0; i < c->row_count; i++)
		stretches += c->rows[i].count;
	if (!s->form)
		tp_scene_say(s, c->shared);
	show_bands(c, s);
	show_gap_numbers(c, s);
	first = s->count;
	for (size_t i = 0; i < c->row_count; i++) {
		size_t panel = c->rows[i].panel;

		/* "before: jax, 55.3 ms" */
		if (c->panel_count && (!i || panel != c->rows[i - 1].panel)) {
			const char *name = c->panel_names.names[panel].text;

			tp_buf_fmt(&s->text, "%s%s", name, *name ? ", " : "");
			tp_unit_ns(&s->text, length(c->panels[panel]));
			tp_scene_words(s);
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
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct chart *c = picture;
	size_t said = 0;

	if (b->len && !c->window)
		return;
	tp_buf_clear(b);
	/* the picture's text is about the whole, not the window */
	if (c->window) {
		add_window(c, b);
		tp_buf_chr(b, ' ');
	}
	for (size_t i = 0; i < c->row_count && i < NAMED; i++) {
		tp_buf_fmt(b, "%s%s for ", said++ ? "; " : "",
		    c->rows[i].name);
		tp_unit_ns(b, c->rows[i].busy);
	}
	for (size_t i = 0; i < c->level_count && i < NAMED; i++) {
		tp_buf_fmt(b, "%s%s peaks at ", said++ ? "; " : "",
		    c->levels[i].name);
		tp_scale_number(b, "n_bytes", c->levels[i].busy);
	}
}

const struct tp_picture_type tp_chart = { .name = "chart",
    .size = sizeof(struct chart), .read = read_chart, .say = say,
    .fill = fill, .release = release };
