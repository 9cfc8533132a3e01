/* help - the option table as usage, help, man page and completions */
#include <stdio.h>
#include <string.h>

#include "private.h"

void
tp_tool_usage(const struct tp_tool *tool, struct tp_buf *buf)
{
	tp_buf_fmt(buf, "usage: %s [options]%s%s", tool->name,
	    *tool->operands ? " " : "", tool->operands);
}

static void
plain_option(const struct tp_option *o)
{
	char left[64];
	int n = 0;

	if (o->letter)
		n = snprintf(left, sizeof left, "-%c, ", o->letter);
	else
		n = snprintf(left, sizeof left, "    ");
	snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s%s%s", o->name,
	    o->type == TP_OPT_MAYBE ? "[" : "", o->arg ? "=" : "",
	    o->arg ? o->arg : "", o->type == TP_OPT_MAYBE ? "]" : "");
	printf("  %-26s %s\n", left, o->help);
}

static const struct tp_option last[] = {
	{ TP_OPT_FLAG, "help", 'h', NULL, "print this, then exit", NULL },
	{ TP_OPT_FLAG, "version", 'V', NULL, "print the version, then exit",
	    NULL },
};

static void
plain(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	const struct tp_tool *t = run->tool;
	struct tp_buf buf = { 0 };
	size_t i;

	tp_tool_usage(t, &buf);
	printf("%s\n%s\n", buf.p ? buf.p : "", t->does);
	tp_buf_release(&buf);
	for (i = 0; t->examples && t->examples[i]; i++)
		printf("%s  %s\n", i ? "" : "\nexamples:\n", t->examples[i]);
	printf("\nreads   %s\nwrites  %s\n\noptions:\n", t->reads, t->writes);
	for (i = 0; i < count; i++)
		plain_option(&list[i]);
	for (i = 0; i < sizeof last / sizeof *last; i++)
		plain_option(&last[i]);
	printf("\nexit status: 0 done, 1 the answer is no, 2 usage, "
	    "3 bad input data, 4 I/O error,\n5 a limit was hit\n");
}

/* Text for mdoc: a '.' or quote at the start of a line is a macro there. */
static void
mdoc_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void
mdoc_option(const struct tp_option *o)
{
	fputs(".It ", stdout);
	if (o->letter)
		printf("Fl %c , ", o->letter);
	printf("Fl \\-%s", o->name);
	if (o->arg && o->type == TP_OPT_MAYBE)
		printf(" Ns Oo = Ns Ar %s Oc", o->arg);
	else if (o->arg)
		printf(" Ns = Ns Ar %s", o->arg);
	putchar('\n');
	mdoc_text(o->help);
	fputs(".\n", stdout);
}

/* The parts of a man page that come from the table, by mark. */
static void
man(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	const struct tp_tool *t = run->tool;
	size_t i;

	printf("@SYNOPSIS\n.Nm\n.Op Ar options\n");
	if (*t->operands) {
		fputs(".Ar ", stdout);
		mdoc_text(t->operands);
		putchar('\n');
	}
	printf("@DOES\n%s\n@READS\n", t->does);
	mdoc_text(t->reads);
	printf("\n@WRITES\n");
	mdoc_text(t->writes);
	printf("\n@OPTIONS\n.Bl -tag -width Ds\n");
	for (i = 0; i < count; i++)
		mdoc_option(&list[i]);
	for (i = 0; i < sizeof last / sizeof *last; i++)
		mdoc_option(&last[i]);
	printf(".El\n@EXAMPLES\n.Bd -literal -offset indent\n");
	for (i = 0; t->examples && t->examples[i]; i++) {
		mdoc_text(t->examples[i]);
		putchar('\n');
	}
	printf(".Ed\n@END\n");
}

static void
bash(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	size_t i;

	printf("complete -o default -W '--help --version");
	for (i = 0; i < count; i++)
		printf(" --%s", list[i].name);
	printf("' %s\n", run->tool->name);
}

/* TEXT inside single quotes, with a '\' before what is in SPECIAL; a quote
 * itself is written as QUOTE. */
static void
quoted(const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, stdout);
		else if (strchr(special, *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

/* Whether the argument of O is a path. */
static int
takes_path(const struct tp_option *o)
{
	return o->arg && (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "DIR"));
}

static void
zsh_option(const struct tp_option *o)
{
	const char *equals = !o->arg ? "" : o->type == TP_OPT_MAYBE ? "=-" :
	    "=";

	fputs(" \\\n  ", stdout);
	if (o->type == TP_OPT_LIST)
		fputs("'*'", stdout);
	else if (o->letter)
		printf("'(-%c --%s)'", o->letter, o->name);
	if (o->letter)
		printf("{-%c%s,--%s%s}'[", o->letter, o->type != TP_OPT_MAYBE &&
		    o->arg ? "+" : "", o->name, equals);
	else
		printf("'--%s%s[", o->name, equals);
	quoted(o->help, "[]:\\", "'\\''");
	putchar(']');
	if (o->arg) {
		fputs(o->type == TP_OPT_MAYBE ? "::" : ":", stdout);
		quoted(o->arg, ":\\", "'\\''");
		fputs(takes_path(o) ? ":_files" : ":", stdout);
	}
	putchar('\'');
}

static void
fish_option(const struct tp_option *o, const char *name)
{
	printf("complete -c %s -l %s", name, o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg && o->type != TP_OPT_MAYBE)
		fputs(takes_path(o) ? " -r" : " -x", stdout);
	fputs(" -d '", stdout);
	quoted(o->help, "\\", "\\'");
	fputs("'\n", stdout);
}

static void
zsh(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	size_t i;

	printf("#compdef %s\n_arguments -s", run->tool->name);
	for (i = 0; i < count; i++)
		zsh_option(&list[i]);
	for (i = 0; i < sizeof last / sizeof *last; i++)
		zsh_option(&last[i]);
	printf(" \\\n  '*:file:_files'\n");
}

static void
fish(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fish_option(&list[i], run->tool->name);
	for (i = 0; i < sizeof last / sizeof *last; i++)
		fish_option(&last[i], run->tool->name);
}

void
tp_tool_help(const struct tp_run *run, const struct tp_option *list,
    size_t count, const char *form)
{
	if (!strcmp(form, "man"))
		man(run, list, count);
	else if (!strcmp(form, "row"))
		printf("%s|`%s`|%s|%s|%s\n", run->tool->group,
		    run->tool->name, run->tool->does, run->tool->reads,
		    run->tool->writes);
	else if (!strcmp(form, "bash"))
		bash(run, list, count);
	else if (!strcmp(form, "zsh"))
		zsh(run, list, count);
	else if (!strcmp(form, "fish"))
		fish(run, list, count);
	else
		plain(run, list, count);
}
