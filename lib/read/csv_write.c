/* csv_write - fields of comma-separated values */
#include <csv.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/read/csv.h>
#include <tp/text.h>

/* Whether the field must be quoted to keep its meaning. */
static int
needs_quotes(const char *text, size_t len)
{
	if (!len)
		return 0;
	/* libcsv would trim blanks around an unquoted field */
	if (text[0] == ' ' || text[0] == '\t' || text[len - 1] == ' ' ||
	    text[len - 1] == '\t')
		return 1;
	for (size_t i = 0; i < len; i++)
		if (memchr("\",;\t\r\n", text[i], 6))
			return 1;
	return 0;
}

void
tp_csv_field(struct tp_buf *buf, const char *text, size_t len)
{
	struct tp_buf mended = { 0 };
	size_t need;
	char *quoted;

	tp_utf8_mend(&mended, text, len);
	if (needs_quotes(mended.p, mended.len)) {
		need = csv_write(NULL, 0, mended.p, mended.len);
		quoted = tp_alloc(need);
		csv_write(quoted, need, mended.p, mended.len);
		tp_buf_add(buf, quoted, need);
		tp_free(quoted);
	} else {
		tp_buf_add(buf, mended.p, mended.len);
	}
	tp_buf_release(&mended);
}
