/* compare_origin - whether two record streams are of comparable traces */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "compare_private.h"

#define OTHER "%s: '%.80s' before, '%.80s' after"

/* The text KEY of the first record of KIND in SET that has it, or NULL. */
static const char *
text_of(const struct tp_set *set, const char *kind, const char *key)
{
	const struct tp_rec *rec;
	const char *text;

	for (size_t at = 0; (rec = tp_set_next(set, kind, &at)); )
		if ((text = tp_rec_text(rec, key)) && *text)
			return text;
	return NULL;
}

static int
same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Whether records A and B are equal, except for the name of the trace. */
static int
same_record(const struct tp_rec *a, const struct tp_rec *b)
{
	if (strcmp(a->kind, b->kind) || a->count != b->count)
		return 0;
	for (size_t i = 0; i < a->count; i++) {
		const struct tp_field *f = &a->fields[i], *g = &b->fields[i];

		if (strcmp(f->key, g->key))
			return 0;
		if (strcmp(f->key, "src") && (f->len != g->len ||
		    memcmp(f->text, g->text, f->len)))
			return 0;
	}
	return 1;
}

static int
same_records(const struct tp_set *a, const struct tp_set *b)
{
	if (!a->count || a->count != b->count)
		return 0;
	for (size_t i = 0; i < a->count; i++)
		if (!same_record(&a->recs[i], &b->recs[i]))
			return 0;
	return 1;
}

/* Whether both Instruments traces were recorded at the same moment. */
static int
same_recording(const struct tp_set sets[])
{
	const char *start[TP_SIDES], *end[TP_SIDES];

	for (int s = 0; s < TP_SIDES; s++) {
		start[s] = text_of(&sets[s], "trace.info", "start_date");
		end[s] = text_of(&sets[s], "trace.info", "end_date");
	}
	return same_text(start[0], start[1]) && same_text(end[0], end[1]) &&
	    same_text(text_of(&sets[0], "trace.info", "device"),
	    text_of(&sets[1], "trace.info", "device"));
}

/* Number of notes about damage in SET's inputs. */
static size_t
damage(const struct tp_set *set)
{
	const struct tp_rec *rec;
	int64_t status;
	size_t n = 0;

	for (size_t at = 0; (rec = tp_set_next(set, "note", &at)); )
		n += tp_rec_int(rec, "status", &status) && status > 0;
	return n;
}

void
tp_compare_origin_of(const struct tp_set sets[TP_SIDES],
    struct tp_compare_origin *o)
{
	const char *kind[TP_SIDES];

	memset(o, 0, sizeof *o);
	for (int s = 0; s < TP_SIDES; s++) {
		o->sha256[s] = text_of(&sets[s], "profile.document", "sha256");
		if (!o->sha256[s])
			o->sha256[s] = text_of(&sets[s], "source", "sha256");
		o->source_path[s] = text_of(&sets[s], "profile.document",
		    "file");
		o->run_id[s] = text_of(&sets[s], "profile.document",
		    "run_id");
		kind[s] = text_of(&sets[s], "trace.summary", "device_kind");
		o->damage[s] = damage(&sets[s]);
	}
	if (same_text(kind[0], kind[1]))
		o->device_kind = kind[0];
	if (same_text(o->sha256[0], o->sha256[1]))
		o->why = "the trace has the same SHA-256";
	else if (same_recording(sets))
		o->why = "both were recorded in the same moment";
	else if (same_records(&sets[0], &sets[1]))
		o->why = "all records are the same";
	o->same_trace = o->why != NULL;
}

/* The value of KEY in the first record of KIND that has it. */
static const struct tp_field *
field_of(const struct tp_set *set, const char *kind, const char *key)
{
	const struct tp_field *f;
	const struct tp_rec *rec;

	for (size_t at = 0; (rec = tp_set_next(set, kind, &at)); )
		if ((f = tp_rec_field(rec, key)))
			return f;
	return NULL;
}

TP_ORDER_POINTERS(by_text, struct tp_field, TP_BY(strcmp(a->text, b->text)))

/*
 * Set TEXT to what SET says under KEY of S: one value, or with several
 * experiments all distinct values, in order.
 */
