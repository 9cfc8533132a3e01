/* events_element - an element of traceEvents, from its bytes */
#include <string.h>

#include "events_private.h"

static const struct tp_raw absent;

/* Register the LEN bytes at TEXT as a name of arg I. */
static int
add_name(struct tp_arg_names *a, size_t i, const char *text, size_t len,
    struct tp_err *err)
{
	size_t had = tp_arg_names_find(a, text, len);
	struct tp_arg_name *name = &a->names[a->name_count];

	if (had != TP_ARG_UNUSED && a->twin_count < TP_ARG_TWINS_MAX) {
		a->twins[a->twin_count].from = (unsigned char)had;
		a->twins[a->twin_count++].to = (unsigned char)i;
		return 0;
	}
	if (i >= TP_ARG_UNUSED || a->name_count == TP_ARG_NAMES_MAX ||
	    had != TP_ARG_UNUSED)
		return tp_fail(err, TP_USAGE, "usage", 0,
		    "too many names of args, at '%.40s'", text);
	name->text = text;
	name->len = len;
	name->arg = (unsigned char)i;
	name->next = a->first[len & 63];
	a->first[len & 63] = (unsigned char)++a->name_count;
	return 0;
}

/* Register each of NAMES, separated by "|", as a name of arg I. */
static int
add_names(struct tp_arg_names *a, size_t i, const char *names,
    struct tp_err *err)
{
	size_t len;

	for (;; names += len + 1) {
		len = strcspn(names, "|");
		if (add_name(a, i, names, len, err) < 0)
			return -1;
		if (!names[len])
			return 0;
	}
}

int
tp_arg_names_init(struct tp_arg_names *a, const char *const *wanted,
    struct tp_err *err)
{
	memset(a, 0, sizeof *a);
	for (; wanted && wanted[a->wanted]; a->wanted++)
		if (add_names(a, a->wanted, wanted[a->wanted], err) < 0)
			return -1;
	a->name_at = tp_arg_names_find(a, "name", 4);
	a->count = a->wanted;
	if (a->name_at != TP_ARG_UNUSED)
		return 0;
	a->name_at = a->count++;
	return add_names(a, a->name_at, "name", err);
}

static enum tp_event_field
field_of(const struct tp_raw *key)
{
	const char *k = key->text;

	switch (key->len) {
	case 2:
		if (!memcmp(k, "ph", 2))
			return TP_F_PH;
		if (!memcmp(k, "ts", 2))
			return TP_F_TS;
		return !memcmp(k, "id", 2) ? TP_F_ID : TP_F_UNUSED;
	case 3:
		if (!memcmp(k, "pid", 3))
			return TP_F_PID;
		if (!memcmp(k, "tid", 3))
			return TP_F_TID;
		if (!memcmp(k, "dur", 3))
			return TP_F_DUR;
		return !memcmp(k, "cat", 3) ? TP_F_CAT : TP_F_UNUSED;
	case 4:
		return !memcmp(k, "name", 4) ? TP_F_NAME : TP_F_UNUSED;
	default:
		return TP_F_UNUSED;
	}
}

static int
is_word(const struct tp_raw *raw)
{
	return (raw->len == 4 && (!memcmp(raw->text, "true", 4) ||
	    !memcmp(raw->text, "null", 4))) ||
	    (raw->len == 5 && !memcmp(raw->text, "false", 5));
}

void
tp_raw_judge(struct tp_raw *raw, uint64_t *words)
{
	if ((raw->type == TP_ARG_NUMBER && !raw->simple &&
	    !tp_json_is_number(raw->text, raw->len)) ||
	    (raw->type == TP_ARG_WORD && !is_word(raw))) {
		raw->type = TP_ARG_ABSENT;
		++*words;
	}
}

/* The step that KEY leads to. */
static struct tp_seam_step
step_of(const struct tp_raw *key, const struct tp_arg_names *names,
    int in_args)
{
	struct tp_seam_step step = { TP_STEP_VALUE, 0, 0 };

	step.at = in_args ? (unsigned char)tp_arg_names_find(names,
	    key->text, key->len) : (unsigned char)field_of(key);
	if (!in_args && key->len == 4 && !memcmp(key->text, "args", 4))
		step.kind = TP_STEP_ARGS;
	step.tells = !in_args && (step.at == TP_F_PH || step.at == TP_F_CAT);
	return step;
}

/*
 * Parse up to the next value of an object, or past its end, and learn the
 * seam.
 */
static enum tp_parse
parse_step(struct tp_cursor *c, struct tp_reading *r, int in_args,
    struct tp_seam_step *step)
{
	int first = !r->seams.at->len && !r->seams.at->lost;
	struct tp_cursor was = *c;
	struct tp_raw key = absent;
	enum tp_parse rc;
	int more, plain;

	*step = (struct tp_seam_step){ TP_STEP_END, 0, 0 };
	rc = tp_raw_next(c, '}', first, &more);
	if (rc == TP_PARSE_OK && more)
		rc = tp_raw_key(c, &key, &r->spare);
	if (rc != TP_PARSE_OK)
		return rc;
	if (more)
		*step = step_of(&key, &r->names, in_args);
	/* repairs must be counted each time, so they are not learned */
	plain = !key.escaped && c->commas == was.commas &&
	    c->controls == was.controls;
	tp_seams_learn(&r->seams, was.p, plain ? (size_t)(c->p - was.p) : 0,
	    in_args, *step);
	return TP_PARSE_OK;
}

