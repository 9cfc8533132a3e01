/*
 * operators - the files that say what operators of PyTorch are
 *
 * share/ops/torch-operators.json and torch-pseudo.json, then those of the user:
 * all *.json of tp_share_own("ops"), and files that were asked for.  A later
 * row of a name takes the place of an earlier one.
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
		const char *name;	/* as an error names it */
		int is_own;		/* the user's */
	} *list;			/* in order of increasing weight */
	size_t count, cap;
	struct tp_arena arena;
};

/*
 * What rows say of names, one of which may be a pattern with '*': the index of
 * the row of a name, else of the last pattern that fits it.  A zeroed struct is
 * empty.
 */
struct tp_torch_index {
	struct tp_names names;		/* patterns too */
	uint32_t *patterns;		/* which they are */
	size_t pattern_count, pattern_cap;
};

/* Index of NAME, added when new; -1 without memory. */
ptrdiff_t tp_torch_index_add(struct tp_torch_index *index, const char *name);
/* Index for the LEN bytes of NAME, or -1. */
ptrdiff_t tp_torch_index_find(const struct tp_torch_index *index,
    const char *name, size_t len);
void tp_torch_index_release(struct tp_torch_index *index);

/* Read them; FILES ends with NULL, or is NULL.  0, or -1 with ERR. */
int tp_torch_operators_load(struct tp_torch_operators *o,
    const char *const *files, struct tp_err *err);
void tp_torch_operators_release(struct tp_torch_operators *o);
/* An error in file AT: WHAT is wrong with NAME, at TEXT (or NULL).  -1. */
int tp_torch_operators_bad(const struct tp_torch_operators *o, size_t at,
    const char *what, const char *name, const char *text,
    struct tp_err *err);

#endif
