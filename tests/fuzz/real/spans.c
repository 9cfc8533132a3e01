#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "spans.h"

#define MAX_DEPTH 512

const char *const form_names[FORMS] = {
	"text", "records", "events", "json", "xml", "table", "proto",
	"database", "flatbuffer",
};

static uint64_t
hash(uint64_t h, const char *p, size_t len)
{
	h ^= 0xcbf29ce484222325u;
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)p[i]) * 0x100000001b3u;
	return h;
}

static size_t
add(struct spans *s, char type, size_t at, size_t end, size_t from,
    size_t up, uint64_t group)
{
	if (s->count == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->v = realloc(s->v, s->cap * sizeof *s->v);
		if (!s->v)
			abort();
	}
	s->v[s->count] = (struct span){ at, end, from, up, 0, group, type };
	return s->count++;
}

/* Behind the string that begins at AT. */
static size_t
string_end(const char *p, size_t at, size_t len)
{
	for (at++; at < len && p[at] != '"'; at++)
		if (p[at] == '\\')
			at++;
	return at < len ? at + 1 : len;
}

/* Values by their keys, elements of arrays by the key of the array. */
static void
find_json(struct spans *s, const char *p, size_t len)
{
	struct {
		size_t span;
		int object;
	} stack[MAX_DEPTH];
	size_t depth = 0, from = NO_SPAN, end, i = 0, up;
	uint64_t key = 0;
	int object;

	while (i < len) {
		unsigned char c = (unsigned char)p[i];

		up = depth ? stack[depth - 1].span : NO_SPAN;
		object = depth && stack[depth - 1].object;
		if (c == '{' || c == '[') {
			if (depth == MAX_DEPTH)
				return;
			up = add(s, 'c', i, len, from == NO_SPAN ? i : from,
			    up, key);
			stack[depth].object = c == '{';
			stack[depth++].span = up;
			key = hash(key, "[]", 2);
			from = NO_SPAN;
			i++;
		} else if (c == '}' || c == ']') {
			if (depth)
				s->v[stack[--depth].span].end = i + 1;
			from = NO_SPAN;
			i++;
		} else if (c == '"' && object && from == NO_SPAN) {
			end = string_end(p, i, len);
			key = hash(0, p + i, end - i);
			add(s, 'k', i, end, i, up, hash(1, "", 0));
			from = i;
			i = end;
		} else if (c == ',') {
			from = NO_SPAN;
			if (depth && !object)
				key = hash(s->v[up].group, "[]", 2);
			i++;
		} else if (isspace(c) || c == ':') {
			i++;
		} else {
			end = i + 1;
			if (c == '"')
				end = string_end(p, i, len);
			else
				while (end < len && !strchr(",]} \n\r\t:",
				    p[end]))
					end++;
			add(s, 'v', i, end, from == NO_SPAN ? i : from, up,
			    key);
			i = end;
		}
	}
}

static size_t
name_end(const char *p, size_t at, size_t len)
{
	while (at < len && !strchr(" \t\r\n=/>", p[at]))
		at++;
	return at;
}

/* Attributes of the tag whose name ends at I; behind the tag. */
static size_t
find_attributes(struct spans *s, const char *p, size_t i, size_t len,
    size_t up, uint64_t group)
{
	while (i < len && p[i] != '>') {
		size_t from = i, name, end;
		char quote;

		while (i < len && isspace((unsigned char)p[i]))
			i++;
		name = i;
		i = end = name_end(p, i, len);
		if (end == name || end + 1 >= len || p[end] != '=') {
			i += end == name && i < len && p[i] != '>';
			continue;
		}
		quote = p[end + 1];
		i = end + 2;
		while (i < len && p[i] != quote)
			i++;
		add(s, 'v', end + 2, i, from, up,
		    hash(group, p + name, end - name));
		i += i < len;
	}
	return i < len ? i + 1 : len;
}

static void
find_xml(struct spans *s, const char *p, size_t len)
{
	size_t stack[MAX_DEPTH], depth = 0, i = 0, end, up, text;
	uint64_t group = 0;

	while (i < len) {
		up = depth ? stack[depth - 1] : NO_SPAN;
		if (p[i] != '<') {
			for (text = i; i < len && p[i] != '<'; i++)
				continue;
			if (up != NO_SPAN)
				add(s, 'v', text, i, text, up,
				    hash(s->v[up].group, "#", 1));
		} else if (i + 1 < len && p[i + 1] == '/') {
			while (i < len && p[i] != '>')
				i++;
			i += i < len;
			if (depth)
				s->v[stack[--depth]].end = i;
		} else {
			end = name_end(p, i + 1, len);
			group = hash(0, p + i, end - i);
			up = add(s, 'c', i, len, i, up, group);
			end = find_attributes(s, p, end, len, up, group);
			s->v[up].end = end;
			if (p[i + 1] != '?' && p[i + 1] != '!' &&
			    (end < 2 || p[end - 2] != '/')) {
				if (depth == MAX_DEPTH)
					return;
				stack[depth++] = up;
			}
			i = end;
		}
	}
}

