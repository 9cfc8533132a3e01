/* cond - conditions that select records */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/cond.h>
#include <tp/json.h>
#include <tp/select.h>
#include <tp/text.h>
#include <tp/unit.h>

#define PATTERN_MAX 255
#define OPERATOR "=!<>~"

/* The first condition in an outdated form, rewritten in today's form. */
static char old[128];

const char *
tp_cond_was_old(void)
{
	return old;
}

static void
tell_old(const char *not, const char *text, size_t len)
{
	if (!*old)
		snprintf(old, sizeof old, "%s%.*s", not, (int)len, text);
}

/* --- parsing */

static int
damaged(struct tp_err *err, const char *text, const char *end, const char *at,
    const char *wanted)
{
	return tp_fail(err, TP_BAD, "condition.damaged", 0, "condition "
	    "'%.*s': column %zu: %s is expected",
	    (int)(end - text < 100 ? end - text : 100), text,
	    (size_t)(at - text) + 1, wanted);
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* END without the blanks at the end of FROM..END. */
static const char *
trim(const char *from, const char *end)
{
	while (end > from && end[-1] == ' ')
		end--;
	return end;
}

const char *
tp_cond_scan(const char *from, const char *end, const char *stops)
{
	const char *p = from;
	char close = '\0';

	for (; p < end; p++)
		if (*p > '@' && *p != '[' && *p != ']' && *p != '~')
			continue;	/* most characters are letters */
		else if (!close && strchr(stops, *p))
			break;
		else if (close && *p == close && (close == ']' ||
		    p + 1 == end || p[1] == ' '))
			close = '\0';
		else if (!close && *p == '[')
			close = ']';
		else if (!close && *p == '\'' && p > from &&
		    strchr(OPERATOR, p[-1]))
			close = '\'';
	return p;
}

static int
ends_with(const struct tp_cond *c, const char *end)
{
	size_t n = strlen(end);

	return c->name_len > n && !memcmp(c->name + c->name_len - n, end, n);
}

/*
 * Parse the LEN bytes at VALUE as a number, in the unit of the key, or a
 * boolean.
 */
static void
take_number(struct tp_cond *c, const char *value, size_t len)
{
	enum tp_dim dim = ends_with(c, "_ns") ? TP_DIM_TIME :
	    ends_with(c, "bytes") ? TP_DIM_BYTES : TP_DIM_PLAIN;
	enum tp_unit_fault fault;
	char text[64], *end;

	if (tp_is(value, len, "true") || tp_is(value, len, "false")) {
		c->is_number = c->is_whole = 1;
		c->x = (double)(c->n = *value == 't');
	}
	/* neither "inf" nor "nan" */
	if (!len || len >= sizeof text || !strchr("+-.0123456789", *value))
		return;
	memcpy(text, value, len);
	text[len] = '\0';
	fault = tp_unit_read(dim, text, len, '.', &c->n);
	c->x = strtod(text, &end);
	c->is_whole = fault == TP_UNIT_OK || (*end &&
	    fault == TP_UNIT_FRACTION);
	if (c->is_whole)
		c->x = (double)c->n;
	c->is_number = c->is_whole || !*end;
}

/* "$NAME" or "FACTOR * $NAME" at P: 1, or 0. */
static int
take_other(struct tp_cond *c, const char *p, const char *end)
{
	const char *at = memchr(p, '$', (size_t)(end - p)), *star;

	c->x = 1;
	if (at && at > p) {
		star = trim(p, at);
		if (star == p || *--star != '*')
			return 0;
		take_number(c, p, (size_t)(trim(p, star) - p));
		if (!c->is_number)
			return 0;
	}
	c->is_number = c->is_whole = 0;
	if (!at)
		return 0;
	c->text = NULL;
	c->other = at + 1;
	c->other_len = (size_t)(end - c->other);
	return 1;
}

/* Parse the right-hand side, P..END; WHOLE is for messages. */
static int
take_value(struct tp_cond *c, const char *whole, const char *p,
    const char *end, struct tp_err *err)
{
	if (p == end && c->op == TP_COND_EQUAL) {
		/* "KEY!=" is the former spelling of "KEY" */
		c->op = TP_COND_IS;
		c->is_not = !c->is_not;
		tell_old(c->is_not ? "!" : "", c->name, c->name_len);
		return 0;
	}
	if (p == end || (c->op == TP_COND_EQUAL && *p == '='))
		return damaged(err, whole, end, p, "a value");
	c->text = p;
	c->len = (size_t)(end - p);
	if (*p == '\'') {
		if (c->len < 2 || end[-1] != '\'')
			return damaged(err, whole, end, end, "a closing '");
		c->text++;
		c->len -= 2;
	} else if (c->op != TP_COND_LIKE) {
		if (!take_other(c, p, end))
			take_number(c, p, c->len);
		else if (!c->other_len || tp_cond_scan(c->other, end,
		    " ") < end)
			return damaged(err, whole, end, c->other, "one NAME");
	}
	if (c->op == TP_COND_LIKE && c->len > PATTERN_MAX)
		return damaged(err, whole, end, p, "a shorter pattern");
	if ((c->op & (TP_COND_LESS | TP_COND_MORE)) && !c->is_number &&
	    !c->other)
		return damaged(err, whole, end, p, "a number or $NAME");
	return 0;
}

int
tp_cond_parse(struct tp_cond *c, const char *text, size_t len,
    struct tp_err *err)
{
	const char *end = trim(text, text + len), *p = skip_blanks(text, end);

	memset(c, 0, sizeof *c);
	for (; p < end && *p == '!'; p = skip_blanks(p + 1, end))
		c->is_not = !c->is_not;
	c->name = p;
	p = tp_cond_scan(p, end, " " OPERATOR);
	c->name_len = (size_t)(p - c->name);
	if (!c->name_len)
		return damaged(err, text, end, p, "the NAME of a value");
	p = skip_blanks(p, end);
	if (p == end)
		return 0;
	if (*p == '<' || *p == '>')
		c->op = *p == '<' ? TP_COND_LESS : TP_COND_MORE;
	else if (*p == '~')
		c->op = TP_COND_LIKE;
	else if (*p == '=' || (*p == '!' && p + 1 < end && p[1] == '='))
		c->op = TP_COND_EQUAL;
	else
		return damaged(err, text, end, p,
		    "one of = != < <= > >= ~");
	c->is_not ^= *p == '!';
	if (*p++ != '=' && c->op != TP_COND_LIKE && p < end && *p == '=') {
		c->op |= TP_COND_EQUAL;
		p++;
	}
	return take_value(c, text, skip_blanks(p, end), end, err);
}

/* --- evaluation */

/*
 * Compare A with B, or with the number of C.  Integers are compared as
 * integers unless there is a factor.
 */
static int
order_of(const struct tp_cond *c, const struct tp_field *a,
    const struct tp_field *b)
{
	double x = a->type == TP_FIELD_BOOL ? (double)a->n : a->x, y = c->x;
	int64_t n = b ? b->n : c->n;
	int order;

	if (b)
		y *= b->type == TP_FIELD_BOOL ? (double)b->n : b->x;
	if (a->type != TP_FIELD_REAL && (b ? c->x == 1 &&
	    b->type != TP_FIELD_REAL : c->is_whole))
		order = (a->n > n) - (a->n < n);
	else
		order = (x > y) - (x < y);
	return order < 0 ? TP_COND_LESS : order ? TP_COND_MORE :
	    TP_COND_EQUAL;
}

static int
compares(const struct tp_cond *c, const struct tp_field *a,
    const struct tp_field *b, const char **wrong)
{
	int is_text = b ? b->type == TP_FIELD_TEXT : !c->is_number;
	const char *text = b ? b->text : c->text;
	size_t len = b ? b->len : c->len;
	char pattern[PATTERN_MAX + 1];

	if (c->op == TP_COND_LIKE) {
		memcpy(pattern, text, len);
		pattern[len] = '\0';
		return tp_glob(pattern, a->text, a->len);
	}
	if (a->type != TP_FIELD_TEXT && !is_text)
		return (order_of(c, a, b) & c->op) != 0;
	if (a->type != TP_FIELD_TEXT)
		*wrong = "is no text, compared with text";
	else if (!is_text)
		*wrong = "is text, compared with a number";
	else if (c->op != TP_COND_EQUAL)
		*wrong = "is text, which has no order";
	/* an id is a text of digits */
	return a->type == TP_FIELD_TEXT && c->op == TP_COND_EQUAL &&
	    a->len == len && !memcmp(a->text, text, len);
}

int
tp_cond_holds(const struct tp_cond *c, const struct tp_field *a,
    const struct tp_field *b, const char **wrong)
{
	const char *unheard;
	int is;

	if (!a || a->type == TP_FIELD_NULL || (c->other && (!b ||
	    b->type == TP_FIELD_NULL)))
		return c->is_not && !c->is_strict;
	if (c->op == TP_COND_IS)
		is = a->type == TP_FIELD_BOOL ? a->n != 0 :
		    a->type != TP_FIELD_TEXT || a->len > 0;
	else
		is = compares(c, a, b, wrong ? wrong : &unheard);
	return is != c->is_not;
}

int
tp_cond_of(const struct tp_cond *c, const struct tp_rec *rec)
{
	const struct tp_select a = { .key = c->name, .key_len = c->name_len };
	const struct tp_select b = { .key = c->other,
	    .key_len = c->other_len };

	return tp_cond_holds(c, tp_select_field(&a, rec),
	    tp_select_field(&b, rec), NULL);
}

/* --- lists */

int
tp_conds_of(const struct tp_conds *conds, const struct tp_rec *rec)
{
	for (size_t i = 0; i < conds->count; i++)
		if (!tp_cond_of(&conds->list[i], rec))
			return 0;
	return 1;
}

int
tp_conds_add(struct tp_conds *conds, const char *text, size_t len,
    struct tp_arena *arena, struct tp_err *err)
{
	struct tp_cond *list = tp_arena_get(arena, (conds->count + 1) *
	    sizeof *list), *c;
	char *copy = tp_arena_text(arena, text, len);

	if (conds->count)
		memcpy(list, conds->list, conds->count * sizeof *list);
	conds->list = list;
	c = &list[conds->count];
	if (tp_cond_parse(c, copy, len, err) < 0)
		return -1;
	conds->count++;
	copy[(size_t)(c->name - copy) + c->name_len] = '\0';
	if (c->text)
		copy[(size_t)(c->text - copy) + c->len] = '\0';
	return 0;
}

int
tp_conds_parse(struct tp_conds *conds, const char *text,
    struct tp_arena *arena, struct tp_err *err)
{
	const char *end = text + strlen(text), *p, *next;

	for (p = skip_blanks(text, end); p < end; p = skip_blanks(next, end)) {
		next = tp_cond_scan(p, end, " ");
		if (tp_conds_add(conds, p, (size_t)(next - p), arena, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * Append today's form of the outdated FORM to TEXT: {"metric": NAME, "op":
 * OP, "value": VALUE} of a rule, the same with "metric2" and "factor", or a
 * member KEY: VALUE; nothing when FORM is none of these.
 */
static void
translate(struct tp_buf *text, const struct cJSON *form)
{
	const struct cJSON *value = tp_json_get(form, "value");
	const char *name = tp_json_text(form, "metric");
	const char *other = tp_json_text(form, "metric2");
	const char *op = tp_json_text(form, "op"), *sign;
	char *plain = cJSON_PrintUnformatted(value);
	double factor = 1;

	sign = op && *op == '=' ? "=" : op;
	tp_json_number(form, "factor", &factor);
	if (cJSON_IsString(form) && *form->valuestring)
		tp_buf_fmt(text, "%s %s%s", form->string,
		    strchr("<>", *form->valuestring) ? "" : "= ",
		    form->valuestring);
	else if (name && op && (*op == 'e' || *op == 'a') && !value && !other)
		/* exists, absent: false and "" exist too */
		tp_buf_fmt(text, "%s%s ~ *", *op == 'a' ? "!" : "", name);
	else if (name && op && cJSON_IsString(value))
		tp_buf_fmt(text, "%s %s '%s'", name, sign,
		    value->valuestring);
	else if (name && op && plain)
		tp_buf_fmt(text, "%s %s %s", name, sign, plain);
	else if (name && op && other)
		tp_buf_fmt(text, "%s %s %.15g * $%s", name, sign, factor,
		    other);
	cJSON_free(plain);
}

static int
add_old(struct tp_conds *conds, const struct cJSON *form,
    struct tp_arena *arena, struct tp_err *err)
{
	const char *op = tp_json_text(form, "op");
	struct tp_buf text = { 0 };
	int rc;

	translate(&text, form);
	rc = !text.len ? tp_fail(err, TP_BAD, "condition.damaged", 0,
	    "a condition is a text, " "\"NAME OP VALUE\"") : tp_conds_add(conds,
	    text.p, text.len, arena, err);
	if (!rc) {
		conds->list[conds->count - 1].is_strict = op && *op == '!';
		tell_old("", text.p, text.len);
	}
	tp_buf_release(&text);
	return rc;
}

int
tp_conds_json(struct tp_conds *conds, const struct cJSON *form,
    struct tp_arena *arena, struct tp_err *err)
{
	const struct cJSON *one;

	if (cJSON_IsString(form))
		return tp_conds_add(conds, form->valuestring,
		    strlen(form->valuestring), arena, err);
	if (form && !cJSON_IsArray(form) && !cJSON_IsObject(form))
		return add_old(conds, form, arena, err);
	cJSON_ArrayForEach(one, form)
		if ((cJSON_IsString(one) && cJSON_IsArray(form) ?
		    tp_conds_json(conds, one, arena, err) :
		    add_old(conds, one, arena, err)) < 0)
			return -1;
	return 0;
}
