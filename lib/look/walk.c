/* walk - list the given files, and those in given folders */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/buf.h>
#include <tp/order.h>
#include <tp/os.h>

#include "private.h"

struct walk {
	struct tp_look *look;
	struct tp_buf path;	/* of the entry under way */
	size_t place;		/* offset in path where the part for people
				 * begins */
	char real[PATH_MAX];	/* resolved path of the given folder, and */
	size_t real_len;
	struct tp_err *err;
};

/* Add a file with PATH; NULL without memory. */
static struct tp_look_file *
add(struct tp_look *look, const char *path, size_t place,
    const struct stat *st)
{
	struct tp_look_file *f;

	if (tp_grow(&look->files, &look->cap, look->count + 1, sizeof *f) < 0)
		return NULL;
	f = &look->files[look->count];
	memset(f, 0, sizeof *f);
	f->path = tp_look_text(look, "%s", path);
	f->place = place;
	f->operand = look->operand_count - 1;
	f->recording = TP_LOOK_ANY;
	f->target_pid = -1;
	f->main_process = -1;
	if (!f->path)
		return NULL;
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

/* Record an entry that is skipped, and why. */
static int
pass_over(struct walk *w, const struct stat *st, enum tp_look_state state,
    const char *code, const char *why)
{
	struct tp_look_file *f = add(w->look, w->path.p, w->place, st);

	if (!f || tp_look_refuse(w->look, f, state, code, "%s", why) < 0)
		return tp_fail_memory(w->err);
	return 0;
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
holds(struct walk *w, const char *tail)
{
	size_t had = w->path.len;
	struct stat st;
	int is;

	tp_buf_str(&w->path, tail);
	is = !w->path.failed && !lstat(w->path.p, &st) &&
	    S_ISREG(st.st_mode);
	w->path.len = had;
	w->path.p[had] = '\0';
	return is;
}

/* Whether PATH is a report folder of tp-trace: nothing in it is input. */
static int
is_ours(struct walk *w)
{
	return (holds(w, "/in/input.jsonl") || holds(w, "/in/label")) &&
	    (holds(w, "/report.md") || holds(w, "/comparison.md"));
}

/* Visit a link.  Its target is found by itself if it is in the folder. */
static int
visit_link(struct walk *w, const struct stat *st)
{
	char real[PATH_MAX];

	if (tp_os_real_path(w->path.p, real) < 0)
		return pass_over(w, st, TP_LOOK_UNUSED, "file.link",
		    "a link to what is not there");
	if (!strncmp(real, w->real, w->real_len) &&
	    (real[w->real_len] == '/' || !real[w->real_len]))
		return pass_over(w, st, TP_LOOK_UNUSED, NULL,
		    "a link within the folder");
	return pass_over(w, st, TP_LOOK_UNUSED, "file.link", "a link that "
	    "leaves the folder, not followed: name the file itself");
}

static int folder(struct walk *w, int depth);

/* Visit the entry at PATH. */
static int
visit(struct walk *w, int depth)
{
	const struct tp_look *look = w->look;
	struct stat st;

	if (lstat(w->path.p, &st) < 0)
		return pass_over(w, NULL, TP_LOOK_LOST, "input.failed",
		    strerror(errno));
	if (S_ISREG(st.st_mode))
		return add(w->look, w->path.p, w->place, &st) ? 0 :
		    tp_fail_memory(w->err);
	if (S_ISLNK(st.st_mode))
		return visit_link(w, &st);
	if (!S_ISDIR(st.st_mode))
		return pass_over(w, &st, TP_LOOK_UNUSED, "file.special",
		    kind_of(st.st_mode));
	if (look->skip && st.st_dev == look->skip_dev &&
	    st.st_ino == look->skip_ino)
		return 0;
	if (depth >= TP_LOOK_DEPTH)
		return pass_over(w, &st, TP_LOOK_LOST, "input.failed",
		    "folders nest too deep here");
	return folder(w, depth + 1);
}

/*
 * Collect the names in folder PATH that are not hidden.  Returns their count,
 * or -1 with errno.
 */
static ptrdiff_t
names_in(const char *path, struct tp_names *names)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	int failed = 0;

	if (!dir)
		return -1;
	while (!failed && (errno = 0, e = readdir(dir)))
		if (*e->d_name != '.' && tp_names_add(names, e->d_name,
		    strlen(e->d_name)) < 0) {
			errno = ENOMEM;
			failed = 1;
		}
	failed |= errno != 0;
	closedir(dir);
	return failed ? -1 : (ptrdiff_t)names->count;
}

/* Visit all entries of the folder PATH. */
static int
folder(struct walk *w, int depth)
{
	struct tp_names names = { 0 };
	size_t had = w->path.len;
	ptrdiff_t n;
	int rc = 0, skip_in;

	if (is_ours(w))
		return 0;
	skip_in = holds(w, "/in/input.jsonl") || holds(w, "/in/label");
	n = names_in(w->path.p, &names);
	if (n < 0)
		rc = errno == ENOMEM ? tp_fail_memory(w->err) :
		    pass_over(w, NULL, TP_LOOK_LOST, "input.failed",
		    strerror(errno));
	for (ptrdiff_t i = 0; !rc && i < n; i++) {
		if (skip_in && !strcmp(names.names[i].text, "in"))
			continue;
		tp_buf_fmt(&w->path, "%s%s",
		    w->path.p[w->path.len - 1] == '/' ? "" : "/",
		    names.names[i].text);
		rc = w->path.failed ? tp_fail_memory(w->err) :
		    visit(w, depth);
		w->path.len = had;
		w->path.p[had] = '\0';
	}
	tp_names_release(&names);
	return rc;
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
	size_t first = look->count;
	struct stat st;
	int rc, why = 0;

	if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
		why = errno;
	if (tp_grow(&look->operands, &look->operand_cap,
	    look->operand_count + 1, sizeof *look->operands) < 0)
		return tp_fail_memory(err);
	look->operands[look->operand_count] = tp_look_text(look, "%s", path);
	if (!look->operands[look->operand_count++])
		return tp_fail_memory(err);
	tp_buf_str(&w.path, path);
	while (w.path.len > 1 && w.path.p[w.path.len - 1] == '/')
		w.path.p[--w.path.len] = '\0';
	if (w.path.failed)
		return tp_fail_memory(err);
	if (why) {
		w.place = base_at(&w.path);
		rc = pass_over(&w, NULL, TP_LOOK_LOST, "input.failed",
		    strerror(why));
		if (!rc)
			rc = tp_fail(err, TP_IO, "input.failed", 0,
			    "cannot open '%.200s': %s", path, strerror(why));
	} else if (!strcmp(path, "-")) {
		rc = add(look, "-", 0, &st) ? 0 : tp_fail_memory(err);
	} else if (S_ISDIR(st.st_mode)) {
		if (tp_os_real_path(path, w.real) < 0)
			strcpy(w.real, "/");
		w.real_len = strlen(w.real);
		w.real_len -= w.real_len == 1;
		w.place = w.path.len + (w.path.p[w.path.len - 1] != '/');
		rc = folder(&w, 0);
		if (look->count - first > 1)
			qsort(look->files + first, look->count - first,
			    sizeof *look->files, by_path);
	} else if (S_ISREG(st.st_mode)) {
		rc = add(look, w.path.p, base_at(&w.path), &st) ? 0 :
		    tp_fail_memory(err);
	} else {
		w.place = base_at(&w.path);
		rc = pass_over(&w, &st, TP_LOOK_UNUSED, "file.special",
		    kind_of(st.st_mode));
	}
	tp_buf_release(&w.path);
	return rc;
}
