/* cell - values of table cells from their text */
#include <stdio.h>
#include <string.h>

#include <tp/unit.h>

#include "read.h"
#include "word.h"

/*
 * Fast path: a plain decimal integer; 1 when it is one.  16 digits at once;
 * 18 cannot overflow.
 */
static int
plain_int(const char *text, size_t len, int64_t *n)
{
	size_t sign = text[0] == '-';
	size_t i = sign, front = len - sign > 16 ? len - 16 : i;
	uint64_t u, head = 0;

	if (len - sign > 18)
		return 0;
	for (; i < front; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		head = head * 10 + (uint64_t)(text[i] - '0');
	}
	if (!tp_digits(text + i, len - i, 0, &u))
		return 0;
	u += head * UINT64_C(10000000000000000);
	*n = sign ? -(int64_t)u : (int64_t)u;
	return 1;
}

/*
 * No trace has times before its start or beyond 2^61 ns (73 years, which
 * includes times since 1970), or durations beyond 2^60 ns.  Within these
 * limits, sums and differences fit 64 bits.
 */
static int
is_plausible(enum tp_type type, int64_t n)
{
	return type == TP_TIME ? n >= 0 && n <= (int64_t)1 << 61 :
	    n >= -((int64_t)1 << 60) && n <= (int64_t)1 << 60;
}

/* Decimal or 0x hexadecimal, the full range of 64 bits. */
static int
parse_id(const char *text, size_t len, uint64_t *id)
{
	int hex = len > 2 && text[0] == '0' && (text[1] | 32) == 'x';
	uint64_t u = 0, base = hex ? 16 : 10;
	unsigned d;
	size_t i;

	for (i = hex ? 2 : 0; i < len; i++) {
		d = (unsigned)(unsigned char)text[i] - '0';
		if (d > 9 && hex)
			d = ((unsigned)(unsigned char)text[i] | 32) - 'a' + 10;
		if (d >= base || __builtin_mul_overflow(u, base, &u) ||
		    __builtin_add_overflow(u, d, &u))
			return -1;
	}
	*id = u;
	return len ? 0 : -1;
}

size_t
tp_process_name(const char *text, size_t len, int64_t *pid)
{
	size_t i = len, digits;

	*pid = -1;
	if (!len || text[len - 1] != ')')
		return len;
	for (i = len - 1; i && text[i - 1] >= '0' && text[i - 1] <= '9'; i--)
		continue;
	digits = len - 1 - i;
	if (!digits || digits > 10 || i < 1 || text[i - 1] != '(')
		return len;
	*pid = 0;
	for (digits = i; text[digits] != ')'; digits++)
		*pid = *pid * 10 + (text[digits] - '0');
	for (i--; i && text[i - 1] == ' '; i--)
		continue;
	return i;
}

size_t
tp_thread_name(const char *text, size_t len, int64_t *tid)
{
	size_t i, end;
	uint64_t id;

	*tid = -1;
	/* "NAME 0x1f (proc, pid: 7)" or "NAME (0x1f) (proc, pid: 7)" */
	for (i = len; i-- > 0;) {
		if (text[i] != '0' || i + 2 >= len || text[i + 1] != 'x' ||
		    (i && text[i - 1] != ' ' && text[i - 1] != '('))
			continue;
		for (end = i + 2; end < len && ((text[end] >= '0' &&
		    text[end] <= '9') || (text[end] >= 'a' &&
		    text[end] <= 'f')); end++)
			continue;
		if (parse_id(text + i, end - i, &id) < 0 || id > INT64_MAX)
			continue;
		*tid = (int64_t)id;
		if (i && text[i - 1] == '(')
			i--;
		break;
	}
	if (*tid < 0) {
		/* no id: the name ends at " (proc, pid: 7)" */
		for (i = len; i && text[i - 1] != '('; i--)
			continue;
		i = i ? i - 1 : len;
	}
	while (i && text[i - 1] == ' ')
		i--;
	return i;
}

int64_t
tp_thread_process(const struct tp_value *thread, const char **name,
    size_t *len)
{
	static const char before[] = ", pid: ";
	const size_t n = sizeof before - 1;
	const char *p = thread->text + thread->len, *end, *q;
	int64_t pid = 0;

	end = thread->text + thread->whole;
	if (thread->n < 0 || end == p || *--end != ')')
		return -1;
	for (q = end; q > p && q[-1] >= '0' && q[-1] <= '9' &&
	    end - q < 10; q--)
		continue;
	if (q == end || q - p < (ptrdiff_t)n || memcmp(q - n, before, n))
		return -1;
	for (const char *d = q; d < end; d++)
		pid = pid * 10 + (*d - '0');
	/* the name begins after the tid: " 0x1f (" or " (0x1f) (" */
	q -= n;
	while (p < q && (*p == ' ' || *p == '('))
		p++;
	if (q - p < 2 || p[0] != '0' || p[1] != 'x')
		return -1;
	while (p < q && *p != ' ')
		p++;
	if (q - p < 2 || p[1] != '(')
		return -1;
	*name = p + 2;
	*len = (size_t)(q - *name);
	return pid;
}

static int
is_special(char c)
{
	return c == ';' || c == '`' || c == '\\';
}

static void
print_escaped(struct tp_buf *buf, const char *name)
{
	for (; *name; name++) {
		if (is_special(*name))
			tp_buf_chr(buf, '\\');
		tp_buf_chr(buf, *name);
	}
}

void
tp_stack_print(struct tp_buf *buf, const struct tp_stack *stack)
{
	for (size_t i = stack->count; i-- > 0;) {
		const struct tp_frame *f = &stack->frames[i];

		if (*f->library) {
			print_escaped(buf, f->library);
			tp_buf_chr(buf, '`');
		}
		print_escaped(buf, f->name);
		if (i)
			tp_buf_chr(buf, ';');
	}
}

