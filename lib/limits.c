/* limits - the largest inputs that are accepted */
#include <stdio.h>

#include <tp/limits.h>

struct tp_limits tp_limits = {
	.line_bytes = (int64_t)64 << 20,
	.depth = TP_DEPTH_MAX,
	.expand = 1000,
};

/* BYTES for people, exactly. */
static const char *
size_text(int64_t bytes, char text[32])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	size_t unit = 0;

	for (; unit < 3 && bytes && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	snprintf(text, 32, "%lld %s", (long long)bytes, units[unit]);
	return text;
}

static int
fatal(struct tp_err *err)
{
	err->fatal = 1;
	return -1;
}

int
tp_limit_line(struct tp_err *err, const char *code, uint64_t line,
    const char *what)
{
	char size[32];

	tp_fail(err, TP_LIMIT, code, line, "%s of more than %s; --max-line "
	    "raises the limit", what, size_text(tp_limits.line_bytes, size));
	return fatal(err);
}

int
tp_limit_depth(struct tp_err *err, uint64_t line, const char *what)
{
	tp_fail(err, TP_LIMIT, "limit.depth", line, "%s nest deeper than "
	    "%lld; no export does", what, (long long)tp_limits.depth);
	return fatal(err);
}

int
tp_limit_bytes(struct tp_err *err)
{
	char size[32];

	tp_fail(err, TP_LIMIT, "limit.bytes", 0, "more than %s, the limit of "
	    "--max-bytes", size_text(tp_limits.bytes, size));
	return fatal(err);
}
