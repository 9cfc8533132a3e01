/*
 * stacks - rows of folded stacks, lines "outermost;...;innermost N"
 *
 * Written by py-spy record -f raw, and by programs that fold stacks for a
 * flame graph: N samples had this stack.  If asked to, py-spy begins a stack
 * with process PID:"COMMAND" and thread (TID) or thread (TID): NAME; it
 * writes a frame as "NAME (FILE:LINE)", PyTorch writes "FILE(LINE): NAME".
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/lines.h>
#include <tp/share.h>
#include <tp/text.h>

#include "folded.h"
#include "read.h"

/* Rows queued before they are returned. */
#define BATCH 64

#define TABLE "folded-stacks"

/* Its columns. */
enum column { PROCESS, THREAD, WEIGHT, STACK, COLUMNS };
static const char *const names[] = { "process", "thread", "weight", "stack" };

struct stacks {
	struct tp_lines lines;
	int planned;
};

/* The rest of a line. */
struct rest {
	const char *at, *end;
};

static int
digits(const char **at, const char *end, int64_t *n)
{
	const char *p = *at;

	for (*n = 0; p < end && *p >= '0' && *p <= '9' &&
	    *n < INT64_MAX / 10 - 1; p++)
		*n = *n * 10 + *p - '0';
	if (p == *at)
		return 0;
	*at = p;
	return 1;
}

/* Take process PID:"COMMAND", whose COMMAND may contain any character. */
static void
take_process(struct rest *r, struct tp_value *v)
{
	const char *p = r->at + strlen("process "), *from;
	int64_t pid;

	if (!tp_begins(r->at, r->end, "process ") ||
	    !digits(&p, r->end, &pid) ||
	    r->end - p < 3 || p[0] != ':' || p[1] != '"')
		return;
	from = p += 2;
	while (p + 1 < r->end && !(p[0] == '"' && p[1] == ';'))
		p++;
	if (p + 1 >= r->end)
		return;
	*v = (struct tp_value){ .type = TP_PROCESS, .text = from,
	    .len = (uint32_t)(p - from), .whole = (uint32_t)(p - from),
	    .n = pid };
	r->at = p + 2;
}

/*
 * Take thread (TID) or thread (TID): NAME, where TID is a number, or an
 * address when the number is unknown.
 */
static void
take_thread(struct rest *r, struct tp_value *v)
{
	const char *frame = memchr(r->at, ';', (size_t)(r->end - r->at));
	const char *p = r->at + strlen("thread ("), *from, *close;
	int64_t tid;

	if (!frame || !tp_begins(r->at, r->end, "thread ("))
		return;
	from = p;
	close = memchr(p, ')', (size_t)(frame - p));
	if (!close || close == p)
		return;
	if (!digits(&p, close, &tid) || p != close)
		tid = -1;
	if (frame - close > 3 && close[1] == ':')
		from = close + 3;
	else
		frame = close;
	*v = (struct tp_value){ .type = TP_THREAD, .text = from,
	    .len = (uint32_t)(frame - from), .whole = (uint32_t)(frame - from),
	    .n = tid };
	r->at = (frame == close ? close + 1 : frame) + 1;
}

/* Whether it is a folder of packages: the next component is a package. */
static int
holds_packages(const char *name, size_t len)
{
	return tp_is(name, len, ".") || tp_is(name, len, "site-packages") ||
	    tp_is(name, len, "dist-packages") || (len > 7 &&
	    !memcmp(name, "python", 6) && name[6] >= '2' && name[6] <= '9');
}

/*
 * The package of FILE, when its path shows it; else the file.  *FILE moves
 * to where Python's import path begins.
 */
static const char *
package(const char **file, size_t *len)
{
	const char *first = *file, *end = first + *len, *from, *to;
	int whole = *first == '/' || (*len > 2 && first[1] == ':');

	for (from = first;; from = to + 1) {
		for (to = from; to < end && *to != '/' && *to != '\\'; to++)
			continue;
		if (to == end)
			break;
		if (holds_packages(from, (size_t)(to - from))) {
			first = to + 1;
			whole = 0;
		}
	}
	from = whole ? from : first;
	for (to = from; to < end && *to != '/' && *to != '\\'; to++)
		continue;
	*len = (size_t)(to - from);
	*file = from;
	return first;
}

/*
 * Parse the frame TEXT.  The line number stays in its name, since readers
 * look for it.
 */
