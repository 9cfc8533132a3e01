/*
 * fetch - have tp-fetch bring an artifact
 *
 * The program beside this one, or on PATH, is run without a shell.  What it
 * says on standard error is not caught.  Memory: the name of the folder.
 */
#ifndef TP_TOOL_FETCH_H
#define TP_TOOL_FETCH_H

#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/* What is wanted; NULL: not told.  The same as the options of tp-fetch. */
struct tp_fetch {
	const char *run_target, *artifact, *alias, *entity, *project, *store,
	    *download_root;
};

/*
 * Put the folder that holds WANT now into FOLDER.  0; the exit status of
 * tp-fetch when it failed, which it has told; -1 with ERR when it could not be
 * run.
 */
int tp_fetch_run(const struct tp_fetch *want, struct tp_buf *folder,
    struct tp_err *err);

/*
 * What FOLDER/artifact.json says of the artifact that FOLDER holds; release
 * with cJSON_Delete().  NULL: it is none.
 */
struct cJSON *tp_fetch_about(const char *folder);

#endif
