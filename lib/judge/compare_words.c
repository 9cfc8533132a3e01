/* compare_words - whether two texts of runs differ, and in which words */
#include <cjson/cJSON.h>
#include <string.h>

#include "compare_private.h"

/* Longer texts are cut to the words that differ. */
#define LONG 80

/* A word of the text at *AT, which moves behind it; LEN 0: none is left. */
struct word {
	const char *p;
	size_t len;
};

static struct word
next_word(const char **at)
{
	struct word w = { *at + strspn(*at, " "), 0 };

	w.len = strcspn(w.p, " ");
	*at = w.p + w.len;
	return w;
}

static int
is_same_word(struct word a, struct word b)
{
	return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/* Where a path in a temporary folder begins in W; its length: none does. */
static size_t
temporary_at(const struct tp_compare_rules *rules, struct word w)
{
	const char *is = memchr(w.p, '=', w.len);
	size_t at = *w.p == '/' || !is ? 0 : (size_t)(is + 1 - w.p);
	const struct cJSON *folder;

	cJSON_ArrayForEach(folder, rules->temporary) {
		size_t n = cJSON_IsString(folder) ?
		    strlen(folder->valuestring) : 0;

		if (n && n < w.len - at &&
		    !memcmp(w.p + at, folder->valuestring, n))
			return at;
	}
	return w.len;
}

/* Append TEXT with only the last part of paths in temporary folders. */
static void
add_plain(const struct tp_compare_rules *rules, const char *text,
    struct tp_buf *buf)
{
	struct word w;

	tp_buf_clear(buf);
	while ((w = next_word(&text)).len) {
		size_t at = temporary_at(rules, w), last = w.len;

		while (last > at && w.p[last - 1] != '/')
			last--;
		if (buf->len)
			tp_buf_chr(buf, ' ');
		tp_buf_add(buf, w.p, at);
		tp_buf_add(buf, w.p + last, w.len - last);
	}
}

static size_t
count_words(const char *text)
{
	size_t n = 0;

	while (next_word(&text).len)
		n++;
	return n;
}

/*
 * Append the words of TEXT that OTHER does not have in their place, each
 * behind the option it belongs to; "..." for others.
 */
static void
add_differing(const char *text, const char *other, struct tp_buf *buf)
{
	int in_place = count_words(text) == count_words(other), cut = 0;
	struct word last = { NULL, 0 }, w, o;

	while ((w = next_word(&text)).len) {
		o = next_word(&other);
		if (is_same_word(w, o)) {
			cut |= last.len > 0;
			last = w;
			continue;
		}
		if (cut || (last.len && *last.p != '-'))
			tp_buf_str(buf, buf->len ? " ... " : "... ");
		else if (buf->len)
			tp_buf_chr(buf, ' ');
		if (last.len && *last.p == '-') {
			tp_buf_add(buf, last.p, last.len);
			tp_buf_chr(buf, ' ');
		}
		/* behind an added or missing word nothing is in its place */
		tp_buf_add(buf, w.p, in_place ? w.len : strlen(w.p));
		if (!in_place)
			return;
		last = (struct word){ NULL, 0 };
		cut = 0;
	}
	if (cut || last.len)
		tp_buf_str(buf, " ...");
}

int
tp_compare_words(const struct tp_compare_rules *rules,
    const struct tp_buf texts[TP_SIDES], struct tp_buf differing[TP_SIDES])
{
	struct tp_buf plain[TP_SIDES] = { { 0 }, { 0 } };
	int rc;

	for (int s = 0; s < TP_SIDES; s++)
		add_plain(rules, texts[s].p, &plain[s]);
	/* blanks alone are plain to nothing */
	if (plain[0].len && plain[1].len)
		rc = strcmp(plain[0].p, plain[1].p) != 0;
	else
		rc = strcmp(texts[0].p, texts[1].p) != 0;
	for (int s = 0; rc && differing && s < TP_SIDES; s++) {
		tp_buf_clear(&differing[s]);
		if ((texts[0].len > LONG || texts[1].len > LONG) &&
		    plain[0].len && plain[1].len)
			add_differing(plain[s].p, plain[!s].p, &differing[s]);
		else
			tp_buf_str(&differing[s], texts[s].p);
	}
	tp_buf_release(&plain[TP_BEFORE]);
	tp_buf_release(&plain[TP_AFTER]);
	return rc;
}
