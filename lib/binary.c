/* binary - recognise files that no reader here understands */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/binary.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

static int
nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ?
	    c - 'a' + 10 : -1;
}

/* Whether the N bytes at P have, at offset AT, the bytes of HEX. */
static int
has_bytes(const char *p, size_t n, size_t at, const char *hex)
{
	for (; hex[0] && hex[1]; hex += 2, at++)
		if (at >= n || (unsigned char)p[at] !=
		    nibble(hex[0]) * 16 + nibble(hex[1]))
			return 0;
	return 1;
}

/* Whether the bytes match HEX, a text or a list of such. */
static int
begins(const char *p, size_t n, size_t at, const struct cJSON *hex)
{
	const struct cJSON *i;

	if (cJSON_IsString(hex))
		return has_bytes(p, n, at, hex->valuestring);
	cJSON_ArrayForEach(i, hex)
		if (cJSON_IsString(i) && has_bytes(p, n, at, i->valuestring))
			return 1;
	return 0;
}

/* Whether all WORDS, a list or NULL, are among the N bytes at P. */
static int
has_words(const char *p, size_t n, const struct cJSON *words)
{
	const struct cJSON *i;
	size_t len, at;

	cJSON_ArrayForEach(i, words) {
		len = cJSON_IsString(i) ? strlen(i->valuestring) : 0;
		for (at = 0; at + len <= n && memcmp(p + at, i->valuestring,
		    len); at++)
			continue;
		if (at + len > n)
			return 0;
	}
	return 1;
}

int
tp_binary_say(struct tp_buf *said, const char *p, size_t n, const char *path,
    struct tp_err *err)
{
	struct cJSON *doc = tp_share_json("tables/binaries.json", err);
	const struct cJSON *i, *found = NULL;
	const char *unpack, *instead;
	double at;

	if (!doc)
		return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "binaries"))
		if (!found && tp_json_number(i, "at", &at) &&
		    begins(p, n, (size_t)at, tp_json_get(i, "hex")) &&
		    has_words(p, n, tp_json_get(i, "has")))
			found = i;
	unpack = tp_json_text(found, "unpack");
	if (found)
		tp_buf_fmt(said, "%s, not read", tp_json_text(found, "is"));
	instead = tp_json_text(found, "instead");
	if (instead)
		tp_buf_fmt(said, "; %s", instead);
	if (unpack) {
		tp_buf_fmt(said, "; unpack it: %s", unpack);
		if (path) {
			tp_buf_chr(said, ' ');
			tp_shell_word(said, path);
		}
	}
	cJSON_Delete(doc);
	return !found ? TP_BINARY_UNKNOWN : unpack ? TP_BINARY_ARCHIVE :
	    TP_BINARY_OTHER;
}
