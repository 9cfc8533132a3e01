/*
 * file - whole small files, and the files of a folder
 *
 * For data of our own making: configuration, manifests.  Traces are read in
 * blocks (in.h).  Memory: the file; of a walk the longest path.
 */
#ifndef TP_FILE_H
#define TP_FILE_H

#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/* Content of PATH appended to BUF.  0, or -1 with ERR: TP_IO
 * "input.failed", and errno when it could not be opened. */
int tp_file_read(const char *path, struct tp_buf *buf, struct tp_err *err);

/*
 * TEXT as JSON; release with cJSON_Delete().  NULL with ERR: TP_BAD
 * "input.unknown", with the line, where NAME (for people) is not JSON.
 */
struct cJSON *tp_file_parse(const struct tp_buf *text, const char *name,
    struct tp_err *err);
/* Both: the file PATH as JSON. */
struct cJSON *tp_file_json(const char *path, struct tp_err *err);

struct tp_file_walk {
	/* PATH of a file, borrowed.  0, or -1 with ERR, which ends the walk. */
	int (*file)(void *arg, const char *path, struct tp_err *err);
	void *arg;
	/* 0: names that begin with a dot, and what is neither file nor folder,
	 * are passed over, links are followed.  1: every name counts, and
	 * what is neither, links too, is an error. */
	int exact;
};

/* Call WALK for every file below FOLDER, in no order; PATH begins with
 * FOLDER.  0, or -1 with ERR. */
int tp_file_visit(const char *folder, const struct tp_file_walk *walk,
    struct tp_err *err);

#endif
