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
#include <tp/hash.h>
#include <tp/order.h>

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
	return 0;
}

struct cJSON *
tp_file_parse(const struct tp_buf *text, const char *name,
    struct tp_err *err)
{
	const char *at = NULL;
	struct cJSON *doc = cJSON_ParseWithLengthOpts(text->p ? text->p : "",
	    text->len, &at, 0);

	/* cJSON does not say why */
	if (!doc) {
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

/* A walk under way. */
struct visit {
	const struct tp_file_walk *walk;
	struct tp_buf path;	/* of the entry under way */
	struct tp_ids folders;	/* device and inode of those visited */
	struct tp_err *err;
};

struct entry {
	char *name;
	struct stat st;		/* of itself; only if */
	int why;		/* ... this is 0, or else errno */
};

static int
is_link(const struct entry *e)
{
	return !e->why && S_ISLNK(e->st.st_mode);
}

TP_ORDER(by_name, struct entry, TP_BY(is_link(a) - is_link(b))
    TP_BY(strcmp(a->name, b->name)))

static int look(struct visit *v, const struct stat *st, int depth);

/* What is no file of the walk, ST, or WHY it cannot be known. */
static int
odd(struct visit *v, const struct stat *st, int why)
{
	const struct tp_file_walk *w = v->walk;

	errno = why;
	if (w->other)
		return w->other(w->arg, v->path.p, st, v->err);
	/* it vanished, or is a dangling link */
	return st || why == ENOENT || why == ELOOP ? 0 :
	    fail_io("look at", v->path.p, v->err);
}

/* Visit the entry E at the path. */
static int
visit(struct visit *v, const struct entry *e, int depth)
{
	struct stat st = e->st;

	if (e->why)
		return odd(v, NULL, e->why);
	if (S_ISLNK(st.st_mode) && (v->walk->other ||
	    stat(v->path.p, &st) < 0))
		return odd(v, v->walk->other ? &e->st : NULL, errno);
	if (S_ISREG(st.st_mode))
		return v->walk->file(v->walk->arg, v->path.p, v->err);
	return S_ISDIR(st.st_mode) && depth < TP_FILE_DEPTH ?
	    look(v, &st, depth + 1) : odd(v, &st, 0);
}

/* Add the entry called NAME of the folder at the path, open at FD. */
static void
add_dir_entry(struct visit *v, struct entry **list, size_t *count, size_t *cap,
    int fd, const char *name)
{
	struct entry *e;

	if (!strcmp(name, ".") || !strcmp(name, "..") ||
	    (*name == '.' && !v->walk->hidden))
		return;
	e = TP_PUSH(*list, *count, *cap);
	e->name = tp_dup(name);
	e->why = fstatat(fd, name, &e->st, AT_SYMLINK_NOFOLLOW) ? errno : 0;
}

/* List the folder at the path: 1, 0 when it cannot be read, -1 with ERR. */
static int
list(struct visit *v, struct entry **all, size_t *count)
{
	DIR *dir = opendir(v->path.p);
	const struct dirent *e;
	size_t cap = 0;
	int rc = 1, why;

	if (!dir && !v->walk->other)
		return fail_io("open", v->path.p, v->err);
	if (!dir)
		return odd(v, NULL, errno);
	while (rc > 0 && (errno = 0, e = readdir(dir)))
		add_dir_entry(v, all, count, &cap, dirfd(dir), e->d_name);
	why = errno;
	closedir(dir);
	if (rc > 0 && why)
		rc = odd(v, NULL, why);
	TP_SORT(*all, *count, by_name);
	return rc;
}

/* Visit everything in the folder at the path, ST. */
static int
look(struct visit *v, const struct stat *st, int depth)
{
	const struct tp_file_walk *w = v->walk;
	struct entry *all = NULL;
	size_t count = 0, had = v->path.len, seen = v->folders.count;
	int rc;

	tp_ids_add(&v->folders, (uint64_t)st->st_dev, (uint64_t)st->st_ino);
	if (v->folders.count == seen ||
	    (w->enter && !w->enter(w->arg, v->path.p, st)))
		return 0;
	rc = list(v, &all, &count) < 0 ? -1 : 0;
	for (size_t i = 0; i < count; i++) {
		if (!rc) {
			tp_buf_fmt(&v->path, "%s%s",
			    v->path.p[had - 1] == '/' ? "" : "/",
			    all[i].name);
			rc = visit(v, &all[i], depth);
			v->path.len = had;
			v->path.p[had] = '\0';
		}
		tp_free(all[i].name);
	}
	tp_free(all);
	return rc;
}

int
tp_file_visit(const char *folder, const struct tp_file_walk *walk,
    struct tp_err *err)
{
	struct visit v = { .walk = walk, .err = err };
	struct stat st;
	int rc;

	tp_buf_str(&v.path, folder);
	while (v.path.len > 1 && v.path.p[v.path.len - 1] == '/')
		v.path.p[--v.path.len] = '\0';
	rc = stat(v.path.p, &st) < 0 ? fail_io("open", v.path.p, err) : look(&v,
	    &st, 0);
	tp_buf_release(&v.path);
	tp_ids_release(&v.folders);
	return rc;
}
