/* classify - what the time of operations of a device is spent on */
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "steps.h"

/* Where the first shape of LONG_NAME begins, behind "%name = (". */
static const char *
first_shape(const char *long_name)
{
	const char *at = strstr(long_name, " = ");

	if (!at)
		return NULL;
	at += 3;
	return *at == '(' ? at + 1 : at;
}

/* Behind the layout of the shape at AT. */
static const char *
shape_end(const char *at)
{
	while (*at && *at != '{' && *at != ',' && *at != ' ' && *at != '[')
		at++;
	if (*at == '[')
		at += strcspn(at, "]") + 1;
	if (*at == '{')
		at += strcspn(at, "}") + 1;
	return at;
}

/* A copy by the memory of its result, then of all else. */
static enum tp_jax_use
direction(const struct tp_jax *jax, const char *long_name)
{
	const char *shape = first_shape(long_name), *host;

	if (!shape)
		return TP_JAX_ON_DEVICE;
	host = strstr(shape, jax->host_memory);
	if (!host)
		return TP_JAX_ON_DEVICE;
	return host < shape_end(shape) ? TP_JAX_TO_HOST : TP_JAX_TO_DEVICE;
}

static enum tp_jax_use
classify(const struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	const struct tp_detail *d = &t->details[s->detail];
	const char *category = d->category ?
	    t->texts.names[d->category].text : NULL;
	const char *texts[] = { category,
	    category ? NULL : tp_slice_name(t, s) };
	enum tp_jax_use class = (enum tp_jax_use)
	    tp_class_of(&jax->classes, texts)->number;

	/* what only says that something is waited for: its name says what */
	if (class == TP_JAX_WAIT && category) {
		texts[0] = NULL;
		texts[1] = tp_slice_name(t, s);
		class = (enum tp_jax_use)tp_class_of(&jax->classes,
		    texts)->number;
		if (class == TP_JAX_WORK)
			class = TP_JAX_WAIT;
	}
	return class == TP_JAX_ON_DEVICE ?
	    direction(jax, t->texts.names[d->long_name].text) : class;
}

/* A count that the trace gives as text AT; -1 when there is none. */
static int64_t
count_of(const struct tp_tracks *t, uint32_t at)
{
	const struct tp_name *text = &t->texts.names[at];
	int64_t n;

	return text->len && tp_jax_whole(text->text, text->len, &n) && n >= 0 ?
	    n : -1;
}

/* By what S costs, if the trace says that; it goes to *KNOWN. */
static enum tp_jax_limit
by_cost(const struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s, struct tp_jax_known *known)
{
	const struct tp_detail *d = &t->details[s->detail];
	struct tp_cost cost = { 0 };
	struct tp_roofline line;

	known->flops = count_of(t, d->flops);
	known->bytes = count_of(t, d->bytes);
	/* what only moves has no flops in the trace */
	cost.flops = known->flops < 0 && known->bytes > 0 ? 0 : known->flops;
	cost.bytes = known->bytes;
	cost.spec = cost.flops ? TP_SPEC_XLA : NULL;
	line = tp_roofline_of(jax->platform, &cost);
	if (line.bound == TP_BOUND_UNKNOWN || line.time_ns > 9e15)
		return TP_JAX_BY_UNKNOWN;
	known->roof_ps = (int64_t)(line.time_ns * 1000);
	return line.bound == TP_BOUND_COMPUTE ? TP_JAX_BY_MATH :
	    TP_JAX_BY_MEMORY;
}

static enum tp_jax_limit
by_kind(const struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	const struct tp_detail *d = &t->details[s->detail];
	const struct tp_class *c = !d->category ? NULL :
	    tp_class_of(&jax->limits, (const char *[]){
	    t->texts.names[d->category].text, NULL });

	if (!c)
		c = tp_class_of(&jax->limits, (const char *[]){ NULL,
		    tp_slice_name(t, s) });
	return !c ? TP_JAX_BY_UNKNOWN : c->number ? TP_JAX_MEMORY_KIND :
	    TP_JAX_MATH_KIND;
}

static struct tp_jax_known
find_known(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	enum tp_jax_use class = classify(jax, t, s);
	enum tp_jax_limit limit = TP_JAX_BY_UNKNOWN;
	struct tp_jax_known known = { .detail = s->detail,
	    .class = (unsigned char)(class + 1), .flops = -1, .bytes = -1 };

	if (class == TP_JAX_WORK)
		limit = by_cost(jax, t, s, &known);
	if (class == TP_JAX_WORK && limit == TP_JAX_BY_UNKNOWN)
		limit = by_kind(jax, t, s);
	known.limit = (unsigned char)limit;
	return known;
}

const struct tp_jax_known *
tp_jax_known_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	struct tp_jax_known *known;

	if (s->name < jax->classed_count) {
		known = &jax->classed[s->name];
		if (known->class && known->detail == s->detail)
			return known;
	} else if (tp_grow(&jax->classed, &jax->classed_cap,
	    (size_t)s->name + 1, sizeof *jax->classed) < 0) {
		/* it is found again next time */
		known = &jax->unkept;
	} else {
		memset(jax->classed + jax->classed_count, 0, (s->name + 1 -
		    jax->classed_count) * sizeof *jax->classed);
		jax->classed_count = (size_t)s->name + 1;
		known = &jax->classed[s->name];
	}
	*known = find_known(jax, t, s);
	return known;
}

enum tp_jax_use
tp_jax_class_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	return (enum tp_jax_use)(tp_jax_known_of(jax, t, s)->class - 1);
}

enum tp_jax_part
tp_jax_class_part(enum tp_jax_use class)
{
	switch (class) {
	case TP_JAX_COLLECTIVE:
		return TP_JAX_COMMUNICATION;
	case TP_JAX_TO_DEVICE:
	case TP_JAX_TO_HOST:
	case TP_JAX_ON_DEVICE:
	case TP_JAX_INFEED:
	case TP_JAX_WAIT:
		return TP_JAX_STALL;
	default:
		return TP_JAX_COMPUTE;
	}
}

/* Bits of an element of TYPE: the number in its name. */
static int64_t
bits_of(const char *type)
{
	static const char pred[] = "pred";

	if (!strncmp(type, pred, sizeof pred - 1))
		return 8;
	while (*type && (*type < '0' || *type > '9') && *type != '[')
		type++;
	return strtoll(type, NULL, 10);
}

int64_t
tp_jax_shape_bytes(const char *long_name)
{
	const char *at = first_shape(long_name);
	int64_t n;
	char *end;

	if (!at || (n = bits_of(at)) <= 0)
		return 0;
	at += strcspn(at, "[ ");
	if (*at != '[')
		return 0;
	while (*at != ']') {
		int64_t d = strtoll(++at, &end, 10);

		if (end == at || d < 0 || __builtin_mul_overflow(n, d, &n))
			return *at == ']' ? n / 8 : 0;
		at = end;
	}
	return n / 8;
}
