/*
 * summary - read profile_summary.v1 documents
 *
 * Documents of other programs and of older versions are accepted: missing
 * members get their default where there is one and stay unknown otherwise.
 * Memory: the document.
 */
#ifndef TP_READ_SUMMARY_H
#define TP_READ_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/doc.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/* Origin of a document, to check that two are comparable. */
struct tp_summary_origin {
	const char *sha256, *source_path, *run_id, *run_path, *artifact_ref,
	    *hardware, *mesh, *config, *git;	/* NULL: unknown */
};

/*
 * Check that DOC is a summary of the supported version, then rename or add
 * members that older writers named differently or left out.  0, or -1 with
 * ERR: TP_BAD "input.unknown".
 */
int tp_summary_check(struct cJSON *doc, struct tp_err *err);

/*
 * Member KEY of OBJECT (us in documents) as a duration in *NS.  1, or 0 when
 * absent.
 */
int tp_summary_ns(const struct cJSON *object, const char *key, int64_t *ns);

/* Borrowed from DOC. */
void tp_summary_origin_of(const struct cJSON *doc,
    struct tp_summary_origin *origin);

/*
 * Whether the list KEY of DOC ("hot_ops") may be a truncated top list: it is
 * as long as the limit of a writer, or hot_ops sum to less than the regions.
 */
int tp_summary_is_cut(const struct cJSON *doc, const char *key);

/*
 * Write DOC, already checked, as the records that the trace would give
 * (emit.h), as far as it holds them, and a "profile.document" record.  A
 * list that may be truncated has is_cut in its summary, which then has no
 * sums.
 */
void tp_summary_records(const struct cJSON *doc, struct tp_out *out);

/*
 * Write the object "metadata" of DOC, already checked: the 21 values that
 * accompany it in an artifact; and "provenance": SHA-256 of the trace as
 * stored, how it was read, the version of this program.
 */
void tp_summary_metadata(const struct cJSON *doc, struct tp_doc *j);
void tp_summary_provenance(const struct cJSON *doc, struct tp_doc *j);

/*
 * Replace NaN, Infinity and -Infinity, which some writers leave in JSON, by
 * null outside strings.  Returns the number replaced; only when it is above
 * 0 does OUT, an empty buffer, hold the corrected text.
 */
size_t tp_json_mend(const char *text, size_t len, struct tp_buf *out);

#endif
