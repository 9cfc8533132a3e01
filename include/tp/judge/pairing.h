/*
 * pairing - match the experiments of two run folders
 *
 * A run folder of ExecuTorch holds several experiments, each a trace with
 * its own latency.  They are matched by model, name and number of threads;
 * then by names that differ only in the build; then, when ACROSS allows it
 * or nothing else matches, by names that differ in the system too, or in
 * model or threads.  An experiment without a counterpart is named and left
 * out.
 *
 * Memory: 64 bytes per experiment.  The records are borrowed.
 */
#ifndef TP_JUDGE_PAIRING_H
#define TP_JUDGE_PAIRING_H

#include <tp/judge/compare.h>

/* A trace with a latency, and what is known of it; unknown: NULL or -1. */
struct tp_paired {
	const char *src;
	const char *name;	/* without model and threads */
	const char *joined;	/* name without system and build */
	const char *model, *system, *build;
	int64_t threads;
	ptrdiff_t other;	/* its pair on the other side; -1: none */
};

struct tp_pairing {
	struct tp_paired *list[TP_SIDES];
	size_t count[TP_SIDES], cap[TP_SIDES];
	size_t pairs;
	/*
	 * Name of the folder when that side has several experiments, else NULL.
	 */
	const char *name[TP_SIDES];
};

/*
 * Pair the traces of SETS; ACROSS (not 0) allows pairs that differ in
 * system, threads or model.  SETS keep only records of a pair or of no
 * experiment; with several pairs, records of both sides get the src of the
 * trace after.  0, or -1 with ERR: TP_BAD when nothing matches.
 */
int tp_pairing_make(struct tp_pairing *pairing, struct tp_set sets[TP_SIDES],
    int across, struct tp_err *err);
/* Keep in SET, another run of SIDE, only what PAIRING kept in the first run. */
void tp_pairing_keep(const struct tp_pairing *pairing, struct tp_set *set,
    int side);

/* Call tp_compare_differs() for each pair. */
void tp_pairing_differs(const struct tp_pairing *pairing,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_buf *words);
/*
 * Write a compare.experiment for each pair (with accel.* records when there are
 * several pairs), then one for each experiment without a pair and a note about
 * these.  Write nothing when each side has one experiment.  0, or -1 with ERR.
 */
int tp_pairing_emit(const struct tp_pairing *pairing,
    const struct tp_comparison *comparison, const struct tp_set sets[TP_SIDES],
    struct tp_out *out, struct tp_err *err);

#endif
