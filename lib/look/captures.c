/*
 * captures - which traces of JAX, PyTorch or another profiler were recorded
 * together
 */
#include <sys/stat.h>

#include <tp/read/capture_folder.h>
#include <tp/text.h>

#include "look_parts.h"

struct candidates {
	struct tp_look *look;
	struct tp_look_file **files;
	struct tp_identity **list;	/* of FILES */
	size_t count;
	struct tp_names latest;		/* paths in the capture of JAX that is
					 * read of a folder; empty: all */
	struct tp_names names;
	struct tp_buf names_text;
};

static int
is_trace(const struct tp_look_file *f)
{
	return tp_look_is_role(f, "trace") || tp_look_is_role(f, "torch");
}

/* Which files tp-trace would read of the only operand, if that is a folder. */
static void
find_latest(struct candidates *c)
{
	struct tp_look *look = c->look;
	struct tp_capture capture = { 0 };
	struct tp_err none = { 0 };
	struct stat st;
	char *folder;

	if (look->trace_count != 1 || stat(look->operands[0], &st) < 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	folder = tp_look_text(look, "%.*s", (int)look->files[0].place - 1,
	    look->files[0].path);
	if (tp_capture_find(&capture, folder, &none) < 0)
		return;
	for (char **f = capture.files; *f; f++) {
		tp_names_add(&c->latest, *f, strlen(*f));
		tp_free(*f);
	}
	tp_free(capture.files);
}

static void
collect(struct candidates *c)
{
	struct tp_look *look = c->look;

	c->files = tp_alloc((look->count + 1) * sizeof *c->files);
	c->list = tp_alloc((look->count + 1) * sizeof *c->list);
	find_latest(c);
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!is_trace(f) || f->state != TP_LOOK_USED ||
		    (c->latest.count && tp_look_is_role(f, "trace") &&
		    tp_names_find(&c->latest, f->path, strlen(f->path)) < 0))
			continue;
		c->files[c->count] = f;
		c->list[c->count++] = &f->identity;
	}
}

/* A file that says nothing of itself is read as those beside it are. */
static void
follow(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; k < c->count && c->list[i]->is_mute; k++)
			if (!c->list[k]->is_mute &&
			    c->list[k]->capture == c->list[i]->capture) {
				c->files[i]->role = c->files[k]->role;
				break;
			}
}

/* Leave out files of another program than nearly all, and name them. */
static void
drop_strays(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct tp_look_file *f = c->files[i];

		if (f->identity.capture != TP_STRAY)
			continue;
		f->role = NULL;
		tp_look_refuse(c->look, f, TP_LOOK_UNUSED, "source.other",
		    "%s, %s: not in this report; name it alone", f->what,
		    f->identity.is_mute ? "and nothing says of which capture" :
		    "of another program than the others here");
	}
}

static void
add_recordings(struct candidates *c)
{
	struct tp_look *look = c->look;
	const struct tp_look_file *f;

	for (size_t i = 0; i < c->names.count; i++)
		TP_APPEND(look->recordings, look->recording_count,
		    look->recording_cap, (struct tp_look_recording){
		    tp_look_text(look, "%s", c->names.names[i].text), 0 });
	for (size_t i = 0; i < c->count; i++) {
		f = c->files[i];
		if (f->identity.capture == TP_STRAY)
			continue;
		c->files[i]->recording = f->identity.capture;
		look->recordings[f->recording].table_count++;
	}
	look->captures = tp_look_text(look, "%s", c->names_text.p);
}

/* A report is of the chosen capture alone. */
static void
leave_others(struct tp_look *look)
{
	for (size_t i = 0; i < look->count; i++) {
		struct tp_look_file *f = &look->files[i];

		if (!is_trace(f) || f->recording == look->chosen)
			continue;
		f->role = NULL;
		tp_look_refuse(look, f, TP_LOOK_UNUSED, NULL,
		    "%s, of another capture", f->what);
	}
}

int
tp_look_captures(struct tp_look *look, const char *run, struct tp_err *err)
{
	struct candidates c = { .look = look };
	size_t n;

	collect(&c);
	n = tp_identity_group(c.list, c.count);
	follow(&c);
	drop_strays(&c);
	if (n > 1 || run) {
		tp_identity_names(c.list, c.count, &c.names, &c.names_text);
		add_recordings(&c);
	}
	tp_names_release(&c.latest);
	tp_names_release(&c.names);
	tp_buf_release(&c.names_text);
	tp_free(c.files);
	tp_free(c.list);
	if (!look->recording_count)
		return 0;
	if (tp_look_choose(look, run, err) < 0)
		return -1;
	if (look->chosen != TP_LOOK_ANY)
		leave_others(look);
	return 0;
}
