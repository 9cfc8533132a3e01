/*
 * in - read a file or a descriptor in blocks
 *
 * Decompresses gzip and, where the build found libzstd, Zstandard,
 * recognised by magic bytes; several members or frames are one stream.
 * Decompression runs in its own thread once more than the first bytes are
 * read.  Memory: one block (512 KiB), 64 KiB after tp_in_peek(), and for
 * packed input three blocks of 256 KiB; for Zstandard also the window of a
 * frame, at most 128 MiB.  Never holds the whole input.
 */
#ifndef TP_IN_H
#define TP_IN_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

struct tp_in;

/* Format of an input, guessed from its first bytes. */
enum tp_format {
	TP_FORMAT_UNKNOWN, TP_FORMAT_EMPTY, TP_FORMAT_XCTRACE,
	TP_FORMAT_TOC, TP_FORMAT_CSV, TP_FORMAT_RECORDS, TP_FORMAT_JSON,
	TP_FORMAT_TRACE_EVENTS, TP_FORMAT_LFS, TP_FORMAT_HTML,
	TP_FORMAT_UTF16, TP_FORMAT_BINARY,
	TP_FORMAT_ETDUMP,	/* an .etdp of ExecuTorch */
	TP_FORMAT_XPLANE,	/* an xplane.pb of JAX or TensorFlow */
	TP_FORMAT_PTE,		/* a program (.pte) of ExecuTorch */
	TP_FORMAT_SQLITE,	/* a database, such as Nsight Systems' */
	TP_FORMAT_PERFETTO,	/* a .pftrace, as of rocprofv3 */
	TP_FORMAT_STACKS	/* folded stacks, as py-spy writes them */
};

/*
 * Open PATH ("-" or NULL: standard input).  Release with tp_in_close().
 * NULL with ERR set (TP_IO) when it cannot be opened or read.
 */
struct tp_in *tp_in_open(const char *path, struct tp_err *err);
void tp_in_close(struct tp_in *in);

/*
 * Read the next block: *BLOCK (borrowed until the next call) and its length;
 * 0 at the end; -1 with ERR.  TP_IO: reading failed.  TP_BAD:
 * "input.truncated" when packed data ends early or is damaged (all bytes
 * before that were returned), "zstd.dictionary" when it needs a dictionary.
 * TP_LIMIT: data inflates more than tp_limits.expand times beyond 64 MiB, is
 * larger than tp_limits.bytes, or needs a larger Zstandard window.
 */
ptrdiff_t tp_in_read(struct tp_in *in, const char **block, struct tp_err *err);
#define TP_PEEK (64 * 1024)
/*
 * Look at the first bytes (64 KiB; less only when the input is shorter)
 * without consuming them.  Only before the first tp_in_read().
 */
ptrdiff_t tp_in_peek(struct tp_in *in, const char **bytes,
    struct tp_err *err);
/* After tp_in_peek(): tp_in_read() then returns the peeked bytes and ends. */
void tp_in_stop(struct tp_in *in);
/* After tp_in_stop(): read from the start again, to the real end. */
void tp_in_again(struct tp_in *in);
/*
 * Whether this is an unpacked regular file, which can be read at any offset;
 * *LEN gets its size.
 */
int tp_in_is_plain(struct tp_in *in, uint64_t *len);
ptrdiff_t tp_in_at(struct tp_in *in, uint64_t at, void *to, size_t len,
    struct tp_err *err);
/*
 * Read LEN bytes at offset AT of such a file, fewer only at the end; -1 with
 * ERR.  tp_in_at() also counts them as read (tp_in_bytes(),
 * tp_in_progress()) and is for one thread.  tp_in_part() counts nothing, so
 * any thread may call it; tp_in_passed() then says that all bytes before AT
 * are used.  tp_in_bytes() counts whole blocks of tp_in_block() bytes, up to
 * the size of the file.  None of these moves tp_in_read().
 */
size_t tp_in_block(const struct tp_in *in);
ptrdiff_t tp_in_part(const struct tp_in *in, uint64_t at, void *to,
    size_t len, struct tp_err *err);
void tp_in_passed(struct tp_in *in, uint64_t at);
/* Guess the format from the first bytes; reads no more than tp_in_peek(). */
enum tp_format tp_in_sniff(struct tp_in *in, struct tp_err *err);
/*
 * Kind of a TP_FORMAT_JSON input, guessed from its first bytes.  Benchmark
 * results have runs with latencies.  Keys of a summary are sorted, so its
 * version may lie beyond the first bytes; its first key does not.
 */
enum tp_document {
	TP_DOCUMENT_OTHER, TP_DOCUMENT_SUMMARY, TP_DOCUMENT_BENCHMARK
};
enum tp_document tp_in_document(struct tp_in *in, struct tp_err *err);
/*
 * Whether the first bytes of TP_FORMAT_TRACE_EVENTS show that XLA made it, as
 * for JAX: its planes of hosts and devices, or arguments that it alone has.
 */
int tp_in_is_xla(struct tp_in *in, struct tp_err *err);
const char *tp_format_name(enum tp_format format);

/*
 * Name for messages: "<stdin>" or the path; for a link, the base name of its
 * target, or the part of the target after "/./".
 */
const char *tp_in_name(const struct tp_in *in);
/* Whether a non-empty file exists whose name is that of IN plus SUFFIX. */
int tp_in_has_beside(const struct tp_in *in, const char *suffix);
uint64_t tp_in_bytes(const struct tp_in *in);	/* returned so far, inflated */
/*
 * How far the file has been read and its size.  When it is not a regular
 * file: the bytes returned so far, and 0 until the end.  Any thread may call
 * this while IN is open.
 */
void tp_in_progress(const struct tp_in *in, uint64_t *done,
    uint64_t *total);
/* "gzip", "zstd" or NULL: how the input is packed. */
const char *tp_in_packing(const struct tp_in *in);
/*
 * Bytes after the end of the packed data that are not packed data; 0 before
 * the end.
 */
uint64_t tp_in_trailing(const struct tp_in *in);
/* Length of NAME (LEN bytes) without the suffix of packed files. */
size_t tp_in_stem(const char *name, size_t len);

#endif
