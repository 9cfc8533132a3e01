/* promise - what findings promised, and what was delivered */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/json.h>
#include <tp/judge/promise.h>
#include <tp/order.h>
#include <tp/select.h>
#include <tp/show/template.h>
#include <tp/text.h>

#include "compare_private.h"
#include "stat.h"

/* The window that findings refer to. */
#define MAIN "[main]"

/* What times are divided by: steps, or runs (both 1). */
struct basis {
	enum tp_promise_basis of;
	int64_t per[TP_SIDES];
	const char *because;	/* why there is none; else NULL */
};

/* One trace, before and after. */
struct pair {
	const struct cJSON *data;	/* "promises" */
	double noise;			/* smallest relative change of a run
					 * that counts */
	double same_work;		/* largest relative difference of equal
					 * work */
	struct tp_set views[TP_SIDES];	/* shallow copies */
	const char *scope;		/* scope of the windows compared, or
					 * NULL */
	int is_main;			/* they are the findings' windows */
	int is_moved;			/* the runs name different devices */
	struct basis window, step, steady, run;
	int64_t base_ns[TP_SIDES];	/* per basis of the window; 0:
					 * unknown */
	int64_t run_ns[TP_SIDES];
};

/* The time that a finding is about, and its possible gain. */
struct amount {
	int is_known, has_gain;
	int is_absent;		/* the window exists, but not the row */
	int64_t time_ns, gain_ns;
};

/* A finding, and how it is measured. */
struct item {
	const struct tp_promised *p;
	const struct cJSON *how;	/* entry of "of"; NULL: unknown */
	struct tp_buf metric;		/* in the windows compared */
	const char *key;		/* key of the gain */
	const char *part;		/* part of the budget, or NULL */
	int is_cause;			/* it is a cause of that part */
	int64_t impact_ns;		/* sum over findings measured as one */
};

const char *
tp_outcome_name(enum tp_outcome outcome)
{
	static const char *const names[TP_OUTCOMES] = { "done", "partly",
	    "not", "more", "unknown" };

	return names[outcome];
}

int64_t
tp_promise_add(int64_t a, int64_t b)
{
	return tp_narrow((tp_int128)a + b);
}

/* Limit NAME of the data; NaN, which no value reaches, when it is missing. */
static double
limit(const struct pair *p, const char *name)
{
	double x;

	return tp_json_number(p->data, name, &x) ? x : NAN;
}

/* Whole number NAME of VIEW into *N; 1 or 0. */
static int
number(const struct tp_set *view, const char *name, int64_t *n)
{
	const char *form = NULL;
	const struct tp_field *f = tp_template_field(view, NULL, name, &form);

	if (!f || f->type != TP_FIELD_INT || form)
		return 0;
	*n = f->n;
	return 1;
}

/* The first of LIST that is above 0 on both sides, into N; 1 or 0. */
static int
on_both(const struct pair *p, const char *list, int64_t n[TP_SIDES])
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, tp_json_get(p->data, list))
		if (cJSON_IsString(i) &&
		    number(&p->views[TP_BEFORE], i->valuestring, &n[0]) &&
		    number(&p->views[TP_AFTER], i->valuestring, &n[1]) &&
		    n[0] > 0 && n[1] > 0)
			return 1;
	return 0;
}

/* A basis per step, from the counts in LIST. */
static struct basis
by_count(const struct pair *p, const char *list)
{
	struct basis b = { .of = TP_OF_STEP };

	if (!on_both(p, list, b.per))
		b.because = "work-unknown";
	return b;
}

/* A basis per step, else per run of equal work. */
static struct basis
by_step(const struct pair *p)
{
	struct basis b = by_count(p, "step");
	int64_t work[TP_SIDES];

	if (!b.because)
		return b;
	b = (struct basis){ TP_OF_RUN, { 1, 1 }, NULL };
	if (!on_both(p, "work", work))
		b.because = "work-unknown";
	else if (fabs((double)work[1] - (double)work[0]) >
	    p->same_work * (double)work[0])
		b.because = "other-work";
	return b;
}

