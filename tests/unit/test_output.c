/* test_output - what tp_output_* leaves in a folder */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/output.h>

static int failed;

static void
ok(int condition, const char *what)
{
	printf("%s output: %s\n", condition ? "ok" : "not ok", what);
	failed |= !condition;
}

/* How many names the current folder has, hidden ones too. */
static int
names(void)
{
	DIR *dir = opendir(".");
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return n;
}

static int
holds(const char *path, const char *text)
{
	char got[100] = "";
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(text) && !strcmp(got, text);
}

static void
put(struct tp_output *o, const char *text)
{
	if (write(o->fd, text, strlen(text)) < 0)
		ok(0, "a write");
}

static void
one_file(void)
{
	struct tp_output o = { 0 };
	struct tp_err err;

	tp_output_drop(&o);
	ok(names() == 0, "nothing is dropped of what is none");
	ok(!tp_output_open(&o, "a", &err) && o.aside && names() == 1 &&
	    access("a", F_OK) < 0, "a file is not there before it is whole");
	put(&o, "one");
	ok(!tp_output_keep(&o, &err) && names() == 1 && holds("a", "one"),
	    "what is kept has its name");
	ok(!tp_output_open(&o, "./a", &err), "a file is written again");
	put(&o, "two");
	ok(holds("a", "one"), "until then the old one stays");
	tp_output_drop(&o);
	tp_output_drop(&o);
	ok(names() == 1 && holds("a", "one"), "and after a drop");
}

static void
two_writers(void)
{
	struct tp_output o[2];
	struct tp_err err;

	ok(!tp_output_open(&o[0], "a", &err) &&
	    !tp_output_open(&o[1], "a", &err) &&
	    strcmp(o[0].aside, o[1].aside), "two writers have two names");
	put(&o[0], "first");
	put(&o[1], "second");
	ok(!tp_output_keep(&o[1], &err) && holds("a", "second"),
	    "one is whole");
	ok(!tp_output_keep(&o[0], &err) && holds("a", "first") &&
	    names() == 1, "the last that is kept stands");
}

static void
many(void)
{
	struct tp_output o[TP_OUTPUTS_MAX + 1];
	struct tp_err err;
	char name[20];
	int n = 0;

	for (; n <= TP_OUTPUTS_MAX; n++) {
		snprintf(name, sizeof name, "f%d", n);
		if (tp_output_open(&o[n], name, &err) < 0)
			break;
	}
	ok(n == TP_OUTPUTS_MAX && err.status == TP_IO,
	    "more than can be open at a time are refused");
	while (n)
		tp_output_drop(&o[--n]);
	ok(names() == 1 && !tp_output_open(&o[0], "b", &err),
	    "what was dropped makes room");
	tp_output_drop(&o[0]);
}

static void
links_and_folders(void)
{
	struct tp_output o;
	struct tp_err err;
	struct stat st;

	ok(!symlink("a", "link") && !tp_output_open(&o, "link", &err) &&
	    !tp_output_keep(&o, &err) && !lstat("link", &st) &&
	    S_ISREG(st.st_mode) && holds("a", "first"),
	    "a link is replaced");
	ok(!tp_output_remove("link", &err) && names() == 1 &&
	    !tp_output_remove("link", &err), "a file is removed, once");
	ok(!symlink("/dev/null", "link") && !tp_output_remove("link", &err) &&
	    !lstat("link", &st), "a link to a device stays");
	ok(!tp_output_open(&o, "link", &err) && !o.aside &&
	    !tp_output_keep(&o, &err) && !lstat("link", &st) &&
	    S_ISLNK(st.st_mode), "a device is written as it is");
	ok(tp_output_open(&o, ".", &err) < 0 && err.status == TP_IO,
	    "a folder is an error");
	tp_output_drop(&o);
	unlink("link");
}

static void
scratch(const char *folder)
{
	struct tp_output o;
	struct tp_err err;
	struct stat st;

	setenv("TMPDIR", folder, 1);
	ok(!tp_output_scratch(&o, "x", &err) && !stat(o.aside, &st) &&
	    (st.st_mode & 0777) == 0600 && names() == 2,
	    "a scratch file is its owner's alone");
	tp_output_drop(&o);
	ok(names() == 1, "and goes");
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	char folder[4096];

	snprintf(folder, sizeof folder, "%s/output-XXXXXX", tmp && *tmp ? tmp :
	    "/tmp");
	if (!mkdtemp(folder) || chdir(folder) < 0) {
		printf("not ok output: no folder\n");
		return 1;
	}
	one_file();
	two_writers();
	many();
	links_and_folders();
	scratch(folder);
	unlink("a");
	rmdir(folder);
	return failed;
}
