/* output - write a file completely or not at all */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/os.h>
#include <tp/output.h>
#include <tp/text.h>

enum {
	TRIES = 100,		/* names tried before giving up */
	NAME_SHOWN = 100	/* most bytes of the target's name in a
				 * temporary name */
};

/*
 * Names of incomplete files.  The signal handler reads them, possibly while
 * another thread writes, so they are never freed, and a name counts only
 * while its slot is LIVE.
 */
static struct slot {
	char name[PATH_MAX];
	atomic_int taken, live;
} slots[TP_OUTPUTS_MAX];

void
tp_output_drop_all(void)
{
	for (int i = 0; i < TP_OUTPUTS_MAX; i++)
		if (slots[i].live)
			unlink(slots[i].name);
}

static void
remove_all(int signal_number)
{
	tp_output_drop_all();
	/* SA_RESETHAND: the signal ends the program when this returns */
	raise(signal_number);
}

static void
catch_signals(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE,
	    SIGTERM, SIGXCPU, SIGXFSZ };
	static atomic_flag done = ATOMIC_FLAG_INIT;
	struct sigaction old, new;

	if (atomic_flag_test_and_set(&done))
		return;
	memset(&new, 0, sizeof new);
	new.sa_handler = remove_all;
	new.sa_flags = SA_RESETHAND;
	sigemptyset(&new.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &new, NULL);
}

static struct slot *
take_slot(void)
{
	for (int i = 0; i < TP_OUTPUTS_MAX; i++)
		if (!atomic_exchange(&slots[i].taken, 1))
			return &slots[i];
	errno = EMFILE;
	return NULL;
}

static struct slot *
slot_of(const struct tp_output *o)
{
	for (int i = 0; i < TP_OUTPUTS_MAX; i++)
		if (o->aside == slots[i].name)
			return &slots[i];
	return NULL;
}

static void
free_slot(struct tp_output *o)
{
	struct slot *s = slot_of(o);

	o->aside = NULL;
	if (s) {
		s->live = 0;
		s->taken = 0;
	}
}

static int
cannot(const char *path, int why, struct tp_err *err)
{
	return tp_fail(err, TP_IO, "output.failed", 0,
	    "cannot write '%.200s': %s", path, strerror(why));
}

/*
 * Move FD above the standard descriptors, so that closed standard streams
 * stay closed.  -1 with errno.
 */
static int
beyond_standard(int fd)
{
	int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int why = errno;

	close(fd);
	errno = why;
	return other;
}

/* Create DIR (LEN bytes, with its slash) + ".BASE.RANDOM" for O; 0, or -1 with
 * errno. */
static int
create(struct tp_output *o, const char *dir, size_t len, const char *base,
    mode_t mode)
{
	struct slot *s = take_slot();
	size_t n = strlen(base);
	int why, shown;

	if (!s)
		return -1;
	catch_signals();
	o->aside = s->name;
	if (n > NAME_SHOWN) {
		/* do not cut a character: some file systems reject that */
		for (n = NAME_SHOWN; n && ((unsigned char)base[n] & 0xc0) ==
		    0x80; n--)
			continue;
	}
	for (int try = 0; try < TRIES; try++) {
		shown = snprintf(s->name, sizeof s->name, "%.*s.%.*s.%012llx",
		    (int)len, dir, (int)n, base, (unsigned long long)
		    (tp_os_random() & 0xffffffffffff));
		if (shown < 0 || (size_t)shown >= sizeof s->name) {
			errno = ENAMETOOLONG;
			break;
		}
		/* before the file exists, so that no signal can come between */
		s->live = 1;
		o->fd = open(s->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
		    O_CLOEXEC, mode);
		if (o->fd >= 0 && o->fd <= STDERR_FILENO &&
		    (o->fd = beyond_standard(o->fd)) < 0)
			unlink(s->name);
		if (o->fd >= 0) {
			o->open = 1;
			return 0;
		}
		s->live = 0;
		if (errno != EEXIST && errno != EINTR)
			break;
	}
	why = errno;
	free_slot(o);
	errno = why;
	return -1;
}

