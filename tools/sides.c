/* sides - read the runs that are compared */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/alloc.h>
#include <tp/file.h>
#include <tp/in.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/judge/fusion.h>
#include <tp/read/summary.h>

#include "sides.h"

const char *tp_given[TP_SIDES][TP_OPT_LIST_MAX];

static const char *
shown(const char *file)
{
	return strcmp(file, "-") ? file : "<stdin>";
}

/* The document of RUN as the records of SET. */
static void
take_document(struct tp_run *run, struct tp_sides *s, struct tp_set *set)
{
	struct tp_summary_origin origin;
	struct tp_out out;
	char *name;

	if (cJSON_IsArray(tp_json_get(run->document, "runs")))
		tp_die(run, TP_BAD, "%s: results of a benchmark; tp-bench "
		    "makes records of them, which are compared", run->file);
	if (tp_summary_check(run->document, &run->err) < 0)
		tp_die_err(run);
	tp_out_init(&out, -1);
	tp_summary_origin_of(run->document, &origin);
	name = tp_trace_name(origin.source_path ? origin.source_path :
	    run->operands[run->input]);
	out.src = name;
	tp_summary_records(run->document, &out);
	if (tp_set_take(set, &out, &run->err) < 0)
		tp_die_err(run);
	tp_out_release(&out);
	tp_free(name);
	cJSON_Delete(s->documents[run->input]);
	s->documents[run->input] = run->document;
	run->document = NULL;
}

static void
add_name(struct tp_sides *s, const char *path)
{
	TP_APPEND(s->names, s->name_count, s->name_cap, tp_dup(path));
}

/* PATH, found in a folder, when its name is that of records or a document. */
static int
add_found(void *arg, const char *path, struct tp_err *err)
{
	static const char *const ends[] = { ".jsonl", ".json" };
	size_t len = tp_in_stem(path, strlen(path)), n;

	(void)err;
	for (int i = 0; i < 2; i++)
		if (len > (n = strlen(ends[i])) &&
		    !memcmp(path + len - n, ends[i], n))
			add_name(arg, path);
	return 0;
}

TP_ORDER(by_bytes, char *const, TP_BY(strcmp(*a, *b)))

/* The files of GIVEN, those of a folder in the order of their names. */
static void
add_files(struct tp_run *run, struct tp_sides *s, int side, const char *given)
{
	const struct tp_file_walk walk = { .file = add_found, .arg = s };
	size_t had = s->name_count;
	struct stat st;

	if (strcmp(given, "-") && !stat(given, &st) && S_ISDIR(st.st_mode)) {
		if (tp_file_visit(given, &walk, &run->err) < 0)
			tp_die_err(run);
		if (s->name_count == had)
			tp_die(run, TP_BAD, "%s: no file in it is called "
			    "*.jsonl or *.json", given);
		qsort(s->names + had, s->name_count - had, sizeof *s->names,
		    by_bytes);
	} else {
		add_name(s, given);
	}
	s->runs[side].count += s->name_count - had;
}

/* Who is compared with whom; what is before comes first. */
static void
find_files(struct tp_run *run, struct tp_sides *s, int from_past)
{
	int given = *tp_given[TP_BEFORE] || *tp_given[TP_AFTER];

	if (given && run->first)
		tp_die(run, TP_USAGE, "give the runs with --before and "
		    "--after, or as two operands");
	if (given && !*tp_given[TP_AFTER])
		tp_die(run, TP_USAGE, "give --after too");
	if (given && !*tp_given[TP_BEFORE] && !from_past)
		tp_die(run, TP_USAGE, "give --before too");
	if (!given && (!run->first || run->operand_count > 1))
		tp_die(run, TP_USAGE, "give two files, BEFORE and AFTER, not "
		    "%d", run->first ? run->operand_count + 1 : 0);
	for (int side = 0; given && side < TP_SIDES; side++)
		for (const char **g = tp_given[side]; *g; g++)
			add_files(run, s, side, *g);
	if (given)
		return;
	if (!run->operand_count)
		tp_need_input(run);
	add_files(run, s, TP_BEFORE, run->first);
	add_files(run, s, TP_AFTER, run->operand_count ? *run->operands :
	    "-");
}

/* Room for all runs, one after the other. */
static void
make_room(struct tp_sides *s)
{
	s->runs[TP_BEFORE].sets = tp_zalloc(s->name_count *
	    sizeof *s->runs->sets);
	s->documents = tp_zalloc(s->name_count * sizeof *s->documents);
	s->runs[TP_AFTER].sets = s->runs[TP_BEFORE].sets +
	    s->runs[TP_BEFORE].count;
}

