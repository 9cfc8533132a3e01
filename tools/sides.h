/*
 * sides - read the runs that are compared
 *
 * Each is a record stream or a profile_summary.v1 document, which becomes the
 * records it stands for.  Memory: all of them, three times their size.
 */
#ifndef TP_SIDES_H
#define TP_SIDES_H

#include <tp/judge/compare.h>
#include <tp/judge/pairing.h>
#include <tp/tool.h>

/* What --before and --after name. */
extern const char *tp_given[TP_SIDES][TP_OPT_LIST_MAX];
/* The rows of these options, for tools that read sides. */
#define TP_SIDES_OPTIONS \
	{ TP_OPT_LIST, "before", 0, "FILE", "a run before, or a folder of " \
	    "runs; repeatable", tp_given[TP_BEFORE] }, \
	{ TP_OPT_LIST, "after", 0, "FILE", "a run after, or a folder of " \
	    "runs; repeatable", tp_given[TP_AFTER] }

struct tp_sides {
	struct tp_runs runs[TP_SIDES];
	/* The first run of each; empty where none is given. */
	struct tp_set sets[TP_SIDES];
	const struct cJSON *docs[TP_SIDES];	/* the document that is; NULL:
						 * a record stream, or one of
						 * several runs */
	struct cJSON **documents;	/* of all files, or NULL */
	const char *files[TP_SIDES];	/* of that run, as it was given */
	char **names;			/* of all files */
	size_t name_count, name_cap;
	int input_damaged;		/* a side could not be read whole */
	struct tp_compare_rules *rules;
	struct tp_compare_origin origin;
	struct tp_pairing pairing;	/* of their experiments */
	struct tp_comparison comparison;
};

/* How they are read. */
struct tp_sides_want {
	int allow_same;		/* one trace twice is compared */
	int across;		/* see tp_pairing_make() */
	int from_past;		/* --after alone: before is what is on record */
	const struct tp_past *past;	/* see tp_compare() */
	size_t past_count;
};

/*
 * Read the runs of RUN (of a tool with TP_TOOL_RECORDS, TP_TOOL_DOCUMENTS,
 * TP_TOOL_FIRST and TP_TOOL_LATE) as WANT says and compare them: what --before
 * and --after name, or two operands; a second that is not given is standard
 * input.  Exits with TP_USAGE when a side is not given, with TP_BAD when a run
 * holds no record, and when one trace comes twice.
 */
void tp_sides_read(struct tp_run *run, struct tp_sides *sides,
    const struct tp_sides_want *want);
/* The keys that tell what SIDES, called NAMES, are, of the record under way: of
 * the first run of each, and how many there are. */
void tp_sides_out(const struct tp_sides *sides,
    const char *const names[TP_SIDES], struct tp_out *out);

#endif
