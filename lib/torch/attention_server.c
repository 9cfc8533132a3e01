/*
 * attention_server - attention of inference servers
 *
 * One call serves many requests whose lengths are in no argument.  Servers
 * write sums over them into the name of the step: of query lengths (sq), of key
 * lengths (sk), of their products (sqsk) and of squared query lengths (sqsq),
 * separately for requests being read (context) and being answered (generation).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

enum { SQ, SK, SQSQ, SQSK, SUMS };

struct sums {
	int64_t n[SUMS];		/* -1: unknown */
};

/* Sums that a step tells. */
enum stated { NOTHING, QUERIES, ALL };

/* Read the number after KEY between P and END into *N.  Returns 0 or -1. */
static int
value_of(const char *p, const char *end, const char *key, int64_t *n)
{
	size_t len = strlen(key);
	char digits[20];
	size_t i = 0;

	for (; (size_t)(end - p) > len; p++)
		if (!memcmp(p, key, len))
			break;
	if ((size_t)(end - p) <= len)
		return -1;
	for (p += len; p < end && *p >= '0' && *p <= '9' && i < 18; p++)
		digits[i++] = *p;
	digits[i] = '\0';
	*n = strtoll(digits, NULL, 10);
	return i ? 0 : -1;
}

/* Parse "(sq14721sk14721sqsq108745533sqsk108745533)". */
static int
glued(const char *p, const char *end, struct sums *s)
{
	const char *close = memchr(p, ')', (size_t)(end - p));

	return !close || value_of(p, close, "(sq", &s->n[SQ]) < 0 ||
	    value_of(p, close, "sk", &s->n[SK]) < 0 ||
	    value_of(p, close, "sqsq", &s->n[SQSQ]) < 0 ||
	    value_of(p, close, "sqsk", &s->n[SQSK]) < 0 ? -1 : 0;
}

/* Parse "c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40"; fail unless all are there. */
static int
listed(const char *p, const char *end, char which, struct sums *s)
{
	static const char *const names[SUMS] = {
		" x_sq=", " x_sk=", " x_sqsq=", " x_sqsk="
	};
	char key[16];
	int found = 0;

	for (int i = 0; i < SUMS; i++) {
		strcpy(key, names[i]);
		key[1] = which;
		found += !value_of(p, end, key, &s->n[i]);
	}
	return found == SUMS ? 1 : found ? -1 : 0;
}

static const char *
find_substring(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (; (size_t)(end - p) >= len && p < end; p++)
		if (!memcmp(p, word, len))
			return p;
	return NULL;
}

static int
starts(const char *p, const char *end, const char *word)
{
	return (size_t)(end - p) >= strlen(word) &&
	    !memcmp(p, word, strlen(word));
}

/* Read all sums in the name of a step.  Returns 0 or -1. */
static int
read_all(const char *p, const char *end, struct sums *context,
    struct sums *generation)
{
	const char *at;
	struct sums *one;
	int c, g;

	if (starts(p, end, "execute_")) {
		at = find_substring(p, end, "_generation_");
		p = find_substring(p, end, "_context_");
		return !p || !at || glued(p, at, context) < 0 ||
		    glued(at, end, generation) < 0 ? -1 : 0;
	}
	if (starts(p, end, "step[")) {
		c = listed(p, end, 'c', context);
		g = listed(p, end, 'g', generation);
		return c < 0 || g < 0 || c + g == 0 ? -1 : 0;
	}
	one = starts(p, end, "prefill[") ? context :
	    starts(p, end, "decode[") ? generation : NULL;
	return !one || value_of(p, end, " tok=", &one->n[SQ]) < 0 ||
	    value_of(p, end, " sk=", &one->n[SK]) < 0 ||
	    value_of(p, end, " sqsq=", &one->n[SQSQ]) < 0 ||
	    value_of(p, end, " sqsk=", &one->n[SQSK]) < 0 ? -1 : 0;
}

/*
 * Read what the name of a step tells: all sums, or only its tokens, which are
 * the sums of the queries.
 */
static enum stated
read_step(const struct tp_arg *step, struct sums *context,
    struct sums *generation)
{
	static const struct sums none = { { 0 } };
	static const struct sums unknown = { { -1, -1, -1, -1 } };
	struct tp_torch_served served;

