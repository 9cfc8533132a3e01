/* look_parts - what the parts of look share */
#ifndef TP_LOOK_LOOK_PARTS_H
#define TP_LOOK_LOOK_PARTS_H

#include <string.h>

#include <tp/in.h>
#include <tp/look.h>
#include <tp/text.h>

#include "read/rows.h"

/* A formatted text that lives as long as LOOK. */
char *tp_look_text(struct tp_look *look, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Mark F as unusable in STATE for the formatted reason; CODE of the note to
 * write, or NULL.
 */
void tp_look_refuse(struct tp_look *look, struct tp_look_file *f,
    enum tp_look_state state, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Files with secrets reported individually; more are counted in one line. */
#define TP_LOOK_SECRETS_LISTED 5

/*
 * Add the remark TEXT, prefixed with the name of the first operand, about all
 * files.
 */
void tp_look_say(struct tp_look *look, const char *code, const char *text);
/* As tp_look_say(), prefixed with NAME. */
void tp_look_say_of(struct tp_look *look, const char *code, const char *name,
    const char *text);
/* Open and identify F.  0, or -1 with ERR. */
int tp_look_open(struct tp_look *look, struct tp_look_file *f,
    struct tp_err *err);
/* Assign the tables of Instruments to recordings.  0, or -1 with ERR. */
int tp_look_group(struct tp_look *look, const char *run, struct tp_err *err);
/*
 * Find the captures that traces of JAX, PyTorch and other profilers are of.
 * Several, or a RUN wanted, become recordings; traces of another program
 * than nearly all are left out.  0, or -1 with ERR.
 */
int tp_look_captures(struct tp_look *look, const char *run,
    struct tp_err *err);
/* Choose the recording called RUN, or the only one.  0, or -1 with ERR. */
int tp_look_choose(struct tp_look *look, const char *run, struct tp_err *err);
/* Remember what ROW of F is of. */
void tp_look_take_source(struct tp_look *look, struct tp_look_file *f,
    const struct tp_row *row);
/*
 * Read all of F for what its rows are of, in order of appearance.  NAMES stays
 * empty unless there are several.
 */
void tp_look_sources(struct tp_look *look, const struct tp_look_file *f,
    struct tp_names *names);
/* Decide how a report of ExecuTorch uses each file. */
void tp_look_runs(struct tp_look *look);
/* For other reports: count tables of ExecuTorch and ignore ETDumps. */
void tp_look_leave_runs(struct tp_look *look);

/* Whether NAME, packed or not, ends in END. */
static inline int
tp_look_ends(const char *name, const char *end)
{
	return tp_ends(name, tp_in_stem(name, strlen(name)), end);
}

/* Whether F holds rows of a table. */
static inline int
tp_look_is_table(const struct tp_look_file *f)
{
	return f->table && (f->format == TP_FORMAT_XCTRACE ||
	    f->format == TP_FORMAT_CSV || (f->format == TP_FORMAT_JSON &&
	    f->is_rows));
}

static inline int
tp_look_is_role(const struct tp_look_file *f, const char *role)
{
	return f->role && !strcmp(f->role, role);
}

#endif
