/* template - Mustache templates over a set of records */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/cond.h>
#include <tp/hash.h>
#include <tp/select.h>
#include <tp/show/anchor.h>
#include <tp/show/template.h>
#include <tp/unit.h>

#include "md.h"

/* Most levels of nested sections and partials. */
#define DEPTH_MAX 40

/*
 * Flags in addition to those of md.h: anchor of a link, base name of a path,
 * code unless it is a number or a time.
 */
enum { ANCHOR = 1 << 8, BASE = 1 << 9, WORD = 1 << 10 };

enum node_type { LITERAL, VALUE, RAW, SECTION, INVERTED, PARTIAL, SEPARATOR };

struct node {
	enum node_type type;
	const char *name;	/* of a literal: its text */
	size_t len;
	int64_t limit;		/* {{#KIND:5}}: 5; INT64_MAX: none */
	int is_more;		/* {{#KIND:5+}}: runs once if there are more */
	struct tp_conds conds;	/* {{#KIND KEY=TEXT}}, {{#KEY=TEXT}} */
	int is_asked;		/* the latter form, and {{?KEY}} */
	size_t end;		/* of a section: index of the node after it */
	char list;		/* of a separator: ',' or ';', or '.' for the
				 * place in the loop */
	int in_line;		/* of a partial: other text is in its line */
	uint64_t line;
};

/* A parsed template. */
struct code {
	struct node *nodes;
	size_t count, cap;
	struct tp_arena arena;
	const char *text, *p, *end;
	const char *line_end;	/* end of a line of tags that prints nothing */
	uint64_t line;
	size_t open[DEPTH_MAX], depth;
	struct tp_err *err;
};

/* A running loop; scopes are linked from the innermost out. */
struct scope {
	const struct tp_rec *rec;
	const struct scope *outer;
	int more, last_but_one;	/* for {{,}} */
	int64_t place;		/* for {{.}}, from 1 */
	int loop;
	int each;		/* over more than one record */
};

struct render {
	const struct tp_template *t;
	struct tp_buf *out;
	struct tp_names missing;
	struct tp_err *err;
	int depth;		/* of partials */
};

static int
damaged(struct tp_err *err, uint64_t line, const char *what, const char *name)
{
	return tp_fail(err, TP_BAD, "template.damaged", line, "%s '{{%s}}'",
	    what, name);
}

/* Parsing. */

static struct node *
add_node(struct code *c, enum node_type type, const char *name, size_t len)
{
	struct node *node;

	tp_grow(&c->nodes, &c->cap, c->count + 1, sizeof *node);
	node = &c->nodes[c->count];
	memset(node, 0, sizeof *node);
	node->type = type;
	node->line = c->line;
	node->limit = INT64_MAX;
	node->name = name;
	node->len = len;
	if (type != LITERAL)
		node->name = tp_arena_text(&c->arena, name, len);
	c->count++;
	return node;
}

/*
 * The end of the tag that begins at P ("{{"), after its braces; NULL if it has
 * none.
 */
static const char *
tag_end(const char *p, const char *end)
{
	size_t braces = end - p > 2 && p[2] == '{' ? 3 : 2;

	for (p += braces; (size_t)(end - p) >= braces; p++)
		if (!memcmp(p, "}}}", braces))
			return p + braces;
	return NULL;
}

static int
is_tag(const char *p, const char *end)
{
	return end - p > 2 && p[0] == '{' && p[1] == '{';
}

/*
 * If the line that begins at P holds only sections, comments and partials,
 * returns its end, after the newline; else NULL.
 */
static const char *
bare_line(const char *p, const char *end)
{
	int tags = 0;

	while (p && p < end && *p != '\n') {
		if (*p == ' ' || *p == '\t' || *p == '\r') {
			p++;
		} else if (is_tag(p, end) && strchr("#^/!>", p[2])) {
			p = tag_end(p, end);
			tags = 1;
		} else {
			return NULL;
		}
	}
	return !tags || !p ? NULL : p < end ? p + 1 : end;
}

