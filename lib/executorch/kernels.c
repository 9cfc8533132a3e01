/* kernels - collect the microkernels and operators of a run */
#include <string.h>
#include <strings.h>

#include <tp/alloc.h>
#include <tp/text.h>

#include "kernel_names.h"
#include "opclass.h"

static const struct tp_want kernel_columns[] = {
	{ "kernel_name", 1 }, { "category", 0 }, { "count", 0 }, { 0 }
};
static const struct tp_want name_columns[] = { { "name", 1 }, { 0 } };
static const struct tp_want event_columns[] = { { "event_name", 1 }, { 0 } };

const struct tp_bind tp_kernels_tables[] = {
	{ "xnnpack-kernels", kernel_columns, NULL },
	{ "etdump-timeline", name_columns, NULL },
	{ "etdump-ops-stats", name_columns, NULL },
	{ "etdump-inspector", event_columns, NULL },
	{ 0 }
};

/* The kernel with this name, created if new. */
static struct tp_kernel *
kernel_of(struct tp_kernels *k, const char *name, size_t len)
{
	size_t known = k->names.count;
	ptrdiff_t at = tp_names_add(&k->names, name, len);

	TP_ITEM(k->kernels, k->cap, at);
	if ((size_t)at == known)
		k->kernels[at] = (struct tp_kernel){ .family = -1 };
	return &k->kernels[at];
}

/* Remember the family word that a log or list gives for the kernel. */
static void
set_family(struct tp_kernels *k, struct tp_kernel *kernel,
    const struct tp_kernel_words *w, const char *text, size_t len)
{
	const struct tp_class *other;

	if (kernel->family >= 0 || !len)
		return;
	other = tp_class_of_part(&w->family, text, len);
	if (other) {
		text = other->name;
		len = strlen(text);
	}
	kernel->family = tp_names_add(&k->families, text, len);
}

/*
 * Whether "Using WORD microkernel " ends at QUOTE; *TEXT and *LEN get the word.
 */
static int
introduced(const char *line, const char *quote, const char **text,
    size_t *len)
{
	static const char before[] = "Using ", behind[] = " microkernel ";
	const size_t b = sizeof before - 1, m = sizeof behind - 1;
	const char *p, *end;

	if ((size_t)(quote - line) < b + m ||
	    strncasecmp(quote - m, behind, m))
		return 0;
	for (p = end = quote - m; p > line && tp_is_word(p[-1]);)
		p--;
	*text = p;
	*len = (size_t)(end - p);
	return *len && (size_t)(p - line) >= b &&
	    !strncasecmp(p - b, before, b);
}

/*
 * The end of the kernel name at NAME, or NULL if it is not a name.  Sets *CUT
 * if the line ends inside it.
 */
static const char *
name_end(const char *name, const char *end, int *cut)
{
	const char *p = name;

	while (p < end && tp_is_word(*p))
		p++;
	*cut = p == end;
	return !*cut && *p == '\'' && p > name &&
	    p - name <= TP_KERNEL_NAME_MAX ? p : NULL;
}

/* Point LINE at a copy without colour escapes, in k->text.plain. */
static void
strip_colours(struct tp_kernels *k, const char **line, size_t *len)
{
	const char *p = *line, *end = p + *len, *esc;
	struct tp_buf *plain = &k->text.plain;

	tp_buf_clear(plain);
	while ((esc = memchr(p, '\033', (size_t)(end - p)))) {
		tp_buf_add(plain, p, (size_t)(esc - p));
		p = esc + 1;
		if (p < end && *p == '[')
			for (p++; p < end && *p >= 0x20 && *p < 0x40;)
				p++;
		p += p < end;
	}
	tp_buf_add(plain, p, (size_t)(end - p));
	*line = plain->p;
	*len = plain->len;
}

