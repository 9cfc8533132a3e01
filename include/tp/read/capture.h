/*
 * capture - find the traces of one capture below a folder
 *
 * Profilers of JAX write plugins/profile/TIME/HOST.trace.json.gz, and
 * sometimes perfetto_trace.json.gz beside it.
 */
#ifndef TP_READ_CAPTURE_H
#define TP_READ_CAPTURE_H

#include <stddef.h>

#include <tp/err.h>

struct tp_capture {
	char **files;		/* NULL-terminated, sorted by name */
	size_t count;
	size_t passed_over;	/* traces of other captures */
};

/*
 * The files of the capture in FOLDER whose folder has the greatest name (the
 * latest, as they are named by time): the trace of each host, or
 * perfetto_trace.json.gz when there are no two hosts.  Packed files before
 * plain ones.  0, or -1 with ERR: TP_BAD "capture.none" when there is none.
 * The list and each name in it are yours to free.
 */
int tp_capture_find(struct tp_capture *capture, const char *folder,
    struct tp_err *err);

/* What the file PATH calls its host: the length of *NAME, a part of PATH
 * without folders and ".trace.json.gz". */
size_t tp_capture_host(const char *path, const char **name);

#endif
