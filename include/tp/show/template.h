/*
 * template - Mustache templates over a set of records
 *
 * {{KIND.KEY}}, {{KIND[VALUE].KEY}}	a value of the first record so named
 * {{KEY}}			a value of the record of the innermost loop
 *				only
 * {{?KEY}}			such a value, or nothing when there is none
 * {{KEY.FORM}}			printed in another form (tp_unit_print), or
 *				"code": as a code span, "full": never cut
 * {{#KIND}}..{{/KIND}}		once per record, in stream order
 * {{#KIND:5}}			at most five
 * {{#KIND:5+}}			once, when there are more than five; of the
 *				record outside, as {{#KEY}} is
 * {{#KIND KEY=TEXT}}		records for which the condition holds
 *				(tp/cond.h; $NAME is a value outside the loop);
 *				several may follow
 * {{#KIND.PART}}		inside a loop over KIND, when records of
 *				KIND.PART have a "KIND_id": those whose KIND_id
 *				is the "id" of the record, in the same trace
 * {{,}}			inside a loop: ", " between records, " and "
 *				before the last, nothing after it;
 *				{{;}}: "; " between all
 * {{#KEY}}, {{#KIND.KEY}}	once, when the value exists and is neither
 *				false nor ""
 * {{#KEY=TEXT}}, {{#KEY>=20}}	once, when the condition holds
 * {{^...}}..{{/...}}		once, when {{#...}} would print nothing
 * {{! ..}}			a comment	{{> NAME}} a partial
 * {{{...}}}			not escaped: for our own text only
 *
 * A closing tag repeats the name, without ":5" and conditions.  Values are
 * escaped for Markdown.  A missing key prints "n/a" and is reported once.  A
 * line that holds only sections, comments and partials leaves nothing
 * behind; a partial among other text loses its last line end.  There are no
 * lambdas.  GPU in a
 * template stands for the device: where trace.summary has a device_kind, that
 * is printed instead (NPU, XPU).
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
	const struct tp_rec *current;	/* record of the outermost loop, or
					 * NULL */
	int plain;		/* escape for a terminal instead of Markdown */
	/*
	 * Append the text of partial NAME to BUF.  0, or -1 with ERR.  NULL: no
	 * partials.
	 */
	int (*partial)(void *arg, const char *name, struct tp_buf *buf,
	    struct tp_err *err);
	/* Called once per distinct missing NAME, unless NULL. */
	void (*missing)(void *arg, const char *name);
	void *arg;
};

/*
 * Append TEXT, filled in, to OUT.  0, or -1 with ERR: TP_BAD
 * "template.damaged", with the line in TEXT.
 */
int tp_template_render(const struct tp_template *t, const char *text,
    size_t len, struct tp_buf *out, struct tp_err *err);

/* Append TEXT, which is no template, with GPU for the device of SET. */
void tp_template_words(const struct tp_set *set, const char *text, size_t len,
    struct tp_buf *out);

/*
 * Look up NAME (tp/select.h, or "KEY") as a template does, ignoring its
 * form.  The field, or NULL; *FORM (unless FORM is NULL) gets the form,
 * pointing into NAME, or NULL.
 */
const struct tp_field *tp_template_field(const struct tp_set *set,
    const struct tp_rec *current, const char *name, const char **form);

#endif
