/*
 * replay - a script that repeats recorded operator calls
 *
 * The arguments of an operator are described by "takes" in its row of
 * share/ops/torch-operators.json or of a user's file: one signature, or
 * several, of which the first that fits the recorded call is used.
 * Parameters are "KIND NAME", separated by commas; those after "*" are
 * passed by name.  Kinds:
 *
 *	tensor, tensor?		a tensor; or None
 *	below:T:A		a tensor of indexes into axis A of argument T;
 *				"=N" for A: the axis given by argument N
 *	number, int, bool	a scalar; with "?" it may be None
 *	ints, bools		a list of them; with "?" it may be None
 *	default			not recorded: it is not passed
 *
 * A call with one tensor more than the signature writes its result to that
 * tensor ("out").
 *
 * Shapes and scalars become data of the script, never code.  Memory: the
 * operator files and the script.
 */
#ifndef TP_TORCH_REPLAY_H
#define TP_TORCH_REPLAY_H

#include <tp/buf.h>
#include <tp/doc.h>
#include <tp/err.h>
#include <tp/records.h>

struct tp_replay;

/*
 * Read the signatures, including those in the user's FILES
 * (NULL-terminated).  NULL with ERR.  Release with tp_replay_free().
 */
struct tp_replay *tp_replay_load(const char *const *files,
    struct tp_err *err);
void tp_replay_free(struct tp_replay *replay);
/*
 * Name, or pattern of names, of operator I among those with a signature;
 * NULL past the last.
 */
const char *tp_replay_op(const struct tp_replay *replay, size_t i);
/* Whether OP has a signature. */
int tp_replay_knows(const struct tp_replay *replay, const char *op);
/*
 * Append the call of OP recorded in REC ("launcher") to DOC, as an object of
 * an array.  0, or -1 with ERR and DOC untouched: TP_BAD, with the reason,
 * when the call cannot be repeated.
 */
int tp_replay_call(struct tp_doc *doc, const struct tp_replay *replay,
    const char *op, const struct tp_rec *rec, struct tp_err *err);
/*
 * Append TEMPLATE (share/replay/torch.py) to OUT, with "@CALLS@", which is
 * inside r''', replaced by the JSON document CALLS.  0, or -1 with ERR.
 */
int tp_replay_script(struct tp_buf *out, const struct tp_buf *template,
    const struct tp_buf *calls, struct tp_err *err);

#endif
