/* inventory - which exports are used, empty, missing, damaged or unused */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/hash.h>
#include <tp/json.h>
#include <tp/metal/inventory.h>
#include <tp/order.h>
#include <tp/share.h>
#include <tp/text.h>

#include "read/table.h"

/* A table of share/tables/exports.json, or an unlisted one. */
struct export {
	const char *table, *slug, *name, *shows, *section;
	int expected, optional;
	int present, damaged;
	int read;		/* by an analysis, not only counted */
	int pointer;		/* damaged: a git LFS pointer */
	int spare;		/* another file of a table: not used */
	int64_t rows, first_ns, last_ns;	/* first > last: no range */
	const char *file;
	const cJSON *instead_of;	/* tables not used when this one is */
};

/* Files counted so far; several filters report the same file. */
struct seen {
	size_t export;
	const char *file;
	int64_t rows;
};

struct inventory {
	struct export *list;
	size_t count, cap;
	struct seen *seen;
	size_t seen_count, seen_cap;
	const struct tp_rec **recs;	/* of this trace */
	size_t rec_count, rec_cap;
	cJSON *doc;
	char *trace;		/* name of the trace in commands */
	int guessed;		/* 2: file names disagree about it */
	int64_t run;
	int first_only;
	struct tp_arena arena;
	struct tp_err *err;
};

/* Whether TEXT mentions FILE, with the home folder as it is or as "~". */
static int
tells_of(const char *text, const char *file)
{
	const char *at = text;

	file += *file == '~';
	while (*file && (at = strstr(at, file))) {
		if (at == text || at[-1] == '/' || *file == '/')
			return 1;
		at++;
	}
	return 0;
}

static struct export *
add_export(struct inventory *v)
{
	struct export *e;

	e = TP_PUSH(v->list, v->count, v->cap);
	e->last_ns = -1;
	return e;
}

static int
load(struct inventory *v)
{
	const cJSON *c;
	struct export *e;

	v->doc = tp_share_json("tables/exports.json", v->err);
	if (!v->doc)
		return -1;
	cJSON_ArrayForEach(c, tp_json_get(v->doc, "exports")) {
		e = add_export(v);
		e->table = tp_json_text(c, "table");
		e->slug = tp_json_text(c, "slug");
		e->name = tp_json_text(c, "name");
		e->shows = tp_json_text(c, "shows");
		e->section = tp_json_text(c, "section");
		e->instead_of = tp_json_get(c, "instead_of");
		e->expected = cJSON_IsTrue(tp_json_get(c, "expected"));
		e->optional = cJSON_IsTrue(tp_json_get(c, "optional"));
		if (!e->table || !e->slug || !e->name || !e->shows)
			return tp_share_fail(v->err, TP_BAD,
			    "share/tables/exports.json: export %zu lacks "
			    "table, slug, name or shows", v->count);
	}
	return 0;
}

/* Index of the export of table SCHEMA, added when not listed. */
static ptrdiff_t
of_schema(struct inventory *v, const char *schema)
{
	struct export *e;
	char *name;

	for (size_t i = 0; i < v->count; i++)
		if (!strcmp(v->list[i].table, schema))
			return (ptrdiff_t)i;
	name = tp_arena_text(&v->arena, schema, strlen(schema));
	e = add_export(v);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	e->table = e->slug = schema;
	e->name = name;
	return (ptrdiff_t)v->count - 1;
}

/* Index of the export that an unreadable file would have been; -1: unknown. */
static ptrdiff_t
of_name(struct inventory *v, const char *file)
{
	size_t prefix;

	for (size_t i = 0; i < v->count; i++)
		if (tp_table_named(file, v->list[i].name,
		    v->list[i].table, &prefix))
			return (ptrdiff_t)i;
	return -1;
}

/*
 * Index of the entry that counts FILE, of the table of export AT: AT itself,
 * or a spare one when only the first file of a table is used.
 */
static ptrdiff_t
of_file(struct inventory *v, ptrdiff_t at, const char *file)
{
	const struct export *first = &v->list[at];
	struct export *e;

	if (!v->first_only || !first->file || !strcmp(first->file, file))
		return at;
	for (size_t i = 0; i < v->count; i++)
		if (v->list[i].spare && !strcmp(v->list[i].file, file) &&
		    !strcmp(v->list[i].table, first->table))
			return (ptrdiff_t)i;
	e = add_export(v);
	first = &v->list[at];	/* the list may have moved */
	e->table = first->table;
	e->slug = first->slug;
	e->name = first->name;
	e->shows = first->shows;
	e->spare = 1;
	e->file = file;
	return e - v->list;
}

