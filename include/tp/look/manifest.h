/*
 * manifest - the files of a folder with their SHA-256
 *
 * Memory: the path of each file and 88 bytes.
 */
#ifndef TP_LOOK_MANIFEST_H
#define TP_LOOK_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include <tp/doc.h>
#include <tp/err.h>

struct cJSON;

struct tp_manifest {
	struct tp_manifest_file {
		char *path;	/* inside the folder */
		int64_t bytes;
		char sha256[65];
	} *files;		/* sorted by the bytes of their paths */
	size_t count, cap;
	size_t skip;		/* bytes of a path to skip: the folder and its
				 * slash */
};

/*
 * Read all files of FOLDER, except the paths in EXCEPT (NULL-terminated),
 * sorted by path.  0, or -1 with ERR: TP_BAD "input.unknown" for anything
 * that is neither file nor folder (links too) and for a name that is not
 * text.
 */
int tp_manifest_read(struct tp_manifest *manifest, const char *folder,
    const char *const *except, struct tp_err *err);

/* Write the list "files" into the open object of J. */
void tp_manifest_write(const struct tp_manifest *manifest, struct tp_doc *j);

/*
 * Compare MANIFEST with the list "files" of DOC.  DIFFERS is called, in
 * order, with each path that differs and how (a literal).  Returns the
 * number of differences, or -1 with ERR: TP_BAD when DOC has no such list.
 */
int tp_manifest_check(const struct tp_manifest *manifest,
    const struct cJSON *doc, void (*differs)(void *arg, const char *path,
    const char *how), void *arg, struct tp_err *err);

#endif
