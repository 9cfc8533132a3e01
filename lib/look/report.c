/* report - stamps of the inputs beside the links, and lines for people */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/buf.h>
#include <tp/file.h>
#include <tp/order.h>
#include <tp/os.h>
#include <tp/share.h>
#include <tp/text.h>

#include "look_parts.h"

int
tp_look_add_notes(struct tp_look *look, const char *path, struct tp_err *err)
{
	size_t had = look->count;

	if (tp_look_add(look, path, err) < 0)
		return -1;
	if (look->count != had + 1 || look->files[had].why)
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "'%.200s' is not a file", path);
	look->files[had].role = "notes";
	look->files[had].state = TP_LOOK_USED;
	look->files[had].what = "notes of a person";
	strcpy(look->files[had].link, "notes.md");
	return 0;
}

int
tp_look_find_notes(struct tp_look *look, struct tp_err *err)
{
	const char *given = look->operands[0];
	struct tp_buf path = { 0 };
	struct stat st;
	int rc = 0;

	for (int beside = 0; !rc && beside < 2; beside++) {
		const char *slash = strrchr(given, '/');

		tp_buf_clear(&path);
		if (!beside)
			tp_buf_fmt(&path, "%s/notes.md", given);
		else if (slash)
			tp_buf_fmt(&path, "%.*s/notes.md",
			    (int)(slash - given), given);
		else
			tp_buf_str(&path, "./notes.md");
		if (!lstat(path.p, &st) && S_ISREG(st.st_mode)) {
			rc = tp_look_add_notes(look, path.p, err);
			break;
		}
	}
	tp_buf_release(&path);
	return rc;
}

/* FNV-1a: the same in every process, unlike tp_hash_bytes(). */
static uint64_t
hash(const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325;

	while (len--)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3;
	return h;
}

struct tools {
	uint64_t sum;
	size_t skip;
};

static int
take_tool(void *arg, const char *path, struct tp_err *err)
{
	struct tools *t = arg;
	struct timespec content, any;
	char text[512];
	struct stat st;
	int n;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : tp_fail(err, TP_IO,
		    "share.failed", 0, "cannot look at '%.200s': %s", path,
		    strerror(errno));
	tp_os_changed(&st, &content, &any);
	n = snprintf(text, sizeof text, "%.200s %lld %lld.%09ld", path +
	    t->skip, (long long)st.st_size, (long long)content.tv_sec,
	    (long)content.tv_nsec);
	/* a sum is independent of the order */
	t->sum += hash(text, (size_t)n);
	return 0;
}

/* Add the programs of this project in FOLDER. */
static int
take_programs(struct tools *t, const char *folder, struct tp_err *err)
{
	DIR *dir = opendir(folder);
	struct tp_buf path = { 0 };
	const struct dirent *e;
	int rc = 0;

	if (!dir && errno != ENOENT && errno != EACCES)
		return tp_fail(err, TP_IO, "share.failed", 0, "cannot look "
		    "into '%.200s': %s", folder, strerror(errno));
	while (dir && !rc && (e = readdir(dir))) {
		if (strncmp(e->d_name, "tp-", 3))
			continue;
		tp_buf_clear(&path);
		tp_buf_fmt(&path, "%s/%s", folder, e->d_name);
		rc = take_tool(t, path.p, err);
	}
	if (dir)
		closedir(dir);
	tp_buf_release(&path);
	return rc;
}

/* Add the user's own files in FOLDER and ASKED, a file, a folder or NULL. */
static int
take_own(const char *folder, const char *asked,
    const struct tp_file_walk *walk, struct tp_err *err)
{
	struct tp_buf own = { 0 };
	struct stat st;
	int rc = 0;

	if (tp_share_own(folder, &own))
		rc = tp_file_visit(own.p, walk, err);
	tp_buf_release(&own);
	if (rc < 0 || !asked || stat(asked, &st) < 0)
		return rc;
	return S_ISDIR(st.st_mode) ? tp_file_visit(asked, walk, err) :
	    take_tool(walk->arg, asked, err);
}

int
tp_look_fingerprint(struct tp_buf *text, struct tp_err *err)
{
	const char *share = tp_share_dir(err);
	struct tools t = { 0 };
	const struct tp_file_walk walk = { .file = take_tool, .arg = &t };
	char program[PATH_MAX], *slash;
	static const struct {
		const char *folder, *variable;
	} own[] = { { "rules", "TP_RULES" }, { "ops", "TP_OPS" },
	    { "tables", NULL }, { "sections", NULL } };

	if (!share)
		return -1;
	t.skip = strlen(share);
	if (tp_file_visit(share, &walk, err) < 0)
		return -1;
	t.skip = 0;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (take_own(own[i].folder, own[i].variable ?
		    getenv(own[i].variable) : NULL, &walk, err) < 0)
			return -1;
	if (tp_os_program(program, sizeof program) < 0) {
		if (errno != ENOENT && errno != EACCES)
			return tp_fail(err, TP_IO, "share.failed", 0, "cannot "
			    "look where this program is: %s", strerror(errno));
	} else if ((slash = strrchr(program, '/'))) {
		*slash = '\0';
		t.skip = strlen(program);
		if (take_programs(&t, program, err) < 0)
			return -1;
	}
	tp_buf_fmt(text, "%s %016llx\n", TP_VERSION,
	    (unsigned long long)t.sum);
	return 0;
}

/*
 * Write a line for people.  Nothing in it can move the cursor or reverse text.
 */
static void
put_line(const struct tp_look *look, const struct tp_look_file *f,
    struct tp_buf *out)
{
	const char *text = f->why ? f->why : f->what ? f->what :
	    "not recognised";
	struct tp_buf line = { 0 };

	tp_buf_fmt(&line, "%-52s %s", f->name, text);
	if (look->recording_count > 1 && f->recording != TP_LOOK_ANY)
		tp_buf_fmt(&line, ", of %s",
		    look->recordings[f->recording].name);
	tp_show_text(out, line.p, line.len);
	tp_buf_chr(out, '\n');
	tp_buf_release(&line);
}

TP_ORDER_POINTERS(by_name, struct tp_look_file, TP_BY(strcmp(a->name, b->name))
    TP_BY(TP_CMP(a, b)))

void
tp_look_list(const struct tp_look *look, struct tp_buf *out)
{
	const struct tp_look_file **list;
	size_t n = 0;

	list = tp_alloc((look->count + 1) * sizeof *list);
	for (size_t i = 0; i < look->count; i++)
		if (!tp_look_is_role(&look->files[i], "notes"))
			list[n++] = &look->files[i];
	TP_SORT(list, n, by_name);
	for (size_t i = 0; i < n; i++)
		put_line(look, list[i], out);
	tp_free(list);
}
