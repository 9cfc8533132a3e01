/*
 * confine - give up what a program does not need
 *
 * Who reads what strangers made says first which files it will open, and then
 * may do no more than that, even if an input takes it over: no program is
 * started, nothing connected, no other file written or read, no memory made
 * executable.  A call that is refused fails with EPERM or EACCES; where the
 * system knows no such call it fails with ENOSYS, as on an older system.
 *
 * On Linux the kernel holds to it, with Landlock and with a filter of system
 * calls; on macOS sandbox_init(), as far as that goes.  What the system lacks
 * is left out.  Memory: none.
 */
#ifndef TP_CONFINE_H
#define TP_CONFINE_H

/* What may be done with a path, and with what is below it. */
enum {
	TP_MAY_READ = 1,	/* open files, list folders */
	TP_MAY_REPLACE = 2,	/* create, rename and remove files of it */
	TP_MAY_WRITE = 4,	/* open files for writing */
	TP_MAY_BUILD = 8,	/* make folders and links too */
};

/* What holds from now on. */
enum {
	TP_CONFINED_FILES = 1,
	TP_CONFINED_CALLS = 2,
};

struct tp_confine {
	int rules;		/* descriptor, or -1 */
	unsigned long long can;	/* what the system can forbid of files */
	unsigned may;		/* of one path or another */
};

/* Begin; with FILES only those may be opened that are allowed. */
void tp_confine_init(struct tp_confine *c, int files);
/* Allow MAY of PATH; where nothing is there nothing is allowed. */
void tp_confine_allow(struct tp_confine *c, const char *path, unsigned may);
/* Give up the rest, for good; before there are threads.  What holds then. */
int tp_confine_apply(struct tp_confine *c);

#endif
