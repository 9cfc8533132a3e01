/*
 * manifest - which files a folder holds, with their SHA-256
 *
 * Memory: the path of each file and 80 bytes.
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
	size_t skip;		/* of a path: the folder and its slash */
};

/*
 * Read all files of FOLDER but those that EXCEPT (NULL-terminated) names; by
 * their paths.  0, or -1 with ERR: TP_BAD "input.unknown" when there is
 * something else than files and folders (links too), or a name that is not
 * text.  _release also after failure.
 */
int tp_manifest_read(struct tp_manifest *manifest, const char *folder,
    const char *const *except, struct tp_err *err);
void tp_manifest_release(struct tp_manifest *manifest);

/* The list "files" of the object that is open in J. */
void tp_manifest_write(const struct tp_manifest *manifest, struct tp_doc *j);

/*
 * Hold MANIFEST to what "files" of DOC says: DIFFERS is called, in order,
 * with the path and what is wrong with it (a literal).  How many differ, or -1
 * with ERR: TP_BAD when DOC has no such list.
 */
int tp_manifest_check(const struct tp_manifest *manifest,
    const struct cJSON *doc, void (*differs)(void *arg, const char *path,
    const char *how), void *arg, struct tp_err *err);

#endif
