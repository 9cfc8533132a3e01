/* trace_name - what a trace is called, from its path */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/in.h>
#include <tp/os.h>
#include <tp/text.h>

#include "trace_state.h"

/* "2026_11_20_10_00_00" and the like: does not name a trace. */
static int
is_time_stamp(const char *name, size_t len)
{
	size_t digits = 0;

	for (size_t i = 0; i < len; i++) {
		if (name[i] >= '0' && name[i] <= '9')
			digits++;
		else if (!strchr("_-.:T", name[i]))
			return 0;
	}
	return digits >= 8;
}

/* Whether a folder name is one that profilers make inside a trace. */
static int
says_nothing(const char *name, size_t len)
{
	static const char *const made[] = { "Attachments", "*.run",
	    "plugins", "profile" };

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (tp_glob(made[i], name, len))
			return 1;
	return is_time_stamp(name, len);
}

size_t
tp_without(const char *name, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !memcmp(name + len - n, suffix, n) ? len - n : len;
}

char *
tp_trace_folder_name(const char *folder)
{
	const char *end = folder + strlen(folder), *p;

	while (end > folder) {
		for (p = end; p > folder && p[-1] != '/'; p--)
			continue;
		if (p < end && !says_nothing(p, (size_t)(end - p)))
			return tp_dup_part(p, tp_without(p, (size_t)(end - p),
			    ".trace"));
		end = p > folder ? p - 1 : folder;
	}
	return tp_dup("-");
}

char *
tp_trace_file_name(const char *path)
{
	static const char *const suffixes[] = { ".csv", ".xml", ".json",
	    ".jsonl", ".log", ".etdp", ".etdump", ".pte", ".pb", ".xplane" };
	const char *name = tp_base(path);
	size_t len = tp_in_stem(name, strlen(name)), i;

	for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		len = tp_without(name, len, suffixes[i]);
	return tp_dup_part(name, len);
}

char *
tp_trace_name(const char *path)
{
	char real[PATH_MAX];
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode) &&
	    !tp_os_real_path(path, real))
		return tp_trace_folder_name(real);
	return tp_trace_file_name(path);
}
