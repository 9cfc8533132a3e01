/* trace_state - state of one trace while its rows are read */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/order.h>

#include "trace_state.h"
#include "word.h"

size_t
tp_trace_note(struct tp_trace *trace, const char *code, int status,
    uint64_t count, const char *fmt, ...)
{
	struct tp_note *n;
	char text[512];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (i = 0; i < trace->note_count; i++) {
		n = &trace->notes[i];
		if (!strcmp(n->code, code) && !strcmp(n->text, text)) {
			n->count += count;
			TP_MOST(n->status, status);
			return i;
		}
	}
	tp_grow(&trace->notes, &trace->note_cap, trace->note_count + 1,
	    sizeof *n);
	n = &trace->notes[trace->note_count];
	n->code = tp_dup(code);
	n->text = tp_dup(text);
	n->status = status;
	n->count = count;
	return trace->note_count++;
}

void
tp_trace_release_notes(struct tp_trace *t)
{
	size_t i;

	for (i = 0; i < t->source_count; i++) {
		tp_free(t->sources[i].file);
		tp_free(t->sources[i].schema);
	}
	for (i = 0; i < t->note_count; i++) {
		tp_free(t->notes[i].code);
		tp_free(t->notes[i].text);
	}
	tp_free(t->sources);
	tp_free(t->notes);
}

ptrdiff_t
tp_procs_add(struct tp_procs *procs, const char *name, size_t len,
    int64_t pid)
{
	uint32_t *recent = &procs->recent[tp_guess(name, len, (uint64_t)pid,
	    TP_RECENT)];
	const struct tp_name *n;
	const struct tp_id *id;
	ptrdiff_t at;

	if (*recent) {
		id = &procs->ids.ids[*recent - 1];
		n = &procs->names.names[id->a];
		if (id->b == (uint64_t)pid && n->len == len &&
		    tp_same_bytes(n->text, name, len))
			return (ptrdiff_t)*recent - 1;
	}
	at = tp_names_add(&procs->names, name, len);
	at = tp_ids_add(&procs->ids, (uint64_t)at, (uint64_t)pid);
	*recent = (uint32_t)(at + 1);
	return at;
}

const char *
tp_procs_name(const struct tp_procs *procs, ptrdiff_t at)
{
	return procs->names.names[procs->ids.ids[at].a].text;
}

int64_t
tp_procs_pid(const struct tp_procs *procs, ptrdiff_t at)
{
	return (int64_t)procs->ids.ids[at].b;
}

ptrdiff_t
tp_procs_same(const struct tp_procs *from, ptrdiff_t at, struct tp_procs *to)
{
	const char *name = tp_procs_name(from, at);

	return tp_procs_add(to, name, strlen(name), tp_procs_pid(from, at));
}

void
tp_procs_release(struct tp_procs *procs)
{
	tp_names_release(&procs->names);
	tp_ids_release(&procs->ids);
	memset(procs->recent, 0, sizeof procs->recent);
}

/* Whether process AT sorts before process B by name, then pid. */
static int
before(const struct tp_procs *procs, ptrdiff_t at, ptrdiff_t b)
{
	int d = strcmp(tp_procs_name(procs, at), tp_procs_name(procs, b));

	return d ? d < 0 : tp_procs_pid(procs, at) < tp_procs_pid(procs, b);
}

/* It draws for all processes, so it is never the target, however busy. */
#define COMPOSITOR "WindowServer"

ptrdiff_t
tp_target_choose(const struct tp_procs *procs, const char *wanted,
    const struct tp_toc *toc, const int64_t *weights, const char *weighed,
    const char **how)
{
	ptrdiff_t i, best = -1, count = (ptrdiff_t)procs->ids.count;
	int64_t pid = -1;
	char *end;

	if (wanted) {
		*how = "option";
		errno = 0;
		pid = strtoll(wanted, &end, 10);
		if (end == wanted || *end || errno)
			pid = -1;
	} else if (toc->known && toc->pid >= 0) {
		*how = "toc";
		wanted = toc->process;
		pid = toc->pid;
	} else {
		*how = weighed;
	}
	for (i = 0; i < count; i++) {
		/*
		 * use the pid if rows have one; a name may match several
		 * processes, of which the heaviest is taken
		 */
		if (*how != weighed && !(pid >= 0 &&
		    tp_procs_pid(procs, i) >= 0 ?
		    tp_procs_pid(procs, i) == pid :
		    !strcmp(tp_procs_name(procs, i), wanted)))
			continue;
		if (*how == weighed && (!weights || weights[i] <= 0 ||
		    !strcmp(tp_procs_name(procs, i), COMPOSITOR)))
			continue;
		if (best < 0 || (weights && weights[i] > weights[best]) ||
		    ((!weights || weights[i] == weights[best]) &&
		    before(procs, i, best)))
			best = i;
	}
	return best;
}

void
tp_target_note(const struct tp_procs *procs, const char *wanted,
    const struct tp_toc *toc, const char *what, struct tp_out *out)
{
	size_t count = procs->ids.count, i;
	struct tp_buf names = { 0 };

	if (!count || (!wanted && (!toc->known || toc->pid < 0)))
		return;
	for (i = 0; i < count && i < 5; i++)
		tp_buf_fmt(&names, "%s%.60s", i ? ", " : "",
		    tp_procs_name(procs, (ptrdiff_t)i));
	tp_out_note(out, "target.absent", 0, 1, "no row of %s is of "
	    "the target %.60s%s; they are of %s%s", what, wanted ?
	    wanted : toc->process, wanted ? "" :
	    ", which the recording launched", names.p,
	    count > 5 ? " and others" : "");
	tp_buf_release(&names);
}