int
tp_kernels_line(struct tp_kernels *k, const struct tp_kernel_words *w,
    const char *line, size_t len, int unended, struct tp_err *err)
{
	const char *p, *end, *quote, *word, *stop;
	struct tp_kernel *kernel;
	size_t word_len;
	int rc = 0, cut;

	if (memchr(line, '\033', len))
		strip_colours(k, &line, &len);
	if (!k->text.is_log)
		k->text.is_log = tp_class_of_part(&w->log, line, len) != NULL;
	k->text.lost += tp_class_of_part(&w->lost, line, len) != NULL;
	end = line + len;
	for (p = line; p < end && (quote = memchr(p, '\'',
	    (size_t)(end - p))); p = stop ? stop + 1 : quote + 1) {
		stop = NULL;
		if (!introduced(p, quote, &word, &word_len))
			continue;
		stop = name_end(quote + 1, end, &cut);
		if (!stop && cut && unended) {
			k->text.is_cut = 1;
		} else if (!stop) {
			rc = tp_fail(err, TP_BAD, "row.damaged", 0,
			    "the name of a kernel is cut off or missing: "
			    "'%.*s'",
			    (int)(end - quote < 40 ?
			    end - quote - 1 : 40), quote + 1);
			err->what = "kernel";
		} else {
			kernel = kernel_of(k, quote + 1,
			    (size_t)(stop - quote - 1));
			set_family(k, kernel, w, word, word_len);
			kernel->logged++;
			k->text.kernels++;
		}
	}
	return rc;
}

int
tp_kernels_text_end(struct tp_kernels *k, struct tp_err *err)
{
	const struct tp_kernels_text text = k->text;
	static const struct tp_kernels_text none;

	tp_buf_release(&k->text.plain);
	k->text = none;
	if (text.is_cut)
		return tp_fail(err, TP_BAD, "input.truncated", 0,
		    "the log stops inside the name of a kernel");
	if (!text.kernels && !text.is_log)
		return 0;
	if (text.lost)
		return tp_fail(err, TP_OK, "log.lost", 0, "the log reports "
		    "that lines of it were lost: kernels may be missing");
	if (!text.kernels)
		return tp_fail(err, TP_OK, "kernel.none", 0, "the log "
		    "registers no kernel: XNNPACK logs kernels only if it was "
		    "built with XNN_LOG_LEVEL 4 or more");
	return 1;
}

static void
add_operator(struct tp_kernels *k, const struct tp_value *name)
{
	ptrdiff_t at;

	if (name->type == TP_NONE)
		return;
	at = tp_names_add(&k->operators, name->text,
	    tp_op_base(name->text, name->len));
	TP_ITEM(k->operator_rows, k->operator_cap, at);
	k->operator_rows[at]++;
}

/* Fail with the damage of a row of a kernel list.  Returns -1. */
static int
bad_row(const struct tp_row *row, struct tp_err *err)
{
	const struct tp_value *name = &row->v[0], *count = &row->v[2];

	if (name->type == TP_NONE) {
		tp_fail(err, TP_BAD, "row.damaged", row->line,
		    "a kernel without a name");
		err->what = "no name";
	} else if (name->len > TP_KERNEL_NAME_MAX) {
		tp_fail(err, TP_BAD, "row.damaged", row->line, "the name of "
		    "a kernel is longer than %d bytes", TP_KERNEL_NAME_MAX);
		err->what = "long name";
	} else if (count->type != TP_NONE && count->n < 0) {
		tp_fail(err, TP_BAD, "row.damaged", row->line,
		    "a kernel that was registered %lld times",
		    (long long)count->n);
		err->what = "count";
	} else {
		return 0;
	}
	return -1;
}

int
tp_kernels_row(struct tp_kernels *k, const struct tp_kernel_words *w,
    const struct tp_row *row, struct tp_err *err)
{
	const struct tp_value *name = &row->v[0], *family, *count;
	struct tp_kernel *kernel;
	int64_t sum;

	if (row->bind != tp_kernels_tables) {
		add_operator(k, name);
		return 0;
	}
	family = &row->v[1];
	count = &row->v[2];
	if (bad_row(row, err) < 0)
		return -1;
	kernel = kernel_of(k, name->text, name->len);
	set_family(k, kernel, w, family->text, family->type == TP_NONE ? 0 :
	    family->len);
	if (__builtin_add_overflow(kernel->listed,
	    count->type == TP_NONE ? 1 : count->n, &sum))
		sum = INT64_MAX;
	kernel->listed = sum;
	return 0;
}

void
tp_kernels_release(struct tp_kernels *k)
{
	tp_names_release(&k->names);
	tp_names_release(&k->families);
	tp_names_release(&k->operators);
	tp_free(k->kernels);
	tp_free(k->operator_rows);
	tp_buf_release(&k->text.plain);
}
