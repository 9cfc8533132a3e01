/* test_confine - what a filter may do once it has begun, and what not */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tp/tool.h>

#include "confine.h"

static const char *journal, *left = "";
static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "left", 0, "FILE", "is read", &left },
	{ TP_OPT_OUT, "journal", 0, "FILE", "is written", &journal },
	{ 0 }
};
static const struct tp_tool tool = {
	.name = "test",
	.does = "nothing",
	.operands = "[FILE...]",
	.reads = "records",
	.flags = TP_TOOL_RECORDS,
	.options = options,
};

static int failed;

static void
ok(int condition, const char *what)
{
	printf("%s confine: %s\n", condition ? "ok" : "not ok", what);
	failed |= !condition;
}

/* A call that is REFUSED has returned -1, and why. */
static void
refused(long rc, const char *what)
{
	int why = errno;

	if (rc >= 0 || (why != EPERM && why != EACCES))
		printf("# it gave %ld, %s\n", rc, strerror(why));
	ok(rc < 0 && (why == EPERM || why == EACCES), what);
}

static void
put(const char *name)
{
	FILE *f = fopen(name, "w");

	if (f)
		fclose(f);
}

static void *
nothing(void *arg)
{
	return arg;
}

static void
do_all(void)
{
	static char *const words[] = { NULL };
	pthread_t thread;
	void *memory;

	ok(open("given", O_RDONLY) >= 0, "an operand is read");
	ok(open("option", O_RDONLY) >= 0, "the file of an option is read");
	ok(open("../confine/given", O_RDONLY) >= 0,
	    "an operand is read by another name");
	refused(open("given", O_RDWR), "an operand is not written");
	refused(open("other", O_RDONLY), "another file is not read");
	refused(open("/etc/passwd", O_RDONLY), "nor one of the system");
	refused(open("fresh", O_WRONLY | O_CREAT, 0600),
	    "no file is made");
	refused(unlink("other"), "none is removed");
	refused(rename("other", "fresh"), "none is renamed");
	refused(mkdir("folder", 0700), "no folder is made");
	refused(symlink("other", "link"), "no link is made");
	refused(link("other", "link"), "no second name either");
	refused(chmod("given", 0777), "no mode is changed");
	refused(execv("/bin/true", words), "no program is started");
	refused(fexecve(open("given", O_RDONLY), words, words),
	    "none that is open");
	refused(fork(), "there is no other process");
	refused(socket(AF_INET, SOCK_STREAM, 0), "there is no socket");
	refused(socket(AF_UNIX, SOCK_STREAM, 0), "of this machine either");
	refused(kill(getppid(), SIGTERM), "no other process is signalled");
	refused(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL), "or traced");
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
	    MAP_ANONYMOUS, -1, 0);
	ok(memory != MAP_FAILED, "there is memory");
	refused(mprotect(memory, 4096, PROT_READ | PROT_EXEC),
	    "it is not executed");
	ok(!pthread_create(&thread, NULL, nothing, NULL) &&
	    !pthread_join(thread, NULL), "there are threads");
	ok(tmpfile() == NULL, "no temporary file is made");
}

static void
write_out(void)
{
	int fd;

	ok(rename("journal.old", "journal") == 0, "an output is replaced");
	fd = open("journal", O_WRONLY | O_APPEND);
	ok(fd >= 0 && write(fd, "x", 1) == 1, "and added to");
	refused(open("../beside", O_WRONLY | O_CREAT, 0600),
	    "nothing is made in another folder");
	refused(socket(AF_INET, SOCK_STREAM, 0),
	    "who writes has no socket either");
}

/* As a filter with WORDS does it, in a process of its own; whether that was
 * well. */
static void
as_filter(char **words, void (*work)(void))
{
	struct tp_run run;
	int n = 0, status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		while (words[n])
			n++;
		optind = 1;
		tp_begin(&run, &tool, n, words);
		work();
		fflush(stdout);
		_exit(failed);
	}
	ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    !WEXITSTATUS(status), "a filter ended itself");
}

static void
open_another(void)
{
	ok(open("other", O_RDWR) >= 0 && open("fresh", O_WRONLY | O_CREAT,
	    0600) >= 0 && socket(AF_UNIX, SOCK_STREAM, 0) >= 0,
	    "TP_CONFINE=0 leaves all as it is");
}

static void
open_any(void)
{
	ok(open("other", O_RDONLY) >= 0, "a link in a folder leads out of it");
	refused(open("other", O_RDWR), "to what is not written");
}

/* What this system can hold to. */
static int
probe(void)
{
	struct tp_confine c;
	int status;
	pid_t pid = fork();

	if (!pid) {
		tp_confine_init(&c, 1);
		_exit(tp_confine_apply(&c));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ?
	    WEXITSTATUS(status) : 0;
}

int
main(void)
{
	static char name[] = "test", given[] = "given", folder[] = "folder",
	    left_is[] = "--left=option", journal_is[] = "--journal=journal";
	static const char *const made[] = { "given", "option", "other",
	    "journal", "folder", "fresh" };
	char base[] = "/tmp/tp-confine-XXXXXX";

#ifdef TP_NO_CONFINE
	printf("ok confine # SKIP a sanitizer needs what is refused\n");
	return 0;
#endif
	if (probe() != (TP_CONFINED_FILES | TP_CONFINED_CALLS)) {
		printf("ok confine # SKIP this system has no Landlock, or no "
		    "filter of calls\n");
		return 0;
	}
	if (!mkdtemp(base) || chdir(base) || mkdir("confine", 0700) ||
	    chdir("confine")) {
		ok(0, "there is a folder for it");
		return 1;
	}
	put("given");
	put("option");
	put("other");
	put("journal.old");
	unsetenv("TP_CONFINE");
	as_filter((char *[]){ name, left_is, given, NULL }, do_all);
	as_filter((char *[]){ name, journal_is, given, NULL }, write_out);
	mkdir("folder", 0700);
	as_filter((char *[]){ name, folder, NULL }, open_any);
	setenv("TP_CONFINE", "0", 1);
	as_filter((char *[]){ name, given, NULL }, open_another);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		remove(made[i]);
	ok(!chdir("..") && !rmdir("confine") && !chdir("/") && !rmdir(base),
	    "nothing else was made");
	return failed;
}
