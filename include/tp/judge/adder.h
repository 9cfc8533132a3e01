/*
 * adder - add up the records of the parts of a run
 *
 * Parts are disjoint: hosts, ranks, machines, runs.  What a key comes to is
 * data, share/merge.json (the rules are in adder_rules.c).  Any order, and any
 * tree of what was added up before, gives the same bytes: integers are added
 * exactly, of KEY_ns the picoseconds where all parts say KEY_ps too (where only
 * some do, the tree can change a nanosecond a part), and means and ratios are
 * made of the sums at the end.
 * Memory: 32 bytes a key of its schema for each record that stays, and its
 * texts; not by how many parts there are.
 */
#ifndef TP_JUDGE_ADDER_H
#define TP_JUDGE_ADDER_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

struct tp_adder;

/*
 * BY, NULL-terminated and borrowed, are keys that keep records apart beside
 * those that share/merge.json names; SRC, or NULL, is whose all records are.
 * NULL with ERR.
 */
struct tp_adder *tp_adder_open(const char *const *by, const char *src,
    struct tp_err *err);
void tp_adder_close(struct tp_adder *adder);
/*
 * Add REC, whose text is the LEN bytes at LINE.  0, or -1 with ERR: TP_BAD,
 * "merge.twice" when it says of a file that it was read, as one before did;
 * TP_LIMIT when a sum does not fit into 64 bits.
 */
int tp_adder_take(struct tp_adder *adder, const struct tp_rec *rec,
    const char *line, size_t len, struct tp_err *err);
/* Files that records said were read. */
uint64_t tp_adder_sources(const struct tp_adder *adder);
/* Write all, by kind, then in the order of share/merge.json.  0, or -1 with
 * ERR. */
int tp_adder_emit(struct tp_adder *adder, struct tp_out *out,
    struct tp_err *err);

#endif
