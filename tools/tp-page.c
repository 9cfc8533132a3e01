/*
 * tp-page - Markdown as a page to read on a terminal
 *
 * Headings, lists and tables are laid out for its width, tables fitted to it;
 * a terminal gets the page through the user's pager.  What a document says is
 * shown and never obeyed.  The page is made whole before it is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/os.h>
#include <tp/show/page.h>
#include <tp/tool.h>
#include <tp/tool/pager.h>
#include <tp/width.h>

#define WIDTH_MOST 1000
#define PICTURE_MAX 65536

static int tty, no_pager, check;
static int64_t width;
static const char *color = "auto";

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "tty", 't', NULL, "a page for a terminal (there is no "
	    "other yet)", &tty },
	{ TP_OPT_COUNT, "width", 'w', "N", "lay it out for N columns (default: "
	    "those of the terminal, 80 elsewhere)", &width },
	{ TP_OPT_TEXT, "color", 0, "WHEN", "auto: on a terminal, without "
	    "NO_COLOR; always; never", &color },
	{ TP_OPT_FLAG, "no-pager", 0, NULL, "no pager on a terminal "
	    "(TP_PAGER, PAGER, less or more)", &no_pager },
	{ TP_OPT_FLAG, "check", 'c', NULL,
	    "whether this build can read Markdown: status 0 or 1", &check },
	{ 0 }
};

static const char *const examples[] = {
	"tp-page report.md",
	"tp-gpu-intervals gpu.csv | tp-render gpu-intervals | tp-page",
	"tp-page --width 120 --color always report.md | less -R",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-page",
	.does = "Markdown as a page to read on a terminal",
	.operands = "[FILE...]",
	.reads = "Markdown, as tp-render and tp-report write it",
	.writes = "text, with colours on a terminal",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_LATE,
	.options = options,
};

/* The file in the folder of PATH that shows the image NAME as text: NAME.txt
 * in place of NAME.svg; 0 when its name leads elsewhere. */
static int
picture_path(const char *path, const char *name, struct tp_buf *at)
{
	static const char svg[] = ".svg";
	const char *slash = strrchr(path, '/');
	size_t len = strlen(name);

	if (len < sizeof svg || strchr(name, '/') || *name == '.' ||
	    strcmp(name + len - (sizeof svg - 1), svg))
		return 0;
	if (slash)
		tp_buf_add(at, path, (size_t)(slash + 1 - path));
	tp_buf_add(at, name, len - (sizeof svg - 1));
	tp_buf_str(at, ".txt");
	return !at->failed;
}

/* The regular file PATH, no link, when it is small; 0: there is none. */
static int
read_picture(const char *path, struct tp_buf *text)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;
	char *p;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size <= PICTURE_MAX &&
	    (p = tp_buf_room(text, PICTURE_MAX)) != NULL) {
		do
			n = read(fd, p, PICTURE_MAX);
		while (n < 0 && errno == EINTR);
		if (n > 0) {
			text->len += (size_t)n;
			text->p[text->len] = '\0';
		}
	}
	if (fd >= 0)
		close(fd);
	return n > 0;
}

/* The picture beside the document that is read; standard input has none. */
static int
picture(void *arg, const char *name, struct tp_buf *text)
{
	const struct tp_run *run = arg;
	struct tp_buf path = { 0 };
	int is = strcmp(run->path, "-") &&
	    picture_path(run->path, name, &path) &&
	    read_picture(path.p, text);

	tp_buf_release(&path);
	return is;
}

static struct tp_page_tty
look_at_terminal(struct tp_run *run)
{
	struct tp_page_tty form = { .picture = picture, .arg = run };
	struct tp_screen screen;

	tp_is_screen(run, &screen);
	form.width = width ? (size_t)width : screen.width ? screen.width : 80;
	form.utf8 = screen.utf8;
	form.dots = screen.dots;
	if (!strcmp(color, "always"))
		form.color = 1;
	else if (!strcmp(color, "auto"))
		form.color = tp_is_bold(run);
	else if (strcmp(color, "never"))
		tp_die(run, TP_USAGE, "--color takes auto, always or never, "
		    "not '%s'", color);
	return form;
}

int
main(int argc, char *argv[])
{
	struct tp_buf text = { 0 }, out = { 0 };
	struct tp_page_tty form;
	struct tp_run run;
	int shown = 0;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	if (check) {
		if (!tp_page_can())
			tp_status_at_least(&run, TP_NO);
		return tp_end(&run);
	}
	if (width && (width < TP_OS_COLUMNS_MIN || width > WIDTH_MOST))
		tp_die(&run, TP_USAGE, "--width takes %d to %d, not %lld",
		    TP_OS_COLUMNS_MIN, WIDTH_MOST, (long long)width);
	form = look_at_terminal(&run);
	tp_start(&run);
	while (tp_next_text(&run, &text)) {
		if (out.len)
			tp_buf_chr(&out, '\n');
		if (tp_page_tty(text.p ? text.p : "", text.len, &form, &out,
		    &run.err) < 0)
			tp_die_err(&run);
	}
	run.file = NULL;
	if (!no_pager && out.len)
		shown = tp_pager_show(&run, out.p, out.len, &run.err);
	if (shown < 0)
		tp_die_err(&run);
	if (!shown && out.len)
		tp_out_raw(&run.out, out.p, out.len);
	tp_buf_release(&text);
	tp_buf_release(&out);
	return tp_end(&run);
}
