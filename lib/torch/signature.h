/*
 * signature - what an operator of PyTorch takes, as a row of the table says
 *
 * The form is described in include/tp/torch/replay.h.  Memory: none.
 */
#ifndef TP_TORCH_SIGNATURE_H
#define TP_TORCH_SIGNATURE_H

#include <stddef.h>

struct cJSON;

/* A name is shorter than this. */
#define TP_PARAMETER_MAX 64

struct tp_torch_parameter {
	const char *kind, *name;
	size_t kind_len, name_len;
	int maybe;			/* it may be None */
	int by_name;
};

/* The next parameter at *AT into a zeroed P, or into the one before: 1, 0 at
 * the end. */
int tp_torch_parameter_next(const char **at, struct tp_torch_parameter *p);
int tp_torch_parameter_is(const struct tp_torch_parameter *p,
    const char *kind);
/* Whether it holds indexes, "below:T:A". */
int tp_torch_parameter_is_below(const struct tp_torch_parameter *p);
/* Signature I of TAKES, a text or a list of texts; NULL behind the last. */
const char *tp_torch_signature(const struct cJSON *takes, int i);
/* Where a signature of TAKES cannot be read, or NULL when all can. */
const char *tp_torch_signatures_bad(const struct cJSON *takes);

#endif
