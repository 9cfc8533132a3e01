/*
 * kernels - the microkernels that XNNPACK registers, and what proves SME2
 *
 * XNNPACK logs a kernel when it fills in a configuration: the kernel is there
 * to be chosen, which is not that it ran.  That it ran shows in the names of
 * operators, which change with the packing that SME kernels want.  What names
 * mean is share/ops/xnnpack.json.
 * Memory: 40 bytes per distinct kernel and operator, and their names.
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

/* A longer name is damage. */
#define TP_KERNEL_NAME_MAX 256

enum tp_kernel_arch {
	TP_ARCH_SME2, TP_ARCH_SME, TP_ARCH_NEON, TP_ARCH_OTHER,
	TP_ARCH_COUNT
};

/* What the name of a kernel says; parts point into it and may be empty. */
struct tp_kernel_parts {
	struct tp_part {
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
void tp_kernel_words_release(struct tp_kernel_words *words);
/* What the LEN bytes of NAME say. */
void tp_kernel_parse(const struct tp_kernel_words *words, const char *name,
    size_t len, struct tp_kernel_parts *parts);
const char *tp_kernel_arch_name(enum tp_kernel_arch arch);

/* Of one run (src).  A zeroed struct is empty. */
struct tp_kernels {
	struct tp_names names, families, operators;
	struct tp_kernel {
		int64_t logged;		/* lines that registered it */
		int64_t listed;		/* the same, as a list counted them */
		ptrdiff_t family;	/* in families, or -1 */
	} *kernels;			/* by index of names */
	size_t cap;
	int64_t *operator_rows;		/* by index of operators */
	size_t operator_cap;
	struct tp_kernels_text {	/* the text that is being read */
		int64_t kernels, lost;
		int is_log, is_cut;
		struct tp_buf plain;	/* a line without colours */
	} text;
};

/*
 * A line of a log.  0, or -1 with ERR when the name of a kernel is damaged;
 * others of the line are counted.  UNENDED: the file stops in this line, which
 * may be cut.
 */
int tp_kernels_line(struct tp_kernels *kernels,
    const struct tp_kernel_words *words, const char *line, size_t len,
    int unended, struct tp_err *err);
/* Behind its last line: as struct tp_tool's text_end. */
int tp_kernels_text_end(struct tp_kernels *kernels, struct tp_err *err);

/* Tables, with their columns; tp_kernels_row() takes a row of any of them. */
extern const struct tp_bind tp_kernels_tables[];
/* 0, or -1 with ERR. */
int tp_kernels_row(struct tp_kernels *kernels,
    const struct tp_kernel_words *words, const struct tp_row *row,
    struct tp_err *err);

/* Write kernel.summary, kernel (those that MATCH, a shell pattern, fits; NULL:
 * all) and kernel.evidence; nothing without any.  0, or -1 with ERR. */
int tp_kernels_emit(const struct tp_kernels *kernels,
    const struct tp_kernel_words *words, const char *match,
    struct tp_out *out, struct tp_err *err);

/* A run and its name. */
struct tp_kernels_run {
	const char *src;
	const struct tp_kernels *kernels;
};
/*
 * Write a kernel_view for every pair of the COUNT RUNS, with a row per
 * kernel of either.  Names that differ in "off" and "on" only are a pair; two
 * runs that do not say so are one in the order they came.
 */
int tp_kernels_emit_views(const struct tp_kernels_run *runs, size_t count,
    const struct tp_kernel_words *words, const char *match,
    struct tp_out *out, struct tp_err *err);

void tp_kernels_release(struct tp_kernels *kernels);

#endif
