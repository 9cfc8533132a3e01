/*
 * in - bytes from a file or a descriptor, block by block
 *
 * Unpacks gzip and, where the build found libzstd, Zstandard, by magic bytes
 * (several members or frames are one stream), in a thread of its own once more
 * than a first look is wanted.  Memory: one block (512 KiB) and, when packed,
 * three of 256 KiB; for Zstandard also the window of a frame, at most 128 MiB.
 * Never holds the whole input.
 */
#ifndef TP_IN_H
#define TP_IN_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

struct tp_in;

/* What a first look at an input says it is. */
enum tp_format {
	TP_FORMAT_UNKNOWN, TP_FORMAT_EMPTY, TP_FORMAT_XCTRACE,
	TP_FORMAT_TOC, TP_FORMAT_CSV, TP_FORMAT_RECORDS, TP_FORMAT_JSON,
	TP_FORMAT_TRACE_EVENTS, TP_FORMAT_LFS, TP_FORMAT_HTML,
	TP_FORMAT_UTF16, TP_FORMAT_BINARY,
	TP_FORMAT_ETDUMP,	/* an .etdp of ExecuTorch */
	TP_FORMAT_XPLANE,	/* an xplane.pb of JAX or TensorFlow */
	TP_FORMAT_PTE,		/* a program (.pte) of ExecuTorch */
	TP_FORMAT_SQLITE,	/* a database, of Nsight Systems perhaps */
	TP_FORMAT_STACKS	/* folded stacks, as py-spy writes them */
};

/*
 * Open PATH ("-" or NULL: standard input).  Release with tp_in_close().
 * NULL with ERR set (TP_IO) when it cannot be opened or read.
 */
struct tp_in *tp_in_open(const char *path, struct tp_err *err);
void tp_in_close(struct tp_in *in);

/*
 * Next bytes: *BLOCK (borrowed until the next call) and their number, 0 at
 * the end, -1 with ERR set: TP_IO when reading fails; TP_BAD
 * "input.truncated" when packed data ends early or is damaged (all bytes
 * before were given), "zstd.dictionary" when it needs one; TP_LIMIT when it
 * inflates more than a thousandfold past 64 MiB, or needs a larger window.
 */
ptrdiff_t tp_in_read(struct tp_in *in, const char **block,
    struct tp_err *err);
/* The first bytes (at most 64 KiB, fewer only at the end) without taking
 * them; only before the first tp_in_read(). */
ptrdiff_t tp_in_peek(struct tp_in *in, const char **bytes,
    struct tp_err *err);
/* After tp_in_peek(): give what it saw, and then the end. */
void tp_in_stop(struct tp_in *in);
/* After tp_in_stop(): begin again, and go on to the end. */
void tp_in_again(struct tp_in *in);
/*
 * Whether this is a plain file, which can be read at any place, and how long
 * it is; then LEN bytes from place AT of it, fewer only at the end, -1 with
 * ERR.  Neither touches what tp_in_read() gives.
 */
int tp_in_is_plain(const struct tp_in *in, uint64_t *len);
ptrdiff_t tp_in_at(struct tp_in *in, uint64_t at, void *to, size_t len,
    struct tp_err *err);
/* The same for threads, of which each reads parts of what tp_in_read() has not
 * given yet, and what it gives no more: all up to AT, in whole blocks, of
 * tp_in_block() bytes, which is what tp_in_bytes() counts. */
size_t tp_in_block(const struct tp_in *in);
ptrdiff_t tp_in_part(const struct tp_in *in, uint64_t at, void *to,
    size_t len, struct tp_err *err);
void tp_in_passed(struct tp_in *in, uint64_t at);
/* What the first bytes look like; never reads more than tp_in_peek(). */
enum tp_format tp_in_sniff(struct tp_in *in, struct tp_err *err);
/* Which document an input of TP_FORMAT_JSON looks like: results of a benchmark
 * have runs with latencies; keys of a summary are sorted, so its version may
 * come late but not the first key. */
enum tp_document {
	TP_DOCUMENT_OTHER, TP_DOCUMENT_SUMMARY, TP_DOCUMENT_BENCHMARK
};
enum tp_document tp_in_document(struct tp_in *in, struct tp_err *err);
const char *tp_format_name(enum tp_format format);

/* For people: "<stdin>", the path, or of a link the base name of its target,
 * or what follows "/./" in it. */
const char *tp_in_name(const struct tp_in *in);
/* Whether a file that is not empty lies beside it, called as it with SUFFIX
 * behind. */
int tp_in_has_beside(const struct tp_in *in, const char *suffix);
uint64_t tp_in_bytes(const struct tp_in *in);	/* given so far, inflated */
/* How far a file was read and its size; of what is no file the bytes given,
 * and 0 until its end.  Any thread may ask while IN is open. */
void tp_in_progress(const struct tp_in *in, uint64_t *done,
    uint64_t *total);
/* What it was packed with, "gzip" or "zstd", or NULL. */
const char *tp_in_packing(const struct tp_in *in);
/* Bytes after the end of packed data that are none; 0 before the end. */
uint64_t tp_in_trailing(const struct tp_in *in);
/* Length of NAME, of LEN bytes, without what packed files end in. */
size_t tp_in_stem(const char *name, size_t len);

#endif
