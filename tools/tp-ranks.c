/*
 * tp-ranks - compare the traces of several ranks of one job
 *
 * Reads the output of "tp-trace --ranks" for each rank and writes who waited
 * for whom and how evenly work was spread; then the records of one rank, the
 * one to look at first, and the sources and notes of all.
 */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/judge/ranks.h>
#include <tp/os.h>
#include <tp/spool.h>
#include <tp/tool.h>

static const char *wanted;
static int as_part;
static struct tp_ranks ranks;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "rank", 'r', "N",
	    "copy the records of rank N (default: the rank the others wait "
	    "for, else the first)", &wanted },
	{ TP_OPT_COUNT, "expect", 0, "N", "exit 3 unless there are N ranks",
	    &ranks.expected },
	{ TP_OPT_FLAG, "part", 0, NULL,
	    "write a partial result, smaller than the input, which tp-ranks "
	    "can read in its place", &as_part },
	{ TP_OPT_COUNT, "node-ranks", 0, "N",
	    "each node has N consecutive ranks (default: as many as the GPUs "
	    "that the traces list)", &ranks.node_ranks },
	{ 0 }
};

static const char *const examples[] = {
	"tp-trace --ranks rank*.json.gz | tp-ranks | tp-render ranks",
	"tp-ranks rank0.jsonl rank1.jsonl | jq 'select(.kind==\"ranks.rank\")'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-ranks",
	.does = "skew, straggler and imbalance of the ranks of one job",
	.operands = "[FILE...]",
	.reads = "records of tp-trace --ranks, of each rank, and partials",
	.writes = "ranks.summary ranks.rank ranks.node ranks.step "
	    "ranks.collective ranks.alike ranks.source ranks.part "
	    "ranks.part.what ranks.part.rank ranks.part.step ranks.part.group "
	    "ranks.part.member ranks.part.row ranks.part.instance, "
	    "and the records of one rank",
	.group = "trace events",
	.step = "comparing ranks",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_SPOOLS,
	.options = options,
};

/* Lines of each rank, by the index that tp_ranks_take() gave. */
static struct tp_spool *kept;
static size_t kept_cap;
/* "source", "note" and "meta" lines of all. */
static struct tp_names meta_lines;

static void
keep_rank_line(struct tp_run *run, struct tp_spool *spool)
{
	for (size_t at = 0; at <= run->line_len;) {
		size_t n = run->line_len + 1 - at;
		unsigned char *p;

		n = n < 64 ? n : 64;
		p = tp_spool_room(spool, n);
		memcpy(p, run->line + at, n - (at + n > run->line_len));
		spool->used += n;
		at += n;
		if (at > run->line_len)
			p[n - 1] = '\n';
	}
}

static void
take_rank_record(struct tp_run *run)
{
	const char *kind = run->rec.kind;
	ptrdiff_t rank;
	int64_t status;

	if (tp_ranks_take(&ranks, &run->rec, &rank, &run->err) < 0) {
		run->err.line = run->line_number;
		tp_die_err(run);
	}
	/* what was wrong with a rank is wrong with all of them */
	if (!strcmp(kind, "note") && tp_rec_int(&run->rec, "status", &status) &&
	    status == TP_BAD)
		tp_status_at_least(run, TP_BAD);
	if (!strcmp(kind, "source") || !strcmp(kind, "note") ||
	    !strcmp(kind, "meta")) {
		tp_names_add(&meta_lines, run->line, run->line_len);
		return;
	}
	if (rank < 0 || as_part || !strcmp(kind, "trace.clock") ||
	    !strcmp(kind, "collective.run"))
		return;
	TP_ITEM(kept, kept_cap, rank);
	keep_rank_line(run, &kept[rank]);
}

/* Index of the rank whose records are passed on; -1: there is none. */
static ptrdiff_t
choose(struct tp_run *run)
{
	char *end;
	long long n;

	if (!wanted)
		return ranks.straggler >= 0 || !ranks.count ?
		    ranks.straggler : 0;
	n = strtoll(wanted, &end, 10);
	for (size_t i = 0; *wanted && !*end && i < ranks.count; i++)
		if (ranks.ranks[i].number == n)
			return (ptrdiff_t)i;
	tp_die(run, TP_USAGE, "there is no rank '%s'", wanted);
}

