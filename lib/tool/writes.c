/* writes - several outputs from records that were read once */
#include <string.h>
#include <unistd.h>

#include <tp/hash.h>

#include "tool_parts.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyz0123456789_-"

struct writes {
	struct tp_run *run;
	int (*print)(struct tp_run *run, const char *name,
	    const struct tp_set *set, struct tp_buf *out);
	struct tp_buf name, path, text, value;
};

static const char *
file_of(const char *write)
{
	return strchr(write, '=') + 1;
}

static void
check_list(struct tp_run *run, const char *option, const char *const *list,
    int *each)
{
	const char *eq;

	for (; *list; list++) {
		eq = strchr(*list, '=');
		if (!eq || eq == *list || !eq[1])
			tp_die(run, TP_USAGE, "--%s wants NAME=FILE, not "
			    "'%s'", option, *list);
		*each |= strchr(eq, '%') != NULL;
	}
}

void
tp_tool_check_writes(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	const char *dot;
	int each = 0;

	check_list(run, "write", p->writes, &each);
	check_list(run, "write-if", p->writes_if, &each);
	if (p->each && !each)
		tp_die(run, TP_USAGE, "--each wants a '%%' in the FILE of "
		    "--write");
	dot = p->each ? strrchr(p->each, '.') : NULL;
	if (p->each && (!dot || dot == p->each || !dot[1]))
		tp_die(run, TP_USAGE, "--each wants KIND.KEY, not '%s'",
		    p->each);
	if (p->output && tp_writes(run) &&
	    !(run->tool->flags & TP_TOOL_TELLS))
		tp_die(run, TP_USAGE, "--output cannot be combined with "
		    "--write, where each NAME has its FILE");
}

int
tp_writes(const struct tp_run *run)
{
	return run->private->writes[0] || run->private->writes_if[0];
}

static void
write_one(struct writes *w, const struct tp_set *set, const char *write,
    const char *path, int must)
{
	int any;

	tp_buf_clear(&w->name);
	tp_buf_add(&w->name, write, strcspn(write, "="));
	tp_buf_clear(&w->text);
	any = w->print(w->run, w->name.p, set, &w->text);
	if (any || must)
		tp_write_file(w->run, path, w->text.p ? w->text.p : "",
		    w->text.len);
	/*
	 * nothing to write: remove an older page (tp_output_remove() keeps
	 * devices)
	 */
	else if (tp_output_remove(path, &w->run->err) < 0)
		tp_die(w->run, w->run->err.status, "%s", w->run->err.text);
}

/* Write FILE with VALUE in place of each '%'. */
static void
put_path(struct tp_buf *path, const char *file, const char *value)
{
	for (; *file; file++)
		if (*file == '%' && value)
			tp_buf_str(path, value);
		else
			tp_buf_chr(path, *file);
}

/*
 * Write the pages of LIST: with VALUE those with a '%' in FILE, without it
 * those with none.
 */
static void
write_list(struct writes *w, const struct tp_set *set,
    const char *const *list, const char *value, int must)
{
	for (; *list; list++) {
		if (w->run->private->each &&
		    !strchr(file_of(*list), '%') == (value != NULL))
			continue;
		tp_buf_clear(&w->path);
		put_path(&w->path, file_of(*list), value);
		write_one(w, set, *list, w->path.p, must);
	}
}

static void
write_lists(struct writes *w, const struct tp_set *set, const char *value)
{
	write_list(w, set, w->run->private->writes, value, 1);
	write_list(w, set, w->run->private->writes_if, value, 0);
}

/*
 * Make NAME from VALUE, which is untrusted: only characters safe in one
 * component of a path are kept.
 */
static void
plain_name(struct tp_buf *name, const struct tp_field *value)
{
	unsigned char c;

	tp_buf_clear(name);
	for (size_t i = 0; i < value->len; i++) {
		c = (unsigned char)value->text[i];
		if (c >= 'A' && c <= 'Z')
			c = (unsigned char)(c - 'A' + 'a');
		tp_buf_chr(name, c && strchr(PLAIN, c) ? (char)c : '_');
	}
	if (!value->len)
		tp_buf_chr(name, '_');
}

