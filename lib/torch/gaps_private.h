/* gaps_private - what gaps.c and gaps_host.c share */
#ifndef TP_TORCH_GAPS_PRIVATE_H
#define TP_TORCH_GAPS_PRIVATE_H

#include "gaps.h"

/* See gaps.h. */
struct tp_torch_gap_limits {
	int64_t ignore_ps, queued_ps, sync_slack_ps, drain_ps,
	    slow_launch_ps, only_launch_ps;
	double slow_launch_ratio, runtime_ratio, traced_ratio,
	    longest;
};

/* Gaps whose cause is what a thread of the host did. */
struct tp_torch_gap_host {
	struct gap_window {
		int64_t from_ps, to_ps;
		uint32_t lane, gap;
	} *list;
	size_t count, cap;
	/* while they are judged: time by name and by class in one of them */
	size_t at;
	int64_t *named;		/* by name * 2 + whether it is an operator */
	uint32_t *touched;	/* those that are not 0 */
	size_t touched_count, touched_cap;
	int64_t class_ps[TP_TORCH_CLASSES], op_ps;
};

/* Add gap AT of GAPS; 0, or -1 without memory. */
int tp_torch_gap_host_add(struct tp_torch_gap_host *host,
    const struct tp_torch *torch, const struct tp_torch_gaps *gaps, size_t at);
/* Find the cause of each; 0, or -1 without memory. */
int tp_torch_gap_host_judge(struct tp_torch_gap_host *host,
    const struct tp_torch *torch, const struct tp_torch_gap_limits *limits,
    struct tp_torch_gaps *gaps);
void tp_torch_gap_host_release(struct tp_torch_gap_host *host);

#endif