static void
add_literal(struct code *c, const char *from, const char *to)
{
	if (to == from || (c->line_end && to <= c->line_end))
		return;
	if (c->line_end && from < c->line_end)
		from = c->line_end;
	add_node(c, LITERAL, from, (size_t)(to - from));
}

/* Add literal text up to the next tag or line of tags. */
static void
take_literal(struct code *c)
{
	const char *from = c->p;

	while (c->p < c->end && !is_tag(c->p, c->end)) {
		if (*c->p++ != '\n')
			continue;
		c->line++;
		if (c->line_end && c->p < c->line_end)
			continue;
		add_literal(c, from, c->p);
		from = c->p;
		c->line_end = bare_line(c->p, c->end);
	}
	add_literal(c, from, c->p);
}

/*
 * Parse the conditions of a section, "KIND:5 KEY=TEXT ..." or "KEY=TEXT", and
 * cuts its name to the KIND or the KEY.
 */
static int
cut_condition(struct code *c, struct node *node)
{
	char *name = (char *)node->name, *end = name + node->len;
	char *at = (char *)tp_cond_scan(name, end, " :=!<>~");
	char *blank = (char *)tp_cond_scan(at, end, " ");
	char *rest = blank + strspn(blank, " ");
	int rc;

	node->is_asked = at < blank ? *at != ':' : *rest &&
	    (strchr("=<>~", *rest) || !strncmp(rest, "!=", 2));
	rc = node->is_asked ? tp_conds_add(&node->conds, name, node->len,
	    &c->arena, c->err) : tp_conds_parse(&node->conds, rest,
	    &c->arena, c->err);
	if (rc < 0)
		c->err->line = c->line;
	if (rc < 0 || !*at)
		return rc;
	if (node->is_asked) {
		node->name = node->conds.list->name;
		return 0;
	}
	*blank = '\0';
	node->is_more = *at == ':' && blank[-1] == '+';
	if (*at == ':' && (tp_unit_decimal(at + 1, strlen(at + 1) -
	    (size_t)node->is_more, 1, &node->limit) < 0 ||
	    node->limit < !node->is_more))
		return damaged(c->err, c->line, "bad limit in", name);
	*at = '\0';
	return 0;
}

static int
open_section(struct code *c, struct node *node)
{
	if (c->depth == DEPTH_MAX)
		return damaged(c->err, c->line, "nested too deeply:",
		    node->name);
	c->open[c->depth++] = (size_t)(node - c->nodes);
	return cut_condition(c, node);
}

static int
close_section(struct code *c, const char *name, size_t len)
{
	char shown[80];
	struct node *node;

	len = len < sizeof shown ? len : sizeof shown - 1;
	memcpy(shown, name, len);
	shown[len] = '\0';
	if (!c->depth)
		return damaged(c->err, c->line, "nothing to close with",
		    shown);
	node = &c->nodes[c->open[--c->depth]];
	if (strncmp(node->name, shown, sizeof shown - 1))
		return tp_fail(c->err, TP_BAD, "template.damaged", c->line,
		    "'{{/%s}}' closes '%s' of line %llu", shown, node->name,
		    (unsigned long long)node->line);
	node->end = c->count;
	return 0;
}

static enum node_type
node_type(char mark)
{
	switch (mark) {
	case '#':
		return SECTION;
	case '^':
		return INVERTED;
	case '>':
		return PARTIAL;
	case '{':
		return RAW;
	case ',':
	case ';':
	case '.':
		return SEPARATOR;
	default:
		return VALUE;
	}
}

