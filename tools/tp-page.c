/*
 * tp-page - Markdown as a page, for a terminal or a browser
 *
 * For a terminal headings, lists and tables are fitted to its width, and the
 * user's pager shows the page.  For a browser it is one file with its pictures,
 * a style and a script.  Content of the document is shown, never executed.  The
 * page is complete before it is written.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/file.h>
#include <tp/os.h>
#include <tp/share.h>
#include <tp/show/page.h>
#include <tp/text.h>
#include <tp/tool.h>
#include <tp/tool/pager.h>
#include <tp/width.h>

#define WIDTH_MOST 1000
#define TEXT_MAX 65536
#define SVG_MAX 1048576

static int tty, html, no_pager, check;
static int64_t width;
static const char *color, *card, *foot, *command, *linked;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "tty", 't', NULL, "a page for a terminal (default)",
	    &tty },
	{ TP_OPT_FLAG, "html", 0, NULL, "a page for a browser, one file",
	    &html },
	{ TP_OPT_COUNT, "width", 'w', "N",
	    "lay out for N columns (default: the terminal's, else 80)",
	    &width },
	{ TP_OPT_TEXT, "color", 0, "WHEN", "auto (default): on a terminal, "
	    "without NO_COLOR; always; never", &color },
	{ TP_OPT_FLAG, "no-pager", 0, NULL, "no pager on a terminal "
	    "(TP_PAGER, PAGER, less or more)", &no_pager },
	{ TP_OPT_TEXT, "card", 0, "FILE",
	    "html: FILE comes first, and its heading is the title", &card },
	{ TP_OPT_TEXT, "foot", 0, "FILE",
	    "html: FILE comes last", &foot },
	{ TP_OPT_TEXT, "command", 0, "TEXT",
	    "html: show TEXT as the command that made the report", &command },
	{ TP_OPT_OUT, "linked", 0, "DIR",
	    "html: put style and script into DIR, the page's folder, for "
	    "viewers that refuse them inline", &linked },
	{ TP_OPT_FLAG, "check", 'c', NULL,
	    "exit 0 if this build can read Markdown, else 1", &check },
	{ 0 }
};

static const char *const examples[] = {
	"tp-page report.md",
	"tp-gpu-intervals gpu.csv | tp-render gpu-intervals | tp-page",
	"tp-page --width 120 --color always report.md | less -R",
	"tp-page --html report.md > report.html",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-page",
	.does = "Markdown as a page, for a terminal or a browser",
	.operands = "[FILE...]",
	.reads = "Markdown, as tp-render and tp-report write it",
	.writes = "text, with colours on a terminal, or HTML",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_LATE | TP_TOOL_BESIDE | TP_TOOL_STARTS,
	.options = options,
};

/* The file in the folder of PATH that shows the image NAME, with ENDING in the
 * place of ".svg"; 0 when its name leads elsewhere. */
static int
picture_path(const char *path, const char *name, const char *ending,
    struct tp_buf *at)
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
	tp_buf_str(at, ending);
	return 1;
}

/* What FD, a regular file of no more than MOST bytes, holds: 1, 0 when it is
 * something else, -1 when it cannot be read. */
static int
read_open(int fd, size_t most, struct tp_buf *text)
{
	size_t from = text->len;
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_size > (off_t)most)
		return 0;
	while (n && text->len - from <= most) {
		n = read(fd, tp_buf_room(text, most + 1),
		    most + 1 - (text->len - from));
		if (n < 0 && errno != EINTR)
			return -1;
		text->len += n > 0 ? (size_t)n : 0;
		text->p[text->len] = '\0';
	}
	return !n && text->len > from;
}

/* The regular file PATH, no link, when it has no more than MOST bytes; 0: there
 * is none, or it cannot be read, which is reported. */
static int
read_picture(struct tp_run *run, const char *path, size_t most,
    struct tp_buf *text)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int is = fd < 0 ? -1 : read_open(fd, most, text);

	/* where a link stands there is no picture of ours */
	if (is < 0 && errno != ENOENT && errno != ELOOP && errno != EMLINK &&
	    errno != ENOTDIR) {
		tp_warn(run, "cannot read '%s': %s", path, strerror(errno));
		tp_status_at_least(run, TP_IO);
	}
	if (fd >= 0)
		close(fd);
	return is > 0;
}

