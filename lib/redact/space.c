/*
 * space - redact the texts in an XSpace (*.xplane.pb)
 *
 * A message is rewritten with its new length, so a whole plane is in memory,
 * and its result beside it.  read/xspace.h knows the fields with texts.
 * Fields of bytes may be other messages, such as HLO, or anything else.  A
 * text in them may change its length only if it is certain to be text and
 * not a message; otherwise findings are overwritten in place.
 */
#include <stdlib.h>
#include <string.h>

#include <tp/order.h>
#include <tp/text.h>

#include "redact_parts.h"
#include "proto_out.h"
#include "read/xspace.h"

/* XLA's messages do not nest deeper. */
#define DEPTH_MAX 32
/* Least printable bytes in a row, among others, to be examined as text. */
#define RUN_LEAST 5

/* Message types of an XSpace, and other types of fields. */
enum kind {
	SPACE, PLANE, LINE, EVENT, KIND_ENTRY, KIND, STAT_ENTRY, STAT_KIND,
	STAT, KINDS,
	TEXT,
	HOST,			/* a text: a host name */
	BYTES,			/* any bytes */
	PACKED,			/* compressed text: left out */
	COPIED
};

/* Types of the fields that hold bytes. */
static const struct {
	enum kind of;
	uint32_t field;
	enum kind is;
} fields[] = {
	{ SPACE, SPACE_PLANES, PLANE },
	{ SPACE, SPACE_ERRORS, TEXT },
	{ SPACE, SPACE_WARNINGS, TEXT },
	{ SPACE, SPACE_HOSTS, HOST },
	{ PLANE, PLANE_NAME, TEXT },
	{ PLANE, PLANE_LINES, LINE },
	{ PLANE, PLANE_KINDS, KIND_ENTRY },
	{ PLANE, PLANE_STATS, STAT_ENTRY },
	{ PLANE, PLANE_OWN, STAT },
	{ LINE, LINE_NAME, TEXT },
	{ LINE, LINE_EVENTS, EVENT },
	{ LINE, LINE_SHOWN, TEXT },
	{ EVENT, EVENT_STATS, STAT },
	{ KIND_ENTRY, ENTRY_VALUE, KIND },
	{ KIND, KIND_NAME, TEXT },
	{ KIND, KIND_BYTES, BYTES },
	{ KIND, KIND_SHOWN, TEXT },
	{ KIND, KIND_STATS, STAT },
	{ STAT_ENTRY, ENTRY_VALUE, STAT_KIND },
	{ STAT_KIND, STAT_NAME, TEXT },
	{ STAT_KIND, STAT_ABOUT, TEXT },
	{ STAT, STAT_TEXT, TEXT },
	{ STAT, STAT_BYTES, BYTES },
	{ STAT, STAT_PACKED, PACKED },
};

static enum kind
kind_of(enum kind message, const struct tp_proto_field *f)
{
	if (f->wire != TP_WIRE_BYTES)
		return COPIED;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].of == message && fields[i].field == f->number)
			return fields[i].is;
	/* unknown: of a later version */
	return BYTES;
}

/* The name of a stat. */
struct stat_name {
	uint64_t id;
	struct tp_proto name;
	int value_is;		/* what its values are, by this name */
	int is;			/* what the name itself is, as the value of
				 * another stat */
};

struct walk {
	struct tp_redact *r;
	struct tp_buf text;
	struct tp_buf message[DEPTH_MAX];	/* one per depth */
	struct stat_name *names;		/* of the plane, sorted by id */
	size_t name_count, name_cap;
};

/* Write callback: appends to a buffer. */
static void
gather(void *arg, const char *bytes, size_t len)
{
	tp_buf_add(arg, bytes, len);
}

/*
 * Redact the LEN bytes of text at P into w->text; WHOLE as for
 * tp_redact_text().
 */
static void
redact_bytes(struct walk *w, const char *p, size_t len, int whole)
{
	struct tp_redact *r = w->r;
	void (*write)(void *, const char *, size_t) = r->write;
	void *arg = r->arg;

	tp_buf_clear(&w->text);
	r->base = p;
	r->in_pem = 0;
	if (write) {
		r->write = gather;
		r->arg = &w->text;
	}
	tp_redact_text(r, p, len, ESCAPE_NONE, whole);
	tp_redact_copy(r, p + len);
	r->write = write;
	r->arg = arg;
}

TP_ORDER(by_id, struct stat_name, TP_UP(id))

static struct stat_name *
name_of(const struct walk *w, uint64_t id)
{
	const struct stat_name key = { .id = id };

	return w->name_count ? bsearch(&key, w->names, w->name_count,
	    sizeof *w->names, by_id) : NULL;
}

