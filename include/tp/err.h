/*
 * err - how the library reports failure
 *
 * Of input it fills a struct tp_err and returns -1 (or NULL), and the tools
 * speak.  Memory that runs out, a temporary file that cannot be read back and a
 * schema that asks for what cannot be made (tab.h) end the program at once, in
 * tp_quit().
 */
#ifndef TP_ERR_H
#define TP_ERR_H

#include <stdint.h>

/* The exit statuses of every tool; also what a struct tp_err stands for. */
enum tp_status {
	TP_OK = 0,	/* done; an empty result is done */
	TP_NO = 1,	/* the answer is no: gate failed, not recognised */
	TP_USAGE = 2,	/* wrong options or operands */
	TP_BAD = 3,	/* bad input data */
	TP_IO = 4,	/* the system failed: cannot open, read or write */
	TP_LIMIT = 5,	/* a limit was hit or memory ran out */
};

struct tp_err {
	enum tp_status status;
	int fatal;		/* nothing more can be read from this input */
	uint64_t line;		/* 1-based; 0 when not tied to a line */
	const char *code;	/* note code, a literal: "row.damaged" */
	const char *what;	/* the kind of damage, a literal, or NULL:
				 * one message is printed per kind */
	char text[640];
};

/*
 * Fill ERR: status, code and line, and the message from FMT.  Always returns
 * -1, so that a caller can "return tp_fail(...)".  CODE is a literal.
 */
int tp_fail(struct tp_err *err, enum tp_status status, const char *code,
    uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/*
 * Print "PROGRAM: WHY", the program being the one of tp_quit_name(), remove
 * the files that are not complete, and end with STATUS.  From any thread.
 */
void tp_quit(enum tp_status status, const char *why) __attribute__((noreturn));
void tp_quit_name(const char *program);

#endif
