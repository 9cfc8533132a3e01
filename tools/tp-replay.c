/*
 * tp-replay - calls of an operator as a PyTorch script that makes them again
 *
 * Reads the records of a PyTorch trace and writes one script that needs
 * nothing but PyTorch: every set of arguments with which OP launched work
 * on the GPU, and the loop that times them.
 */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/share.h>
#include <tp/tool.h>
#include <tp/torch/replay.h>

static int list;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "list", 'l', NULL,
	    "name the operators there is a script for", &list },
	{ 0 }
};

static const char *const examples[] = {
	"tp-ops trace.json.gz | tp-replay aten::mm --output mm.py",
	"tp-replay --list",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-replay",
	.does = "calls of an operator as a PyTorch script that makes them "
	    "again",
	.operands = "OP [FILE...]",
	.reads = "records of a PyTorch trace",
	.writes = "a Python script",
	.group = "trace events",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE,
	.options = options,
};

/* Calls that the script has, those it has not, and why. */
struct tally {
	int64_t kept, left_out;
	char because[320];
};

static void
list_ops(struct tp_run *run, const cJSON *table)
{
	const cJSON *ops = cJSON_GetObjectItemCaseSensitive(table, "ops"), *o;

	cJSON_ArrayForEach(o, ops) {
		tp_out_raw(&run->out, o->string, strlen(o->string));
		tp_out_raw(&run->out, "\n", 1);
	}
}

/* torch's own name of OP: "aten.mm" of "aten::mm". */
static void
put_path(struct tp_doc *doc, const char *op)
{
	struct tp_buf path = { 0 };

	for (; *op; op++)
		if (op[0] == ':' && op[1] == ':')
			tp_buf_chr(&path, *++op == ':' ? '.' : *op);
		else
			tp_buf_chr(&path, *op);
	tp_doc_text(doc, "call", path.p ? path.p : "");
	tp_buf_release(&path);
}

static void
add_calls(struct tp_run *run, struct tp_doc *doc, const cJSON *table,
    const cJSON *signatures, struct tally *tally)
{
	const char *op;

	while (tp_next_record(run)) {
		op = tp_rec_text(&run->rec, "op");
		if (strcmp(run->rec.kind, "launcher") || !op ||
		    strcmp(op, run->first))
			continue;
		if (!tp_replay_call(doc, table, signatures, &run->rec,
		    &run->err)) {
			tally->kept++;
			continue;
		}
		if (run->err.status != TP_BAD)
			tp_die_err(run);
		if (!tally->left_out++)
			snprintf(tally->because, sizeof tally->because, "%s",
			    run->err.text);
	}
	run->file = NULL;
}

/* Which calls are not in the script; none at all is no answer. */
static void
tell(struct tp_run *run, const struct tally *tally)
{
	if (!tally->kept && !tally->left_out)
		tp_die(run, tp_status_now(run) > TP_NO ? tp_status_now(run) :
		    TP_NO, "no record tells of a call of '%.80s' that "
		    "launched work: tp-ops makes them of a trace", run->first);
	if (!tally->kept)
		tp_die(run, TP_NO, "no call of '%.80s' can be made again: "
		    "%s", run->first, tally->because);
	if (tally->left_out)
		tp_warn(run, "%lld of %lld calls of '%.80s' are left out: %s",
		    (long long)tally->left_out,
		    (long long)(tally->left_out + tally->kept), run->first,
		    tally->because);
}

static void
write_script(struct tp_run *run, const cJSON *table, const cJSON *signatures)
{
	struct tp_buf calls = { 0 }, template = { 0 }, out = { 0 };
	struct tp_doc doc = { .buf = &calls, .compact = 1 };
	struct tally tally = { 0 };

	tp_doc_object(&doc, NULL);
	tp_doc_text(&doc, "op", run->first);
	put_path(&doc, run->first);
	tp_doc_array(&doc, "calls");
	add_calls(run, &doc, table, signatures, &tally);
	tell(run, &tally);
	tp_doc_close(&doc, ']');
	tp_doc_int(&doc, "left_out", tally.left_out);
	tp_doc_text(&doc, "left_out_because", tally.because);
	tp_doc_close(&doc, '}');
	if (calls.failed)
		tp_die(run, TP_LIMIT, "out of memory");
	if (tp_share_read("replay/torch.py", &template, &run->err) < 0 ||
	    tp_replay_script(&out, &template, &calls, &run->err) < 0)
		tp_die_err(run);
	tp_out_raw(&run->out, out.p, out.len);
	tp_buf_release(&calls);
	tp_buf_release(&template);
	tp_buf_release(&out);
}

int
main(int argc, char *argv[])
{
	const cJSON *signatures;
	struct tp_run run;
	cJSON *table;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	table = tp_share_json("replay/torch.json", &run.err);
	if (!table)
		tp_die_err(&run);
	if (list) {
		list_ops(&run, table);
	} else {
		if (!run.first)
			tp_die(&run, TP_USAGE, "which operator? "
			    "for example: %s", examples[0]);
		signatures = tp_replay_signatures(table, run.first);
		if (!signatures)
			tp_die(&run, TP_NO, "'%.80s' is none of the "
			    "operators there is a script for (--list)",
			    run.first);
		tp_start(&run);
		write_script(&run, table, signatures);
	}
	cJSON_Delete(table);
	return tp_end(&run);
}
