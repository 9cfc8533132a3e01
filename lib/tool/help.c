/* help - usage, help, man page and completions from the option table */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tp/os.h>
#include <tp/width.h>

#include "tool_parts.h"

/* Columns: longer lines are hard to read on any terminal. */
#define WIDTH_MAX 100

/* Column where the help of an option begins. */
#define HELP_AT 29

/* Bytes: a longer list of records is cut; the man page has all of it. */
#define WRITES_MAX 128

void
tp_tool_usage(const struct tp_tool *tool, struct tp_buf *buf)
{
	tp_buf_fmt(buf, "usage: %s [options]%s%s", tool->name,
	    *tool->operands ? " " : "", tool->operands);
}

static size_t
help_width(void)
{
	size_t width = tp_os_columns(STDOUT_FILENO);

	return !width ? 80 : width < WIDTH_MAX ? width : WIDTH_MAX;
}

/* Print LEFT and beside it TEXT, wrapped and indented to one column. */
static void
print_beside(const char *left, const char *text, size_t indent)
{
	struct tp_buf buf = { 0 };
	size_t width = help_width(), at = strlen(left);

	/* on a narrow terminal TEXT goes below LEFT */
	if (width < 2 * indent && indent > 8)
		indent = 8;
	tp_wrap(&buf, text, at, indent, width);
	printf("%s%s\n", left, buf.p ? buf.p : "");
	tp_buf_release(&buf);
}

static void
plain_option(const struct tp_option *o)
{
	char left[64];
	int n = 0;

	if (o->letter)
		n = snprintf(left, sizeof left, "  -%c, ", o->letter);
	else
		n = snprintf(left, sizeof left, "      ");
	n += snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s%s%s",
	    o->name, o->type == TP_OPT_MAYBE ? "[" : "", o->arg ? "=" : "",
	    o->arg ? o->arg : "", o->type == TP_OPT_MAYBE ? "]" : "");
	snprintf(left + n, sizeof left - (size_t)n, "%*s",
	    n < HELP_AT - 2 ? HELP_AT - n : 2, "");
	print_beside(left, o->help, HELP_AT);
}

static const struct tp_option last[] = {
	{ TP_OPT_FLAG, "help", 'h', NULL, "print this, then exit", NULL },
	{ TP_OPT_FLAG, "version", 'V', NULL, "print the version, then exit",
	    NULL },
};

static void
short_option(struct tp_buf *buf, const struct tp_option *o)
{
	if (buf->len)
		tp_buf_str(buf, ", ");
	if (o->letter)
		tp_buf_fmt(buf, "-%c|", o->letter);
	tp_buf_fmt(buf, "--%s%s%s", o->name, o->arg ? "=" : "",
	    o->arg ? o->arg : "");
}

/* Print the records that TOOL writes; a long list is cut after a word. */
static void
print_writes(const struct tp_tool *tool)
{
	struct tp_buf buf = { 0 };
	size_t len = strlen(tool->writes);

	if (len > WRITES_MAX) {
		for (len = WRITES_MAX; len && tool->writes[len] != ' ';)
			len--;
		tp_buf_fmt(&buf, "%.*s ... (man %s)", (int)len, tool->writes,
		    tool->name);
	} else {
		tp_buf_str(&buf, tool->writes);
	}
	print_beside("writes  ", buf.p ? buf.p : "", 8);
	tp_buf_release(&buf);
}

/*
 * List the COUNT common options at LIST.  IS_BEHIND: others were printed
 * before.
 */
static void
print_common(const struct tp_option *list, size_t count, int is_behind)
{
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < count; i++)
		short_option(&buf, &list[i]);
	for (size_t i = 0; i < sizeof last / sizeof *last; i++)
		short_option(&buf, &last[i]);
	tp_buf_str(&buf, " (--help=all explains them)");
	if (is_behind)
		putchar('\n');
	print_beside("common  ", buf.p ? buf.p : "", 8);
	tp_buf_release(&buf);
}

/*
 * Print the help.  Options of the tool are explained and common ones only
 * listed, unless IS_ALL.
 */
static void
plain(const struct tp_run *run, const struct tp_option *list, size_t count,
    int is_all)
{
	const struct tp_tool *t = run->tool;
	struct tp_buf buf = { 0 };
	size_t own = 0, i;

	tp_tool_usage(t, &buf);
	print_beside("", buf.p ? buf.p : "", 7);
	print_beside("", t->does, 0);
	tp_buf_release(&buf);
	for (i = 0; t->examples && t->examples[i]; i++)
		printf("%s  %s\n", i ? "" : "\nexamples:\n", t->examples[i]);
	putchar('\n');
	print_beside("reads   ", t->reads, 8);
	if (is_all)
		print_beside("writes  ", t->writes, 8);
	else
		print_writes(t);
	printf("\noptions:\n");
	while (is_all ? own < count : t->options && t->options[own].type)
		own++;
	for (i = 0; i < own; i++)
		plain_option(&list[i]);
	for (i = 0; is_all && i < sizeof last / sizeof *last; i++)
		plain_option(&last[i]);
	if (!is_all)
		print_common(list + own, count - own, own > 0);
	putchar('\n');
	print_beside("exit status: ", "0 done, 1 the answer is no, 2 usage, "
	    "3 bad input data, 4 I/O error, 5 a limit was hit", 0);
}