/* What the values of a stat are, by its name. */
static int
value_class(const struct walk *w, const struct stat_name *s)
{
	return tp_redact_member(w->r, (const char *)s->name.p,
	    (size_t)(s->name.end - s->name.p));
}

/*
 * Collect the names of the stats of PLANE.  Returns whether any of them says
 * what its values are.
 */
static int
name_stats(struct walk *w, struct tp_proto plane)
{
	struct tp_proto_field f;
	int some = 0;

	w->name_count = 0;
	while (tp_proto_next(&plane, &f) > 0) {
		struct stat_name *s;

		if (kind_of(PLANE, &f) != STAT_ENTRY)
			continue;
		tp_grow(&w->names, &w->name_cap, w->name_count + 1,
		    sizeof *w->names);
		s = &w->names[w->name_count++];
		s->id = tp_proto_number(tp_proto_of(&f), ENTRY_KEY);
		s->name = tp_proto_bytes(tp_proto_bytes(tp_proto_of(&f),
		    ENTRY_VALUE), STAT_NAME);
		s->is = TP_REDACT_NONE;
		s->value_is = value_class(w, s);
		some |= s->value_is != TP_REDACT_NONE;
	}
	TP_SORT(w->names, w->name_count, by_id);
	return some;
}

/*
 * Mark names of stats that are used as values in M, a message of KIND: they are
 * what the names of those stats say.
 */
static void
name_references(struct walk *w, enum kind kind, struct tp_proto m)
{
	struct stat_name *of, *to;
	struct tp_proto_field f;
	enum kind is;

	if (kind == STAT) {
		of = name_of(w, tp_proto_number(m, STAT_ID));
		to = name_of(w, tp_proto_number(m, STAT_REF));
		if (of && to && of->value_is != TP_REDACT_NONE)
			to->is = of->value_is;
		return;
	}
	while (tp_proto_next(&m, &f) > 0)
		if ((is = kind_of(kind, &f)) < KINDS && is != STAT_ENTRY)
			name_references(w, is, tp_proto_of(&f));
}

/* Whether the LEN bytes at P are valid text without controls. */
static int
is_text(const unsigned char *p, size_t len)
{
	const char *text = (const char *)p;
	uint32_t c;
	size_t n;

	for (size_t at = 0; at < len; at += n) {
		n = tp_utf8(text + at, len - at, &c);
		if (!n || c == 0x7f || (c < ' ' && c != '\t' && c != '\n' &&
		    c != '\r'))
			return 0;
	}
	return 1;
}

static int
is_message(struct tp_proto m)
{
	struct tp_proto_field f;
	int rc;

	while ((rc = tp_proto_next(&m, &f)) > 0)
		;
	return rc == 0;
}

