/*
 * each - fail every call of a run, one after the other
 *
 * The program runs in children of a process that has only just begun: that
 * spares each fault the start of a sanitizer, and needs no shell.  The first
 * child is failed nothing and shows what there is to fail, and what is right.
 *
 * TP_FAULTS is "STEP [only]": of calls 1, 2, ... of a kind, after the Nth
 * N / STEP are left out; "places" for STEP: every call, but of requests for
 * memory from one place, with the same functions active, the 1st, 2nd, 4th,
 * 8th ... and the last; "only": nothing but write and close is failed.
 * With TP_FAULTS_LOST a file that cannot be read may also be an answer, with
 * status 3, or 1 when nothing is left.
 * Standard output gets a line "CALL TRIED TOLD" for each kind: how many faults
 * there were, and how many of them made a difference; standard error gets
 * those that were not survived.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

enum {
	SAME = -1,		/* a wanted status: that of a clean run */
	SECONDS = 120,		/* a run that takes longer hangs */
	SHOWN = 5		/* of what went wrong */
};

static int (*program)(int, char **);
static int args;
static char **arg;
static bool may_lose;
static int out_fd, err_fd;	/* of the children */

/* What a run ended with. */
struct end {
	int status;
	struct content out, err;
	unsigned long calls[CALLS], failed;
};

static struct end clean, last;
static bool *left_out;		/* by request for memory; or NULL: none is */
static char fault[64];
static unsigned long tried, told, bad;

static void
wrong(const char *format, ...)
{
	va_list ap;
	int n = last.err.n < 300 ? (int)last.err.n : 300;

	if (bad++ >= SHOWN)
		return;
	fprintf(stderr, "# TP_FAIL='%s': ", fault);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs(": ", stderr);
	for (int i = 0; i < n; i++)
		fputc(last.err.p[i] == '\n' ? ' ' : last.err.p[i], stderr);
	fputc('\n', stderr);
}

static void
child(void)
{
	if (dup2(out_fd, 1) < 0 || dup2(err_fd, 2) < 0)
		_exit(98);
	close(out_fd);
	close(err_fd);
	alarm(SECONDS);
	memset(faults_seen, 0, sizeof *faults_seen);
	faults_set(fault);
	exit(program(args, arg));
}

static void
empty(int fd)
{
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		_exit(98);
}

/* Run with the fault; what it did stands in last. */
static void
run(void)
{
	pid_t pid;
	int status;

	free(last.out.p);
	free(last.err.p);
	empty(out_fd);
	empty(err_fd);
	lseek(0, 0, SEEK_SET);
	fflush(NULL);
	pid = fork();
	if (!pid)
		child();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		_exit(98);
	for (int i = 0; i < CALLS; i++)
		last.calls[i] = faults_seen->calls[i];
	last.failed = faults_seen->failed;
	last.status = WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
	last.out = content_of(out_fd);
	last.err = content_of(err_fd);
}

/* Try the fault; WANT is the status of failure, or SAME. */
static void
try(int want, const char *format, ...)
{
	const char *odd;
	bool whole, lost;
	va_list ap;

	va_start(ap, format);
	vsnprintf(fault, sizeof fault, format, ap);
	va_end(ap);
	tried++;
	run();
	odd = folder_judge(&whole);
	/* how often threads call depends on which is faster */
	if (!last.failed && !clean.calls[THREAD])
		wrong("nothing was failed");
	if (whole && last.status == clean.status &&
	    content_same(&last.out, &clean.out) &&
	    content_same(&last.err, &clean.err))
		return;
	told++;
	/* what it writes then is another answer, and whole */
	lost = may_lose && want == 4 && (last.status == 3 || last.status == 1);
	if (want == SAME)
		wrong("status %d, and not all is the same", last.status);
	else if (last.status != want && !lost)
		wrong("status %d", last.status);
	else if (!last.err.n)
		wrong("status %d without a word", last.status);
	else if (odd && !lost)
		wrong("half-written: %s", odd);
}

/*
 * Fail the Nth call of COUNT, once and for good; that is the same where no
 * later call came.
 */
