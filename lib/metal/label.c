/* label - labels of the GPU work of a process */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/text.h>

#include "label.h"
#include "tables.h"

#define TOP 5		/* labels whose share of time is written */
#define LISTED 50	/* labels that get a record */

/* Names no program can use, because a label never begins with a blank. */
static const char defaults[] = " default", others[] = " other";

static size_t
trim(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/* Length of TEXT without a trailing "0x12ab". */
static size_t
cut_submission(const char *text, size_t len)
{
	size_t n = len;

	while (n && ((text[n - 1] >= '0' && text[n - 1] <= '9') ||
	    (text[n - 1] >= 'a' && text[n - 1] <= 'f')))
		n--;
	if (n < 2 || n == len || memcmp(text + n - 2, "0x", 2))
		return len;
	return trim(text, n - 2);
}

/*
 * Length of TEXT without a trailing "( NAME (PID) )"; NAME may contain
 * parentheses.
 */
static size_t
cut_process(const char *text, size_t len)
{
	static const char end[] = ") )";
	size_t n = len, depth = 0;

	if (len < sizeof end || memcmp(text + len - 3, end, 3) ||
	    text[len - 4] < '0' || text[len - 4] > '9')
		return len;
	do {
		n--;
		depth += text[n] == ')';
		depth -= text[n] == '(';
	} while (n && depth);
	return depth ? len : trim(text, n);
}

static size_t
cut_number(const char *text, size_t len)
{
	size_t n = len;

	while (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		n--;
	return n == len || !n || text[n - 1] != ' ' ? len : n - 1;
}

/* Merged encoders; the misspelling is Instruments' own. */
static int
is_merged(const char *text, size_t len)
{
	static const char *const patterns[] = { "Coelasced [0-9]* Encoders",
	    "Coalesced [0-9]* Encoders" };

	return tp_glob(patterns[0], text, len) ||
	    tp_glob(patterns[1], text, len);
}

static int
is_default_part(const char *text, size_t len)
{
	static const char *const names[] = { "Command Buffer",
	    "Compute Command", "Blit Command", "Render Command",
	    "GPU Execution" };
	size_t n = cut_number(text, len);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (tp_is(text, n, names[i]))
			return 1;
	return !len || is_merged(text, len);
}

size_t
tp_label_given(const char *name)
{
	size_t len = strlen(name), at;

	for (at = len; at-- > 0;)
		if (name[at] == ':' && is_default_part(name + at + 1,
		    len - at - 1))
			len = at;
	return len;
}

/* Whether Metal filled in every part of NAME. */
static int
is_default(const char *name, size_t len)
{
	const char *end = name + len, *colon;

	for (;;) {
		colon = memchr(name, ':', (size_t)(end - name));
		if (!is_default_part(name, (size_t)((colon ? colon : end) -
		    name)))
			return 0;
		if (!colon)
			return 1;
		name = colon + 1;
	}
}

/* Index of the sum for PROC and a label without submission. */
static ptrdiff_t
sum_of(struct tp_labels *l, ptrdiff_t proc, const char *name, size_t len)
{
	ptrdiff_t i, at;

	len = cut_process(name, len);
	if (is_default(name, len))
		name = defaults, len = sizeof defaults - 1;
	else
		while (*name == ' ')
			name++, len--;
	i = l->names.count < TP_LABELS_MAX ?
	    tp_names_add(&l->names, name, len) :
	    tp_names_find(&l->names, name, len);
	if (i < 0)
		i = tp_names_add(&l->names, others, sizeof others - 1);
	at = tp_ids_add(&l->ids, (uint64_t)proc, (uint64_t)i);
	TP_ITEM(l->sums, l->cap, at);
	return at;
}

void
tp_labels_add(struct tp_labels *l, ptrdiff_t proc, const char *text,
    size_t len, int64_t ns)
{
	size_t n = cut_submission(text, trim(text, len));
	ptrdiff_t at = l->last_at;

	if (!n || n != l->last_len || proc != l->last_proc ||
	    memcmp(text, l->last, n)) {
		at = sum_of(l, proc, text, n);
		l->last_len = n <= sizeof l->last ? n : 0;
		memcpy(l->last, text, l->last_len);
		l->last_proc = proc;
		l->last_at = at;
	}
	l->sums[at].rows++;
	l->sums[at].duration_sum += ns;
}

uint32_t
tp_labels_last(const struct tp_labels *l)
{
	const struct tp_id *id = &l->ids.ids[l->last_at];

	return *l->names.names[id->b].text == ' ' ? 0 : (uint32_t)id->b + 1;
}

const char *
tp_labels_name(const struct tp_labels *l, uint32_t label)
{
	return label ? l->names.names[label - 1].text : NULL;
}

struct ranked {
	const struct tp_label_sum *sum;
	const char *name;
};

/* Longest first; ties by name. */
TP_ORDER(by_sum, struct ranked, TP_DOWN(sum->duration_sum)
    TP_BY(strcmp(a->name, b->name)))

/* Record the COUNT names of R, longest first. */
static void
records(struct tp_out *out, const struct ranked *r, size_t count)
{
	int64_t rank = 0;

	for (size_t i = 0; i < count && rank < LISTED; i++) {
		if (*r[i].name == ' ')
			continue;
		tp_out_begin(out, "label");
		tp_out_text(out, "scope", "target");
		tp_out_int(out, "rank", ++rank);
		tp_out_text(out, "label", r[i].name);
		tp_out_int(out, "rows", (int64_t)r[i].sum->rows);
		tp_out_int(out, "duration_sum_ns",
		    tp_narrow(r[i].sum->duration_sum));
		tp_out_end(out);
	}
}

const struct tp_primitives *
tp_labels_primitives(struct tp_labels *l, struct tp_err *err)
{
	if (!l->primitives)
		l->primitives = tp_primitives_load(err);
	return l->primitives;
}

int
tp_labels_emit(struct tp_labels *l, const struct tp_procs *procs,
    ptrdiff_t proc, const char *how, struct tp_out *out, struct tp_err *err)
{
	const struct tp_primitives *primitives;
	struct tp_primitives_count count = { 0 };
	struct ranked *r = tp_alloc((l->ids.count + 1) * sizeof *r);
	tp_int128 sum = 0, top = 0;
	uint64_t rows = 0, unnamed = 0;
	size_t n = 0, named = 0;

	primitives = tp_labels_primitives(l, err);
	if (!primitives) {
		tp_free(r);
		return -1;
	}
	for (size_t i = 0; i < l->ids.count; i++) {
		if (l->ids.ids[i].a != (uint64_t)proc)
			continue;
		r[n].sum = &l->sums[i];
		r[n].name = l->names.names[l->ids.ids[i].b].text;
		rows += r[n].sum->rows;
		sum += r[n].sum->duration_sum;
		if (!strcmp(r[n].name, defaults))
			unnamed = r[n].sum->rows;
		else
			named++;
		if (*r[n].name != ' ')
			tp_primitives_add(primitives, &count, r[n].name,
			    (int64_t)r[n].sum->rows);
		n++;
	}
	TP_SORT(r, n, by_sum);
	for (size_t i = 0; i < n && i < TOP; i++)
		top += r[i].sum->duration_sum;
	if (n) {
		tp_out_begin(out, "label.summary");
		tp_out_text(out, "scope", "target");
		tp_out_target(out, procs, proc, how);
		tp_out_int(out, "rows", (int64_t)rows);
		tp_out_int(out, "duration_sum_ns", tp_narrow(sum));
		tp_out_int(out, "named_label_count", (int64_t)named);
		tp_out_int(out, "default_label_count", (int64_t)unnamed);
		tp_out_ratio(out, "default_label_ratio", (int64_t)unnamed,
		    (int64_t)rows);
		if (named > 1)
			tp_out_ratio(out, "top_label_ratio", tp_narrow(top),
			    tp_narrow(sum));
		tp_primitives_emit(&count, out);
		tp_out_bool(out, "is_cut", named > LISTED);
		tp_out_end(out);
		records(out, r, n);
	}
	tp_free(r);
	return 0;
}

void
tp_labels_release(struct tp_labels *l)
{
	tp_primitives_free(l->primitives);
	tp_names_release(&l->names);
	tp_ids_release(&l->ids);
	tp_free(l->sums);
}
