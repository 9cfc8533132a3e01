/*
 * lines - the lines of an input
 *
 * Memory: the block of the input and the longest line that a block cuts; a
 * line of more than tp_limits.line_bytes is refused (TP_LIMIT).
 */
#ifndef TP_LINES_H
#define TP_LINES_H

#include <tp/buf.h>
#include <tp/in.h>

struct tp_lines {
	struct tp_in *in;
	const char *at, *end;		/* what is left of the block */
	struct tp_buf part;		/* a line that a block cut */
	uint64_t line;			/* number of the last one given */
	int done;
	size_t max;			/* 0; or of a line that a block cuts
					 * no more than that is given, the
					 * rest is passed over */
	int cutting;			/* the line under way is such a one */
	uint64_t cut;			/* how many there were */
};

/* Lines of IN, which stays the caller's. */
void tp_lines_init(struct tp_lines *lines, struct tp_in *in);
/*
 * Next line without LF or CR LF into *TEXT (borrowed until the next call) and
 * its length; 1, 0 at the end, -1 with ERR.  A last line may lack its LF.
 */
int tp_lines_next(struct tp_lines *lines, const char **text, size_t *len,
    struct tp_err *err);
/*
 * The same when the next line is whole in the block that is held, else 0:
 * all lines since the last tp_lines_next() are borrowed until the next one.
 */
int tp_lines_here(struct tp_lines *lines, const char **text, size_t *len);
/* The next line was read where it lies, lines->at: go on at BEHIND. */
static inline void
tp_lines_took(struct tp_lines *lines, const char *behind)
{
	lines->at = behind;
	lines->line++;
}
void tp_lines_release(struct tp_lines *lines);

#endif
