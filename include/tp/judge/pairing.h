/*
 * pairing - which experiments of two run folders belong together
 *
 * A run folder of ExecuTorch holds several experiments, each a trace with its
 * own latency.  They are paired by model, name and number of threads; then by
 * names that differ in the build alone; then, where that is allowed or nothing
 * else fits, by names that differ in the system too, or in model or threads.
 * What has no counterpart is named and left out.
 *
 * Memory: 200 bytes per experiment.  The records are borrowed.
 */
#ifndef TP_JUDGE_PAIRING_H
#define TP_JUDGE_PAIRING_H

#include <tp/judge/compare.h>

/* A trace with a latency, and what is said of it: NULL and -1 where nothing
 * is. */
struct tp_paired {
	const char *src;
	const char *name;	/* without model and threads */
	const char *joined;	/* without system and build, too */
	const char *model, *system, *build;
	int64_t threads;
	ptrdiff_t other;	/* of the other side; -1: none */
};

struct tp_pairing {
	struct tp_paired *list[TP_SIDES];
	size_t count[TP_SIDES], cap[TP_SIDES];
	size_t pairs;
	/* What a side that holds several is called, else NULL. */
	const char *name[TP_SIDES];
};

/*
 * Pair the traces of SETS, ACROSS systems, threads and models when that is not
 * 0.  Leaves in SETS what is of a pair, or of no experiment; of several pairs
 * the records of both sides get the src of the one after.  0, or -1 with ERR:
 * TP_BAD when nothing fits.  Release PAIRING in either case.
 */
int tp_pairing_make(struct tp_pairing *pairing, struct tp_set sets[TP_SIDES],
    int across, struct tp_err *err);
/* Leave in SET, of another run of SIDE, what that left in the first; 0, or -1
 * without memory. */
int tp_pairing_keep(const struct tp_pairing *pairing, struct tp_set *set,
    int side);
void tp_pairing_release(struct tp_pairing *pairing);

/* Whether there is more than one experiment to tell of. */
int tp_pairing_is_many(const struct tp_pairing *pairing);
/* tp_compare_differs() of each pair. */
int tp_pairing_differs(const struct tp_pairing *pairing,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_buf *words);
/* Write a compare.experiment for each pair, of several with its accel.*
 * records; then one for what is in none, with a note of those.  Nothing of one
 * on each side.  0, or -1 with ERR. */
int tp_pairing_emit(const struct tp_pairing *pairing,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_out *out, struct tp_err *err);

#endif