/*
 * Check whether file names agree on the name of the trace, if it is taken
 * from them.
 */
static void
guess_trace(struct inventory *v, const char *file, const struct export *e)
{
	size_t prefix = 0;

	if (v->guessed == 2 || !tp_table_named(file, e->name,
	    e->table, &prefix))
		return;
	if (!v->guessed)
		v->trace = tp_arena_text(&v->arena, file, prefix);
	v->guessed = strlen(v->trace) == prefix &&
	    !memcmp(v->trace, file, prefix) ? 1 : 2;
}

/* Count the rows of FILE for export AT once, however often it is reported. */
static void
count_rows(struct inventory *v, size_t at, const char *file, int64_t rows)
{
	struct export *e = &v->list[at];
	struct seen *s;

	for (size_t i = 0; i < v->seen_count; i++) {
		s = &v->seen[i];
		if (s->export != at || strcmp(s->file, file))
			continue;
		if (rows > s->rows) {
			e->rows += rows - s->rows;
			s->rows = rows;
		}
		return;
	}
	s = TP_PUSH(v->seen, v->seen_count, v->seen_cap);
	s->export = at;
	s->file = file;
	s->rows = rows;
	e->rows += rows;
	if (!e->file)
		e->file = file;
}

static void
take_source(struct inventory *v, const struct tp_rec *rec)
{
	const char *file = tp_rec_text(rec, "file"), *base;
	const char *schema = tp_rec_text(rec, "schema");
	const char *format = tp_rec_text(rec, "format");
	const struct tp_field *unused = tp_rec_field(rec, "is_unused");
	int64_t rows = 0, first, last;
	struct export *e;
	ptrdiff_t at;

	file = file ? file : "";
	base = tp_base(file);
	if ((format && !strcmp(format, "toc")) ||
	    (schema && !strcmp(schema, "trace-toc")))
		schema = "toc";
	tp_rec_int(rec, "rows", &rows);
	/* JSON without an event, in place of an export */
	if (schema && !rows && !strcmp(schema, "trace-events") &&
	    of_name(v, base) >= 0)
		schema = NULL;
	at = schema ? of_schema(v, schema) : of_name(v, base);
	if (at < 0)
		return;
	at = of_file(v, at, file);
	e = &v->list[at];
	if (!schema && !rows)
		e->damaged = 1;
	e->present = 1;
	e->read |= !unused || !unused->n;
	count_rows(v, (size_t)at, file, rows);
	if (tp_rec_int(rec, "first_ns", &first) &&
	    tp_rec_int(rec, "last_ns", &last)) {
		if (e->first_ns > e->last_ns || first < e->first_ns)
			e->first_ns = first;
		TP_MOST(e->last_ns, last);
	}
	guess_trace(v, base, e);
}

/* TEXT begins with the name of a file that could not be read at all. */
static void
take_lost(struct inventory *v, const char *text, int is_pointer)
{
	const char *colon = strstr(text, ": ");
	struct export *e;
	ptrdiff_t at;
	char *file;

	if (!colon)
		return;
	file = tp_arena_text(&v->arena, text, (size_t)(colon - text));
	at = of_name(v, tp_base(file));
	if (at < 0 || v->list[at].present)
		return;
	e = &v->list[at];
	e->present = e->damaged = 1;
	e->pointer = is_pointer;
	e->file = file;
	guess_trace(v, tp_base(file), e);
}

/* A loss that names a file is damage to that file. */
static void
take_note(struct inventory *v, const struct tp_rec *rec)
{
	const char *text = tp_rec_text(rec, "text");
	const char *code = tp_rec_text(rec, "code");
	int is_pointer = code && !strcmp(code, "lfs.pointer");
	int64_t status = 0;
	int found = 0;

	tp_rec_int(rec, "status", &status);
	if (!text || status != TP_BAD)
		return;
	for (size_t i = 0; i < v->seen_count; i++) {
		if (!tells_of(text, v->seen[i].file))
			continue;
		v->list[v->seen[i].export].damaged = 1;
		v->list[v->seen[i].export].pointer = is_pointer;
		found = 1;
	}
	if (!found)
		take_lost(v, text, is_pointer);
}

