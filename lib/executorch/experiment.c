/* experiment - find the experiments of a run folder, and pair them */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/text.h>

#include "experiment_private.h"

/* The experiment with the records of SRC, created if new. */
static struct tp_experiment *
of_src(struct tp_experiments *e, const char *src)
{
	struct tp_experiment *x;

	for (size_t i = e->count; i--; )
		if (!strcmp(e->list[i].src, src))
			return &e->list[i];
	x = TP_PUSH(e->list, e->count, e->cap);
	x->number = (int64_t)e->count;
	x->src = tp_experiments_keep(e, src);
	x->threads = -1;
	return x;
}

int
tp_experiments_record(struct tp_experiments *e, const struct tp_rec *rec,
    const char *line, size_t len, struct tp_err *err)
{
	static const char *const kinds[] = { "latency.summary",
	    "delegation.summary", "op.category" };
	const char *basis = tp_rec_text(rec, "basis");

	of_src(e, rec->src);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(rec->kind, kinds[i]) && basis &&
		    !strcmp(basis, "run"))
			return tp_set_add(&e->set, line, len, err);
	return strcmp(rec->kind, "source") ? 0 :
	    tp_set_add(&e->set, line, len, err);
}

/* Experiments of one file are told apart by their src alone. */
static void
name_shared(struct tp_experiments *e)
{
	for (size_t i = 0; i < e->count; i++)
		for (size_t k = 0; k < e->count; k++)
			if (i != k && e->list[i].file && e->list[k].file &&
			    !strcmp(e->list[i].file, e->list[k].file))
				e->list[i].stem = NULL;
}

static void
collect(struct tp_experiments *e)
{
	const struct tp_rec *r;
	struct tp_experiment *x;
	const char *file, *base;
	size_t len;

	for (size_t i = 0; i < e->set.count; i++) {
		r = &e->set.recs[i];
		if (!strcmp(r->kind, "op.category"))
			continue;
		x = of_src(e, r->src);
		if (!strcmp(r->kind, "latency.summary"))
			x->latency = r;
		else if (!strcmp(r->kind, "delegation.summary"))
			x->delegation = r;
		/*
		 * a program (.pte) beside the tables does not name an
		 * experiment
		 */
		file = strcmp(r->kind, "source") ||
		    !tp_rec_text(r, "schema") ? NULL : tp_rec_text(r, "file");
		if (!file || x->stem)
			continue;
		x->file = file;
		base = tp_experiment_base(file, &len);
		x->stem = tp_arena_text(&e->arena, base, len);
	}
	name_shared(e);
}

int64_t
tp_experiment_threads(const char *stem, size_t *len)
{
	size_t n = strlen(stem), digits = n;

	*len = n;
	while (digits && stem[digits - 1] >= '0' && stem[digits - 1] <= '9')
		digits--;
	if (digits < 2 || digits == n || n - digits > 6 ||
	    memcmp(stem + digits - 2, "_t", 2))
		return -1;
	*len = digits - 2;
	return strtoll(stem + digits, NULL, 10);
}

/*
 * Whether the LEN bytes at STEM end in NAME, after a separator or as a whole.
 */
static int
ends_in(const char *stem, size_t len, const char *name)
{
	size_t n = strlen(name);

	return n && n <= len && !memcmp(stem + len - n, name, n) &&
	    (n == len || stem[len - n - 1] == '_');
}

/*
 * The longest name in the documents that the LEN bytes at STEM end in, or NULL.
 */
static const char *
known_name(const struct tp_experiments *e, const char *stem, size_t len)
{
	const char *best = NULL, *name;

	for (size_t i = 0; i < e->said_count; i++) {
		name = e->said[i].name;
		if (e->said[i].by != TP_RUN_LOG && ends_in(stem, len, name) &&
		    (!best || strlen(name) > strlen(best)))
			best = name;
	}
	return best;
}

/*
 * The length of the model name in the documents that the LEN bytes at STEM
 * begin with, or 0.
 */
static size_t
known_model(const struct tp_experiments *e, const char *stem, size_t len)
{
	const char *model;
	size_t n, best = 0;

	for (size_t i = 0; i < e->said_count; i++) {
		model = e->said[i].model;
		n = model ? strlen(model) : 0;
		if (n > best && n + 1 < len && stem[n] == '_' &&
		    !memcmp(stem, model, n))
			best = n;
	}
	return best;
}

/* Set the system X ran on from the first name that states one. */
static void
find_system(const struct tp_experiments *e, struct tp_experiment *x)
{
	const char *runner = NULL;

	for (size_t i = 0; i < e->said_count && !runner; i++)
		if (e->said[i].runner && !strcmp(e->said[i].name, x->name))
			runner = e->said[i].runner;
	const struct {
		const char *name, *of;
	} told[] = {
		{ x->name, "experiment" }, { runner, "runner" },
		{ e->output_root, "folder" }, { e->folder, "folder" },
	};
	for (size_t i = 0; i < sizeof told / sizeof *told && !x->system; i++) {
		x->system = tp_experiments_word(e, "systems", "system",
		    told[i].name, NULL, NULL);
		x->system_from = told[i].of;
	}
}

