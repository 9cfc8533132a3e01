/*
 * output - write a file completely or not at all
 *
 * Data goes to a randomly named file in the target's folder, is synchronised
 * to disk, and is then renamed to the target in one step.  Until then the
 * target is unchanged.  Of two concurrent writers, one complete file
 * remains.
 *
 * A link at the target's name is replaced; the file it points to stays.  A
 * pipe or device, a link to one, and /dev/stdout, /dev/stderr and /dev/fd/N
 * are written directly.
 *
 * The first tp_output_open() installs handlers for signals that end the
 * program (unless ignored): incomplete files are removed, then the signal
 * takes effect.  After SIGKILL a hidden file ".NAME.RANDOM" remains; no
 * later run reads it or fails because of it.  Memory: PATH_MAX bytes for
 * each of the TP_OUTPUTS_MAX files that can be open at a time.
 */
#ifndef TP_OUTPUT_H
#define TP_OUTPUT_H

#include <tp/err.h>

#define TP_OUTPUTS_MAX 8

/* A zeroed struct is no output. */
struct tp_output {
	int fd;			/* where to write; valid while open */
	int open;
	const char *path;	/* the target, borrowed until it is closed */
	const char *aside;	/* temporary name; NULL when the target is
				 * written directly */
};

/*
 * Begin to write PATH.  0 with o->fd, or -1 with ERR (TP_IO "output.failed":
 * "cannot write 'PATH': why").  End with tp_output_keep() or
 * tp_output_drop().
 */
int tp_output_open(struct tp_output *o, const char *path, struct tp_err *err);

/*
 * Synchronise the file to disk, close it and rename it to the target.  0, or
 * -1 with ERR, after which the file is dropped.
 */
int tp_output_keep(struct tp_output *o, struct tp_err *err);

/* Close and remove an incomplete file; nothing when O is no output. */
void tp_output_drop(struct tp_output *o);
/* Remove all incomplete files by name; for handlers of signals too. */
void tp_output_drop_all(void);

/*
 * Create a temporary file in TMPDIR, called o->aside until tp_output_drop()
 * removes it.  0, or -1 with ERR.
 */
int tp_output_scratch(struct tp_output *o, const char *name,
    struct tp_err *err);

/*
 * Remove PATH when it is a file or link, as tp_output_open() would replace
 * it; leave anything else.  0, also when PATH does not exist, or -1 with
 * ERR.
 */
int tp_output_remove(const char *path, struct tp_err *err);

#endif