/* Parse the tag at c->p. */
static int
take_tag(struct code *c)
{
	const char *from = c->p + 2, *to = tag_end(c->p, c->end);
	struct node *node;
	char mark = *from;

	if (!to)
		return damaged(c->err, c->line, "a tag without end:", "");
	for (c->p = to; from < to; to--)
		if (to[-1] != '}' && to[-1] != ' ' && to[-1] != '\n')
			break;
	for (const char *p = from; p < c->p; p++)
		c->line += *p == '\n';
	if (mark == '!')
		return 0;
	if (strchr("#^/>{,;?.", mark))
		from++;
	while (from < to && *from == ' ')
		from++;
	if (from > to || (from == to && !strchr(",;.", mark)))
		return damaged(c->err, c->line, "a tag without name:", "");
	if (mark == '/')
		return close_section(c, from, (size_t)(to - from));
	node = add_node(c, node_type(mark), from, (size_t)(to - from));
	node->list = mark;
	node->is_asked = mark == '?';
	node->in_line = !c->line_end || c->p > c->line_end;
	if (node->type == SECTION || node->type == INVERTED)
		return open_section(c, node);
	return 0;
}

static int
take_apart(struct code *c, const char *text, size_t len)
{
	c->text = c->p = text;
	c->end = text + len;
	c->line = 1;
	c->line_end = bare_line(c->p, c->end);
	while (c->p < c->end) {
		take_literal(c);
		if (c->p < c->end && take_tag(c) < 0)
			return -1;
	}
	if (c->depth)
		return damaged(c->err, c->nodes[c->open[c->depth - 1]].line,
		    "never closed:", c->nodes[c->open[c->depth - 1]].name);
	return 0;
}

/* Lookup. */

static const struct tp_field *
field_of(const struct tp_set *set, const struct scope *scope, const char *name,
    const char **form)
{
	const struct tp_field *field = NULL;
	const struct tp_rec *rec;
	struct tp_select s;
	size_t at = 0;

	tp_select_key(name, &s);
	/*
	 * only the innermost record: a key absent here may mean something else
	 * in an outer one
	 */
	if (scope->rec)
		field = tp_select_field(&s, scope->rec);
	if (!field && strpbrk(name, ".[") && tp_select_split(set, name, &s)) {
		rec = tp_set_next_part(set, s.records, s.records_len, &at);
		field = tp_select_field(&s, rec);
	}
	if (form)
		*form = field ? s.form : NULL;
	return field;
}

/*
 * The field NAME; of a time, "KEY_ns" with any form, what is known of it in
 * cycles of a clock whose rate is unknown, "KEY_cycles", else.
 */
static const struct tp_field *
look_up(const struct tp_set *set, const struct scope *scope, const char *name,
    const char **form)
{
	const struct tp_field *field = field_of(set, scope, name, form);
	const char *end = name, *at = NULL;
	char key[128];

	while (!field && (end = strstr(end, "_ns")))
		if (!*(end += 3) || *end == '.')
			at = end - 3;
	if (!at || snprintf(key, sizeof key, "%.*s_cycles", (int)(at - name),
	    name) >= (int)sizeof key)
		return field;
	return field_of(set, scope, key, NULL);
}

const struct tp_field *
tp_template_field(const struct tp_set *set, const struct tp_rec *current,
    const char *name, const char **form)
{
	struct scope scope = { .rec = current };

	return field_of(set, &scope, name, form);
}

/*
 * Whether REC, of kind KIND.PART, belongs to the record of the enclosing loop
 * over KIND.
 */
static int
belongs(const struct tp_rec *rec, const struct scope *scope)
{
	const struct tp_field *id, *owner;
	char key[64];
	size_t len;

	for (; scope; scope = scope->outer) {
		if (!scope->rec)
			continue;
		len = strlen(scope->rec->kind);
		if (strncmp(rec->kind, scope->rec->kind, len) ||
		    rec->kind[len] != '.' || len + 4 > sizeof key)
			continue;
		memcpy(key, scope->rec->kind, len);
		memcpy(key + len, "_id", 4);
		id = tp_rec_field(scope->rec, "id");
		owner = tp_rec_field(rec, key);
		return !id || !owner || (id->len == owner->len &&
		    !memcmp(id->text, owner->text, id->len) &&
		    !strcmp(rec->src, scope->rec->src));
	}
	return 1;
}

/* Whether condition C holds for FIELD in SCOPE. */
static int
holds(const struct tp_set *set, const struct scope *scope,
    const struct tp_cond *c, const struct tp_field *field)
{
	return tp_cond_holds(c, field, c->other ? look_up(set, scope,
	    c->other, NULL) : NULL, NULL);
}

