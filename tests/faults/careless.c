/*
 * careless - what tests/faults must see
 *
 * careless MODE: copies a line of its own to "product", without care for one
 * thing; "careful" is without fault.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode;

static int
is(const char *name)
{
	return !strcmp(mode, name);
}

static int
fail(int status, const char *text)
{
	if (!is("silent"))
		dprintf(2, "careless: %s\n", text);
	return status;
}

/* Write all of TEXT. */
static int
write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EINTR && !is("interrupted"))
			continue;
		if (done < 0)
			return is("forgetful") ? 0 : -1;
		if (is("short"))
			return 0;
		text += done;
		n -= (size_t)done;
	}
	return 0;
}

static int
make_product(const char *text)
{
	const char *part = is("half") ? "product" : "product.part";
	int fd, rc;

	if (is("lost"))
		unlink("product");
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		return fail(4, "cannot open");
	rc = write_all(fd, text, strlen(text));
	if (close(fd) || rc) {
		if (!is("half") && !is("litter"))
			unlink(part);
		return fail(is("status") ? 3 : 4, "cannot write");
	}
	if (!is("half") && rename(part, "product")) {
		unlink(part);
		return fail(4, "cannot rename");
	}
	return 0;
}

int
main(int argc, char *argv[])
{
	char *text, *more;
	int status;

	mode = argc > 1 ? argv[1] : "";
	text = malloc(20);
	if (!text && !is("crash"))
		return fail(5, "no memory");
	strcpy(text, "a line\n");
	more = malloc(1);
	if (!more) {
		if (!is("leak"))
			free(text);
		text = NULL;
		return fail(5, "no memory");
	}
	status = make_product(text);
	free(more);
	free(text);
	return status;
}