/* Choose a window that both sides have, if possible that of the findings. */
static void
choose_window(struct pair *p)
{
	const struct tp_field *scopes[TP_SIDES];
	const char *form;
	int64_t wall;

	for (int i = 0; i < TP_SIDES; i++)
		scopes[i] = tp_template_field(&p->views[i], NULL,
		    "budget.window" MAIN ".scope", &form);
	p->window.because = "other-window";
	if (!scopes[TP_BEFORE] || !scopes[TP_AFTER])
		return;
	p->is_main = !strcmp(scopes[TP_BEFORE]->text, scopes[TP_AFTER]->text);
	if (p->is_main)
		p->scope = scopes[TP_BEFORE]->text;
	else if (number(&p->views[0], "budget.window[span].wall_ns", &wall) &&
	    number(&p->views[1], "budget.window[span].wall_ns", &wall))
		p->scope = "span";
	else
		return;
	if (!strcmp(p->scope, "steps"))
		p->window = p->steady;
	else if (!strcmp(p->scope, "span"))
		p->window = p->step;
	else if (!strcmp(p->scope, "run"))
		p->window = p->run;
}

/* Measure the duration of a step or run. */
static void
measure_bases(struct pair *p)
{
	static const char *const walls[] = { "budget.window[span].wall_ns",
	    "budget.window[main].wall_ns" };
	int64_t wall[TP_SIDES];
	const struct basis *b = &p->window;

	if (!on_both(p, "run", p->run_ns))
		p->run_ns[0] = p->run_ns[1] = 0;
	memcpy(wall, p->run_ns, sizeof wall);
	if (b->because)
		b = p->step.because ? &p->run : &p->step;
	else if (!number(&p->views[0], walls[p->is_main], &wall[0]) ||
	    !number(&p->views[1], walls[p->is_main], &wall[1]) ||
	    wall[0] <= 0 || wall[1] <= 0)
		return;
	for (int i = 0; i < TP_SIDES; i++)
		p->base_ns[i] = tp_div_even(wall[i], b->per[i]);
	/* runs of different work are not compared */
	if (b == &p->run)
		p->base_ns[TP_AFTER] = 0;
	p->window.of = b->of;
}

/* How the data measure KIND (and KEY, if the entry has one), or NULL. */
static const struct cJSON *
how_of(const struct pair *p, const char *kind, size_t len, const char *key)
{
	const struct cJSON *i;
	const char *pattern, *of;

	cJSON_ArrayForEach(i, tp_json_get(p->data, "of")) {
		pattern = tp_json_text(i, "kind");
		of = tp_json_text(i, "key");
		if (pattern && tp_glob(pattern, kind, len) &&
		    (!of || !strcmp(of, key)))
			return i;
	}
	return NULL;
}

/* The part of the budget row that METRIC names in VIEW, or NULL. */
static const char *
part_of(const struct tp_set *view, const char *metric)
{
	const struct tp_rec *rec = NULL;
	struct tp_select of;
	size_t at = 0;

	if (tp_select_split(view, metric, &of))
		rec = tp_set_next_part(view, of.records, of.records_len, &at);
	return rec ? tp_rec_text(rec, "part") : NULL;
}

/* Determine how ITEM, of finding F, is measured. */
static void
plan_measurement(const struct pair *p, struct item *item,
    const struct tp_promised *f)
{
	const char *metric = f->metric, *main = strstr(metric, MAIN);
	const char *kind = metric, *dot = strrchr(metric, '.');
	size_t len;

	item->p = f;
	item->impact_ns = f->impact_ns;
	if (!dot)	/* a key of the record it was found for */
		kind = f->each ? f->each : metric;
	item->key = dot ? dot + 1 : metric;
	len = strcspn(kind, "[");
	if (dot && !kind[len])
		len = (size_t)(dot - kind);
	item->how = how_of(p, kind, len, item->key);
	if (main && !p->is_main) {
		tp_buf_add(&item->metric, metric, (size_t)(main - metric));
		tp_buf_str(&item->metric, "[span]");
		metric = main + strlen(MAIN);
	}
	tp_buf_str(&item->metric, metric);
	item->part = part_of(&p->views[TP_BEFORE], item->metric.p);
	item->is_cause = len == 6 && !strncmp(kind, "budget", len);
}

