/* os - differences between operating systems */
#define _DEFAULT_SOURCE		/* sbrk, madvise */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif
#ifdef __linux__
#include <sys/random.h>
#endif

#include <tp/os.h>
#include <tp/text.h>

int
tp_os_program(char *path, size_t size)
{
#ifdef __APPLE__
	char raw[PATH_MAX], real[PATH_MAX];
	uint32_t n = sizeof raw;

	if (_NSGetExecutablePath(raw, &n) || !realpath(raw, real) ||
	    strlen(real) >= size)
		return -1;
	strcpy(path, real);
	return 0;
#else
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n <= 0)
		return -1;
	path[n] = '\0';
	return 0;
#endif
}

int
tp_os_real_path(const char *path, char real[])
{
	return realpath(path, real) ? 0 : -1;
}

void
tp_os_changed(const struct stat *st, struct timespec *content,
    struct timespec *any)
{
#ifdef __APPLE__
	*content = st->st_mtimespec;
	*any = st->st_ctimespec;
#else
	*content = st->st_mtim;
	*any = st->st_ctim;
#endif
}

uint64_t
tp_os_random(void)
{
	struct timespec t;
	uint64_t r = 0;
	int fd;

#ifdef __linux__
	if (getrandom(&r, sizeof r, GRND_NONBLOCK) == (ssize_t)sizeof r)
		return r;
#endif
	fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, &r, sizeof r);

		close(fd);
		if (n == (ssize_t)sizeof r)
			return r;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
}

void
tp_os_heap_grew(void)
{
#ifdef __GLIBC__
	/* where advice ends; threads may give the same twice */
	static _Atomic uintptr_t advised;
	uintptr_t from = advised;
	uintptr_t end = (uintptr_t)sbrk(0) & -TP_OS_LARGE_PAGE;

	if (!from) {
		/* sanitizers refuse */
		if (!mallopt(M_MMAP_THRESHOLD, INT_MAX) ||
		    !mallopt(M_TRIM_THRESHOLD, INT_MAX) ||
		    !mallopt(M_TOP_PAD, TP_OS_LARGE_PAGE))
			return;
		from = end + TP_OS_HEAP_SMALL;
		advised = from;
	}
	if (end <= from)
		return;
	madvise((void *)from, end - from, MADV_HUGEPAGE);
	advised = end;
#endif
}

const char *
tp_os_temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

static int
make_temporary(void)
{
	char path[PATH_MAX];
	int fd, other, n = snprintf(path, sizeof path, "%s/tp-XXXXXX",
	    tp_os_temporary_folder());

	if (n < 0 || (size_t)n >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	unlink(path);
	/* never reuse the number of a closed standard stream */
	other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return other;
}

static int ahead[2], ahead_count;

int
tp_os_temporary(void)
{
	return ahead_count ? ahead[--ahead_count] : make_temporary();
}

void
tp_os_temporary_ahead(int n)
{
	int fd;

	while (ahead_count < n && (fd = make_temporary()) >= 0)
		ahead[ahead_count++] = fd;
}

/* COLUMNS as a width; 0 when it is unset or invalid. */
static size_t
columns_wanted(void)
{
	const char *text = getenv("COLUMNS");
	size_t n = 0;

	if (!text || strlen(text) > 4)
		return 0;
	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (size_t)(*text - '0');
	return *text ? 0 : n;
}

size_t
tp_os_columns(int fd)
{
	struct winsize size = { 0 };
	size_t n;

	if (!isatty(fd))
		return 0;
	n = columns_wanted();
	/* POSIX 2024 has tcgetwinsize(); this exists on all systems */
	if (n < TP_OS_COLUMNS_MIN && !ioctl(fd, TIOCGWINSZ, &size))
		n = size.ws_col;
	return n < TP_OS_COLUMNS_MIN ? 80 : n;
}

/*
 * POSIX has no lock on an open file description; flock() exists on all
 * systems.
 */
int
tp_os_lock(int fd, int wait)
{
	int rc;

	while ((rc = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB))) < 0 &&
	    errno == EINTR)
		continue;
	return rc;
}

#ifdef __linux__
/*
 * Read the first bytes of PATH into TEXT, NUL-terminated; returns their
 * number.
 */
static size_t
read_start(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	n = n < 0 ? 0 : n;
	text[n] = '\0';
	return (size_t)n;
}

/* Whether descriptor FD of process PID holds the lock of the file ST. */
static int
has_lock(const char *pid, const char *fd, const struct stat *st)
{
	char path[600], text[1024];
	struct stat other;

	/* begin with what cannot hang: the file may be on a dead server */
	snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", pid, fd);
	if (!read_start(path, text, sizeof text) ||
	    !strstr(text, ": FLOCK "))
		return 0;
	snprintf(path, sizeof path, "/proc/%s/fd/%s", pid, fd);
	return !stat(path, &other) && other.st_dev == st->st_dev &&
	    other.st_ino == st->st_ino;
}

static int
any_has_lock(const char *pid, const struct stat *st)
{
	char path[300];
	struct dirent *e;
	DIR *dir;
	int has = 0;

	snprintf(path, sizeof path, "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && !has && (e = readdir(dir)))
		has = *e->d_name != '.' && has_lock(pid, e->d_name, st);
	if (dir)
		closedir(dir);
	return has;
}

/* Start time of process PID, in ticks. */
static unsigned long long
start_of(const char *pid)
{
	char path[300], text[1024], *p;

	snprintf(path, sizeof path, "/proc/%s/stat", pid);
	read_start(path, text, sizeof text);
	/* 20th field after the name, which may contain anything */
	p = strrchr(text, ')');
	for (int i = 0; p && i < 20; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

/* Name of the program of process PID; of a shell, its script. */
static void
name_process(const char *pid, char *name, size_t size)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ksh",
	    "zsh" };
	char path[300], text[4096];
	const char *word, *next;
	size_t n;

	snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
	n = read_start(path, text, sizeof text);
	word = tp_base(text);
	next = word + strlen(word) + 1;
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (!strcmp(word, shells[i]) && next < text + n &&
		    *next != '-') {
			word = tp_base(next);
			break;
		}
	n = strlen(word) < size ? strlen(word) : size - 1;
	memcpy(name, word, n);
	name[n] = '\0';
}

int
tp_os_lock_holder(int fd, struct tp_os_holder *holder)
{
	unsigned long long start, first = 0;
	struct dirent *e;
	struct stat st;
	DIR *dir = fstat(fd, &st) < 0 ? NULL : opendir("/proc");

	holder->pid = 0;
	while (dir && (e = readdir(dir))) {
		if (*e->d_name < '1' || *e->d_name > '9' ||
		    !any_has_lock(e->d_name, &st))
			continue;
		start = start_of(e->d_name);
		if (holder->pid && start >= first)
			continue;
		first = start;
		holder->pid = atol(e->d_name);
		name_process(e->d_name, holder->name, sizeof holder->name);
	}
	if (dir)
		closedir(dir);
	return holder->pid ? 0 : -1;
}
#else
int
tp_os_lock_holder(int fd, struct tp_os_holder *holder)
{
	(void)fd;
	(void)holder;
	return -1;
}
#endif
