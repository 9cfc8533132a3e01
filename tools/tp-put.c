/*
 * tp-put - write standard input, or files, to a file whole or not at all
 *
 * For scripts: a shell cannot create a file with an unpredictable name, lock a
 * file, or replace a folder.  --lock locks a descriptor that the script has
 * open, so the lock ends with the script, even if it is killed.
 */
#define _GNU_SOURCE		/* syscall */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

#include <tp/in.h>
#include <tp/os.h>
#include <tp/output.h>
#include <tp/tool.h>
#include <tp/unit.h>

#define NONE INT64_MIN
#define PAUSE_NS 20000000	/* between two looks at a lock, for --wait */

static const char *as, *name, *swap;
static int64_t lock = NONE, wait_ns = NONE;
static int update, blank_line;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "update", 'u', NULL,
	    "leave FILE and its times alone if it already has this content",
	    &update },
	{ TP_OPT_FLAG, "blank-line", 0, NULL,
	    "put a blank line between SOURCEs", &blank_line },
	{ TP_OPT_TEXT, "swap", 's', "OTHER",
	    "write nothing; exchange FILE and OTHER, which may be folders",
	    &swap },
	{ TP_OPT_COUNT, "lock", 0, "FD",
	    "first lock the file or folder that is open as descriptor FD",
	    &lock },
	{ TP_OPT_TEXT, "name", 0, "TEXT",
	    "what the lock protects, for messages", &name },
	{ TP_OPT_NS, "wait", 0, "T",
	    "wait at most T for the lock (0: do not wait; default: no limit)",
	    &wait_ns },
	{ TP_OPT_TEXT, "as", 0, "NAME",
	    "begin messages with NAME, the script that calls", &as },
	{ 0 }
};

static const char *const examples[] = {
	"tp-render gpu gpu.jsonl | tp-put -u gpu.md",
	"tp-put --swap out.new out",
	"exec 9<out && tp-put --as nightly --lock 9 --name out --wait 10s",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-put",
	.does = "write standard input, or files, to a file whole or not at "
	    "all",
	.operands = "[FILE [SOURCE...]]",
	.reads = "any bytes; a SOURCE is unpacked when it is gzip or zstd data",
	.writes = "FILE",
	.group = "scripts",
	.examples = examples,
	.flags = TP_TOOL_FIRST | TP_TOOL_BYTES,
	.options = options,
};

static void
check_words(struct tp_run *run)
{
	if (!run->first && lock == NONE)
		tp_die(run, TP_USAGE, "name the FILE to write, or --lock");
	if (!run->first && (update || swap))
		tp_die(run, TP_USAGE, "--%s needs a FILE", update ? "update" :
		    "swap");
	if (swap && (update || blank_line || run->operand_count))
		tp_die(run, TP_USAGE, "--swap takes one FILE and writes "
		    "nothing");
	if (lock == NONE && (name || wait_ns != NONE))
		tp_die(run, TP_USAGE, "--name and --wait need --lock");
	if (run->first && !strcmp(run->first, "-"))
		tp_die(run, TP_USAGE, "'-' is not a FILE; for a file of that "
		    "name write ./-");
}

/* Who has the lock of FD, as "process 7 (tp-report)". */
static const char *
holder_of(int fd)
{
	static char text[sizeof(struct tp_os_holder) + 40];
	struct tp_os_holder h;

	if (tp_os_lock_holder(fd, &h) < 0)
		return NULL;
	snprintf(text, sizeof text, "process %ld (%s)", h.pid, h.name);
	return text;
}

static void
say_waiting(struct tp_run *run, int fd)
{
	const char *who = holder_of(fd);

	if (name)
		tp_warn(run, "waiting for %s%s writes to '%s'", who ? who :
		    "another run", who ? ", which" : " that", name);
	else
		tp_warn(run, "waiting for %s", who ? who : "another run");
}