static int
is_window(const struct item *item)
{
	return !tp_json_text(item->how, "per");
}

static const struct basis *
basis_of(const struct pair *p, const struct item *item)
{
	const char *per = tp_json_text(item->how, "per");

	return !per ? &p->window : !strcmp(per, "step") ? &p->step :
	    !strcmp(per, "steady") ? &p->steady : &p->run;
}

/* Whether A and B have equal values for the keys in LIST. */
static int
is_alike(const struct cJSON *list, const struct tp_rec *a,
    const struct tp_rec *b)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, list) {
		const struct tp_field *x = tp_rec_field(a, i->valuestring);
		const struct tp_field *y = tp_rec_field(b, i->valuestring);

		if (!x != !y || (x && strcmp(x->text, y->text)))
			return 0;
	}
	return 1;
}

static void
add_to_amount(struct amount *a, int64_t time_ns, int64_t gain_ns)
{
	a->time_ns = tp_promise_add(a->time_ns, time_ns);
	a->gain_ns = tp_promise_add(a->gain_ns, gain_ns);
}

/*
 * Sum all records with the identity of ITEM.  No such record means 0 when
 * records that always accompany them exist.
 */
static void
measure_alike(const struct item *item, const struct tp_set *view,
    struct amount *a)
{
	const struct cJSON *list = tp_json_get(item->how, "identity");
	const char *kind = item->p->rec.kind;
	const char *beside = tp_json_text(item->how, "beside");
	const char *time = tp_json_text(item->how, "time");
	const struct tp_rec *rec;
	int64_t t, g;
	size_t at = 0;

	while ((rec = tp_set_next(view, kind, &at))) {
		if (!is_alike(list, rec, &item->p->rec) ||
		    !tp_rec_int(rec, time ? time : item->key, &t))
			continue;
		a->is_known = a->has_gain = 1;
		add_to_amount(a, t, tp_rec_int(rec, item->key, &g) ? g : 0);
	}
	at = 0;
	if (!a->is_known && beside)
		a->is_known = a->has_gain =
		    tp_set_next(view, beside, &at) != NULL;
}

/*
 * KEY of the record of KIND for PART (or NULL) in the windows compared, into
 * *N.
 */
static int
budget_number(const struct pair *p, const struct tp_set *view,
    const char *kind, const char *part, const char *key, int64_t *n)
{
	struct tp_buf name = { 0 };
	int has;

	tp_buf_fmt(&name, "%s[%s]", kind, p->is_main ? "main" : "span");
	if (part)
		tp_buf_fmt(&name, "[%s]", part);
	tp_buf_fmt(&name, ".%s", key);
	has = number(view, name.p, n);
	tp_buf_release(&name);
	return has;
}

/*
 * VIEW has no row for the time.  Parts sum to the window, so it is 0.  Small
 * rows are merged into one; if the row may be among them, it is at most that
 * row, or its part.
 */
static void
measure_absent(const struct pair *p, const struct item *item,
    const struct tp_set *view, struct amount *a)
{
	int64_t wall, rest, part;

	a->is_known = a->has_gain = a->is_absent = budget_number(p, view,
	    "budget.window", NULL, "wall_ns", &wall);
	/* parts are all written, however small */
	if (!a->is_known || !item->is_cause || !item->part ||
	    !budget_number(p, view, "budget", "other", "time_ns", &rest) ||
	    !budget_number(p, view, "budget.part", item->part, "time_ns",
	    &part))
		return;
	a->has_gain = 0;
	a->time_ns = rest < part ? rest : part;
}

