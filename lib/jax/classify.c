/* classify - what the device time of operations is spent on */
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "steps.h"

/* Start of the first shape in LONG_NAME, after "%name = (". */
static const char *
first_shape(const char *long_name)
{
	const char *at = strstr(long_name, " = ");

	if (!at)
		return NULL;
	at += 3;
	return *at == '(' ? at + 1 : at;
}

/* End of the layout of the shape at AT. */
static const char *
shape_end(const char *at)
{
	while (*at && *at != '{' && *at != ',' && *at != ' ' && *at != '[')
		at++;
	if (*at == '[')
		at += strcspn(at, "]");
	at += *at == ']';
	if (*at == '{')
		at += strcspn(at, "}");
	return at + (*at == '}');
}

/* Direction of a copy, from the memory of its result and of its operands. */
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

/* Whether S, of CLASS, sends to the host or waits for it in a callback. */
static int
is_callback(const struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s, enum tp_jax_use class)
{
	return class != TP_JAX_WORK && class != TP_JAX_CONTAINER &&
	    class != TP_JAX_INFEED &&
	    tp_class_of_name(&jax->callbacks, tp_slice_tf_op(t, s));
}

static enum tp_jax_use
classify(const struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	const char *told = tp_detail_get(t, s->detail, TP_DETAIL_CATEGORY);
	const char *category = *told ? told : NULL;
	const char *texts[] = { category,
	    category ? NULL : tp_slice_name(t, s) };
	enum tp_jax_use class = (enum tp_jax_use)
	    tp_class_of(&jax->classes, texts)->number;

	/* a category of waiting; the name says for what */
	if (class == TP_JAX_WAIT && category) {
		texts[0] = NULL;
		texts[1] = tp_slice_name(t, s);
		class = (enum tp_jax_use)tp_class_of(&jax->classes,
		    texts)->number;
		if (class == TP_JAX_WORK)
			class = TP_JAX_WAIT;
	}
	if (is_callback(jax, t, s, class))
		return TP_JAX_CALLBACK;
	if (class != TP_JAX_ON_DEVICE)
		return class;
	return strstr(tp_detail_get(t, s->detail, TP_DETAIL_COPY),
	    jax->no_direction) ? TP_JAX_ANY_DIRECTION : direction(jax,
	    tp_detail_get(t, s->detail, TP_DETAIL_LONG_NAME));
}

/* Count AT of detail DETAIL, stored as text; -1 when there is none. */
static int64_t
count_of(const struct tp_tracks *t, uint32_t detail, enum tp_detail_key at)
{
	const char *text = tp_detail_get(t, detail, at);
	int64_t n;

	return *text && tp_jax_whole(text, strlen(text), &n) && n >= 0 ?
	    n : -1;
}

const char *const tp_jax_spaces[TP_JAX_SPACES] = {
	[TP_JAX_HBM] = "HBM",
	[TP_JAX_CMEM_READ] = "CMEM read", [TP_JAX_CMEM_WRITE] = "CMEM write",
	[TP_JAX_VMEM_READ] = "VMEM read", [TP_JAX_VMEM_WRITE] = "VMEM write",
};

/*
 * Add the accesses in TEXT ("HBM read 4096, VMEM write 512") to BYTES;
 * returns their number.
 */
static int
add_accesses(const char *text, int64_t bytes[TP_JAX_SPACES])
{
	const char *end, *number;
	size_t len;
	int64_t n;
	int count = 0;

	for (; *text; text = *end ? end + strspn(end, ", ") : end) {
		end = text + strcspn(text, ",");
		for (number = end; number > text && number[-1] != ' ';
		    number--)
			;
		if (!tp_jax_whole(number, (size_t)(end - number), &n) || n < 0)
			continue;
		count++;
		for (size_t i = 0; i < TP_JAX_SPACES; i++) {
			len = strlen(tp_jax_spaces[i]);
			if (!strncmp(text, tp_jax_spaces[i], len) &&
			    text[len] == ' ' && __builtin_add_overflow(
			    bytes[i], n, &bytes[i]))
				bytes[i] = INT64_MAX;
		}
	}
	return count;
}

/* Read the cost of a call of S, as far as the trace states it. */
static void
find_cost(const struct tp_tracks *t, const struct tp_jax_event *s,
    struct tp_jax_known *known)
{
	int64_t *bytes = known->space_bytes;

	known->flops = count_of(t, s->detail, TP_DETAIL_FLOPS);
	known->model_flops = count_of(t, s->detail, TP_DETAIL_MODEL_FLOPS);
	if (known->flops < 0)
		known->flops = known->model_flops;
	known->bytes = count_of(t, s->detail, TP_DETAIL_BYTES);
	memset(bytes, 0, sizeof known->space_bytes);
	/* JSON exporters drop it */
	if (!add_accesses(tp_detail_get(t, s->detail, TP_DETAIL_ACCESSES),
	    bytes))
		for (size_t i = 0; i < TP_JAX_SPACES; i++)
			bytes[i] = -1;
}

