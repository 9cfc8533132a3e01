/* pairing - match the experiments of two run folders */
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/accel.h>
#include <tp/judge/pairing.h>
#include <tp/text.h>

static const char latency[] = "latency.summary[run]";

/* The record of KIND about the experiment SRC; NULL: none. */
static const struct tp_rec *
find_record_about(const struct tp_set *set, const char *kind, const char *src)
{
	const char *key = !strcmp(kind, "experiment") ? "records_src" : "src";
	const struct tp_rec *rec;

	for (size_t at = 0; (rec = tp_set_next(set, kind, &at)); )
		if (tp_same(tp_rec_text(rec, key), src))
			return rec;
	return NULL;
}

/* Fill in from REC what is still unknown about P. */
static void
fill_in_unknown(struct tp_paired *p, const struct tp_rec *rec)
{
	const struct {
		const char **at, *key;
	} texts[] = {
		{ &p->name, "experiment" },
		{ &p->joined, "experiment_joined" },
		{ &p->model, "model" }, { &p->system, "system" },
		{ &p->build, "build" },
	};

	for (size_t i = 0; rec && i < sizeof texts / sizeof *texts; i++)
		if (!*texts[i].at)
			*texts[i].at = tp_rec_text(rec, texts[i].key);
	if (rec && p->threads < 0)
		tp_rec_int(rec, "threads", &p->threads);
}

static void
find_traces(struct tp_pairing *p, const struct tp_set *set, int side)
{
	const struct tp_rec *rec;
	struct tp_paired *t;

	for (size_t at = 0; (rec = tp_set_next(set, latency, &at)); ) {
		t = TP_PUSH(p->list[side], p->count[side], p->cap[side]);
		*t = (struct tp_paired){ .src = rec->src, .threads = -1,
		    .other = -1 };
		fill_in_unknown(t,
		    find_record_about(set, "experiment", rec->src));
		fill_in_unknown(t,
		    find_record_about(set, "latency.setup", rec->src));
		if (!t->name)
			t->name = t->src;
		if (!t->joined)
			t->joined = t->name;
	}
}

/* What a pair must have in common. */
struct likeness {
	enum { BY_SRC, BY_NAME, BY_JOINED } by;
	int build, system, threads, model;
};

static int
fits(const struct tp_paired *b, const struct tp_paired *a,
    const struct likeness *l)
{
	if (l->model && b->model && a->model && strcmp(b->model, a->model))
		return 0;
	if ((l->build && !tp_same(b->build, a->build)) ||
	    (l->system && !tp_same(b->system, a->system)) ||
	    (l->threads && b->threads != a->threads))
		return 0;
	return l->by == BY_SRC ? tp_same(b->src, a->src) : l->by == BY_NAME ?
	    tp_same(b->name, a->name) : tp_same(b->joined, a->joined);
}

static void
pair_by(struct tp_pairing *p, const struct likeness *l)
{
	for (size_t i = 0; i < p->count[TP_BEFORE]; i++) {
		struct tp_paired *b = &p->list[TP_BEFORE][i];

		for (size_t k = 0; b->other < 0 && k < p->count[TP_AFTER];
		    k++) {
			struct tp_paired *a = &p->list[TP_AFTER][k];

			if (a->other >= 0 || !fits(b, a, l))
				continue;
			b->other = (ptrdiff_t)k;
			a->other = (ptrdiff_t)i;
			p->pairs++;
		}
	}
}

