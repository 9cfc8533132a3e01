/*
 * capture - find the traces of one capture below a folder
 *
 * Profilers of JAX write plugins/profile/TIME/HOST.xplane.pb, and of it
 * HOST.trace.json.gz, which says less; sometimes perfetto_trace.json.gz beside
 * them.  Each host names the folder by its own clock, so those of one capture
 * may be seconds apart.
 */
#ifndef TP_READ_CAPTURE_H
#define TP_READ_CAPTURE_H

#include <stddef.h>

#include <tp/err.h>

struct tp_capture {
	char **files;		/* NULL-terminated, sorted by name */
	size_t count;
	size_t passed_over;	/* traces of other captures */
	size_t beside;		/* of hosts whose xplane.pb is read instead */
	size_t folders;		/* that the files are in */
};

/* Folders at most so many seconds apart, of different hosts, are of one
 * capture. */
enum { TP_CAPTURE_APART_S = 30 };

/*
 * The files of the capture in FOLDER whose folder has the greatest name (the
 * latest, as they are named by time): of each host its xplane.pb, else its
 * trace, packed before plain; perfetto_trace.json.gz when there are no two
 * hosts and no xplane.pb.  0, or -1 with ERR: TP_BAD "capture.none" when there
 * is none.  The list and each name in it are yours to free.
 */
int tp_capture_find(struct tp_capture *capture, const char *folder,
    struct tp_err *err);

/* What the file PATH calls its host: the length of *NAME, a part of PATH
 * without folders and ".trace.json.gz" or ".xplane.pb". */
size_t tp_capture_host(const char *path, const char **name);

/* Whether a file called NAME (no folders) is of a capture. */
int tp_capture_is_file(const char *name);

#endif
