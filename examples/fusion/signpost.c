/*
 * signpost - mark intervals for Instruments, from Python by ctypes
 *
 *	clang -dynamiclib -o libsignpost.dylib signpost.c
 *
 * macOS only.  The names of signposts are part of the program, so there is one
 * call for each name.
 */
#include <os/log.h>
#include <os/signpost.h>
#include <string.h>

#define MARK(NAME) do { \
	if (strcmp(name, NAME)) \
		break; \
	if (ends) \
		os_signpost_interval_end(log, OS_SIGNPOST_ID_EXCLUSIVE, NAME); \
	else \
		os_signpost_interval_begin(log, OS_SIGNPOST_ID_EXCLUSIVE, \
		    NAME); \
} while (0)

/* Begin the interval NAME, or end it when ENDS. */
void
signpost(const char *name, int ends)
{
	static os_log_t log;

	if (!log)
		log = os_log_create("profile_fusion",
		    OS_LOG_CATEGORY_POINTS_OF_INTEREST);
	MARK("eager");
	MARK("compiled");
	MARK("call");
}
