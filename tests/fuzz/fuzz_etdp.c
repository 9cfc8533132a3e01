/*
 * fuzz_etdp - any bytes as an ETDump of ExecuTorch, and as a program
 *
 * Behind a "P" and two bytes of its length a program comes first, by which an
 * analysis then reads the rest as an ETDump.
 */
#include <tp/executorch/etdump.h>

#include "feed.h"
#include "read/program.h"

static const struct tp_bind binds[] = {
	{ TP_TABLE_ETDUMP, tp_etdump_columns, NULL },
	{ 0 }
};

/* Ask all that a program is asked, of what it has and what it has not. */
static void
ask(const struct tp_program *p)
{
	size_t methods = tp_program_methods(p), len;
	const char *name;

	for (size_t m = 0; m <= methods; m++)
		for (int64_t chain = -1; chain < 3; chain++)
			for (int64_t i = -1; i < 9; i++)
				if (tp_program_backend(p, m, chain, i, &name,
				    &len) && (!tp_program_fits(p, m, chain, i,
				    1) || !len))
					broken("a backend of nothing");
}

static struct tp_program *
read_program(const uint8_t *data, size_t size)
{
	struct tp_in *in = feed(data, size, 4096);
	struct tp_err err = { 0 };
	struct tp_program *p = tp_program_load(in, &err);

	if (!p && (!err.status || !err.code || !*err.text))
		broken("an error that says nothing");
	if (p)
		ask(p);
	tp_in_close(in);
	return p;
}

/* Read DATA for an analysis, as the runs of PROGRAM, which is taken over. */
static void
analyse(const uint8_t *data, size_t size, struct tp_program *program)
{
	struct tp_in *in = feed(data, size, 4096);
	struct tp_trace trace = { .program = program };
	struct tp_opclass class = { 0 };
	struct tp_etdump etdump = { .class = &class, .samples = 1 };
	struct tp_err err = { 0 };
	struct tp_tables *tables = tp_tables_load(&err);
	struct tp_rows *rows;
	struct tp_row row;
	struct tp_out out;
	int rc;

	if (!tables || tp_opclass_load(&class, &err) < 0)
		broken(err.text);
	rows = tp_rows_open(in, TP_FORMAT_ETDUMP, binds, NULL, tables, &trace);
	while ((rc = tp_rows_next(rows, &row, &err)) != 0)
		if (rc > 0)
			tp_etdump_add(&etdump, &row, &err);
		else if (err.fatal)
			break;
	tp_out_init(&out, -1);
	out.src = "x";
	if (!tp_etdump_end(&etdump, &err))
		(void)tp_etdump_emit(&etdump, &trace, &out, &err);
	tp_out_release(&out);
	tp_rows_close(rows);
	tp_in_close(in);
	tp_etdump_release(&etdump);
	tp_opclass_release(&class);
	tp_program_free(trace.program);
	feed_release(&trace);
	tp_tables_free(tables);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;

	if (size > 3 && *data == 'P') {
		len = (size_t)(data[1] | data[2] << 8);
		if (len > size - 3)
			len = size - 3;
		analyse(data + 3 + len, size - 3 - len, read_program(data + 3,
		    len));
		return 0;
	}
	feed_rows(data, size, TP_FORMAT_ETDUMP);
	return 0;
}
