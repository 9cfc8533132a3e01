/*
 * compare_show - what a report of a comparison shows, and how it words it
 *
 * A report shows the numbers that share/compare lists under "shown", and
 * every other number judged to have changed.  Some are headlines: in each
 * group, the first that can be judged decides the overall verdict.
 *
 * Memory: 24 bytes per number shown.
 */
#ifndef TP_JUDGE_COMPARE_SHOW_H
#define TP_JUDGE_COMPARE_SHOW_H

#include <tp/judge/compare.h>

struct tp_compare_show {
	const struct tp_comparison *of;
	struct tp_compare_item {
		const struct tp_compared *v;
		const struct tp_compare_shown *as;	/* NULL: not listed */
		int is_headline;
	} *items;
	size_t count, cap;
	const char *verdict;	/* worse, better, mixed, same, unknown */
	int is_measured;	/* the verdict rests on repeated measurements */
};

/* Choose from C, which must outlive SHOW. */
void tp_compare_show_make(struct tp_compare_show *show,
    const struct tp_comparison *c);

/*
 * Write a compare.state record for each state of a side of C, and whether it
 * hides a headline.
 */
void tp_compare_show_states(const struct tp_compare_show *show,
    const struct tp_comparison *c, struct tp_out *out);
/*
 * Write where the steps of headlines change on the way, or which are slow
 * (tp_compare_emit_course).
 */
void tp_compare_show_course(const struct tp_compare_show *show,
    struct tp_out *out);
/* *FROM is the step from which on the verdict holds; 0: of all of them. */
int tp_compare_show_from(const struct tp_compare_show *show, int64_t *from);
/*
 * Write compare.uniform (tp_compare_emit_uniform) unless steps that are a
 * headline changed by another factor.
 */
void tp_compare_show_uniform(const struct tp_compare_show *show,
    struct tp_out *out);
/*
 * Write a compare.shown record for each, with titles that name the device of
 * SET, unless NULL.
 */
void tp_compare_show_emit(const struct tp_compare_show *show,
    const struct tp_set *set, struct tp_out *out);

#endif
