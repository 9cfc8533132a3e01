/* gunzip - a descriptor's bytes, and those of the gzip stream in them */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "gunzip.h"
#include "inflate.h"
#include "relay.h"

#define PEEK ((size_t)64 * 1024)
/* What is no gzip bomb, however small it was. */
#define EXPAND_FREE ((uint64_t)64 * 1024 * 1024)
/* Small enough that the reader finds it in the cache. */
#define PLAIN ((size_t)256 * 1024)
/* One block with the reader, one ready for it, one being filled. */
#define BLOCKS 3

struct tp_gunzip {
	/* the inflating side: the thread's, while there is one */
	struct tp_raw *raw;
	struct tp_inflate *z;
	int between;			/* after a whole member */
	uint64_t inflated, trailing;
	struct tp_err late;		/* found, told after the bytes before */

	/* the reading side */
	char *plain[BLOCKS];
	size_t size;			/* of each */
	int given, ended;
	size_t at;			/* block given last */
	struct tp_relay relay;
	int wake[2];

	/* of each block, from the inflating to the reading side */
	ptrdiff_t len[BLOCKS];		/* as tp_in_read() returns it */
	struct tp_err err;		/* of the last block, if that is -1 */
};

int
tp_raw_fill(struct tp_raw *raw, struct tp_err *err)
{
	char why[128];
	ssize_t n;

	if (raw->at < raw->len || raw->eof)
		return 0;
	if (raw->kept)
		raw->block = raw->kept[++raw->turn % raw->kept_count];
	/* the first look is short: sniffing must not read a megabyte */
	do
		n = read(raw->fd, raw->block, !raw->taken && raw->size > PEEK ?
		    PEEK : raw->size);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		if (strerror_r(errno, why, sizeof why))
			strcpy(why, "input error");
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "cannot read: %s%s", why, errno == EISDIR ?
		    "; name the files in it" : "");
	}
	raw->at = 0;
	raw->len = (size_t)n;
	raw->taken += (uint64_t)n;
	if (!n)
		raw->eof = 1;
	return 0;
}

