/* walk - list the given files, and those in given folders */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/buf.h>
#include <tp/file.h>
#include <tp/order.h>
#include <tp/os.h>
#include <tp/text.h>

#include "look_parts.h"

struct walk {
	struct tp_look *look;
	size_t place;		/* offset in a path where the part for people
				 * begins */
	char real[PATH_MAX];	/* resolved path of the given folder, and */
	size_t real_len;
	struct tp_err *err;
};

/* Add a file with PATH. */
static struct tp_look_file *
add_look_file(struct tp_look *look, const char *path, size_t place,
    const struct stat *st)
{
	struct tp_look_file *f;

	tp_grow(&look->files, &look->cap, look->count + 1, sizeof *f);
	f = &look->files[look->count];
	memset(f, 0, sizeof *f);
	f->path = tp_look_text(look, "%s", path);
	f->place = place;
	f->operand = look->operand_count - 1;
	f->recording = TP_LOOK_ANY;
	f->target_pid = -1;
	f->main_process = -1;
	if (st) {
		f->dev = st->st_dev;
		f->ino = st->st_ino;
		f->bytes = S_ISREG(st->st_mode) ? st->st_size : -1;
		tp_os_changed(st, &f->mtime, &f->ctime);
	} else {
		f->bytes = -1;
	}
	look->count++;
	return f;
}

/* Record the entry PATH, which is skipped, and why. */
static void
pass_over(struct walk *w, const char *path, const struct stat *st,
    enum tp_look_state state, const char *code, const char *why)
{
	struct tp_look_file *f = add_look_file(w->look, path, w->place, st);

	tp_look_refuse(w->look, f, state, code, "%s", why);
}

static const char *
kind_of(mode_t mode)
{
	return S_ISFIFO(mode) ? "a pipe, not a file: save what comes from it" :
	    S_ISSOCK(mode) ? "a socket, not a file" :
	    "a device, not a file";
}

/* Whether PATH + TAIL exists as a plain file. */
static int
holds(const char *path, const char *tail)
{
	char whole[PATH_MAX];
	struct stat st;

	return snprintf(whole, sizeof whole, "%s%s", path, tail) <
	    (int)sizeof whole && !lstat(whole, &st) && S_ISREG(st.st_mode);
}

/*
 * Whether to look into the folder PATH: not into what a report is made in, and
 * not into a report folder, where nothing is input.
 */
static int
enter(void *arg, const char *path, const struct stat *st)
{
	const struct walk *w = arg;
	int made = holds(path, "/in/input.jsonl") || holds(path, "/in/label");

	if (made && (holds(path, "/report.md") ||
	    holds(path, "/comparison.md")))
		return 0;
	if (!strcmp(tp_base(path), "in") && strlen(path) > w->place &&
	    (holds(path, "/input.jsonl") || holds(path, "/label")))
		return 0;
	return !w->look->skip || st->st_dev != w->look->skip_dev ||
	    st->st_ino != w->look->skip_ino;
}

/* Visit a link.  Its target is found by itself if it is in the folder. */
static void
take_link(struct walk *w, const char *path, const struct stat *st)
{
	char real[PATH_MAX];

	if (tp_os_real_path(path, real) < 0) {
		pass_over(w, path, st, TP_LOOK_UNUSED, "file.link",
		    "a link to what is not there");
		return;
	}
	if (!strncmp(real, w->real, w->real_len) &&
	    (real[w->real_len] == '/' || !real[w->real_len])) {
		pass_over(w, path, st, TP_LOOK_UNUSED, NULL,
		    "a link within the folder");
		return;
	}
	pass_over(w, path, st, TP_LOOK_UNUSED, "file.link", "a link "
	    "that leaves the folder, not followed: name the file itself");
}

static int
take_other(void *arg, const char *path, const struct stat *st,
    struct tp_err *err)
{
	struct walk *w = arg;

	(void)err;
	if (!st)
		pass_over(w, path, NULL, TP_LOOK_LOST, "input.failed",
		    strerror(errno));
	else if (S_ISLNK(st->st_mode))
		take_link(w, path, st);
	else if (S_ISDIR(st->st_mode))
		pass_over(w, path, st, TP_LOOK_LOST, "input.failed",
		    "folders nest too deep here");
	else
		pass_over(w, path, st, TP_LOOK_UNUSED, "file.special",
		    kind_of(st->st_mode));
	return 0;
}

static int
take_file(void *arg, const char *path, struct tp_err *err)
{
	struct walk *w = arg;
	struct stat st;

	if (lstat(path, &st) < 0)
		return take_other(arg, path, NULL, err);
	add_look_file(w->look, path, w->place, &st);
	return 0;
}

TP_ORDER(by_path, struct tp_look_file, TP_BY(strcmp(a->path, b->path)))

static size_t
base_at(const struct tp_buf *path)
{
	const char *slash = strrchr(path->p, '/');

	return slash && slash[1] ? (size_t)(slash + 1 - path->p) : 0;
}

int
tp_look_add(struct tp_look *look, const char *path, struct tp_err *err)
{
	struct walk w = { .look = look, .err = err };
	const struct tp_file_walk walk = { .file = take_file, .arg = &w,
	    .other = take_other, .enter = enter };
	struct tp_buf given = { 0 };
	size_t first = look->count;
	struct stat st;
	int rc = 0, why = 0;

	if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
		why = errno;
	TP_APPEND(look->operands, look->operand_count, look->operand_cap,
	    tp_look_text(look, "%s", path));
	tp_buf_str(&given, path);
	while (given.len > 1 && given.p[given.len - 1] == '/')
		given.p[--given.len] = '\0';
	if (why) {
		w.place = base_at(&given);
		pass_over(&w, given.p, NULL, TP_LOOK_LOST, "input.failed",
		    strerror(why));
		rc = tp_fail(err, TP_IO, "input.failed", 0,
		    "cannot open '%.200s': %s", path, strerror(why));
	} else if (!strcmp(path, "-")) {
		add_look_file(look, "-", 0, &st);
	} else if (S_ISDIR(st.st_mode)) {
		if (tp_os_real_path(path, w.real) < 0)
			strcpy(w.real, "/");
		w.real_len = strlen(w.real);
		w.real_len -= w.real_len == 1;
		w.place = given.len + (given.p[given.len - 1] != '/');
		rc = tp_file_visit(given.p, &walk, err);
		if (look->count - first > 1)
			qsort(look->files + first, look->count - first,
			    sizeof *look->files, by_path);
	} else if (S_ISREG(st.st_mode)) {
		add_look_file(look, given.p, base_at(&given), &st);
	} else {
		w.place = base_at(&given);
		pass_over(&w, given.p, &st, TP_LOOK_UNUSED, "file.special",
		    kind_of(st.st_mode));
	}
	tp_buf_release(&given);
	return rc;
}
