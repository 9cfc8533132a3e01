/*
 * promise - what findings promised, and what was delivered
 *
 * A finding says how much time can be saved at most.  This module applies
 * the same rules to the run before, and measures in the run after the very
 * time that each finding was about: per step when both runs have steps, else
 * per run when both did the same work.  Where a finding's time is measured,
 * how much of it can be saved, and which outcome that is, is data:
 * "promises" of share/compare.  When kernels were replaced by others (such
 * as fused attention), the delivered time is what the step got shorter by,
 * minus what other promises delivered.
 *
 * With the same bases it says by how much each part of the wall clock changed.
 *
 * Memory: about 150 bytes per finding, its rules, and a shallow copy of each
 * record of one trace of a side.
 */
#ifndef TP_JUDGE_PROMISE_H
#define TP_JUDGE_PROMISE_H

#include <tp/judge/compare.h>
#include <tp/judge/rule.h>

enum tp_outcome {
	TP_PROMISE_DONE, TP_PROMISE_PARTLY, TP_PROMISE_NOT, TP_PROMISE_MORE,
	TP_PROMISE_UNKNOWN,
	TP_OUTCOMES
};

/* The period that times refer to. */
enum tp_promise_basis { TP_OF_STEP, TP_OF_RUN };

struct tp_promise {
	const char *rule, *title;
	const char *subject;		/* or NULL */
	enum tp_promise_basis basis;
	int64_t promised_ns;		/* times are per step or run */
	int64_t base_ns;		/* duration of the step or run before;
					 * 0: unknown */
	int is_measured;			/* delivered_ns is known */
	int64_t delivered_ns;		/* negative: it takes longer now */
	/*
	 * Time of kernels that are gone, when others whose own time is unknown
	 * replaced them; else 0.
	 */
	int64_t replaced_ns;
	int has_rest;			/* remaining_ns is known */
	int64_t remaining_ns;		/* time that can still be saved */
	enum tp_outcome outcome;
	const char *because;		/* reason of TP_PROMISE_UNKNOWN, else
					 * NULL */
};

/* The promises of a trace, largest first, and their sums. */
struct tp_promised_trace {
	const char *src;		/* src in the run after, if it is
					 * there */
	struct tp_promise *list;
	size_t count;
	size_t outcomes[TP_OUTCOMES];
	enum tp_promise_basis basis;
	/* Sums over promises of that basis; delivered: where it is known. */
	int64_t promised_ns, delivered_ns;
	int64_t base_ns[TP_SIDES];	/* duration of the step or run; 0:
					 * unknown */
};

/* A part of the wall clock, per step or run. */
struct tp_moved_part {
	const char *src;
	const char *part, *cause;	/* cause: or NULL */
	enum tp_promise_basis basis;
	int64_t ns[TP_SIDES];
	int is_on[TP_SIDES];
	int64_t delta_ns;		/* 0 for a side that lacks it */
	double of_change;		/* share of the change of the whole;
					 * 0: that did not change */
};

/* A zeroed struct is empty. */
struct tp_promises {
	struct tp_promised_trace *traces;
	size_t count, cap;
	struct tp_moved_part *parts;	/* per trace, largest change first */
	size_t part_count, part_cap;
	struct tp_rules *rules;		/* texts are borrowed from these */
	struct tp_names srcs[TP_SIDES];	/* ... and from these */
};

/*
 * Apply every rule of share/rules and of the user to SETS[TP_BEFORE] and
 * measure in SETS[TP_AFTER] what became of the findings.  DATA is from
 * tp_compare_rules_load(); SETS must outlive P.  0, or -1 with ERR.
 */
int tp_promises_make(struct tp_promises *p,
    const struct tp_compare_rules *data, const struct tp_set sets[TP_SIDES],
    struct tp_err *err);

/*
 * Write, for each trace with promises, compare.promised and its
 * compare.promise records; and compare.part for all.
 */
void tp_promises_emit(const struct tp_promises *p, struct tp_out *out);

/* A + B, saturated at the limits of int64_t. */
int64_t tp_promise_add(int64_t a, int64_t b);
/* Name in records and histories: "done", "partly", ... */
const char *tp_outcome_name(enum tp_outcome outcome);

#endif
