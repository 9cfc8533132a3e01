/*
 * tp-pprof - folded stacks as a profile for pprof
 *
 * Each line becomes a sample: functions from the outermost on with ";"
 * between, a blank, a number.  A frame of Python, "FILE(LINE): NAME" or "NAME
 * (FILE:LINE)", becomes a function NAME in FILE.
 *
 * Format: proto/profile.proto of github.com/google/pprof, field by field.
 */
#include <string.h>

#include <tp/hash.h>
#include <tp/tool.h>

#include "folded.h"
#include "proto_out.h"

static const char *type = "time/nanoseconds";

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "type", 't', "WHAT/UNIT",
	    "what the numbers count (default: time/nanoseconds; or "
	    "samples/count)", &type },
	{ 0 }
};

static const char *const examples[] = {
	"tp-trace --folded gpu trace.json.gz | tp-pprof > gpu.pb",
	"tp-cpu-top --folded=weight time_profile.xml | tp-pprof > cpu.pb",
	"tp-cpu-top --folded time.csv | tp-pprof -t samples/count > n.pb",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-pprof",
	.does = "folded stacks as a profile for pprof",
	.operands = "[FILE...]",
	.reads = "folded stacks: FRAME;FRAME NUMBER, a line each",
	.writes = "a profile for pprof",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_RECORDS,
	.options = options,
};

/* Field numbers of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4, FUNCTION_LINE = 5 };

static struct tp_names frames, texts;
static struct tp_buf message, part, packed;

static uint64_t
text_of(const char *text, size_t len)
{
	ptrdiff_t at = tp_names_add(&texts, text, len);

	return (uint64_t)at;
}

/* What MESSAGE holds, as FIELD of the profile. */
static void
put(struct tp_run *run, unsigned field)
{
	static struct tp_buf whole;

	tp_put_message(&whole, field, &message);
	tp_out_raw(&run->out, whole.p, whole.len);
	tp_buf_clear(&whole);
}

static void
put_type(struct tp_run *run)
{
	const char *slash = strchr(type, '/');

	if (!slash || slash == type || !slash[1])
		tp_die(run, TP_USAGE, "--type takes WHAT/UNIT, such as "
		    "time/nanoseconds, not '%s'", type);
	text_of("", 0);	/* the first has to be empty */
	tp_put_int(&message, TYPE_TYPE, text_of(type, (size_t)(slash - type)));
	tp_put_int(&message, TYPE_UNIT, text_of(slash + 1, strlen(slash + 1)));
	put(run, PROFILE_SAMPLE_TYPE);
}

static void
put_stack_sample(struct tp_run *run)
{
	const char *line = run->line, *end, *frame;
	size_t len = run->line_len;
	int64_t n = tp_folded_number(line, &len);
	ptrdiff_t at;

	if (n < 0) {
		tp_folded_fail(&run->err, run->line_number);
		tp_skip(run);
		return;
	}
	for (end = line + len; (frame = tp_folded_inner(line, &end, &len)); ) {
		at = tp_names_add(&frames, frame, len);
		tp_put_varint(&packed, (uint64_t)at + 1);
	}
	tp_put_message(&message, SAMPLE_LOCATION, &packed);
	tp_put_varint(&packed, (uint64_t)n);
	tp_put_message(&message, SAMPLE_VALUE, &packed);
	put(run, PROFILE_SAMPLE);
}

/* A function and its one location. */
static void
put_frame(struct tp_run *run, uint64_t id, const struct tp_name *frame)
{
	uint64_t whole = text_of(frame->text, frame->len);
	struct tp_folded_frame f;

	tp_folded_frame(frame->text, frame->len, &f);
	tp_put_int(&message, FUNCTION_ID, id);
	tp_put_int(&message, FUNCTION_NAME, text_of(f.name, f.name_len));
	tp_put_int(&message, FUNCTION_SYSTEM_NAME, whole);
	if (f.file_len)
		tp_put_int(&message, FUNCTION_FILE, text_of(f.file,
		    f.file_len));
	if (f.line)
		tp_put_int(&message, FUNCTION_LINE, f.line);
	put(run, PROFILE_FUNCTION);
	tp_put_int(&part, LINE_FUNCTION, id);
	if (f.line)
		tp_put_int(&part, LINE_LINE, f.line);
	tp_put_int(&message, LOCATION_ID, id);
	tp_put_message(&message, LOCATION_LINE, &part);
	put(run, PROFILE_LOCATION);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	put_type(&run);
	while (tp_next_line(&run))
		put_stack_sample(&run);
	run.file = NULL;
	for (size_t i = 0; i < frames.count; i++)
		put_frame(&run, i + 1, &frames.names[i]);
	for (size_t i = 0; i < texts.count; i++) {
		tp_put_text(&packed, PROFILE_STRING, texts.names[i].text,
		    texts.names[i].len);
		tp_out_raw(&run.out, packed.p, packed.len);
		tp_buf_clear(&packed);
	}
	return tp_end(&run);
}
