/*
 * tp-redact - make a trace safe to show
 *
 * Reads it twice, because a name may occur before the place that shows that it
 * is a name.  Input that is not a regular file goes through an unnamed file.
 */
#include <string.h>
#include <sys/stat.h>

#include <tp/in.h>
#include <tp/redact.h>
#include <tp/spool.h>
#include <tp/tool.h>

static const char *const examples[] = {
	"tp-redact trace.json.gz | gzip > public.json.gz",
	"tp-redact -o public.json trace.json",
	"tp-redact toc.xml > public.xml",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-redact",
	.does = "replace secrets and names in a trace, so that it can be "
	    "shown",
	.operands = "[FILE]",
	.reads = "a trace, export or record stream: JSON, XML, CSV, text, "
	    "xplane.pb",
	.writes = "the same, with words such as user-1 in their place",
	.group = "look",
	.examples = examples,
	.flags = TP_TOOL_LATE | TP_TOOL_SPOOLS,
};

static void
write_out(void *arg, const char *bytes, size_t len)
{
	struct tp_run *run = arg;

	tp_out_raw(&run->out, bytes, len);
}

/* Cut off or damaged: what came before is redacted all the same. */
static void
tell_damage(struct tp_run *run, struct tp_err *err)
{
	if (err->status != TP_BAD)
		tp_die(run, err->status, "%s", err->text);
	if (!run->quiet)
		tp_warn(run, "%s: %s", run->file, err->text);
	tp_status_at_least(run, TP_BAD);
}

/* All of PATH to R, and to SPOOL unless that is NULL. */
static void
read_file(struct tp_run *run, struct tp_redact *r, const char *path,
    void (*write)(void *, const char *, size_t), struct tp_spool *spool,
    enum tp_format *format)
{
	struct tp_in *in = tp_in_open(path, &run->err);
	const char *block;
	ptrdiff_t n;

	if (!in)
		tp_die(run, run->err.status, "%s: %s", path, run->err.text);
	run->file = strcmp(path, "-") ? path : "<stdin>";
	*format = tp_in_sniff(in, &run->err);
	if (*format == TP_FORMAT_UNKNOWN ||
	    tp_redact_begin(r, *format, write, run, &run->err) < 0)
		tp_die(run, run->err.status, "%s: %s", run->file,
		    run->err.text);
	while ((n = tp_in_read(in, &block, &run->err)) > 0) {
		if (spool)
			tp_spool_add(spool, block, (size_t)n);
		if (tp_redact_add(r, block, (size_t)n, &run->err) < 0)
			tp_die(run, run->err.status, "%s: %s", run->file,
			    run->err.text);
	}
	if (n < 0 && (write || spool))
		tell_damage(run, &run->err);
	else if (n < 0 && run->err.status != TP_BAD)
		tp_die(run, run->err.status, "%s", run->err.text);
	tp_redact_end(r);
	tp_in_close(in);
}

/* The same of what was read before. */
static void
read_spool(struct tp_run *run, struct tp_redact *r,
    void (*write)(void *, const char *, size_t),
    const struct tp_spool *spool, enum tp_format format)
{
	struct tp_spool_reader reader;

	if (tp_redact_begin(r, format, write, run, &run->err) < 0)
		tp_die_err(run);
	tp_spool_read(&reader, spool);
	while (tp_spool_more(&reader))
		if (tp_redact_add(r, (const char *)reader.p,
		    (size_t)(reader.end - reader.p), &run->err) < 0)
			tp_die_err(run);
	tp_redact_end(r);
	tp_spool_close(&reader);
}

/* "2 tokens in 3 places, 1 user name in 412". */
static void
tell_tallies(struct tp_run *run, const struct tp_redact *r)
{
	struct tp_buf text = { 0 };

	for (int what = 1; what < TP_REDACT_COUNT; what++) {
		struct tp_redact_tally n = tp_redact_tally(r,
		    (enum tp_redact_what)what);
		const char *word = tp_redact_word((enum tp_redact_what)what);

		if (n.values)
			tp_buf_fmt(&text, "%s%llu %s%s in %llu%s",
			    text.len ? ", " : "",
			    (unsigned long long)n.values, word,
			    n.values == 1 ? "" : word[strlen(word) - 1] ==
			    's' ? "es" : "s", (unsigned long long)n.places,
			    text.len ? "" : n.places == 1 ? " place" :
			    " places");
	}
	run->file = NULL;
	if (!run->quiet)
		tp_warn(run, "%s", text.len ? text.p :
		    "nothing looks like a secret or a name");
	tp_buf_release(&text);
}

int
main(int argc, char *argv[])
{
	static struct tp_spool spool;
	struct tp_redact *r;
	struct tp_run run;
	enum tp_format format;
	const char *path;
	struct stat st;
	int again, more;

	tp_begin(&run, &tool, argc, argv);
	if (run.operand_count > 1)
		tp_die(&run, TP_USAGE, "one FILE at a time, because names are "
		    "replaced per file");
	tp_start(&run);
	path = run.operand_count ? run.operands[0] : "-";
	r = tp_redact_open(&run.err);
	if (!r)
		tp_die_err(&run);
	again = strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
	read_file(&run, r, path, NULL, again ? NULL : &spool, &format);
	for (more = tp_redact_again(r); more >= 0; more--) {
		if (again)
			read_file(&run, r, path, more ? NULL : write_out,
			    NULL, &format);
		else
			read_spool(&run, r, more ? NULL : write_out, &spool,
			    format);
	}
	tell_tallies(&run, r);
	if (tp_redact_is_lossy(r)) {
		tp_warn(&run, "%s: parts that are damaged, cut off or "
		    "compressed were left out", path);
		tp_status_at_least(&run, TP_BAD);
	}
	tp_redact_close(r);
	return tp_end(&run);
}
