/*
 * faults - calls of the system that fail when a test wants them to
 *
 * Linked into the programs of a build with SAN, in front of the calls named
 * in the Makefile (FAULTS).  In TP_FAIL, separated by blanks:
 *
 *	CALL:N		the Nth call of CALL fails
 *	CALL:N+		and every later one
 *	CALL:N:HOW	with another error than usual: EINTR EIO ENOSPC ...,
 *			or "short", which reads or writes one byte
 *
 * CALL is malloc read write open close rename stat seek lock thread sync;
 * each stands for its kin (pread is a read, fclose a close).
 *
 * With TP_FAULTS=STEP the program runs once for every fault there is, and
 * says which of them it did not survive (each.c).
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"

enum {
	SHORT = -1,		/* an errno that is none */
	DEPTH = 24		/* of active functions that make a place */
};

const char *const faults_names[CALLS] = {
	[MALLOC] = "malloc", [READ] = "read", [WRITE] = "write",
	[OPEN] = "open", [CLOSE] = "close", [RENAME] = "rename",
	[STAT] = "stat", [SEEK] = "seek", [LOCK] = "lock",
	[THREAD] = "thread", [SYNC] = "sync",
};

static struct {
	int error;		/* what it fails with */
	unsigned long from, to;
} calls[CALLS] = {
	[MALLOC] = { .error = ENOMEM },
	[READ] = { .error = EIO },
	[WRITE] = { .error = ENOSPC },
	[OPEN] = { .error = EMFILE },
	[CLOSE] = { .error = EIO },
	[RENAME] = { .error = EIO },
	[STAT] = { .error = EIO },
	[SEEK] = { .error = EIO },
	[LOCK] = { .error = ENOLCK },
	[THREAD] = { .error = EAGAIN },
	[SYNC] = { .error = EIO },
};

static struct faults_seen seen;
struct faults_seen *faults_seen = &seen;
uint64_t *faults_places;

static const struct {
	const char *name;
	int error;
} errors[] = {
	{ "EINTR", EINTR }, { "EIO", EIO }, { "ENOSPC", ENOSPC },
	{ "ENOMEM", ENOMEM }, { "EACCES", EACCES }, { "EMFILE", EMFILE },
	{ "short", SHORT },
};

static void
wrong(const char *text)
{
	fprintf(stderr, "faults: TP_FAIL: '%s'\n", text);
	_exit(98);
}

/* One "CALL:N[+][:HOW]". */
static void
one_fault(const char *text)
{
	size_t len = strcspn(text, ":");
	char *end;
	int i, e;

	for (i = 0; i < CALLS; i++)
		if (!strncmp(text, faults_names[i], len) &&
		    !faults_names[i][len])
			break;
	if (i == CALLS || !text[len])
		wrong(text);
	calls[i].from = strtoul(text + len + 1, &end, 10);
	calls[i].to = calls[i].from;
	if (*end == '+') {
		calls[i].to = (unsigned long)-1;
		end++;
	}
	if (*end != ':')
		return;
	for (e = 0; errors[e].error != SHORT; e++)
		if (!strcmp(end + 1, errors[e].name))
			break;
	if (strcmp(end + 1, errors[e].name))
		wrong(text);
	calls[i].error = errors[e].error;
}

void
faults_set(const char *fail)
{
	char text[200], *word, *rest = text;

	snprintf(text, sizeof text, "%s", fail);
	while ((word = strtok_r(rest, " ", &rest)))
		one_fault(word);
}

/* A hash (FNV-1a) of the functions that are active. */
static uint64_t
place(void)
{
	void *at[DEPTH];
	uint64_t hash = 0xcbf29ce484222325;
	int n = backtrace(at, DEPTH);

	for (int i = 0; i < n; i++)
		hash = (hash ^ (uintptr_t)at[i]) * 0x100000001b3;
	return hash;
}

/* The error this call is to end with, SHORT, or 0. */
static int
fails(enum call call)
{
	unsigned long n = atomic_fetch_add(&faults_seen->calls[call], 1) + 1;

	if (call == MALLOC && faults_places && n <= FAULTS_PLACES)
		faults_places[n - 1] = place();
	if (n < calls[call].from || n > calls[call].to)
		return 0;
	atomic_fetch_add(&faults_seen->failed, 1);
	if (calls[call].error != SHORT)
		errno = calls[call].error;
	return calls[call].error;
}

/* The same where nothing can be short. */
static int
breaks(enum call call)
{
	return fails(call) > 0;
}

/* The same of files of stdio: those here are on disks, where no signal
 * interrupts; libc drops what it held then. */
static int
breaks_file(enum call call)
{
	int e = fails(call);

	return e > 0 && e != EINTR;
}

/* A call that is replaced, and what it replaces. */
#define WRAPPED(type, name, ...) \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__); \
	type \
	__wrap_##name(__VA_ARGS__)