static int
is_shown(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

/*
 * Append the LEN bytes at P as field FIELD of OUT and overwrites findings in
 * place.
 */
static void
blot(struct walk *w, const unsigned char *p, size_t len, uint32_t field,
    struct tp_buf *out)
{
	size_t from, to, at;

	tp_put_bytes(out, field, (const char *)p, len);
	at = out->len - len;
	for (from = 0; from < len; from = to + 1) {
		for (to = from; to < len && is_shown(p[to]); to++)
			;
		if (to - from < RUN_LEAST)
			continue;
		redact_bytes(w, (const char *)p + from, to - from,
		    TP_REDACT_NONE);
		if (w->r->write && (w->text.len != to - from ||
		    memcmp(w->text.p, p + from, to - from) != 0))
			memset(out->p + at + from, 'x', to - from);
	}
}

/* Append the redacted text F to OUT; WHOLE as for tp_redact_text(). */
static void
put(struct walk *w, const struct tp_proto_field *f, int whole,
    struct tp_buf *out)
{
	redact_bytes(w, (const char *)f->bytes, (size_t)f->value, whole);
	tp_put_bytes(out, f->number, w->text.p, w->text.len);
}

/*
 * Append bytes of unknown type, the value of F, to OUT, the buffer of DEPTH.
 * WHOLE applies if they are a text.
 */
static void
put_any(struct walk *w, const struct tp_proto_field *f, unsigned depth,
    int whole, struct tp_buf *out)
{
	struct tp_proto m = tp_proto_of(f);
	int text = is_text(f->bytes, (size_t)f->value);
	int message = depth + 1 < DEPTH_MAX && is_message(m);
	const unsigned char *at = m.p;
	struct tp_proto_field part;
	struct tp_buf *in;

	if (text && (!message || whole != TP_REDACT_NONE)) {
		put(w, f, whole, out);
		return;
	}
	if (text || !message) {
		blot(w, f->bytes, (size_t)f->value, f->number, out);
		return;
	}
	in = &w->message[depth + 1];
	for (; tp_proto_next(&m, &part) > 0; at = m.p)
		if (part.wire == TP_WIRE_BYTES)
			put_any(w, &part, depth + 1, TP_REDACT_NONE, in);
		else
			tp_buf_add(in, (const char *)at, (size_t)(m.p - at));
	tp_put_message(out, f->number, in);
}

static void put_message(struct walk *w, enum kind kind, struct tp_proto m,
    unsigned depth, int whole);

/* Append field F of a message of KIND to the buffer of DEPTH. */
static void
put_field(struct walk *w, enum kind kind, const struct tp_proto_field *f,
    unsigned depth, int whole)
{
	struct tp_buf *out = &w->message[depth];
	enum kind is = kind_of(kind, f);

	switch (is) {
	case TEXT:
		put(w, f, whole, out);
		break;
	case HOST:
		put(w, f, TP_REDACT_HOST, out);
		break;
	case BYTES:
		put_any(w, f, depth, whole, out);
		break;
	case PACKED:
		w->r->is_lossy = 1;
		break;
	default:
		put_message(w, is, tp_proto_of(f), depth + 1, whole);
		tp_put_message(out, f->number, &w->message[depth + 1]);
	}
}

/*
 * Write message M of KIND, redacted, to the buffer of DEPTH.  The rest of a
 * damaged message is left out.  WHOLE is the class of the text of an entry.
 */
static void
put_message(struct walk *w, enum kind kind, struct tp_proto m, unsigned depth,
    int whole)
{
	const struct stat_name *s = NULL;
	struct tp_proto_field f;

	if (kind == PLANE && name_stats(w, m))
		name_references(w, PLANE, m);
	else if (kind == PLANE)
		w->name_count = 0;	/* no name says what its values are */
	if (kind == STAT)
		s = name_of(w, tp_proto_number(m, STAT_ID));
	if (kind == STAT_ENTRY)
		s = name_of(w, tp_proto_number(m, ENTRY_KEY));
	w->r->key[0] = '\0';
	if (s && kind == STAT_ENTRY)
		whole = s->is;
	else if (kind != STAT_KIND)
		whole = s && s->value_is != TP_REDACT_NONE ?
		    value_class(w, s) : TP_REDACT_NONE;
	while (m.p < m.end) {
		const unsigned char *at = m.p;

		if (tp_proto_head(&m, &f) <= 0) {
			w->r->is_lossy = 1;
			return;
		}
		if (f.wire != TP_WIRE_BYTES) {
			tp_buf_add(&w->message[depth], (const char *)at,
			    (size_t)(m.p - at));
			continue;
		}
		f.bytes = m.p;
		if (f.value > (uint64_t)(m.end - m.p)) {
			w->r->is_lossy = 1;
			if (kind_of(kind, &f) >= KINDS)
				return;
			f.value = (uint64_t)(m.end - m.p);
		}
		m.p += f.value;
		put_field(w, kind, &f, depth, whole);
	}
}

size_t
tp_redact_space(struct tp_redact *r, const char *p, size_t len, int last)
{
	const unsigned char *at = (const unsigned char *)p;
	struct tp_proto m = { at, at + len }, one;
	struct walk w = { .r = r };
	struct tp_proto_field f;
	size_t used;
	int rc = 0;

	while (!r->is_over && (rc = tp_proto_head(&m, &f)) > 0) {
		if (f.wire == TP_WIRE_BYTES && f.value >
		    (uint64_t)(m.end - m.p) && !last)
			break;
		one = (struct tp_proto){ at, m.end };
		if (f.wire == TP_WIRE_BYTES && f.value <=
		    (uint64_t)(m.end - m.p))
			one.end = m.p + f.value;
		else if (f.wire != TP_WIRE_BYTES)
			one.end = m.p;
		put_message(&w, SPACE, one, 0, TP_REDACT_NONE);
		if (r->write)
			r->write(r->arg, w.message[0].p, w.message[0].len);
		tp_buf_clear(&w.message[0]);
		at = m.p = one.end;
	}
	r->is_over |= rc < 0 || (last && at < m.end);
	r->is_lossy |= r->is_over;
	if (r->is_over)
		at = m.end;
	used = (size_t)((const char *)at - p);
	r->base = p + used;
	for (unsigned i = 0; i < DEPTH_MAX; i++)
		tp_buf_release(&w.message[i]);
	tp_buf_release(&w.text);
	tp_free(w.names);
	return used;
}