static int
passes(const struct tp_set *set, const struct scope *scope,
    const struct node *node, const struct tp_rec *rec)
{
	const struct tp_cond *c = node->conds.list;

	for (size_t i = 0; i < node->conds.count; i++, c++)
		if (!holds(set, scope, c, tp_rec_field(rec, c->name)))
			return 0;
	return 1;
}

static const struct tp_rec *
next_of(const struct tp_set *set, const struct scope *scope,
    const struct node *node, size_t *at)
{
	const struct scope *each = scope;
	const struct tp_rec *rec;

	/* whether there are more is asked of all */
	while (each && (!each->each || node->is_more))
		each = each->outer;
	while ((rec = tp_set_next_of(set, node->name, each ? each->rec->src :
	    NULL, at)))
		if (belongs(rec, scope) && passes(set, scope, node, rec))
			return rec;
	return NULL;
}

/* Rendering. */

static const struct tp_cond is_there = { .op = TP_COND_IS };

static int
run(struct render *r, const struct code *c, size_t from, size_t to,
    const struct scope *scope);

/*
 * Split FORM into the returned flags and the form for tp_unit_print(), in UNIT.
 * Returns -1 if it is too long.
 */
static int
split_form(const char *form, char *unit, size_t size)
{
	size_t n, used = 0;
	int flags = 0;

	for (*unit = '\0'; form && *form; form += form[n] ? n + 1 : n) {
		n = strcspn(form, ".");
		if (n == 4 && !memcmp(form, "code", n)) {
			flags |= TP_MD_CODE;
		} else if (n == 4 && !memcmp(form, "full", n)) {
			flags |= TP_MD_FULL;
		} else if (n == 5 && !memcmp(form, "brief", n)) {
			flags |= TP_MD_BRIEF;
		} else if (n == 6 && !memcmp(form, "anchor", n)) {
			flags |= ANCHOR;
		} else if (n == 4 && !memcmp(form, "base", n)) {
			flags |= BASE;
		} else if (n == 4 && !memcmp(form, "word", n)) {
			flags |= WORD;
		} else {
			if (used + n + 2 > size)
				return -1;
			if (used)
				unit[used++] = '.';
			memcpy(unit + used, form, n);
			unit[used += n] = '\0';
		}
	}
	return flags;
}

static void
tell_missing(struct render *r, const char *name)
{
	size_t before = r->missing.count;

	tp_buf_str(r->out, "n/a");
	tp_names_add(&r->missing, name, strlen(name));
	if (r->missing.count > before && r->t->missing)
		r->t->missing(r->t->arg, name);
}

/* Cut a path in TEXT to its base name. */
static void
cut_folders(struct tp_buf *text)
{
	const char *slash = text->len ? strrchr(text->p, '/') : NULL;
	size_t n = slash ? (size_t)(slash + 1 - text->p) : 0;

	if (n)
		memmove(text->p, text->p + n, (text->len -= n) + 1);
}

/*
 * Whether FORM can print a number under KEY.  Then a record with a text there
 * is at fault, not the template.
 */
static int
fits_number(const char *key, const char *form)
{
	struct tp_field number = { key, "0", 1, TP_FIELD_INT, 0, 0 };
	struct tp_buf text = { 0 };
	int fits = !tp_unit_print(&text, &number, form);

	tp_buf_release(&text);
	return fits;
}

