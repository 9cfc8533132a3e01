/*
 * recording - which tables of Instruments were recorded together
 *
 * Tables belong to one recording unless something contradicts: a table
 * occurs twice, or the name prefix, run number, GPU or the process with the
 * most rows differs.  A table of contents that states the pid of the
 * launched process belongs to the recording whose rows name this process.  A
 * file without a table belongs to the recording of its name prefix, or to
 * the only one in its folder; else to none.
 */
#include <fcntl.h>
#include <unistd.h>

#include <tp/order.h>
#include <tp/text.h>

#include "look_parts.h"

/* Files that were recorded together, as far as known. */
struct group {
	size_t *files, count, cap;
	const char *prefix, *device;
	const char *table;	/* of the first file */
	size_t folder;
	int64_t run;
	int only_toc;
};

/* With more groups than this, groups are not joined (cubic time). */
#define JOIN_MAX 1000

struct groups {
	struct tp_look *look;
	struct group *list;
	size_t count, cap;
	struct tp_names names;	/* names already given to recordings */
};

/* Whether F has PROCESS under other pids but not under PID. */
static int
denies(const struct tp_look *look, const struct tp_look_file *f,
    const char *process, int64_t pid)
{
	const struct tp_procs *all = &look->procs;

	if (f->target)
		return f->target_pid >= 0 && !strcmp(f->target, process) &&
		    f->target_pid != pid;
	if (f->main_process < 0 || f->more_procs ||
	    strcmp(tp_procs_name(all, f->main_process), process))
		return 0;
	for (size_t i = 0; i < f->proc_count; i++)
		if (tp_procs_pid(all, f->procs[i]) == pid &&
		    !strcmp(tp_procs_name(all, f->procs[i]), process))
			return 0;
	return 1;
}

/* Whether the main processes of A and B rule out one recording. */
static int
other_process(const struct tp_look *look, const struct tp_look_file *a,
    const struct tp_look_file *b)
{
	const struct tp_procs *all = &look->procs;

	if (a->target && a->target_pid >= 0)
		return denies(look, b, a->target, a->target_pid);
	if (b->target && b->target_pid >= 0)
		return other_process(look, b, a);
	/* both must lack the main process of the other */
	if (a->main_process < 0 || b->main_process < 0)
		return 0;
	return denies(look, b, tp_procs_name(all, a->main_process),
	    tp_procs_pid(all, a->main_process)) &&
	    denies(look, a, tp_procs_name(all, b->main_process),
	    tp_procs_pid(all, b->main_process));
}

/*
 * Whether rows of F name the process, by name and pid, whose launch TOC
 * records.
 */
static int
launched(const struct tp_look *look, const struct tp_look_file *toc,
    const struct tp_look_file *f)
{
	if (!toc->target || toc->target_pid < 0)
		return 0;
	for (size_t i = 0; i < f->proc_count; i++)
		if (tp_procs_pid(&look->procs, f->procs[i]) ==
		    toc->target_pid && !strcmp(tp_procs_name(&look->procs,
		    f->procs[i]), toc->target))
			return 1;
	return 0;
}

static int
differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

/* Whether A and B may be of one recording. */
static int
fit(const struct groups *g, const struct group *a, const struct group *b)
{
	const struct tp_look_file *all = g->look->files, *x, *y;
	int named_apart = differ(a->prefix, b->prefix), proven = 0;

	/* a matching launched process overrides different file names */
	if ((named_apart && !a->only_toc && !b->only_toc) ||
	    differ(a->device, b->device) ||
	    (a->run && b->run && a->run != b->run))
		return 0;
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < b->count; k++) {
			x = &all[a->files[i]];
			y = &all[b->files[k]];
			if (!strcmp(x->table, y->table))
				return 0;
			if ((!a->prefix || !b->prefix) &&
			    other_process(g->look, x, y))
				return 0;
			proven |= launched(g->look, x, y) ||
			    launched(g->look, y, x);
		}
	return !named_apart || proven;
}

static void
add_file_to_group(struct group *to, const struct tp_look_file *all, size_t at)
{
	const struct tp_look_file *f = &all[at];

	tp_grow(&to->files, &to->cap, to->count + 1, sizeof *to->files);
	to->only_toc = (!to->count || to->only_toc) &&
	    !strcmp(f->table, "toc");
	if (!to->count) {
		to->table = f->table;
		to->folder = f->folder_at;
	}
	to->files[to->count++] = at;
	if (!to->prefix)
		to->prefix = f->prefix;
	if (!to->device)
		to->device = f->device;
	if (!to->run)
		to->run = f->run;
}

