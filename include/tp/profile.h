/*
 * profile - a profile_summary.v1 document as records
 *
 * The records that an analysis of the trace itself gives, as far as the
 * document holds them: it has the first rows of its lists only, and sums of
 * the basis it was made with.  Older documents lack keys; what is missing or
 * no number is left out.  Memory: none beside the document.
 */
#ifndef TP_PROFILE_H
#define TP_PROFILE_H

#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/* Whether DOC is such a document. */
int tp_profile_is(const struct cJSON *doc);
/* Write the records of DOC. */
void tp_profile_emit(const struct cJSON *doc, struct tp_out *out);

#endif
