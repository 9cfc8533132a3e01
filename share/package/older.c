/* older - arc4random_buf(), which glibc has since 2.36, for expat in archives */
#include <stdlib.h>
#include <sys/random.h>

void arc4random_buf(void *, size_t);

/* Fill N bytes at P with what nobody can foresee; expat asks for a few, which
 * getrandom() gives whole. */
void
arc4random_buf(void *p, size_t n)
{
	if (getrandom(p, n, 0) != (ssize_t)n)
		abort();
}
