/*
 * folder - what a run did to the files of a folder
 *
 * Holds what is in them three times: before any run, after a clean one, and
 * after the last.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"

struct file {
	char *path;
	struct content was, clean, now;
	struct stat st;		/* when it was as before */
	bool same;		/* now is was */
};

static struct file files[256];
static size_t n_files;

static void
give_up(const char *what)
{
	perror(what);
	_exit(98);
}

struct content
content_of(int fd)
{
	struct content c = { NULL, 0 };
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) || !(c.p = malloc((size_t)st.st_size + 1)))
		give_up("faults: content");
	while (c.n < (size_t)st.st_size &&
	    (n = pread(fd, c.p + c.n, (size_t)st.st_size - c.n,
	    (off_t)c.n)) > 0)
		c.n += (size_t)n;
	if (n < 0)
		give_up("faults: content");
	c.p[c.n] = 0;
	return c;
}

bool
content_same(const struct content *a, const struct content *b)
{
	return !a->p == !b->p && a->n == b->n &&
	    (!a->n || !memcmp(a->p, b->p, a->n));
}

static struct file *
file_of(const char *path)
{
	size_t i = 0;

	while (i < n_files && strcmp(files[i].path, path))
		i++;
	if (i == n_files) {
		if (i == sizeof files / sizeof *files ||
		    !(files[i].path = strdup(path)))
			give_up("faults: files");
		n_files++;
	}
	return &files[i];
}

/* Times are too coarse for a file that every run writes. */
static bool
untouched(const struct file *f, const struct stat *st)
{
	return f->was.p && f->clean.p == f->was.p &&
	    st->st_ino == f->st.st_ino && st->st_size == f->st.st_size &&
	    st->st_mtim.tv_sec == f->st.st_mtim.tv_sec &&
	    st->st_mtim.tv_nsec == f->st.st_mtim.tv_nsec &&
	    st->st_ctim.tv_sec == f->st.st_ctim.tv_sec &&
	    st->st_ctim.tv_nsec == f->st.st_ctim.tv_nsec;
}

static int
look(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	struct file *f;
	int fd;

	(void)at;
	if (kind != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	f = file_of(path + 2);
	f->same = untouched(f, st);
	if (f->same)
		return 0;
	fd = open(path, O_RDONLY);
	if (fd < 0)
		give_up(path);
	f->now = content_of(fd);
	close(fd);
	return 0;
}

static void
look_round(void)
{
	for (size_t i = 0; i < n_files; i++) {
		files[i].now = (struct content){ NULL, 0 };
		files[i].same = false;
	}
	if (nftw(".", look, 16, FTW_PHYS))
		give_up("faults: folder");
	for (size_t i = 0; i < n_files; i++)
		if (files[i].same)
			files[i].now = files[i].was;
}

/* Make F what it was; a new file, as another name may be the old one. */
static void
put_back(struct file *f)
{
	int fd;

	if (f->now.p && unlink(f->path))
		give_up(f->path);
	if (!f->was.p)
		return;
	fd = creat(f->path, 0666);
	if (fd < 0 || write(fd, f->was.p, f->was.n) != (ssize_t)f->was.n ||
	    fstat(fd, &f->st) || close(fd))
		give_up(f->path);
}

/* Put back what differs, and forget what is. */
static void
all_back(void)
{
	for (size_t i = 0; i < n_files; i++) {
		struct file *f = &files[i];

		if (f->same)
			continue;
		if (!content_same(&f->now, &f->was))
			put_back(f);
		free(f->now.p);
	}
}

void
folder_start(void)
{
	look_round();
	for (size_t i = 0; i < n_files; i++) {
		files[i].was = files[i].now;
		if (stat(files[i].path, &files[i].st))
			give_up(files[i].path);
	}
}

void
folder_clean(void)
{
	look_round();
	for (size_t i = 0; i < n_files; i++) {
		struct file *f = &files[i];

		f->clean = f->now;
		if (!content_same(&f->now, &f->was)) {
			put_back(f);
		} else {
			free(f->now.p);
			f->clean = f->was;
		}
	}
}

const char *
folder_judge(bool *whole)
{
	const char *odd = NULL;

	look_round();
	*whole = true;
	for (size_t i = 0; i < n_files; i++) {
		struct file *f = &files[i];
		bool clean = content_same(&f->now, &f->clean);

		*whole = *whole && clean;
		if (!clean && !content_same(&f->now, &f->was))
			odd = f->path;
	}
	all_back();
	return odd;
}
