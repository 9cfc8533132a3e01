/* svg - write the SVG elements of pictures */
#include <string.h>

#include <tp/show/fit.h>
#include <tp/text.h>
#include <tp/width.h>

#include "draw/svg.h"

enum {
	FONT = 110,		/* size */
	HATCH = 50,		/* distance of lines */
	TITLE = 400,		/* most columns of a title */
};

static const struct {
	const char *name, *colour;
} colours[] = {
	{ "blue", "#4477aa" }, { "red", "#ee6677" }, { "green", "#228833" },
	{ "yellow", "#ccbb44" }, { "cyan", "#66ccee" },
	{ "purple", "#aa3377" }, { "grey", "#999999" },
};

enum { COLOURS = sizeof colours / sizeof *colours };

const char *
tp_svg_colour(const char *name)
{
	for (size_t i = 0; i < COLOURS; i++)
		if (!strcmp(colours[i].name, name))
			return colours[i].colour;
	return colours[0].colour;
}

const char *
tp_svg_nth_colour(size_t n)
{
	/* the last colour, grey, is for items of no interest */
	return colours[n % (COLOURS - 1)].colour;
}

int
tp_svg_words(struct tp_buf *b, const char *words, size_t most)
{
	struct tp_buf shown = { 0 }, cut = { 0 };
	int is_cut;

	tp_show_text(&shown, words, strlen(words));
	tp_buf_str(&shown, "");
	is_cut = tp_text_width(shown.p, shown.len) > most;
	if (is_cut)
		tp_fit_cut(&cut, shown.p, shown.len, most, "\xe2\x80\xa6");
	tp_xml_text(b, is_cut ? cut.p : shown.p);
	tp_buf_release(&shown);
	tp_buf_release(&cut);
	return is_cut;
}

void
tp_svg_title(struct tp_buf *b, const char *text)
{
	tp_buf_str(b, "<title>");
	tp_svg_words(b, text, TITLE);
	tp_buf_str(b, "</title>");
}

void
tp_svg_number(struct tp_buf *b, int n)
{
	if (n < 0)
		tp_buf_chr(b, '-');
	n = n < 0 ? -n : n;
	if (n >= 10 || n == 0)
		tp_buf_int(b, n / 10);
	if (n % 10) {
		tp_buf_chr(b, '.');
		tp_buf_int(b, n % 10);
	}
}

void
tp_svg_attribute(struct tp_buf *b, const char *name, int n)
{
	tp_buf_chr(b, ' ');
	tp_buf_str(b, name);
	tp_buf_str(b, "=\"");
	tp_svg_number(b, n);
	tp_buf_chr(b, '"');
}

/*
 * The style of all pictures: alone it follows the colour scheme of its
 * background; inside a page the page sets the colour of text.
 */
void
tp_svg_begin(struct tp_buf *b, int width, int height,
    const struct tp_drawing *d)
{
	const struct tp_buf *text = d->text.len ? &d->text : &d->title;

	tp_buf_str(b, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	tp_svg_attribute(b, "width", width);
	tp_svg_attribute(b, "height", height);
	tp_buf_str(b, " viewBox=\"0 0 ");
	tp_svg_number(b, width);
	tp_buf_chr(b, ' ');
	tp_svg_number(b, height);
	tp_buf_str(b, "\" class=\"scene\" role=\"img\" "
	    "font-family=\"sans-serif\"");
	tp_svg_attribute(b, "font-size", FONT);
	tp_buf_str(b, " fill=\"currentColor\">\n");
	tp_buf_str(b, "<title>");
	tp_xml_shown(b, d->title.p, d->title.len);
	tp_buf_str(b, "</title>\n<desc>");
	tp_xml_shown(b, text->p, text->len);
	tp_buf_str(b, "</desc>\n<style>svg{color:#222}"
	    "@media(prefers-color-scheme:dark){svg{color:#ddd}}</style>\n");
}

void
tp_svg_end(struct tp_buf *b, int has_forms)
{
	/* in a page these are rules of share/page/report.css */
	if (has_forms)
		tp_buf_str(b, "<style>.short{display:none}"
		    "@media(max-width:40rem){.long{display:none}"
		    ".short{display:inline}}</style>\n");
	tp_buf_str(b, "</svg>\n");
}

void
tp_svg_hatch(struct tp_buf *b, int width, int height)
{
	int from, to, down;

	tp_buf_str(b, "<path stroke=\"currentColor\" stroke-opacity=\".40\" "
	    "stroke-width=\".7\" d=\"");
	/* diagonal lines that begin at the upper or the right side */
	for (int at = HATCH; at < width + height; at += HATCH) {
		from = at < width ? at : width;
		down = at < width ? 0 : at - width;
		to = at < height ? at : height;
		tp_buf_chr(b, 'M');
		tp_svg_number(b, from);
		tp_buf_chr(b, ' ');
		tp_svg_number(b, down);
		tp_buf_chr(b, 'L');
		tp_svg_number(b, at - to);
		tp_buf_chr(b, ' ');
		tp_svg_number(b, to);
	}
	tp_buf_str(b, "\"/>\n");
}
