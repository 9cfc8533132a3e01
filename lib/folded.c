/* folded - time by call stack, in the format of flame graph programs */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/text.h>

#include "folded.h"

uint32_t
tp_folded_node(struct tp_folded *f, uint32_t parent, const char *name,
    size_t len)
{
	unsigned depth = parent == TP_FOLDED_ROOT ? 1 :
	    f->depths[parent - 1] + 1u;
	ptrdiff_t text, at;

	if (depth > TP_FOLDED_DEPTH)
		return parent;
	text = depth < TP_FOLDED_DEPTH ? tp_names_add(&f->names, name, len) :
	    tp_names_add(&f->names, "[deeper]", 8);
	at = tp_ids_add(&f->nodes, parent, (uint64_t)text);
	TP_ITEM(f->ps, f->cap, at);
	TP_ITEM(f->depths, f->depth_cap, at);
	f->depths[at] = (uint16_t)depth;
	return (uint32_t)at + 1;
}

void
tp_folded_add(struct tp_folded *f, uint32_t node, int64_t ps)
{
	if (node != TP_FOLDED_ROOT)
		f->ps[node - 1] = tp_plus(f->ps[node - 1], ps);
}

/* A node and its position in the output. */
struct place {
	uint64_t parent;
	const struct tp_name *name;
	uint32_t node;
};

TP_ORDER(by_caller, struct place, TP_UP(parent)
    TP_BY(tp_bytes_cmp(a->name->text, a->name->len, b->name->text,
    b->name->len)))

void
tp_folded_name(struct tp_buf *path, const char *name, size_t len)
{
	uint32_t c;
	size_t n;

	for (size_t i = 0; i < len; i += n) {
		n = tp_utf8(name + i, len - i, &c);
		if (n > 1) {
			tp_buf_add(path, name + i, n);
		} else if (n) {
			tp_buf_chr(path, c == ';' ? ':' : c < ' ' ? ' ' :
			    (char)c);
		} else {
			tp_utf8_add(path, 0xfffd);
			n = 1;
		}
	}
}

struct walk {
	const struct tp_folded *f;
	struct tp_out *out;
	struct place *places;		/* by caller, then by name */
	uint32_t *first;		/* per node, index in places of its
					 * first callee */
	struct tp_buf path, line;
	int64_t ps, ns;			/* totals over the nodes written so
					 * far */
};

static void
put_line(struct walk *w, uint32_t node)
{
	int64_t ns;

	/* carry the rounding error to the next line */
	w->ps = tp_plus(w->ps, w->f->ps[node - 1]);
	ns = tp_ps_to_ns(w->ps) - w->ns;
	if (ns <= 0)
		return;
	w->ns += ns;
	tp_buf_clear(&w->line);
	tp_buf_add(&w->line, w->path.p, w->path.len);
	tp_buf_chr(&w->line, ' ');
	tp_buf_int(&w->line, ns);
	tp_buf_chr(&w->line, '\n');
	tp_out_raw(w->out, w->line.p ? w->line.p : "", w->line.len);
}

/*
 * Walk the tree depth first.  Callers precede their callees in f->nodes, so
 * a stack of places to return to is enough, and it is never deeper than the
 * number of nodes.
 */
static void
walk(struct walk *w, uint32_t *next, size_t *length)
{
	uint32_t depth = 0, node = TP_FOLDED_ROOT;

	next[0] = w->first[TP_FOLDED_ROOT];
	length[0] = 0;
	for (;;) {
		const struct place *p = &w->places[next[depth]];

		if (next[depth] == w->first[node + 1]) {
			if (!depth)
				break;
			depth--;
			node = (uint32_t)w->f->nodes.ids[node - 1].a;
			w->path.len = length[depth];
			continue;
		}
		next[depth]++;
		length[depth] = w->path.len;
		if (w->path.len)
			tp_buf_chr(&w->path, ';');
		tp_folded_name(&w->path, p->name->text, p->name->len);
		node = p->node;
		put_line(w, node);
		next[++depth] = w->first[node];
	}
}

void
tp_folded_write(const struct tp_folded *f, struct tp_out *out)
{
	size_t n = f->nodes.count;
	struct walk w = { .f = f, .out = out,
	    .places = tp_alloc((n + 1) * sizeof *w.places),
	    .first = tp_zalloc((n + 2) * sizeof *w.first) };
	uint32_t *next = tp_alloc((n + 1) * sizeof *next);
	size_t *length = tp_alloc((n + 1) * sizeof *length);

	for (size_t i = 0; i < n; i++) {
		w.places[i] = (struct place){ f->nodes.ids[i].a,
		    &f->names.names[f->nodes.ids[i].b],
		    (uint32_t)i + 1 };
		w.first[f->nodes.ids[i].a + 1]++;
	}
	for (size_t i = 1; i < n + 2; i++)
		w.first[i] += w.first[i - 1];
	TP_SORT(w.places, n, by_caller);
	walk(&w, next, length);
	tp_buf_release(&w.path);
	tp_buf_release(&w.line);
	tp_free(w.places);
	tp_free(w.first);
	tp_free(next);
	tp_free(length);
}

