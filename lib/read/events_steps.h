/*
 * events_steps - tp_steps_...() for one vector width
 *
 * Included by events_quick.c once per instruction set, and by nobody else.
 * The includer defines SIMD(name), TARGET and WIDE (16 or 32), and three bit
 * masks over the WIDE bytes at P, first byte lowest: SAME(P, Q): equal to
 * those at Q; ENDS(P): may end a string or need a closer look; OTHERS(P):
 * not digits.
 */

#define ALL (0xffffffffu >> (32 - WIDE))

/* Whether P begins with the text of S. */
TARGET TP_ALWAYS int
SIMD(is_seam)(const struct tp_seam *s, const char *p)
{
	unsigned len = s->len;

	if (((SAME(p, s->text) | s->rest) & ALL) != ALL)
		return 0;
	return len <= WIDE || (SAME(p + len - WIDE, s->text + len - WIDE) ==
	    ALL && (len <= 2 * WIDE || tp_same_bytes(p + WIDE,
	    s->text + WIDE, len - 2 * WIDE)));
}

/* The seam at P, among those that followed WAS before; SLOT is tried first. */
TARGET TP_ALWAYS struct tp_seam *
SIMD(seam)(struct tp_seams *l, struct tp_seam *was, unsigned slot,
    const char *p)
{
	struct tp_seam *s;

	for (unsigned i = 0; i < TP_SEAM_NEXT; i++) {
		s = was->next[(slot + i) % TP_SEAM_NEXT];
		if (!s)
			break;
		if (SIMD(is_seam)(s, p)) {
			tp_seam_promote(l, was, i);
			return s;
		}
	}
	return NULL;
}

/* Read the string at P when it is short and plain: the end of it, else NULL. */
TARGET TP_ALWAYS const char *
SIMD(string)(const char *p, struct tp_raw *raw, struct tp_shape *sh)
{
	const char *from = p + 1;
	uint32_t ends = ENDS(from);

	raw->text = from;
	raw->type = TP_ARG_STRING;
	raw->escaped = raw->odd = raw->simple = 0;
	if ((ends & sh->among) == sh->found && from[sh->len] == '"') {
		raw->len = sh->len;
		return from + sh->len + 1;
	}
	for (p = from; !ends; ends = ENDS(p)) {
		p += WIDE;
		if (p - from > TP_QUICK - 1 - WIDE)
			return NULL;
	}
	p += __builtin_ctz(ends);
	if (*p != '"')
		return NULL;
	raw->len = (uint32_t)(p - from);
	tp_shape_saw(sh, raw->len, raw->len < WIDE ? ends & -ends : 0, 0);
	return p + 1;
}

/*
 * Read the number at P when it is a plain decimal, as nearly all are: the
 * end of it, else NULL.
 */
TARGET TP_ALWAYS const char *
SIMD(number)(const char *p, struct tp_raw *raw, struct tp_shape *sh)
{
	uint32_t others = OTHERS(p), len, point = 0, found;

	if (WIDE < 32 && !(others & (others - 1)))
		others |= OTHERS(p + WIDE) << (WIDE & 31);
	raw->text = p;
	raw->type = TP_ARG_NUMBER;
	raw->escaped = raw->odd = 0;
	if ((others & sh->among) == sh->found && sh->simple &&
	    is_number(p, sh->len, sh->simple - 1u)) {
		raw->len = sh->len;
		raw->simple = sh->simple;
		return p + sh->len;
	}
	if (!others || others & 1)
		return NULL;
	len = (uint32_t)__builtin_ctz(others);
	found = others & -others;
	if (p[len] == '.') {
		point = len;
		others &= others - 1;
		len = others ? (uint32_t)__builtin_ctz(others) : 0;
		found |= others & -others;
	}
	if (!is_number(p, len, point))
		return NULL;
	raw->len = len;
	raw->simple = (unsigned char)(1 + point);
	tp_shape_saw(sh, len, found, raw->simple);
	return p + len;
}

TARGET int
SIMD(tp_steps)(struct tp_cursor *c, struct tp_seams *l, struct tp_values *to,
    struct tp_seam_step *step)
{
	struct tp_raw *raw;
	struct tp_seam *was = l->at, *s = NULL;
	const char *p = c->p, *behind;
	unsigned slot = l->slot;

	for (; c->end - p >= TP_SEAM_MAX + TP_QUICK; p = behind) {
		s = SIMD(seam)(l, was, slot, p);
		if (!s)
			break;
		was = s;
		p += s->len;
		slot = 0;
		if (s->step.kind != TP_STEP_VALUE)
			break;
		raw = tp_values_put(to, s->step.at);
		behind = *p == '"' ? SIMD(string)(p, raw, &s->shape) :
		    SIMD(number)(p, raw, &s->shape);
		if (!behind)
			break;
		/* a branch, so that the next seam need not wait for it */
		if (__builtin_expect(s->step.tells, 0))
			slot = tp_seam_slot(p, behind);
		s = NULL;
	}
	l->at = was;
	l->slot = slot;
	c->p = p;
	if (s)
		*step = s->step;
	return s != NULL;
}

#undef ALL
#undef SIMD
#undef TARGET
#undef WIDE
#undef SAME
#undef ENDS
#undef OTHERS