static void
take_all(struct inventory *v, int64_t run)
{
	struct export *toc;

	v->run = 1;
	for (size_t i = 0; i < v->rec_count; i++) {
		if (!strcmp(v->recs[i]->kind, "source"))
			take_source(v, v->recs[i]);
		if (strcmp(v->recs[i]->kind, "trace.info"))
			continue;
		if (run < 0)
			tp_rec_int(v->recs[i], "run", &run);
		toc = &v->list[of_schema(v, "toc")];
		toc->present = toc->read = 1;
	}
	if (run >= 0)
		v->run = run;
	for (size_t i = 0; i < v->rec_count; i++)
		if (!strcmp(v->recs[i]->kind, "note"))
			take_note(v, v->recs[i]);
}

/*
 * Whether the table of contents lists TABLE for the run: 1, 0, or -1 without
 * a table of contents.
 */
static int
listed(const struct inventory *v, const char *table)
{
	const char *name;
	int64_t run;
	int known = -1;

	for (size_t i = 0; i < v->rec_count; i++) {
		if (strcmp(v->recs[i]->kind, "trace.table"))
			continue;
		known = 0;
		if (tp_rec_int(v->recs[i], "run", &run) && run != v->run)
			continue;
		name = tp_rec_text(v->recs[i], "table");
		if (name && !strcmp(name, table))
			return 1;
	}
	return known;
}

static const char *
state_of(const struct export *e)
{
	if (!e->present)
		return "missing";
	if (e->damaged)
		return "damaged";
	/* a table of contents has no rows to count */
	if (!e->rows && strcmp(e->table, "toc"))
		return "empty";
	return e->section && e->read ? "used" : "unused";
}

static int
is_used(const struct export *e)
{
	return !strcmp(state_of(e), "used");
}

/* The table that was used in place of that of E; NULL: none. */
static const char *
replaced_by(const struct inventory *v, const struct export *e)
{
	const struct export *o;

	if (!e->present || e->spare || is_used(e))
		return NULL;
	for (o = v->list; o < v->list + v->count; o++)
		if (is_used(o) && tp_json_holds(o->instead_of, e->table))
			return o->table;
	return NULL;
}

/* Append the usual file name without its ending: TRACE_NAME. */
static void
put_stem(struct inventory *v, const struct export *e, struct tp_out *out)
{
	struct tp_buf stem = { 0 };

	tp_buf_fmt(&stem, "%s_%s", tp_base(v->trace), e->name);
	tp_out_bytes(out, "stem", stem.p, stem.len);
	tp_buf_release(&stem);
}

static void
put_command(struct inventory *v, const struct export *e, struct tp_out *out)
{
	struct tp_buf cmd = { 0 }, name = { 0 };

	if (e->pointer) {
		tp_out_text(out, "command", "git lfs pull");
		return;
	}
	tp_buf_fmt(&name, "%s.trace", v->trace);
	tp_buf_str(&cmd, "xctrace export --input ");
	tp_shell_word(&cmd, name.p ? name.p : "");
	if (!strcmp(e->table, "toc"))
		tp_buf_str(&cmd, " --toc");
	else
		tp_buf_fmt(&cmd, " --xpath '/trace-toc/run[@number=\"%lld\"]"
		    "/data/table[@schema=\"%s\"]'", (long long)v->run,
		    e->table);
	tp_buf_clear(&name);
	tp_buf_fmt(&name, "%s_%s.xml", tp_base(v->trace), e->name);
	tp_buf_str(&cmd, " --output ");
	tp_shell_word(&cmd, name.p ? name.p : "");
	tp_out_bytes(out, "command", cmd.p, cmd.len);
	tp_buf_release(&cmd);
	tp_buf_release(&name);
}

/* Name of the file of E, with its folder when another has the same name. */
static const char *
shown_file(const struct inventory *v, const struct export *e)
{
	const char *base = tp_base(e->file);
	const struct export *o;

	for (o = v->list; o < v->list + v->count; o++)
		if (o->file && strcmp(o->file, e->file) &&
		    !strcmp(tp_base(o->file), base))
			return e->file;
	return base;
}