static void
merge(struct groups *g, size_t to, size_t from)
{
	for (size_t i = 0; i < g->list[from].count; i++)
		add_file_to_group(&g->list[to], g->look->files,
		    g->list[from].files[i]);
	g->list[from].count = 0;
}

/* Set the folder and the name prefix of F. */
static void
read_names(struct tp_look *look, struct tp_look_file *f,
    struct tp_names *folders)
{
	const struct tp_tables *t = look->tables;
	const char *base = tp_base(f->path), *end = base;
	size_t prefix = 0;
	ptrdiff_t at;

	while (end > f->path && end[-1] == '/')
		end--;
	if (end - f->path >= 11 && !memcmp(end - 11, "Attachments", 11) &&
	    (end - 11 == f->path || end[-12] == '/'))
		for (end -= 11; end > f->path && end[-1] == '/';)
			end--;
	at = tp_names_add(folders, f->path, (size_t)(end - f->path));
	f->folder = tp_arena_text(&look->arena, f->path, (size_t)(end -
	    f->path));
	f->folder_at = (size_t)at;
	for (size_t i = 0; i < t->export_count; i++)
		if (t->exports[i].name && tp_table_named(base,
		    t->exports[i].name, t->exports[i].table, &prefix) &&
		    prefix) {
			f->prefix = tp_arena_text(&look->arena, base, prefix);
			return;
		}
}

/*
 * Compare two files byte by byte.  Returns 1 if they are equal, else 0; an
 * unreadable file is not equal.
 */
static int
same_content(const char *a, const char *b)
{
	static char x[65536], y[65536];
	int fd[2] = { open(a, O_RDONLY | O_CLOEXEC),
	    open(b, O_RDONLY | O_CLOEXEC) };
	ssize_t n = 1, m = 1;
	int same = fd[0] >= 0 && fd[1] >= 0;

	while (same && n > 0) {
		n = read(fd[0], x, sizeof x);
		m = n > 0 ? read(fd[1], y, (size_t)n) : read(fd[1], y, 1);
		same = n >= 0 && n == m && !memcmp(x, y, (size_t)n);
	}
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return same;
}

/*
 * Two ways to repeat a table: the same bytes, or another form (XML, CSV) of
 * the same export.
 */
static int
is_copy(const struct tp_look_file *a, const struct tp_look_file *b)
{
	return a->bytes == b->bytes && a->head == b->head &&
	    same_content(a->path, b->path);
}

static int
is_form(const struct tp_look_file *a, const struct tp_look_file *b)
{
	const char *x = tp_base(a->path), *y = tp_base(b->path);
	size_t n = tp_table_stem(x);

	return a->folder_at == b->folder_at && n == tp_table_stem(y) &&
	    !memcmp(x, y, n) && strcmp(x, y);
}

/* Whether F needs a recording. */
static int
is_table(const struct tp_look_file *f)
{
	return tp_look_is_table(f) || f->format == TP_FORMAT_TOC;
}

/* Whether F would be an export by its name, but no table was found in it. */
static int
is_unknown(const struct tp_look_file *f)
{
	return !f->table && tp_look_is_role(f, "other") &&
	    f->state == TP_LOOK_COUNTED;
}

/* Whether F may be an export that is lost. */
static int
is_lost(const struct tp_look_file *f)
{
	return is_unknown(f) || f->state == TP_LOOK_LOST;
}

/*
 * Whether B may repeat A.  Tables without rows are alike everywhere, so they
 * repeat only within one folder.
 */
static int
may_repeat(const struct tp_look_file *a, const struct tp_look_file *b)
{
	return !strcmp(a->table, b->table) && !differ(a->prefix, b->prefix) &&
	    ((a->has_rows && b->has_rows) || a->folder_at == b->folder_at);
}

TP_ORDER_POINTERS(by_content, struct tp_look_file,
    TP_BY(strcmp(a->table, b->table)) TP_UP(bytes) TP_UP(head)
    TP_BY(TP_CMP(a, b)))

