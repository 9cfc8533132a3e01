/*
 * signature - parse the signature of a PyTorch operator in its row
 *
 * include/tp/torch/replay.h describes the form.  Memory: none.
 */
#ifndef TP_TORCH_SIGNATURE_H
#define TP_TORCH_SIGNATURE_H

#include <stddef.h>

struct cJSON;

/* Limit on the length of a parameter's name. */
#define TP_PARAMETER_MAX 64

struct tp_torch_parameter {
	const char *kind, *name;
	size_t kind_len, name_len;
	int maybe;			/* may be None */
	int by_name;
};

/*
 * Parse the next parameter at *AT.  P is zeroed for the first and keeps the one
 * before for the next.  Returns 1, or 0 at the end.
 */
int tp_torch_parameter_next(const char **at, struct tp_torch_parameter *p);
int tp_torch_parameter_is(const struct tp_torch_parameter *p,
    const char *kind);
/* Whether it holds indices, "below:T:A". */
int tp_torch_parameter_is_below(const struct tp_torch_parameter *p);
/* Signature I of TAKES, a text or a list of texts; NULL after the last. */
const char *tp_torch_signature(const struct cJSON *takes, int i);
/* Where a signature of TAKES is malformed, or NULL if none is. */
const char *tp_torch_signatures_bad(const struct cJSON *takes);

#endif
