/*
 * etdump - what an exported ETDump says: latency, operators, delegation
 *
 * Events of a run come in the order they were logged: those inside a frame
 * before the frame itself, Method::execute last.  So the order of node_id
 * within a run tells the nesting; without that column the order of rows does.
 * Method::execute holds OPERATOR_CALL and DELEGATE_CALL side by side, these
 * hold operators.  What a frame took beyond what is in it is its own time:
 * categories, delegate gap, operator overhead and the method's own time add
 * up to the sum of Method::execute, to the nanosecond.
 *
 * Where rows name their parents, these tell the nesting, in whatever order the
 * rows come; they are kept until all are there.
 *
 * When the rows of a run are not in order, or are sums already, the column
 * that names the backend says what was delegated.
 *
 * Memory: about 400 bytes per run_index, 100 per node (an event of the model,
 * whatever the number of runs) and 48 per Method::execute, and the distinct
 * names; 56 per row that names a parent; with SAMPLES also 8 per run_index and
 * distinct operator.
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

/* More than that of its time in what it holds: not the same unit or clock. */
#define TP_ETDUMP_LIMIT_PERCENT 105

/* Where time went; sums of ns. */
struct tp_parts {
	tp_int128 e2e;
	tp_int128 category[TP_CATEGORIES_MAX];
	tp_int128 delegate_calls, operator_calls;
	tp_int128 delegated, portable;	/* operators in them */
	tp_int128 direct;		/* what is in neither */
	tp_int128 unknown[TP_FRAME_LOAD];	/* frames that hold more than
						 * they took, by kind */
};

/* The state of one run_index. */
struct tp_etdump_run {
	int64_t index;
	int64_t last_node;		/* order of its rows */
	uint64_t executions;
	uint64_t work;		/* which they were, in any order */
	int64_t frame[TP_CATEGORIES_MAX];	/* waiting for a frame */
	int64_t open[TP_CATEGORIES_MAX];	/* for Method::execute */
	int64_t closed[TP_CATEGORIES_MAX];
	int64_t flat[TP_CATEGORIES_MAX];	/* whatever the order */
	int64_t waiting;		/* sum of frame[] */
	int64_t delegate, operator;	/* calls, waiting for execute, */
	int64_t control;		/* and what stands beside them */
	int64_t delegated, portable, unknown[TP_FRAME_LOAD];
	int64_t flat_delegate, flat_operator, flat_delegated, flat_portable,
	    flat_control;
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
	uint8_t mismatch;		/* holds more than it took */
	uint8_t place;			/* where rows name their parents */
	uint32_t base;			/* index of bases, with SAMPLES */
	uint64_t count;
	tp_int128 sum;
	int64_t scale;			/* ns that one of its units is */
	int64_t run, start_ns, end_ns;	/* of its first row; -1: not told */
};

/* The executions of one Method::execute: inputs of one shape, a method. */
struct tp_etdump_signature {
	size_t node;
	size_t first;			/* of executions, once arranged */
	struct tp_latency latency;
	struct tp_parts parts;
};

/* A call of Method::execute, as it was logged. */
struct tp_etdump_execution {
	int64_t run, ns;
	uint32_t signature, at;		/* place among all of them */
};

/* A zeroed struct is empty, once CLASS is set. */
struct tp_etdump {
	const struct tp_opclass *class;
	int samples;			/* keep operators run by run */
	int64_t tick_num, tick_den;	/* ns that are written are ticks, of
					 * num / den ns each; den 0: they are
					 * ns */
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
	uint64_t inner;			/* rows of frames inside of others */
	struct tp_etdump_kept *kept;	/* rows that name their parents */
	size_t kept_count, kept_cap;
	uint64_t mismatches;		/* frames that hold more than they
					 * took, and the first: */
	int64_t mismatch_run, mismatch_ns, mismatch_held_ns;
	int unordered;			/* rows are not in order */
	int averages;			/* means of all runs, not runs */
	int sums;			/* a node is all of one name */
};

/*
 * Take one row of one of the tables.  0, or -1 with ERR: the row is damaged,
 * or there is no memory.
 */
int tp_etdump_add(struct tp_etdump *etdump, const struct tp_row *row,
    struct tp_err *err);
/* All rows are there; before anything is asked.  0, or -1 with ERR. */
int tp_etdump_end(struct tp_etdump *etdump, struct tp_err *err);
/* How many runs have a Method::execute. */
size_t tp_etdump_whole_runs(const struct tp_etdump *etdump);
/*
 * Write the records, and notes about what was odd.  0, or -1 with ERR:
 * TP_BAD "timeline.noexecute" when rows hold no Method::execute, TP_LIMIT.
 */
int tp_etdump_emit(struct tp_etdump *etdump, struct tp_trace *trace,
    struct tp_out *out, struct tp_err *err);
/*
 * Whether OTHER, made of the same runs as ETDUMP, says something else of how
 * many there are or how long they took (by more than 1 us and 1 in 10,000):
 * 1 and why in WORDS, or 0.
 */
int tp_etdump_differs(const struct tp_etdump *etdump,
    const struct tp_etdump *other, char words[200]);
void tp_etdump_release(struct tp_etdump *etdump);

#endif