static int
run_value(struct render *r, const struct node *node,
    const struct scope *scope)
{
	struct tp_buf text = { 0 };
	const struct tp_field *field;
	const char *form;
	char unit[64];
	int flags;

	field = look_up(r->t->set, scope, node->name, &form);
	if (node->is_asked && !tp_cond_holds(&is_there, field, NULL, NULL))
		return 0;
	if (!field) {
		tell_missing(r, node->name);
		return 0;
	}
	flags = split_form(form, unit, sizeof unit);
	if (flags < 0 || tp_unit_print(&text, field, *unit ? unit : NULL) < 0) {
		tp_buf_release(&text);
		if (flags >= 0 && fits_number(field->key, unit)) {
			tell_missing(r, node->name);
			return 0;
		}
		return damaged(r->err, node->line, "no such form:",
		    node->name);
	}
	if (r->t->plain)
		flags |= TP_MD_PLAIN;
	if (flags & BASE)
		cut_folders(&text);
	if (flags & WORD && text.len && strspn(text.p, "0123456789,.:+-TZ") <
	    text.len)
		flags |= TP_MD_CODE;
	if (flags & ANCHOR)
		tp_anchor(r->out, text.p ? text.p : "", text.len);
	else if (node->type == RAW || (field->type != TP_FIELD_TEXT &&
	    !(flags & TP_MD_CODE)))
		tp_buf_add(r->out, text.p, text.len);
	else
		tp_md_add(r->out, text.p, text.len, flags);
	tp_buf_release(&text);
	return 0;
}

static int
run_loop(struct render *r, const struct code *c, size_t at_node,
    const struct scope *outer)
{
	const struct node *node = &c->nodes[at_node];
	struct scope scope = { .outer = outer, .loop = 1,
	    .each = node->limit > 1 };
	const struct tp_rec *next, *after;
	int64_t left = node->limit;
	size_t at = 0;

	next = next_of(r->t->set, outer, node, &at);
	after = next ? next_of(r->t->set, outer, node, &at) : NULL;
	while (next && left-- > 0) {
		scope.place++;
		scope.rec = next;
		next = after;
		after = next ? next_of(r->t->set, outer, node, &at) :
		    NULL;
		scope.more = next && left > 0;
		scope.last_but_one = !after || left == 1;
		if (run(r, c, at_node + 1, node->end, &scope) < 0)
			return -1;
	}
	return 0;
}

/* Whether a section's name selects records rather than a key. */
static int
names_records(struct render *r, const struct node *node,
    const struct scope *scope)
{
	const char *bracket = strrchr(node->name, ']');
	size_t at = 0;

	if (node->is_asked || (!node->conds.count && ((bracket &&
	    bracket[1]) || (!strpbrk(node->name, ".[") &&
	    look_up(r->t->set, scope, node->name, NULL)))))
		return 0;
	return next_of(r->t->set, scope, node, &at) != NULL;
}

/* Whether there are more records than the limit of NODE. */
static int
has_more(struct render *r, const struct node *node, const struct scope *scope)
{
	int64_t left = node->limit;
	size_t at = 0;

	while (left >= 0 && next_of(r->t->set, scope, node, &at))
		left--;
	return left < 0;
}

static int
run_section(struct render *r, const struct code *c, size_t at_node,
    const struct scope *outer)
{
	const struct node *node = &c->nodes[at_node];
	int loops = names_records(r, node, outer), is;

	if (node->is_more)
		is = loops && has_more(r, node, outer);
	else if (loops && node->type == SECTION)
		return run_loop(r, c, at_node, outer);
	else
		is = loops || (node->is_asked == (node->conds.count > 0) &&
		    holds(r->t->set, outer, node->is_asked ?
		    node->conds.list : &is_there, look_up(r->t->set, outer,
		    node->name, NULL)));
	if (is != (node->type == SECTION))
		return 0;
	return run(r, c, at_node + 1, node->end, outer);
}

static void
run_separator(struct render *r, const struct node *node,
    const struct scope *scope)
{
	while (scope && !scope->loop)
		scope = scope->outer;
	if (scope && node->list == '.')
		tp_buf_int(r->out, scope->place);
	else if (scope && scope->more)
		tp_buf_str(r->out, node->list == ';' ? "; " :
		    scope->last_but_one ? " and " : ", ");
}

static int
render_text(struct render *r, const char *text, size_t len,
    const struct scope *scope)
{
	struct code c = { .err = r->err };
	int rc;

	rc = take_apart(&c, text, len);
	if (!rc)
		rc = run(r, &c, 0, c.count, scope);
	tp_free(c.nodes);
	tp_arena_release(&c.arena);
	return rc;
}