/* The lock of FD is not to be had: exit. */
static void
give_up(struct tp_run *run, int fd)
{
	const char *who = holder_of(fd);
	struct tp_buf time = { 0 };

	if (wait_ns) {
		tp_buf_str(&time, " after ");
		tp_unit_ns(&time, wait_ns);
	}
	if (!who)
		who = "another run";
	if (name)
		tp_die(run, TP_IO, "%s%s writes to '%s'%s", who, wait_ns ?
		    " still" : "", name, time.p ? time.p : "");
	tp_die(run, TP_IO, "%s%s has the lock%s", who, wait_ns ? " still" : "",
	    time.p ? time.p : "");
}

/* Whether FD is locked now; where nothing can be locked it counts as such. */
static int
is_locked(struct tp_run *run, int fd, int wait)
{
	const char *of = name ? name : "the descriptor";

	if (!tp_os_lock(fd, wait))
		return 1;
	if (errno == EWOULDBLOCK)
		return 0;
	if (errno != ENOLCK && errno != EOPNOTSUPP && errno != ENOTSUP &&
	    errno != EBADF && errno != EINVAL && errno != ENOSYS)
		tp_die(run, TP_IO, "cannot lock '%s': %s", of,
		    strerror(errno));
	tp_warn(run, "cannot lock '%s': %s; another run may write to it at "
	    "the same time", of, strerror(errno));
	return 1;
}

/* Look at FD until it is locked, at most --wait. */
static int
locked_in_time(struct tp_run *run, int fd)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS }, start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		nanosleep(&pause, NULL);
		if (is_locked(run, fd, 0))
			return 1;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) * 1e9 +
	    (double)(now.tv_nsec - start.tv_nsec) < (double)wait_ns);
	return 0;
}

static void
take_lock(struct tp_run *run)
{
	int fd = lock > INT_MAX ? -1 : (int)lock;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		tp_die(run, fd < 0 || errno == EBADF ? TP_USAGE : TP_IO,
		    "--lock %lld: %s", (long long)lock,
		    strerror(fd < 0 ? EBADF : errno));
	if (is_locked(run, fd, 0))
		return;
	if (wait_ns)
		say_waiting(run, fd);
	if (wait_ns == NONE)
		is_locked(run, fd, 1);
	else if (!wait_ns || !locked_in_time(run, fd))
		give_up(run, fd);
}

/* Read up to SIZE bytes of FD; how many, or -1 with errno. */
static ssize_t
read_some(int fd, char *p, size_t size)
{
	ssize_t n;

	while ((n = read(fd, p, size)) < 0 && errno == EINTR)
		continue;
	return n;
}

static int
write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return -1;
		p += n < 0 ? 0 : n;
		len -= n < 0 ? 0 : (size_t)n;
	}
	return 0;
}

