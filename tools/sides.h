/*
 * sides - read the two operands of a comparison
 *
 * Each is a record stream or a profile_summary.v1 document, which becomes the
 * records it stands for.  Memory: both, three times their size.
 */
#ifndef TP_SIDES_H
#define TP_SIDES_H

#include <tp/judge/compare.h>
#include <tp/judge/pairing.h>
#include <tp/tool.h>

struct tp_sides {
	struct tp_set sets[TP_SIDES];
	struct cJSON *docs[TP_SIDES];	/* NULL: it was a record stream */
	char *files[TP_SIDES];		/* as they were given */
	int input_damaged;		/* a side could not be read whole */
	struct tp_compare_rules *rules;
	struct tp_compare_origin origin;
	struct tp_pairing pairing;	/* of their experiments */
	struct tp_comparison comparison;
};

/*
 * Read the two operands of RUN (of a tool with TP_TOOL_RECORDS,
 * TP_TOOL_DOCUMENTS, TP_TOOL_FIRST and TP_TOOL_LATE) and compare them; a
 * second that is not given is standard input.  Exits with TP_USAGE
 * when there are not two, with TP_BAD when a side holds no record, and when
 * both are one trace unless ALLOW_SAME.  Experiments of run folders are paired,
 * ACROSS systems, threads and models if that is not 0.
 */
void tp_sides_read(struct tp_run *run, struct tp_sides *sides,
    int allow_same, int across);
void tp_sides_release(struct tp_sides *sides);

#endif
