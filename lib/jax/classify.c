/* classify - what the time of operations of a device is spent on */
#include <stdlib.h>
#include <string.h>

#include "names.h"

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

static enum tp_jax_limit
limit(const struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	const struct tp_detail *d = &t->details[s->detail];
	const struct tp_class *c = !d->category ? NULL :
	    tp_class_of(&jax->limits, (const char *[]){
	    t->texts.names[d->category].text, NULL });

	if (!c)
		c = tp_class_of(&jax->limits, (const char *[]){ NULL,
		    tp_slice_name(t, s) });
	return c ? (enum tp_jax_limit)c->number : TP_JAX_BY_UNKNOWN;
}

/* Both, each asked once for a name and its arguments. */
static struct tp_jax_known
known_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	struct tp_jax_known known;
	enum tp_jax_use class;

	if (s->name < jax->classed_count) {
		known = jax->classed[s->name];
		if (known.class && known.detail == s->detail)
			return known;
	}
	class = classify(jax, t, s);
	known = (struct tp_jax_known){ s->detail, (unsigned char)(class + 1),
	    (unsigned char)(class == TP_JAX_WORK ? limit(jax, t, s) :
	    TP_JAX_BY_UNKNOWN) };
	/* without memory it is found again next time */
	if (tp_grow(&jax->classed, &jax->classed_cap, (size_t)s->name + 1,
	    sizeof *jax->classed) < 0)
		return known;
	if (s->name >= jax->classed_count) {
		memset(jax->classed + jax->classed_count, 0, (s->name + 1 -
		    jax->classed_count) * sizeof *jax->classed);
		jax->classed_count = (size_t)s->name + 1;
	}
	jax->classed[s->name] = known;
	return known;
}

enum tp_jax_use
tp_jax_class_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	return (enum tp_jax_use)(known_of(jax, t, s).class - 1);
}

enum tp_jax_limit
tp_jax_limit_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	return (enum tp_jax_limit)known_of(jax, t, s).limit;
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
