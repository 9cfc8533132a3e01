/*
 * primitives - what MLX says that a command buffer holds
 *
 * Builds of MLX with MLX_METAL_DEBUG label a command buffer with the names of
 * its operations, one behind the other: "SinCosExp", and "CompiledSinCosExp"
 * where mx.compile has made one kernel of them.  The longest name that fits is
 * taken.  The names are data, share/ops/mlx.json.
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

/* NULL with ERR.  Release with tp_primitives_free(). */
struct tp_primitives *tp_primitives_load(struct tp_err *err);
void tp_primitives_free(struct tp_primitives *p);

/* A zeroed struct has counted nothing. */
struct tp_primitives_count {
	int64_t rows, known_rows;	/* known: their labels are all names */
	int64_t compiled_rows;		/* labels with a compiled kernel */
	tp_int128 operations;		/* of the known rows */
};

/* ROWS intervals bear the label NAME, "BUFFER:ENCODER". */
void tp_primitives_add(const struct tp_primitives *p,
    struct tp_primitives_count *count, const char *name, int64_t rows);
/* Write operation_count and compiled_count, where nearly all labels are such
 * names. */
void tp_primitives_emit(const struct tp_primitives_count *count,
    struct tp_out *out);

#endif
