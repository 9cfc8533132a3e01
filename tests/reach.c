/*
 * reach - write down which functions a program calls
 *
 * Linked into programs of "make mutate", which are compiled with
 * -finstrument-functions -falign-functions=16.  With TP_REACHED, a folder,
 * each process fills a file FROM,PROGRAM,PID of 32-bit numbers there: how many
 * functions it called, and the offset of each in the program.  FROM is the
 * test: FILE,NUMBER of bats, or the last two folders of where it runs, which
 * for a golden case are its file and its name.
 *
 * The file is mapped, so that a program that is confined, crashes or forks
 * fills it, too.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST	16383
#define QUIET	__attribute__((no_instrument_function))

struct reached {
	atomic_uint count;
	uint32_t offset[MOST];
};

void __cyg_profile_func_enter(void *function, void *from) QUIET;
void __cyg_profile_func_exit(void *function, void *from) QUIET;

extern char __executable_start[];
static struct reached *reached;
static atomic_uchar seen[1 << 20];

/* The last COUNT names of PATH. */
static QUIET const char *
tail(const char *path, int count)
{
	const char *p = path + strlen(path);

	while (p > path && (p[-1] != '/' || --count))
		p--;
	return p;
}

static QUIET __attribute__((constructor)) void
start(void)
{
	const char *folder = getenv("TP_REACHED");
	const char *file = getenv("BATS_TEST_FILENAME");
	const char *number = getenv("BATS_TEST_NUMBER");
	char self[PATH_MAX] = "", at[PATH_MAX] = "", path[3 * PATH_MAX];
	char from[PATH_MAX];
	void *map;
	int fd;

	if (!folder || readlink("/proc/self/exe", self, sizeof self - 1) < 0 ||
	    !getcwd(at, sizeof at))
		return;
	if (file)
		snprintf(from, sizeof from, "%s,%s", tail(file, 1),
		    number ? number : "0");
	else
		snprintf(from, sizeof from, "%s", tail(at, 2));
	for (char *p = from; *p; p++)
		if (*p == '/')
			*p = ',';
	snprintf(path, sizeof path, "%s/%s,%s,%ld", folder, from,
	    tail(self, 1), (long)getpid());
	fd = open(path, O_RDWR | O_CREAT, 0666);
	if (fd < 0)
		return;
	if (!ftruncate(fd, sizeof *reached)) {
		map = mmap(NULL, sizeof *reached, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		if (map != MAP_FAILED)
			reached = map;
	}
	close(fd);
}

void
__cyg_profile_func_enter(void *function, void *from)
{
	uintptr_t offset = (uintptr_t)function -
	    (uintptr_t)__executable_start;
	unsigned at;

	(void)from;
	if (!reached || offset / 16 >= sizeof seen || seen[offset / 16])
		return;
	seen[offset / 16] = 1;
	at = atomic_fetch_add(&reached->count, 1);
	if (at < MOST)
		reached->offset[at] = (uint32_t)offset;
}

void
__cyg_profile_func_exit(void *function, void *from)
{
	(void)function;
	(void)from;
}
