/* runs - the files of a run folder of ExecuTorch, by purpose */
#include <stdio.h>

#include "look_parts.h"

/* File name endings of an experiment, and the role of each. */
static const struct ending {
	const char *end, *role;
} endings[] = {
	{ "_exec_all_runs_timeline", "run" },
	{ "_exec_run0_timeline", "run" },
	{ "_exec_ops_stats", "run" },
	{ "_xtrace_all_runs_timeline", "xtrace" },
	{ "_xtrace_run0_timeline", "xtrace" },
	{ "_xtrace_ops_stats", "xtrace" },
	{ "_all_runs_timeline", "run" },
	{ "_run0_timeline", "run" },
	{ "_ops_stats", "run" },
	{ "_xnntrace", "kernels" },
	{ "_kernels", "kernels" },
	{ "_latency", "log" },
	{ NULL, "run" },
};

/* The name of F without its ending; *E is the ending. */
static char *
stem_of(struct tp_look *look, const struct tp_look_file *f,
    const struct ending **e)
{
	static const char *const forms[] = { ".csv", ".tsv", ".log", ".etdp",
	    ".etdump" };
	const char *name = tp_base(f->path);
	size_t len = tp_in_stem(name, strlen(name)), n;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		n = strlen(forms[i]);
		if (len > n && !memcmp(name + len - n, forms[i], n))
			len -= n;
	}
	for (*e = endings; (*e)->end; ++*e) {
		n = strlen((*e)->end);
		if (len > n && !memcmp(name + len - n, (*e)->end, n)) {
			len -= n;
			break;
		}
	}
	return tp_look_text(look, "%.*s", (int)len, name);
}

/*
 * The number of the experiment in FOLDER whose files begin with STEM, or of the
 * rows OF something in such a file (NULL: all), from 1.  A second one with the
 * same stem has its folder in its name.
 */
static size_t
experiment(struct tp_look *look, const char *folder, const char *stem,
    const char *of)
{
	struct tp_look_experiment *x;
	const char *name = of && *of ? tp_look_text(look, "%s: %s", stem, of) :
	    stem;
	size_t i;

	for (i = 0; i < look->experiment_count; i++) {
		x = &look->experiments[i];
		if (!strcmp(x->folder, folder) && !strcmp(x->stem, stem) &&
		    !x->of == !of && (!of || !strcmp(x->of, of)))
			return i + 1;
		if (!strcmp(x->name, name))
			name = tp_look_text(look, "%s/%s",
			    tp_base(folder), name);
	}
	TP_APPEND(look->experiments, look->experiment_count,
	    look->experiment_cap, (struct tp_look_experiment){ name, folder,
	    stem, of, NULL });
	return look->experiment_count;
}

/*
 * An experiment for each of NAMES, what the rows of F are of.  Returns the
 * number of the first.
 */
static size_t
experiments(struct tp_look *look, const struct tp_look_file *f,
    const char *folder, const char *stem, const struct tp_names *names)
{
	const char *of;
	size_t first = 0, at;

	for (size_t i = 0; i < names->count; i++) {
		of = tp_look_text(look, "%s", names->names[i].text);
		at = experiment(look, folder, stem, of);
		if (!look->experiments[at - 1].file)
			look->experiments[at - 1].file = f;
		first = first ? first : at;
	}
	return first;
}

/*
 * Assign F to an experiment as ROLE; WHAT is its description for people.  A
 * second file of the same kind is not used.
 */
static void
link_run(struct tp_look *look, struct tp_look_file *f, const char *stem,
    const struct ending *e, const char *role, const char *what)
{
	const char *base = tp_base(f->path);
	char *folder = tp_look_text(look, "%.*s",
	    base > f->path ? (int)(base - f->path - 1) : 0, f->path);
	struct tp_names names = { 0 };
	size_t n;

	tp_look_sources(look, f, &names);
	n = names.count ? experiments(look, f, folder, stem, &names) :
	    experiment(look, folder, stem, NULL);
	tp_names_release(&names);
	f->what = what;
	f->whole_place = 1;
	snprintf(f->link, sizeof f->link, "run-%03zu%s", n, e->end ? e->end :
	    "_table");
	for (const struct tp_look_file *o = look->files; o < f; o++)
		if (!strcmp(o->link, f->link)) {
			f->link[0] = '\0';
			f->role = NULL;
			tp_look_refuse(look, f, TP_LOOK_UNUSED,
			    "table.repeated", "a second %s of this "
			    "experiment, not used", what);
			return;
		}
	f->role = tp_look_text(look, "%s-%03zu", role, n);
	f->state = TP_LOOK_USED;
	f->why = NULL;
}

static void
numbered(struct tp_look *look, struct tp_look_file *f, const char *role,
    const char *what)
{
	f->role = role;
	f->what = what;
	f->why = NULL;
	f->whole_place = 1;
	f->state = TP_LOOK_USED;
	snprintf(f->link, sizeof f->link, "%s-%06zu", role,
	    (size_t)(f - look->files) + 1);
}

/*
 * Classify a text by its contents.  An empty log means that the runner logs no
 * kernels.
 */
