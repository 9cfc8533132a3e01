/*
 * identity - which traces were recorded together
 *
 * Program, device and time of a trace, and the rank of its process in a job,
 * from its first 64 KiB; of an xplane.pb that is not packed from the heads
 * of its planes and lines, wherever they are.  What a trace does not say is
 * unknown, and contradicts nothing.  Memory: this struct.
 */
#ifndef TP_READ_IDENTITY_H
#define TP_READ_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/in.h>

enum tp_profiler {
	TP_PROFILER_JAX,
	TP_PROFILER_TORCH,
	TP_PROFILER_OTHER	/* or any program that writes trace events */
};

struct tp_identity {
	enum tp_profiler profiler;
	const char *path;	/* borrowed */
	size_t place;		/* offset in PATH, after the given folder */
	char device[64];	/* kind or name, or "" */
	int64_t at_ns, until_ns;	/* since 1970, about; 0: unknown */
	uint64_t host;		/* hash of its name; 0: unknown */
	int64_t rank, rank_count;	/* -1: unknown */
	int is_mute;		/* nothing says whose it is, such as no event */
	/* By tp_identity_group(). */
	size_t job;		/* a number that all ranks of a job share,
				 * if each is here once; 0: unknown */
	size_t capture;		/* its number, or TP_STRAY */
	size_t count;		/* traces of that capture */
};
#define TP_STRAY ((size_t)-1)

/*
 * Captures begin at most this many seconds apart on all hosts or ranks of
 * one run.
 */
enum { TP_APART_S = 30 };

/*
 * Identify IN, unread, of FORMAT and at PATH, of which the bytes after PLACE
 * may name a rank.  Reads no more than tp_in_peek(), and of a plain xplane.pb
 * its heads.  0, or -1 with ERR when share/ops cannot be read.
 */
int tp_identity_read(struct tp_identity *id, struct tp_in *in,
    enum tp_format format, const char *path, size_t place,
    struct tp_err *err);

/* The number behind the last "rank" of NAME; -1: none. */
int64_t tp_identity_rank(const char *name);

/*
 * Number the captures of COUNT traces at LIST, from 0 in order of
 * appearance.  Traces of JAX are hosts of one capture unless device or time
 * differs, of one host also if one ended before another began; those of
 * other programs are ranks of one job only if each has a
 * rank of its own, and all ranks of a job are one capture whatever their
 * clocks say.  Traces of another program than the bulk, three quarters, are
 * strays.  Mute ones are of the only capture, or of the only one in their
 * folder; else they are strays.  Returns the number of captures.
 */
size_t tp_identity_group(struct tp_identity *const *list, size_t count);

/*
 * After grouping, add a name for each capture to NAMES: that of its file, or
 * of the folder of its files; and append the names with what is known, "a
 * (TPU, 2025-03-11), b (GPU, 2026-02-20)", to TOLD.
 */
void tp_identity_names(struct tp_identity *const *list, size_t count,
    struct tp_names *names, struct tp_buf *told);

#endif