static void
pair(struct tp_pairing *p, int across)
{
	static const struct likeness close[] = {
		{ BY_SRC, 1, 1, 1, 1 }, { BY_NAME, 1, 1, 1, 1 },
		{ BY_JOINED, 0, 1, 1, 1 },
	}, loose[] = {
		{ BY_JOINED, 1, 0, 1, 1 }, { BY_JOINED, 1, 0, 0, 1 },
		{ BY_NAME, 1, 1, 1, 0 }, { BY_JOINED, 1, 0, 0, 0 },
		{ BY_JOINED, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof close / sizeof *close; i++)
		pair_by(p, &close[i]);
	if (across || !p->pairs)
		for (size_t i = 0; i < sizeof loose / sizeof *loose; i++)
			pair_by(p, &loose[i]);
}

/* The trace of SIDE that REC belongs to; NULL: none. */
static const struct tp_paired *
trace_of(const struct tp_pairing *p, int side, const struct tp_rec *rec)
{
	const char *src = !strcmp(rec->kind, "experiment") ?
	    tp_rec_text(rec, "records_src") : rec->src;

	for (size_t i = 0; src && i < p->count[side]; i++)
		if (!strcmp(p->list[side][i].src, src))
			return &p->list[side][i];
	return NULL;
}

void
tp_pairing_keep(const struct tp_pairing *p, struct tp_set *set, int side)
{
	const struct tp_paired *t;
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct tp_rec *rec = &set->recs[i];

		t = trace_of(p, side, rec);
		if ((t && t->other < 0) ||
		    !strcmp(rec->kind, "experiment.pair"))
			continue;
		if (t && p->pairs > 1)
			rec->src = side == TP_AFTER ? t->src :
			    p->list[TP_AFTER][t->other].src;
		set->recs[kept++] = *rec;
	}
	tp_set_cut(set, kept);
}

static int
fail_apart(const struct tp_pairing *p, struct tp_err *err)
{
	struct tp_buf words = { 0 };
	int rc;

	for (int s = 0; s < TP_SIDES; s++) {
		tp_buf_str(&words, s ? ", after are" : "before are");
		for (size_t i = 0; i < p->count[s]; i++)
			tp_buf_fmt(&words, "%s '%.60s'", i ? "," : "",
			    p->list[s][i].name);
	}
	rc = tp_fail(err, TP_BAD, "compare.unmatched", 0,
	    "no experiment is in both: %s", words.p);
	tp_buf_release(&words);
	return rc;
}

static const char *
name_of(const struct tp_set *set)
{
	static const char folder[] = "experiment.folder";
	const struct tp_rec *rec;
	size_t at = 0;

	rec = tp_set_next(set, folder, &at);
	return rec ? rec->src : NULL;
}

/* A side has more than one experiment. */
static int
is_many(const struct tp_pairing *p)
{
	return p->count[TP_BEFORE] > 1 || p->count[TP_AFTER] > 1;
}

int
tp_pairing_make(struct tp_pairing *p, struct tp_set sets[TP_SIDES],
    int across, struct tp_err *err)
{
	memset(p, 0, sizeof *p);
	for (int s = 0; s < TP_SIDES; s++)
		find_traces(p, &sets[s], s);
	if (!p->count[TP_BEFORE] || !p->count[TP_AFTER])
		return 0;
	pair(p, across);
	if (!is_many(p)) {
		/* a single one on each side is the pair */
		p->list[TP_BEFORE]->other = p->list[TP_AFTER]->other = 0;
		p->pairs = 1;
		return 0;
	}
	if (!p->pairs)
		return fail_apart(p, err);
	for (int s = 0; s < TP_SIDES; s++) {
		if (p->pairs > 1)
			p->name[s] = name_of(&sets[s]);
		tp_pairing_keep(p, &sets[s], s);
	}
	return 0;
}

/* Views of the records of SETS that belong to the pair of AT, a trace after. */
static void
view(const struct tp_pairing *p, const struct tp_set sets[TP_SIDES],
    const struct tp_paired *at, struct tp_set of[TP_SIDES])
{
	memset(of, 0, TP_SIDES * sizeof *of);
	for (int s = 0; s < TP_SIDES; s++) {
		const char *src = p->pairs > 1 || s == TP_AFTER ? at->src :
		    p->list[TP_BEFORE][at->other].src;

		for (size_t i = 0; i < sets[s].count; i++)
			if (!strcmp(sets[s].recs[i].src, src) ||
			    (p->pairs == 1 && trace_of(p, s, &sets[s].recs[i])))
				tp_set_push(&of[s], &sets[s].recs[i]);
	}
}

static void
free_view(struct tp_set of[TP_SIDES])
{
	for (int s = 0; s < TP_SIDES; s++)
		tp_set_release(&of[s]);
}

