/*
 * replay - calls of an operator as a script that makes them again
 *
 * What operators take is share/replay/torch.json: for each a list of
 * signatures, of which a call has the first that fits what was recorded of
 * it.  Parameters are "KIND NAME", with a comma between; those after "*" are
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
 * script.
 */
#ifndef TP_TORCH_REPLAY_H
#define TP_TORCH_REPLAY_H

#include <tp/buf.h>
#include <tp/doc.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

/* The signatures of OP in TABLE (share/replay/torch.json), or NULL. */
const struct cJSON *tp_replay_signatures(const struct cJSON *table,
    const char *op);
/*
 * Append to DOC the call that REC ("launcher") tells, as an object of an
 * array.  0, or -1 with ERR and DOC untouched: TP_BAD when it cannot be made,
 * with the reason.
 */
int tp_replay_call(struct tp_doc *doc, const struct cJSON *table,
    const struct cJSON *signatures, const struct tp_rec *rec,
    struct tp_err *err);
/*
 * Append TEMPLATE (share/replay/torch.py) with CALLS, a JSON document, in the
 * place of "@CALLS@", which stands within r'''.  0, or -1 with ERR.
 */
int tp_replay_script(struct tp_buf *out, const struct tp_buf *template,
    const struct tp_buf *calls, struct tp_err *err);

#endif
