/*
 * mutant - a capture with a few faults in it
 *
 * Everything is decided by a number and the capture: the same two give the
 * same mutant on every machine.
 */
#ifndef MUTANT_H
#define MUTANT_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

#include "spans.h"

/* A number below N, drawn from *RNG; 0 for none. */
size_t draw(uint64_t *rng, size_t n);

/*
 * Write to OUT the LEN bytes at P, unpacked if they are gzip data.  Of more
 * than MOST bytes of JSON, XML or a table, elements are left out, so that a
 * part from its middle stays.  Returns the form; *PACKED says whether it was
 * gzip data.
 */
enum form mutant_seed(struct tp_buf *out, const char *p, size_t len,
    size_t most, uint64_t rng, int *packed);

/* Change the capture in DOC, of FORM, in up to eight places, now and then in
 * none. */
void mutant_make(struct tp_buf *doc, enum form form, uint64_t rng);

/* Pack DOC as gzip data. */
void mutant_pack(struct tp_buf *doc);

/* Change what the database in DOC says, in its own language, through the
 * file TMP.  Without libsqlite3 this does nothing. */
void mutant_query(struct tp_buf *doc, uint64_t *rng, const char *tmp);

#endif
