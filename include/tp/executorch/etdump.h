/*
 * etdump - an exported ETDump: latency, operators, delegation
 *
 * Events of a run come in the order they were logged: events inside a frame
 * before the frame itself, Method::execute last.  So the order of node_id
 * within a run gives the nesting; without that column, row order does.
 * Method::execute holds OPERATOR_CALL and DELEGATE_CALL side by side, and
 * these hold operators.  A frame's own time is its duration minus that of
 * its children: categories, delegate gap, operator overhead and the method's
 * own time add up to the sum of Method::execute, to the nanosecond.
 *
 * When rows name their parents, the parents give the nesting, whatever the
 * order of rows; such rows are kept until all have been read.
 *
 * When the rows of a run are out of order, or are sums or means already, each
 * operator says by its backend or its name whether it was delegated.
 *
 * Memory: about 700 bytes per run_index, 120 per node (an event of the
 * model, whatever the number of runs), 32 per Method::execute, the distinct
 * names, and 56 per row that names a parent; with SAMPLES also 8 per
 * run_index and distinct operator.
 */
#ifndef TP_EXECUTORCH_ETDUMP_H
#define TP_EXECUTORCH_ETDUMP_H

#include <tp/hash.h>

#include "executorch/latency.h"
#include "executorch/opclass.h"
#include "read/rows.h"

#define TP_TABLE_ETDUMP "etdump-timeline"
#define TP_TABLE_ETDUMP_OPS "etdump-ops-stats"
#define TP_TABLE_ETDUMP_INSPECTOR "etdump-inspector"
extern const struct tp_want tp_etdump_columns[], tp_etdump_ops_columns[],
    tp_etdump_inspector_columns[];

/*
 * Children that exceed their frame by more than this have another unit or
 * clock.
 */
#define TP_ETDUMP_LIMIT_PERCENT 105

/* Where an operator ran, by what its own row says. */
enum tp_home {
	TP_HOME_PORTABLE, TP_HOME_DELEGATE,
	TP_HOME_METHOD,		/* control flow, in no call */
	TP_HOME_UNKNOWN,	/* in a delegate if there are delegates */
	TP_HOMES
};

/* Where time went; sums of ns. */
struct tp_parts {
	tp_int128 e2e;
	tp_int128 category[TP_CATEGORIES_MAX];
	tp_int128 delegate_calls, operator_calls;
	tp_int128 delegated, portable;	/* operators in them */
	tp_int128 direct;		/* in neither call */
	tp_int128 unknown[TP_FRAME_LOAD];	/* frames shorter than their
						 * children, by kind */
};

/* The state of one run_index. */
struct tp_etdump_run {
	int64_t index;
	int64_t last_node;		/* to check that rows are in order */
	uint64_t executions;
	uint64_t work;		/* hash of its executions, in any order */
	int64_t frame[TP_CATEGORIES_MAX];	/* waiting for their frame */
	int64_t open[TP_CATEGORIES_MAX];	/* waiting for
						 * Method::execute */
	int64_t closed[TP_CATEGORIES_MAX];
	int64_t flat[TP_HOMES][TP_CATEGORIES_MAX];	/* ignoring the order
						 * of rows */
	int64_t waiting;		/* sum of frame[] */
	int64_t delegate, operator;	/* calls and control flow that wait */
	int64_t control;		/* for Method::execute */
	int64_t delegated, portable, unknown[TP_FRAME_LOAD];
	int64_t flat_delegate, flat_operator, flat_control;
	unsigned homes;			/* sure ones in waiting, a bit each */
	int64_t e2e;
	int64_t total;			/* of all its rows */
	int pending;			/* rows since Method::execute */
	int64_t *op_ns;			/* by index of bases */
	size_t op_count, op_cap;
};

/* An event of the model: one per node_id and name. */
struct tp_etdump_node {
	int64_t id;
	uint32_t name, backend;		/* indexes */
	uint32_t signature;		/* of Method::execute */
	uint8_t kind, category;		/* enum tp_frame_kind; of operators */
	uint8_t mismatch;		/* its children exceed its duration */
	uint8_t place;			/* where rows name their parents */
	uint8_t home, is_sure;		/* of an operator: enum tp_home; its
					 * call cannot be another one */
	uint32_t base;			/* index of bases, with SAMPLES */
	uint64_t count;
	tp_int128 sum;
	int64_t scale;			/* ns per unit of its values */
	int64_t run, start_ns, end_ns;	/* of its first row; -1: unknown */
};

