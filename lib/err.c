/* err - how the library reports failure */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tp/err.h>
#include <tp/output.h>

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

static const char *program = "tracepipe";

void
tp_quit_name(const char *name)
{
	program = name;
}

/* In one write, which other threads do not part. */
void
tp_quit(enum tp_status status, const char *why)
{
	char text[sizeof ((struct tp_err *)0)->text + 64];

	snprintf(text, sizeof text, "%.60s: %s\n", program, why);
	tp_output_drop_all();
	(void)!write(STDERR_FILENO, text, strlen(text));
	_exit(status);
}
