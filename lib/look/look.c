/* look - classify the given files and decide what a report reads */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include <tp/os.h>
#include <tp/redact.h>
#include <tp/text.h>

#include "look_parts.h"

/* Most files with one code that are reported one by one. */
#define LISTED_MAX 20

static char * __attribute__((format(printf, 2, 0)))
text_of(struct tp_look *look, const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	n = n < 0 ? 0 : n;
	text = tp_arena_get(&look->arena, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}

char *
tp_look_text(struct tp_look *look, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_of(look, fmt, ap);
	va_end(ap);
	return text;
}

void
tp_look_refuse(struct tp_look *look, struct tp_look_file *f,
    enum tp_look_state state, const char *code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->why = text_of(look, fmt, ap);
	va_end(ap);
	f->state = state;
	f->code = code;
}

int
tp_look_init(struct tp_look *look, struct tp_err *err)
{
	memset(look, 0, sizeof *look);
	look->chosen = TP_LOOK_ANY;
	look->tables = tp_tables_load(err);
	return look->tables ? tp_tables_load_exports(look->tables, err) : -1;
}

void
tp_look_release(struct tp_look *look)
{
	if (look->redact)
		tp_redact_close(look->redact);
	tp_procs_release(&look->procs);
	tp_free(look->files);
	tp_free(look->operands);
	tp_free(look->recordings);
	tp_free(look->remarks);
	tp_free(look->experiments);
	tp_tables_free(look->tables);
	tp_names_release(&look->table_names);
	tp_arena_release(&look->arena);
	memset(look, 0, sizeof *look);
}

/* The folder of F as the user wrote it. */
static char *
folder_of(struct tp_look *look, const struct tp_look_file *f)
{
	char real[PATH_MAX];
	const char *given;
	size_t len = f->place;

	while (len > 1 && f->path[len - 1] == '/')
		len--;
	given = tp_look_text(look, "%.*s", len ? (int)len : 1,
	    len ? f->path : ".");
	return tp_look_text(look, "%s", tp_os_real_path(given, real) < 0 ?
	    given : real);
}

/* Set the names shown to people: base names, or places where those repeat. */
static void
name_files(struct tp_look *look)
{
	struct tp_names bases = { 0 };
	uint32_t *counts = tp_zalloc((look->count + 1) * sizeof *counts);
	const char *base;

	for (size_t i = 0; i < look->count; i++) {
		base = tp_base(look->files[i].path);
		counts[tp_names_add(&bases, base, strlen(base))]++;
	}
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		/* files of one operand share its text */
		f->given = i && f[-1].operand == f->operand ? f[-1].given :
		    folder_of(look, f);
		base = tp_base(f->path);
		f->is_twin = counts[tp_names_find(&bases, base,
		    strlen(base))] > 1;
		f->name = !f->is_twin ? base : tp_look_text(look, "%s/%s",
		    tp_base(f->given), f->path + f->place);
	}
	tp_names_release(&bases);
	tp_free(counts);
}

/* Report the number of files with secrets beyond those reported one by one. */
static void
say_more_secrets(struct tp_look *look)
{
	size_t more = look->secret_count > TP_LOOK_SECRETS_LISTED ?
	    look->secret_count - TP_LOOK_SECRETS_LISTED : 0;
	char text[120];

	if (!more)
		return;
	snprintf(text, sizeof text, "has %zu more file%s with what looks like "
	    "a secret: tp-redact replaces it", more, more == 1 ? "" : "s");
	tp_look_say(look, "secret.found", text);
}

int
tp_look_identify(struct tp_look *look, struct tp_err *err)
{
	struct tp_ids seen = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];
		size_t had = seen.count;

		if (f->why)
			continue;	/* not a file */
		tp_ids_add(&seen, (uint64_t)f->dev, (uint64_t)f->ino);
		if (seen.count == had)
			tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
			    "given twice");
		else
			rc = tp_look_open(look, f, err);
	}
	tp_ids_release(&seen);
	if (rc)
		return rc;
	say_more_secrets(look);
	look->trace_count = look->operand_count;
	name_files(look);
	return 0;
}

const char *
tp_look_source_name(enum tp_look_source source)
{
	static const char *const names[] = { NULL, "metal", "jax", "torch",
	    "executorch" };

	return names[source];
}

void
tp_look_say(struct tp_look *look, const char *code, const char *text)
{
	tp_look_say_of(look, code, look->operands[0], text);
}