static void
read_item_amount(const struct pair *p, const struct item *item,
    const struct tp_set *view, struct amount *a)
{
	const char *time = tp_json_text(item->how, "time");
	struct tp_select of;
	const struct tp_rec *rec = NULL;
	size_t at = 0;

	if (item->p->each && tp_json_get(item->how, "identity")) {
		measure_alike(item, view, a);
		return;
	}
	if (item->p->each && !strchr(item->metric.p, '.'))
		return;
	if (tp_select_split(view, item->metric.p, &of))
		rec = tp_set_next_part(view, of.records, of.records_len, &at);
	a->has_gain = rec && tp_rec_int(rec, item->key, &a->gain_ns);
	if (time && strchr(time, '.'))
		a->is_known = number(view, time, &a->time_ns);
	else if (rec)
		a->is_known = tp_rec_int(rec, time ? time : item->key,
		    &a->time_ns);
	else if (is_window(item))
		measure_absent(p, item, view, a);
}

/* The outcome for delivered_ns. */
static enum tp_outcome
outcome_of(const struct pair *p, struct tp_promise *q)
{
	double noise = p->noise * (double)q->base_ns;
	double promised = (double)q->promised_ns;
	double kept = (double)q->delivered_ns / promised;

	if (fabs((double)q->delivered_ns) < noise &&
	    promised < limit(p, "large") * noise) {
		q->because = "too-small";
		return TP_PROMISE_UNKNOWN;
	}
	return kept > limit(p, "more") ? TP_PROMISE_MORE :
	    kept >= limit(p, "done") ? TP_PROMISE_DONE :
	    kept >= limit(p, "partly") ? TP_PROMISE_PARTLY :
	    TP_PROMISE_NOT;
}

/* Measure the time of ITEM in VIEW into A, at least 0. */
static void
measure_item(const struct pair *p, const struct item *item,
    const struct tp_set *view, struct amount *a)
{
	memset(a, 0, sizeof *a);
	read_item_amount(p, item, view, a);
	TP_MOST(a->time_ns, 0);
	TP_MOST(a->gain_ns, 0);
}

/*
 * Time of SIDE, per step or run, for which the recording does not show what
 * the host did.
 */
static int64_t
unrecorded_ns(const struct pair *p, int side)
{
	const struct cJSON *i;
	int64_t n, all = 0;

	cJSON_ArrayForEach(i, tp_json_get(p->data, "untold"))
		if (cJSON_IsString(i) && budget_number(p, &p->views[side],
		    "budget.part", i->valuestring, "time_ns", &n) && n > 0)
			all = tp_promise_add(all, n);
	return tp_div_even(all, p->window.per[side]);
}

/*
 * Whether time missing from the budget may only have changed its name: it
 * may now be unrecorded, or, if it was unrecorded before, have a cause now,
 * while the step or run takes as long as before.
 */
static int
is_doubtful(const struct pair *p, const struct item *item,
    const struct tp_promise *q)
{
	int64_t moved = unrecorded_ns(p, TP_AFTER) -
	    unrecorded_ns(p, TP_BEFORE);

	if (item->part && tp_json_holds(tp_json_get(p->data, "untold"),
	    item->part))
		moved = tp_promise_add(q->delivered_ns,
		    p->base_ns[TP_AFTER] - p->base_ns[TP_BEFORE]);
	return (double)moved > (1 - limit(p, "done")) *
	    (double)q->promised_ns;
}

