/* etdump_private - what the parts of etdump share; not installed */
#ifndef TP_EXECUTORCH_ETDUMP_PRIVATE_H
#define TP_EXECUTORCH_ETDUMP_PRIVATE_H

#include <tp/executorch/etdump.h>

/* Where an operator ran. */
enum { TP_PLACE_DELEGATE, TP_PLACE_PORTABLE, TP_PLACE_METHOD, TP_PLACES };

/* A row, independent of its table. */
struct tp_etdump_event {
	const char *name, *backend;
	size_t name_len, backend_len;
	int64_t run, node, ns, times;
	uint64_t line;
	const struct tp_value *start, *end;
	int is_outside;		/* belongs to no run */
	int is_inner;		/* has children, or is a call in a call */
	int is_sorted;		/* comes in nesting order, whatever its node
				 * number; then */
	uint8_t place;		/* where it ran is known */
	uint8_t home;		/* enum tp_home + 1; 0: that of BACKEND */
};

/* Add V.  0, or -1 with ERR. */
int tp_etdump_add_event(struct tp_etdump *etdump,
    const struct tp_etdump_event *v, struct tp_err *err);
/* Parent of top-level events. */
#define TP_ETDUMP_ROOT INT64_MIN

/* Keep V, whose parent is node PARENT, until all rows are read. */
void tp_etdump_keep(struct tp_etdump *etdump, const struct tp_etdump_event *v,
    int64_t parent);
/*
 * Add the kept rows in the order that their parents imply.  0, or -1 with
 * ERR: TP_BAD "timeline.parents".
 */
int tp_etdump_nest(struct tp_etdump *etdump, struct tp_err *err);
/*
 * Remember NS, quantiles of the runs that the Method::execute added last is
 * the mean of; -1 is unknown.
 */
void tp_etdump_set_quantiles(struct tp_etdump *etdump,
    const int64_t ns[TP_ETDUMP_QUANTILES]);
/* Number of runs that a time is the sum of: 1 but in a table of sums. */
size_t tp_etdump_summed(const struct tp_etdump *etdump);
/* NS, such a time, in one run: divided by that number. */
int64_t tp_etdump_per_run(const struct tp_etdump *etdump, int64_t ns);
/* The state of run INDEX. */
struct tp_etdump_run *tp_etdump_run_of(struct tp_etdump *etdump,
    int64_t index);
/*
 * Sum the parts of all whole runs; detects a mismatch when rows are out of
 * order.
 */
void tp_etdump_total(struct tp_etdump *etdump, struct tp_parts *parts);

/* The home of N, an unknown one resolved. */
enum tp_home tp_etdump_home(const struct tp_etdump *etdump,
    const struct tp_etdump_node *n);
/* Time of category AT in run R, or in each run that R is the sum of. */
int64_t tp_etdump_taken(const struct tp_etdump *etdump,
    const struct tp_etdump_run *r, size_t at);
/*
 * Write category.run and op.run for the COUNT RUNS; TOTAL is their sum of
 * parts.
 */
void tp_etdump_emit_samples(const struct tp_etdump *etdump,
    const struct tp_parts *total, struct tp_etdump_run *const *runs,
    size_t count, struct tp_out *out);

/* Nodes of one name, backend and place. */
struct tp_etdump_op {
	const char *name;	/* without " #3" */
	size_t len;
	uint32_t backend;
	uint8_t place, category, mismatch;
	uint64_t nodes, calls;
	tp_int128 sum;
	const struct tp_etdump_node *longest;	/* of its nodes */
};

/* The operators of an ETDump.  A zeroed struct is empty. */
struct tp_etdump_ops {
	struct tp_etdump *etdump;
	struct tp_etdump_op *list;	/* longest first */
	size_t count, cap;
	struct tp_names bases;
	struct tp_ids ids;
	uint64_t foreign;	/* nodes whose times lie outside their call */
};

/* Collect the operators, after the last row. */
void tp_etdump_ops_collect(struct tp_etdump_ops *ops,
    struct tp_etdump *etdump);
/* Time in operators of CATEGORY, and in the portable ones among them. */
void tp_etdump_ops_of(const struct tp_etdump_ops *ops, size_t category,
    tp_int128 *all, tp_int128 *portable);
/*
 * Write delegation.nodes and op.latency.  The sums are over RUNS runs, which
 * take E2E in total.
 */
void tp_etdump_ops_emit(const struct tp_etdump_ops *ops, size_t runs,
    tp_int128 e2e, struct tp_out *out);
void tp_etdump_ops_release(struct tp_etdump_ops *ops);

#endif
