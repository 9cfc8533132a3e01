/* scale - choose round numbers for an axis */
#include <tp/records.h>
#include <tp/unit.h>

#include "draw/scale.h"

int64_t
tp_scale_step(int64_t span, int count)
{
	static const int64_t factors[] = { 1, 2, 5 };
	int64_t power = 1;

	for (;; power *= 10) {
		for (int i = 0; i < 3; i++)
			if (span / (power * factors[i]) < count)
				return power * factors[i];
		if (power > INT64_MAX / 100)
			return power;
	}
}

void
tp_scale_time(struct tp_buf *b, int64_t t, int64_t step)
{
	static const struct {
		const char *name;
		int64_t size;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
	    { "ns", 1 } };
	int i = 0;

	while (step % units[i].size)
		i++;
	tp_unit_group(b, t / units[i].size);
	tp_buf_fmt(b, " %s", units[i].name);
}

void
tp_scale_number(struct tp_buf *b, const char *key, int64_t n)
{
	struct tp_field field = { .key = key, .type = TP_FIELD_INT, .n = n,
	    .x = (double)n };

	tp_unit_print(b, &field, NULL);
}

void
tp_scale_real(struct tp_buf *b, const char *key, double x)
{
	struct tp_field field = { .key = key, .type = TP_FIELD_REAL, .x = x };

	tp_unit_print(b, &field, NULL);
}

int
tp_scale_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void
tp_scale_sum(int64_t *sum, int64_t n)
{
	*sum = *sum > INT64_MAX - n ? INT64_MAX : *sum + n;
}