static size_t
cell_end(const char *p, size_t at, size_t len, const char *stops)
{
	if (p[at] == '"')
		for (at++; at < len && (p[at] != '"' ||
		    (at + 1 < len && p[at + 1] == '"')); at++)
			at += p[at] == '"';
	while (at < len && !strchr(stops, p[at]))
		at++;
	return at;
}

/* Cells by column, or words of a text by their place. */
static void
find_cells(struct spans *s, const char *p, size_t len, const char *stops)
{
	size_t i = 0, row = NO_SPAN, column = 0, end;
	char name[2];

	while (i < len) {
		if (row == NO_SPAN) {
			row = add(s, 'c', i, len, i, NO_SPAN, hash(2, "", 0));
			column = 0;
		}
		end = *stops == ',' || *stops == '\t' || *stops == ';' ?
		    cell_end(p, i, len, stops) : i + strcspn(p + i, stops);
		if (end > len)
			end = len;
		memcpy(name, (char[]){ (char)column, 3 }, 2);
		add(s, 'v', i, end, i, row, hash(3, name, 2));
		column++;
		i = end + 1;
		if (end < len && p[end] == '\n') {
			s->v[row].end = end + 1;
			row = NO_SPAN;
		}
	}
}

size_t
varint_read(const char *p, size_t at, size_t end, uint64_t *value)
{
	*value = 0;
	for (size_t n = 0; n < 10 && at + n < end; n++) {
		*value |= (uint64_t)(p[at + n] & 0x7f) << 7 * n;
		if (!(p[at + n] & 0x80))
			return n + 1;
	}
	return 0;
}

size_t
varint_write(char out[10], uint64_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		out[n++] = (char)(value | 0x80);
	out[n++] = (char)value;
	return n;
}

/* Fields between I and END, added to S unless that is NULL; whether all is
 * such fields. */
static int
find_proto(struct spans *s, const char *p, size_t i, size_t end, size_t up,
    uint64_t group, int depth)
{
	uint64_t tag, size;
	size_t n, from, span;

	while (i < end) {
		from = i;
		n = varint_read(p, i, end, &tag);
		if (!n || tag >> 3 == 0 || tag >> 3 > 1 << 20)
			return 0;
		i += n;
		switch (tag & 7) {
		case 0:
			n = varint_read(p, i, end, &size);
			break;
		case 1:
		case 5:
			n = (tag & 7) == 1 ? 8 : 4;
			break;
		case 2:
			n = varint_read(p, i, end, &size);
			if (!n || size > end - i - n)
				return 0;
			if (s) {
				span = add(s, 'v', i + n, i + n + size, from,
				    up, hash(group, (char *)&tag, sizeof tag));
				s->v[span].size_at = i;
				if (size > 1 && depth < 20 &&
				    find_proto(NULL, p, i + n, i + n + size,
				    0, 0, 0)) {
					s->v[span].type = 'c';
					find_proto(s, p, i + n, i + n + size,
					    span, s->v[span].group, depth + 1);
				}
			}
			i += n + size;
			continue;
		default:
			return 0;
		}
		if (!n || n > end - i)
			return 0;
		if (s)
			add(s, tag & 7 ? 'b' : 'n', i, i + n, from, up,
			    hash(group, (char *)&tag, sizeof tag));
		i += n;
	}
	return 1;
}

static void
find_words(struct spans *s, const char *p, size_t len)
{
	for (size_t i = 0; i + 4 <= len; i += 4) {
		int32_t word;

		memcpy(&word, p + i, 4);
		/* an offset, a small number, and any other */
		add(s, 'b', i, i + 4, i, NO_SPAN, hash(4, (char[]){
		    (char)((word > 0 && (size_t)word < len - i) +
		    2 * (word > -64 && word < 64)) }, 1));
		if (i % 8 == 0 && i + 8 <= len)
			add(s, 'b', i, i + 8, i, NO_SPAN, hash(5, "", 0));
		add(s, 'b', i, i + 2, i, NO_SPAN, hash(6, "", 0));
	}
}

static unsigned
big(const char *p, size_t n)
{
	unsigned v = 0;

	while (n--)
		v = v << 8 | (unsigned char)*p++;
	return v;
}

static size_t
varint_big(const char *p, size_t at, size_t end, uint64_t *value)
{
	*value = 0;
	for (size_t n = 0; n < 9 && at + n < end; n++) {
		*value = *value << 7 | (unsigned)(p[at + n] & 0x7f);
		if (!(p[at + n] & 0x80) || n == 8)
			return n + 1;
	}
	return 0;
}

