/*
 * link - links to the files that a report reads, under fixed names
 *
 * A folder gets a link NAME for each file, and in the folder of its role a
 * file ROLE/NAME (a stamp) that says which file it was and when that last
 * changed.  make compares the times of the stamps, which are rewritten only
 * when their contents change.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/os.h>
#include <tp/read/capture_folder.h>
#include <tp/share.h>

#include "look_parts.h"

struct linking {
	struct tp_look *look;
	const char *dir;
	int fd;				/* descriptor of DIR */
	struct tp_names links, targets;	/* wanted links and their targets, by
					 * the same index */
	struct tp_names stamps, said;	/* stamps "ROLE/NAME" or "NAME", and
					 * their distinct texts */
	size_t *said_at;		/* by index of stamps: index in said */
	size_t said_cap;
	struct tp_err *err;
};

static int
fail(struct linking *l, const char *what, const char *name)
{
	return tp_fail(l->err, TP_IO, "output.failed", 0,
	    "cannot %s '%.200s/%.100s': %s", what, l->dir, name,
	    strerror(errno));
}

static void
want_link(struct linking *l, const char *name, const char *target)
{
	size_t had = l->links.count;
	char numbered[PATH_MAX + 24];

	tp_names_add(&l->links, name, strlen(name));
	if (l->links.count == had)
		return;	/* the target has a link already */
	/* two links may have one target: number the second */
	snprintf(numbered, sizeof numbered, "%zu:%s", had, target);
	tp_names_add(&l->targets, numbered, strlen(numbered));
}

static void
want_stamp(struct linking *l, const char *name, const char *text)
{
	ptrdiff_t at;
	size_t had = l->stamps.count;

	tp_names_add(&l->stamps, name, strlen(name));
	at = tp_names_add(&l->said, text, strlen(text));
	if (l->stamps.count == had)
		return;
	tp_grow(&l->said_at, &l->said_cap, had + 1, sizeof *l->said_at);
	l->said_at[had] = (size_t)at;
}

/*
 * Make the absolute target of a link to F: FOLDER/./PLACE if people need the
 * place to tell it from others.  Returns 0, or -1 with errno.
 */
static int
target_of(const struct tp_look *look, const struct tp_look_file *f,
    int needs_place, char target[PATH_MAX])
{
	const char *given = look->operands[f->operand];
	char folder[PATH_MAX], parent[PATH_MAX];
	size_t len = strlen(given), n;
	int is_file;

	while (len > 1 && given[len - 1] == '/')
		len--;
	is_file = !f->path[len];
	if (snprintf(folder, sizeof folder, "%.*s", (int)len, given) >=
	    (int)sizeof folder)
		goto too_long;
	if (is_file) {
		/* resolve the folder only: links to the file itself are kept */
		char *slash = strrchr(folder, '/');

		if (!slash)
			strcpy(folder, ".");
		else
			slash[slash == folder] = '\0';
	}
	if (tp_os_real_path(folder, parent) < 0)
		return -1;
	n = strcmp(parent, "/") ? strlen(parent) : 0;
	if (!needs_place || !n) {
		if (snprintf(target, PATH_MAX, "%.*s/%s", (int)n, parent,
		    f->path + f->place) >= PATH_MAX)
			goto too_long;
		return 0;
	}
	if (f->whole_place && !is_file) {
		if (snprintf(target, PATH_MAX, "%s/./%s", parent,
		    f->path + f->place) >= PATH_MAX)
			goto too_long;
		return 0;
	}
	while (n && parent[n - 1] != '/')
		n--;
	if (snprintf(target, PATH_MAX, "%.*s./%s/%s", (int)n, parent,
	    parent + n, f->path + f->place) >= PATH_MAX)
		goto too_long;
	return 0;
too_long:
	errno = ENAMETOOLONG;
	return -1;
}

static int
want_file(struct linking *l, const struct tp_look_file *f)
{
	char target[PATH_MAX], name[160], said[PATH_MAX + 256];

	if (target_of(l->look, f, f->is_twin || f->whole_place, target) < 0)
		return fail(l, "link", f->link);
	snprintf(name, sizeof name, "%s/%s", f->role, f->link);
	snprintf(said, sizeof said, "%s\n%llu %llu %lld %lld.%09ld "
	    "%lld.%09ld\n", target, (unsigned long long)f->dev,
	    (unsigned long long)f->ino,
	    (long long)f->bytes, (long long)f->mtime.tv_sec,
	    (long)f->mtime.tv_nsec, (long long)f->ctime.tv_sec,
	    (long)f->ctime.tv_nsec);
	want_link(l, f->link, target);
	want_stamp(l, name, said);
	return 0;
}

/*
 * Want links and stamps for experiment I, whose rows are some of those of a
 * file: each has a link of its own to it.
 */
