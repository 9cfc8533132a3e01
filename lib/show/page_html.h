/*
 * page_html - one document of a page as HTML
 *
 * Each page is parsed twice: first for the ids of its headings and the
 * targets of its links, then for the output.
 */
#ifndef TP_SHOW_PAGE_HTML_H
#define TP_SHOW_PAGE_HTML_H

#include <tp/hash.h>
#include <tp/show/page.h>

/* Results of the first pass over a document. */
struct tp_html_facts {
	size_t titles;		/* headings of level 1 */
	int leads;		/* it begins with a level-1 heading */
};

struct tp_html {
	const struct tp_page_html *page;
	const struct tp_page_document *document;
	struct tp_html_facts *facts;	/* of the current document */
	int first;			/* first pass */
	size_t rows;			/* most rows of a table, or 0 */
	size_t longest;			/* rows of the longest table */
	struct tp_buf body, foot, nav, title, title_words;
	/* From the first pass: ids, and ids that are linked to. */
	struct tp_names names, linked;
	/* Ids in this pass, and how often each was requested. */
	struct tp_names used;
	size_t *counts, count_cap;
	int nav_level;			/* level of the open list, or 0 */
	size_t entries;
	/* Of the current document: */
	struct tp_buf *to;
	struct tp_buf line, words;	/* a block as HTML, and as text */
	struct tp_buf lead;		/* bold text at its start */
	struct tp_buf alt, image;	/* of the current image */
	struct tp_buf target;		/* of a link that becomes text */
	struct tp_buf table, columns;	/* the table, and its name */
	struct tp_buf scratch;
	size_t row, cell, nest;
	unsigned above[8];		/* levels of the enclosing headings */
	size_t depth;
	unsigned in_image;
	int any;			/* a block has begun */
	int past_findings;		/* what comes is for reference */
	int in_table, in_code, in_paragraph, in_lead;
	int is_link, is_part;		/* open elements */
};

/*
 * Append TEXT to BUF, escaped, without control characters and characters
 * that change text direction.
 */
void tp_html_text(struct tp_buf *buf, const char *text, size_t len);
/* Read the current document.  0, or -1 with ERR. */
int tp_html_read(struct tp_html *h, struct tp_err *err);
/* Close the open lists of the table of contents. */
void tp_html_end_nav(struct tp_html *h);
/* Reset before the next pass. */
void tp_html_clear(struct tp_html *h);
void tp_html_release(struct tp_html *h);

#endif
