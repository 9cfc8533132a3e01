/*
 * summary - read profile_summary.v1 documents
 *
 * Documents of other programs and of older versions are accepted: what they
 * lack is filled in where it has a default, and left unknown elsewhere.
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

/* What a reader of a document must know to compare it. */
struct tp_summary_origin {
	const char *sha256, *source_path, *run_id, *run_path, *artifact_ref,
	    *hardware, *mesh, *config, *git;	/* NULL: not told */
};

/*
 * Whether DOC is a summary of the version this reads; then what older writers
 * called otherwise or left out is put into it.  0, or -1 with ERR: TP_BAD
 * "input.unknown", or no memory.
 */
int tp_summary_check(struct cJSON *doc, struct tp_err *err);

/* Member KEY of OBJECT as a duration into *NS, 1 or 0: us in a document. */
int tp_summary_ns(const struct cJSON *object, const char *key, int64_t *ns);

/* Borrowed from DOC. */
void tp_summary_origin_of(const struct cJSON *doc,
    struct tp_summary_origin *origin);

/*
 * Whether the list KEY of DOC ("hot_ops") may be only the first rows of a
 * longer one: it is as long as the writers' limits, or hot_ops add up to less
 * than the regions do.
 */
int tp_summary_is_cut(const struct cJSON *doc, const char *key);

/*
 * Write DOC, which was checked, as the records that the trace itself would
 * give (emit.h), as far as it holds them, and a "profile.document" record.
 * A list that may be cut is said to be by is_cut of its summary, which then
 * holds no sums.  0, or -1 with ERR.
 */
int tp_summary_records(const struct cJSON *doc, struct tp_out *out,
    struct tp_err *err);

/*
 * The object "metadata" of DOC, which was checked: the 21 numbers and names
 * that stand beside it in an artifact.  "provenance": SHA-256 of the trace as
 * it is stored, how it was read, the version of this program.
 */
void tp_summary_metadata(const struct cJSON *doc, struct tp_doc *j);
void tp_summary_provenance(const struct cJSON *doc, struct tp_doc *j);

/*
 * Put null for the NaN, Infinity and -Infinity that some writers leave in
 * JSON TEXT outside of strings: returns how many there were; only then OUT,
 * an empty buffer, holds the mended text.
 */
size_t tp_json_mend(const char *text, size_t len, struct tp_buf *out);

#endif
