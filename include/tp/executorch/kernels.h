/*
 * kernels - XNNPACK's microkernels, and evidence that SME2 was used
 *
 * XNNPACK logs a kernel when it fills in a configuration: the kernel is
 * available, which does not prove that it ran.  Proof is in operator names,
 * which change with the packing that SME kernels need.
 * share/ops/xnnpack.json says what names mean.  Memory: 40 bytes per
 * distinct kernel and operator, and their names.
 */
#ifndef TP_EXECUTORCH_KERNELS_H
#define TP_EXECUTORCH_KERNELS_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

#include "classes.h"
#include "read/rows.h"

struct cJSON;

/* A longer kernel name is damage. */
#define TP_KERNEL_NAME_MAX 256

enum tp_kernel_arch {
	TP_ARCH_SME2, TP_ARCH_SME, TP_ARCH_NEON, TP_ARCH_OTHER,
	TP_ARCH_COUNT
};

/* A kernel name, taken apart; parts point into it and may be empty. */
struct tp_kernel_parts {
	struct tp_kernel_part {
		const char *text;
		size_t len;
	} dtype, op, variant, shape, isa;
	enum tp_kernel_arch arch;
};

struct tp_kernel_words {
	struct cJSON *doc;
	struct tp_classes dtypes, arch, family, operators, log, lost;
	const struct cJSON *ops, *off, *on;	/* parts of names */
};

/* Read share/ops/xnnpack.json.  0, or -1 with ERR. */
int tp_kernel_words_load(struct tp_kernel_words *words, struct tp_err *err);
/* Take apart the LEN bytes of NAME. */
void tp_kernel_parse(const struct tp_kernel_words *words, const char *name,
    size_t len, struct tp_kernel_parts *parts);
const char *tp_kernel_arch_name(enum tp_kernel_arch arch);

/* The kernels of one run (src).  A zeroed struct is empty. */
struct tp_kernels {
	struct tp_names names, families, operators;
	struct tp_kernel {
		int64_t logged;		/* lines that registered it */
		int64_t listed;		/* the same, counted by a list */
		ptrdiff_t family;	/* in families, or -1 */
	} *kernels;			/* by index of names */
	size_t cap;
	int64_t *operator_rows;		/* by index of operators */
	size_t operator_cap;
	struct tp_kernels_text {	/* state of the text being read */
		int64_t kernels, lost;
		int is_log, is_cut;
		struct tp_buf plain;	/* a line without colour codes */
	} text;
};

/*
 * Read a line of a log.  0, or -1 with ERR when a kernel name is damaged;
 * other kernels of the line still count.  UNENDED: the file ends within this
 * line, so it may be cut.
 */
int tp_kernels_line(struct tp_kernels *kernels,
    const struct tp_kernel_words *words, const char *line, size_t len,
    int unended, struct tp_err *err);
/* Call after the last line; returns as text_end of struct tp_tool. */
int tp_kernels_text_end(struct tp_kernels *kernels, struct tp_err *err);

/* The tables and columns that tp_kernels_row() takes rows of. */
extern const struct tp_bind tp_kernels_tables[];
/* Add one row.  0, or -1 with ERR. */
int tp_kernels_row(struct tp_kernels *kernels,
    const struct tp_kernel_words *words, const struct tp_row *row,
    struct tp_err *err);

/*
 * Write kernel.summary, kernel (only names that match the shell pattern
 * MATCH; NULL: all) and kernel.evidence; nothing when there are no kernels.
 */
void tp_kernels_emit(const struct tp_kernels *kernels,
    const struct tp_kernel_words *words, const char *match,
    struct tp_out *out);

struct tp_kernels_run {
	const char *src;
	const struct tp_kernels *kernels;
};
/*
 * Write kernel_view records for every pair among the COUNT RUNS, one per
 * kernel of either run.  Runs whose names differ only in "off" and "on" are
 * a pair; two runs that do not say so are paired in the order given.
 */
void tp_kernels_emit_views(const struct tp_kernels_run *runs, size_t count,
    const struct tp_kernel_words *words, const char *match,
    struct tp_out *out);

void tp_kernels_release(struct tp_kernels *kernels);

#endif