static int
want_rows(struct linking *l, size_t i)
{
	const struct tp_look_experiment *x = &l->look->experiments[i];
	struct tp_look_file f = *x->file;
	const char *end = strchr(x->file->link, '_');
	char name[64], role[64];

	snprintf(name, sizeof name, "of-%03zu", i + 1);
	want_stamp(l, name, x->of);
	if (!f.role || !end)
		return 0;	/* a second table of this experiment */
	snprintf(f.link, sizeof f.link, "run-%03zu%s", i + 1, end);
	snprintf(role, sizeof role, "%.*s-%03zu",
	    (int)strcspn(f.role, "-"), f.role, i + 1);
	f.role = role;
	return want_file(l, &f);
}

/* Want a link to the given folder, for tools that read it as a whole. */
static int
want_folder(struct linking *l, const char *name)
{
	char real[PATH_MAX];
	struct stat st;

	if (l->look->trace_count != 1 ||
	    stat(l->look->operands[0], &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	if (tp_os_real_path(l->look->operands[0], real) < 0)
		return fail(l, "link", name);
	want_link(l, name, real);
	return 0;
}

/* Whether a capture would be found by its name in a folder. */
static int
is_capture(const struct tp_look_file *f)
{
	return tp_look_is_role(f, "trace") &&
	    tp_capture_is_file(tp_base(f->path));
}

static int
want_all(struct linking *l)
{
	const struct tp_look *look = l->look;
	const char *share = tp_share_dir(l->err);
	char name[64], real[PATH_MAX];
	int rc = 0, captured = 0;

	/*
	 * make splits file names at blanks: link to SHARE, whose path may have
	 * some
	 */
	if (!share)
		return -1;
	if (tp_os_real_path(share, real) < 0)
		return fail(l, "link", "share");
	want_link(l, "share", real);
	for (size_t i = 0; !rc && i < look->count; i++) {
		captured |= is_capture(&look->files[i]);
		if (look->files[i].role && *look->files[i].link)
			rc = want_file(l, &look->files[i]);
	}
	for (size_t i = 0; !rc && i < look->experiment_count; i++) {
		snprintf(name, sizeof name, "name-%03zu", i + 1);
		want_stamp(l, name, look->experiments[i].name);
		if (look->experiments[i].of)
			rc = want_rows(l, i);
	}
	if (!rc && look->source == TP_LOOK_EXECUTORCH)
		rc = want_folder(l, "folder");
	if (!rc && look->source == TP_LOOK_JAX && captured && !look->captures)
		rc = want_folder(l, "jax");
	return rc;
}

/* Whether NAME has the form of a role: lowercase letters, digits and '-'. */
static int
is_role(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] ==
	    '\0';
}

static int
is_wanted(const struct tp_names *names, const char *name)
{
	return tp_names_find(names, name, strlen(name)) >= 0;
}

static int
not_ours(struct linking *l, const char *name)
{
	return tp_fail(l->err, TP_IO, "output.failed", 0, "'%.200s' holds "
	    "'%.100s', which is no link of this program; choose another "
	    "folder with -o", l->dir, name);
}

/*
 * Whether the plain file NAME is a stamp: it begins with an absolute path, or
 * is empty after the disk was full.
 */
static int
is_stamp(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	char first = '/';
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, &first, 1);
	close(fd);
	return n >= 0 && first == '/';
}

static int sweep(struct linking *l, int fd, const char *role);

/*
 * Remove NAME in the folder FD of ROLE ("" is DIR itself) if it is a link or
 * stamp that is no longer wanted.
 */
static int
sweep_one(struct linking *l, int fd, const char *role, const char *name)
{
	/* files about the inputs, and what the tool writes itself */
	static const char *const kept[] = { "input.jsonl", "lost.jsonl",
	    "made-by", "asked", "meta.jsonl", "records.jsonl" };
	/* stamps of options that an earlier version wrote */
	static const char *const old[] = { "label", "meta", "scope", "repo",
	    "platform", "replay" };
	char place[320];
	struct stat st;
	int inner, rc;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(l, "look at", name);
	snprintf(place, sizeof place, "%s%s%s", role, *role ? "/" : "", name);
	if (S_ISLNK(st.st_mode) && !*role) {
		if (is_wanted(&l->links, name))
			return 0;
		return unlinkat(fd, name, 0) < 0 ? fail(l, "remove", name) : 0;
	}
	if (S_ISREG(st.st_mode)) {
		for (size_t i = 0; !*role && i < sizeof kept / sizeof *kept;
		    i++)
			if (!strcmp(name, kept[i]))
				return 0;
		if (is_wanted(&l->stamps, place))
			return 0;
		rc = *role ? is_stamp(fd, name) :
		    !strncmp(name, "name-", 5) || !strncmp(name, "of-", 3);
		for (size_t i = 0; i < sizeof old / sizeof *old; i++)
			rc |= !strcmp(name, old[i]);
		if (!rc)
			return not_ours(l, name);
		return unlinkat(fd, name, 0) < 0 ? fail(l, "remove", name) : 0;
	}
	if (!S_ISDIR(st.st_mode) || *role || !is_role(name))
		return not_ours(l, name);
	inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (inner < 0)
		return fail(l, "open", name);
	rc = sweep(l, inner, name);
	/* remove the folder if it is empty now */
	if (!rc && unlinkat(fd, name, AT_REMOVEDIR) < 0 &&
	    errno != ENOTEMPTY && errno != EEXIST)
		rc = fail(l, "remove", name);
	return rc;
}

