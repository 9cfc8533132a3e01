/* older - arc4random_buf(), which glibc has since 2.36, for expat */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

/* Of this library alone: others call that of glibc, where there is one. */
__attribute__((visibility("hidden"))) void arc4random_buf(void *, size_t);

/* Fill N bytes at P with what nobody can foresee; expat asks for a few, which
 * getrandom() gives whole. */
void
arc4random_buf(void *p, size_t n)
{
	ssize_t rc;

	while ((rc = getrandom(p, n, 0)) < 0 && errno == EINTR)
		continue;
	if (rc != (ssize_t)n)
		abort();
}
