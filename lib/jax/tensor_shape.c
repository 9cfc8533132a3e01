/* tensor_shape - shapes of an operation, and its relative work */
#include <string.h>

#include <tp/text.h>

#include "hlo_ops.h"

enum { SHAPES_MAX = 8, DIMS_MAX = 16 };

struct shape {
	const char *dims;	/* after '[' */
	size_t len;
};

/* Next dtype[dims] of a known type at or after *P, before END. */
static int
next_shape(const char **p, const char *end, struct shape *shape)
{
	static const char *const types[] = {
		"bf16", "f32", "f16", "s32", "u32", "s8", "u8", "pred", NULL
	};
	const char *open, *close, *word;

	for (; (open = memchr(*p, '[', (size_t)(end - *p))); *p = open + 1) {
		close = memchr(open, ']', (size_t)(end - open));
		if (!close)
			return 0;
		for (word = open; word > *p && tp_is_word(word[-1]); word--)
			;
		shape->dims = open + 1;
		shape->len = (size_t)(close - open - 1);
		if (!shape->len ||
		    strspn(shape->dims, "0123456789,") < shape->len)
			continue;
		for (int i = 0; types[i]; i++)
			if ((size_t)(open - word) == strlen(types[i]) &&
			    !memcmp(word, types[i], strlen(types[i]))) {
				*p = close + 1;
				return 1;
			}
	}
	return 0;
}

static void
add_shapes(struct tp_buf *buf, const char *from, const char *to, int most)
{
	struct shape s;

	for (int n = 0; n < most && next_shape(&from, to, &s); n++) {
		if (n)
			tp_buf_chr(buf, '|');
		tp_buf_add(buf, s.dims, s.len);
	}
}

static const char *
skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n')
		p++;
	return p;
}

/* End of a tuple that starts after '(': the ')' that a call follows. */
static const char *
tuple_end(const char *p)
{
	const char *q;

	for (; (p = strchr(p, ')')); p++) {
		q = skip_blanks(p + 1);
		if (q == p + 1 || !tp_is_word(*q))
			continue;
		while (tp_is_word(*q) || *q == '-' || *q == '.')
			q++;
		if (*q == '(')
			return p;
	}
	return NULL;
}

void
tp_jax_shape(struct tp_buf *buf, const char *long_name)
{
	const char *result, *end;
	size_t had = buf->len;

	for (result = long_name; (result = strchr(result, '=')); ) {
		result = skip_blanks(result + 1);
		if (*result == '(' && (end = tuple_end(result))) {
			add_shapes(buf, result, end, INT32_MAX);
			if (buf->len > had)
				return;
		} else if (tp_is_word(*result)) {
			end = result + strcspn(result, "[ ({");
			if (*end == '[') {	/* dtype[dims] */
				add_shapes(buf, result,
				    end + strcspn(end, "]") + 1, 1);
				return;
			}
		}
	}
	add_shapes(buf, long_name, long_name + strlen(long_name), SHAPES_MAX);
}

/*
 * Read the dimensions of the shape at *P; returns their number, -1 at the
 * end.
 */
static int
next_dims(const char **p, double dims[DIMS_MAX])
{
	int n = 0, more = **p != '\0';
	double d = 0;

	for (; **p && **p != '|'; ++*p) {
		if (**p != ',') {
			d = d * 10 + (**p - '0');
			if ((*p)[1] >= '0' && (*p)[1] <= '9')
				continue;
			if (n < DIMS_MAX)
				dims[n++] = d;
		}
		d = 0;
	}
	if (**p)
		++*p;
	return more ? n : -1;
}

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

/*
 * The largest of each of the first four dimensions over shapes of at least
 * RANK, and the smallest fourth; 0 when there is no such shape.
 */
static int
largest_dims(const char *shape, int rank, double most[4], double *least)
{
	double dims[DIMS_MAX];
	int n, found = 0;

	memset(most, 0, 4 * sizeof *most);
	*least = 0;
	while ((n = next_dims(&shape, dims)) >= 0) {
		if (n < rank)
			continue;
		for (int i = 0; i < 4 && i < n; i++)
			most[i] = larger(most[i], dims[i]);
		if (n > 3 && (!found || dims[3] < *least))
			*least = dims[3];
		found = 1;
	}
	return found;
}

double
tp_jax_work(const char *shape, enum tp_jax_flops flops)
{
	double dims[DIMS_MAX], m[4], least, work = 0, product;
	int n;

	if (flops == TP_JAX_FLOPS_ATTENTION &&
	    largest_dims(shape, 4, m, &least))
		return 2 * m[0] * m[1] * m[2] * m[2] * (m[3] + least);
	if (flops == TP_JAX_FLOPS_LOSS && largest_dims(shape, 2, m, &least))
		return 2 * m[0] * m[1];
	while ((n = next_dims(&shape, dims)) >= 0) {
		product = n ? 1 : 0;
		for (int i = 0; i < n; i++)
			product *= dims[i];
		work = larger(work, product);
	}
	return work;
}
