/* doc - print a nested JSON document */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/doc.h>
#include <tp/records.h>
#include <tp/text.h>

static void
ascii(struct tp_buf *buf, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text), n;
	uint32_t c;

	tp_buf_chr(buf, '"');
	for (; left; p += n, left -= n) {
		n = tp_utf8((const char *)p, left, &c);
		if (!n) {
			n = 1;
			c = 0xfffd;
		}
		if (c == '"' || c == '\\')
			tp_buf_fmt(buf, "\\%c", (int)c);
		else if (c == '\n')
			tp_buf_str(buf, "\\n");
		else if (c == '\t')
			tp_buf_str(buf, "\\t");
		else if (c == '\r')
			tp_buf_str(buf, "\\r");
		else if (c >= 0x10000)
			tp_buf_fmt(buf, "\\u%04x\\u%04x",
			    0xd800 + (unsigned)((c - 0x10000) >> 10),
			    0xdc00 + (unsigned)((c - 0x10000) & 0x3ff));
		else if (c < 0x20 || c >= 0x7f)
			tp_buf_fmt(buf, "\\u%04x", (unsigned)c);
		else
			tp_buf_chr(buf, (char)c);
	}
	tp_buf_chr(buf, '"');
}

static void
line(struct tp_doc *j)
{
	if (j->compact)
		return;
	tp_buf_chr(j->buf, '\n');
	for (int i = 0; i < j->depth; i++)
		tp_buf_str(j->buf, "  ");
}

static void
start(struct tp_doc *j, const char *key)
{
	if (j->filled)
		tp_buf_chr(j->buf, ',');
	if (j->depth)
		line(j);
	if (key) {
		ascii(j->buf, key);
		tp_buf_str(j->buf, j->compact ? ":" : ": ");
	}
	j->filled = 1;
}

static void
open(struct tp_doc *j, const char *key, char c)
{
	start(j, key);
	tp_buf_chr(j->buf, c);
	j->depth++;
	j->filled = 0;
}

void
tp_doc_object(struct tp_doc *j, const char *key)
{
	open(j, key, '{');
}

void
tp_doc_array(struct tp_doc *j, const char *key)
{
	open(j, key, '[');
}

void
tp_doc_close(struct tp_doc *j, char close)
{
	j->depth--;
	if (j->filled)
		line(j);
	tp_buf_chr(j->buf, close);
	j->filled = 1;
	if (!j->depth)
		tp_buf_chr(j->buf, '\n');
}

void
tp_doc_text(struct tp_doc *j, const char *key, const char *text)
{
	start(j, key);
	ascii(j->buf, text);
}

void
tp_doc_int(struct tp_doc *j, const char *key, int64_t n)
{
	start(j, key);
	tp_buf_int(j->buf, n);
}

void
tp_doc_number(struct tp_doc *j, const char *key, const char *text)
{
	start(j, key);
	tp_buf_str(j->buf, text);
}

void
tp_doc_bool(struct tp_doc *j, const char *key, int yes)
{
	start(j, key);
	tp_buf_str(j->buf, yes ? "true" : "false");
}

void
tp_doc_null(struct tp_doc *j, const char *key)
{
	start(j, key);
	tp_buf_str(j->buf, "null");
}

void
tp_doc_float(struct tp_doc *j, const char *key, double x)
{
	size_t had;

	if (!isfinite(x)) {
		tp_doc_null(j, key);
		return;
	}
	start(j, key);
	had = j->buf->len;
	tp_json_real(j->buf, x);
	if (!strpbrk(j->buf->p + had, ".e"))
		tp_buf_str(j->buf, ".0");
}

void
tp_doc_maybe(struct tp_doc *j, const char *key, const char *text)
{
	if (text && *text)
		tp_doc_text(j, key, text);
	else
		tp_doc_null(j, key);
}

void
tp_doc_us(struct tp_doc *j, const char *key, int64_t ps)
{
	tp_doc_float(j, key, (double)ps / 1e6);
}

void
tp_doc_json(struct tp_doc *j, const char *key, const struct cJSON *value)
{
	const struct cJSON *i;
	double n = value->valuedouble;

	if (cJSON_IsObject(value) || cJSON_IsArray(value)) {
		open(j, key, cJSON_IsObject(value) ? '{' : '[');
		cJSON_ArrayForEach(i, value)
			tp_doc_json(j, cJSON_IsObject(value) ? i->string :
			    NULL, i);
		tp_doc_close(j, cJSON_IsObject(value) ? '}' : ']');
	} else if (cJSON_IsString(value))
		tp_doc_text(j, key, value->valuestring);
	else if (cJSON_IsBool(value))
		tp_doc_bool(j, key, cJSON_IsTrue(value));
	else if (!cJSON_IsNumber(value))
		tp_doc_null(j, key);
	else if (n == floor(n) && fabs(n) < 9007199254740992.0)
		tp_doc_int(j, key, (int64_t)n);
	else
		tp_doc_float(j, key, n);
}
