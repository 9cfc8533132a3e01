/* pte_operand - find the program (.pte) of an ETDump among the operands */
#include <string.h>

#include "tool_parts.h"
#include "read/program.h"

/*
 * Open operand O if it is of FORMAT.  Returns NULL if it is not or is
 * unreadable; the error is reported when O is read as an input.
 */
static struct tp_in *
open_as(struct tp_run *run, struct tp_operand *o, enum tp_format format)
{
	struct tp_err err = { 0 };
	struct tp_in *in;

	/* standard input can be read only once */
	if (o->refused.status || !strcmp(o->path, "-") ||
	    (o->format != TP_FORMAT_UNKNOWN && o->format != format))
		return NULL;
	in = tp_in_open(o->path, &err);
	o->format = in ? tp_in_sniff(in, &err) : TP_FORMAT_EMPTY;
	if (err.status == TP_LIMIT) {
		run->err = err;
		tp_die_err(run);
	}
	if (in && o->format != format) {
		tp_in_close(in);
		in = NULL;
	}
	return in;
}

/*
 * How closely a program matches an ETDump: another folder, the same folder,
 * or the same name without endings.
 */
enum { FAR, BESIDE, NAMESAKE };

static int
closeness(const struct tp_operand *o, const struct tp_operand *dump)
{
	const char *a = o->place ? o->place : o->path;
	const char *b = dump->place ? dump->place : dump->path;
	const char *a_base = strrchr(a, '/'), *b_base = strrchr(b, '/');
	char *a_name = tp_trace_file_name(a), *b_name = tp_trace_file_name(b);
	int is_namesake;

	is_namesake = !strcmp(a_name, b_name);
	tp_free(a_name);
	tp_free(b_name);
	if (is_namesake)
		return NAMESAKE;
	return !a_base == !b_base && (!a_base || (a_base - a == b_base - b &&
	    !memcmp(a, b, (size_t)(a_base - a)))) ? BESIDE : FAR;
}

/*
 * The program among the operands that matches the current input best.  NULL if
 * there is none, or if several match equally, which is noted.
 */
static struct tp_operand *
choose(struct tp_run *run)
{
	const struct tp_operand *dump = &run->private->inputs[run->input];
	struct tp_operand *found = NULL, *o;
	int best = -1, close;
	size_t count = 0;
	struct tp_in *in;

	for (size_t i = 0; i < run->private->input_count; i++) {
		o = &run->private->inputs[i];
		in = o == dump ? NULL : open_as(run, o, TP_FORMAT_PTE);
		if (!in)
			continue;
		tp_in_close(in);
		close = closeness(o, dump);
		count = close > best ? 1 : count + (close == best);
		if (close > best) {
			best = close;
			found = o;
		}
	}
	if (count > 1)
		tp_trace_note(run->trace, "program.unused", 0, count, "several "
		    "programs, none with the name of the ETDump: give only the "
		    "one that ran");
	return count == 1 ? found : NULL;
}

void
tp_tool_find_program(struct tp_run *run)
{
	struct tp_operand *o;
	struct tp_source *s;
	struct tp_in *in;

	if (run->trace->program || run->private->input_count < 2)
		return;
	o = choose(run);
	in = o ? open_as(run, o, TP_FORMAT_PTE) : NULL;
	if (!in)
		return;
	run->trace->program = tp_program_load(in, &run->err);
	if (!run->trace->program) {
		if (run->err.status != TP_BAD)
			tp_die_err(run);
		tp_warn(run, "%s: %s", o->path, run->err.text);
		tp_status_at_least(run, TP_BAD);
		tp_trace_note(run->trace, run->err.code, TP_BAD, 1, "%s: %s",
		    o->path, run->err.text);
		memset(&run->err, 0, sizeof run->err);
	}
	s = tp_tool_add_source(run, tp_format_name(TP_FORMAT_PTE), NULL);
	s->bytes = tp_in_bytes(in);
	tp_free(s->file);
	s->file = tp_dup(tp_in_name(in));
	tp_in_close(in);
}

int
tp_tool_has_dump(struct tp_run *run)
{
	struct tp_in *in;

	for (size_t i = 0; i < run->private->input_count; i++) {
		if (!strcmp(run->private->inputs[i].path, "-"))
			return 1;
		in = open_as(run, &run->private->inputs[i],
		    TP_FORMAT_ETDUMP);
		tp_in_close(in);
		if (in)
			return 1;
	}
	return 0;
}