static void
emit_export(struct inventory *v, const struct export *e, struct tp_out *out)
{
	int in_toc = listed(v, e->table);

	tp_out_begin(out, "export");
	tp_out_text(out, "table", e->table);
	tp_out_text(out, "slug", e->slug);
	tp_out_text(out, "name", e->name);
	put_stem(v, e, out);
	tp_out_text(out, "state", state_of(e));
	tp_out_text(out, "section", e->section);
	if (e->pointer)
		tp_out_bool(out, "is_pointer", 1);
	tp_out_text(out, "replaced_by", replaced_by(v, e));
	tp_out_bool(out, "optional", e->optional);
	if (in_toc >= 0 && strcmp(e->table, "toc"))
		tp_out_bool(out, "recorded", in_toc);
	if (e->present && strcmp(e->table, "toc"))
		tp_out_int(out, "rows", e->rows);
	if (e->first_ns <= e->last_ns) {
		tp_out_int(out, "first_ns", e->first_ns);
		tp_out_int(out, "last_ns", e->last_ns);
	}
	if (e->file && *e->file)
		tp_out_text(out, "file", shown_file(v, e));
	tp_out_text(out, "shows", e->shows);
	/* only for known names, and for what the trace has */
	if (e->shows && (e->present || in_toc))
		put_command(v, e, out);
	tp_out_end(out);
}

/* Write KEY: one shell line that exports all known tables of STATE. */
static void
put_loop(struct inventory *v, const char *state, const char *key,
    struct tp_out *out)
{
	struct tp_buf cmd = { 0 }, name = { 0 };
	size_t known = 0;

	tp_buf_str(&cmd, "for t in");
	for (size_t i = 0; i < v->count; i++) {
		const struct export *e = &v->list[i];

		if (!e->shows || e->pointer || (!e->present &&
		    (!e->expected || e->optional || !listed(v, e->table))) ||
		    !strcmp(e->table, "toc") || strcmp(state_of(e), state))
			continue;
		tp_buf_chr(&cmd, ' ');
		tp_shell_word(&cmd, e->table);
		known++;
	}
	tp_buf_fmt(&name, "%s.trace", v->trace);
	tp_buf_str(&cmd, "; do xctrace export --input ");
	tp_shell_word(&cmd, name.p ? name.p : "");
	tp_buf_fmt(&cmd, " --xpath \"/trace-toc/run[@number='%lld']"
	    "/data/table[@schema='$t']\" --output ", (long long)v->run);
	tp_buf_clear(&name);
	tp_buf_fmt(&name, "%s_", tp_base(v->trace));
	tp_shell_word(&cmd, name.p ? name.p : "");
	tp_buf_str(&cmd, "\"$t\".xml; done");
	if (known)
		tp_out_bytes(out, key, cmd.p, cmd.len);
	tp_buf_release(&cmd);
	tp_buf_release(&name);
}

static void
emit_summary(struct inventory *v, struct tp_out *out)
{
	static const struct count {
		const char *state, *key;
	} counts[] = { { "used", "used_count" }, { "empty", "empty_count" },
	    { "missing", "missing_count" }, { "damaged", "damaged_count" },
	    { "unused", "unused_count" } };
	int64_t n, present = 0, rows = 0;
	const struct export *e;

	tp_out_begin(out, "export.summary");
	tp_out_text(out, "trace", v->trace);
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
		n = 0;
		for (size_t i = 0; i < v->count; i++) {
			e = &v->list[i];
			/* unrequested tables are not missed */
			if (e->present || (e->expected && !e->optional))
				n += !strcmp(state_of(e), counts[k].state);
		}
		tp_out_int(out, counts[k].key, n);
	}
	for (size_t i = 0; i < v->count; i++) {
		e = &v->list[i];
		if (!strcmp(e->table, "toc") || e->spare)
			continue;
		present += e->present;
		rows += e->rows;
	}
	tp_out_int(out, "table_count", present);
	tp_out_int(out, "row_count", rows);
	put_loop(v, "empty", "empty_command", out);
	put_loop(v, "missing", "missing_command", out);
	tp_out_end(out);
}

/*
 * Whether the rows of E describe one moment, so that their times do not say
 * when the recording ran: share/tables says so, or there are more rows than
 * nanoseconds.
 */