void
tp_folded_release(struct tp_folded *f)
{
	tp_names_release(&f->names);
	tp_ids_release(&f->nodes);
	tp_free(f->ps);
	tp_free(f->depths);
	memset(f, 0, sizeof *f);
}

/* Lines examined to recognise a file. */
#define LINES_SEEN 16

int64_t
tp_folded_number(const char *line, size_t *len)
{
	size_t end = *len, at;
	int64_t n = 0;

	while (end && (line[end - 1] == ' ' || line[end - 1] == '\t' ||
	    line[end - 1] == '\r'))
		end--;
	for (at = end; at && line[at - 1] >= '0' && line[at - 1] <= '9'; at--)
		continue;
	for (size_t i = at; i < end; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, line[i] - '0', &n))
			return -1;
	if (at == end || at < 2 || line[at - 1] != ' ')
		return -1;
	*len = at - 1;
	return n;
}

int
tp_folded_fail(struct tp_err *err, uint64_t line)
{
	return tp_fail(err, TP_BAD, "stack.damaged", line, "not a stack "
	    "followed by a whole number: 'FRAME;FRAME 12'");
}

/*
 * Whether the line at P belongs to a table: its first cell is a number, which
 * no outermost frame is.
 */
static int
is_row(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= '0' && p[i] <= '9')
		i++;
	return i && i < n && p[i] == ';';
}

int
tp_folded_is(const char *p, size_t len, int whole)
{
	const char *end = p + len, *lf;
	size_t n, lines = 0, stacks = 0;
	int framed = 0;

	for (; p < end && lines < LINES_SEEN; p = lf + (lf < end)) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf && !whole)
			break;	/* the line is longer than the bytes given */
		lf = lf ? lf : end;
		n = (size_t)(lf - p);
		if (!n)
			continue;
		lines++;
		if (!is_row(p, n) && tp_folded_number(p, &n) >= 0) {
			stacks++;
			framed |= memchr(p, ';', n) || p[n - 1] == ')';
		} else if (lines == 1) {
			return 0;
		}
	}
	return framed && stacks * 2 > lines;
}

const char *
tp_folded_inner(const char *stack, const char **end, size_t *len)
{
	const char *at, *to;

	while (*end > stack) {
		for (at = to = *end; at > stack && at[-1] != ';'; at--)
			continue;
		*end = at > stack ? at - 1 : stack;
		*len = (size_t)(to - at);
		if (*len)
			return at;
	}
	return NULL;
}

/*
 * Check the line at P, before END; returns the end of its trailing digits,
 * of which there may be none.
 */
static const char *
take_line(const char *p, const char *end, uint64_t *line)
{
	for (*line = 0; p < end && *p >= '0' && *p <= '9' &&
	    *line < INT32_MAX; p++)
		*line = *line * 10 + (uint64_t)(*p - '0');
	return p;
}

/* Parse "FILE(LINE): NAME". */
static int
is_torch(const char *frame, size_t len, struct tp_folded_frame *f)
{
	const char *at = frame, *end = frame + len, *p;

	while ((at = memchr(at, '(', (size_t)(end - at))) != NULL) {
		p = take_line(at + 1, end, &f->line);
		if (p > at + 1 && at > frame && end - p > 3 &&
		    !memcmp(p, "): ", 3)) {
			f->file = frame;
			f->file_len = (size_t)(at - frame);
			f->name = p + 3;
			f->name_len = (size_t)(end - f->name);
			return 1;
		}
		at++;
	}
	return 0;
}

/* Parse "NAME (FILE:LINE)", or "NAME (FILE)" when FILE looks like a file. */
static int
is_spied(const char *frame, size_t len, struct tp_folded_frame *f)
{
	const char *end = frame + len - 1, *at, *colon;

	if (len < 5 || *end != ')')
		return 0;
	for (at = end; at > frame && *at != '('; at--)
		continue;
	if (at < frame + 2 || at[-1] != ' ' || at + 1 == end)
		return 0;
	for (colon = end; colon > at && *colon != ':'; colon--)
		continue;
	f->line = 0;
	if (colon > at + 1 && take_line(colon + 1, end, &f->line) < end)
		f->line = 0;
	f->file = at + 1;
	f->file_len = (size_t)((f->line ? colon : end) - f->file);
	f->name = frame;
	f->name_len = (size_t)(at - 1 - frame);
	return f->line || memchr(f->file, '.', f->file_len) ||
	    memchr(f->file, '/', f->file_len);
}

void
tp_folded_frame(const char *frame, size_t len, struct tp_folded_frame *f)
{
	memset(f, 0, sizeof *f);
	if (is_torch(frame, len, f) || is_spied(frame, len, f))
		return;
	*f = (struct tp_folded_frame){ .name = frame, .name_len = len };
}