static void
check(struct tp_run *run)
{
	for (size_t i = 0; i < ranks.count; i++)
		if (ranks.ranks[i].trace_count > 1)
			tp_die(run, TP_BAD, "there are %u traces of rank %lld: "
			    "name those of one run",
			    ranks.ranks[i].trace_count,
			    (long long)ranks.ranks[i].number);
	if (!ranks.count && ranks.empty_count && !as_part)
		tp_die(run, TP_BAD, "no trace that says its rank has an event");
	if (!ranks.count && ranks.unknown_count && !as_part)
		tp_die(run, TP_BAD, "no trace says its rank: name only one "
		    "trace");
	if (!ranks.expected || (int64_t)ranks.count == ranks.expected)
		return;
	tp_warn(run, ranks.count == 1 ? "--expect %lld: there is %zu rank" :
	    "--expect %lld: there are %zu ranks", (long long)ranks.expected,
	    ranks.count);
	tp_status_at_least(run, TP_BAD);
}

static void
pass_on(struct tp_run *run, const struct tp_spool *spool)
{
	struct tp_spool_reader reader;

	tp_spool_read(&reader, spool);
	while (tp_spool_more(&reader))
		tp_out_raw(&run->out, (const char *)reader.p,
		    (size_t)(reader.end - reader.p));
	tp_spool_close(&reader);
}

/*
 * "ranks.source" of the COUNT lines at NAMES that are "source" records: as many
 * and as large as files are, and a digest of theirs, that of what
 * "sha256sum FILES" prints.
 */
static void
tell_sources(struct tp_run *run, const struct tp_name **names, size_t count)
{
	struct tp_arena arena = { 0 };
	struct tp_buf first = { 0 }, last = { 0 }, list = { 0 };
	int64_t files = 0, rows = 0, bytes = 0, sums = 0, sized = 0, n;
	struct tp_rec rec;
	const char *file, *sum;
	char hex[65];

	for (size_t i = 0; i < count; i++) {
		if (tp_rec_parse(&rec, names[i]->text, names[i]->len, &arena,
		    &run->err) < 0 || strcmp(rec.kind, "source") ||
		    !(file = tp_rec_text(&rec, "file")))
			continue;
		if (!files++)
			tp_buf_str(&first, file);
		tp_buf_clear(&last);
		tp_buf_str(&last, file);
		rows += tp_rec_int(&rec, "rows", &n) ? n : 0;
		if (tp_rec_int(&rec, "bytes", &n)) {
			bytes += n;
			sized++;
		}
		sum = tp_rec_text(&rec, "sha256");
		sums += sum != NULL;
		tp_buf_fmt(&list, "%s  %s\n", sum ? sum : "", file);
	}
	tp_arena_release(&arena);
	if (files) {
		tp_out_begin(&run->out, "ranks.source");
		tp_out_int(&run->out, "source_count", files);
		tp_out_text(&run->out, "first_file", first.p);
		tp_out_text(&run->out, "last_file", last.p);
		tp_out_int(&run->out, "rows", rows);
		if (sized == files)
			tp_out_int(&run->out, "bytes", bytes);
		if (sums == files) {
			if (tp_os_sha256_of(list.p, list.len, hex) < 0)
				tp_die(run, TP_IO, "cannot make a SHA-256");
			tp_out_text(&run->out, "list_sha256", hex);
		}
		tp_out_end(&run->out);
	}
	tp_buf_release(&first);
	tp_buf_release(&last);
	tp_buf_release(&list);
}

/* What all said of themselves, to TEXT.  Sorted: the order of files says
 * nothing. */
static void
append_meta_lines(struct tp_run *run, struct tp_buf *text)
{
	const struct tp_name **names = tp_names_sorted(&meta_lines);

	if (!as_part)
		tell_sources(run, names, meta_lines.count);
	for (size_t i = 0; i < meta_lines.count; i++) {
		tp_buf_add(text, names[i]->text, names[i]->len);
		tp_buf_chr(text, '\n');
	}
	tp_free(names);
}

static void
emit_ranks(struct tp_run *run, const uint32_t *order)
{
	struct tp_buf text = { 0 };

	/* a shard may know of no rank */
	run->out.src = ranks.count ?
	    ranks.texts.names[ranks.ranks[0].src].text : NULL;
	if (!as_part)
		tp_ranks_emit(&ranks, &run->out);
	for (size_t i = 0; !as_part && i < ranks.count && i < kept_cap; i++)
		if (order[i] == (uint32_t)ranks.detail)
			pass_on(run, &kept[i]);
	append_meta_lines(run, &text);
	if (as_part && tp_ranks_emit_part(&ranks, &text, &run->out,
	    &run->err) < 0)
		tp_die_err(run);
	tp_out_raw(&run->out, text.p ? text.p : "", text.len);
	tp_buf_release(&text);
}

int
main(int argc, char *argv[])
{
	static uint32_t *order;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	while (tp_next_record(&run))
		take_rank_record(&run);
	run.file = NULL;
	tp_ranks_match(&ranks, as_part, &order);
	check(&run);
	ranks.detail = choose(&run);
	if (ranks.count || as_part)
		emit_ranks(&run, order);
	return tp_end(&run);
}