void
tp_look_say_of(struct tp_look *look, const char *code, const char *name,
    const char *text)
{
	TP_APPEND(look->remarks, look->remark_count, look->remark_cap, (struct
	    tp_look_remark){ code, tp_look_text(look, "'%s' %s", name, text),
	    TP_OK, 1 });
}

void
tp_look_sum(struct tp_look *look)
{
	struct tp_names codes = { 0 };
	struct { size_t all, lost; } counts[64] = { 0 };
	char text[160];
	ptrdiff_t at;

	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!f->code)
			continue;
		at = tp_names_add(&codes, f->code, strlen(f->code));
		if (at >= 64)
			break;
		f->is_summed = ++counts[at].all > LISTED_MAX;
		counts[at].lost += f->is_summed && f->state == TP_LOOK_LOST;
	}
	for (size_t i = 0; i < codes.count && i < 64; i++) {
		if (counts[i].all <= LISTED_MAX)
			continue;
		snprintf(text, sizeof text, "holds %zu more files with the "
		    "note %s: tp-look tells of each",
		    counts[i].all - LISTED_MAX, codes.names[i].text);
		/* files with a static code */
		for (size_t k = 0; k < look->count; k++)
			if (look->files[k].is_summed &&
			    !strcmp(look->files[k].code,
			    codes.names[i].text)) {
				tp_look_say(look, look->files[k].code, text);
				break;
			}
		look->remarks[look->remark_count - 1].count = counts[i].all -
		    LISTED_MAX;
		look->remarks[look->remark_count - 1].status =
		    counts[i].lost ? TP_BAD : TP_OK;
	}
	tp_names_release(&codes);
}

/* Whether F is an export of Instruments. */
static int
is_metal(const struct tp_look_file *f)
{
	return f->format == TP_FORMAT_TOC || (tp_look_is_table(f) &&
	    (tp_is_named("metal-*", f->table) ||
	    tp_is_named("gpu-*", f->table) ||
	    tp_is_named("os-signpost*", f->table) ||
	    tp_look_ends(f->table, "-profile") ||
	    !strcmp(f->table, "kdebug") ||
	    !strcmp(f->table, "device-gpu-info")));
}

/* Number of files of each role, and of exports of Instruments. */
struct tally {
	size_t metal, trace, summary, torch, bench, experiment, metrics;
};

static struct tally
count_roles(const struct tp_look *look)
{
	struct tally n = { 0 };

	for (size_t i = 0; i < look->count; i++) {
		const struct tp_look_file *f = &look->files[i];

		n.metal += is_metal(f);
		n.trace += tp_look_is_role(f, "trace");
		n.summary += tp_look_is_role(f, "summary");
		n.torch += tp_look_is_role(f, "torch");
		n.bench += tp_look_is_role(f, "bench");
		n.experiment += tp_look_is_role(f, "experiment");
		n.experiment += tp_look_is_role(f, "kernels");
		n.metrics += tp_look_is_role(f, "metrics");
	}
	return n;
}

/* Exclude the files of ROLE from this report. */
static void
leave(struct tp_look *look, const char *role)
{
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!tp_look_is_role(f, role))
			continue;
		f->role = NULL;
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
		    "%s, not in this report", f->what);
	}
}

/* Whether a file called NAME, of LEN bytes, is there, and is no records. */
static int
is_there(const struct tp_look *look, const char *name, size_t len)
{
	for (size_t i = 0; i < look->count; i++) {
		const struct tp_look_file *f = &look->files[i];
		const char *base = tp_base(f->path);

		if (f->role && strcmp(f->role, "records") && strlen(base) ==
		    len && !memcmp(base, name, len))
			return 1;
	}
	return 0;
}

/* Exclude records of files that are there themselves. */
static void
leave_made(struct tp_look *look)
{
	int any = 0;

	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];
		const char *name = f->made_of;

		while (name && *name && is_there(look, name, strcspn(name,
		    "\n")))
			name += strcspn(name, "\n") + 1;
		if (!name || *name)
			continue;
		f->role = NULL;
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL, "records of "
		    "files that are here themselves, not in this report");
		any = 1;
	}
	if (any)
		tp_look_say(look, "source.other", "also holds records that "
		    "were made of what is there itself: they are not in this "
		    "report; name them alone");
}

