/*
 * xctrace - read the output of `xctrace export`
 *
 * Two kinds of documents: rows of tables (through rows.h) and the table of
 * contents (here).  share/doc/metal.md documents the format.  A DOCTYPE is
 * refused; elements nest at most tp_limits.depth deep.  Memory of the row
 * reader: every element with an id is kept until the end, because any later
 * row may refer to it: its text and its fmt (once when equal) and 16 to 32
 * bytes; a call stack 16 bytes more per frame.
 */
#ifndef TP_READ_XCTRACE_H
#define TP_READ_XCTRACE_H

#include <tp/in.h>

#include "read/trace_state.h"

/* One run of a table of contents.  Every text may be NULL. */
struct tp_toc_run {
	int64_t run;
	int64_t duration_ns;	/* -1: not recorded */
	int64_t pid;		/* of the target; -1: none */
	char *process, *process_type, *arguments, *exit_status;
	char *device, *device_model, *platform, *os_version;
	char *template_name, *recording_mode, *end_reason;
	char *instruments_version, *start_date, *end_date;
	struct tp_names tables;	/* listed schemas, each once */
	uint64_t *table_counts;	/* how often each is listed */
	size_t count_cap;
	struct tp_toc_run *next;
};

/*
 * Read a table of contents: its runs in order, or NULL with ERR (TP_BAD when
 * it is damaged or lists no run).  Release with tp_toc_free().
 */
struct tp_toc_run *tp_toc_read(struct tp_in *in, struct tp_err *err);
void tp_toc_free(struct tp_toc_run *runs);

#endif
