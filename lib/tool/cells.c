/* cells - read the rows of CSV files without a table in share/tables */
#include "tool_parts.h"

/* Close the current input after its last row or a damage. */
static void
close_cells(struct tp_run *run)
{
	tp_csv_cells_free(run->cells);
	run->cells = NULL;
	tp_tool_close_input(run);
}

int
tp_next_cells(struct tp_run *run)
{
	enum tp_format format;
	int rc;

	for (;;) {
		while (!run->cells) {
			if (!tp_tool_open_next(run, &format))
				return 0;
			if (format != TP_FORMAT_CSV)
				tp_tool_wrong_format(run, format);
			else
				run->cells = tp_csv_cells_new(
				    run->private->in, &run->err);
			if (!run->cells) {
				tp_tool_bad_input(run);
				tp_tool_close_input(run);
			}
		}
		rc = tp_csv_cells_next(run->cells, &run->err);
		if (rc > 0)
			return 1;
		if (rc < 0)
			tp_tool_bad_input(run);
		close_cells(run);
	}
}
