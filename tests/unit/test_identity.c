/* Which traces were recorded together, and what captures are called. */
#include <stdio.h>
#include <string.h>

#include <tp/read/identity.h>

static int failed;

static void
ok(int is, const char *what)
{
	printf("%s %s\n", is ? "ok" : "not ok", what);
	failed |= !is;
}

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)
#define START (1768473000 * SECOND)

/* Whether the COUNT traces at LIST group into captures numbered as WANT says,
 * a digit for each, '-' for a stray. */
static void
group(struct tp_identity *list, size_t count, const char *want,
    const char *what)
{
	struct tp_identity *order[16] = { NULL };
	char got[17] = "";

	for (size_t i = 0; i < count; i++)
		order[i] = &list[i];
	tp_identity_group(order, count);
	for (size_t i = 0; i < count; i++)
		got[i] = list[i].capture == TP_STRAY ? '-' :
		    (char)('0' + list[i].capture);
	ok(!strcmp(got, want), what);
	if (strcmp(got, want))
		printf("# got %s, wanted %s\n", got, want);
}

#define HOST(PATH, HASH, FROM, UNTIL) { .path = PATH, .device = "GPU", \
    .host = (HASH), .at_ns = START + (FROM), .until_ns = START + (UNTIL), \
    .rank = -1, .rank_count = -1 }
#define RANK(PATH, N, OF, AT) { .profiler = TP_PROFILER_TORCH, .path = PATH, \
    .device = "A100", .rank = (N), .rank_count = (OF), \
    .at_ns = (AT) < 0 ? 0 : START + (AT) }

int
main(void)
{
	struct tp_identity hosts[] = {
		HOST("b", 2, 0, SECOND), HOST("a", 1, 0, SECOND),
		HOST("a2", 1, 5 * SECOND, 6 * SECOND),
		HOST("c", 3, 29 * SECOND, 30 * SECOND),
		HOST("d", 4, 36 * SECOND, 37 * SECOND) };
	struct tp_identity processes[] = {
		HOST("a", 1, 0, SECOND), HOST("b", 1, SECOND / 2, SECOND) };
	struct tp_identity chips[] = {
		HOST("a", 1, 0, SECOND), HOST("b", 2, 0, SECOND),
		HOST("c", 3, 0, SECOND) };
	struct tp_identity folders[] = {
		RANK("x/rank0", 0, 2, -1), RANK("x/rank1", 1, 2, -1),
		RANK("y/rank0", 0, 2, -1), RANK("y/rank1", 1, 2, -1) };
	struct tp_identity flat[] = {
		RANK("r0a", 0, 2, -1), RANK("r0b", 0, 2, -1),
		RANK("r1a", 1, 2, -1) };
	struct tp_identity lone[] = {
		RANK("no", -1, -1, -1), RANK("rank0", 0, 2, 0),
		RANK("rank1", 1, 2, 1) };
	struct tp_identity late[] = {
		RANK("a-rank0", 0, 2, 0), RANK("b-rank1", 1, 2, 31 * SECOND) };
	struct tp_identity days[] = {
		RANK("x1-r0", 0, 3, 0), RANK("x1-r1", 1, 3, SECOND),
		RANK("x1-r2", 2, 3, 5 * DAY), RANK("x2-r0", 0, 3, 5 * DAY) };
	struct tp_identity mute[] = {
		{ .path = "x/rank1", .profiler = TP_PROFILER_OTHER, .rank = 1,
		.rank_count = -1, .is_mute = 1 }, { .path = "y/m", .profiler =
		TP_PROFILER_OTHER, .rank = -1, .rank_count = -1, .is_mute = 1 },
		RANK("x/a", 0, 2, 0), RANK("x/b", 1, 2, 0),
		RANK("y/a", 0, 2, DAY), RANK("y/b", 0, 2, 2 * DAY) };
	struct tp_identity stray[] = {
		RANK("rank0", 0, 3, 0), RANK("rank1", 1, 3, 0), { .path = "s",
		.rank = -1, .rank_count = -1 }, RANK("rank2", 2, 3, 0) };

	group(hosts, 5, "00112", "hosts of one capture began within half a "
	    "minute; one host does not record twice in it");
	group(processes, 2, "00", "two processes of a host at once");
	strcpy(chips[1].device, "TPU");
	*chips[2].device = '\0';
	group(chips, 3, "012", "another chip is another capture; without one "
	    "it may be of either and is of none");
	group(folders, 4, "0011", "ranks without times go by folder");
	group(flat, 3, "012", "a rank that may be of two captures is of none");
	group(lone, 3, "000", "a trace without a rank beside those of a job");
	group(late, 2, "01", "a rank that began after half a minute");
	group(days, 4, "0001", "each rank of a job once, by its names, is one "
	    "whatever the clocks say; another day's is not");
	group(days, 2, "00", "two of three ranks within half a minute");
	group(days + 1, 2, "01", "and days apart");
	group(mute, 4, "0000", "what says nothing is of the only capture");
	group(mute, 6, "0-0012", "or of the only one in its folder");
	group(mute, 2, "00", "if none says anything they are together");
	group(stray, 4, "00-0", "one of another program among three");
	group(stray, 3, "001", "one of another program among two is no stray");
	ok(tp_identity_rank("a/rank3/rank_12.json") == 12 &&
	    tp_identity_rank("franks.json") == -1, "the last rank in a name");
	return failed;
}
