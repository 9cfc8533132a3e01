/*
 * template - Mustache templates over a set of records
 *
 * {{KIND.KEY}}, {{KIND[VALUE].KEY}}	a value of the first record so named
 * {{KEY}}			a value of the record of the inmost loop, not
 *				of one around it
 * {{KEY.FORM}}			printed in another form (tp_unit_print), or
 *				"code": as a code span, "full": never cut
 * {{#KIND}}..{{/KIND}}		once per record, in stream order
 * {{#KIND:5}}			at most five
 * {{#KIND KEY=TEXT}}		those of which that holds (tp/cond.h; $NAME is
 *				a value around the loop); several may follow
 * {{#KIND.PART}}		inside a loop over KIND, where records of
 *				KIND.PART have a "KIND_id": those whose KIND_id
 *				is the "id" of the record, of the same trace
 * {{,}}			inside a loop: ", " between records, " and "
 *				before the last, nothing after it;
 *				{{;}}: "; " between all
 * {{#KEY}}, {{#KIND.KEY}}	once, when there is such a value (not false,
 *				not "")
 * {{#KEY=TEXT}}, {{#KEY>=20}}	once, when that holds
 * {{^...}}..{{/...}}		when there is none of it
 * {{! ..}}			a comment	{{> NAME}} a partial
 * {{{...}}}			not escaped: for our own text only
 *
 * A closing tag repeats the name, without ":5" and conditions.
 * Values are escaped for Markdown.  A missing key prints "n/a" and is reported
 * once.  A line that holds only sections, comments and partials leaves nothing
 * behind; a partial among other text leaves its last line end behind.  No
 * lambdas.
 *
 * Memory: about twice the template, and the text it makes.
 */
#ifndef TP_SHOW_TEMPLATE_H
#define TP_SHOW_TEMPLATE_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

struct tp_template {
	const struct tp_set *set;
	const struct tp_rec *current;	/* outermost loop, or NULL */
	int plain;		/* escape for a terminal, not for Markdown */
	/* Text of partial NAME into BUF; 0 or -1; NULL: no partials. */
	int (*partial)(void *arg, const char *name, struct tp_buf *buf,
	    struct tp_err *err);
	/* Called once per distinct missing NAME; NULL: not told. */
	void (*missing)(void *arg, const char *name);
	void *arg;
};

/*
 * Append TEXT, filled in, to OUT.  0, or -1 with ERR set: TP_BAD,
 * "template.damaged", with the line in TEXT.
 */
int tp_template_render(const struct tp_template *t, const char *text,
    size_t len, struct tp_buf *out, struct tp_err *err);

/*
 * Look up NAME (tp/select.h, or "KEY") as a template does, without
 * its form: the field, or NULL; *FORM (may be NULL) gets the form or NULL,
 * pointing into NAME.
 */
const struct tp_field *tp_template_field(const struct tp_set *set,
    const struct tp_rec *current, const char *name, const char **form);

#endif