/* Split the name of X into model, build, threads and the rest. */
static void
split_run_name(struct tp_experiments *e, struct tp_experiment *x)
{
	const char *stem = x->stem ? x->stem : x->src, *name;
	size_t len, at = 0, cut = 0, n, of_model;
	struct tp_buf rest = { 0 };

	x->threads = tp_experiment_threads(stem, &len);
	name = known_name(e, stem, len);
	of_model = name ? 0 : known_model(e, stem, len);
	n = name ? strlen(name) : len - of_model - (of_model > 0);
	x->name = tp_arena_text(&e->arena, stem + len - n, n);
	if (n + 1 < len)
		x->model = tp_arena_text(&e->arena, stem, len - n - 1);
	x->build = tp_experiments_word(e, "builds", "build", x->name, &at,
	    &cut);
	tp_buf_fmt(&rest, "%.*s%s", (int)at, x->name, x->name + at + cut);
	x->rest = tp_experiments_keep(e, rest.p);
	tp_buf_clear(&rest);
	tp_experiment_join_name(e, x->name, strlen(x->name), &rest);
	x->joined = tp_experiments_keep(e, rest.p);
	tp_buf_release(&rest);
	find_system(e, x);
}

int
tp_experiment_is(const struct tp_experiment *x,
    const struct tp_experiment_said *s)
{
	size_t len;
	int64_t threads;

	if (s->model && x->model && strcmp(s->model, x->model))
		return 0;
	if (s->by != TP_RUN_LOG)
		return !strcmp(s->name, x->name) && (s->threads < 0 ||
		    x->threads < 0 || s->threads == x->threads);
	/* a log is named after the experiment or after its files */
	threads = tp_experiment_threads(s->name, &len);
	return (x->stem && !strcmp(s->name, x->stem)) ||
	    (strlen(x->name) == len && !memcmp(s->name, x->name, len) &&
	    (threads < 0 || x->threads < 0 || threads == x->threads));
}

int
tp_experiment_is_trace(const struct tp_experiment_said *s)
{
	return s->mode && !strcmp(s->mode, "xnntrace");
}

/*
 * Set the document entry of X, preferably one that states the runner, and takes
 * the thread count from it.
 */
static void
find_said(const struct tp_experiments *e, struct tp_experiment *x)
{
	const struct tp_experiment_said *s;

	for (size_t i = 0; i < e->said_count; i++) {
		s = &e->said[i];
		if (s->by == TP_RUN_LOG || tp_experiment_is_trace(s) ||
		    !tp_experiment_is(x, s))
			continue;
		if (!x->said || (!x->said->runner && s->runner))
			x->said = s;
		if (x->threads < 0)
			x->threads = s->threads;
	}
}

static int
is_build(const struct tp_experiment *x, const char *build)
{
	return x->latency && x->build && !strcmp(x->build, build);
}

static void
add_pair(struct tp_experiments *e, size_t baseline, size_t candidate,
    int wished)
{
	TP_APPEND(e->pairs, e->pair_count, e->pair_cap,
	    (struct tp_experiment_pair){ { baseline, candidate }, wished });
	e->list[baseline].paired = e->list[candidate].paired = 1;
}

/*
 * The experiment with a latency that side I of the wish W names, or e->count.
 */
static size_t
wished(const struct tp_experiments *e, const struct tp_experiment_wish *w,
    int i)
{
	const struct tp_experiment *x;
	size_t k;

	for (k = 0; k < e->count; k++) {
		x = &e->list[k];
		if (x->latency && !strcmp(x->name, w->name[i]) &&
		    (w->threads[i] < 0 || x->threads < 0 ||
		    x->threads == w->threads[i]))
			break;
	}
	return k;
}

static void
pair_by_wish(struct tp_experiments *e)
{
	size_t side[2];

	for (size_t i = 0; i < e->wish_count; i++) {
		for (int k = 0; k < 2; k++)
			side[k] = wished(e, &e->wishes[i], k);
		if (side[0] < e->count && side[1] < e->count && side[0] !=
		    side[1])
			add_pair(e, side[0], side[1], 1);
	}
}

static int64_t
runs_of(const struct tp_experiment *x)
{
	int64_t n = 0;

	tp_rec_int(x->latency, "run_count", &n);
	return n;
}

/*
 * The unpaired experiment that differs from OFF in the build only, the one with
 * the most runs; e->count if there is none.
 */
static size_t
partner(const struct tp_experiments *e, const struct tp_experiment *off)
{
	const struct tp_experiment *x;
	size_t best = e->count;

	for (size_t k = 0; k < e->count; k++) {
		x = &e->list[k];
		if (is_build(x, "on") && !x->paired &&
		    tp_same(x->model, off->model) &&
		    tp_same(x->rest, off->rest) &&
		    tp_same(x->system, off->system) &&
		    x->threads == off->threads && (best == e->count ||
		    runs_of(x) > runs_of(&e->list[best])))
			best = k;
	}
	return best;
}

static void
pair_by_name(struct tp_experiments *e)
{
	size_t on;

	for (size_t i = 0; i < e->count; i++) {
		if (!is_build(&e->list[i], "off") || e->list[i].paired)
			continue;
		on = partner(e, &e->list[i]);
		if (on < e->count)
			add_pair(e, i, on, 0);
	}
}

int
tp_experiments_join(struct tp_experiments *e, struct tp_err *err)
{
	if (tp_experiments_tell(e, err) < 0)
		return -1;
	collect(e);
	for (size_t i = 0; i < e->count; i++) {
		split_run_name(e, &e->list[i]);
		find_said(e, &e->list[i]);
	}
	pair_by_wish(e);
	pair_by_name(e);
	return 0;
}

void
tp_experiments_release(struct tp_experiments *e)
{
	tp_free(e->said);
	tp_free(e->files);
	tp_free(e->wishes);
	tp_free(e->list);
	tp_free(e->pairs);
	tp_set_release(&e->set);
	tp_out_release(&e->document_records);
	tp_arena_release(&e->arena);
	cJSON_Delete(e->words);
	memset(e, 0, sizeof *e);
}
