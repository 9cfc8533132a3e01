/* sides - read the two operands of a comparison */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/fusion.h>
#include <tp/read/summary.h>

#include "sides.h"

/* The document of RUN as the records of a side. */
static void
take_document(struct tp_run *run, struct tp_sides *s, size_t side)
{
	struct tp_summary_origin origin;
	struct tp_out out;
	char *name;
	int rc;

	if (cJSON_IsArray(tp_json_get(run->document, "runs")))
		tp_die(run, TP_BAD, "%s: results of a benchmark; tp-bench "
		    "makes records of them, which are compared", run->file);
	if (tp_summary_check(run->document, &run->err) < 0)
		tp_die_err(run);
	tp_out_init(&out, -1);
	tp_summary_origin_of(run->document, &origin);
	name = tp_trace_name(origin.source_path ? origin.source_path :
	    s->files[side]);
	if (!name)
		tp_die(run, TP_LIMIT, "out of memory");
	out.src = name;
	rc = tp_summary_records(run->document, &out, &run->err);
	if (!rc)
		rc = tp_set_take(&s->sets[side], &out, &run->err);
	tp_out_release(&out);
	tp_free(name);
	if (rc < 0)
		tp_die_err(run);
	s->docs[side] = run->document;
	run->document = NULL;
}

/* One trace twice is no comparison. */
static void
refuse_same(struct tp_run *run, const struct tp_sides *s, int allow_same)
{
	if (s->origin.same_trace && !allow_same)
		tp_die(run, TP_BAD, "%s and %s are one trace: %s; "
		    "--allow-same compares it with itself", s->files[0],
		    s->files[1], s->origin.why);
}

void
tp_sides_read(struct tp_run *run, struct tp_sides *s, int allow_same,
    int across)
{
	static char dash[] = "-";
	enum tp_status status;

	memset(s, 0, sizeof *s);
	if (!run->first || run->operand_count > 1)
		tp_die(run, TP_USAGE, "give two files, BEFORE and AFTER, not "
		    "%d", run->first ? run->operand_count + 1 : 0);
	if (!run->operand_count)
		tp_need_input(run);
	s->files[TP_BEFORE] = (char *)(uintptr_t)run->first;
	s->files[TP_AFTER] = run->operand_count ? run->operands[0] : dash;
	run->operands = s->files;
	run->operand_count = TP_SIDES;
	tp_start(run);
	while (tp_next_record(run))
		if (run->document)
			take_document(run, s, run->input);
		else if (tp_set_add(&s->sets[run->input], run->line,
		    run->line_len, &run->err) < 0)
			tp_die_err(run);
	run->file = NULL;
	status = tp_status_now(run);
	s->input_damaged = status != TP_OK;
	for (int i = 0; i < TP_SIDES; i++)
		if (!s->sets[i].count)
			tp_die(run, status ? status : TP_BAD, "%s: holds no "
			    "records: nothing is known of %s",
			    strcmp(s->files[i], "-") ? s->files[i] :
			    "<stdin>", tp_side_name(i));
	tp_compare_origin_of(s->sets, &s->origin);
	refuse_same(run, s, allow_same);
	s->rules = tp_compare_rules_load(&run->err);
	if (!s->rules || tp_pairing_make(&s->pairing, s->sets, across,
	    &run->err) < 0 || tp_compare(&s->comparison, s->rules, s->sets,
	    &run->err) < 0 ||
	    tp_fusion_excuse(&s->comparison, s->sets, &run->err) < 0)
		tp_die_err(run);
}

void
tp_sides_release(struct tp_sides *s)
{
	for (int i = 0; i < TP_SIDES; i++) {
		tp_set_release(&s->sets[i]);
		cJSON_Delete(s->docs[i]);
	}
	tp_comparison_release(&s->comparison);
	tp_pairing_release(&s->pairing);
	tp_compare_rules_free(s->rules);
}
