/* pager - show a page on a terminal through a pager */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tp/tool.h>
#include <tp/tool/pager.h>

#include "tool_parts.h"

/* Exit statuses of a shell that cannot run its command. */
enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

/* Whether NAME is in a folder of PATH. */
static int
is_installed(const char *name)
{
	const char *at = getenv("PATH"), *end;
	char path[PATH_MAX];

	for (; at; at = *end ? end + 1 : NULL) {
		end = at + strcspn(at, ":");
		if (snprintf(path, sizeof path, "%.*s/%s", (int)(end - at), at,
		    name) < (int)sizeof path && end > at &&
		    access(path, X_OK) == 0)
			return 1;
	}
	return 0;
}

/* The pager's shell command, or NULL if none is to be used. */
static const char *
find_pager(void)
{
	const char *pager = getenv("TP_PAGER"), *term = getenv("TERM");

	if (!pager)
		pager = getenv("PAGER");
	/* on a dumb terminal a default pager would only ask for key presses */
	if (!pager && (!term || !*term || !strcmp(term, "dumb")))
		return NULL;
	if (!pager)
		pager = is_installed("less") ? "less" :
		    is_installed("more") ? "more" : "";
	return !*pager || !strcmp(pager, "cat") ? NULL : pager;
}

static const char *pager;
static pid_t pid;
static int to_pager;

/*
 * Child process: waits for the page, then becomes the pager, so that nothing
 * is shown before.
 */
static void
run_pager(const int fds[2])
{
	struct pollfd page = { STDIN_FILENO, POLLIN, 0 };

	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	while (poll(&page, 1, -1) < 0 && errno == EINTR)
		continue;
	if (!(page.revents & POLLIN))
		_exit(0);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(NOT_FOUND);
}

int
tp_pager_begin(struct tp_run *run, struct tp_err *err)
{
	int fds[2];

	pager = isatty(run->out.fd) ? find_pager() : NULL;
	if (!pager)
		return 0;
	if (pipe(fds) < 0 || (pid = fork()) < 0)
		return tp_fail(err, TP_IO, "output.failed", 0,
		    "cannot run the pager '%.200s': %s", pager,
		    strerror(errno));
	if (!pid)
		run_pager(fds);
	close(fds[0]);
	to_pager = fds[1];
	return 1;
}

/* Write as much as the pager accepts. */
static void
feed(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
}

/*
 * Whether signal SIG means that the user left the pager, rather than that it
 * crashed.
 */
static int
is_left(int sig)
{
	return sig == SIGPIPE || sig == SIGINT || sig == SIGTERM ||
	    sig == SIGHUP || sig == SIGQUIT;
}

int
tp_pager_show(struct tp_run *run, const char *text, size_t len,
    struct tp_err *err)
{
	int status;

	if (!pager)
		return 0;
	/* the pager owns the terminal from here on */
	tp_tool_progress_end(run);
	/* ^C is for the pager, and must not end this process before it */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	feed(to_pager, text, len);
	close(to_pager);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return tp_fail(err, TP_IO, "output.failed", 0,
			    "cannot wait for the pager: %s", strerror(errno));
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (WIFEXITED(status) ? WEXITSTATUS(status) != NOT_FOUND &&
	    WEXITSTATUS(status) != CANNOT_RUN : is_left(WTERMSIG(status)))
		return 1;
	tp_warn(run, "cannot run the pager '%s'", pager);
	return 0;
}