/* The regular file PATH, to be compared with what comes, or -1. */
static int
open_old(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	/* number 0 is the place of a standard input that is closed */
	if (fd >= 0 && (fd == STDIN_FILENO || fstat(fd, &st) < 0 ||
	    !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Whether the next LEN bytes of OLD are those at P; without LEN, whether it
 * ends here. */
static int
goes_on_as(int old, const char *p, size_t len)
{
	static char block[65536];
	size_t want, got;
	ssize_t n;

	do {
		want = !len ? 1 : len < sizeof block ? len : sizeof block;
		n = 1;
		for (got = 0; got < want && (n = read_some(old, block + got,
		    want - got)) > 0; got += (size_t)n)
			;
		if (n < 0 || got != (len ? want : 0) ||
		    memcmp(block, p, got) != 0)
			return 0;
		p += got;
		len -= got;
	} while (len);
	return 1;
}

/* What is written, held to the OLD file as long as they are the SAME. */
struct put {
	struct tp_run *run;
	struct tp_output o;
	const char *path;
	int old, same;
	char last;		/* byte that was written, 0: none was */
};

static void
append_bytes(struct put *to, const char *p, size_t n)
{
	int why;

	if (!n)
		return;
	to->same = to->same && goes_on_as(to->old, p, n);
	to->last = p[n - 1];
	if (write_all(to->o.fd, p, n) == 0)
		return;
	why = errno;
	tp_output_drop(&to->o);
	tp_die(to->run, TP_IO, "cannot write '%s': %s", to->path,
	    strerror(why));
}

static void
add_input(struct put *to)
{
	static char block[65536];
	ssize_t n;
	int why;

	while ((n = read_some(STDIN_FILENO, block, sizeof block)) > 0)
		append_bytes(to, block, (size_t)n);
	if (n == 0)
		return;
	why = errno;
	tp_output_drop(&to->o);
	tp_die(to->run, TP_IO, "cannot read standard input: %s",
	    strerror(why));
}

/* The content of PATH, unpacked, from the start of a line on. */
static void
add_source(struct put *to, const char *path)
{
	struct tp_in *in = tp_in_open(path, &to->run->err);
	const char *block;
	ptrdiff_t n = in ? 1 : -1;
	int first = 1;

	while (in && (n = tp_in_read(in, &block, &to->run->err)) > 0) {
		if (first && to->last && to->last != '\n')
			append_bytes(to, "\n", 1);
		if (first && to->last && blank_line)
			append_bytes(to, "\n", 1);
		first = 0;
		append_bytes(to, block, (size_t)n);
	}
	tp_in_close(in);
	if (n == 0)
		return;
	tp_output_drop(&to->o);
	tp_die(to->run, to->run->err.status, "%s: %s", path,
	    to->run->err.text);
}

static void
put(struct tp_run *run, const char *path)
{
	struct put to = { .run = run, .path = path };

	to.old = update ? open_old(path) : -1;
	to.same = to.old >= 0;
	if (tp_output_open(&to.o, path, &run->err) < 0)
		tp_die_err(run);
	for (int i = 0; i < run->operand_count; i++)
		add_source(&to, run->operands[i]);
	if (run->operand_count && to.last && to.last != '\n')
		append_bytes(&to, "\n", 1);
	if (!run->operand_count)
		add_input(&to);
	to.same = to.same && goes_on_as(to.old, "", 0);
	if (to.old >= 0)
		close(to.old);
	if (to.same)
		tp_output_drop(&to.o);
	else if (tp_output_keep(&to.o, &run->err) < 0)
		tp_die_err(run);
}

/* A and B change places in one step; 0, or -1 with errno. */
static int
exchange(const char *a, const char *b)
{
#if defined SYS_renameat2
	const unsigned exchange_flag = 1 << 1;

	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b,
	    exchange_flag);
#elif defined RENAME_SWAP
	return renamex_np(a, b, RENAME_SWAP);
#else
	(void)a, (void)b;
	errno = ENOSYS;
	return -1;
#endif
}

/*
 * The same in three renames, where the system or the file system has no other
 * way.  Should the machine stop between them, A is beside B.  0, or -1 with
 * errno: both are as they were.
 */
static int
exchange_in_steps(const char *a, const char *b)
{
	char aside[PATH_MAX];
	int why;

	if (snprintf(aside, sizeof aside, "%s.old", b) >= (int)sizeof aside) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (rename(a, aside) < 0)
		return -1;
	if (rename(b, a) == 0)
		return rename(aside, b);
	why = errno;
	if (rename(aside, a) == 0)
		errno = why;
	return -1;
}

static void
change_places(struct tp_run *run, const char *file)
{
	if (exchange(file, swap) == 0)
		return;
	if ((errno == ENOSYS || errno == EINVAL || errno == ENOTSUP ||
	    errno == EOPNOTSUPP) && exchange_in_steps(file, swap) == 0)
		return;
	tp_die(run, TP_IO, "cannot exchange '%s' and '%s': %s", file, swap,
	    strerror(errno));
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	tp_speak_as(&run, as);
	check_words(&run);
	if (run.first && !run.operand_count && !swap)
		tp_need_input(&run);
	if (lock != NONE)
		take_lock(&run);
	if (swap)
		change_places(&run, run.first);
	else if (run.first)
		put(&run, run.first);
	return tp_end(&run);
}