static int
is_snapshot(const struct inventory *v, const struct export *e)
{
	return tp_json_fits(tp_json_get(v->doc, "snapshots"), e->table) ||
	    e->last_ns - e->first_ns < e->rows;
}

/*
 * Note tables that do not overlap in time, as those of one recording do; few
 * rows may lie anywhere.
 */
static void
note_apart(const struct inventory *v, struct tp_out *out)
{
	enum { ROWS_ENOUGH = 20 };
	const struct export *a, *b, *first = NULL;

	for (a = v->list; a < v->list + v->count; a++) {
		if (a->spare || !a->file || a->rows < ROWS_ENOUGH ||
		    a->first_ns > a->last_ns || is_snapshot(v, a))
			continue;
		b = first;
		first = first ? first : a;
		if (!b || (a->first_ns <= b->last_ns &&
		    b->first_ns <= a->last_ns))
			continue;
		tp_out_note(out, "trace.apart", TP_OK, 1, "%s: its rows end "
		    "before those of %s begin; check that both are of one "
		    "recording", tp_base(a->last_ns < b->first_ns ? a->file :
		    b->file), tp_base(a->last_ns < b->first_ns ? b->file :
		    a->file));
	}
}

/* Name the trace in commands: as given, by file names, or by src. */
static void
name_trace(struct inventory *v, const char *trace, const char *src)
{
	size_t len;

	if (!trace && v->guessed == 1 && *v->trace)
		return;
	if (!trace)
		trace = src && strcmp(src, "-") ? src : "TRACE";
	len = strlen(trace);
	if (len > 6 && !strcmp(trace + len - 6, ".trace"))
		len -= 6;
	v->trace = tp_arena_text(&v->arena, trace, len);
}

static void
take_records(struct inventory *v, const struct tp_set *set, const char *src)
{
	for (size_t i = 0; i < set->count; i++) {
		if (src && *set->recs[i].src &&
		    strcmp(set->recs[i].src, src))
			continue;
		TP_APPEND(v->recs, v->rec_count, v->rec_cap, &set->recs[i]);
	}
}

/* Write one trace: the records of SRC (NULL: all), called NAME. */
static int
emit_trace(const struct tp_set *set, const char *src, const char *name,
    const struct tp_inventory *how, struct tp_out *out, struct tp_err *err)
{
	struct inventory v = { .err = err, .first_only = how->first_only };
	const char *old = out->src;
	int rc = load(&v);

	if (!rc) {
		take_records(&v, set, src);
		take_all(&v, how->run);
		name_trace(&v, how->trace, name);
		out->src = name;
		for (size_t i = 0; i < v.count; i++)
			if (v.list[i].expected || v.list[i].present ||
			    (how->all && v.list[i].section))
				emit_export(&v, &v.list[i], out);
		emit_summary(&v, out);
		note_apart(&v, out);
		out->src = old;
	}
	cJSON_Delete(v.doc);
	tp_free(v.list);
	tp_free(v.seen);
	tp_free(v.recs);
	tp_arena_release(&v.arena);
	return rc;
}

/* Names of the traces that have tables; when none has, of the first. */
static void
traces_of(const struct tp_set *set, struct tp_names *names)
{
	const struct tp_rec *rec, *first = NULL;

	for (size_t i = 0; i < set->count; i++) {
		rec = &set->recs[i];
		if (!*rec->src)
			continue;
		first = first ? first : rec;
		if (!strcmp(rec->kind, "trace.info") ||
		    (!strcmp(rec->kind, "source") &&
		    tp_rec_text(rec, "schema")))
			tp_names_add(names, rec->src, strlen(rec->src));
	}
	if (!names->count && first)
		tp_names_add(names, first->src, strlen(first->src));
}

int
tp_inventory_emit(const struct tp_set *set, const struct tp_inventory *how,
    struct tp_out *out, struct tp_err *err)
{
	struct tp_names names = { 0 };
	const char *name;
	int rc = 0;

	traces_of(set, &names);
	if (!names.count)
		rc = emit_trace(set, NULL, NULL, how, out, err);
	for (size_t i = 0; i < names.count && !rc; i++) {
		name = names.names[i].text;
		rc = emit_trace(set, names.count > 1 ? name : NULL, name,
		    how, out, err);
	}
	tp_names_release(&names);
	return rc;
}