	*context = *generation = none;
	if (step->type != TP_ARG_STRING)
		return NOTHING;
	if (!read_all(step->text, step->text + step->len, context,
	    generation))
		return ALL;
	if (tp_torch_served(step->text, step->len, &served) < 0 ||
	    served.is_diffusion || served.is_capture ||
	    served.tokens[0] < 0 || served.tokens[1] < 0)
		return NOTHING;
	*context = *generation = unknown;
	context->n[SQ] = served.tokens[0];
	generation->n[SQ] = served.tokens[1];
	return QUERIES;
}

int
tp_torch_step_stated(const char *text, size_t len)
{
	const struct tp_arg step = { .type = TP_ARG_STRING, .text = text,
	    .len = len };
	struct sums context, generation;

	return read_step(&step, &context, &generation);
}

/* Read requests and tokens after a word such as "_context_". */
static int
group_of(const char *p, const char *end, const char *word, int64_t *requests,
    int64_t *tokens)
{
	const char *at = find_substring(p, end, word), *open;

	if (!at || value_of(at, end, word, requests) < 0)
		return -1;
	open = memchr(at, '(', (size_t)(end - at));
	if (!open)
		return -1;
	return !value_of(open, end, "(sq", tokens) ? 0 :
	    value_of(open, end, "(", tokens);
}

/*
 * Parse "step[EXTEND bs=15 toks=15360]"; in a mixed step "c=5 g=10" divides the
 * requests.
 */
static int
read_bracket(const char *p, const char *end, struct tp_torch_served *s)
{
	int64_t requests, tokens = -1;
	int decodes = starts(p, end, "step[DECODE") ||
	    starts(p, end, "decode[");

	if (value_of(p, end, "bs=", &requests) < 0)
		return -1;
	if (value_of(p, end, " toks=", &tokens) < 0)
		value_of(p, end, " tok=", &tokens);
	if (starts(p, end, "step[MIXED")) {
		if (value_of(p, end, " c=", &s->requests[0]) < 0 ||
		    value_of(p, end, " g=", &s->requests[1]) < 0 ||
		    tokens < s->requests[1])
			return -1;
		s->tokens[0] = tokens - s->requests[1];
		s->tokens[1] = s->requests[1];
		return 0;
	}
	s->requests[decodes] = requests;
	/* decoding yields one token per request and step */
	s->tokens[decodes] = tokens >= 0 ? tokens : decodes ? requests : -1;
	return 0;
}

int
tp_torch_served(const char *text, size_t len, struct tp_torch_served *s)
{
	const char *end = text + len;

	*s = (struct tp_torch_served){ { 0, 0 }, { 0, 0 }, 0, 0 };
	if (starts(text, end, "capture_")) {
		s->is_capture = 1;
		return value_of(text, end, "capture_", &s->requests[0]) < 0 ||
		    !(find_substring(text, end, "_decode") ||
		    find_substring(text, end, "_DECODE")) ? -1 : 0;
	}
	if (starts(text, end, "execute_diffusion_")) {
		s->is_diffusion = 1;
		return value_of(text, end, "execute_diffusion_",
		    &s->requests[0]);
	}
	if (starts(text, end, "execute_"))
		return group_of(text, end, "_generation_", &s->requests[1],
		    &s->tokens[1]) < 0 ? -1 : group_of(text, end,
		    find_substring(text, end, "execute_context_") == text ?
		    "execute_context_" : "_context_", &s->requests[0],
		    &s->tokens[0]);
	return starts(text, end, "step[EXTEND") ||
	    starts(text, end, "step[DECODE") ||
	    starts(text, end, "step[MIXED") ||
	    starts(text, end, "prefill[") || starts(text, end, "decode[") ?
	    read_bracket(text, end, s) : -1;
}

