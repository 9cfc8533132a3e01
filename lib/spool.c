/* spool - bytes written once and read back in order */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/os.h>
#include <tp/spool.h>

#define CHUNK TP_SPOOL_CHUNK
/* Bytes after a chunk, as whole words are written and read at its end. */
#define SPARE 16
#define MEMORY_MAX ((size_t)512 * 1024)

/* Shared by all spools: one budget and one file per process. */
static size_t in_memory;
static int file = -1;
static uint64_t file_end;
static int no_file;

/* Write a full chunk to the file.  0, or -1 when it must stay in memory. */
static int
write_out(struct tp_spool_chunk *c)
{
	size_t done = 0;
	ssize_t n;

	if (file < 0 && !no_file && (file = tp_os_temporary()) < 0)
		no_file = 1;
	if (no_file)
		return -1;
	while (done < c->len) {
		n = pwrite(file, c->mem + done, c->len - done,
		    (off_t)(file_end + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			no_file = 1;	/* disk full: keep what was written */
			return -1;
		}
		done += (size_t)n;
	}
	c->at = file_end;
	file_end += c->len;
	tp_free(c->mem);
	c->mem = NULL;
	in_memory -= CHUNK;
	return 0;
}

/* The open chunk is full: keep it or write it out. */
static void
finish_chunk(struct tp_spool *s)
{
	struct tp_spool_chunk *c;

	c = TP_PUSH(s->chunks, s->chunk_count, s->chunk_cap);
	c->mem = s->open;
	c->len = (uint32_t)s->used;
	c->at = 0;
	s->open = NULL;
	s->used = 0;
	if (in_memory > MEMORY_MAX)
		(void)write_out(c);
}

unsigned char *
tp_spool_begin(struct tp_spool *s)
{
	if (s->open)
		finish_chunk(s);
	s->open = tp_alloc(CHUNK + SPARE);
	in_memory += CHUNK;
	return s->open;
}

void
tp_spool_release(struct tp_spool *s)
{
	size_t i;

	for (i = 0; i < s->chunk_count; i++) {
		if (!s->chunks[i].mem)
			continue;
		tp_free(s->chunks[i].mem);
		in_memory -= CHUNK;
	}
	if (s->open)
		in_memory -= CHUNK;
	tp_free(s->open);
	tp_free(s->chunks);
	memset(s, 0, sizeof *s);
}

void
tp_spool_read(struct tp_spool_reader *r, const struct tp_spool *spool)
{
	memset(r, 0, sizeof *r);
	r->spool = spool;
}

/* Read LEN bytes of the file at AT into TO. */
static void
get_back(unsigned char *to, uint64_t at, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(file, to + done, len - done,
		    (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			tp_quit(TP_IO, "cannot read a temporary file back");
		done += (size_t)n;
	}
}

static void
read_back(struct tp_spool_reader *r, const struct tp_spool_chunk *c)
{
	if (!r->block)
		r->block = tp_alloc(CHUNK + SPARE);
	get_back(r->block, c->at, c->len);
}

void
tp_spool_add(struct tp_spool *s, const void *bytes, size_t len)
{
	const char *p = bytes;
	size_t n;

	while (len) {
		/* fill chunks completely, so that positions are known */
		if (!s->open || s->used == CHUNK)
			tp_spool_begin(s);
		n = CHUNK - s->used < len ? CHUNK - s->used : len;
		memcpy(s->open + s->used, p, n);
		s->used += n;
		p += n;
		len -= n;
	}
}

void
tp_spool_get(const struct tp_spool *s, uint64_t at, void *to, size_t len)
{
	const struct tp_spool_chunk *c;
	unsigned char *p = to;
	size_t i, from, n;

	for (; len; at += n, p += n, len -= n) {
		i = (size_t)(at / CHUNK);
		from = (size_t)(at % CHUNK);
		n = CHUNK - from < len ? CHUNK - from : len;
		c = i < s->chunk_count ? &s->chunks[i] : NULL;
		if (!c || c->mem)
			memcpy(p, (c ? c->mem : s->open) + from, n);
		else
			get_back(p, c->at + from, n);
	}
}

int
tp_spool_more(struct tp_spool_reader *r)
{
	const struct tp_spool *s = r->spool;
	const struct tp_spool_chunk *c;

	if (r->next > s->chunk_count)
		return 0;
	if (r->next == s->chunk_count) {
		r->next++;
		r->p = s->open;
		r->end = s->open ? s->open + s->used : NULL;
		return s->used > 0;
	}
	c = &s->chunks[r->next++];
	if (!c->mem)
		read_back(r, c);
	r->p = c->mem ? c->mem : r->block;
	r->end = r->p + c->len;
	return 1;
}

void
tp_spool_close(struct tp_spool_reader *r)
{
	tp_free(r->block);
	memset(r, 0, sizeof *r);
}
