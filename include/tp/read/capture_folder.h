/*
 * capture_folder - find the traces of one JAX capture below a folder
 *
 * JAX profilers write plugins/profile/TIME/HOST.xplane.pb, and derived from
 * it HOST.trace.json.gz, which holds less; sometimes also
 * perfetto_trace.json.gz.  Each host names the folder TIME by its own clock,
 * so folders of one capture may differ by seconds.
 */
#ifndef TP_READ_CAPTURE_FOLDER_H
#define TP_READ_CAPTURE_FOLDER_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

struct tp_capture {
	char **files;		/* NULL-terminated, sorted by name */
	size_t count;
	size_t passed_over;	/* number of traces of other captures */
	size_t beside;		/* trace files left out because the xplane.pb of
				 * their host is read */
	size_t folders;		/* number of folders the files are in */
	size_t strays;		/* files left out by tp_capture_agree() */
};

/*
 * Folders of different hosts at most this many seconds apart belong to one
 * capture.
 */
enum { TP_CAPTURE_APART_S = 30 };

/*
 * Find the files of the latest capture in FOLDER (greatest folder name;
 * names are times): for each host its xplane.pb, else its trace, packed
 * before plain; perfetto_trace.json.gz only when there is one host at most
 * and no xplane.pb.  0, or -1 with ERR: TP_BAD "capture.none" when there is
 * none.  The list and each name in it are yours to free.
 */
int tp_capture_find(struct tp_capture *capture, const char *folder,
    struct tp_err *err);

/*
 * Look into the files of CAPTURE, found in FOLDER, and leave out those of
 * another program than nearly all (identity.h).  Returns of how many captures
 * the others are, which SEVERAL lists if they are of more than one; -1 with
 * ERR.
 */
ptrdiff_t tp_capture_agree(struct tp_capture *capture, const char *folder,
    struct tp_buf *several, struct tp_err *err);

/*
 * The host part of PATH: *NAME points into PATH, after the folders; the
 * length excludes ".trace.json.gz" or ".xplane.pb".
 */
size_t tp_capture_host(const char *path, const char **name);

/* Whether a file called NAME (without folders) belongs to a capture. */
int tp_capture_is_file(const char *name);

#endif
