/*
 * cli - what every filter does with its command line
 *
 * cli BUILD: in the folder of the sources, with the programs on PATH.  Starts
 * each program of tools/ in each of the ways below, with what tests/cli.tsv
 * says it reads, and prints TAP: a line for each behaviour, and of a program
 * that lacks it what it said.  1 when any does.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN(in, to, ...) \
	run(in, to, (const char *[]){ t->name, __VA_ARGS__, NULL })
#define NOTHING "/dev/null"
#define FULL "/dev/full"

struct text {
	char *p;
	size_t len;
};

struct tool {
	char name[32], first[256], in[256];
	int is_filter;			/* reads a stream and writes one */
	struct text help, out;		/* --help=all, what it makes of "in" */
};

static struct tool tools[100];
static size_t count;
static char dir[128], output[160];	/* for --output */

/* What the last program printed on standard output and error. */
static struct text said, err;
static int status, error_file;

static void
die(const char *what)
{
	fprintf(stderr, "cli: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* All that is left to be read; a terminal that all have left gives an error. */
static struct text
all_of(int fd)
{
	struct text t = { NULL, 0 };
	ssize_t n;

	do {
		if (!(t.p = realloc(t.p, t.len + 65537)))
			die("memory");
		if ((n = read(fd, t.p + t.len, 65536)) > 0)
			t.len += (size_t)n;
	} while (n > 0);
	t.p[t.len] = '\0';
	return t;
}

static int
is_same(struct text a, struct text b)
{
	return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/*
 * Runs words, those that are empty left out, with standard input from a file,
 * and output to a file, to us (""), to nowhere at all (NULL); or all three on a
 * terminal, where there is no input.
 */
static void
run(const char *in, const char *to, const char **words)
{
	int fd[2] = { -1, -1 };
	char *argv[16];
	size_t n = 0;
	pid_t pid;

	for (; *words; words++)
		if (**words)
			argv[n++] = (char *)*words;
	argv[n] = NULL;
	if (!in && ((fd[0] = posix_openpt(O_RDWR | O_NOCTTY)) < 0 ||
	    grantpt(fd[0]) || unlockpt(fd[0]) ||
	    (fd[1] = open(ptsname(fd[0]), O_RDWR | O_NOCTTY)) < 0))
		die("pseudo-terminal");
	if (in && (to && !*to ? pipe(fd) : to &&
	    (fd[1] = open(to, O_WRONLY)) < 0))
		die("output");
	if (ftruncate(error_file, 0) || lseek(error_file, 0, SEEK_SET) ||
	    (pid = fork()) < 0)
		die("fork");
	if (!pid) {
		alarm(60);
		if (dup2(in ? open(in, O_RDONLY) : fd[1], 0) < 0 ||
		    (to ? dup2(fd[1], 1) < 0 : close(1)) ||
		    dup2(in ? error_file : fd[1], 2) < 0)
			_exit(126);
		for (int i = 3; i < 32; i++)
			close(i);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fd[1]);
	free(said.p);
	free(err.p);
	said = all_of(fd[0]);
	close(fd[0]);
	waitpid(pid, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
	lseek(error_file, 0, SEEK_SET);
	err = all_of(error_file);
}

/* Where standard error says this. */
static const char *
told(const char *format, ...)
{
	char words[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof words, format, ap);
	va_end(ap);
	return strstr(err.p, words);
}

static int
fed(struct tool *t)
{
	RUN(NOTHING, "", t->first, t->in);
	t->out = said;
	said = (struct text){ NULL, 0 };
	return *t->in && !status && t->out.len;
}

static int
full_disk(struct tool *t)
{
	RUN(NOTHING, FULL, t->first, t->in);
	return status == 4 && told("%s: cannot write standard output: ",
	    t->name);
}

static int
full_disk_help(struct tool *t)
{
	RUN(NOTHING, FULL, "--help");
	if (status == 4)
		RUN(NOTHING, FULL, "--version");
	return status == 4;
}

static int
closed(struct tool *t)
{
	RUN(NOTHING, NULL, t->first, t->in);
	return status == 4;
}

/* Whether these words refuse an option, before anything was written. */
static int
refuses(const struct tool *t, const char *words, const char *option)
{
	return status == 2 && !said.len &&
	    told("%s: %s '%s'", t->name, words, option) == err.p;
}

static int
unknown_option(struct tool *t)
{
	const char *const options[] = { "--nonsense", "-Z" };
	int good = 1;

	for (size_t i = 0; good && i < 2; i++) {
		RUN(NOTHING, "", options[i]);
		good = refuses(t, "unknown option", options[i]) &&
		    told("usage: %s ", t->name);
	}
	return good;
}

/* The last option of the help that takes an argument. */
static int
missing_argument(struct tool *t)
{
	char option[64] = "";

	for (const char *p = t->help.p, *q; (p = strchr(p, '=')); p++) {
		for (q = p; q > t->help.p && (q[-1] == '-' ||
		    islower((unsigned char)q[-1])); q--)
			continue;
		if (isupper((unsigned char)p[1]) && !strncmp(q, "--", 2))
			snprintf(option, sizeof option, "%.*s", (int)(p - q),
			    q);
	}
	RUN(NOTHING, "", option);
	return refuses(t, "an argument is missing after", option);
}

static int
terminal(struct tool *t)
{
	RUN(NULL, "", t->first);
	return status == 2 && strstr(said.p, "standard input is a terminal") &&
	    strstr(said.p, "for example: ");
}

static int
dashes(struct tool *t)
{
	struct text want;
	int good;

	RUN(t->in, "", t->first);
	want = said;
	said.p = NULL;
	RUN(t->in, "", t->first, "-");
	good = want.len && is_same(said, want);
	if (good)
		RUN(t->in, "", "--", t->first, "-");
	good = good && is_same(said, want);
	free(want.p);
	return good;
}

static int
absent_file(struct tool *t)
{
	/* two files at most, or one; no history is one without runs */
	if (strstr("tp-compare tp-track tp-history tp-redact", t->name))
		return 1;
	RUN(NOTHING, "", t->first, "nowhere.csv", t->in);
	return status == 4 && said.len && told("nowhere.csv") &&
	    told("No such file or directory");
}

static int
same_again(struct tool *t)
{
	RUN(NOTHING, "", t->first, t->in);
	return !status && is_same(said, t->out);
}

static int
any_locale(struct tool *t)
{
	const char *const names[] = { "de_DE.UTF-8", "tr_TR.UTF-8",
	    "C.UTF-8", "C" };
	int good = 1;

	for (size_t i = 0; i < 4; i++) {
		setenv("LC_ALL", names[i], 1);
		setenv("LANG", names[i], 1);
		good = good && same_again(t);
	}
	return good;
}

/* Nothing is left beside it: rmdir() takes an empty folder alone. */
static int
whole_output(struct tool *t)
{
	struct text got;
	int fd, good;

	RUN(NOTHING, "", "--output", output, t->first, t->in);
	if ((fd = open(output, O_RDONLY)) < 0)
		return 0;
	got = all_of(fd);
	close(fd);
	unlink(output);
	good = !status && !said.len && is_same(got, t->out) && !rmdir(dir) &&
	    !mkdir(dir, 0700);
	free(got.p);
	return good;
}

static int
wrong_limit(struct tool *t)
{
	setenv("TP_MAX_LINE", "x", 1);
	RUN(NOTHING, "", "");
	unsetenv("TP_MAX_LINE");
	return status == 2 && told("%s: TP_MAX_LINE takes a size such as "
	    "16KiB, not 'x'\n", t->name) == err.p;
}

static const struct {
	const char *name, *needs;
	int (*holds)(struct tool *t);
	int filters;
} tests[] = {
	{ "tests/cli.tsv feeds every filter", "", fed, 1 },
	{ "a full disk is reported, not swallowed", FULL, full_disk, 1 },
	{ "a full disk is reported by --help and --version too", FULL,
	    full_disk_help, 0 },
	{ "a standard output that is closed is an error", "", closed, 1 },
	{ "an unknown option is a usage error that shows the usage", "",
	    unknown_option, 0 },
	{ "an option without its argument is a usage error", "",
	    missing_argument, 0 },
	{ "on a terminal without input it says what to feed it", "/dev/ptmx",
	    terminal, 1 },
	{ "'-' is standard input, '--' ends the options", "", dashes, 1 },
	{ "a file that is not there is told, the others are read", "",
	    absent_file, 1 },
	{ "the same input gives the same bytes", "", same_again, 1 },
	{ "the locale changes nothing", "", any_locale, 1 },
	{ "--output appears whole or not at all", "", whole_output, 1 },
	{ "a limit that the environment sets wrongly is told by its name", "",
	    wrong_limit, 1 },
};

/* Adds a program of tools/; what it reads is told by tests/cli.tsv. */
static void
add(const char *path)
{
	struct tool *t = &tools[count];

	snprintf(t->name, sizeof t->name, "%.*s", (int)strcspn(path, ". \n"),
	    path);
	RUN(NOTHING, "", "--help=all");
	t->help = said;
	said.p = NULL;
	t->is_filter = !strstr(path, ".sh") && strcmp(t->name, "tp-put") &&
	    strcmp(t->name, "tp-manifest");
	if (!strcmp(t->name, "tp-xlsx")) {
		RUN(NOTHING, "", "--check");
		t->is_filter = !status;
	}
	if (++count == sizeof tools / sizeof *tools)
		die("too many tools");
}

/* A line of tests/cli.tsv: FILE, what stands before it, filters. */
static void
feed(const char *cases, const char *line)
{
	char in[128], first[128], name[32];
	int n;

	if (*line == '#' || sscanf(line, "%127s %127s%n", in, first, &n) != 2)
		return;
	for (line += n; sscanf(line, "%31s%n", name, &n) == 1; line += n) {
		for (size_t i = 0; i < count; i++) {
			struct tool *t = &tools[i];

			if (strcmp(t->name, name))
				continue;
			snprintf(t->in, sizeof t->in, "%s/%s", cases, in);
			if (strchr(first, '/'))
				snprintf(t->first, sizeof t->first, "%s/%s",
				    cases, first);
			else if (strcmp(first, "-"))
				strcpy(t->first, first);
		}
	}
}

/* Whether all that it is asked of hold it; prints so, and which do not. */
static int
prove(size_t test)
{
	const char *words;
	int good = 1;

	if (*tests[test].needs && access(tests[test].needs, F_OK)) {
		printf("ok cli: %s # skip no %s\n", tests[test].name,
		    tests[test].needs);
		return 1;
	}
	for (struct tool *t = tools; t < tools + count; t++) {
		if ((tests[test].filters && !t->is_filter) ||
		    tests[test].holds(t))
			continue;
		if (good)
			printf("not ok cli: %s\n", tests[test].name);
		good = 0;
		words = err.len || !said.p ? err.p : said.p;
		printf("# %s: status %d: %.*s\n", t->name, status,
		    (int)strcspn(words, "\n"), words);
	}
	if (good)
		printf("ok cli: %s\n", tests[test].name);
	fflush(stdout);
	return good;
}

int
main(int argc, char **argv)
{
	static const char *const ours[] = { "NO_COLOR", "TP_BLOCK",
	    "TP_INFLATE", "TP_FAIL", "SOURCE_DATE_EPOCH", "TP_MAX_BYTES",
	    "TP_MAX_LINE", "TP_MAX_DEPTH", "TP_MAX_EXPAND", "LANG" };
	char line[1024], cases[128];
	int good = 1;
	glob_t programs;
	FILE *f;

	if (argc != 2) {
		fputs("usage: cli BUILD\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		unsetenv(ours[i]);
	setenv("LC_ALL", "C", 1);
	snprintf(cases, sizeof cases, "%s/cases", argv[1]);
	snprintf(dir, sizeof dir, "%s/cli.XXXXXX", argv[1]);
	if (!mkdtemp(dir))
		die(dir);
	snprintf(output, sizeof output, "%s/err", dir);
	if ((error_file = open(output, O_RDWR | O_CREAT, 0600)) < 0 ||
	    unlink(output))
		die(output);
	snprintf(output, sizeof output, "%s/out", dir);
	if (glob("tools/tp-*", 0, NULL, &programs))
		die("tools");
	for (size_t i = 0; i < programs.gl_pathc; i++)
		add(programs.gl_pathv[i] + strlen("tools/"));
	if (!(f = fopen("tools/links", "r")))
		die("tools/links");
	while (fgets(line, sizeof line, f))
		add(line);
	fclose(f);
	if (!(f = fopen("tests/cli.tsv", "r")))
		die("tests/cli.tsv");
	while (fgets(line, sizeof line, f))
		feed(cases, line);
	fclose(f);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		good &= prove(i);
	rmdir(dir);
	return !good;
}
