/*
 * replay - calls of an operator as a script that makes them again
 *
 * What an operator takes is "takes" in its row of share/ops/
 * torch-operators.json or of a file of the user: a signature, or a list of
 * them, of which a call has the first that fits what was recorded of it.
 * Parameters are "KIND NAME", with a comma between; those after "*" are
 * given by name.  Kinds:
 *
 *	tensor, tensor?		a tensor; or none
 *	below:T:A		one of indexes into axis A of argument T; "=N"
 *				for A: the axis that argument N says
 *	number, int, bool	a scalar; with "?" it may be None
 *	ints, bools		a list of them; with "?" it may be None
 *	default			nothing was recorded: it is not given
 *
 * A call with one tensor more writes its result to that ("out").
 *
 * Shapes and scalars become data of the script, never code.  Memory: the
 * files about operators, and the script.
 */
#ifndef TP_TORCH_REPLAY_H
#define TP_TORCH_REPLAY_H

#include <tp/buf.h>
#include <tp/doc.h>
#include <tp/err.h>
#include <tp/records.h>

struct tp_replay;

/* Read what operators take, and FILES of the user (ended by NULL) too; NULL
 * with ERR.  Release with tp_replay_free(). */
struct tp_replay *tp_replay_load(const char *const *files,
    struct tp_err *err);
void tp_replay_free(struct tp_replay *replay);
/* Operator I by name, or pattern of names, of those with a signature; NULL
 * behind the last. */
const char *tp_replay_op(const struct tp_replay *replay, size_t i);
/* Whether OP has a signature. */
int tp_replay_knows(const struct tp_replay *replay, const char *op);
/*
 * Append to DOC the call of OP that REC ("launcher") tells, as an object of
 * an array.  0, or -1 with ERR and DOC untouched: TP_BAD when it cannot be
 * made, with the reason.
 */
int tp_replay_call(struct tp_doc *doc, const struct tp_replay *replay,
    const char *op, const struct tp_rec *rec, struct tp_err *err);
/*
 * Append TEMPLATE (share/replay/torch.py) with CALLS, a JSON document, in the
 * place of "@CALLS@", which stands within r'''.  0, or -1 with ERR.
 */
int tp_replay_script(struct tp_buf *out, const struct tp_buf *template,
    const struct tp_buf *calls, struct tp_err *err);

#endif
