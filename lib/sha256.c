/*
 * sha256 - of a file, as it is stored, and of bytes
 *
 * Apart from os.c, so that only programs that ask for it load the library.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef __APPLE__
#include <CommonCrypto/CommonDigest.h>
#else
#include <openssl/evp.h>
#endif

#include <tp/os.h>

/* The digest of the rest of FD.  0 or -1. */
static int
digest_of(int fd, unsigned char digest[32])
{
	unsigned char block[65536];
	ssize_t n;
	int ok;
#ifdef __APPLE__
	CC_SHA256_CTX ctx;

	ok = CC_SHA256_Init(&ctx);
#else
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	ok = ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
#endif
	while (ok && (n = read(fd, block, sizeof block)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
#ifdef __APPLE__
		ok = n > 0 && CC_SHA256_Update(&ctx, block, (CC_LONG)n);
#else
		ok = n > 0 && EVP_DigestUpdate(ctx, block, (size_t)n);
#endif
	}
#ifdef __APPLE__
	ok = ok && CC_SHA256_Final(digest, &ctx);
#else
	ok = ok && EVP_DigestFinal_ex(ctx, digest, NULL);
	EVP_MD_CTX_free(ctx);
#endif
	return ok ? 0 : -1;
}

int
tp_os_digest(const void *bytes, size_t len, unsigned char digest[32])
{
#ifdef __APPLE__
	return CC_SHA256(bytes, (CC_LONG)len, digest) ? 0 : -1;
#else
	return EVP_Digest(bytes, len, digest, NULL, EVP_sha256(), NULL) ? 0 :
	    -1;
#endif
}

static void
put_hex(const unsigned char digest[32], char hex[65])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 32; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[64] = '\0';
}

int
tp_os_sha256_of(const void *bytes, size_t len, char hex[65])
{
	unsigned char digest[32];

	if (tp_os_digest(bytes, len, digest) < 0)
		return -1;
	put_hex(digest, hex);
	return 0;
}

int
tp_os_sha256(const char *path, char hex[65])
{
	unsigned char digest[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = digest_of(fd, digest);
	close(fd);
	if (!rc)
		put_hex(digest, hex);
	return rc;
}
