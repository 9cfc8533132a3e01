/* os - what differs between systems */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <CommonCrypto/CommonDigest.h>
#include <mach-o/dyld.h>
#else
#include <sys/types.h>

#include <sha256.h>
#endif

#include <tp/os.h>

#include "sha256.h"

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

#ifdef __APPLE__
#define SHA256_CTX CC_SHA256_CTX
#define SHA256Init CC_SHA256_Init
#define SHA256Update(c, p, n) CC_SHA256_Update(c, p, (CC_LONG)(n))
#define SHA256Final CC_SHA256_Final
#endif

/* Either of two ways to the same. */
struct hash {
	int fast;
	struct tp_sha256 sha;
	SHA256_CTX ctx;
};

static void
hash_add(struct hash *h, const void *bytes, size_t len)
{
	if (h->fast)
		tp_sha256_add(&h->sha, bytes, len);
	else
		SHA256Update(&h->ctx, bytes, len);
}

static void
hash_end(struct hash *h, unsigned char digest[32])
{
	if (h->fast)
		tp_sha256_end(&h->sha, digest);
	else
		SHA256Final(digest, &h->ctx);
}

int
tp_os_sha256(const char *path, char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char digest[32], block[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct hash h = { .fast = tp_sha256_ready() };
	ssize_t n;

	if (fd < 0)
		return -1;
	tp_sha256_init(&h.sha);
	SHA256Init(&h.ctx);
	while ((n = read(fd, block, sizeof block)) > 0 ||
	    (n < 0 && errno == EINTR))
		if (n > 0)
			hash_add(&h, block, (size_t)n);
	close(fd);
	if (n < 0)
		return -1;
	hash_end(&h, digest);
	for (size_t i = 0; i < sizeof digest; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[64] = '\0';
	return 0;
}
