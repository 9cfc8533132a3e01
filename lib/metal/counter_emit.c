/* counter_emit - the records of hardware counters */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/counter.h>
#include <tp/order.h>

#include "tab.h"

#define BILLION 1000000000

/* A counter for output, combined from both forms. */
struct joined {
	const struct tp_counter_series *s;
	const char *name, *role;	/* NULL: unknown */
	const char *gpu;		/* "": unknown */
	int order;			/* index of the role; -1: none */
	int percent;
	int64_t max;			/* 0: unknown */
};

/* Counters without a role last: (unsigned)-1. */
TP_ORDER(by_role, struct joined,
    TP_BY(TP_CMP((unsigned)a->order, (unsigned)b->order))
    TP_BY(!a->name - !b->name) TP_BY(a->name ? strcmp(a->name, b->name) : 0)
    TP_UP(s->id) TP_UP(percent) TP_BY(strcmp(a->gpu, b->gpu)))

static const struct tp_counter_info *
info_of(const struct tp_counter *c, int64_t id)
{
	ptrdiff_t i = id < 0 ? -1 : tp_ids_find(&c->described, (uint64_t)id,
	    0);

	return i < 0 ? NULL : &c->infos[i];
}

/* Whether a counter of this NAME has interval rows. */
static int
has_intervals(const struct tp_counter *c, ptrdiff_t name)
{
	for (size_t i = 0; name >= 0 && i < c->places.count; i++)
		if (!c->series[i].sampled && c->series[i].name == name)
			return 1;
	return 0;
}

static struct joined
describe_series(const struct tp_counter *c, const struct tp_counter_series *s)
{
	const struct tp_counter_info *info = info_of(c, s->id);
	struct joined t = { .s = s, .gpu = "", .order = -1,
	    .percent = s->percent };
	ptrdiff_t name = s->name;
	const struct tp_class *role;

	if (name < 0 && info)
		name = info->name;
	if (s->gpu >= 0)
		t.gpu = c->gpus.names[s->gpu].text;
	if (info)
		t.max = info->max;
	if (info && s->sampled)
		t.percent = info->percent;
	if (name >= 0) {
		t.name = c->names.names[name].text;
		role = tp_class_of_name(&c->roles, t.name);
		t.role = role ? role->name : NULL;
		t.order = role ? (int)(role - c->roles.list) : -1;
	}
	return t;
}

/* Write X / WEIGHT billionths as PREFIX_ plus the unit of the counter. */
static void
put(struct tp_out *out, const struct joined *t, const char *prefix, tp_int128 x,
    int64_t weight)
{
	double value = (double)x / ((double)weight * BILLION);
	const char *unit = "value";
	char key[48];

	if (t->percent) {
		unit = "ratio";
		value = (double)x / ((double)weight * BILLION * 100);
	} else if (t->s->unit > 0) {
		unit = "bytes_per_s";
		value *= (double)t->s->unit;
	}
	snprintf(key, sizeof key, "%s_%s", prefix, unit);
	tp_out_real(out, key, value);
}

static void
put_mean(struct tp_out *out, const struct joined *t, const char *prefix,
    const struct tp_counter_sum *s)
{
	char key[48];

	if (s->overflow || s->weight <= 0)
		return;
	put(out, t, prefix, s->sum, s->weight);
	/* a maximum that is exceeded is wrong */
	if (t->percent || t->max <= 0 ||
	    t->s->peak > (tp_int128)t->max * BILLION)
		return;
	snprintf(key, sizeof key, "%s_of_max_ratio", prefix);
	tp_out_real(out, key, (double)s->sum /
	    ((double)s->weight * BILLION * (double)t->max));
}

