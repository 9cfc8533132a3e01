/* err - how the library reports failure */
#include <stdarg.h>
#include <stdio.h>

#include <tp/err.h>

int
tp_fail(struct tp_err *err, enum tp_status status, const char *code,
    uint64_t line, const char *fmt, ...)
{
	va_list ap;

	err->status = status;
	err->fatal = 0;
	err->line = line;
	err->code = code;
	err->what = NULL;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	return -1;
}

int
tp_fail_memory(struct tp_err *err)
{
	tp_fail(err, TP_LIMIT, "limit.memory", 0, "out of memory");
	err->fatal = 1;
	return -1;
}