static int
by_name(const void *pa, const void *pb)
{
	const struct tp_look_file *a = *(struct tp_look_file *const *)pa;
	const struct tp_look_file *b = *(struct tp_look_file *const *)pb;
	const char *x = tp_base(a->path), *y = tp_base(b->path);
	size_t n = tp_table_stem(x), m = tp_table_stem(y);
	int c = strcmp(a->folder, b->folder);

	c = c ? c : strncmp(x, y, n < m ? n : m);
	return c ? c : n != m ? (n < m ? -1 : 1) : a < b ? -1 : a > b;
}

/* Number of kept files that each file is compared with. */
#define BACK_MAX 16

/*
 * Refuse each file that REPEATS one of the last BACK_MAX kept files in the
 * sorted LIST.  HOW words the repetition for people.
 */
static void
drop_neighbours(struct tp_look *look, struct tp_look_file **list,
    size_t count, int (*repeats)(const struct tp_look_file *,
    const struct tp_look_file *), const char *how)
{
	const struct tp_look_file *kept[BACK_MAX], *first = NULL;
	struct tp_look_file *f;
	size_t kept_count = 0;
	int found;

	for (size_t i = 0; i < count; i++) {
		f = list[i];
		if (f->code)
			continue;
		found = 0;
		for (size_t k = 0; !found && k < kept_count && k < BACK_MAX;
		    k++) {
			first = kept[(kept_count - 1 - k) % BACK_MAX];
			found = may_repeat(first, f) && repeats(first, f);
		}
		if (!found) {
			kept[kept_count++ % BACK_MAX] = f;
			continue;
		}
		f->role = "other";
		tp_look_refuse(look, f, TP_LOOK_COUNTED, "table.repeated",
		    "a second file of %s, %s %s, not used", f->what, how,
		    first->path + first->place);
	}
}

/* Refuse second files of the same table with the same contents. */
static void
drop_repeated(struct tp_look *look)
{
	struct tp_look_file **list;
	size_t n = 0;

	list = tp_alloc((look->count + 1) * sizeof *list);
	for (size_t i = 0; i < look->count; i++)
		if (is_table(&look->files[i]) &&
		    look->files[i].state == TP_LOOK_USED)
			list[n++] = &look->files[i];
	TP_SORT(list, n, by_content);
	drop_neighbours(look, list, n, is_copy, "a copy of");
	TP_SORT(list, n, by_name);
	drop_neighbours(look, list, n, is_form, "another form of");
	tp_free(list);
}

/* Whether a report uses F, so that F helps to tell recordings apart. */
static int
is_used(const struct tp_look_file *f)
{
	return is_table(f) && f->state == TP_LOOK_USED && !f->code;
}

/*
 * The table with rows that has the name of list[AT], but for the ending; NULL:
 * none.  The LIST is sorted by name.
 */
static const struct tp_look_file *
same_named(struct tp_look_file *const *list, size_t count, size_t at)
{
	size_t from = at, to;

	while (from && is_form(list[from - 1], list[at]))
		from--;
	for (to = from; to < count && (to == at ||
	    is_form(list[to], list[at])); to++)
		if (list[to]->has_rows && is_used(list[to]))
			return list[to];
	return NULL;
}

/*
 * Refuse text without a known header that has the name of a table that is read,
 * but for the ending: another program made it of that table.
 */
static void
drop_forms(struct tp_look *look)
{
	struct tp_look_file **list;
	const struct tp_look_file *o;
	size_t n = 0;

	list = tp_alloc((look->count + 1) * sizeof *list);
	for (size_t i = 0; i < look->count; i++)
		if (is_used(&look->files[i]) || is_unknown(&look->files[i]))
			list[n++] = &look->files[i];
	TP_SORT(list, n, by_name);
	for (size_t i = 0; i < n; i++) {
		o = is_unknown(list[i]) && list[i]->format == TP_FORMAT_CSV ?
		    same_named(list, n, i) : NULL;
		if (!o)
			continue;
		list[i]->role = NULL;
		list[i]->recording = o->recording;
		tp_look_refuse(look, list[i], TP_LOOK_UNUSED, "table.repeated",
		    "no header that is known; %s, which has "
		    "the same name, is read", o->path + o->place);
	}
	tp_free(list);
}

/*
 * Give a file that is only counted the recording of the files beside it, if
 * that is unique.  A name prefix is that of the recording.
 */
