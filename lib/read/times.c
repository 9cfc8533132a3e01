/* times - read the times that a benchmark prints */
#include <string.h>

#include <tp/lines.h>
#include <tp/unit.h>

#include "times.h"

/*
 * The text after NAME and ":" in the line of LEN bytes; NULL when it is
 * another line.
 */
static const char *
behind(const char *line, size_t len, const char *name, size_t *rest)
{
	size_t n = strlen(name), from = 0;

	while (from < len && (line[from] == ' ' || line[from] == '\t'))
		from++;
	if (len - from < n || memcmp(line + from, name, n))
		return NULL;
	*rest = len - from - n;
	while (*rest && line[len - 1] == ' ') {
		len--;
		--*rest;
	}
	return line + from + n;
}

static int
parse_times_line(struct tp_times *t, const char *line, size_t len,
    uint64_t number, struct tp_err *err)
{
	const struct {
		const char *name;
		int64_t *ns;
	} times[] = {
		{ "Eager Time:", &t->eager_ns },
		{ "Compiled Time:", &t->compiled_ns },
	};
	const char *text;
	int64_t millionths;
	size_t n;

	for (int i = 0; i < 2; i++)
		if ((text = behind(line, len, times[i].name, &n)) &&
		    (!n || text[n - 1] != 's' || tp_unit_parse(TP_DIM_TIME,
		    text, n, times[i].ns) < 0 || *times[i].ns <= 0))
			return tp_fail(err, TP_BAD, "times.damaged", number,
			    "'%.60s' is not a time above 0 with a unit",
			    line);
	text = behind(line, len, "Speedup:", &n);
	if (!text)
		return 0;
	while (n && *text == ' ')
		text++, n--;
	if (n < 2 || text[n - 1] != 'x' ||
	    tp_unit_decimal(text, n - 1, 1000000, &millionths) < 0 ||
	    millionths <= 0)
		return tp_fail(err, TP_BAD, "times.damaged", number,
		    "'%.60s' is not a factor above 0", line);
	t->speedup = (double)millionths / 1e6;
	return 0;
}

int
tp_times_read(struct tp_in *in, struct tp_times *t, struct tp_err *err)
{
	struct tp_lines lines;
	char copy[128];
	const char *text;
	size_t len;
	int more;

	memset(t, 0, sizeof *t);
	tp_lines_init(&lines, in);
	while ((more = tp_lines_next(&lines, &text, &len, err)) > 0) {
		/* longer lines cannot match */
		if (len >= sizeof copy)
			continue;
		memcpy(copy, text, len);
		copy[len] = '\0';
		if (parse_times_line(t, copy, len, lines.line, err) < 0) {
			more = -1;
			break;
		}
	}
	tp_lines_release(&lines);
	if (more < 0)
		return -1;
	if (!t->eager_ns || !t->compiled_ns)
		return tp_fail(err, TP_BAD, "times.missing", 0,
		    "no line '%s Time: 0.123s'",
		    t->eager_ns ? "Compiled" : "Eager");
	return 0;
}