/* One trace twice is no comparison, and no second run. */
static void
refuse_same(struct tp_run *run, const struct tp_sides *s, int allow_same)
{
	const struct tp_set *sets = s->runs[TP_BEFORE].sets;
	struct tp_compare_origin origin;

	for (size_t i = 0; !allow_same && i < s->name_count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct tp_set pair[] = { sets[j], sets[i] };

			tp_compare_origin_of(pair, &origin);
			if (origin.same_trace)
				tp_die(run, TP_BAD, "%s and %s are one "
				    "trace: %s; --allow-same compares it with "
				    "itself", s->names[j], s->names[i],
				    origin.why);
		}
}

static void
find_origin(struct tp_sides *s)
{
	struct tp_compare_origin origin;

	tp_compare_origin_of(s->sets, &s->origin);
	for (int side = 0; side < TP_SIDES; side++)
		for (size_t i = 1; i < s->runs[side].count; i++) {
			const struct tp_set pair[] = { s->runs[side].sets[0],
			    s->runs[side].sets[i] };

			tp_compare_origin_of(pair, &origin);
			s->origin.damage[side] += origin.damage[TP_AFTER];
		}
}

/* Pair experiments by the first run of each side; the others have the same. */
static void
pair(struct tp_run *run, struct tp_sides *s, int across)
{
	for (int side = 0; side < TP_SIDES; side++)
		if (s->runs[side].count)
			s->sets[side] = s->runs[side].sets[0];
	if (tp_pairing_make(&s->pairing, s->sets, across, &run->err) < 0)
		tp_die_err(run);
	for (int side = 0; side < TP_SIDES; side++)
		for (size_t i = 0; i < s->runs[side].count; i++)
			if (!i)
				s->runs[side].sets[i] = s->sets[side];
			else
				tp_pairing_keep(&s->pairing,
				    &s->runs[side].sets[i], side);
}

static void
read_all(struct tp_run *run, struct tp_sides *s)
{
	struct tp_set *sets = s->runs[TP_BEFORE].sets;
	size_t first[] = { 0, s->runs[TP_BEFORE].count };
	enum tp_status status;

	run->operands = s->names;
	run->operand_count = (int)s->name_count;
	tp_start(run);
	while (tp_next_record(run))
		if (run->document)
			take_document(run, s, &sets[run->input]);
		else if (tp_set_add(&sets[run->input], run->line,
		    run->line_len, &run->err) < 0)
			tp_die_err(run);
	run->file = NULL;
	for (int i = 0; i < TP_SIDES; i++)
		if (s->runs[i].count == 1)
			s->docs[i] = s->documents[first[i]];
	status = tp_status_now(run);
	s->input_damaged = status != TP_OK;
	for (size_t i = 0; i < s->name_count; i++)
		if (!sets[i].count)
			tp_die(run, status ? status : TP_BAD, "%s: no records; "
			    "nothing is known about %s; tp-report --records "
			    "makes them",
			    shown(s->names[i]),
			    tp_side_name(i >= first[TP_AFTER]));
}

void
tp_sides_read(struct tp_run *run, struct tp_sides *s,
    const struct tp_sides_want *want)
{
	memset(s, 0, sizeof *s);
	find_files(run, s, want->from_past);
	make_room(s);
	for (int i = 0; i < TP_SIDES; i++)
		if (s->runs[i].count)
			s->files[i] = s->names[i == TP_BEFORE ? 0 :
			    s->runs[TP_BEFORE].count];
	read_all(run, s);
	refuse_same(run, s, want->allow_same);
	pair(run, s, want->across);
	find_origin(s);
	s->rules = tp_compare_rules_load(&run->err);
	if (!s->rules)
		tp_die_err(run);
	tp_compare(&s->comparison, s->rules, s->runs, want->past,
	    want->past_count);
	tp_fusion_excuse(&s->comparison, s->sets);
}

void
tp_sides_out(const struct tp_sides *s, const char *const names[TP_SIDES],
    struct tp_out *out)
{
	static const char *const keys[2][5] = {
		{ "before", "before_file", "before_sha256", "before_run_id",
		    "before_run_count" },
		{ "after", "after_file", "after_sha256", "after_run_id",
		    "after_run_count" },
	};

	for (int i = 0; i < TP_SIDES; i++) {
		tp_out_text(out, keys[i][0], names[i]);
		tp_out_text(out, keys[i][1], s->files[i]);
		tp_out_text(out, keys[i][2], s->origin.sha256[i]);
		tp_out_text(out, keys[i][3], s->origin.run_id[i]);
		if (s->runs[TP_BEFORE].count > 1 ||
		    s->runs[TP_AFTER].count > 1)
			tp_out_int(out, keys[i][4],
			    (int64_t)s->runs[i].count);
	}
}