/*
 * Add to an error inside a partial its line there, once, and move the error to
 * the line of NODE, which includes the partial.
 */
static void
blame_partial(struct tp_err *err, const struct node *node)
{
	static const char told[] = "partial";
	size_t len = strlen(err->text);

	if (err->status != TP_BAD)
		return;
	if (err->what != told)
		snprintf(err->text + len, sizeof err->text - len,
		    " (line %llu of '%s')", (unsigned long long)err->line,
		    node->name);
	err->what = told;
	err->line = node->line;
}

static int
run_partial(struct render *r, const struct node *node,
    const struct scope *scope)
{
	struct tp_buf text = { 0 };
	int rc;

	if (!r->t->partial || r->depth == DEPTH_MAX)
		return damaged(r->err, node->line, r->depth ?
		    "nested too deeply:" : "no partials here:", node->name);
	r->depth++;
	rc = r->t->partial(r->t->arg, node->name, &text, r->err);
	if (node->in_line && text.len && text.p[text.len - 1] == '\n')
		text.len--;
	if (!rc)
		rc = render_text(r, text.p ? text.p : "", text.len, scope);
	if (rc < 0)
		blame_partial(r->err, node);
	r->depth--;
	tp_buf_release(&text);
	return rc;
}

static int
run(struct render *r, const struct code *c, size_t from, size_t to,
    const struct scope *scope)
{
	const struct node *node;
	int rc = 0;

	while (from < to && !rc) {
		node = &c->nodes[from];
		switch (node->type) {
		case LITERAL:
			tp_template_words(r->t->set, node->name, node->len,
			    r->out);
			break;
		case VALUE:
		case RAW:
			rc = run_value(r, node, scope);
			break;
		case SECTION:
		case INVERTED:
			rc = run_section(r, c, from, scope);
			from = node->end - 1;
			break;
		case PARTIAL:
			rc = run_partial(r, node, scope);
			break;
		case SEPARATOR:
			run_separator(r, node, scope);
			break;
		}
		from++;
	}
	return rc;
}

/* Whether "GPU" at P, within TEXT to END, is a word or its plural. */
static int
is_word(const char *text, const char *p, const char *end)
{
	const char *after = p + 3;

	after += after < end && *after == 's';
	return (p == text || !(isalnum((unsigned char)p[-1]) ||
	    p[-1] == '_')) && (after == end ||
	    !(isalnum((unsigned char)*after) || *after == '_'));
}

/* What the device of SET is, as a word; NULL: a GPU, or unknown. */
static const char *
device_kind(const struct tp_set *set)
{
	const struct tp_field *f = tp_template_field(set, NULL,
	    "trace.summary.device_kind", NULL);
	const char *p;

	if (!f)
		f = tp_template_field(set, NULL,
		    "compare.summary.device_kind", NULL);
	p = f && f->type == TP_FIELD_TEXT ? f->text : "";
	while (isalnum((unsigned char)*p))
		p++;
	return f && *f->text && !*p ? f->text : NULL;
}

void
tp_template_words(const struct tp_set *set, const char *text, size_t len,
    struct tp_buf *out)
{
	const char *end = text + len, *p = text, *at;
	const char *kind = NULL;

	for (at = text; end - at >= 3; at++) {
		if (*at != 'G' || memcmp(at, "GPU", 3) ||
		    !is_word(text, at, end))
			continue;
		if (!kind && !(kind = device_kind(set)))
			break;
		tp_buf_add(out, p, (size_t)(at - p));
		tp_buf_str(out, kind);
		p = at + 3;
	}
	tp_buf_add(out, p, (size_t)(end - p));
}

int
tp_template_render(const struct tp_template *t, const char *text, size_t len,
    struct tp_buf *out, struct tp_err *err)
{
	struct render r = { .t = t, .out = out, .err = err };
	struct scope scope = { .rec = t->current };
	int rc;

	rc = render_text(&r, text, len, &scope);
	tp_names_release(&r.missing);
	return rc;
}