const struct tp_stack *
tp_stack_parse(struct tp_arena *arena, const char *text, size_t len)
{
	struct tp_stack *stack = tp_arena_get(arena, sizeof *stack);
	struct tp_frame *frames;
	char *copy = tp_arena_get(arena, len + 1), *w = copy;
	const char *end = text + len;
	size_t count = 1, i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\\')
			i++;
		else
			count += text[i] == ';';
	}
	frames = tp_arena_get(arena, count * sizeof *frames);
	*stack = (struct tp_stack){ .frames = frames, .count = count };
	for (i = count; i-- > 0; text++) {
		frames[i].library = "";
		frames[i].name = w;
		for (; text < end && *text != ';'; text++) {
			if (*text == '`' && !*frames[i].library) {
				*w++ = '\0';
				frames[i].library = frames[i].name;
				frames[i].name = w;
				continue;
			}
			if (*text == '\\' && text + 1 < end &&
			    is_special(text[1]))
				text++;
			*w++ = *text;
		}
		*w++ = '\0';
	}
	return stack;
}

enum tp_dim
tp_cell_dim(enum tp_type type)
{
	return type == TP_TIME || type == TP_DURATION ? TP_DIM_TIME :
	    type == TP_BYTES ? TP_DIM_BYTES : TP_DIM_PLAIN;
}

static int
bad_cell(const struct tp_slot *slot, const char *text, size_t len,
    enum tp_unit_fault fault, struct tp_err *err)
{
	static const char *const fractions[] = {
	    "a fraction of a nanosecond: is it in another unit?",
	    "a fraction of a byte", "a fraction of what is counted" };
	char why[100] = "";

	if (fault == TP_UNIT_NOTATION)
		snprintf(why, sizeof why, ": other numbers of this file have "
		    "a decimal %s", slot->decimal == '.' ? "point" : "comma");
	else if (fault == TP_UNIT_FRACTION)
		snprintf(why, sizeof why, ": %s",
		    fractions[tp_cell_dim(slot->type)]);
	if (fault == TP_UNIT_AMBIGUOUS)
		tp_fail(err, TP_BAD, "number.ambiguous", 0, "%s '%.*s' can be "
		    "read in two ways, because no other number near the "
		    "beginning shows the decimal sign: export whole "
		    "nanoseconds and bytes, or separate columns by ';' if it "
		    "is a comma", slot->name,
		    (int)(len < 40 ? len : 40), text);
	else
		tp_fail(err, TP_BAD, "row.damaged", 0, "bad %s '%.*s'%s",
		    slot->name, (int)(len < 40 ? len : 40), text, why);
	/* fatal, since earlier rows would have been read by a guess */
	err->fatal = fault == TP_UNIT_AMBIGUOUS;
	err->what = slot->name;
	return -1;
}

/* A number in the unit of its column, unless it has its own. */
static enum tp_unit_fault
in_unit(const struct tp_slot *slot, const char *text, size_t len, int64_t *n)
{
	char with[80];
	int has = len + strlen(slot->unit) + 2 > sizeof with ||
	    (text[len - 1] | 32) >= 'a';

	if (has)
		return tp_unit_read(tp_cell_dim(slot->type), text, len,
		    slot->decimal, n);
	memcpy(with, text, len);
	with[len] = ' ';
	strcpy(with + len + 1, slot->unit);
	return tp_unit_read(tp_cell_dim(slot->type), with, strlen(with),
	    slot->decimal, n);
}

/*
 * Whether TEXT has a unit of time, which it says in a column of any type; *N
 * gets the nanoseconds.
 */
static int
has_time(const struct tp_slot *slot, const char *text, size_t len,
    int64_t *n)
{
	return slot->is_any && !slot->unit && (text[len - 1] | 32) >= 'a' &&
	    !tp_unit_read(TP_DIM_TIME, text, len, slot->decimal, n) &&
	    is_plausible(TP_DURATION, *n);
}

int
tp_cell_parse(struct tp_value *value, const struct tp_slot *slot,
    const char *text, size_t len, struct tp_arena *arena, struct tp_err *err)
{
	enum tp_unit_fault fault = TP_UNIT_OK;
	enum tp_type type = slot->type;
	int ok = 1;

	value->type = TP_NONE;
	value->text = text;
	value->len = value->whole = len;
	if (!len)
		return 0;
	switch (type) {
	case TP_TIME:
	case TP_DURATION:
	case TP_BYTES:
	case TP_COUNT:
	case TP_CYCLES:
		if (slot->unit)
			fault = in_unit(slot, text, len, &value->n);
		else if (has_time(slot, text, len, &value->n))
			type = TP_DURATION;
		else if (!plain_int(text, len, &value->n))
			fault = tp_unit_read(tp_cell_dim(type), text, len,
			    slot->decimal, &value->n);
		ok = !fault && (tp_cell_dim(type) != TP_DIM_TIME ||
		    is_plausible(type, value->n));
		break;
	case TP_ID:
		ok = !parse_id(text, len, &value->id);
		break;
	case TP_PROCESS:
		value->len = tp_process_name(text, len, &value->n);
		break;
	case TP_THREAD:
		value->len = tp_thread_name(text, len, &value->n);
		break;
	case TP_STACK:
		value->stack = tp_stack_parse(arena, text, len);
		break;
	default:
		if (!slot->shift)
			break;
		value->text = tp_shift_numbers(arena, text, len, slot->shift,
		    &len);
		value->len = value->whole = (uint32_t)len;
		break;
	}
	if (!ok)
		return bad_cell(slot, text, len, fault, err);
	value->type = type;
	return 0;
}