/*
 * Read values of an object into TO while they are in the usual form; stops
 * at the first other value, described by STEP, or past the end.
 */
static inline enum tp_parse
next_step(struct tp_cursor *c, struct tp_reading *r, int in_args,
    struct tp_values *to, struct tp_seam_step *step)
{
	if (!r->simd->steps(c, &r->seams, to, step))
		return parse_step(c, r, in_args, step);
	/* there may be more blanks than in the learned seam */
	if (step->kind != TP_STEP_END && *c->p <= ' ')
		c->p = tp_blanks(c->p, c->end);
	return c->p == c->end ? TP_PARSE_MORE : TP_PARSE_OK;
}

/* Copy an argument that is wanted under the same name twice. */
static void
give_twins(const struct tp_arg_names *names, struct tp_element *e)
{
	for (size_t i = 0; i < names->twin_count; i++)
		if (e->args.at[names->twins[i].to].type == TP_ARG_ABSENT)
			*tp_values_put(&e->args, names->twins[i].to) =
			    e->args.at[names->twins[i].from];
}

/* Read the object at C->p, the args. */
static enum tp_parse
read_args(struct tp_cursor *c, struct tp_reading *r, struct tp_element *e)
{
	struct tp_seam_step step;
	struct tp_raw *raw;
	enum tp_parse rc;

	c->p++;
	tp_seams_enter(&r->seams);
	for (;;) {
		rc = next_step(c, r, 1, &e->args, &step);
		if (rc == TP_PARSE_OK && step.kind == TP_STEP_END)
			give_twins(&r->names, e);
		if (rc != TP_PARSE_OK || step.kind == TP_STEP_END)
			return rc;
		raw = tp_values_put(&e->args, step.at);
		rc = tp_raw_value(c, raw);
		if (rc != TP_PARSE_OK)
			return rc;
		if (step.at != TP_ARG_UNUSED)
			tp_raw_judge(raw, &e->words);
	}
}

static void
take_phase(struct tp_element *e)
{
	const struct tp_raw *ph = &e->fields.at[TP_F_PH];
	char text[3 * 6 + 1];
	uint64_t repaired = 0;

	e->phase = 0;
	if (ph->type != TP_ARG_STRING || ph->len > 6)
		return;
	/* "\u0058" is another spelling of "X" */
	if (ph->odd && tp_raw_decode(ph, text, &repaired) == 1)
		e->phase = *text;
	else if (ph->len == 1)
		e->phase = *ph->text;
}

/* Whether the args of E's phase are read. */
static int
needs_args(const struct tp_reading *r, const struct tp_element *e)
{
	return r->phases.read[(unsigned char)e->phase] &&
	    (e->phase == 'M' || r->names.wanted);
}

/* Read "args" as far as the phase, if known by now, needs them. */
static enum tp_parse
args(struct tp_cursor *c, struct tp_reading *r, struct tp_element *e)
{
	tp_values_clear(&e->args);
	e->passed = absent;
	take_phase(e);
	if (*c->p == '{' && (e->fields.at[TP_F_PH].type != TP_ARG_STRING ||
	    needs_args(r, e)))
		return read_args(c, r, e);
	return tp_raw_value(c, &e->passed);
}

/* Return to args that a later "ph" made relevant. */
static enum tp_parse
passed_args(struct tp_cursor *c, struct tp_reading *r, struct tp_element *e)
{
	struct tp_cursor inner = { e->passed.text,
	    e->passed.text + e->passed.len, NULL, 0, 0 };

	if (read_args(&inner, r, e) == TP_PARSE_OK)
		return TP_PARSE_OK;
	return tp_raw_bad(c, inner.wrong ? inner.wrong :
	    "args that end early");
}

static enum tp_parse
read_members(struct tp_cursor *c, struct tp_reading *r, struct tp_element *e)
{
	const char *start = c->p;
	struct tp_seam_step step;
	enum tp_parse rc;
	int has_args = 0;

	r->seams.at = &r->seams.all[TP_IN_EVENT];
	r->seams.slot = 0;
	for (;;) {
		rc = next_step(c, r, 0, &e->fields, &step);
		if (rc != TP_PARSE_OK)
			return rc;
		if (step.kind == TP_STEP_END)
			break;
		has_args |= step.kind == TP_STEP_ARGS;
		rc = step.kind == TP_STEP_ARGS ? args(c, r, e) :
		    tp_raw_value(c, tp_values_put(&e->fields, step.at));
		if (rc != TP_PARSE_OK)
			return rc;
	}
	/* otherwise done when they were read */
	if (!has_args)
		tp_values_clear(&e->args);
	e->empty = tp_blanks(start, c->p) == c->p - 1;
	take_phase(e);
	return e->passed.type == TP_ARG_NESTED && *e->passed.text == '{' &&
	    needs_args(r, e) ? passed_args(c, r, e) : TP_PARSE_OK;
}

enum tp_parse
tp_element_read(struct tp_cursor *c, struct tp_reading *r,
    struct tp_element *e)
{
	struct tp_raw unused;

	e->is_object = *c->p == '{';
	if (!e->is_object)
		return tp_raw_value(c, &unused);
	tp_values_clear(&e->fields);
	e->passed = absent;
	e->words = 0;
	c->p++;
	r->seams.credit += r->seams.credit < TP_CREDIT_MAX;
	return read_members(c, r, e);
}
