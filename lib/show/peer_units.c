/* peer_units - numbers of records in the units of other tools */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/text.h>

#include "peer_units.h"

static const struct tp_scale scales[] = {
	{ "ns", "_ns", 0, 1 }, { "us", "_ns", 3, 1e3 },
	{ "ms", "_ns", 6, 1e6 }, { "s", "_ns", 9, 1e9 },
	{ "ns", "_ps", 3, 1e3 }, { "us", "_ps", 6, 1e6 },
	{ "ms", "_ps", 9, 1e9 }, { "s", "_ps", 12, 1e12 },
	{ "bytes", "_bytes", 0, 1 }, { "kib", "_bytes", -1, 1024 },
	{ "mib", "_bytes", -1, 1048576 },
	{ "gib", "_bytes", -1, 1073741824 },
	{ "gib", "_bytes_per_s", -1, 1073741824 },
	{ "gflops", "_flops", -1, 1e9 },
	{ "gflops", "_flops_per_s", -1, 1e9 },
	{ "tflops", "_flops_per_s", -1, 1e12 },
	{ "tb", "_bytes_per_s", -1, 1e12 },
	{ "percent", "_ratio", -1, 0.01 },
	{ "percent", "_factor", -1, 0.01 },
	{ "flag", "", -1, 1 },
};

const struct tp_scale *
tp_scale_find(const char *name, const char *key)
{
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
		if (!strcmp(scales[i].unit, name) &&
		    tp_has_end(key, scales[i].suffix))
			return &scales[i];
	return NULL;
}

/* Write N / 10^DECIMALS exactly and without trailing zeros. */
static void
put_scaled(struct tp_buf *out, int64_t n, int decimals)
{
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n, scale = 1;
	char digits[24];
	int len;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	if (n < 0)
		tp_buf_chr(out, '-');
	tp_buf_int(out, (int64_t)(u / scale));
	if (!(u % scale))
		return;
	len = snprintf(digits, sizeof digits, "%0*llu", decimals,
	    (unsigned long long)(u % scale));
	while (digits[len - 1] == '0')
		len--;
	tp_buf_chr(out, '.');
	tp_buf_add(out, digits, (size_t)len);
}

static void
put_rounded(struct tp_buf *out, double x, int decimals)
{
	double power = pow(10, decimals), n = nearbyint(x * power);

	tp_json_real(out, fabs(n) < 9e15 ? n / power : x);
}

void
tp_scale_print(struct tp_buf *out, const struct tp_field *f,
    const struct tp_scale *scale, int decimals)
{
	double x = scale ? f->x / scale->size : f->x;

	if (scale && f->type == TP_FIELD_BOOL)
		tp_buf_int(out, f->n);
	else if (f->type == TP_FIELD_BOOL || (decimals < 0 && !scale))
		tp_buf_add(out, f->text, f->len);
	else if (decimals >= 0)
		put_rounded(out, x, decimals);
	else if (f->type == TP_FIELD_INT && scale->decimals >= 0)
		put_scaled(out, f->n, scale->decimals);
	else
		tp_json_real(out, x);
}
