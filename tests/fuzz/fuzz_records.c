/* fuzz_records - any bytes as a record stream; what was read is written and
 * read again */
#include <string.h>

#include <tp/records.h>

#include "feed.h"

static void
write_again(struct tp_out *out, const struct tp_rec *rec)
{
	out->src = NULL;
	tp_out_begin(out, rec->kind);
	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];

		if (!strcmp(f->key, "kind"))
			continue;
		if (f->type == TP_FIELD_TEXT)
			tp_out_bytes(out, "k", f->text, f->len);
		else if (f->type == TP_FIELD_INT)
			tp_out_int(out, "k", f->n);
		else if (f->type == TP_FIELD_REAL)
			tp_out_real(out, "k", f->x);
		else
			tp_out_bool(out, "k", 1);
	}
	tp_out_end(out);
}

static int
differ(const struct tp_field *a, const struct tp_field *b)
{
	if (a->type == TP_FIELD_TEXT)
		return b->type != TP_FIELD_TEXT || a->len != b->len ||
		    memcmp(a->text, b->text, a->len);
	if (a->type == TP_FIELD_INT)
		return b->type != TP_FIELD_INT || a->n != b->n;
	return a->type == TP_FIELD_REAL && a->x != b->x;
}

/* One line, as a record. */
static void
one_line(const char *line, size_t len)
{
	struct tp_arena arena = { 0 };
	struct tp_rec rec, twin;
	struct tp_out out;
	struct tp_err err;
	size_t at = 1;

	if (tp_rec_parse(&rec, line, len, &arena, &err) < 0) {
		tp_arena_release(&arena);
		return;
	}
	tp_out_init(&out, -1);
	write_again(&out, &rec);
	if (tp_rec_parse(&twin, out.buf.p, out.buf.len - 1, &arena, &err) < 0)
		broken("a record that was written cannot be read");
	for (size_t i = 0; i < rec.count && !out.replaced; i++) {
		if (!strcmp(rec.fields[i].key, "kind"))
			continue;
		if (at == twin.count || differ(&rec.fields[i],
		    &twin.fields[at++]))
			broken("a record changes when it is written");
	}
	tp_out_release(&out);
	tp_arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size, *lf;

	feed_rows(data, size, TP_FORMAT_RECORDS);
	for (; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf)
			lf = end;
		one_line(p, (size_t)(lf - p));
		if (lf == end)
			break;
	}
	return 0;
}
