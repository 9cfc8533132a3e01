/*
 * look_manifest - tp-manifest: the files of a folder and their SHA-256, as JSON
 *
 * Writes one JSON document: the files, keys from the command line, and the
 * metadata of a profile summary that an artifact carries.  With --check it
 * compares a folder with such a document.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/look/manifest.h>
#include <tp/order.h>
#include <tp/read/summary.h>
#include <tp/tool.h>

#include "look.h"

static const char *sets[TP_OPT_LIST_MAX], *adds[TP_OPT_LIST_MAX],
    *except[TP_OPT_LIST_MAX];
static const char *summary, *check;
static int provenance;

static const struct tp_option options[] = {
	{ TP_OPT_LIST, "set", 0, "KEY=VALUE",
	    "add KEY with this value to the document, null if VALUE is "
	    "empty; repeatable", sets },
	{ TP_OPT_LIST, "add", 0, "KEY=VALUE",
	    "append VALUE to the list KEY of the document; repeatable", adds },
	{ TP_OPT_LIST, "except", 0, "NAME", "leave out this file, such as the "
	    "manifest itself; repeatable", except },
	{ TP_OPT_TEXT, "summary", 's', "FILE", "add the metadata of this "
	    "profile_summary.v1 document", &summary },
	{ TP_OPT_FLAG, "provenance", 0, NULL,
	    "add which trace the summary describes and how it was read",
	    &provenance },
	{ TP_OPT_TEXT, "check", 'c', "FILE",
	    "compare FOLDER with the manifest FILE instead; exit 3 if they "
	    "differ", &check },
	{ 0 }
};

static const char *const examples[] = {
	"tp-manifest bundle > manifest.json",
	"tp-manifest --check manifest.json bundle",
	"tp-manifest --summary summary.json | jq .metadata",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-manifest",
	.does = "which files a folder holds, with their SHA-256",
	.operands = "[FOLDER]",
	.reads = "a folder of any files; a profile_summary.v1 document",
	.writes = "one JSON document",
	.group = "artifacts",
	.examples = examples,
	.flags = TP_TOOL_DOCUMENTS | TP_TOOL_FIRST | TP_TOOL_LATE,
	.options = options,
};

/* What the document says, by the name it is said under. */
struct member {
	const char *key;
	size_t len;
	void (*write)(struct tp_doc *j, const struct member *m);
	const char *value;
};

static struct tp_manifest manifest;
static const struct cJSON *about;	/* the summary, or NULL */

static void
write_text(struct tp_doc *j, const struct member *m)
{
	char key[64] = "";

	memcpy(key, m->key, m->len);
	tp_doc_maybe(j, key, m->value);
}

static void
write_list(struct tp_doc *j, const struct member *m)
{
	char key[64] = "";

	memcpy(key, m->key, m->len);
	tp_doc_array(j, key);
	for (const char **a = adds; *a; a++)
		if (!strncmp(*a, key, m->len) && (*a)[m->len] == '=')
			tp_doc_text(j, NULL, *a + m->len + 1);
	tp_doc_close(j, ']');
}

static void
write_files(struct tp_doc *j, const struct member *m)
{
	(void)m;
	tp_manifest_write(&manifest, j);
}

static void
write_metadata(struct tp_doc *j, const struct member *m)
{
	(void)m;
	tp_summary_metadata(about, j);
}

static void
write_provenance(struct tp_doc *j, const struct member *m)
{
	(void)m;
	tp_summary_provenance(about, j);
}

/* Put WORD, "KEY=VALUE", into LIST of *COUNT, once for each KEY. */
static void
take_word(struct tp_run *run, const char *word, struct member *list,
    size_t *count, void (*write)(struct tp_doc *, const struct member *))
{
	const char *equals = strchr(word, '=');
	struct member m = { word, 0, write, NULL };
	size_t i = 0;

	m.len = equals ? (size_t)(equals - word) : 0;
	if (!m.len || m.len > 60 || strspn(word,
	    "abcdefghijklmnopqrstuvwxyz0123456789_") != m.len)
		tp_die(run, TP_USAGE, "'%s' is not KEY=VALUE", word);
	m.value = equals + 1;
	while (i < *count &&
	    (list[i].len != m.len || memcmp(list[i].key, word, m.len)))
		i++;
	list[i] = m;
	*count += i == *count;
}

static int
by_key(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->key, b->key, n);

	return c ? c : a->len < b->len ? -1 : a->len > b->len;
}

static void
document(struct tp_run *run)
{
	struct member list[2 * TP_OPT_LIST_MAX + 3];
	struct tp_buf buf = { 0 };
	struct tp_doc j = { .buf = &buf };
	size_t count = 0;

	for (const char **s = sets; *s; s++)
		take_word(run, *s, list, &count, write_text);
	for (const char **a = adds; *a; a++)
		take_word(run, *a, list, &count, write_list);
	if (run->first)
		list[count++] = (struct member){ "files", 5, write_files,
		    NULL };
	if (about)
		list[count++] = (struct member){ "metadata", 8,
		    write_metadata, NULL };
	if (about && provenance)
		list[count++] = (struct member){ "provenance", 10,
		    write_provenance, NULL };
	TP_SORT(list, count, by_key);
	tp_doc_object(&j, NULL);
	for (size_t i = 0; i < count; i++)
		list[i].write(&j, &list[i]);
	tp_doc_close(&j, '}');
	tp_out_raw(&run->out, buf.p, buf.len);
	tp_buf_release(&buf);
}

static void
differs(void *arg, const char *path, const char *how)
{
	struct tp_run *run = arg;

	tp_warn(run, "'%s' %s", path, how);
}

static void
hold(struct tp_run *run)
{
	int wrong = tp_manifest_check(&manifest, run->document, differs, run,
	    &run->err);

	if (wrong < 0)
		tp_die_err(run);
	if (wrong)
		tp_status_at_least(run, TP_BAD);
}

/* The one document there is to read; 0 when it cannot be. */
static int
read_document(struct tp_run *run)
{
	static char *operand;

	operand = (char *)(uintptr_t)(check ? check : summary);
	run->operands = &operand;
	run->operand_count = operand != NULL;
	if (!operand)
		return 1;
	tp_start(run);
	return tp_next_document(run);
}

int
look_manifest(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	if (run.operand_count)
		tp_die(&run, TP_USAGE, "give one folder, not %d",
		    run.operand_count + 1);
	if (check && (summary || !run.first))
		tp_die(&run, TP_USAGE, "--check takes a folder, and no "
		    "--summary");
	if (provenance && !summary)
		tp_die(&run, TP_USAGE, "--provenance needs --summary");
	if (!run.first && !summary)
		tp_die(&run, TP_USAGE, "of which folder? for example: %s",
		    examples[0]);
	if (run.first && tp_manifest_read(&manifest, run.first, except,
	    &run.err) < 0)
		tp_die_err(&run);
	if (!read_document(&run))
		return tp_end(&run);	/* it was told */
	if (summary) {
		if (tp_summary_check(run.document, &run.err) < 0)
			tp_die_err(&run);
		about = run.document;
	}
	if (check)
		hold(&run);
	else
		document(&run);
	while (tp_next_trace(&run))
		;
	return tp_end(&run);
}