/* For a terminal: the picture beside the document that is read; standard input
 * has none. */
static int
text_picture(void *arg, const char *name, struct tp_buf *text)
{
	struct tp_run *run = arg;
	struct tp_buf path = { 0 };
	int is = strcmp(run->path, "-") &&
	    picture_path(run->path, name, ".txt", &path) &&
	    read_picture(run, path.p, TEXT_MAX, text);

	tp_buf_release(&path);
	return is;
}

static struct tp_page_tty
look_at_terminal(struct tp_run *run)
{
	struct tp_page_tty form = { .picture = text_picture,
	    .arg = run };
	struct tp_screen screen;

	tp_is_screen(run, &screen);
	form.width = width ? (size_t)width : screen.width ? screen.width : 80;
	form.utf8 = screen.utf8;
	form.dots = screen.dots;
	if (!color || !strcmp(color, "auto"))
		form.color = tp_is_bold(run);
	else if (!strcmp(color, "always"))
		form.color = 1;
	else if (strcmp(color, "never"))
		tp_die(run, TP_USAGE, "--color takes auto, always or never, "
		    "not '%s'", color);
	return form;
}

static int has_printed;

/* Print a part of a page that no pager shows. */
static void
print_part(void *arg, struct tp_buf *out)
{
	struct tp_run *run = arg;

	tp_out_raw(&run->out, out->p, out->len);
	tp_buf_clear(out);
	has_printed = 1;
}

static void
show_on_terminal(struct tp_run *run)
{
	struct tp_buf text = { 0 }, out = { 0 };
	struct tp_page_tty form;
	int shown = 0, pages = 0;

	form = look_at_terminal(run);
	if (!no_pager && (pages = tp_pager_begin(run, &run->err)) < 0)
		tp_die_err(run);
	if (!pages)
		form.full = print_part;
	tp_start(run);
	while (tp_next_text(run, &text)) {
		if (out.len || has_printed)
			tp_buf_chr(&out, '\n');
		if (tp_page_tty(text.p ? text.p : "", text.len, &form, &out,
		    &run->err) < 0)
			tp_die_err(run);
	}
	run->file = NULL;
	if (out.len)
		shown = tp_pager_show(run, out.p, out.len, &run->err);
	if (shown < 0)
		tp_die_err(run);
	if (!shown && out.len)
		tp_out_raw(&run->out, out.p, out.len);
	tp_buf_release(&text);
	tp_buf_release(&out);
}

/* The documents of a page for a browser, and where their pictures are. */
struct page {
	struct tp_run *run;
	struct tp_page_document *documents;
	struct file {
		struct tp_buf text;
		const char *path;	/* NULL: standard input */
	} *files;
	size_t count, document_cap, file_cap;
};

/* For a browser: the same, when it holds nothing but a picture. */
static int
svg_picture(void *arg, const struct tp_page_document *document,
    const char *name, struct tp_buf *svg)
{
	const struct page *page = arg;
	const char *path = page->files[document - page->documents].path;
	struct tp_buf at = { 0 }, bytes = { 0 };
	struct tp_err err = { 0 };
	int is = path && picture_path(path, name, ".svg", &at) &&
	    read_picture(page->run, at.p, SVG_MAX, &bytes);

	if (is && tp_page_svg(bytes.p, bytes.len, svg, &err) < 0) {
		is = 0;
		tp_warn(page->run, "%s: line %llu: %s, which no picture of "
		    "tp-draw has; its description is shown instead", at.p,
		    (unsigned long long)err.line, err.text);
	}
	tp_buf_release(&at);
	tp_buf_release(&bytes);
	return is;
}

/* Room for a document, whose text is to be read. */
static struct tp_buf *
add_document(struct page *page, enum tp_page_role role, const char *path)
{
	size_t n = page->count;

	tp_grow(&page->documents, &page->document_cap, n + 1,
	    sizeof *page->documents);
	tp_grow(&page->files, &page->file_cap, n + 1, sizeof *page->files);
	memset(&page->documents[n], 0, sizeof *page->documents);
	memset(&page->files[n], 0, sizeof *page->files);
	page->documents[n].role = role;
	page->documents[n].name = path ? tp_base(path) : NULL;
	page->files[n].path = path;
	page->count++;
	return &page->files[n].text;
}