static void
said(const struct tp_set *set, const struct tp_compare_same *s,
    const char *key, struct tp_buf *text)
{
	const struct tp_field **list = tp_alloc((set->count + 1) *
	    sizeof *list), *f;
	const struct tp_rec *rec;
	size_t n = 0, at = 0;

	tp_buf_clear(text);
	while ((rec = tp_set_next(set, s->kind, &at)) &&
	    (!n || s->refuses))
		if ((f = tp_rec_field(rec, key)))
			list[n++] = f;
	TP_SORT(list, n, by_text);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(list[i]->text, list[i - 1]->text))
			tp_buf_fmt(text, "%s%s", i ? ", " : "", list[i]->text);
	tp_free(list);
}

void
tp_compare_differs(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_buf *words)
{
	const struct tp_field *b, *a;

	for (size_t i = 0; i < rules->same_count; i++)
		for (const char **key = rules->same[i].keys;
		    rules->same[i].refuses && *key; key++) {
			b = field_of(&sets[TP_BEFORE], rules->same[i].kind,
			    *key);
			a = field_of(&sets[TP_AFTER], rules->same[i].kind,
			    *key);
			if (a && b && strcmp(a->text, b->text))
				tp_buf_fmt(words, "%s" OTHER,
				    words->len ? "; " : "", *key, b->text,
				    a->text);
		}
}

/* KEY as words. */
static void
out_words(struct tp_out *out, const char *key)
{
	char words[64];
	size_t n = 0;

	for (; key[n] && n + 1 < sizeof words; n++)
		words[n] = key[n] == '_' ? ' ' : key[n];
	tp_out_bytes(out, "title", words, n);
}

static void
said_of_both(const struct tp_set sets[TP_SIDES],
    const struct tp_compare_same *s, const char *key,
    struct tp_buf texts[TP_SIDES])
{
	for (int i = 0; i < TP_SIDES; i++)
		said(&sets[i], s, key, &texts[i]);
}

int
tp_compare_is_moved(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES])
{
	struct tp_buf texts[TP_SIDES] = { { 0 }, { 0 } };
	const struct tp_compare_same *s = rules->same;
	int is_moved = 0;

	for (size_t i = 0; i < rules->same_count; i++, s++)
		for (const char **key = s->keys; s->is_device && !is_moved &&
		    *key; key++) {
			said_of_both(sets, s, *key, texts);
			is_moved = texts[0].len && texts[1].len &&
			    tp_compare_words(rules, texts, NULL);
		}
	tp_buf_release(&texts[TP_BEFORE]);
	tp_buf_release(&texts[TP_AFTER]);
	return is_moved;
}

static void
emit_origin(const struct tp_compare_rules *rules,
    const struct tp_compare_same *s, const char *key,
    const struct tp_buf texts[TP_SIDES], struct tp_out *out)
{
	const struct tp_buf *b = &texts[TP_BEFORE], *a = &texts[TP_AFTER];
	int differ = 0;

	if (!b->len && !a->len)
		return;
	if (b->len && a->len)
		differ = tp_compare_words(rules, texts, NULL);
	tp_out_begin(out, "compare.origin");
	tp_out_text(out, "about", s->is_device ? "device" : "parameters");
	out_words(out, key);
	if (b->len)
		tp_out_bytes(out, "before_text", b->p, b->len);
	if (a->len)
		tp_out_bytes(out, "after_text", a->p, a->len);
	if (a->len && b->len)
		tp_out_bool(out, "is_same", !differ);
	tp_out_end(out);
}

void
tp_compare_emit_origin(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_out *out)
{
	struct tp_buf texts[TP_SIDES] = { { 0 }, { 0 } };

	for (size_t i = 0; i < rules->same_count; i++)
		for (const char **key = rules->same[i].keys; *key; key++) {
			said_of_both(sets, &rules->same[i], *key, texts);
			emit_origin(rules, &rules->same[i], *key, texts, out);
		}
	tp_buf_release(&texts[TP_BEFORE]);
	tp_buf_release(&texts[TP_AFTER]);
}

#define APART "%s: '%.160s' %s, '%.160s' %s"