/*
 * Exclude tables that are not known: they belong to other exports than those of
 * Instruments and may merely lie beside a trace.
 */
static void
leave_unknown(struct tp_look *look)
{
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!tp_look_is_role(f, "other") || f->table || f->what)
			continue;
		f->role = NULL;
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
		    "no table that is known, not read");
	}
}

/* Name the links: a listed table by its name, other files by number. */
static void
name_links(struct tp_look *look)
{
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!f->role || *f->link || (f->recording != TP_LOOK_ANY &&
		    f->recording != look->chosen))
			continue;
		if (strcmp(f->role, "other") && f->table &&
		    is_metal(f) &&
		    strlen(f->table) < sizeof f->link) {
			strcpy(f->link, f->table);
			continue;
		}
		snprintf(f->link, sizeof f->link, "%.40s-%06zu", f->role,
		    i + 1);
	}
}

/* Tables that others replace. */
struct replaced {
	struct tp_names names;	/* "RECORDING TABLE" */
	const char **by;	/* the table used in its place, by name */
	size_t by_cap;
	struct tp_buf key;
};

static void
name_key(struct replaced *r, size_t recording, const char *table)
{
	tp_buf_clear(&r->key);
	tp_buf_fmt(&r->key, "%zu %s", recording, table);
}

static int
is_instead_of(const struct tp_export *e, const char *table)
{
	for (size_t k = 0; e->instead_of && e->instead_of[k]; k++)
		if (!strcmp(e->instead_of[k], table))
			return 1;
	return 0;
}

/* TABLE is replaced by E, or by a table that E does not replace in turn. */
static void
replace(struct replaced *r, size_t recording, const char *table,
    const struct tp_export *e)
{
	size_t known = r->names.count;
	ptrdiff_t at;

	name_key(r, recording, table);
	at = tp_names_add(&r->names, r->key.p, r->key.len);
	TP_ITEM(r->by, r->by_cap, at);
	if (r->names.count > known || is_instead_of(e, r->by[at]))
		r->by[at] = e->table;
}

/* Collect what tables with rows replace. */
static void
find_replaced(const struct tp_look *look, struct replaced *r)
{
	const struct tp_look_file *f = look->files;
	const struct tp_export *e;

	for (; f < look->files + look->count; f++) {
		e = f->table && f->has_rows && f->role &&
		    f->state == TP_LOOK_USED ?
		    tp_tables_export(look->tables, f->table) : NULL;
		for (size_t k = 0; e && e->instead_of && e->instead_of[k];
		    k++) {
			replace(r, f->recording, e->instead_of[k], e);
			replace(r, TP_LOOK_ANY, e->instead_of[k], e);
		}
	}
}

/* Only count F if another table is used in its place. */
static void
pass_replaced(struct tp_look *look, struct replaced *r, struct tp_look_file *f)
{
	ptrdiff_t at;

	if (f->state != TP_LOOK_USED || !f->role || !f->table)
		return;
	name_key(r, f->recording, f->table);
	at = tp_names_find(&r->names, r->key.p, r->key.len);
	if (at < 0)
		return;
	f->role = "other";
	f->state = TP_LOOK_COUNTED;
	f->what = tp_look_text(look, "%s, not used because %s is", f->what,
	    r->by[at]);
}

/* Only counts tables that another table replaces. */
static void
prefer(struct tp_look *look)
{
	struct replaced r = { 0 };

	find_replaced(look, &r);
	for (size_t i = 0; r.names.count && i < look->count; i++)
		pass_replaced(look, &r, &look->files[i]);
	tp_names_release(&r.names);
	tp_free(r.by);
	tp_buf_release(&r.key);
}

static enum tp_look_source
source_of(struct tally n)
{
	return n.torch ? TP_LOOK_TORCH : n.trace || n.summary ? TP_LOOK_JAX :
	    TP_LOOK_METAL;
}

/* Returns whether F alone makes a report, or names an export that was lost. */
static int
is_known(const struct tp_look *look, const struct tp_look_file *f)
{
	const struct tp_tables *t = look->tables;
	const char *name = tp_base(f->path);
	size_t prefix;

	if (f->format == TP_FORMAT_STACKS)
		return 0;	/* files that only accompany a trace */
	if (!f->role || strcmp(f->role, "other") || f->table)
		return f->role && strcmp(f->role, "notes");
	for (size_t i = 0; i < t->export_count; i++)
		if (t->exports[i].name && tp_table_named(name,
		    t->exports[i].name, t->exports[i].table, &prefix))
			return 1;
	return 0;
}