/* Determine the outcome of ITEM. */
static void
judge(const struct pair *p, const struct item *item, struct tp_promise *q)
{
	const struct basis *b = basis_of(p, item);
	struct amount before, after;
	int64_t promised = item->impact_ns, per = b->because ? 1 :
	    b->per[TP_BEFORE];

	memset(q, 0, sizeof *q);
	q->rule = item->p->rule;
	q->title = item->p->title;
	q->subject = item->p->subject;
	q->outcome = TP_PROMISE_UNKNOWN;
	q->basis = item->how && !b->because ? b->of : TP_OF_RUN;
	measure_item(p, item, &p->views[TP_BEFORE], &before);
	measure_item(p, item, &p->views[TP_AFTER], &after);
	/* the finding's window is not the one compared */
	if (item->how && is_window(item) && !p->is_main && before.has_gain &&
	    !b->because)
		promised = before.gain_ns;
	q->promised_ns = tp_div_even(promised, per);
	q->base_ns = q->basis == p->window.of ? p->base_ns[TP_BEFORE] :
	    p->run_ns[TP_BEFORE];
	q->because = !item->how ? "work-unknown" :
	    p->is_moved ? "other-device" : b->because ? b->because :
	    !before.is_known || !after.is_known ? "one-side" : NULL;
	if (q->because || q->promised_ns <= 0)
		return;
	q->is_measured = 1;
	q->delivered_ns = tp_div_even(before.time_ns, per) -
	    tp_div_even(after.time_ns, b->per[TP_AFTER]);
	q->has_rest = after.has_gain;
	q->remaining_ns = tp_div_even(after.gain_ns, b->per[TP_AFTER]);
	if (after.is_absent && is_doubtful(p, item, q)) {
		q->is_measured = 0;
		q->because = "one-side";
	} else if (before.has_gain && before.gain_ns < before.time_ns &&
	    after.has_gain && !after.time_ns)
		q->replaced_ns = q->delivered_ns;
	else
		q->outcome = outcome_of(p, q);
}

TP_ORDER(by_size, struct tp_promise, TP_DOWN(promised_ns)
    TP_BY(strcmp(a->rule, b->rule)))

/*
 * Replaced time delivered what the step or run got shorter by, minus what
 * other promises delivered; the largest promise gets it first.
 */
static void
share_out(const struct pair *p, struct tp_promised_trace *t)
{
	int64_t left = t->base_ns[TP_BEFORE] - t->base_ns[TP_AFTER];
	int is_known = t->base_ns[TP_BEFORE] && t->base_ns[TP_AFTER];

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_promise *q = &t->list[i];

		if (q->is_measured && !q->replaced_ns && q->basis == t->basis)
			left = tp_promise_add(left, -q->delivered_ns);
	}
	for (size_t i = 0; i < t->count; i++) {
		struct tp_promise *q = &t->list[i];

		if (!q->replaced_ns)
			continue;
		q->is_measured = is_known && q->basis == t->basis;
		if (!q->is_measured) {
			q->because = "one-side";
			continue;
		}
		q->delivered_ns = left < q->replaced_ns ? left :
		    q->replaced_ns;
		left = tp_promise_add(left, -q->delivered_ns);
		q->outcome = outcome_of(p, q);
	}
}

static void
sum(const struct pair *p, struct tp_promised_trace *t)
{
	TP_SORT(t->list, t->count, by_size);
	share_out(p, t);
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_promise *q = &t->list[i];

		t->outcomes[q->outcome]++;
		if (q->basis != t->basis)
			continue;
		t->promised_ns = tp_promise_add(t->promised_ns,
		    q->promised_ns);
		if (q->outcome != TP_PROMISE_UNKNOWN)
			t->delivered_ns = tp_promise_add(t->delivered_ns,
			    q->delivered_ns);
	}
}

/* The one of the N ITEMS that is measured like ITEM, or NULL. */
static struct item *
same_item(struct item *items, size_t n, const struct item *item)
{
	const struct cJSON *list = tp_json_get(item->how, "identity");

	for (size_t i = 0; list && item->p->each && i < n; i++)
		if (items[i].how == item->how &&
		    !strcmp(items[i].p->rule, item->p->rule) &&
		    is_alike(list, &items[i].p->rec, &item->p->rec))
			return &items[i];
	return NULL;
}

