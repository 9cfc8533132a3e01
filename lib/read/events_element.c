/* events_element - an element of traceEvents, from its bytes */
#include <string.h>

#include "events_private.h"

int
tp_arg_names_init(struct tp_arg_names *a, const char *const *wanted,
    struct tp_err *err)
{
	size_t i;

	memset(a, 0, sizeof *a);
	for (i = 0; wanted && wanted[i]; i++) {
		if (i == TP_ARGS_MAX)
			return tp_fail(err, TP_USAGE, "usage", 0,
			    "more than %d names of args", TP_ARGS_MAX);
		a->name[i] = wanted[i];
	}
	a->wanted = i;
	for (i = 0; i < a->wanted && strcmp(a->name[i], "name"); i++)
		continue;
	a->name_at = i;
	a->name[i] = "name";
	a->count = a->wanted + (i == a->wanted);
	for (i = 0; i < a->count; i++) {
		a->len[i] = strlen(a->name[i]);
		a->by_len[a->len[i] & 63] |= (uint64_t)1 << i;
	}
	return 0;
}

static ptrdiff_t
find_arg(const struct tp_arg_names *a, const struct tp_raw *key)
{
	uint64_t may = a->by_len[key->len & 63];

	for (; may; may &= may - 1) {
		size_t i = (size_t)__builtin_ctzll(may);

		if (a->len[i] == key->len &&
		    !memcmp(a->name[i], key->text, key->len))
			return (ptrdiff_t)i;
	}
	return -1;
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
		return !memcmp(k, "id", 2) ? TP_F_ID : TP_F_COUNT;
	case 3:
		if (!memcmp(k, "pid", 3))
			return TP_F_PID;
		if (!memcmp(k, "tid", 3))
			return TP_F_TID;
		if (!memcmp(k, "dur", 3))
			return TP_F_DUR;
		return !memcmp(k, "cat", 3) ? TP_F_CAT : TP_F_COUNT;
	case 4:
		return !memcmp(k, "name", 4) ? TP_F_NAME : TP_F_COUNT;
	default:
		return TP_F_COUNT;
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
	if ((raw->type == TP_ARG_NUMBER &&
	    !tp_json_is_number(raw->text, raw->len)) ||
	    (raw->type == TP_ARG_WORD && !is_word(raw))) {
		raw->type = TP_ARG_ABSENT;
		++*words;
	}
}

/* The object at C->p, of which the names are wanted. */
static enum tp_parse
read_args(struct tp_cursor *c, const struct tp_arg_names *names,
    struct tp_buf *spare, struct tp_element *e)
{
	struct tp_raw key, unused;
	enum tp_parse rc;
	ptrdiff_t at;
	int more;

	c->p++;
	for (int first = 1;; first = 0) {
		rc = tp_raw_next(c, '}', first, &more);
		if (rc != TP_PARSE_OK || !more)
			return rc;
		rc = tp_raw_key(c, &key, spare);
		if (rc != TP_PARSE_OK)
			return rc;
		at = find_arg(names, &key);
		rc = tp_raw_value(c, at < 0 ? &unused : &e->args[at]);
		if (rc != TP_PARSE_OK)
			return rc;
		if (at >= 0)
			tp_raw_judge(&e->args[at], &e->words);
	}
}

static void
clear_args(const struct tp_arg_names *names, struct tp_element *e)
{
	for (size_t i = 0; i < names->count; i++)
		e->args[i].type = TP_ARG_ABSENT;
}

/* "args", as far as the phase that is known by now needs them. */
static enum tp_parse
args(struct tp_cursor *c, const struct tp_arg_names *names,
    const struct tp_phases *phases, struct tp_buf *spare,
    struct tp_element *e)
{
	struct tp_raw unused;
	int known = e->fields[TP_F_PH].type == TP_ARG_STRING;

	clear_args(names, e);
	if (*c->p != '{' || (known && (!phases->read[(unsigned char)e->phase] ||
	    (e->phase != 'M' && !names->wanted))))
		return tp_raw_value(c, &unused);
	return read_args(c, names, spare, e);
}

static void
take_phase(struct tp_element *e)
{
	const struct tp_raw *ph = &e->fields[TP_F_PH];

	e->phase = ph->type == TP_ARG_STRING && ph->len == 1 ? *ph->text : 0;
}

static enum tp_parse
read_members(struct tp_cursor *c, const struct tp_arg_names *names,
    const struct tp_phases *phases, struct tp_buf *spare,
    struct tp_element *e)
{
	struct tp_raw key, unused;
	enum tp_event_field f;
	enum tp_parse rc;
	int more;

	for (int first = 1;; first = 0) {
		rc = tp_raw_next(c, '}', first, &more);
		if (rc != TP_PARSE_OK)
			return rc;
		if (!more) {
			e->empty = first;
			return TP_PARSE_OK;
		}
		rc = tp_raw_key(c, &key, spare);
		if (rc != TP_PARSE_OK)
			return rc;
		f = field_of(&key);
		if (f != TP_F_COUNT)
			rc = tp_raw_value(c, &e->fields[f]);
		else if (key.len == 4 && !memcmp(key.text, "args", 4))
			rc = args(c, names, phases, spare, e);
		else
			rc = tp_raw_value(c, &unused);
		if (rc != TP_PARSE_OK)
			return rc;
		if (f == TP_F_PH)
			take_phase(e);
	}
}

enum tp_parse
tp_element_read(struct tp_cursor *c, const struct tp_arg_names *names,
    const struct tp_phases *phases, struct tp_buf *spare,
    struct tp_element *e)
{
	struct tp_raw unused;

	e->is_object = *c->p == '{';
	if (!e->is_object)
		return tp_raw_value(c, &unused);
	for (size_t i = 0; i < TP_F_COUNT; i++)
		e->fields[i].type = TP_ARG_ABSENT;
	clear_args(names, e);
	e->phase = 0;
	e->words = 0;
	c->p++;
	return read_members(c, names, phases, spare, e);
}