static void
summary(const struct joined *t, struct tp_out *out)
{
	const struct tp_counter_series *s = t->s;

	tp_out_begin(out, "counter.summary");
	tp_out_text(out, "scope", "all");
	tp_out_text(out, "name", t->name);
	if (s->id >= 0)
		tp_out_id(out, "counter_id", (uint64_t)s->id);
	if (*t->gpu)
		tp_out_text(out, "gpu", t->gpu);
	if (t->role)
		tp_out_text(out, "role", t->role);
	tp_out_text(out, "unit", t->percent ? "ratio" : s->unit > 0 ?
	    "bytes_per_s" : "value");
	tp_out_text(out, "weighted_by", s->sampled ? "samples" : "time");
	tp_out_int(out, "rows", (int64_t)s->all.rows);
	tp_out_int(out, "first_ns", s->first_ns);
	tp_out_int(out, "last_ns", s->last_ns);
	if (!s->sampled && !s->all.overflow) {
		tp_out_int(out, "sampled_ns", s->all.weight);
		tp_out_int(out, "nonzero_ns", s->nonzero.weight);
	}
	tp_out_int(out, "nonzero_row_count", (int64_t)s->nonzero.rows);
	put_mean(out, t, "mean", &s->all);
	put_mean(out, t, "nonzero_mean", &s->nonzero);
	put(out, t, "peak", s->peak, 1);
	tp_out_int(out, "peak_at_ns", s->peak_at_ns);
	if (t->max > 0)
		tp_out_int(out, "max_value", t->max);
	tp_out_end(out);
}

/* Write counter.set. */
static void
set(const struct tp_counter *c, const struct joined *joined, size_t count,
    struct tp_out *out)
{
	size_t zero = 0, rays = 0, i;
	uint64_t rows = 0;

	for (i = 0; i < count; i++) {
		zero += !joined[i].s->nonzero.rows;
		rays += joined[i].role &&
		    !strcmp(joined[i].role, "ray-tracing");
		rows += joined[i].s->all.rows;
	}
	tp_out_begin(out, "counter.set");
	tp_out_text(out, "scope", "all");
	tp_out_int(out, "counter_count", (int64_t)count);
	tp_out_int(out, "zero_counter_count", (int64_t)zero);
	tp_out_int(out, "described_count", (int64_t)c->described.count);
	tp_out_int(out, "rows", (int64_t)rows);
	tp_out_int(out, "profile_count", (int64_t)c->profile_rows);
	tp_out_int(out, "zero_duration_count", (int64_t)c->zero_durations);
	if (count) {
		tp_out_bool(out, "ray_tracing_only", rays == count);
		tp_out_bool(out, "all_zero", zero == count);
	}
	tp_out_end(out);
}

static void
limiters(const struct tp_counter *c, struct tp_out *out)
{
	const char *scope = "all";
	struct tp_tab tab = { .count = c->limiters.count, .process_rank = -1 };

	TP_TAB_ONE(&tab, "scope", TP_TAB_TEXT, scope);
	TP_TAB_FIELD(&tab, NULL, "name", TP_TAB_TEXT, c->limiters.names, text);
	TP_TAB_ARRAY(&tab, NULL, "time_ns", TP_TAB_INT, c->limiter_ns);
	tp_tab_total(&tab, "limited", c->limited_ns);
	tp_tab_emit(&tab, "counter.limiter", NULL, out);
}

int
tp_counter_emit(struct tp_counter *c, struct tp_out *out, struct tp_err *err)
{
	size_t n = c->places.count, count = 0, i;
	struct joined *joined = tp_alloc((n + 1) * sizeof *joined);
	uint64_t unnamed = 0;

	for (i = 0; i < n; i++) {
		const struct tp_counter_series *s = &c->series[i];
		const struct tp_counter_info *info = info_of(c, s->id);

		/* a counter in both forms counts once */
		if (s->sampled && info && has_intervals(c, info->name))
			continue;
		joined[count] = describe_series(c, s);
		unnamed += joined[count++].name ? 0 : s->all.rows;
	}
	TP_SORT(joined, count, by_role);
	if (count || c->profile_rows || c->described.count)
		set(c, joined, count, out);
	for (i = 0; i < count; i++)
		summary(&joined[i], out);
	if (tp_counter_bandwidth(c, out, err) < 0) {
		tp_free(joined);
		return -1;
	}
	limiters(c, out);
	if (unnamed)
		tp_out_note(out, "counter.unknown", 0, unnamed,
		    "samples of GPU counters whose name no table tells; the "
		    "table gpu-counter-info has names");
	tp_free(joined);
	return 0;
}