/* Turn the COUNT findings of P into promises of T. */
static void
take_all(struct pair *p, const struct tp_promised *found, size_t count,
    struct tp_promised_trace *t)
{
	struct item *items = tp_zalloc((count + 1) * sizeof *items), *same;
	size_t n = 0;

	t->list = tp_alloc((count + 1) * sizeof *t->list);
	for (size_t i = 0; i < count; i++) {
		plan_measurement(p, &items[n], &found[i]);
		same = same_item(items, n, &items[n]);
		if (!same) {
			n++;
			continue;
		}
		same->impact_ns = tp_promise_add(same->impact_ns,
		    found[i].impact_ns);
		tp_buf_release(&items[n].metric);
		memset(&items[n], 0, sizeof *items);
	}
	for (size_t i = 0; i < n; i++) {
		judge(p, &items[i], &t->list[t->count++]);
		tp_buf_release(&items[i].metric);
	}
	tp_free(items);
	t->basis = p->window.of;
	memcpy(t->base_ns, p->base_ns, sizeof t->base_ns);
	sum(p, t);
}

static int
has_text(const struct tp_rec *rec, const char *key, const char *text)
{
	const char *is = tp_rec_text(rec, key);

	return is && !strcmp(is, text);
}

/* The next row of the budget that P compares in VIEW, or NULL. */
static const struct tp_rec *
next_budget(const struct pair *p, const struct tp_set *view, size_t *at)
{
	const struct tp_rec *rec;
	const char *part;

	while ((rec = tp_set_next(view, "budget", at)))
		if ((!p->is_main || has_text(rec, "role", "main")) &&
		    has_text(rec, "scope", p->scope) &&
		    (part = tp_rec_text(rec, "part")) &&
		    strcmp(part, "other"))
			break;
	return rec;
}

static int
same_part(const struct tp_moved_part *m, const char *part, const char *cause)
{
	return !strcmp(m->part, part) && !m->cause == !cause &&
	    (!cause || !strcmp(m->cause, cause));
}

/* Add row REC of SIDE to the parts of P from FIRST on. */
static void
add_budget_change(const struct pair *p, struct tp_promises *to, size_t first,
    const struct tp_rec *rec, int side)
{
	const char *part = tp_rec_text(rec, "part");
	const char *cause = tp_rec_text(rec, "cause");
	struct tp_moved_part *m;
	size_t i = first;
	int64_t ns;

	if (!tp_rec_int(rec, "time_ns", &ns))
		return;
	while (i < to->part_count && !same_part(&to->parts[i], part, cause))
		i++;
	if (i == to->part_count) {
		m = TP_PUSH(to->parts, to->part_count, to->part_cap);
		*m = (struct tp_moved_part){ .part = part, .cause = cause,
		    .basis = p->window.of };
	}
	m = &to->parts[i];
	m->ns[side] = tp_promise_add(m->ns[side], tp_div_even(ns,
	    p->window.per[side]));
	m->is_on[side] = 1;
}

static int
by_delta(const void *a, const void *b)
{
	const struct tp_moved_part *x = a, *y = b;
	double d = fabs((double)x->delta_ns), e = fabs((double)y->delta_ns);

	if (d != e)
		return d > e ? -1 : 1;
	return strcmp(x->part, y->part) ? strcmp(x->part, y->part) :
	    strcmp(x->cause ? x->cause : "", y->cause ? y->cause : "");
}

