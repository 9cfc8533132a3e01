/* etdp_value - cell values of a row made from an ETDump event */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/buf.h>
#include <tp/records.h>

#include "etdp_value.h"

/* Make V the number TEXT. */
static void
decimal(struct tp_value *v, const char *text, size_t len)
{
	v->type = TP_DECIMAL;
	v->text = text;
	v->len = v->whole = (uint32_t)len;
}

void
tp_etdp_decimal(struct tp_value *v, uint64_t n, int digits,
    struct tp_arena *arena)
{
	uint64_t scale = digits == 3 ? 1000 : 1000000;
	char text[48];
	int len = snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64,
	    n / scale, digits, n % scale);

	while (text[len - 1] == '0' && text[len - 2] != '.')
		len--;
	decimal(v, tp_arena_text(arena, text, (size_t)len), (size_t)len);
}

void
tp_etdp_share(struct tp_value *v, uint64_t part, uint64_t whole,
    struct tp_arena *arena)
{
	struct tp_buf text = { 0 };

	if (!whole)
		return;
	tp_json_real(&text, 100 * ((double)part / (double)whole));
	decimal(v, tp_arena_text(arena, text.p, text.len), text.len);
	tp_buf_release(&text);
}

void
tp_etdp_text(struct tp_value *v, const char *p, size_t len)
{
	v->type = TP_TEXT;
	v->text = p;
	v->len = v->whole = (uint32_t)len;
}

void
tp_etdp_whole(struct tp_value *v, int64_t n)
{
	v->type = TP_COUNT;
	v->n = n;
}

size_t
tp_etdp_base(const char *name, size_t len)
{
	size_t n = len;

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n < len && n > 2 && !memcmp(name + n - 2, " #", 2) ? n - 2 :
	    len;
}