int
tp_torch_step_index(const char *name, size_t len)
{
	static const char *const names[] = { "c_sq", "c_sk", "c_sqsq",
	    "c_sqsk", "g_sq", "g_sk", "g_sqsq", "g_sqsk" };

	for (int i = 0; i < 2 * SUMS; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return i;
	return -1;
}

double
tp_torch_step_sum(const struct tp_torch_call *call, int index)
{
	struct sums s[2];
	int64_t n;

	if (read_step(&call->op->step, &s[0], &s[1]) == NOTHING ||
	    s[0].n[SQ] + s[1].n[SQ] == 0)
		return NAN;
	n = s[index / SUMS].n[index % SUMS];
	return n < 0 ? NAN : (double)n;
}

/*
 * Bytes moved: queries, results and their own keys and values in the
 * queries' type, older keys and values in the cache's type.
 */
static int64_t
moved(const struct sums *s, int64_t q_heads, int64_t kv_heads, int64_t dims,
    int64_t q_bytes, int64_t kv_bytes)
{
	return s->n[SK] < s->n[SQ] ? -1 : tp_torch_plus(
	    tp_torch_product(4, s->n[SQ], tp_torch_plus(q_heads, kv_heads),
	    dims, q_bytes), tp_torch_product(4, s->n[SK] - s->n[SQ],
	    kv_heads, dims, kv_bytes));
}

static void
params(struct tp_torch_call *call, const struct tp_torch_shape *q,
    const struct tp_torch_shape *k, const struct sums *context,
    const struct sums *generation)
{
	static const char *const names[2][SUMS] = {
		{ "c_sq", "c_sk", "c_sqsq", "c_sqsk" },
		{ "g_sq", "g_sk", "g_sqsq", "g_sqsk" },
	};
	int64_t kv_heads = k->n[k->rank - 2];

	tp_torch_param_int(call, "B", 1);
	tp_torch_param_int(call, "N_Q", q->n[0]);
	tp_torch_param_int(call, "H_Q", q->n[1]);
	tp_torch_param_int(call, "H_V", kv_heads);
	tp_torch_param_int(call, "H_K", kv_heads);
	tp_torch_param_int(call, "N_KV", k->n[k->rank - 3]);
	tp_torch_param_int(call, "H_KV", kv_heads);
	tp_torch_param_int(call, "d_h_qk", q->n[2]);
	tp_torch_param_int(call, "d_h_v", k->n[k->rank - 1]);
	tp_torch_param_float(call, "dropout", 0);
	tp_torch_param_bool(call, "causal", 0);
	tp_torch_param_bool(call, "flash_impl", 1);
	for (int i = 0; i < SUMS; i++)
		tp_torch_param_int(call, names[0][i], context->n[i]);
	for (int i = 0; i < SUMS; i++)
		tp_torch_param_int(call, names[1][i], generation->n[i]);
}

int
tp_torch_attention_server(struct tp_torch_call *call)
{
	struct sums context, generation;
	struct tp_torch_shape q, k;
	int64_t dims, looked, heads, q_bytes, kv_bytes;
	int at = tp_torch_option(call, "q", 0);

	if (read_step(&call->op->step, &context, &generation) != ALL ||
	    context.n[SQ] + generation.n[SQ] == 0 ||
	    tp_torch_dims_of(call, at, 3, &q) < 0 ||
	    tp_torch_dims(call, at + 1, &k) < 0 || k.rank < 3)
		return -1;
	heads = k.n[k.rank - 2];
	dims = tp_torch_plus(q.n[2], k.n[k.rank - 1]);
	/* for requests being read, the keys that precede this part */
	looked = tp_torch_mul(2, tp_torch_plus(context.n[SQSK],
	    generation.n[SQSK])) - context.n[SQSQ];
	q_bytes = tp_torch_type_bytes(call->models, tp_torch_type_name(call,
	    at));
	kv_bytes = tp_torch_type_bytes(call->models,
	    tp_torch_type_name(call, at + 1));
	tp_torch_set_cost(call, tp_torch_product(3, q.n[1], looked, dims),
	    tp_torch_plus(moved(&context, q.n[1], heads, dims, q_bytes,
	    kv_bytes), moved(&generation, q.n[1], heads, dims, q_bytes,
	    kv_bytes)), tp_torch_spec(call, tp_torch_type_name(call, at)));
	params(call, &q, &k, &context, &generation);
	return 0;
}

/* Keys and values read, and written into the cache. */
int
tp_torch_cache(struct tp_torch_call *call)
{
	const char *type = tp_torch_type_name(call, 0);
	struct tp_torch_shape shape;
	int64_t n;

	if (tp_torch_dims(call, 0, &shape) < 0 || !type)
		return -1;
	n = tp_torch_elements(&shape);
	tp_torch_set_cost(call, 0, tp_torch_product(3, (int64_t)4, n,
	    tp_torch_type_bytes(call->models, type)), tp_torch_spec(call,
	    type));
	tp_torch_param_shape(call, "op_shape", &shape);
	tp_torch_param_int(call, "nelems", n);
	tp_torch_param_raw(call, "dtype", type);
	return 0;
}