/* Compare the budgets of a trace that is called SRC. */
static void
add_parts(const struct pair *p, struct tp_promises *to, const char *src)
{
	size_t first = to->part_count, at;
	int64_t whole = p->base_ns[TP_AFTER] - p->base_ns[TP_BEFORE];
	const struct tp_rec *rec;

	if (!p->scope || p->window.because || !p->base_ns[TP_BEFORE] ||
	    !p->base_ns[TP_AFTER])
		return;
	for (int i = 0; i < TP_SIDES; i++)
		for (at = 0; (rec = next_budget(p, &p->views[i], &at)); )
			add_budget_change(p, to, first, rec, i);
	if (fabs((double)whole) <= p->noise * (double)p->base_ns[TP_BEFORE])
		whole = 0;
	for (size_t i = first; i < to->part_count; i++) {
		struct tp_moved_part *m = &to->parts[i];

		m->src = src;
		m->delta_ns = m->ns[TP_AFTER] - m->ns[TP_BEFORE];
		m->of_change = whole ? (double)m->delta_ns / (double)whole :
		    0;
	}
	if (to->part_count > first)
		TP_SORT(to->parts + first, to->part_count - first, by_delta);
}

/*
 * Add trace BEFORE of SETS, which is called AFTER (NULL: missing) on the
 * other side.
 */
static int
add_trace(struct tp_promises *p, const struct tp_compare_rules *data,
    const struct tp_set sets[TP_SIDES], const char *const srcs[TP_SIDES],
    struct tp_err *err)
{
	struct pair pair = { .data = data->promises,
	    .noise = tp_compare_noise(data, "one_run"),
	    .same_work = tp_compare_least_of(data, "work"),
	    .run = { TP_OF_RUN, { 1, 1 }, NULL } };
	struct tp_promised *found = NULL;
	struct tp_promised_trace *t;
	size_t count = 0;
	int rc;

	for (int i = 0; i < TP_SIDES; i++)
		if (!i || srcs[i])
			tp_set_of(&sets[i], srcs[i] ? srcs[i] : "",
			    &pair.views[i]);
	rc = tp_rules_promised(p->rules, &pair.views[TP_BEFORE], &found,
	    &count, err);
	if (!rc) {
		pair.is_moved = tp_compare_is_moved(data, pair.views);
		pair.step = by_step(&pair);
		pair.steady = by_count(&pair, "steady");
		choose_window(&pair);
		measure_bases(&pair);
		add_parts(&pair, p, srcs[srcs[TP_AFTER] ? TP_AFTER :
		    TP_BEFORE]);
	}
	if (!rc && count) {
		t = TP_PUSH(p->traces, p->count, p->cap);
		t->src = srcs[TP_AFTER] ? srcs[TP_AFTER] : srcs[TP_BEFORE];
		take_all(&pair, found, count, t);
	}
	tp_free(found);
	for (int i = 0; i < TP_SIDES; i++)
		tp_set_release(&pair.views[i]);
	return rc;
}

/* Collect the traces of SET by name. */
static void
name_traces(const struct tp_set *set, struct tp_names *names)
{
	for (size_t i = 0; i < set->count; i++) {
		const char *src = set->recs[i].src;

		if (*src)
			tp_names_add(names, src, strlen(src));
	}
}

int
tp_promises_make(struct tp_promises *p, const struct tp_compare_rules *data,
    const struct tp_set sets[TP_SIDES], struct tp_err *err)
{
	struct tp_names *names = p->srcs;
	const char *srcs[TP_SIDES];
	ptrdiff_t at;
	int rc = 0;

	memset(p, 0, sizeof *p);
	if (!data->promises)
		return 0;
	p->rules = tp_rules_load(NULL, "none", &sets[TP_BEFORE], err);
	if (!p->rules)
		return -1;
	for (int i = 0; i < TP_SIDES; i++)
		name_traces(&sets[i], &names[i]);
	for (size_t i = 0; !rc && i < names[TP_BEFORE].count; i++) {
		const struct tp_name *n = &names[TP_BEFORE].names[i];

		srcs[TP_BEFORE] = n->text;
		srcs[TP_AFTER] = NULL;
		/* single traces match, whatever their names */
		at = names[0].count == 1 && names[1].count == 1 ? 0 :
		    tp_names_find(&names[TP_AFTER], n->text, n->len);
		if (at >= 0)
			srcs[TP_AFTER] = names[TP_AFTER].names[at].text;
		rc = add_trace(p, data, sets, srcs, err);
	}
	return rc;
}