static void
fail_each(enum call call, unsigned long count, unsigned long step)
{
	const char *name = faults_names[call];
	int want = call == MALLOC ? 5 : 4;

	for (unsigned long n = 1; n <= count; n += 1 + n / step) {
		if (call == MALLOC && left_out && n <= FAULTS_PLACES &&
		    left_out[n - 1])
			continue;
		try(want, "%s:%lu", name, n);
		if (call <= WRITE && last.calls[call] > n)
			try(want, "%s:%lu+", name, n);
		if (call != READ && call != WRITE)
			continue;
		try(SAME, "%s:%lu:EINTR", name, n);
		try(SAME, "%s:%lu:short", name, n);
	}
	if (count && (call == READ || call == WRITE))
		try(SAME, "%s:1+:short", name);
}

static void
clean_run(void)
{
	folder_start();
	run();
	folder_clean();
	clean = last;
	last.out = last.err = (struct content){ NULL, 0 };
	if (clean.status == 2 || clean.status > 4)
		wrong("a clean run ends with %d", clean.status);
}

struct request {
	uint64_t place;
	size_t n;
};

static int
by_place(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	return x->place != y->place ? x->place < y->place ? -1 : 1 :
	    (x->n > y->n) - (x->n < y->n);
}

/* Choose among the COUNT requests for memory, which are from PLACES. */
static void
leave_out(const uint64_t *places, size_t count)
{
	struct request *r;
	size_t same;

	if (count > FAULTS_PLACES)
		count = FAULTS_PLACES;
	r = calloc(count + 1, sizeof *r);
	left_out = calloc(count + 1, sizeof *left_out);
	if (!r || !left_out)
		_exit(98);
	for (size_t i = 0; i < count; i++)
		r[i] = (struct request){ places[i], i };
	qsort(r, count, sizeof *r, by_place);
	for (size_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count && r[i + same].place ==
		    r[i].place; same++)
			;
		for (size_t k = 1; k < same; k++)
			left_out[r[i + k - 1].n] = (k & (k - 1)) != 0;
	}
	free(r);
}

/* An empty file without a name. */
static int
scratch(size_t size)
{
	const char *folder = getenv("TMPDIR");
	char name[PATH_MAX];
	int fd;

	snprintf(name, sizeof name, "%s/faults-XXXXXX", folder ? folder :
	    "/tmp");
	fd = mkstemp(name);
	if (fd < 0 || unlink(name) || ftruncate(fd, (off_t)size)) {
		perror("faults: scratch");
		_exit(98);
	}
	return fd;
}

int
faults_each(const char *how, int (*run_main)(int, char **), int argc,
    char *argv[])
{
	const char *only = how + strcspn(how, " ");
	unsigned long step = strtoul(how, NULL, 10);
	uint64_t *places = NULL;
	void *first;

	may_lose = getenv("TP_FAULTS_LOST");
	unsetenv("TP_FAULTS_LOST");
	unsetenv("TP_FAULTS");
	program = run_main;
	args = argc;
	arg = argv;
	out_fd = scratch(0);
	err_fd = scratch(0);
	faults_seen = mmap(NULL, sizeof *faults_seen, PROT_READ | PROT_WRITE,
	    MAP_SHARED, scratch(sizeof *faults_seen), 0);
	if (!strncmp(how, "places", 6)) {
		step = ULONG_MAX;
		places = faults_places = mmap(NULL, FAULTS_PLACES *
		    sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED,
		    scratch(FAULTS_PLACES * sizeof *places), 0);
		backtrace(&first, 1);	/* loads what it needs */
	}
	if (!step || faults_seen == MAP_FAILED || places == MAP_FAILED) {
		fprintf(stderr, "faults: TP_FAULTS: '%s'\n", how);
		_exit(98);
	}
	clean_run();
	faults_places = NULL;
	if (places)
		leave_out(places, clean.calls[MALLOC]);
	for (int i = 0; i < CALLS; i++) {
		if (*only && i != WRITE && i != CLOSE)
			continue;
		tried = told = 0;
		fail_each((enum call)i, clean.calls[i], step);
		printf("%s %lu %lu\n", faults_names[i], tried, told);
	}
	if (bad > SHOWN)
		fprintf(stderr, "# %lu more\n", bad - SHOWN);
	fflush(stdout);
	_exit(bad > 0);
}
