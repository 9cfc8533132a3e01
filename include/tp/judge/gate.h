/*
 * gate - hold what changed to limits
 *
 * A gate names metrics of a comparison and how much they may change.  The
 * limits are data, share/gates.  What cannot be told is unknown, never a
 * pass: a metric that one side lacks, steps that neither side has, damaged
 * input, nothing at all that a gate knows.
 *
 * Whether a run passes rests on few metrics, which are told beforehand: gates
 * that decide one thing (time, memory) are a group, of which the first whose
 * metric both sides have decides.  The others warn at most.  Two groups at
 * 2.5 % each give a false alarm in at most 5 % of all comparisons, where
 * several runs or a history tell the noise.  A gate of no group decides by
 * itself.
 *
 * Memory: the gates and about 100 bytes a check.
 */
#ifndef TP_JUDGE_GATE_H
#define TP_JUDGE_GATE_H

#include <tp/doc.h>
#include <tp/judge/compare.h>

/* The worse, the higher. */
enum tp_gate_status { TP_GATE_PASS, TP_GATE_WARN, TP_GATE_UNKNOWN,
	TP_GATE_FAIL };

struct tp_check {
	const char *id, *title;		/* of the gate, or of what is odd */
	const struct tp_compared *of;	/* NULL: there is no such metric */
	enum tp_gate_status status;
	const char *text;		/* what was found, a sentence */
	double limit;			/* that tripped, or the strictest */
	int has_limit;
	const char *decides;		/* its group, or NULL */
	double order;			/* in the group, the least first */
	int can_fail;			/* not only warn */
	int is_untold;			/* too few steps for its change */
	int is_deciding;
	enum tp_gate_status exceeds;	/* what status would be if it were */
	const char *same_as;		/* gate that failed for the same, or
					 * NULL */
};

struct tp_gates {
	struct cJSON **files;
	int file_count, file_cap;
	struct tp_check *list;
	size_t count, cap;
	struct tp_arena arena;
	struct tp_buf text;
};

/*
 * Read the gates: NAME is a file (it holds a '/' or ends in ".json"), the
 * name of one of share/gates, or NULL: all of those.  0 or -1 with ERR.
 */
int tp_gates_load(struct tp_gates *gates, const char *name,
    struct tp_err *err);
void tp_gates_release(struct tp_gates *gates);

/* Fill gates->list from C.  0 or -1 with ERR. */
int tp_gates_check(struct tp_gates *gates, const struct tp_comparison *c,
    struct tp_err *err);
/* Add a check of something else; 0 or -1 with ERR. */
int tp_gates_add(struct tp_gates *gates, const char *id, const char *title,
    enum tp_gate_status status, const char *text, struct tp_err *err);

/* The worst status of the list; an empty list is unknown. */
enum tp_gate_status tp_gates_status(const struct tp_gates *gates);
/* "pass" "warn" "unknown" "fail". */
const char *tp_gate_status_name(enum tp_gate_status status);
/* How many checks have STATUS. */
size_t tp_gates_count(const struct tp_gates *gates,
    enum tp_gate_status status);

/* The group of the gates that METRIC is of, "" when that is none; NULL: no gate
 * knows it. */
const char *tp_gates_group(const struct tp_gates *gates, const char *metric);
/* Whether a check of GROUP could be made. */
int tp_gates_can_tell(const struct tp_gates *gates, const char *group);
/* The least change of what decides that would have been told from noise, of
 * what was before, and FROM what that is known: TP_NOISE_UNKNOWN when it is
 * not. */
double tp_gates_detectable(const struct tp_gates *gates,
    enum tp_noise *from);

/* Write the track.check records. */
void tp_gates_emit(const struct tp_gates *gates, struct tp_out *out);
/* Whether a change of twice a limit that decides would be found in less than
 * half of all cases. */
int tp_gates_are_weak(const struct tp_gates *gates);
/* The keys that count checks by status, and what decides, of the record under
 * way; and what change would have been told. */
void tp_gates_out(const struct tp_gates *gates, struct tp_out *out);

/* The checks, called LABEL, as a JUnit document, and as workflow commands of
 * GitHub. */
void tp_gates_junit(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);
void tp_gates_github(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);
/*
 * What was measured after, of all that less is better of, for programs that
 * keep such numbers, by their documentation: github-action-benchmark
 * (customSmallerIsBetter), and Bencher (BMF).  Neither has a place for LABEL.
 */
void tp_gates_benchmark(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);
void tp_gates_bencher(const struct tp_gates *gates, const char *label,
    struct tp_buf *buf);

#endif
