/*
 * pager - the program that shows a page on a terminal a screen at a time
 *
 * Which one is the user's, as git has it: TP_PAGER of the environment, else
 * PAGER, a line for the shell; else less or more, where there is one.  "cat",
 * or nothing, stands for none.  less gets LESS=FRX unless LESS is set: it ends
 * when all fits on one screen, shows colours and leaves the page there.
 *
 * Memory: none beside the page, which is the caller's.
 */
#ifndef TP_TOOL_PAGER_H
#define TP_TOOL_PAGER_H

#include <stddef.h>

#include <tp/err.h>

struct tp_run;

/*
 * Have the pager wait for a page, where RUN writes to a terminal: once inputs
 * are read no program can be started (tool.h).  0, or -1 with ERR.
 */
int tp_pager_begin(struct tp_run *run, struct tp_err *err);
/*
 * Show LEN bytes of TEXT through the pager that waits, if one does,
 * and wait for its end; leaving it early is no failure.  Until then an
 * interrupt is the pager's.  1: done; 0: there is none, or it could not be run,
 * which is told: the caller prints the text.  -1 with ERR: the system failed.
 */
int tp_pager_show(struct tp_run *run, const char *text, size_t len,
    struct tp_err *err);

#endif