void
tp_raw_two(struct tp_raw *raw)
{
	ssize_t n;

	if (raw->len - raw->at != 1)
		return;
	raw->block[0] = raw->block[raw->at];
	raw->at = 0;
	raw->len = 1;
	while (raw->len == 1 && !raw->eof) {
		n = read(raw->fd, raw->block + 1, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		raw->len++;
		raw->taken++;
	}
}

int
tp_raw_is_gzip(const struct tp_raw *raw)
{
	size_t n = raw->len - raw->at;

	return n && (unsigned char)raw->block[raw->at] == 0x1f &&
	    (n < 2 || (unsigned char)raw->block[raw->at + 1] == 0x8b);
}

struct tp_gunzip *
tp_gunzip_new(struct tp_raw *raw)
{
	struct tp_gunzip *g = tp_zalloc(sizeof *g);

	if (!g)
		return NULL;
	g->raw = raw;
	g->size = raw->size < PLAIN ? raw->size : PLAIN;
	g->z = tp_inflate_new();
	g->plain[0] = tp_alloc(g->size);
	if (!g->z || !g->plain[0]) {
		tp_gunzip_free(g);
		return NULL;
	}
	return g;
}

static void
stop(struct tp_gunzip *g)
{
	/* it may wait for input */
	close(g->wake[1]);
	tp_relay_stop(&g->relay);
	close(g->wake[0]);
}

void
tp_gunzip_free(struct tp_gunzip *g)
{
	if (!g)
		return;
	if (g->relay.running)
		stop(g);
	tp_inflate_free(g->z);
	for (size_t i = 0; i < BLOCKS; i++)
		tp_free(g->plain[i]);
	tp_free(g);
}

/* Between members: 1 when another begins, 0 when nothing more counts. */
static int
next_member(struct tp_gunzip *g)
{
	struct tp_raw *raw = g->raw;

	if (raw->at == raw->len)
		return 0;
	tp_raw_two(raw);
	if (g->trailing || !tp_raw_is_gzip(raw)) {
		/* not a member: count what is left */
		g->trailing += raw->len - raw->at;
		raw->at = raw->len;
		return 0;
	}
	tp_inflate_reset(g->z);
	g->between = 0;
	return 1;
}

/* Inflate into OUT once what is at hand; bytes, or -1 with ERR. */
static ptrdiff_t
inflate_some(struct tp_gunzip *g, char *out, struct tp_err *err)
{
	struct tp_raw *raw = g->raw;
	size_t len = raw->len - raw->at, room = g->size, got;
	enum tp_inflated rc;

	rc = tp_inflate_run(g->z, raw->block + raw->at, &len, out, &room);
	raw->at = raw->len - len;
	got = g->size - room;
	if (rc == TP_INFLATED_NO_MEMORY)
		return tp_fail_memory(err);
	if (rc == TP_INFLATED_END)
		g->between = 1;
	else if (rc == TP_INFLATED_DAMAGED)
		tp_fail(&g->late, TP_BAD, "input.truncated", 0,
		    "gzip data is damaged; copy it again");
	else if (!got && raw->eof && raw->at == raw->len)
		tp_fail(&g->late, TP_BAD, "input.truncated", 0,
		    "gzip data ends early; copy it again");
	if (got || !g->late.status)
		return (ptrdiff_t)got;
	*err = g->late;
	return -1;
}

/* Wait for input or to be stopped, which gives 0: a pipe may be silent for
 * ever, and closing must not wait for it. */
static int
wait_input(struct tp_gunzip *g)
{
	struct pollfd fds[2] = {
		{ .fd = g->raw->fd, .events = POLLIN },
		{ .fd = g->wake[0], .events = POLLIN },
	};

	if (!g->relay.running || g->raw->at < g->raw->len || g->raw->eof)
		return 1;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		continue;
	return !fds[1].revents;
}

/* Inflate one block into OUT; bytes, 0 at the end, -1 with ERR. */
static ptrdiff_t
inflate_block(struct tp_gunzip *g, char *out, struct tp_err *err)
{
	ptrdiff_t got = 0;

	if (g->late.status) {
		*err = g->late;
		return -1;
	}
	while (!got) {
		if (!wait_input(g))
			return 0;
		if (tp_raw_fill(g->raw, err) < 0)
			return -1;
		if (g->between && !next_member(g)) {
			if (g->raw->eof)
				return 0;
			continue;
		}
		got = inflate_some(g, out, err);
		if (got < 0)
			return -1;
	}
	g->inflated += (uint64_t)got;
	if (g->inflated > EXPAND_FREE &&
	    g->inflated / (uint64_t)tp_limits.expand > g->raw->taken) {
		tp_fail(err, TP_LIMIT, "limit.expand", 0,
		    "gzip data inflates more than %lld times; --max-expand "
		    "takes more", (long long)tp_limits.expand);
		err->fatal = 1;
		return -1;
	}
	return got;
}

/* The thread: fill block after block until the end or until stopped. */
static void *
run_ahead(void *arg)
{
	struct tp_gunzip *g = arg;
	ptrdiff_t n = 1;
	size_t i;

	while (n > 0 && tp_relay_room(&g->relay, &i)) {
		n = g->len[i] = inflate_block(g, g->plain[i], &g->err);
		tp_relay_filled(&g->relay);
	}
	return NULL;
}

/* Begin to run ahead; 0, or -1 without memory.  Where there is no thread to
 * be had the reader goes on inflating by itself. */
static int
start(struct tp_gunzip *g)
{
	for (size_t i = 1; i < BLOCKS; i++) {
		g->plain[i] = tp_alloc(g->size);
		if (!g->plain[i])
			return -1;
	}
	if (pipe(g->wake) < 0)
		return 0;
	/* the first block is with the reader */
	if (tp_relay_start(&g->relay, BLOCKS, 1, 0, run_ahead, g) < 0) {
		close(g->wake[0]);
		close(g->wake[1]);
	}
	return 0;
}

/* Give back the block before and take the one the thread has filled; at the
 * end the end, again and again. */
static ptrdiff_t
take(struct tp_gunzip *g, const char **block, struct tp_err *err)
{
	if (!g->ended)
		g->at = tp_relay_take(&g->relay);
	*block = g->plain[g->at];
	g->ended = g->len[g->at] <= 0;
	if (g->len[g->at] < 0)
		*err = g->err;
	return g->len[g->at];
}

ptrdiff_t
tp_gunzip_read(struct tp_gunzip *g, const char **block, int ahead,
    struct tp_err *err)
{
	ptrdiff_t n;

	if (ahead && g->given && !g->ended && !g->plain[1] && start(g) < 0)
		return tp_fail_memory(err);
	if (g->relay.running)
		return take(g, block, err);
	*block = g->plain[0];
	n = inflate_block(g, g->plain[0], err);
	g->given |= n > 0;
	g->ended = n <= 0;
	return n;
}

uint64_t
tp_gunzip_trailing(const struct tp_gunzip *g)
{
	return g->ended ? g->trailing : 0;
}
