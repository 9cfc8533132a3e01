/* private - what the parts of look share */
#ifndef TP_LOOK_PRIVATE_H
#define TP_LOOK_PRIVATE_H

#include <string.h>

#include <tp/in.h>
#include <tp/look.h>

/* Words, formatted, that live as long as LOOK; NULL without memory. */
char *tp_look_text(struct tp_look *look, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* F is of no use, for the reason in WORDS; CODE of the note that is owed, or
 * NULL.  0, or -1 without memory. */
int tp_look_refuse(struct tp_look *look, struct tp_look_file *f,
    enum tp_look_state state, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Of so many files with secrets each is told, the others in one line. */
#define TP_LOOK_SECRETS_TOLD 5

/* TEXT, behind the name of the first operand, is to be said of all files.  0,
 * or -1 without memory. */
int tp_look_say(struct tp_look *look, const char *code, const char *text);
/* The same of a file by its NAME. */
int tp_look_say_of(struct tp_look *look, const char *code, const char *name,
    const char *text);
/* Open F and say what it is; 0, or -1 with ERR. */
int tp_look_open(struct tp_look *look, struct tp_look_file *f,
    struct tp_err *err);
/* Which recordings the tables of Instruments are of. */
int tp_look_group(struct tp_look *look, const char *run, struct tp_err *err);
/* What a report of ExecuTorch does with each file. */
int tp_look_runs(struct tp_look *look, struct tp_err *err);
/* Of another report: tables of ExecuTorch are counted, ETDumps are left.  0,
 * or -1 without memory. */
int tp_look_leave_runs(struct tp_look *look);

static inline const char *
tp_look_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether NAME ends in END, packed or not. */
static inline int
tp_look_ends(const char *name, const char *end)
{
	size_t n = tp_in_stem(name, strlen(name)), e = strlen(end);

	return n >= e && !memcmp(name + n - e, end, e);
}

/* Whether F is rows of a table. */
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