WRAPPED(int, main, int argc, char *argv[])
{
	const char *fail = getenv("TP_FAIL"), *each = getenv("TP_FAULTS");

	if (each)
		return faults_each(each, __real_main, argc, argv);
	if (fail)
		faults_set(fail);
	return __real_main(argc, argv);
}

WRAPPED(void *, malloc, size_t size)
{
	return breaks(MALLOC) ? NULL : __real_malloc(size);
}

WRAPPED(void *, calloc, size_t n, size_t size)
{
	return breaks(MALLOC) ? NULL : __real_calloc(n, size);
}

WRAPPED(void *, realloc, void *old, size_t size)
{
	return breaks(MALLOC) ? NULL : __real_realloc(old, size);
}

WRAPPED(ssize_t, read, int fd, void *p, size_t n)
{
	int e = fails(READ);

	return e > 0 ? -1 : __real_read(fd, p, e && n ? 1 : n);
}

WRAPPED(ssize_t, pread, int fd, void *p, size_t n, off_t at)
{
	int e = fails(READ);

	return e > 0 ? -1 : __real_pread(fd, p, e && n ? 1 : n, at);
}

/* As nothing may write to it, this leaves ferror() true. */
WRAPPED(size_t, fread, void *p, size_t size, size_t n, FILE *f)
{
	if (breaks_file(READ)) {
		fputc(0, f);
		return 0;
	}
	return __real_fread(p, size, n, f);
}

WRAPPED(ssize_t, write, int fd, const void *p, size_t n)
{
	int e = fails(WRITE);

	return e > 0 ? -1 : __real_write(fd, p, e && n ? 1 : n);
}

WRAPPED(ssize_t, pwrite, int fd, const void *p, size_t n, off_t at)
{
	int e = fails(WRITE);

	return e > 0 ? -1 : __real_pwrite(fd, p, e && n ? 1 : n, at);
}

WRAPPED(size_t, fwrite, const void *p, size_t size, size_t n, FILE *f)
{
	return breaks_file(WRITE) ? 0 : __real_fwrite(p, size, n, f);
}

WRAPPED(int, fflush, FILE *f)
{
	return f && f != stderr && f != stdout && breaks_file(WRITE) ? EOF :
	    __real_fflush(f);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? (mode_t)va_arg(ap, int) : 0;
	va_end(ap);
	return breaks(OPEN) ? -1 : __real_open(path, flags, mode);
}

WRAPPED(FILE *, fopen, const char *path, const char *mode)
{
	return breaks(OPEN) ? NULL : __real_fopen(path, mode);
}

WRAPPED(int, mkstemp, char *path)
{
	return breaks(OPEN) ? -1 : __real_mkstemp(path);
}

WRAPPED(DIR *, opendir, const char *path)
{
	return breaks(OPEN) ? NULL : __real_opendir(path);
}

WRAPPED(int, pipe, int fd[2])
{
	return breaks(OPEN) ? -1 : __real_pipe(fd);
}

WRAPPED(int, dup2, int from, int to)
{
	return breaks(OPEN) ? -1 : __real_dup2(from, to);
}

/* What fails to close is closed. */
WRAPPED(int, close, int fd)
{
	int e = breaks(CLOSE) ? errno : 0, rc = __real_close(fd);

	if (e)
		errno = e;
	return e ? -1 : rc;
}

WRAPPED(int, fclose, FILE *f)
{
	int e = breaks(CLOSE) ? errno : 0, rc = __real_fclose(f);

	if (e)
		errno = e;
	return e ? EOF : rc;
}

WRAPPED(int, rename, const char *from, const char *to)
{
	return breaks(RENAME) ? -1 : __real_rename(from, to);
}

WRAPPED(int, stat, const char *path, struct stat *st)
{
	return breaks(STAT) ? -1 : __real_stat(path, st);
}

WRAPPED(int, fstat, int fd, struct stat *st)
{
	return breaks(STAT) ? -1 : __real_fstat(fd, st);
}

WRAPPED(ssize_t, readlink, const char *path, char *to, size_t size)
{
	return breaks(STAT) ? -1 : __real_readlink(path, to, size);
}

WRAPPED(char *, realpath, const char *path, char *to)
{
	return breaks(STAT) ? NULL : __real_realpath(path, to);
}

WRAPPED(off_t, lseek, int fd, off_t at, int whence)
{
	return breaks(SEEK) ? -1 : __real_lseek(fd, at, whence);
}

WRAPPED(int, pthread_create, pthread_t *t, const pthread_attr_t *attr,
    void *(*run)(void *), void *arg)
{
	return breaks(THREAD) ? EAGAIN : __real_pthread_create(t, attr, run,
	    arg);
}

WRAPPED(int, fsync, int fd)
{
	return breaks(SYNC) ? -1 : __real_fsync(fd);
}

WRAPPED(int, flock, int fd, int how)
{
	return breaks(LOCK) ? -1 : __real_flock(fd, how);
}

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...);

int
__wrap_fcntl(int fd, int what, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	return breaks(LOCK) ? -1 : __real_fcntl(fd, what, arg);
}