/* What an Inspector's table of means says of how runs differ. */
enum { TP_ETDUMP_MIN, TP_ETDUMP_P10, TP_ETDUMP_P50, TP_ETDUMP_P90,
    TP_ETDUMP_MAX, TP_ETDUMP_QUANTILES };

/* Executions of one method with inputs of one shape. */
struct tp_etdump_signature {
	size_t node;
	size_t first;			/* of executions, once arranged */
	struct tp_latency latency;
	struct tp_parts parts;
	int64_t quantile_ns[TP_ETDUMP_QUANTILES];	/* as the table has
							 * them; -1: not */
};

/* A call of Method::execute, as it was logged. */
struct tp_etdump_execution {
	int64_t run, ns;
	uint32_t signature, at;		/* at: index among all executions */
};

/* Empty when zeroed, except that CLASS must be set. */
struct tp_etdump {
	const struct tp_opclass *class;
	int samples;			/* keep operators run by run */
	int64_t tick_num, tick_den;	/* "ns" values are ticks of num / den
					 * ns; den 0: they are ns */
	int is_cycles;			/* its table names them cycles */
	struct tp_names names, backends;
	struct tp_names bases;		/* names without " #3" */
	struct tp_etdump_node *nodes;
	size_t node_count, node_cap, last_node;
	struct tp_ids node_ids;
	struct tp_etdump_run *runs;
	size_t run_count, run_cap, last_run;
	struct tp_ids run_ids;
	struct tp_etdump_signature *signatures;
	size_t signature_count, signature_cap;
	struct tp_etdump_execution *executions;
	size_t execution_count, execution_cap;
	uint64_t rows, inspector_rows;
	uint64_t no_run, no_duration;	/* cells that were empty */
	uint64_t inner;			/* rows of frames inside other frames */
	struct tp_etdump_kept *kept;	/* rows that name their parents */
	size_t kept_count, kept_cap;
	uint64_t mismatches;		/* frames shorter than their children;
					 * the first is: */
	int64_t mismatch_run, mismatch_ns, mismatch_held_ns;
	int unordered;			/* rows are out of order */
	int has_delegates, has_operators;	/* rows of such calls */
	int is_inspector;		/* its rows may be in any order */
	unsigned direct_homes;		/* of those in no call, a bit each */
	uint64_t misplaced;		/* calls that hold operators of the
					 * other kind */
	unsigned lost;			/* homes whose operators do not fit into
					 * their calls, a bit each */
	int averages;			/* means of all runs, not runs */
	int has_medians;		/* of a row without a mean */
	int sums;			/* a node is the sum of all events of
					 * one name, in this many runs: */
	int64_t summed;
	uint64_t uncounted;		/* such sums without a count */
	int64_t longest_ns;		/* duration of a row */
	int has_fraction;		/* a row lasts no whole number of ms */
};

/* Add one row of one of the tables.  0, or -1 with ERR: it is damaged. */
int tp_etdump_add(struct tp_etdump *etdump, const struct tp_row *row,
    struct tp_err *err);
/*
 * What ROW says it is of, by the columns source and model_id: LEN bytes, none
 * if it says nothing.  Borrowed from ROW, or from BOTH when both columns say
 * something.
 */
const char *tp_etdump_source(const struct tp_row *row, struct tp_buf *both,
    size_t *len);
/* Call after the last row, before any query.  0, or -1 with ERR. */
int tp_etdump_end(struct tp_etdump *etdump, struct tp_err *err);
/* Number of runs that have a Method::execute. */
size_t tp_etdump_whole_runs(const struct tp_etdump *etdump);
/*
 * Write the records, and notes about problems in the data.  0, or -1 with
 * ERR: TP_BAD "timeline.noexecute" when no row is a Method::execute;
 * TP_LIMIT.
 */
int tp_etdump_emit(struct tp_etdump *etdump, struct tp_trace *trace,
    struct tp_out *out, struct tp_err *err);
/*
 * Whether OTHER, made from the same runs as ETDUMP, disagrees on the number
 * of runs or on how long they took (by more than 1 us and 1 in 10,000).  1
 * with the difference in WORDS, or 0.
 */
int tp_etdump_differs(const struct tp_etdump *etdump,
    const struct tp_etdump *other, char words[200]);
void tp_etdump_release(struct tp_etdump *etdump);

#endif
