/* Cells of tables: numbers, names with a pid, call stacks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "read/read.h"

static int failed;

static const struct number {
	enum tp_type type;
	const char *text;
	int64_t want;
	int good;
} numbers[] = {
	{ TP_TIME, "408969166", 408969166, 1 },
	{ TP_TIME, "00:00.408.969", 408969000, 1 },
	{ TP_TIME, "0", 0, 1 },
	{ TP_TIME, "-1", 0, 0 },
	{ TP_TIME, "soon", 0, 0 },
	{ TP_TIME, "99999999999999999999", 0, 0 },
	{ TP_DURATION, "16.92 \xc2\xb5s", 16920, 1 },
	{ TP_DURATION, "1.5 ms", 1500000, 1 },
	{ TP_DURATION, "1,5 ms", 0, 0 },
	{ TP_DURATION, "1,234 ns", 1234, 1 },
	{ TP_DURATION, "-5", -5, 1 },
	{ TP_DURATION, "5 MiB", 0, 0 },
	{ TP_BYTES, "12.5 MiB", 13107200, 1 },
	{ TP_BYTES, "0 Bytes", 0, 1 },
	{ TP_BYTES, "9223372036854775807", INT64_MAX, 1 },
	{ TP_BYTES, "9223372036854775808", 0, 0 },
	{ TP_COUNT, "1,526,452,089", 1526452089, 1 },
	{ TP_COUNT, "7 ms", 0, 0 },
	{ TP_COUNT, "1 2", 0, 0 },
};

static const struct id {
	const char *text;
	uint64_t want;
	int good;
} ids[] = {
	{ "0", 0, 1 }, { "169000758", 169000758, 1 },
	{ "0xa12bf36", 0xa12bf36, 1 }, { "0XFF", 255, 1 },
	{ "18446744073709551615", UINT64_MAX, 1 },
	{ "18446744073709551616", 0, 0 }, { "-1", 0, 0 }, { "+1", 0, 0 },
	{ "0x", 0, 0 }, { "12x", 0, 0 }, { " 1", 0, 0 },
	{ "000000000000000000000000000000000000000000000001", 1, 1 },
};

static const struct name {
	const char *text, *name;
	int64_t number;
} processes[] = {
	{ "Terminal (643)", "Terminal", 643 },
	{ "Discord Helper (GPU) (6857)", "Discord Helper (GPU)", 6857 },
	{ "kernel_task", "kernel_task", -1 },
	{ "Helper (GPU)", "Helper (GPU)", -1 },
	{ "a()", "a()", -1 }, { "(7)", "", 7 },
	{ "x (12345678901)", "x (12345678901)", -1 },
}, threads[] = {
	{ "Main Thread 0x168604 (probe, pid: 58052)", "Main Thread",
	    0x168604 },
	{ "worker (0x1f) (probe, pid: 7)", "worker", 0x1f },
	{ "0x10 (p, pid: 1)", "", 0x10 },
	{ "Main Thread (probe, pid: 7)", "Main Thread", -1 },
	{ "plain", "plain", -1 },
};

static void
complain(const char *what, const char *text)
{
	printf("not ok cell: %s: '%s'\n", what, text);
	failed = 1;
}

static void
check_numbers(void)
{
	struct tp_slot slot = { .name = "x", .decimal = '.' };
	struct tp_arena arena = { 0 };
	struct tp_value v;
	struct tp_err err;
	size_t i;
	int rc;

	for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct number *n = &numbers[i];

		slot.type = n->type;
		rc = tp_cell_parse(&v, &slot, n->text, strlen(n->text),
		    &arena, &err);
		if ((rc == 0) != n->good || (!rc && (v.n != n->want ||
		    v.type != n->type)))
			complain("number", n->text);
	}
	for (i = 0; i < sizeof ids / sizeof *ids; i++) {
		slot.type = TP_ID;
		rc = tp_cell_parse(&v, &slot, ids[i].text,
		    strlen(ids[i].text), &arena, &err);
		if ((rc == 0) != ids[i].good || (!rc && v.id != ids[i].want))
			complain("id", ids[i].text);
	}
	slot.type = TP_TIME;
	if (tp_cell_parse(&v, &slot, "", 0, &arena, &err) < 0 ||
	    v.type != TP_NONE)
		complain("an empty cell is absent", "");
	tp_arena_release(&arena);
}

/* What a file says of its decimal sign, and what is made of a number then. */
static void
check_notation(void)
{
	static const struct {
		const char *text;
		char decimal;		/* of the file, 0: not known */
		enum tp_type type;
		int64_t want;		/* -1: a damaged row, -2: fatal */
	} cases[] = {
		{ "0,366 ms", ',', TP_DURATION, 366000 },
		{ "1,379 ms", ',', TP_DURATION, 1379000 },
		{ "1,379 ms", '.', TP_DURATION, 1379000000 },
		{ "1,379 ms", 0, TP_DURATION, -2 },
		{ "1.379 ms", 0, TP_DURATION, -2 },
		{ "1.379 ms", ',', TP_DURATION, 1379000000 },
		{ "0,366 ms", '.', TP_DURATION, -1 },
		{ "0,366 ms", 0, TP_DURATION, 366000 },
		{ "38.541", ',', TP_TIME, 38541 },
		{ "38.541", '.', TP_TIME, -1 },
		{ "38.541", 0, TP_TIME, -2 },
		{ "38.000", '.', TP_TIME, 38 },
		{ "38.54", '.', TP_TIME, -1 },
		{ "38.5 ns", '.', TP_TIME, -1 },
		{ "1,234", 0, TP_BYTES, 1234 },
		{ "1.485.797.000", ',', TP_TIME, 1485797000 },
		{ "1.485.797.000", '.', TP_TIME, -1 },
		{ "12.5 MiB", ',', TP_BYTES, -1 },
		{ "12,5 MiB", ',', TP_BYTES, 13107200 },
		{ "1.5", '.', TP_COUNT, -1 },
	};
	struct tp_slot slot = { .name = "x" };
	struct tp_arena arena = { 0 };
	struct tp_value v;
	struct tp_err err;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		slot.type = cases[i].type;
		slot.decimal = cases[i].decimal;
		if (tp_cell_parse(&v, &slot, cases[i].text,
		    strlen(cases[i].text), &arena, &err) < 0)
			v.n = err.fatal ? -2 : -1;
		if (v.n != cases[i].want)
			complain("notation", cases[i].text);
	}
	tp_arena_release(&arena);
}