/*
 * The limit of S from its cost, if the trace states it; *KNOWN gets its
 * shortest time.
 */
static enum tp_jax_limit
by_cost(const struct tp_jax *jax, struct tp_jax_known *known)
{
	/* without details, all bytes are those of HBM */
	int64_t hbm = known->space_bytes[TP_JAX_HBM] < 0 ? known->bytes :
	    known->space_bytes[TP_JAX_HBM];
	struct tp_cost cost = { .bytes = hbm,
	    /* pure data movement has no flops in the trace */
	    .flops = known->flops < 0 && known->bytes > 0 ? 0 :
	    known->flops };
	struct tp_roofline line;
	double ns;

	cost.spec = cost.flops ? TP_SPEC_XLA : NULL;
	line = tp_roofline_of(jax->platform, &cost);
	for (unsigned i = TP_JAX_CMEM_READ; i < TP_JAX_SPACES; i++) {
		if (jax->space_bytes_per_s[i] <= 0 ||
		    known->space_bytes[i] <= 0)
			continue;
		ns = (double)known->space_bytes[i] * 1e9 /
		    jax->space_bytes_per_s[i];
		if (ns <= line.time_ns)
			continue;
		line.time_ns = ns;
		line.bound = TP_BOUND_MEMORY;
		known->space = (unsigned char)i;
	}
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
	const char *category = tp_detail_get(t, s->detail, TP_DETAIL_CATEGORY);
	const struct tp_class *c = !*category ? NULL :
	    tp_class_of(&jax->limits, (const char *[]){ category, NULL });

	if (!c)
		c = tp_class_of(&jax->limits, (const char *[]){ NULL,
		    tp_slice_name(t, s) });
	static const enum tp_jax_limit limits[] = { TP_JAX_MATH_KIND,
	    TP_JAX_MEMORY_KIND, TP_JAX_LAYOUT };

	return c ? limits[c->number] : TP_JAX_BY_UNKNOWN;
}

static struct tp_jax_known
find_known(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	enum tp_jax_use class = classify(jax, t, s);
	enum tp_jax_limit limit = TP_JAX_BY_UNKNOWN, kind;
	struct tp_jax_known known = { .class = (unsigned char)class };

	find_cost(t, s, &known);
	if (class == TP_JAX_WORK) {
		limit = by_cost(jax, &known);
		kind = by_kind(jax, t, s);
		/* at the rate of the memory it is no less superfluous */
		if (limit == TP_JAX_BY_UNKNOWN || kind == TP_JAX_LAYOUT)
			limit = kind;
	}
	known.limit = (unsigned char)limit;
	return known;
}

/* The cached entry for the name and detail of S, or a new one with *NEW set. */
static struct tp_jax_known *
known_at(struct tp_jax *jax, const struct tp_jax_event *s, int *new)
{
	size_t had = jax->classed_ids.count;
	struct tp_jax_last *last;
	ptrdiff_t at;

	if (s->name >= jax->last_count) {
		tp_grow(&jax->last, &jax->last_cap, (size_t)s->name + 1,
		    sizeof *jax->last);
		memset(jax->last + jax->last_count, 0, (s->name + 1 -
		    jax->last_count) * sizeof *jax->last);
		jax->last_count = (size_t)s->name + 1;
	}
	last = &jax->last[s->name];
	if (last->at && last->detail == s->detail)
		return &jax->classed[last->at - 1];
	/* operations of several programs may share a name */
	tp_grow(&jax->classed, &jax->classed_cap, had + 1,
	    sizeof *jax->classed);
	at = tp_ids_add(&jax->classed_ids, s->name, s->detail);
	*last = (struct tp_jax_last){ s->detail, (uint32_t)at + 1 };
	*new = (size_t)at == had;
	return &jax->classed[at];
}

const struct tp_jax_known *
tp_jax_known_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	int new = 0;
	struct tp_jax_known *known = known_at(jax, s, &new);

	if (new)
		*known = find_known(jax, t, s);
	return known;
}

enum tp_jax_use
tp_jax_class_of(struct tp_jax *jax, const struct tp_tracks *t,
    const struct tp_jax_event *s)
{
	return (enum tp_jax_use)tp_jax_known_of(jax, t, s)->class;
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
	case TP_JAX_ANY_DIRECTION:
	case TP_JAX_INFEED:
	case TP_JAX_WAIT:
	case TP_JAX_CALLBACK:
		return TP_JAX_STALL;
	default:
		return TP_JAX_COMPUTE;
	}
}

/* Bits per element of TYPE: the number in its name. */
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
	while (*at && *at != ']') {
		int64_t d = strtoll(++at, &end, 10);

		if (end == at || d < 0 || __builtin_mul_overflow(n, d, &n))
			return *at == ']' ? n / 8 : 0;
		at = end;
	}
	return *at ? n / 8 : 0;
}