/* Sweep the folder FD and close it. */
static int
sweep(struct linking *l, int fd, const char *role)
{
	DIR *dir = fdopendir(fd);
	struct tp_names names = { 0 };
	const struct dirent *e;
	int rc = 0;

	if (!dir) {
		rc = fail(l, "open", role);
		close(fd);
		return rc;
	}
	while (!rc && (e = readdir(dir)))
		if (*e->d_name != '.')
			tp_names_add(&names, e->d_name, strlen(e->d_name));
	for (size_t i = 0; !rc && i < names.count; i++)
		rc = sweep_one(l, dirfd(dir), role, names.names[i].text);
	closedir(dir);
	tp_names_release(&names);
	return rc;
}

static int
put_link(struct linking *l, size_t i)
{
	const char *name = l->links.names[i].text;
	const char *target = strchr(l->targets.names[i].text, ':') + 1;
	char now[PATH_MAX];
	ssize_t n = readlinkat(l->fd, name, now, sizeof now);

	if (n >= 0 && (size_t)n == strlen(target) &&
	    !memcmp(now, target, (size_t)n))
		return 0;
	if ((n >= 0 && unlinkat(l->fd, name, 0) < 0) ||
	    symlinkat(target, l->fd, name) < 0)
		return fail(l, "link", name);
	return 0;
}

/* Whether the plain file NAME contains exactly TEXT. */
static int
says(int dir, const char *name, const char *text, size_t len)
{
	char now[PATH_MAX + 512];
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, now, sizeof now);
	close(fd);
	return n >= 0 && (size_t)n == len && !memcmp(now, text, len);
}

static int
put_stamp(struct linking *l, size_t i)
{
	const char *name = l->stamps.names[i].text;
	const struct tp_name *said = &l->said.names[l->said_at[i]];
	const char *slash = strchr(name, '/');
	size_t done = 0;
	ssize_t n;
	char role[64];
	int fd, bad;

	if (slash) {
		snprintf(role, sizeof role, "%.*s", (int)(slash - name), name);
		if (mkdirat(l->fd, role, 0777) < 0 && errno != EEXIST)
			return fail(l, "make", role);
	}
	if (says(l->fd, name, said->text, said->len))
		return 0;
	/* a torn write differs, so the next run rewrites it */
	if (unlinkat(l->fd, name, 0) < 0 && errno != ENOENT)
		return fail(l, "remove", name);
	fd = openat(l->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(l, "write", name);
	while (done < said->len && ((n = write(fd, said->text + done,
	    said->len - done)) > 0 || (n < 0 && errno == EINTR)))
		done += n > 0 ? (size_t)n : 0;
	bad = done < said->len ? fail(l, "write", name) : 0;
	if (close(fd) < 0 && !bad)
		bad = fail(l, "write", name);
	if (bad)
		unlinkat(l->fd, name, 0);
	return bad;
}

int
tp_look_link(struct tp_look *look, const char *dir, struct tp_err *err)
{
	struct linking l = { .look = look, .dir = dir, .err = err };
	int rc;

	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return tp_fail(err, TP_IO, "output.failed", 0,
		    "cannot make the folder '%.200s': %s", dir,
		    strerror(errno));
	l.fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l.fd < 0)
		return tp_fail(err, TP_IO, "output.failed", 0,
		    "cannot enter the folder '%.200s': %s", dir,
		    errno == ELOOP || errno == ENOTDIR ? "it is a link" :
		    strerror(errno));
	rc = want_all(&l);
	if (!rc) {
		int fd = dup(l.fd);

		rc = fd < 0 ? fail(&l, "open", ".") : sweep(&l, fd, "");
	}
	for (size_t i = 0; !rc && i < l.links.count; i++)
		rc = put_link(&l, i);
	for (size_t i = 0; !rc && i < l.stamps.count; i++)
		rc = put_stamp(&l, i);
	close(l.fd);
	tp_names_release(&l.links);
	tp_names_release(&l.targets);
	tp_names_release(&l.stamps);
	tp_names_release(&l.said);
	tp_free(l.said_at);
	return rc;
}