static void
follow(struct tp_look *look, struct tp_look_file *f)
{
	for (size_t i = 0; i < look->count; i++) {
		const struct tp_look_file *o = &look->files[i];

		if (!is_used(o) || o->recording == f->recording ||
		    o->folder_at != f->folder_at ||
		    differ(o->prefix, f->prefix) ||
		    (is_lost(f) && f->prefix && !o->prefix))
			continue;
		if (f->recording != TP_LOOK_ANY) {
			f->recording = TP_LOOK_ANY;	/* ambiguous */
			break;
		}
		f->recording = o->recording;
	}
	if (f->recording == TP_LOOK_ANY && f->state != TP_LOOK_LOST) {
		f->role = NULL;
		f->state = TP_LOOK_UNUSED;
	}
}

/*
 * Add file AT to the group of its folder that it fits, or to a new one if it
 * fits none or, without a name prefix, several.
 */
static void
group_file(struct groups *g, size_t at)
{
	const struct tp_look_file *all = g->look->files, *f = &all[at];
	struct group alone = { 0 }, *fits = NULL;
	size_t count = 0;

	add_file_to_group(&alone, all, at);
	for (size_t i = 0; i < g->count; i++) {
		struct group *to = &g->list[i];

		/* cheap comparisons first */
		if (to->folder != f->folder_at || to->table == f->table ||
		    !fit(g, to, &alone))
			continue;
		fits = to;
		count++;
		if (f->prefix && to->prefix)
			break;		/* the name prefix decides */
	}
	if (fits && (count == 1 || (f->prefix && fits->prefix))) {
		add_file_to_group(fits, all, at);
		tp_free(alone.files);
		return;
	}
	TP_APPEND(g->list, g->count, g->cap, alone);
}

/* Count the groups that fit GROUP; *ONE gets the last of them. */
static size_t
partners(const struct groups *g, size_t group, size_t *one)
{
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++)
		if (i != group && g->list[i].count &&
		    fit(g, &g->list[i], &g->list[group])) {
			*one = i;
			n++;
		}
	return n;
}

/*
 * Join groups of several folders that are one recording: two that fit only each
 * other, or one that fits all others.
 */
static void
join(struct groups *g)
{
	size_t left = 0, one = 0, back = 0, n;
	int again = 1;

	for (size_t i = 0; i < g->count; i++)
		left += g->list[i].count > 0;
	while (again && g->count <= JOIN_MAX) {
		again = 0;
		for (size_t i = 0; i < g->count && left > 1; i++) {
			if (!g->list[i].count)
				continue;
			n = partners(g, i, &one);
			/*
			 * it must fit all others, or the two fit only each
			 * other
			 */
			if (!n || (n < left - 1 && (n > 1 ||
			    partners(g, one, &back) > 1)))
				continue;
			if (n > 1 && partners(g, one, &back) < left - 1)
				continue;
			merge(g, i < one ? i : one, i < one ? one : i);
			left--;
			again = 1;
		}
	}
}

static int
has_toc(const struct groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; !g->list[i].only_toc &&
		    k < g->list[i].count; k++)
			if (!strcmp(g->look->files[g->list[i].files[k]].table,
			    "toc"))
				return 1;
	return 0;
}

/* Refuse a table of contents that matches no tables. */
static void
drop_toc(struct groups *g, struct group *alone)
{
	for (size_t i = 0; i < alone->count; i++) {
		g->look->files[alone->files[i]].role = NULL;
		tp_look_refuse(g->look, &g->look->files[alone->files[i]],
		    TP_LOOK_UNUSED, "toc.second", has_toc(g) ?
		    "a second table of contents, not used" : "the table of "
		    "contents of another recording, not used");
	}
	alone->count = 0;
	if (has_toc(g))
		tp_look_say(g->look, "toc.second", "holds more "
		    "than one table of contents; one is used");
}

static int
is_taken(const struct groups *g, const char *name)
{
	return tp_names_find(&g->names, name, strlen(name)) >= 0;
}

/*
 * The name of a recording for people: the prefix of its files, their folder,
 * or its first file.
 */
