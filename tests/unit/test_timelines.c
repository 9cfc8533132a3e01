/* The drawing of two runs: any parser takes it, and each mark has a title. */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include <tp/judge/timelines.h>

struct seen {
	int rects, titles, scripts, marks_without;
	int is_mark;	/* inside one whose title has not come */
};

static void
start(void *arg, const XML_Char *name, const XML_Char **atts)
{
	struct seen *s = arg;
	int is_mark = 0;

	/* the ground and the legend have other widths */
	for (; *atts; atts += 2)
		is_mark |= !strcmp(atts[0], "width") &&
		    !strcmp(atts[1], "11");
	s->titles += !strcmp(name, "title");
	s->scripts += !strcmp(name, "script");
	if (!strcmp(name, "title"))
		s->is_mark = 0;
	if (strcmp(name, "rect") || !is_mark)
		return;
	s->rects++;
	s->is_mark = 1;
}

static void
end(void *arg, const XML_Char *name)
{
	struct seen *s = arg;

	if (!strcmp(name, "rect")) {
		s->marks_without += s->is_mark;
		s->is_mark = 0;
	}
}

int
main(void)
{
	static char hostile[] = "</title><script>alert(1)</script>"
	    "\"'&]]>\x01\xff\xef\xbf\xbe", plain[] = "device";
	static struct tp_timeline_lane lanes[2];
	struct tp_timelines t = { .lanes = lanes, .count = 2,
	    .column_ns = 10 };
	const char *const names[] = { hostile, "after" };
	struct tp_buf buf = { 0 };
	struct tp_err err;
	struct seen seen = { 0 };
	XML_Parser p = XML_ParserCreate(NULL);
	int ok;

	lanes[0].name = hostile;
	lanes[1].name = plain;
	lanes[1].side = TP_AFTER;
	for (int i = 0; i < TP_COLUMNS; i++) {
		lanes[0].covered[i] = lanes[1].covered[i] = i < 40 ? 10 : 0;
		lanes[0].busy[i] = i < 40 ? 10.0 * i / 40 : 0;
	}
	ok = p && !tp_timelines_svg(&t, names, &buf, &err);
	if (ok) {
		XML_SetUserData(p, &seen);
		XML_SetElementHandler(p, start, end);
		ok = XML_Parse(p, buf.p, (int)buf.len, 1) == XML_STATUS_OK;
	}
	/* 40 columns of each lane, and the title of the document */
	ok = ok && seen.rects == 80 && seen.titles == 81 && !seen.scripts &&
	    !seen.marks_without;
	if (ok)
		printf("ok timelines: the drawing is whole\n");
	else
		printf("not ok timelines: %d marks, %d titles, %d scripts, "
		    "%d without\n%s\n", seen.rects, seen.titles,
		    seen.scripts, seen.marks_without, buf.p ? buf.p : "");
	XML_ParserFree(p);
	tp_buf_release(&buf);
	return !ok;
}
