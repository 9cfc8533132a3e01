/*
 * gate - check a comparison against limits
 *
 * A gate names metrics of a comparison and how much they may change.  The
 * limits are data, share/gates.  A check that cannot be made is unknown,
 * never a pass: a metric that one side lacks, steps that neither side has,
 * damaged input, or no metric that any gate names.
 *
 * Pass or fail rests on few metrics, fixed beforehand: gates on one subject
 * (time, memory) form a group, and the first gate of the group whose metric
 * both sides have decides.  The others at most warn.  Two groups at 2.5 %
 * each give a false alarm in at most 5 % of comparisons, when several runs
 * or a history give the noise.  A gate without a group decides by itself.
 *
 * Memory: the gates and about 100 bytes a check.
 */
#ifndef TP_JUDGE_GATE_H
#define TP_JUDGE_GATE_H

#include <tp/doc.h>
#include <tp/judge/compare.h>

/* In order of severity. */
enum tp_gate_status { TP_GATE_PASS, TP_GATE_WARN, TP_GATE_UNKNOWN,
	TP_GATE_FAIL };

struct tp_gate_check {
	const char *id, *title;		/* of the gate, or of the problem */
	const struct tp_compared *of;	/* NULL: there is no such metric */
	enum tp_gate_status status;
	const char *text;		/* the result as a sentence */
	double limit;			/* the limit exceeded, or the
					 * strictest */
	int has_limit;
	const char *decides;		/* its group, or NULL */
	double order;			/* in the group, lowest first */
	int can_fail;			/* may fail, not only warn */
	int has_few_steps;		/* too few steps to judge its change */
	int is_deciding;
	enum tp_gate_status exceeds;	/* the status if it decided */
	const char *same_as;		/* gate that failed for the same reason,
					 * or NULL */
};

struct tp_gates {
	struct cJSON **files;
	int file_count, file_cap;
	struct tp_gate_check *list;
	size_t count, cap;
	struct tp_arena arena;
	struct tp_buf text;
};

/*
 * Read gates.  NAME is a file (contains a '/' or ends in ".json"), the name
 * of a set in share/gates, or NULL for all of share/gates.  0, or -1 with
 * ERR.
 */
int tp_gates_load(struct tp_gates *gates, const char *name,
    struct tp_err *err);

/* Fill gates->list from C. */
void tp_gates_check(struct tp_gates *gates, const struct tp_comparison *c);
/* Add a check that comes from elsewhere. */
void tp_gates_add(struct tp_gates *gates, const char *id, const char *title,
    enum tp_gate_status status, const char *text);

/* The worst status of the list; an empty list is unknown. */
enum tp_gate_status tp_gates_status(const struct tp_gates *gates);
/* "pass" "warn" "unknown" "fail". */
const char *tp_gate_status_name(enum tp_gate_status status);
/* How many checks have STATUS. */
size_t tp_gates_count(const struct tp_gates *gates,
    enum tp_gate_status status);

/*
 * Group of the gates for METRIC, "" when they have no group; NULL when no
 * gate names METRIC.
 */
const char *tp_gates_group(const struct tp_gates *gates, const char *metric);
/* Whether any check of GROUP could be made. */
int tp_gates_can_tell(const struct tp_gates *gates, const char *group);
/*
 * The smallest change of the deciding metrics that would stand out from
 * noise, relative to before.  FROM gets the source of that knowledge,
 * TP_NOISE_UNKNOWN when there is none.
 */
double tp_gates_detectable(const struct tp_gates *gates,
    enum tp_noise *from);

/* Write the track.check records. */
void tp_gates_emit(const struct tp_gates *gates, struct tp_out *out);
/*
 * Whether a change of twice a deciding limit would be missed in more than
 * half of all cases.
 */
int tp_gates_are_weak(const struct tp_gates *gates);
/*
 * Write the number of checks per status, the deciding metrics and the
 * smallest detectable change as keys of the open record.
 */
void tp_gates_out(const struct tp_gates *gates, struct tp_out *out);

/*
 * Append the checks, under the name LABEL, as a JUnit document or as GitHub
 * workflow commands.
 */
void tp_gates_junit(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);
void tp_gates_github(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);
/*
 * Append the values after of all metrics where less is better, for programs
 * that keep benchmark histories, as they document it:
 * github-action-benchmark (customSmallerIsBetter) and Bencher (BMF).
 * Neither format has a place for LABEL, which is ignored.
 */
void tp_gates_benchmark(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);
void tp_gates_bencher(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);

#endif