static void
check_names(void)
{
	int64_t n;
	size_t i, len;

	for (i = 0; i < sizeof processes / sizeof *processes; i++) {
		const struct name *p = &processes[i];

		len = tp_process_name(p->text, strlen(p->text), &n);
		if (len != strlen(p->name) || n != p->number ||
		    memcmp(p->text, p->name, len))
			complain("process", p->text);
	}
	for (i = 0; i < sizeof threads / sizeof *threads; i++) {
		const struct name *t = &threads[i];

		len = tp_thread_name(t->text, strlen(t->text), &n);
		if (len != strlen(t->name) || n != t->number ||
		    memcmp(t->text, t->name, len))
			complain("thread", t->text);
	}
}

/* A stack prints root first and reads back the same. */
static void
check_stack(void)
{
	static const struct tp_frame frames[] = {
		{ "leaf;odd`name\\", "lib`x" }, { "[a b:c]", "" },
		{ "", "only a library" }, { "std::map<int, char>", "libc++" },
		{ "main", "a;b" },
	};
	static const struct tp_stack stack = { .frames = frames,
	    .count = 5 };
	static const char want[] = "a\\;b`main;libc++`std::map<int, char>;"
	    "only a library`;[a b:c];lib\\`x`leaf\\;odd\\`name\\\\";
	struct tp_arena arena = { 0 };
	const struct tp_stack *back;
	struct tp_buf text = { 0 };

	tp_stack_print(&text, &stack);
	if (!text.p || strcmp(text.p, want))
		complain("stack", text.p ? text.p : "");
	back = tp_stack_parse(&arena, text.p, text.len);
	if (!back || back->count != stack.count)
		complain("frames of", want);
	for (size_t i = 0; back && i < stack.count; i++)
		if (strcmp(back->frames[i].name, frames[i].name) ||
		    strcmp(back->frames[i].library, frames[i].library))
			complain("frame", back->frames[i].name);
	tp_arena_release(&arena);
	tp_buf_release(&text);
}

int
main(void)
{
	check_numbers();
	check_notation();
	check_names();
	check_stack();
	if (!failed)
		printf("ok cell: numbers, names and stacks\n");
	return failed;
}
