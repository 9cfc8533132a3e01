/* binary - recognise files that no reader here understands */
#include <cjson/cJSON.h>

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

int
tp_binary_say(struct tp_buf *said, const char *p, size_t n, const char *path,
    struct tp_err *err)
{
	struct cJSON *doc = tp_share_json("tables/binaries.json", err);
	const struct cJSON *i, *found = NULL;
	const char *hex, *unpack, *instead;
	double at;

	if (!doc)
		return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "binaries")) {
		hex = tp_json_text(i, "hex");
		if (!found && hex && tp_json_number(i, "at", &at) &&
		    has_bytes(p, n, (size_t)at, hex))
			found = i;
	}
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