void
tp_pairing_differs(const struct tp_pairing *p,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_buf *words)
{
	struct tp_buf one = { 0 };
	struct tp_set of[TP_SIDES];

	/* no experiments: compare the sides as a whole */
	if (!p->pairs)
		tp_compare_differs(rules, sets, words);
	for (size_t i = 0; p->pairs && i < p->count[TP_AFTER]; i++) {
		const struct tp_paired *a = &p->list[TP_AFTER][i];

		if (a->other < 0)
			continue;
		tp_buf_clear(&one);
		view(p, sets, a, of);
		tp_compare_differs(rules, of, &one);
		free_view(of);
		/* say it once if it holds for several */
		if (one.len && (!words->len || !strstr(words->p, one.p)))
			tp_buf_fmt(words, "%s%s", words->len ? "; " : "",
			    one.p);
	}
	tp_buf_release(&one);
}

static void
begin_experiment(struct tp_out *out, const struct tp_paired *t)
{
	tp_out_begin(out, "compare.experiment");
	tp_out_text(out, "experiment", t->name);
	tp_out_text(out, "model", t->model);
	tp_out_text(out, "system", t->system);
	tp_out_known(out, "threads", t->threads);
}

static int
emit_pair(const struct tp_pairing *p, const struct tp_comparison *c,
    const struct tp_set sets[TP_SIDES], const struct tp_paired *a,
    struct tp_out *out, struct tp_err *err)
{
	const struct tp_paired *b = &p->list[TP_BEFORE][a->other];
	const char *const names[] = { "run before", "run after" };
	const char *src = out->src;
	struct tp_set of[TP_SIDES];
	struct tp_accel accel = { 0 };
	int rc;

	view(p, sets, a, of);
	rc = tp_accel_make(&accel, c->rules, of, NULL, err);
	accel.comparison = c;
	accel.src = p->pairs > 1 ? a->src : NULL;
	if (rc >= 0) {
		begin_experiment(out, a);
		tp_out_text(out, "before", b->src);
		tp_out_text(out, "after", a->src);
		if (!tp_same(b->name, a->name))
			tp_out_text(out, "baseline_experiment", b->name);
		if (rc)
			tp_accel_emit_run(&accel, out);
		tp_out_end(out);
	}
	if (rc > 0 && p->pairs > 1) {
		out->src = a->src;
		tp_accel_emit(&accel, names, out);
		out->src = src;
	}
	tp_accel_release(&accel);
	free_view(of);
	return rc < 0 ? -1 : 0;
}

/* Write the experiments of SIDE without a pair. */
static void
emit_alone(const struct tp_pairing *p, int side, struct tp_out *out)
{
	struct tp_buf names = { 0 };
	uint64_t n = 0;

	for (size_t i = 0; i < p->count[side]; i++) {
		const struct tp_paired *t = &p->list[side][i];

		if (t->other >= 0)
			continue;
		begin_experiment(out, t);
		tp_out_text(out, tp_side_name(side), t->src);
		tp_out_text(out, "side", tp_side_name(side));
		tp_out_end(out);
		tp_buf_fmt(&names, "%s '%.60s'", n++ ? "," : "", t->name);
	}
	if (n)
		tp_out_note(out, "compare.unmatched", 0, n, "experiments %s "
		    "without a counterpart, not compared:%s",
		    tp_side_name(side), names.p);
	tp_buf_release(&names);
}

int
tp_pairing_emit(const struct tp_pairing *p,
    const struct tp_comparison *c, const struct tp_set sets[TP_SIDES],
    struct tp_out *out, struct tp_err *err)
{
	if (!is_many(p))
		return 0;
	for (size_t i = 0; i < p->count[TP_AFTER]; i++)
		if (p->list[TP_AFTER][i].other >= 0 && emit_pair(p, c,
		    sets, &p->list[TP_AFTER][i], out, err) < 0)
			return -1;
	for (int s = 0; s < TP_SIDES; s++)
		emit_alone(p, s, out);
	return 0;
}