static void
add_file(struct page *page, enum tp_page_role role, const char *path)
{
	if (path && tp_file_read(path, add_document(page, role, path),
	    &page->run->err) < 0)
		tp_die_err(page->run);
}

static void
read_documents(struct page *page)
{
	struct tp_run *run = page->run;
	struct tp_buf text = { 0 };
	int chapters = 0;

	add_file(page, TP_PAGE_CARD, card);
	tp_start(run);
	while (tp_next_text(run, &text)) {
		*add_document(page, chapters ? TP_PAGE_CHAPTER :
		    TP_PAGE_REPORT, strcmp(run->path, "-") ? run->path :
		    NULL) = text;
		memset(&text, 0, sizeof text);
		chapters = 1;
	}
	tp_buf_release(&text);
	add_file(page, TP_PAGE_FOOT, foot);
	for (size_t i = 0; i < page->count; i++) {
		page->documents[i].text = page->files[i].text.p ?
		    page->files[i].text.p : "";
		page->documents[i].len = page->files[i].text.len;
	}
}

/* share/page/NAME; with --linked a copy in that folder, and its name. */
static const char *
take_share(struct tp_run *run, const char *name, struct tp_buf *text)
{
	struct tp_buf path = { 0 };

	tp_buf_str(&path, "page/");
	tp_buf_str(&path, name);
	if (tp_share_read(path.p, text, &run->err) < 0)
		tp_die_err(run);
	tp_buf_str(text, "");
	tp_buf_clear(&path);
	if (linked) {
		tp_buf_str(&path, linked);
		tp_buf_chr(&path, '/');
		tp_buf_str(&path, name);
		tp_write_file(run, path.p, text->p, text->len);
	}
	tp_buf_release(&path);
	return linked ? name : text->p;
}

/* The list KEY of share/page/page.json, in ARENA. */
static const char *const *
page_list(struct tp_run *run, const struct cJSON *json, const char *key,
    struct tp_arena *arena)
{
	const char **names;

	tp_share_texts(arena, cJSON_GetObjectItemCaseSensitive(json, key),
	    &names);
	if (!names) {
		tp_share_damaged("page/page.json", key, &run->err);
		tp_die_err(run);
	}
	return names;
}

static void
write_html(struct tp_run *run)
{
	struct tp_buf out = { 0 }, style = { 0 }, script = { 0 };
	struct tp_arena arena = { 0 };
	struct cJSON *json = tp_share_json("page/page.json", &run->err);
	struct page page = { .run = run };
	struct tp_page_html form = { .linked = linked != NULL,
	    .command = command, .picture = svg_picture, .arg = &page };

	read_documents(&page);
	form.documents = page.documents;
	form.count = page.count;
	form.style = take_share(run, "report.css", &style);
	form.script = take_share(run, "report.js", &script);
	if (!json)
		tp_die_err(run);
	form.folded = page_list(run, json, "folded", &arena);
	form.findings = page_list(run, json, "findings", &arena);
	cJSON_Delete(json);
	run->file = NULL;
	if (tp_page_html(&form, &out, &run->err) < 0)
		tp_die_err(run);
	tp_out_raw(&run->out, out.p, out.len);
	for (size_t i = 0; i < page.count; i++)
		tp_buf_release(&page.files[i].text);
	tp_free(page.documents);
	tp_free(page.files);
	tp_arena_release(&arena);
	tp_buf_release(&style);
	tp_buf_release(&script);
	tp_buf_release(&out);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	if (check) {
		tp_page_can();
		return tp_end(&run);
	}
	if (width && (width < TP_OS_COLUMNS_MIN || width > WIDTH_MOST))
		tp_die(&run, TP_USAGE, "--width takes %d to %d, not %lld",
		    TP_OS_COLUMNS_MIN, WIDTH_MOST, (long long)width);
	if (html && (tty || width || color || no_pager))
		tp_die(&run, TP_USAGE, "--tty, --width, --color and --no-pager "
		    "are for a page on a terminal");
	if (!html && (card || foot || command || linked))
		tp_die(&run, TP_USAGE, "--card, --foot, --command and --linked "
		    "are for --html");
	if (html)
		write_html(&run);
	else
		show_on_terminal(&run);
	return tp_end(&run);
}