/* The descriptor that PATH names (/dev/stdout, /dev/fd/3), or -1. */
static int
named_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	char *end;
	long fd;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]);

		if (strncmp(path, folders[i], n) || path[n] < '0' ||
		    path[n] > '9')
			continue;
		errno = 0;
		fd = strtol(path + n, &end, 10);
		return *end || errno || fd > INT_MAX ? -1 : (int)fd;
	}
	return -1;
}

/*
 * 1: PATH is to be replaced by a rename; 0: it is a pipe, a device or a link
 * to one, written in place; -1 with errno.
 */
static int
is_replaced(const char *path)
{
	struct stat st;

	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	if (named_descriptor(path) >= 0)
		return 0;
	if (stat(path, &st) < 0)
		/* missing, or a dangling link */
		return errno == ENOENT || errno == ELOOP ||
		    errno == ENOTDIR || errno == EACCES ? 1 : -1;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	return S_ISREG(st.st_mode);
}

/* Open PATH in place: 0; 1 when it has become a regular file; -1 with errno. */
static int
open_in_place(struct tp_output *o, const char *path)
{
	int named = named_descriptor(path);
	struct stat st;

	/* duplicate it: it keeps its position, and may be a file */
	o->fd = named >= 0 ? fcntl(named, F_DUPFD_CLOEXEC, 0) :
	    open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (o->fd < 0)
		return -1;
	if (named < 0 && !fstat(o->fd, &st) && S_ISREG(st.st_mode)) {
		close(o->fd);
		return 1;
	}
	o->open = 1;
	return 0;
}

int
tp_output_open(struct tp_output *o, const char *path, struct tp_err *err)
{
	const char *base = tp_base(path);
	int replaced = is_replaced(path), rc;

	memset(o, 0, sizeof *o);
	o->path = path;
	if (!replaced)
		replaced = open_in_place(o, path);
	if (replaced <= 0)
		return replaced ? cannot(path, errno, err) : 0;
	if (!*base)
		return cannot(path, EISDIR, err);
	rc = create(o, path, (size_t)(base - path), base, 0666);
	return rc < 0 ? cannot(path, errno, err) : 0;
}

int
tp_output_scratch(struct tp_output *o, const char *name, struct tp_err *err)
{
	const char *folder = tp_os_temporary_folder();
	char dir[PATH_MAX];
	int n;

	memset(o, 0, sizeof *o);
	n = snprintf(dir, sizeof dir, "%s/", folder);
	if (n < 0 || (size_t)n >= sizeof dir)
		return cannot(folder, ENAMETOOLONG, err);
	o->path = name;
	return create(o, dir, (size_t)n, name, 0600) < 0 ? cannot(dir, errno,
	    err) : 0;
}

/* Synchronise FD to disk.  0, or -1 with errno.  Some file systems cannot. */
static int
to_disk(int fd)
{
	int rc;

	while ((rc = fsync(fd)) < 0 && errno == EINTR)
		continue;
	return rc < 0 && errno != EINVAL && errno != EROFS &&
	    errno != ENOTSUP && errno != EOPNOTSUPP && errno != ENOSYS ? -1 :
	    0;
}

int
tp_output_keep(struct tp_output *o, struct tp_err *err)
{
	int why = 0;

	if (o->aside && to_disk(o->fd) < 0)
		why = errno;
	o->open = 0;
	if (close(o->fd) < 0 && !why)
		why = errno;
	if (!why && o->aside && rename(o->aside, o->path) < 0)
		why = errno;
	if (!why)
		free_slot(o);
	tp_output_drop(o);
	return why ? cannot(o->path, why, err) : 0;
}

void
tp_output_drop(struct tp_output *o)
{
	if (o->open)
		close(o->fd);
	o->open = 0;
	if (o->aside)
		unlink(o->aside);
	free_slot(o);
}

int
tp_output_remove(const char *path, struct tp_err *err)
{
	if (is_replaced(path) <= 0)
		return 0;
	return unlink(path) < 0 && errno != ENOENT ? tp_fail(err, TP_IO,
	    "output.failed", 0, "cannot remove '%.200s': %s", path,
	    strerror(errno)) : 0;
}
