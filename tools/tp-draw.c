/*
 * tp-draw - a picture of records, as SVG or in a terminal
 *
 * share/pictures/PICTURE.json says which records a picture shows, and how.
 * Into a file or pipe it is SVG; on a terminal, or with --text, block
 * characters.  --write makes several pictures in one pass, and a "picture"
 * record for each, with its title and numbers.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/draw/draw.h>
#include <tp/share.h>
#include <tp/tool.h>
#include <tp/width.h>

enum { COLUMNS = 80, LEAST = 40, MOST = 1000 };

static int list;
static const char *as_text;
static int64_t columns;
static enum tp_draw_form form;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "list", 'l', NULL,
	    "list the pictures", &list },
	{ TP_OPT_MAYBE, "text", 't', "blocks|ascii",
	    "draw with characters (default on a terminal; the locale says "
	    "which)", &as_text },
	{ TP_OPT_COUNT, "width", 0, "COLUMNS",
	    "width of the text (default: the terminal's, else 80)", &columns },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals --lanes 600 gpu.csv | tp-draw timeline",
	"tp-report --records trace | tp-draw timeline >timeline.svg",
	"tp-draw --text timeline records.jsonl",
	"tp-compare before.jsonl after.jsonl | tp-draw changes >changes.svg",
	"tp-draw --write timeline=timeline.svg --write memory=memory.svg "
	    "records.jsonl",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-draw",
	.does = "a picture of records, as SVG or in a terminal",
	.operands = "PICTURE [FILE...]",
	.reads = "records of any kind",
	.writes = "picture (with --write; else SVG, or text)",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE |
	    TP_TOOL_WRITES | TP_TOOL_WRITES_IF | TP_TOOL_TELLS,
	.options = options,
};

static void
choose_form(struct tp_run *run)
{
	struct tp_screen screen = { 0 };
	int is_screen = tp_is_screen(run, &screen);

	if (columns && (columns < LEAST || columns > MOST))
		tp_die(run, TP_USAGE, "--width takes %d to %d columns",
		    LEAST, MOST);
	if (!columns)
		columns = !is_screen ? COLUMNS : screen.width < LEAST ? LEAST :
		    screen.width > MOST ? MOST : (int64_t)screen.width;
	if (as_text && *as_text && strcmp(as_text, "blocks") &&
	    strcmp(as_text, "ascii"))
		tp_die(run, TP_USAGE, "--text is blocks or ascii, not '%s'",
		    as_text);
	if (as_text && !strcmp(as_text, "ascii"))
		form = TP_DRAW_ASCII;
	else if (as_text && *as_text)
		form = TP_DRAW_BLOCKS;
	else if (as_text || (is_screen && !tp_writes(run)))
		form = screen.utf8 ? TP_DRAW_BLOCKS : TP_DRAW_ASCII;
}

static void
list_pictures(struct tp_run *run)
{
	char **names;
	int count = tp_share_list("pictures", ".json", &names, &run->err);

	if (count < 0)
		tp_die_err(run);
	for (int i = 0; i < count; i++) {
		tp_out_raw(&run->out, names[i], strlen(names[i]) - 5);
		tp_out_raw(&run->out, "\n", 1);
	}
	tp_share_free_list(names, count);
}

/* Draw NAME; 0 when SET has nothing for it. */
static int
draw(struct tp_run *run, const char *name, const struct tp_set *set,
    struct tp_drawing *d)
{
	cJSON *picture = tp_share_named("pictures", name, &run->err);
	int rc;

	if (!picture)
		tp_die_err(run);
	/* what goes wrong from here on is the picture's fault */
	run->file = name;
	rc = tp_draw(picture, set, form, (size_t)columns, d, &run->err);
	if (rc < 0)
		tp_die_err(run);
	run->file = NULL;
	cJSON_Delete(picture);
	return rc;
}

static int
draw_one(struct tp_run *run, const char *name, const struct tp_set *set,
    struct tp_buf *out)
{
	struct tp_drawing d = { 0 };
	int any = draw(run, name, set, &d);

	if (any) {
		tp_buf_add(out, d.picture.p, d.picture.len);
		run->out.src = set->recs[0].src;
		tp_out_begin(&run->out, "picture");
		tp_out_text(&run->out, "name", name);
		tp_out_bytes(&run->out, "title", d.title.p, d.title.len);
		if (d.text.len)
			tp_out_bytes(&run->out, "text", d.text.p, d.text.len);
		tp_out_end(&run->out);
	}
	tp_drawing_release(&d);
	return any;
}

int
main(int argc, char *argv[])
{
	static struct tp_drawing d;
	static struct tp_set set;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (list) {
		list_pictures(&run);
		return tp_end(&run);
	}
	if (!run.first && !tp_writes(&run))
		tp_die(&run, TP_USAGE, "which picture? for example: %s",
		    examples[0]);
	choose_form(&run);
	tp_start(&run);
	tp_read_set(&run, &set);
	if (tp_writes(&run))
		tp_write_all(&run, &set, draw_one);
	else if (draw(&run, run.first, &set, &d))
		tp_out_raw(&run.out, d.picture.p, d.picture.len);
	else if (!run.quiet)
		tp_warn(&run, "the records have nothing for '%s'", run.first);
	return tp_end(&run);
}
