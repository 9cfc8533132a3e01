/*
 * tp-replay - a PyTorch script that repeats the calls of an operator
 *
 * Reads the records of a PyTorch trace and writes one script that needs
 * nothing but PyTorch: every set of arguments with which OP launched work
 * on the GPU, and the loop that times them.
 */
#include <stdio.h>
#include <string.h>

#include <tp/share.h>
#include <tp/tool.h>
#include <tp/torch/replay.h>

static const char *files[TP_OPT_LIST_MAX];
static int list;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "list", 'l', NULL,
	    "list the operators that a script can be written for", &list },
	{ TP_OPT_LIST, "ops", 0, "FILE",
	    "also read facts about operators from FILE, a file or folder, "
	    "beside share/ops/torch-operators.json", files },
	{ 0 }
};

static const char *const examples[] = {
	"tp-ops trace.json.gz | tp-replay aten::mm --output mm.py",
	"tp-replay --list",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-replay",
	.does = "a PyTorch script that repeats the calls of an operator",
	.operands = "OP [FILE...]",
	.reads = "records of a PyTorch trace",
	.writes = "a Python script",
	.group = "trace events",
	.step = "writing scripts",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE,
	.options = options,
};

/* Calls that the script has, those it has not, and why. */
struct tally {
	int64_t kept, left_out;
	char because[sizeof ((struct tp_err *)0)->text];
};

static void
list_ops(struct tp_run *run, const struct tp_replay *replay)
{
	const char *op;

	for (size_t i = 0; (op = tp_replay_op(replay, i)); i++) {
		tp_out_raw(&run->out, op, strlen(op));
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
add_calls(struct tp_run *run, struct tp_doc *doc,
    const struct tp_replay *replay, struct tally *tally)
{
	const char *op;

	while (tp_next_record(run)) {
		op = tp_rec_text(&run->rec, "op");
		if (strcmp(run->rec.kind, "launcher") || !op ||
		    strcmp(op, run->first))
			continue;
		if (!tp_replay_call(doc, replay, op, &run->rec, &run->err)) {
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
warn_left_out(struct tp_run *run, const struct tally *tally)
{
	if (!tally->kept && !tally->left_out)
		tp_die(run, tp_status_now(run) > TP_NO ? tp_status_now(run) :
		    TP_NO, "no record describes a call of '%.80s' that "
		    "launched work: make records with tp-ops", run->first);
	if (!tally->kept)
		tp_die(run, TP_NO, "no call of '%.80s' can be repeated: %s",
		    run->first, tally->because);
	if (tally->left_out)
		tp_warn(run, "%lld of %lld calls of '%.80s' are left out: %s",
		    (long long)tally->left_out,
		    (long long)(tally->left_out + tally->kept), run->first,
		    tally->because);
}

static void
write_script(struct tp_run *run, const struct tp_replay *replay)
{
	struct tp_buf calls = { 0 }, template = { 0 }, out = { 0 };
	struct tp_doc doc = { .buf = &calls, .compact = 1 };
	struct tally tally = { 0 };

	tp_doc_object(&doc, NULL);
	tp_doc_text(&doc, "op", run->first);
	put_path(&doc, run->first);
	tp_doc_array(&doc, "calls");
	add_calls(run, &doc, replay, &tally);
	warn_left_out(run, &tally);
	tp_doc_close(&doc, ']');
	tp_doc_int(&doc, "left_out", tally.left_out);
	tp_doc_text(&doc, "left_out_because", tally.because);
	tp_doc_close(&doc, '}');
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
	struct tp_replay *replay;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	replay = tp_replay_load(files, &run.err);
	if (!replay)
		tp_die_err(&run);
	if (list) {
		list_ops(&run, replay);
	} else {
		if (!run.first)
			tp_die(&run, TP_USAGE, "which operator? "
			    "for example: %s", examples[0]);
		if (!tp_replay_knows(replay, run.first))
			tp_die(&run, TP_NO, "no script can be written for "
			    "operator '%.80s' (--list names those that work)",
			    run.first);
		tp_start(&run);
		write_script(&run, replay);
	}
	tp_replay_free(replay);
	return tp_end(&run);
}