/*
 * The key by which records with value F are chained; NULL is for records
 * without a value.
 */
static const struct tp_buf *
chained_by(struct writes *w, const struct tp_field *f)
{
	tp_buf_clear(&w->value);
	tp_buf_add(&w->value, "=", f != NULL);
	if (f)
		tp_buf_add(&w->value, f->text, f->len);
	return &w->value;
}

/* Write the pages of the records with VALUE and of those with none. */
static void
write_value(struct writes *w, const struct tp_set *set,
    const struct tp_set_chains *chains, const struct tp_field *value,
    const char *name)
{
	const struct tp_buf *by = chained_by(w, value);
	struct tp_set part = { 0 };

	tp_set_chained(set, chains, by->p, by->len, &part);
	write_lists(w, &part, name);
	tp_set_release(&part);
}

static int
is_new(struct tp_names *names, const char *text, size_t len)
{
	size_t known = names->count;

	tp_names_add(names, text, len);
	return names->count > known;
}

static void
write_values(struct writes *w, const struct tp_set *set, const char *each)
{
	const char *dot = strrchr(each, '.');
	struct tp_names values = { 0 }, names = { 0 };
	struct tp_set_chains chains = { 0 };
	struct tp_buf name = { 0 };
	const struct tp_field *f;
	const struct tp_rec *rec;
	const struct tp_buf *by;
	size_t at = 0;

	for (size_t i = 0; i < set->count; i++) {
		by = chained_by(w, tp_rec_field(&set->recs[i], dot + 1));
		tp_set_chain(&chains, by->p ? by->p : "", by->len, i);
	}
	while ((rec = tp_set_next_part(set, each, (size_t)(dot - each), &at))) {
		f = tp_rec_field(rec, dot + 1);
		if (!f || !is_new(&values, f->text, f->len))
			continue;
		plain_name(&name, f);
		if (is_new(&names, name.p, name.len)) {
			write_value(w, set, &chains, f, name.p);
			continue;
		}
		tp_warn(w->run, "'%s': its files would have the names of those "
		    "of another value; not written", f->text);
		tp_status_at_least(w->run, TP_BAD);
	}
	tp_names_release(&values);
	tp_names_release(&names);
	tp_set_chains_release(&chains);
	tp_buf_release(&name);
}

void
tp_write_all(struct tp_run *run, const struct tp_set *set,
    int (*print)(struct tp_run *run, const char *name,
    const struct tp_set *set, struct tp_buf *out))
{
	struct writes w = { .run = run, .print = print };

	/*
	 * as for --output: with an unreadable input all pages would lack its
	 * records
	 */
	if (run->private->status == TP_IO)
		return;
	write_lists(&w, set, NULL);
	if (run->private->each)
		write_values(&w, set, run->private->each);
	tp_buf_release(&w.name);
	tp_buf_release(&w.path);
	tp_buf_release(&w.text);
	tp_buf_release(&w.value);
}

int
tp_tool_create(struct tp_run *run, struct tp_output *o, const char *path)
{
	if (tp_output_open(o, path, &run->err) < 0)
		tp_die(run, run->err.status, "%s", run->err.text);
	return o->fd;
}

void
tp_tool_finish(struct tp_run *run, struct tp_output *o)
{
	if (tp_output_keep(o, &run->err) < 0)
		tp_die(run, run->err.status, "%s", run->err.text);
}

void
tp_write_file(struct tp_run *run, const char *path, const char *bytes,
    size_t len)
{
	struct tp_output o;
	struct tp_out out;

	tp_out_init(&out, tp_tool_create(run, &o, path));
	tp_out_raw(&out, bytes, len);
	if (tp_out_flush(&out, &run->err) < 0) {
		tp_output_drop(&o);
		tp_die(run, run->err.status, "cannot write '%s': %s", path,
		    run->err.text);
	}
	tp_out_release(&out);
	tp_tool_finish(run, &o);
}