/*
 * Write text for mdoc, where '.' or a quote at the start of a line would begin
 * a macro.
 */
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

/*
 * Write the parts of the man page that come from the table, each at its mark.
 */
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

/*
 * Write TEXT for single quotes: a '\' before characters in SPECIAL, QUOTE for a
 * quote.
 */
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

/* Whether an argument called WORD may be a path. */
static int
takes_path(const char *word)
{
	const char *or = strchr(word, '|');

	return !strcmp(word, "FILE") || !strcmp(word, "DIR") ||
	    (or && takes_path(or + 1));
}

/*
 * Whether WORD is typed literally, in small letters, rather than the name of an
 * argument.
 */
static int
is_word(const char *word)
{
	return *word >= 'a' && *word <= 'z';
}

/* Write the shell code that lists the values of WORD. */
static void
values(const struct tp_tool *tool, const char *word, const char *before,
    const char *after)
{
	if (is_word(word))
		fputs(word, stdout);
	else if (tp_tool_has_values(word))
		printf("%s%s --help=%.*s%s", before, tool->name,
		    (int)tp_tool_word(word), word, after);
}

static void
zsh_values(const struct tp_tool *tool, const char *word)
{
	int listed = tp_tool_has_values(word);

	fputs(is_word(word) ? ":(" : listed ? ":{" : ":", stdout);
	values(tool, word, "compadd -- ${(f)\"$(", ")\"}");
	if (takes_path(word))
		fputs(listed ? "; _files" : "_files", stdout);
	fputs(is_word(word) ? ")" : listed ? "}" : "", stdout);
}

static void
zsh_option(const struct tp_option *o, const struct tp_tool *tool)
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
		zsh_values(tool, o->arg);
	}
	putchar('\'');
}

static void
fish_option(const struct tp_option *o, const struct tp_tool *tool)
{
	printf("complete -c %s -l %s", tool->name, o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg && o->type != TP_OPT_MAYBE)
		fputs(takes_path(o->arg) ? " -r" : " -x", stdout);
	if (o->arg && (is_word(o->arg) || tp_tool_has_values(o->arg))) {
		fputs(" -a '", stdout);
		values(tool, o->arg, "(", ")");
		putchar('\'');
	}
	fputs(" -d '", stdout);
	quoted(o->help, "\\", "\\'");
	fputs("'\n", stdout);
}

/* The name of the first operand if its values are known, or NULL. */
static const char *
first_operand(const struct tp_tool *tool)
{
	const char *word = tool->operands + (*tool->operands == '[');

	return tp_tool_has_values(word) ? word : NULL;
}

static void
zsh(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	const char *word = first_operand(run->tool);
	size_t i;

	printf("#compdef %s\n_arguments -s", run->tool->name);
	for (i = 0; i < count; i++)
		zsh_option(&list[i], run->tool);
	for (i = 0; i < sizeof last / sizeof *last; i++)
		zsh_option(&last[i], run->tool);
	if (word) {
		printf(" \\\n  '1:%.*s", (int)tp_tool_word(word), word);
		zsh_values(run->tool, word);
		putchar('\'');
	}
	printf(" \\\n  '*:file:_files'\n");
}

static void
fish(const struct tp_run *run, const struct tp_option *list, size_t count)
{
	const char *word = first_operand(run->tool);
	size_t i;

	for (i = 0; i < count; i++)
		fish_option(&list[i], run->tool);
	for (i = 0; i < sizeof last / sizeof *last; i++)
		fish_option(&last[i], run->tool);
	if (word) {
		printf("complete -c %s -n 'test (count (string match -v -- "
		    "\"-*\" (commandline -opc))) -eq 1' -a '",
		    run->tool->name);
		values(run->tool, word, "(", ")");
		fputs("'\n", stdout);
	}
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
	else if (!strcmp(form, "zsh"))
		zsh(run, list, count);
	else if (!strcmp(form, "fish"))
		fish(run, list, count);
	else if (*form >= 'A' && *form <= 'Z')
		tp_tool_print_values(run->tool, form);
	else
		plain(run, list, count, !strcmp(form, "all"));
}
