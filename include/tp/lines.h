/*
 * lines - read an input line by line
 *
 * Memory: the block of the input, and the longest line that crosses a block
 * boundary.  A line of more than tp_limits.line_bytes fails (TP_LIMIT).
 */
#ifndef TP_LINES_H
#define TP_LINES_H

#include <tp/buf.h>
#include <tp/in.h>

struct tp_lines {
	struct tp_in *in;
	const char *at, *end;		/* rest of the block */
	struct tp_buf part;		/* a line that crosses blocks */
	uint64_t line;			/* number of the last line returned */
	int done;
	size_t max;			/* 0, or the most bytes returned of a
					 * line that crosses blocks; the rest is
					 * skipped */
	int cutting;			/* skipping the rest of such a line */
	uint64_t cut;			/* number of lines shortened */
};

/* Begin to read IN, which stays the caller's. */
void tp_lines_init(struct tp_lines *lines, struct tp_in *in);
/*
 * Next line, without LF or CR LF: *TEXT (borrowed until the next call) and
 * *LEN.  1, 0 at the end, -1 with ERR.  The last line may lack its LF.
 */
int tp_lines_next(struct tp_lines *lines, const char **text, size_t *len,
    struct tp_err *err);
/*
 * As tp_lines_next(), but 0 when the next line is not complete in the
 * current block.  Lines stay valid until the next tp_lines_next().
 */
int tp_lines_here(struct tp_lines *lines, const char **text, size_t *len);
/* The caller parsed the next line in place at lines->at; continue at BEHIND. */
static inline void
tp_lines_took(struct tp_lines *lines, const char *behind)
{
	lines->at = behind;
	lines->line++;
}
void tp_lines_release(struct tp_lines *lines);

#endif