/* A cell of a leaf: sizes, serial types, and values. */
static void
find_cell(struct spans *s, const char *p, size_t at, size_t end)
{
	uint64_t size, row, head, type, n;
	size_t i, types;

	n = varint_big(p, at, end, &size);
	add(s, 'b', at, at + n, at, NO_SPAN, hash(7, "size", 4));
	at += n;
	n = varint_big(p, at, end, &row);
	add(s, 'b', at, at + n, at, NO_SPAN, hash(7, "row", 3));
	at += n;
	n = varint_big(p, at, end, &head);
	if (!n || head > end - at)
		return;
	add(s, 'b', at, at + n, at, NO_SPAN, hash(7, "head", 4));
	types = at + n;
	i = at + head;
	while (types < at + head && i < end) {
		n = varint_big(p, types, end, &type);
		if (!n)
			return;
		add(s, 'b', types, types + n, types, NO_SPAN,
		    hash(7, "type", 4));
		types += n;
		n = type < 5 ? type : type == 5 ? 6 : type < 8 ? 8 :
		    type < 12 ? 0 : (type - 12) / 2;
		if (n > end - i)
			n = end - i;
		if (n)
			add(s, 'b', i, i + n, i, NO_SPAN,
			    hash(8, (char *)&type, sizeof type));
		i += n;
	}
}

static void
find_pages(struct spans *s, const char *p, size_t len)
{
	static const unsigned char fields[][2] = { { 16, 2 }, { 18, 1 },
	    { 19, 1 }, { 20, 1 }, { 21, 1 }, { 24, 4 }, { 28, 4 }, { 32, 4 },
	    { 36, 4 }, { 40, 4 }, { 44, 4 }, { 52, 4 }, { 56, 4 } };
	size_t page = big(p + 16, 2), at, head, cells, cell;

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		add(s, 'b', fields[i][0], (size_t)fields[i][0] + fields[i][1],
		    fields[i][0], NO_SPAN, hash(9, "file", 4));
	if (page == 1)
		page = 65536;
	if (page < 512)
		return;
	for (size_t k = 0; k + page <= len; k += page) {
		at = k ? k : 100;
		head = p[at] == 2 || p[at] == 5 ? 12 : 8;
		cells = big(p + at + 3, 2);
		add(s, 'b', at, at + 1, at, NO_SPAN, hash(9, "page", 4));
		for (size_t i = 1; i < head; i += 2)
			add(s, 'b', at + i, at + i + 2, at, NO_SPAN,
			    hash(9, "page field", 10));
		if (p[at] != 2 && p[at] != 5 && p[at] != 10 && p[at] != 13)
			continue;
		for (size_t i = 0; i < cells && at + head + 2 * i + 2 <=
		    k + page; i++) {
			size_t pointer = at + head + 2 * i;

			add(s, 'b', pointer, pointer + 2, pointer, NO_SPAN,
			    hash(9, "pointer", 7));
			cell = k + big(p + pointer, 2);
			if (p[at] == 13 && cell < k + page)
				find_cell(s, p, cell, k + page);
			else if (cell + 4 < k + page)
				add(s, 'b', cell, cell + 4, cell, NO_SPAN,
				    hash(9, "child", 5));
		}
	}
}

enum form
form_of(const char *p, size_t len)
{
	size_t i = 0, line;

	if (len > 512 && !memcmp(p, "SQLite format 3", 16))
		return FORM_DATABASE;
	if (len > 8 && p[4] == 'E' && (p[5] == 'D' || p[5] == 'T') &&
	    isdigit((unsigned char)p[6]))
		return FORM_FLAT;
	while (i < len && isspace((unsigned char)p[i]))
		i++;
	if (len - i > 8 && !memcmp(p + i, "{\"kind\":", 8))
		return FORM_RECORDS;
	if (i < len && (p[i] == '{' || p[i] == '[')) {
		for (size_t k = i; k + 4 < len; k++)
			if (!memcmp(p + k, "\"ph\"", 4))
				return FORM_EVENTS;
		return FORM_JSON;
	}
	if (i < len && p[i] == '<')
		return FORM_XML;
	if (len > 1 && find_proto(NULL, p, 0, len, 0, 0, 0))
		return FORM_PROTO;
	for (line = 0; line < len && p[line] != '\n'; line++)
		continue;
	if (memchr(p, ',', line) || memchr(p, '\t', line))
		return FORM_TABLE;
	return FORM_TEXT;
}

void
spans_find(struct spans *s, enum form form, const char *p, size_t len)
{
	s->count = 0;
	switch (form) {
	case FORM_RECORDS:
	case FORM_EVENTS:
	case FORM_JSON:
		find_json(s, p, len);
		break;
	case FORM_XML:
		find_xml(s, p, len);
		break;
	case FORM_TABLE:
		find_cells(s, p, len, memchr(p, '\t', len < 200 ? len : 200) ?
		    "\t\n" : ",\n");
		break;
	case FORM_PROTO:
		find_proto(s, p, 0, len, NO_SPAN, 0, 0);
		break;
	case FORM_DATABASE:
		if (len > 512)
			find_pages(s, p, len);
		break;
	case FORM_FLAT:
		find_words(s, p, len);
		break;
	default:
		find_cells(s, p, len, " \n");
		break;
	}
}