static char *
name_group(const struct groups *g, const struct group *group)
{
	const struct tp_look_file *f = &g->look->files[group->files[0]];
	const char *folder = strlen(f->folder) > f->place ?
	    f->folder + f->place : tp_base(f->given);
	const char *base = tp_base(f->path), *first = group->prefix;
	struct tp_look *look = g->look;
	char *name;
	int n = 1;

	if (!first || is_taken(g, first))
		first = *folder && !is_taken(g, folder) ? folder : NULL;
	name = first ? tp_look_text(look, "%s", first) :
	    tp_look_text(look, "%.*s", (int)tp_table_stem(base), base);
	while (is_taken(g, name))
		name = tp_look_text(look, "%.*s (%d)", (int)tp_table_stem(base),
		    base, ++n);
	return name;
}

static void
add_recording(struct groups *g, const struct group *group)
{
	struct tp_look *look = g->look;
	char *name = name_group(g, group);

	tp_names_add(&g->names, name, strlen(name));
	for (size_t i = 0; i < group->count; i++)
		look->files[group->files[i]].recording = look->recording_count;
	TP_APPEND(look->recordings, look->recording_count, look->recording_cap,
	    (struct tp_look_recording){ name, group->count });
}

/* Report files of one recording that give a process different names. */
static void
tell_disagreement(struct tp_look *look)
{
	const struct tp_look_file *first = NULL;

	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!is_used(f) || f->recording != look->chosen)
			continue;
		if (first && other_process(look, first, f))
			tp_look_refuse(look, f, f->state, "trace.mixed",
			    "%s has another pid here than in %s: check that "
			    "both are of one recording", first->target ?
			    first->target : tp_procs_name(&look->procs,
			    first->main_process), first->path + first->place);
		if (!first && (f->target || f->main_process >= 0))
			first = f;
	}
}

int
tp_look_choose(struct tp_look *look, const char *run, struct tp_err *err)
{
	struct tp_buf names = { 0 };

	look->chosen = look->recording_count == 1 && !run ? 0 : TP_LOOK_ANY;
	for (size_t i = 0; run && i < look->recording_count; i++)
		if (!strcmp(look->recordings[i].name, run))
			look->chosen = i;
	if (!run || look->chosen != TP_LOOK_ANY)
		return 0;
	for (size_t i = 0; i < look->recording_count && i < 20; i++) {
		tp_buf_str(&names, i ? ", " : "");
		tp_show_text(&names, look->recordings[i].name,
		    strlen(look->recordings[i].name));
	}
	tp_fail(err, TP_USAGE, "usage", 0, "there is no %s '%.60s'%s%s",
	    look->captures ? "capture" : "recording", run,
	    names.len ? "; there are " : "", names.len ? names.p : "");
	tp_buf_release(&names);
	return -1;
}

int
tp_look_group(struct tp_look *look, const char *run, struct tp_err *err)
{
	struct groups g = { .look = look };
	struct tp_names folders = { 0 };
	size_t whole = 0;

	for (size_t i = 0; i < look->count; i++) {
		if (is_table(&look->files[i]) || is_lost(&look->files[i]))
			read_names(look, &look->files[i], &folders);
	}
	tp_names_release(&folders);
	drop_repeated(look);
	/* files whose names state their recording first */
	for (int named = 1; named >= 0; named--)
		for (size_t i = 0; i < look->count; i++) {
			const struct tp_look_file *f = &look->files[i];

			if (is_used(f) && (f->prefix != NULL) == named)
				group_file(&g, i);
		}
	join(&g);
	for (size_t i = 0; i < g.count; i++)
		whole += g.list[i].count && !g.list[i].only_toc;
	for (size_t i = 0; i < g.count; i++)
		if (g.list[i].count && g.list[i].only_toc && whole)
			drop_toc(&g, &g.list[i]);
		else if (g.list[i].count)
			add_recording(&g, &g.list[i]);
	for (size_t i = 0; i < g.count; i++)
		tp_free(g.list[i].files);
	tp_free(g.list);
	tp_names_release(&g.names);
	drop_forms(look);
	for (size_t i = 0; look->recording_count > 1 && i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (is_lost(f) || (is_table(f) && f->role && !is_used(f)))
			follow(look, f);
	}
	if (tp_look_choose(look, run, err) < 0)
		return -1;
	if (look->chosen == TP_LOOK_ANY)
		return 0;
	/* of other recordings not even the losses count */
	for (size_t i = 0; i < look->count; i++)
		if (look->files[i].recording != TP_LOOK_ANY &&
		    look->files[i].recording != look->chosen) {
			look->files[i].state = TP_LOOK_UNUSED;
			look->files[i].code = NULL;
		}
	tell_disagreement(look);
	return 0;
}