static void
take_frame(struct tp_arena *arena, struct tp_frame *frame, const char *text,
    size_t len)
{
	const char *end = text + len, *path;
	struct tp_folded_frame f;
	char *name;

	tp_folded_frame(text, len, &f);
	path = f.file_len ? package(&f.file, &f.file_len) : NULL;
	if (path > text && f.line && f.name == text) {
		/* NAME (PATH:LINE), with the path below the installation */
		name = tp_arena_get(arena, len + 1);
		memcpy(name, text, f.name_len + 2);
		memcpy(name + f.name_len + 2, path,
		    (size_t)(end - path));
		name[f.name_len + 2 + (size_t)(end - path)] = '\0';
		frame->name = name;
	} else {
		frame->name = f.line ? tp_arena_text(arena, text, len) :
		    tp_arena_text(arena, f.name, f.name_len);
	}
	frame->library = f.file_len ? tp_arena_text(arena, f.file,
	    f.file_len) : "";
}

/* The frames of R, innermost first, in ARENA. */
static const struct tp_stack *
take_stack(struct tp_arena *arena, const struct rest *r)
{
	struct tp_stack *stack = tp_arena_get(arena, sizeof *stack);
	const char *end = r->end, *frame;
	struct tp_frame *frames;
	size_t count = 1, len;

	for (const char *p = r->at; p < r->end; p++)
		count += *p == ';';
	frames = tp_arena_get(arena, count * sizeof *frames);
	*stack = (struct tp_stack){ .frames = frames };
	while ((frame = tp_folded_inner(r->at, &end, &len)))
		take_frame(arena, &frames[stack->count++], frame, len);
	return stack;
}

/* Queue the stack of LINE. */
static void
queue_stack(struct tp_rows *rows, const char *line, size_t len, uint64_t number)
{
	struct tp_value all[COLUMNS] = { 0 }, *v;
	struct tp_arena *arena = &rows->fill->arena;
	const struct tp_plan *plan = rows->plan;
	struct tp_err damage = { 0 };
	struct rest r;
	int64_t n = tp_folded_number(line, &len);
	char *text;

	if (!plan->wanted) {
		tp_count_rows(rows, 1);
		return;
	}
	v = tp_queue_row(rows, number);
	if (n < 0) {
		tp_folded_fail(&damage, number);
		tp_queue_damage(rows, &damage);
		return;
	}
	/* the line is gone with its block, while the row stays queued */
	text = tp_arena_text(arena, line, len);
	r = (struct rest){ text, text + len };
	take_process(&r, &all[PROCESS]);
	take_thread(&r, &all[THREAD]);
	all[WEIGHT] = (struct tp_value){ .type = TP_COUNT, .n = n };
	all[STACK].type = TP_STACK;
	all[STACK].stack = take_stack(arena, &r);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->slots[i].cell >= 0)
			v[i] = all[plan->slots[i].cell];
}

static int
plan(struct tp_rows *rows, struct tp_err *err)
{
	const struct tp_table *t = tp_tables_find(rows->tables, TABLE);
	ptrdiff_t cell_of[COLUMNS] = { 0 };

	for (int i = 0; i < COLUMNS; i++)
		if (!t || t->column_count != COLUMNS ||
		    (cell_of[i] = tp_table_column_of(t, names[i])) < 0)
			return tp_share_fail(err, TP_BAD,
			    "share/tables has no table '" TABLE "' with a "
			    "process, a thread, a weight and a stack");
	return tp_plan_table(rows, t, cell_of, err);
}

static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct stacks *s = rows->form;
	size_t most = rows->fill->row_count + BATCH, len;
	const char *line;
	int rc = 1;

	if (!s->planned && plan(rows, err) < 0)
		return -1;
	s->planned = 1;
	while (rows->fill->row_count < most &&
	    (rc = tp_lines_next(&s->lines, &line, &len, err)) > 0)
		if (len)
			queue_stack(rows, line, len, s->lines.line);
	return rc;
}

static void
close_form(struct tp_rows *rows)
{
	struct stacks *s = rows->form;

	tp_lines_release(&s->lines);
	tp_free(s);
}

void
tp_stacks_open(struct tp_rows *rows)
{
	struct stacks *s = tp_zalloc(sizeof *s);

	tp_lines_init(&s->lines, rows->in);
	rows->form = s;
	rows->more = more;
	rows->close = close_form;
}
