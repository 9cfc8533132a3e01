/*
 * promise - what findings promised, and what became of it
 *
 * A finding says how much time can be saved at most.  Here the same rules
 * judge the run before, and of each finding the very time it is about is
 * measured in the run after: per step where both runs have steps, else per
 * run where both did the same work.  Where time is found, what it can give,
 * and which outcome that is, is data: "promises" of share/compare.  Kernels
 * that others replaced (attention that is fused now) delivered what the step
 * got shorter by and no other promise delivered.
 *
 * Memory: about 150 bytes per finding, its rules, and a copy of each record of
 * one trace of a side (not of what it holds).
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

/* What a time is of. */
enum tp_promise_basis { TP_OF_STEP, TP_OF_RUN };

struct tp_promise {
	const char *rule, *title;
	const char *subject;		/* or NULL */
	enum tp_promise_basis basis;
	int64_t promised_ns;		/* of one step or run, as all here */
	int64_t base_ns;		/* the step or run before; 0: unknown */
	int is_told;			/* delivered_ns is known */
	int64_t delivered_ns;		/* negative: it takes longer now */
	/* what is gone, when other work took its place, which takes time
	 * that is not known by itself; else 0 */
	int64_t replaced_ns;
	int has_rest;			/* remaining_ns is known */
	int64_t remaining_ns;		/* what can still be gained */
	enum tp_outcome outcome;
	const char *because;		/* of TP_PROMISE_UNKNOWN, else NULL */
};

/* The promises of a trace, largest first, and all together. */
struct tp_promised_trace {
	const char *src;		/* of the run after, if that has it */
	struct tp_promise *list;
	size_t count;
	size_t outcomes[TP_OUTCOMES];
	enum tp_promise_basis basis;
	/* sums of promises of that basis; delivered of those it is known of */
	int64_t promised_ns, delivered_ns;
	int64_t base_ns[TP_SIDES];	/* the step or run; 0: unknown */
};

/* A zeroed struct is empty. */
struct tp_promises {
	struct tp_promised_trace *traces;
	size_t count, cap;
	struct tp_rules *rules;		/* whose text is borrowed, */
	struct tp_names srcs[TP_SIDES];	/* as are these */
};

/*
 * What the findings of SETS[TP_BEFORE] promised, by every rule of share/rules
 * and the user's own, and what SETS[TP_AFTER] says of it.  DATA is what
 * tp_compare_rules_load() read; SETS must outlive P.  0, or -1 with ERR.
 */
int tp_promises_make(struct tp_promises *p,
    const struct tp_compare_rules *data, const struct tp_set sets[TP_SIDES],
    struct tp_err *err);
void tp_promises_release(struct tp_promises *p);

/* Write compare.promised of each trace that was promised anything, then its
 * compare.promise records. */
void tp_promises_emit(const struct tp_promises *p, struct tp_out *out);

/* A and B together, or the largest or smallest there is. */
int64_t tp_promise_add(int64_t a, int64_t b);
/* As records and lines of a history have it: "done", "partly" ... */
const char *tp_outcome_name(enum tp_outcome outcome);

#endif
