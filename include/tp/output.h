/*
 * output - a file that is written whole or not at all
 *
 * What is written goes to a file of a random name in the folder of the target,
 * is brought to the disk, and then takes the target's name in one step.  Two
 * writers of one target leave one whole file, of either.  Until then
 * the target stays as it was.
 *
 * A link at the name of the target is replaced; what it points to stays.  A
 * pipe or a device, and a link to one, is written as it is, under its own
 * name, and so are /dev/stdout, /dev/stderr and /dev/fd/N.
 *
 * The first tp_output_open() catches the signals that end a program (those
 * that are not ignored): files that are not whole are removed, then the signal
 * ends the program.  After SIGKILL a hidden file ".NAME.RANDOM" stays; no
 * later run reads it or stops at it.  Memory: none but PATH_MAX bytes for each
 * of the TP_OUTPUTS_MAX files that can be open at a time.
 */
#ifndef TP_OUTPUT_H
#define TP_OUTPUT_H

#include <tp/err.h>

#define TP_OUTPUTS_MAX 8

/* A zeroed struct is none. */
struct tp_output {
	int fd;			/* where to write; valid while open */
	int open;
	const char *path;	/* the target, borrowed until it is closed */
	const char *aside;	/* its name until it is whole, or NULL when it
				 * is written in place */
};

/*
 * Begin to write PATH.  Returns 0 with o->fd, or -1 with ERR (TP_IO
 * "output.failed": "cannot write 'PATH': why").  To be ended by
 * tp_output_keep() or tp_output_drop().
 */
int tp_output_open(struct tp_output *o, const char *path, struct tp_err *err);

/*
 * All is written: bring it to the disk, close it and give it its name.  0, or
 * -1 with ERR; then it is dropped.
 */
int tp_output_keep(struct tp_output *o, struct tp_err *err);

/* Close and remove what is not whole; nothing for what is none. */
void tp_output_drop(struct tp_output *o);

/*
 * Begin a file below TMPDIR that never gets a name of its own: o->aside is
 * what it is called until tp_output_drop().  0, or -1 with ERR.
 */
int tp_output_scratch(struct tp_output *o, const char *name,
    struct tp_err *err);

/* Remove the file PATH, or the link, which tp_output_open() would replace;
 * anything else stays.  0, also when it is not there, or -1 with ERR. */
int tp_output_remove(const char *path, struct tp_err *err);

#endif
