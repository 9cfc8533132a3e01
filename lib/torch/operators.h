/*
 * operators - load the files that describe operators of PyTorch
 *
 * They are share/ops/torch-operators.json and torch-pseudo.json, then the
 * user's: all *.json of tp_share_own("ops"), and files given as options.  A
 * later row for a name replaces an earlier one.
 *
 * Memory: the files.
 */
#ifndef TP_TORCH_OPERATORS_H
#define TP_TORCH_OPERATORS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/hash.h>

struct cJSON;

struct tp_torch_operators {
	struct {
		struct cJSON *doc;
		const char *name;	/* for error messages */
		int is_own;		/* from the user */
	} *list;			/* later ones override */
	size_t count, cap;
	struct tp_arena arena;
};

/*
 * Index of the names and patterns (with '*') of rows.  A name finds its own
 * row, else the last pattern that matches it.  A zeroed struct is empty.
 */
struct tp_torch_index {
	struct tp_names names;		/* names and patterns */
	uint32_t *patterns;		/* indices of names with '*' */
	size_t pattern_count, pattern_cap;
};

/* The index of NAME, added if new. */
ptrdiff_t tp_torch_index_add(struct tp_torch_index *index, const char *name);
/* The index that matches the LEN bytes of NAME, or -1. */
ptrdiff_t tp_torch_index_find(const struct tp_torch_index *index,
    const char *name, size_t len);
void tp_torch_index_release(struct tp_torch_index *index);

/*
 * Read the files; FILES ends with NULL, or is NULL.  Returns 0, or -1 with ERR.
 */
int tp_torch_operators_load(struct tp_torch_operators *o,
    const char *const *files, struct tp_err *err);
void tp_torch_operators_release(struct tp_torch_operators *o);
/*
 * Set ERR for file AT: WHAT is wrong with NAME, at TEXT (or NULL).  Returns -1.
 */
int tp_torch_operators_bad(const struct tp_torch_operators *o, size_t at,
    const char *what, const char *name, const char *text,
    struct tp_err *err);

#endif
