/*
 * fetch - run tp-fetch to get an artifact
 *
 * tp-fetch is taken from beside this program, or from PATH, and run without
 * a shell.  Its standard error passes through.  Memory: the name of the
 * folder.
 */
#ifndef TP_TOOL_FETCH_H
#define TP_TOOL_FETCH_H

#include <tp/buf.h>
#include <tp/err.h>

struct cJSON;

/* What to fetch, as the options of tp-fetch; NULL: option not given. */
struct tp_fetch {
	const char *run_target, *artifact, *alias, *entity, *project, *store,
	    *download_root;
};

/*
 * Fetch WANT and append the folder it is now in to FOLDER.  0; the exit
 * status of tp-fetch when it failed, after it printed why; -1 with ERR when
 * it could not be run.
 */
int tp_fetch_run(const struct tp_fetch *want, struct tp_buf *folder,
    struct tp_err *err);

/*
 * Parsed FOLDER/artifact.json, which describes the artifact in FOLDER;
 * release with cJSON_Delete().  NULL when FOLDER holds no artifact.
 */
struct cJSON *tp_fetch_about(const char *folder);

#endif
