/* fetch - run tp-fetch to get an artifact */
#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tp/file.h>
#include <tp/json.h>
#include <tp/os.h>
#include <tp/tool/fetch.h>

enum { WORDS = 16, CANNOT_RUN = 127 };

/* Find tp-fetch beside this program, else by PATH. */
static void
program(char *path, size_t size)
{
	static const char name[] = "tp-fetch";
	char *slash = NULL;

	if (!tp_os_program(path, size) && (slash = strrchr(path, '/')) &&
	    (size_t)(slash + 1 - path) + sizeof name <= size)
		strcpy(slash + 1, name);
	if (!slash || access(path, X_OK) < 0)
		strcpy(path, name);
}

/* Set WORDS to the command line; the words borrow from WANT and PATH. */
static void
words_of(const struct tp_fetch *want, const char *path, const char **words)
{
	const struct {
		const char *option, *value;
	} all[] = {
		{ "--run-target", want->run_target },
		{ "--artifact", want->artifact }, { "--alias", want->alias },
		{ "--entity", want->entity }, { "--project", want->project },
		{ "--store", want->store },
		{ "--download-root", want->download_root },
	};
	size_t n = 0;

	words[n++] = path;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].value) {
			words[n++] = all[i].option;
			words[n++] = all[i].value;
		}
	words[n] = NULL;
}

int
tp_fetch_run(const struct tp_fetch *want, struct tp_buf *folder,
    struct tp_err *err)
{
	const char *words[WORDS];
	char path[PATH_MAX];
	int fds[2], status;
	pid_t pid;

	program(path, sizeof path);
	words_of(want, path, words);
	if (pipe(fds) < 0 || (pid = fork()) < 0)
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "cannot run tp-fetch: %s", strerror(errno));
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execvp(path, (char *const *)(uintptr_t)words);
		_exit(CANNOT_RUN);
	}
	close(fds[1]);
	tp_file_drain(fds[0], folder);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return tp_fail(err, TP_IO, "input.failed", 0,
			    "cannot wait for tp-fetch: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) == CANNOT_RUN)
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "tp-fetch cannot be run: is it installed?");
	if (WEXITSTATUS(status))
		return WEXITSTATUS(status);
	if (!folder->len)
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "tp-fetch names no folder");
	folder->p[--folder->len] = '\0';	/* drop the newline */
	return 0;
}

struct cJSON *
tp_fetch_about(const char *folder)
{
	struct tp_buf path = { 0 };
	struct tp_err err;
	struct cJSON *doc = NULL;

	tp_buf_fmt(&path, "%s/artifact.json", folder);
	doc = tp_file_json(path.p, &err);
	tp_buf_release(&path);
	if (doc && !tp_json_text(doc, "artifact_ref")) {
		cJSON_Delete(doc);
		doc = NULL;
	}
	return doc;
}
