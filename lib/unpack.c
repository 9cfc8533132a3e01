/* unpack - bytes of a descriptor, and of the packed stream in it */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "relay.h"
#include "unpack.h"

#define PEEK ((size_t)64 * 1024)
/* Output of this size is never called a bomb, however small the input. */
#define EXPAND_FREE ((uint64_t)64 * 1024 * 1024)
/* Small enough to stay in the cache until it is read. */
#define PLAIN ((size_t)256 * 1024)
/* One block being read, one ready, one being filled. */
#define BLOCKS 3

struct tp_unpack {
	/* Inflating side, owned by the thread while it runs. */
	struct tp_feed *raw;
	const struct tp_inflate *how;
	void *z;
	int between;			/* after a whole member */
	uint64_t inflated, trailing;
	struct tp_err late;		/* error to report after the bytes
					 * before it */

	/* Reading side. */
	char *plain[BLOCKS];
	size_t size;			/* of each */
	int given, ended;
	size_t at;			/* last block returned */
	struct tp_relay relay;
	int wake[2];

	/* Per block, from the inflating to the reading side: */
	ptrdiff_t len[BLOCKS];		/* as tp_in_read() returns it */
	struct tp_err err;		/* of the last block, when len is -1 */
};

int
tp_feed_fill(struct tp_feed *raw, struct tp_err *err)
{
	char why[128];
	ssize_t n;

	if (raw->at < raw->len || raw->eof)
		return 0;
	/* the first read is short: sniffing must not read a megabyte */
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

static const struct magic {
	const struct tp_inflate *how;
	unsigned char len, mask;	/* mask: of the first byte */
	unsigned char bytes[TP_MAGIC];
} magics[] = {
	{ &tp_inflate_gzip, 2, 0xff, { 0x1f, 0x8b } },
#ifdef TP_ZSTD
	{ &tp_inflate_zstd, 4, 0xff, { 0x28, 0xb5, 0x2f, 0xfd } },
	/* skippable frame */
	{ &tp_inflate_zstd, 4, 0xf0, { 0x50, 0x2a, 0x4d, 0x18 } },
#endif
};

/* The magic that the N bytes at P match, fully or as a prefix; or NULL. */
static const struct magic *
magic_of(const char *p, size_t n)
{
	const struct magic *m;
	size_t len;

	for (size_t i = 0; n && i < sizeof magics / sizeof *magics; i++) {
		m = &magics[i];
		len = n < m->len ? n : m->len;
		if (((unsigned char)*p & m->mask) == *m->bytes &&
		    !memcmp(p + 1, m->bytes + 1, len - 1))
			return m;
	}
	return NULL;
}

const struct tp_inflate *
tp_feed_packing(struct tp_feed *raw, int *whole)
{
	size_t len = raw->len - raw->at;
	const struct magic *m = magic_of(raw->block + raw->at, len);
	ssize_t n;

	if (m && len < m->len) {
		memmove(raw->block, raw->block + raw->at, len);
		raw->at = 0;
		raw->len = len;
	}
	while (m && raw->len - raw->at < m->len && !raw->eof) {
		n = read(raw->fd, raw->block + raw->len, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		raw->len++;
		raw->taken++;
		m = magic_of(raw->block, raw->len);
	}
	*whole = m && raw->len - raw->at >= m->len;
	return m ? m->how : NULL;
}

struct tp_unpack *
tp_unpack_new(struct tp_feed *raw, const struct tp_inflate *how)
{
	struct tp_unpack *u = tp_zalloc(sizeof *u);

	u->raw = raw;
	u->how = how;
	u->size = raw->size < PLAIN ? raw->size : PLAIN;
	u->z = how->new();
	if (!u->z)
		tp_no_memory();
	u->plain[0] = tp_alloc(u->size);
	return u;
}

static void
stop(struct tp_unpack *u)
{
	/* the thread may be waiting for input */
	close(u->wake[1]);
	tp_relay_stop(&u->relay);
	close(u->wake[0]);
}

void
tp_unpack_free(struct tp_unpack *u)
{
	if (!u)
		return;
	if (u->relay.running)
		stop(u);
	u->how->free(u->z);
	for (size_t i = 0; i < BLOCKS; i++)
		tp_free(u->plain[i]);
	tp_free(u);
}

/* Between members: 1 when another begins, 0 when the rest is no member. */
static int
next_member(struct tp_unpack *u)
{
	struct tp_feed *raw = u->raw;
	int whole;

	if (raw->at == raw->len)
		return 0;
	if (u->trailing || tp_feed_packing(raw, &whole) != u->how) {
		/* no member: count the trailing bytes */
		u->trailing += raw->len - raw->at;
		raw->at = raw->len;
		return 0;
	}
	u->how->reset(u->z);
	u->between = 0;
	return 1;
}

/* Store in u->late why the output ends, as RC says. */
static void
ends_badly(struct tp_unpack *u, enum tp_inflated rc)
{
	const char *name = u->how->name;

	switch (rc) {
	case TP_INFLATED_TOO_WIDE:
		tp_fail(&u->late, TP_LIMIT, "limit.window", 0,
		    "%s data needs more than 128 MiB of memory to inflate; "
		    "pack it without --long, or pipe it from 'zstd -dc "
		    "--long=31'", name);
		u->late.fatal = 1;
		break;
	case TP_INFLATED_NO_DICTIONARY:
		tp_fail(&u->late, TP_BAD, "zstd.dictionary", 0,
		    "%s data needs a dictionary, which cannot be given; pipe "
		    "it from 'zstd -dc -D DICTIONARY'", name);
		break;
	default:
		tp_fail(&u->late, TP_BAD, "input.truncated", 0,
		    "%s data %s; copy it again", name,
		    rc == TP_INFLATED_DAMAGED ? "is damaged" : "ends early");
	}
}

/*
 * Inflate the buffered input once into OUT.  Returns the bytes, or -1 with
 * ERR.
 */
static ptrdiff_t
inflate_some(struct tp_unpack *u, char *out, struct tp_err *err)
{
	struct tp_feed *raw = u->raw;
	size_t len = raw->len - raw->at, room = u->size, got;
	enum tp_inflated rc;

	rc = u->how->run(u->z, raw->block + raw->at, &len, out, &room);
	raw->at = raw->len - len;
	got = u->size - room;
	if (rc == TP_INFLATED_NO_MEMORY)
		tp_no_memory();
	if (rc == TP_INFLATED_END)
		u->between = 1;
	else if (rc != TP_INFLATED || (!got && raw->eof &&
	    raw->at == raw->len))
		ends_badly(u, rc);
	if (got || !u->late.status)
		return (ptrdiff_t)got;
	*err = u->late;
	return -1;
}

/*
 * Wait for input, or return 0 when stopped: a pipe may stay silent for ever,
 * and closing must not wait for it.
 */
static int
wait_input(struct tp_unpack *u)
{
	struct pollfd fds[2] = {
		{ .fd = u->raw->fd, .events = POLLIN },
		{ .fd = u->wake[0], .events = POLLIN },
	};

	if (!u->relay.running || u->raw->at < u->raw->len || u->raw->eof)
		return 1;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		continue;
	return !fds[1].revents;
}

/* Inflate one block into OUT; bytes, 0 at the end, -1 with ERR. */
static ptrdiff_t
inflate_block(struct tp_unpack *u, char *out, struct tp_err *err)
{
	ptrdiff_t got = 0;

	if (u->late.status) {
		*err = u->late;
		return -1;
	}
	while (!got) {
		if (!wait_input(u))
			return 0;
		if (tp_feed_fill(u->raw, err) < 0)
			return -1;
		if (u->between && !next_member(u)) {
			if (u->raw->eof)
				return 0;
			continue;
		}
		got = inflate_some(u, out, err);
		if (got < 0)
			return -1;
	}
	u->inflated += (uint64_t)got;
	if (u->inflated > EXPAND_FREE &&
	    u->inflated / (uint64_t)tp_limits.expand > u->raw->taken) {
		tp_fail(err, TP_LIMIT, "limit.expand", 0,
		    "%s data inflates more than %lld times; --max-expand "
		    "raises the limit",
		    u->how->name, (long long)tp_limits.expand);
		err->fatal = 1;
		return -1;
	}
	return got;
}

/* The thread: fill block after block until the end or until stopped. */
static void *
run_ahead(void *arg)
{
	struct tp_unpack *u = arg;
	ptrdiff_t n = 1;
	uint64_t turn;
	size_t i;

	while (n > 0 && tp_relay_room(&u->relay, &turn)) {
		i = (size_t)(turn % BLOCKS);
		n = u->len[i] = inflate_block(u, u->plain[i], &u->err);
		tp_relay_filled(&u->relay, turn);
	}
	return NULL;
}

/* Whether everything read so far is inflated, so that nothing may be left. */
static int
is_through(const struct tp_unpack *u)
{
	return u->ended || (u->between && u->raw->at == u->raw->len);
}

/*
 * Start the thread.  When no thread can be created, the reader continues to
 * inflate.
 */
static void
start(struct tp_unpack *u)
{
	for (size_t i = 1; i < BLOCKS; i++)
		u->plain[i] = tp_alloc(u->size);
	if (pipe(u->wake) < 0)
		return;
	/* the reader holds the first block */
	if (tp_relay_start(&u->relay, 1, BLOCKS, 1, 0, run_ahead, u) < 0) {
		close(u->wake[0]);
		close(u->wake[1]);
	}
}

/*
 * Give back the previous block and take the one that the thread has filled;
 * at the end, repeatedly the end.
 */
static ptrdiff_t
take_next_block(struct tp_unpack *u, const char **block, struct tp_err *err)
{
	if (!u->ended)
		u->at = tp_relay_take(&u->relay);
	*block = u->plain[u->at];
	u->ended = u->len[u->at] <= 0;
	if (u->len[u->at] < 0)
		*err = u->err;
	return u->len[u->at];
}

ptrdiff_t
tp_unpack_read(struct tp_unpack *u, const char **block, int ahead,
    struct tp_err *err)
{
	ptrdiff_t n;

	if (ahead && u->given && !u->plain[1] && !is_through(u))
		start(u);
	if (u->relay.running)
		return take_next_block(u, block, err);
	*block = u->plain[0];
	n = inflate_block(u, u->plain[0], err);
	u->given |= n > 0;
	u->ended = n <= 0;
	return n;
}

const char *
tp_unpack_name(const struct tp_unpack *u)
{
	return u->how->name;
}

uint64_t
tp_unpack_trailing(const struct tp_unpack *u)
{
	return u->ended ? u->trailing : 0;
}
