/* file - read small files whole; walk a folder */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/file.h>

enum { DEPTH_MAX = 32 };

int
tp_file_drain(int fd, struct tp_buf *buf)
{
	char block[16384];
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) != 0)
		if (n > 0)
			tp_buf_add(buf, block, (size_t)n);
		else if (errno != EINTR)
			return -1;
	return 0;
}

/* errno says why. */
static int
fail_io(const char *what, const char *path, struct tp_err *err)
{
	int why = errno;

	tp_fail(err, TP_IO, "input.failed", 0, "cannot %s '%.200s': %s", what,
	    path, strerror(why));
	errno = why;
	return -1;
}

int
tp_file_read(const char *path, struct tp_buf *buf, struct tp_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return fail_io("open", path, err);
	rc = tp_file_drain(fd, buf);
	if (rc < 0)
		fail_io("read", path, err);
	close(fd);
	if (rc < 0)
		return -1;
	return buf->failed ? tp_fail_memory(err) : 0;
}

struct cJSON *
tp_file_parse(const struct tp_buf *text, const char *name,
    struct tp_err *err)
{
	const char *at = NULL;
	struct cJSON *doc = cJSON_ParseWithLengthOpts(text->p ? text->p : "",
	    text->len, &at, 0);

	/* cJSON does not say why */
	if (!doc && tp_alloc_failed()) {
		tp_fail_memory(err);
	} else if (!doc) {
		uint64_t line = 1;

		for (const char *p = text->p; p && at && p < at; p++)
			line += *p == '\n';
		tp_fail(err, TP_BAD, "input.unknown", line,
		    "%.200s: line %llu is not JSON", name,
		    (unsigned long long)line);
	}
	return doc;
}

struct cJSON *
tp_file_json(const char *path, struct tp_err *err)
{
	struct tp_buf text = { 0 };
	struct cJSON *doc = NULL;

	if (!tp_file_read(path, &text, err))
		doc = tp_file_parse(&text, path, err);
	tp_buf_release(&text);
	return doc;
}

static int look(const struct tp_file_walk *walk, struct tp_buf *path,
    int depth, struct tp_err *err);

/* Visit the file or folder at PATH. */
static int
visit(const struct tp_file_walk *walk, struct tp_buf *path, int depth,
    struct tp_err *err)
{
	struct stat st;
	int rc = walk->exact ? lstat(path->p, &st) : stat(path->p, &st);

	if (rc < 0 && !walk->exact && (errno == ENOENT || errno == ELOOP))
		return 0;	/* it vanished, or is a dangling link */
	if (rc < 0)
		return fail_io("look at", path->p, err);
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
		return look(walk, path, depth + 1, err);
	if (S_ISREG(st.st_mode))
		return walk->file(walk->arg, path->p, err);
	return !walk->exact ? 0 : tp_fail(err, TP_BAD, "input.unknown", 0,
	    "'%.200s' is neither a file nor a folder", path->p);
}

/* Visit everything in the folder PATH, which is extended and restored. */
static int
look(const struct tp_file_walk *walk, struct tp_buf *path, int depth,
    struct tp_err *err)
{
	DIR *dir = opendir(path->p);
	struct dirent *e;
	size_t had = path->len;
	int rc = 0;

	if (!dir)
		return fail_io("open", path->p, err);
	while (!rc && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (e->d_name[0] == '.' && !walk->exact))
			continue;
		tp_buf_fmt(path, "/%s", e->d_name);
		rc = path->failed ? tp_fail_memory(err) :
		    visit(walk, path, depth, err);
		path->len = had;
		path->p[had] = '\0';
	}
	closedir(dir);
	return rc;
}

int
tp_file_visit(const char *folder, const struct tp_file_walk *walk,
    struct tp_err *err)
{
	struct tp_buf path = { 0 };
	int rc;

	tp_buf_str(&path, folder);
	while (path.len > 1 && path.p[path.len - 1] == '/')
		path.p[--path.len] = '\0';
	rc = path.failed ? tp_fail_memory(err) : look(walk, &path, 0, err);
	tp_buf_release(&path);
	return rc;
}