/* Write a note for each difference between SETS, called SIDES. */
static void
note_differing(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], const char *const sides[TP_SIDES],
    struct tp_out *out)
{
	struct tp_buf texts[TP_SIDES] = { { 0 }, { 0 } };
	struct tp_buf words[TP_SIDES] = { { 0 }, { 0 } };
	const struct tp_buf *b = &words[TP_BEFORE], *a = &words[TP_AFTER];

	for (size_t i = 0; i < rules->same_count; i++)
		for (const char **key = rules->same[i].keys; *key; key++) {
			said_of_both(sets, &rules->same[i], *key, texts);
			if (!texts[0].len || !texts[1].len ||
			    !tp_compare_words(rules, texts, words))
				continue;
			if (rules->same[i].is_device)
				tp_out_note(out, "compare.device", 0, 1, APART,
				    *key, b->p, sides[TP_BEFORE], a->p,
				    sides[TP_AFTER]);
			else
				tp_out_note(out, "compare.parameters", 0, 1,
				    APART, *key, b->p, sides[TP_BEFORE], a->p,
				    sides[TP_AFTER]);
		}
	for (int s = 0; s < TP_SIDES; s++) {
		tp_buf_release(&texts[s]);
		tp_buf_release(&words[s]);
	}
}

/*
 * Write a note for each difference between runs of a side: the first that
 * differs from the first run.
 */
static void
note_apart(const struct tp_compare_rules *rules,
    const struct tp_runs runs[TP_SIDES], struct tp_out *out)
{
	static const char *const sides[][2] = {
		{ "in a run before", "in another" },
		{ "in a run after", "in another" },
	};
	uint64_t had;

	for (int s = 0; s < TP_SIDES; s++)
		for (size_t i = 1; i < runs[s].count; i++) {
			const struct tp_set pair[] = { runs[s].sets[0],
			    runs[s].sets[i] };

			had = out->bytes + out->buf.len;
			note_differing(rules, pair, sides[s], out);
			if (out->bytes + out->buf.len > had)
				break;
		}
}

#define NO_SAMPLES "summary.no-samples"

static int
has_only_medians(const struct tp_set *set)
{
	const struct tp_rec *rec;

	for (size_t at = 0; (rec = tp_set_next(set, "note", &at)); )
		if (same_text(tp_rec_text(rec, "code"), NO_SAMPLES))
			return 1;
	return 0;
}

static void
note_medians(const struct tp_set sets[TP_SIDES], struct tp_out *out)
{
	int before = has_only_medians(&sets[TP_BEFORE]);
	int after = has_only_medians(&sets[TP_AFTER]);

	if (before && after)
		tp_out_note(out, NO_SAMPLES, 0, 2, "the documents before and "
		    "after have only medians of their steps: whether a "
		    "change is noise cannot be told");
	else if (before || after)
		tp_out_note(out, NO_SAMPLES, 0, 1, "the document %s has only "
		    "medians of its steps: whether a change is noise cannot "
		    "be told", tp_side_name(before ? TP_BEFORE : TP_AFTER));
}

void
tp_compare_notes(const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], const struct tp_runs runs[TP_SIDES],
    const struct tp_compare_origin *o, struct tp_out *out)
{
	static const char *const sides[] = { "before", "after" };

	note_differing(rules, sets, sides, out);
	note_apart(rules, runs, out);
	note_medians(sets, out);
	if (!o->same_trace && same_text(o->source_path[0], o->source_path[1]))
		tp_out_note(out, "compare.source", 0, 1, "before and after "
		    "name the same file, '%.120s', with other content",
		    o->source_path[0]);
	if (!o->same_trace && same_text(o->run_id[0], o->run_id[1]))
		tp_out_note(out, "compare.source", 0, 1, "before and after "
		    "name the same run, '%.120s'", o->run_id[0]);
	if (o->same_trace)
		tp_out_note(out, "compare.same", 0, 1,
		    "before and after are one trace: %s", o->why);
	for (int s = 0; s < TP_SIDES; s++)
		if (o->damage[s])
			tp_out_note(out, "compare.damaged", TP_BAD,
			    o->damage[s], "the trace %s was damaged or cut "
			    "off: its numbers may be too low", sides[s]);
}
