/*
 * pager - show a page on a terminal through a pager
 *
 * The user chooses it as with git: TP_PAGER of the environment, else PAGER
 * (a shell command); else less or more, whichever exists.  "cat" or an empty
 * value means no pager.  less gets LESS=FRX unless LESS is set: it exits
 * when everything fits on one screen, shows colours and leaves the page on
 * the screen.
 *
 * Memory: none beyond the page, which is the caller's.
 */
#ifndef TP_TOOL_PAGER_H
#define TP_TOOL_PAGER_H

#include <stddef.h>

#include <tp/err.h>

struct tp_run;

/*
 * When RUN writes to a terminal, start a process that can later become the
 * pager: once inputs are read, no program can be started (tool.h).  1: it is
 * there, 0: there is no pager, -1 with ERR.
 */
int tp_pager_begin(struct tp_run *run, struct tp_err *err);
/*
 * Show LEN bytes of TEXT through the prepared pager and wait until it exits;
 * quitting it early is no failure.  Meanwhile an interrupt goes to the
 * pager.  1: done; 0: no pager, or it could not be run (which is reported),
 * so the caller prints the text; -1 with ERR: the system failed.
 */
int tp_pager_show(struct tp_run *run, const char *text, size_t len,
    struct tp_err *err);

#endif
