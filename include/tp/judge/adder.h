/*
 * adder - merge the records of disjoint parts into records of the whole
 *
 * Parts are hosts, ranks, machines or runs.  share/merge.json says how each
 * key is merged (adder_rules.c lists the rules).  The result does not depend
 * on the order of parts or on intermediate merges: integers add exactly;
 * KEY_ns is added in picoseconds when all parts have KEY_ps (when only some
 * do, the result may differ by 1 ns per part); means and ratios are computed
 * from sums at the end.  Memory: 32 bytes per schema key for each merged
 * record, and its texts; independent of the number of parts.
 */
#ifndef TP_JUDGE_ADDER_H
#define TP_JUDGE_ADDER_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

struct tp_adder;

/*
 * BY (NULL-terminated, borrowed) are keys that separate records in addition
 * to those in share/merge.json.  SRC, unless NULL, becomes the src of all
 * records.  It lives to the end of the program.  NULL with ERR.
 */
struct tp_adder *tp_adder_open(const char *const *by, const char *src,
    struct tp_err *err);
/*
 * Add REC, whose text is the LEN bytes at LINE.  0, or -1 with ERR: TP_BAD
 * "merge.twice" when it says that a file was read which an earlier record
 * already named; TP_LIMIT when a sum does not fit into 64 bits.
 */
int tp_adder_take(struct tp_adder *adder, const struct tp_rec *rec,
    const char *line, size_t len, struct tp_err *err);
/* Number of files that records say were read. */
uint64_t tp_adder_sources(const struct tp_adder *adder);
/*
 * Write all records, by kind, then in the order of share/merge.json.  0, or
 * -1 with ERR.
 */
int tp_adder_emit(struct tp_adder *adder, struct tp_out *out,
    struct tp_err *err);

#endif
