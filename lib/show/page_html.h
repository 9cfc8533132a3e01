/*
 * page_html - one document of a page as HTML
 *
 * A page is read twice: first for the names of its headings and for what is
 * linked to, then for what is printed.
 */
#ifndef TP_SHOW_PAGE_HTML_H
#define TP_SHOW_PAGE_HTML_H

#include <tp/hash.h>
#include <tp/show/page.h>

/* What the first reading tells of a document. */
struct tp_html_facts {
	size_t titles;		/* headings of level 1 */
	int leads;		/* it begins with one */
};

struct tp_html {
	const struct tp_page_html *page;
	const struct tp_page_document *document;
	struct tp_html_facts *facts;	/* of the document */
	int first;			/* reading */
	size_t rows;			/* of a table at most, or 0 */
	size_t longest;			/* table */
	struct tp_buf body, foot, nav, title, title_words;
	/* names of places and of what is linked to, of the first reading */
	struct tp_names names, linked;
	/* names of this one, and how often each was asked for */
	struct tp_names used;
	size_t *counts, count_cap;
	int nav_level;			/* of the list that is open, or 0 */
	size_t entries;
	/* of the document under way: */
	struct tp_buf *to;
	struct tp_buf line, words;	/* the text of a block, and as text */
	struct tp_buf lead;		/* bold text that it begins with */
	struct tp_buf alt, image;	/* of the image under way */
	struct tp_buf target;		/* of a link that is none here */
	struct tp_buf table, columns;	/* the table, and how it is called */
	struct tp_buf scratch;
	size_t row, cell, nest;
	unsigned above[8];		/* levels of the headings around */
	size_t depth;
	unsigned in_image;
	int any;			/* a block was begun */
	int in_table, in_code, in_paragraph, in_lead;
	int is_link, is_part;		/* what is open */
};

/* Append TEXT escaped to BUF, without what moves a cursor or turns a text. */
void tp_html_text(struct tp_buf *buf, const char *text, size_t len);
/* Read the document; 0, or -1 with ERR. */
int tp_html_read(struct tp_html *h, struct tp_err *err);
/* Close what is open in the list of contents. */
void tp_html_end_nav(struct tp_html *h);
/* Before the next reading. */
void tp_html_clear(struct tp_html *h);
void tp_html_release(struct tp_html *h);

#endif
