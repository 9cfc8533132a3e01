/*
 * file - read small files whole; walk a folder
 *
 * For our own data: configuration, manifests.  Traces are read in blocks
 * (in.h).  Memory: the file; for a walk, the longest path.
 */
#ifndef TP_FILE_H
#define TP_FILE_H

#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/*
 * Append the content of PATH to BUF.  0, or -1 with ERR: TP_IO
 * "input.failed"; errno says why when it could not be opened.
 */
int tp_file_read(const char *path, struct tp_buf *buf, struct tp_err *err);
/* Append everything FD gives to BUF.  0, or -1 with errno. */
int tp_file_drain(int fd, struct tp_buf *buf);

/*
 * Parse TEXT as JSON; release with cJSON_Delete().  NULL with ERR (TP_BAD
 * "input.unknown", with the line) when it is not JSON.  Messages call it
 * NAME.
 */
struct cJSON *tp_file_parse(const struct tp_buf *text, const char *name,
    struct tp_err *err);
/*
 * Read and parse the JSON file PATH; release with cJSON_Delete().  NULL with
 * ERR.
 */
struct cJSON *tp_file_json(const char *path, struct tp_err *err);

/* Folders in folders that are visited. */
#define TP_FILE_DEPTH 32

struct stat;

/* Each call: PATH is borrowed.  0, or -1 with ERR, which ends the walk. */
struct tp_file_walk {
	int (*file)(void *arg, const char *path, struct tp_err *err);
	void *arg;
	/*
	 * Called with anything else: a link, a device, a folder that nests too
	 * deep; ST is what it is itself, or NULL when it cannot be looked at
	 * or into, and errno says why.  NULL: links are followed, the rest is
	 * left out, and what cannot be looked at or into is an error.
	 */
	int (*other)(void *arg, const char *path, const struct stat *st,
	    struct tp_err *err);
	/* Whether to visit the folder PATH; NULL: yes. */
	int (*enter)(void *arg, const char *path, const struct stat *st);
	int hidden;		/* also names that begin with a dot */
};

/*
 * Visit every file below FOLDER, those of a folder in the order of their names,
 * links last; PATH begins with FOLDER.  A folder is visited once, however many
 * links lead to it.  0, or -1 with ERR.
 */
int tp_file_visit(const char *folder, const struct tp_file_walk *walk,
    struct tp_err *err);

#endif
