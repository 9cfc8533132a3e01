/*
 * primitives - operations named in MLX's command buffer labels
 *
 * MLX built with MLX_METAL_DEBUG labels a command buffer with the
 * concatenated names of its operations: "SinCosExp", or "CompiledSinCosExp"
 * when mx.compile fused them into one kernel.  Labels are split by longest
 * match.  The names are data, share/ops/mlx.json.
 *
 * Memory: that file.
 */
#ifndef TP_METAL_PRIMITIVES_H
#define TP_METAL_PRIMITIVES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "stat.h"

struct tp_primitives;

/* Load the names; release with tp_primitives_free().  NULL with ERR. */
struct tp_primitives *tp_primitives_load(struct tp_err *err);
void tp_primitives_free(struct tp_primitives *p);

/* A zeroed struct is empty. */
struct tp_primitives_count {
	int64_t rows, known_rows;	/* known: labels made only of names */
	int64_t compiled_rows;		/* labels with a compiled kernel */
	tp_int128 operations;		/* of the known rows */
};

/* Count ROWS intervals with the label NAME, "BUFFER:ENCODER". */
void tp_primitives_add(const struct tp_primitives *p,
    struct tp_primitives_count *count, const char *name, int64_t rows);
/*
 * Write operation_count and compiled_count when nearly all labels are made
 * of names.
 */
void tp_primitives_emit(const struct tp_primitives_count *count,
    struct tp_out *out);

#endif
