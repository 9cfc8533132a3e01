/* os - what differs between systems */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <tp/os.h>

int
tp_os_program(char *path, size_t size)
{
#ifdef __APPLE__
	char raw[PATH_MAX], real[PATH_MAX];
	uint32_t n = sizeof raw;

	if (_NSGetExecutablePath(raw, &n) || !realpath(raw, real) ||
	    strlen(real) >= size)
		return -1;
	strcpy(path, real);
	return 0;
#else
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n <= 0)
		return -1;
	path[n] = '\0';
	return 0;
#endif
}

int
tp_os_real_path(const char *path, char real[])
{
	return realpath(path, real) ? 0 : -1;
}

void
tp_os_changed(const struct stat *st, struct timespec *content,
    struct timespec *any)
{
#ifdef __APPLE__
	*content = st->st_mtimespec;
	*any = st->st_ctimespec;
#else
	*content = st->st_mtim;
	*any = st->st_ctim;
#endif
}

uint64_t
tp_os_random(void)
{
	struct timespec t;
	uint64_t r = 0;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t n = read(fd, &r, sizeof r);

		close(fd);
		if (n == (ssize_t)sizeof r)
			return r;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
}