int
tp_look_sort(struct tp_look *look, const char *run, struct tp_err *err)
{
	struct tally n;
	int used = 0;

	leave_made(look);
	n = count_roles(look);
	if ((n.experiment || n.metrics) && !n.metal && !n.trace &&
	    !n.summary && !n.torch && !n.bench) {
		look->source = TP_LOOK_EXECUTORCH;
		tp_look_runs(look);
		return 0;
	}
	if (!n.metal && !n.summary && n.trace + n.torch > !run) {
		if (tp_look_captures(look, run, err) < 0)
			return -1;
		n = count_roles(look);
	}
	if (n.metal && (n.trace || n.summary)) {
		tp_look_say(look, "source.other", "holds trace events "
		    "or a summary beside exports of Instruments: they are not "
		    "in this report; name them alone");
		leave(look, "trace");
		leave(look, "summary");
		n.trace = n.summary = 0;
	}
	if (n.torch && (n.metal || n.trace || n.summary) && !look->captures) {
		tp_look_say(look, "source.other", "holds traces of "
		    "PyTorch beside other exports: they are not in this "
		    "report; name them alone");
		leave(look, "torch");
		n.torch = 0;
	}
	if (n.torch && n.experiment)
		tp_look_say(look, "source.other",
		    "also holds tables of ExecuTorch: they are not in this "
		    "report; name them alone");
	look->source = source_of(n);
	tp_look_leave_runs(look);
	if (look->source != TP_LOOK_METAL)
		leave_unknown(look);
	if (look->source == TP_LOOK_METAL ? tp_look_group(look, run, err) < 0 :
	    run && !look->captures && tp_look_choose(look, run, err) < 0)
		return -1;
	prefer(look);
	name_links(look);
	for (size_t i = 0; i < look->count; i++)
		used |= is_known(look, &look->files[i]);
	if (!used)
		look->source = TP_LOOK_NONE;
	return 0;
}

static void
emit_input(const struct tp_look *look, size_t i, struct tp_out *out)
{
	static const char *const states[] = { "used", "counted", "unused",
	    "lost" };
	const struct tp_look_file *f = &look->files[i];
	ptrdiff_t most = f->main_process;

	tp_out_begin(out, "input");
	tp_out_int(out, "input_number", (int64_t)i + 1);
	tp_out_text(out, "path", f->path);
	tp_out_text(out, "state", states[f->state]);
	if (f->format != TP_FORMAT_UNKNOWN)
		tp_out_text(out, "format", tp_format_name(f->format));
	tp_out_text(out, "table", f->table);
	tp_out_text(out, "role", f->role);
	if (f->recording != TP_LOOK_ANY)
		tp_out_text(out, "recording",
		    look->recordings[f->recording].name);
	tp_out_known(out, "file_bytes", f->bytes);
	if (*f->sha256)
		tp_out_text(out, "sha256", f->sha256);
	if (f->run)
		tp_out_int(out, "run", f->run);
	tp_out_text(out, "gpu", f->device);
	if (f->target) {
		tp_out_text(out, "process", f->target);
		tp_out_known(out, "pid", f->target_pid);
	} else if (most >= 0) {
		tp_out_text(out, "process", tp_procs_name(&look->procs, most));
		tp_out_known(out, "pid", tp_procs_pid(&look->procs, most));
	}
	tp_out_text(out, "text", f->why ? f->why : f->what ? f->what :
	    "not recognised");
	tp_out_end(out);
}

void
tp_look_emit(const struct tp_look *look, struct tp_out *out)
{
	for (size_t i = 0; i < look->count; i++)
		emit_input(look, i, out);
}

void
tp_look_notes(const struct tp_look *look, struct tp_out *out)
{
	for (size_t i = 0; i < look->count; i++) {
		const struct tp_look_file *f = &look->files[i];

		if (f->code && !f->is_summed)
			tp_out_note(out, f->code, f->state == TP_LOOK_LOST ?
			    TP_BAD : TP_OK, 1, "%s: %s", f->name, f->why);
	}
	for (size_t i = 0; i < look->remark_count; i++)
		tp_out_note(out, look->remarks[i].code,
		    (int)look->remarks[i].status, look->remarks[i].count,
		    "%s", look->remarks[i].text);
}
