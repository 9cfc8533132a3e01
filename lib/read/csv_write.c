/* csv_write - fields of comma-separated values */
#include <csv.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/read/csv.h>

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
	size_t need;
	char *quoted;

	if (!needs_quotes(text, len)) {
		tp_buf_add(buf, text, len);
		return;
	}
	need = csv_write(NULL, 0, text, len);
	quoted = tp_alloc(need);
	if (!quoted) {
		buf->failed = 1;
		return;
	}
	csv_write(quoted, need, text, len);
	tp_buf_add(buf, quoted, need);
	tp_free(quoted);
}