static void
take_log(struct tp_look *look, struct tp_look_file *f, const char *stem,
    const struct ending *e)
{
	static const struct ending log = { "_xnntrace", "kernels" };

	if (f->table && !strcmp(f->table, "runner-log"))
		numbered(look, f, "log", "log of a runner");
	else if ((f->table && !strcmp(f->table, "log")) ||
	    (e->end && !strcmp(e->end, log.end)))
		link_run(look, f, stem, &log, log.role, "log of kernels");
}

static void
take_document(struct tp_look *look, struct tp_look_file *f)
{
	static const char *const results[] = { "_robust_stats.json",
	    "_comparison.json", "operator_analysis.json",
	    "analysis_summary.json" };
	const char *name = tp_base(f->path);
	int made = 0;

	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		made |= i < 2 ? tp_look_ends(name, results[i]) :
		    !strcmp(name, results[i]);
	if (!made) {
		numbered(look, f, "doc", "document");
		return;
	}
	f->role = NULL;
	tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
	    "result of an analysis, not used");
}

static const struct ending dump = { "_etdump", "run" };

/*
 * Use a file that was lost on the way, so that the filters and the report say
 * so.
 */
static void
take_lost(struct tp_look *look, struct tp_look_file *f, const char *stem,
    const struct ending *e)
{
	const char *name = tp_base(f->path);

	f->role = NULL;
	if (tp_look_ends(name, ".json")) {
		if (f->is_broken)
			tp_look_refuse(look, f, TP_LOOK_LOST, "input.unknown",
			    "no JSON");
		else
			tp_look_refuse(look, f, TP_LOOK_LOST, "input.empty",
			    "%s instead of a document",
			    tp_format_name(f->format));
		return;
	}
	f->what = tp_look_text(look, "%s instead of a file of the run",
	    tp_format_name(f->format));
	if (tp_look_ends(name, ".log")) {
		take_log(look, f, stem, e);
		if (!f->role && f->is_broken)
			tp_look_refuse(look, f, TP_LOOK_LOST, "input.unknown",
			    "no log");
	} else if (tp_look_ends(name, ".etdp") ||
	    tp_look_ends(name, ".etdump")) {
		link_run(look, f, stem, &dump, dump.role, f->what);
	} else if (e->end && (tp_look_ends(name, ".csv") ||
	    tp_look_ends(name, ".tsv"))) {
		link_run(look, f, stem, e, e->role, f->what);
	}
}

/* Use text with a table, or what may be a log. */
static void
take_table(struct tp_look *look, struct tp_look_file *f, const char *stem,
    const struct ending *e)
{
	static const struct ending list = { "_kernels", "kernels" };
	static const struct ending table = { NULL, "run" };

	if (f->table && !strcmp(f->table, "xnnpack-kernels")) {
		link_run(look, f, stem, &list, list.role, "list of kernels");
	} else if (tp_look_is_role(f, "experiment")) {
		if (!e->end || (!tp_look_ends(e->end, "_ops_stats") &&
		    !tp_look_ends(e->end, "_timeline")))
			e = &table;
		link_run(look, f, stem, e, e->role, f->what);
	} else if (!f->table && e->end && tp_look_ends(tp_base(f->path),
	    ".csv")) {
		take_lost(look, f, stem, e);
	} else {
		f->role = NULL;
		f->state = TP_LOOK_UNUSED;
		take_log(look, f, stem, e);
	}
}

static void
assign_run_role(struct tp_look *look, struct tp_look_file *f)
{
	static const struct ending traced = { "_etdump", "xtrace" };
	const struct ending *e, *dumped;
	char *stem = stem_of(look, f, &e);

	if (f->is_broken) {
		take_lost(look, f, stem, e);
		return;
	}
	if (f->format == TP_FORMAT_JSON && !tp_look_is_table(f)) {
		take_document(look, f);
		return;
	}
	switch (f->format) {
	case TP_FORMAT_JSON:
	case TP_FORMAT_CSV:
		take_table(look, f, stem, e);
		break;
	case TP_FORMAT_ETDUMP:
		dumped = e->end && !strcmp(e->role, traced.role) ? &traced :
		    &dump;
		link_run(look, f, stem, dumped, dumped->role, f->what);
		break;
	case TP_FORMAT_PTE:
		numbered(look, f, "program", "program of ExecuTorch");
		break;
	case TP_FORMAT_EMPTY:
	case TP_FORMAT_LFS:
	case TP_FORMAT_HTML:
	case TP_FORMAT_UTF16:
		take_lost(look, f, stem, e);
		break;
	default:
		f->role = NULL;
		if (f->state != TP_LOOK_LOST)
			f->state = TP_LOOK_UNUSED;
	}
}

void
tp_look_runs(struct tp_look *look)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->files[i].format != TP_FORMAT_UNKNOWN)
			assign_run_role(look, &look->files[i]);
}

void
tp_look_leave_runs(struct tp_look *look)
{
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (tp_look_is_role(f, "metrics"))
			f->role = NULL;
		if (!tp_look_is_role(f, "experiment") &&
		    !tp_look_is_role(f, "kernels"))
			continue;
		f->role = f->format == TP_FORMAT_ETDUMP ? NULL : "other";
		f->state = TP_LOOK_COUNTED;
		if (!f->role)
			tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
			    "an ETDump, not used here; name it alone");
	}
}
