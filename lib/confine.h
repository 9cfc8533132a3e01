/*
 * confine - drop the privileges a program does not need
 *
 * A program that reads untrusted input first declares which files it will
 * open.  After that it can do nothing else, even if an input takes it over:
 * start no program, make no connection, read or write no other file, make no
 * memory executable.  A denied call fails with EPERM or EACCES, a call
 * unknown to the filter with ENOSYS, as on an older system.
 *
 * On Linux the kernel enforces this with Landlock and a seccomp filter; on
 * macOS sandbox_init() does, as far as it goes.  Whatever the system lacks
 * is left out.  Memory: none.
 */
#ifndef TP_CONFINE_H
#define TP_CONFINE_H

/* Permissions for a path and everything below it. */
enum {
	TP_MAY_READ = 1,	/* open files, list folders */
	TP_MAY_REPLACE = 2,	/* create, rename and remove files */
	TP_MAY_WRITE = 4,	/* open files for writing */
	TP_MAY_BUILD = 8,	/* also create folders and links */
};

/* Which restrictions are in force. */
enum {
	TP_CONFINED_FILES = 1,
	TP_CONFINED_CALLS = 2,
};

struct tp_confine {
	int rules;		/* descriptor, or -1 */
	unsigned long long can;	/* file operations the system can deny */
	unsigned may;		/* all permissions granted so far */
};

/* Begin.  With FILES, only allowed files may be opened. */
void tp_confine_init(struct tp_confine *c, int files);
/* Grant MAY for PATH; nothing when PATH does not exist. */
void tp_confine_allow(struct tp_confine *c, const char *path, unsigned may);
/*
 * Drop everything else, permanently; call before any thread exists.  Returns
 * the restrictions in force.
 */
int tp_confine_apply(struct tp_confine *c);

#endif
