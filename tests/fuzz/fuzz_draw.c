/*
 * fuzz_draw - a picture (JSON, or its name in share/pictures), a line "----",
 * and records to draw
 *
 * As SVG it is well-formed, has a title and holds no script, style or link but
 * the one rule of every picture; as text no line moves the cursor or is wider
 * than asked for.
 */
#include <cjson/cJSON.h>
#include <expat.h>
#include <string.h>

#include <tp/draw/draw.h>
#include <tp/share.h>
#include <tp/width.h>

#include "feed.h"

enum { COLUMNS = 64 };

static void
start(void *arg, const XML_Char *name, const XML_Char **atts)
{
	static const char *const known[] = { "svg", "title", "desc", "style",
	    "g", "path", "rect", "circle", "line", "text" };
	int *titles = arg, is = 0;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		is |= !strcmp(name, known[i]);
	if (!is)
		broken("an element that no picture has");
	*titles += !strcmp(name, "title");
	for (; *atts; atts += 2)
		if (!strncmp(atts[0], "on", 2) || !strcmp(atts[0], "style") ||
		    strstr(atts[0], "href") || strchr(atts[1], '<'))
			broken("an attribute that no picture has");
}

static void
check_svg(const struct tp_buf *b)
{
	XML_Parser p = XML_ParserCreate(NULL);
	int titles = 0;

	XML_SetUserData(p, &titles);
	XML_SetStartElementHandler(p, start);
	if (XML_Parse(p, b->p, (int)b->len, 1) != XML_STATUS_OK)
		broken("a picture that is no XML");
	if (!titles)
		broken("a picture without a title");
	XML_ParserFree(p);
}

static void
check_text(const struct tp_buf *b)
{
	const char *line = b->p, *end = b->p + b->len, *eol;

	for (; line < end; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol)
			broken("a line without an end");
		if (tp_text_width(line, (size_t)(eol - line)) > COLUMNS + 3)
			broken("a line that is too wide");
		for (const char *c = line; c < eol; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				broken("a line that moves the cursor");
	}
}

static struct cJSON *
picture_of(const char *text, size_t len)
{
	struct cJSON *picture = cJSON_ParseWithLength(text, len);
	char name[32] = "";
	struct tp_err err;

	if (cJSON_IsObject(picture))
		return picture;
	cJSON_Delete(picture);
	len = strcspn(text, "\n") < len ? strcspn(text, "\n") : len;
	if (len < sizeof name)
		memcpy(name, text, len);
	return tp_share_named("pictures", name, &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_set set = { 0 };
	size_t len = feed_records(data, size, &set, NULL);
	struct cJSON *picture;
	struct tp_buf head = { 0 };
	struct tp_err err;

	tp_buf_add(&head, (const char *)data, len);
	picture = head.len ? picture_of(head.p, head.len) : NULL;
	for (int form = TP_DRAW_SVG; picture && form <= TP_DRAW_ASCII;
	    form++) {
		struct tp_drawing d = { 0 };

		if (tp_draw(picture, &set, (enum tp_draw_form)form, COLUMNS,
		    &d, &err) > 0 && d.picture.len) {
			if (form == TP_DRAW_SVG)
				check_svg(&d.picture);
			else
				check_text(&d.picture);
		}
		tp_drawing_release(&d);
	}
	cJSON_Delete(picture);
	tp_buf_release(&head);
	tp_set_release(&set);
	return 0;
}
