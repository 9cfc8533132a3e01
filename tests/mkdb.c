/*
 * mkdb - databases as Nsight Systems and rocprofv3 export them
 *
 *	mkdb nsys|rocpd OUT [--seed N] [--kernels N] [--old] [--plain]
 *	    [--page BYTES] [--damage KIND]
 *
 * Two processes, each with a GPU that it calls 0; launches, a graph, copies
 * of every direction and kind of memory, memory sets, synchronisation, ranges
 * in ranges, calls of the operating system, scheduling, samples, what the
 * profiler warns of.  --plain leaves out the operators of
 * PyTorch, as a program that is none has them; --old makes an export of 2020,
 * without the tables and columns that came since.  Some rows are damaged, or
 * the file: KIND is one of those below.
 *
 * The writer knows nothing of the reader: it is what that is tested with.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sqlite3 *db;
static uint64_t state = 1;
static int old, plain;
static const char *damage = "";

static void
die(const char *what)
{
	fprintf(stderr, "mkdb: %s\n", what);
	exit(1);
}

static uint64_t
draw(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) +
	    UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static int
is(const char *kind)
{
	return !strcmp(damage, kind);
}

static void
run(const char *fmt, ...)
{
	va_list ap;
	char *sql;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (!sql || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		fprintf(stderr, "%s\n", sql);
		die(sqlite3_errmsg(db));
	}
	sqlite3_free(sql);
}

/* --- Nsight Systems */

#define PID(i) (1000 + (i))
#define GLOBAL(i) (INT64_C(1) << 48 | (int64_t)PID(i) << 24)
#define TID(i) (GLOBAL(i) | PID(i))

static const char *const kernels[] = {
	"void gemm_kernel<float, (int)128>(float const*, float*)",
	"void at::native::vectorized_elementwise_kernel<(int)4>(int, T2, T3)",
	"softmax_warp_forward",
	"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)",
	"void reduce_kernel<(int)512, (int)1>(T3)",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };
/* ids of texts: kernels from 1, then these */
enum { LAUNCH = 20, COPY, SET, SYNC, GRAPH, OVERHEAD, THREAD, RANGE, POLL,
    READ, LEAF };

static void
nsys_tables(void)
{
	const char *more = old ? "" : ", graphNodeId INTEGER";

	run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, "
	    "value TEXT NOT NULL);"
	    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
	    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
	    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, "
	    "name TEXT);"
	    "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "
	    "[end] INTEGER, deviceId INTEGER, contextId INTEGER, "
	    "streamId INTEGER, correlationId INTEGER, globalPid INTEGER%s%s);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "
	    "[end] INTEGER, deviceId INTEGER, streamId INTEGER, "
	    "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, "
	    "copyKind INTEGER, srcKind INTEGER, dstKind INTEGER%s);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, "
	    "[end] INTEGER, deviceId INTEGER, streamId INTEGER, "
	    "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, "
	    "memKind INTEGER%s);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, "
	    "[end] INTEGER, deviceId INTEGER, streamId INTEGER, "
	    "correlationId INTEGER, globalPid INTEGER, syncType INTEGER);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "
	    "[end] INTEGER, globalTid INTEGER, correlationId INTEGER, "
	    "nameId INTEGER, returnValue INTEGER);"
	    "CREATE TABLE NVTX_EVENTS (start INTEGER, [end] INTEGER, "
	    "eventType INTEGER, text TEXT, textId INTEGER, "
	    "globalTid INTEGER);"
	    "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, "
	    "severity INTEGER, text TEXT);"
	    "CREATE TABLE OSRT_API (start INTEGER, [end] INTEGER, "
	    "eventClass INTEGER, globalTid INTEGER, nameId INTEGER);"
	    "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, "
	    "isSchedIn INTEGER, globalTid INTEGER);"
	    "CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, "
	    "start INTEGER, globalTid INTEGER);"
	    "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, "
	    "stackDepth INTEGER, PRIMARY KEY (id, stackDepth))",
	    is("no-name-column") ? "" :
	    ", demangledName INTEGER, shortName INTEGER", more, more, more);
	if (old)
		return;
	run("ALTER TABLE TARGET_INFO_SESSION_START_TIME ADD systemClockNs "
	    "INTEGER;"
	    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, "
	    "totalMemory INTEGER, computeMajor INTEGER, computeMinor INTEGER, "
	    "smCount INTEGER);"
	    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, "
	    "cudaId INTEGER, pid INTEGER);"
	    "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start INTEGER, "
	    "[end] INTEGER, globalTid INTEGER, nameId INTEGER)");
}

static void
nsys_facts(void)
{
	static const char *const texts[] = { "cudaLaunchKernel_v7000",
	    "cudaMemcpyAsync_v3020", "cudaMemsetAsync_v3020",
	    "cudaStreamSynchronize_v3020", "cudaGraphLaunch_v10000",
	    "Command Buffer Full", "main loop", "epoch", "poll", "read",
	    "spin" };

	for (int i = 0; i < KERNELS; i++)
		run("INSERT INTO StringIds VALUES (%d, %Q)", i + 1,
		    kernels[i]);
	for (int i = LAUNCH; i <= LEAF; i++)
		run("INSERT INTO StringIds VALUES (%d, %Q)", i,
		    texts[i - LAUNCH]);
	run("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', "
	    "'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2026.1')");
	run("INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 'Profiling has "
	    "started.'), (2, 2, 'Not all CUDA events might have been "
	    "collected.'), (3, 3, '4096 events were dropped.'), (4, 1, 'CUPTI "
	    "buffers: 49 of 50. Some CUPTI events might be missing.')");
	for (int i = 0; i < 2; i++) {
		run("INSERT INTO PROCESSES VALUES (%lld, %d, 'train %d')",
		    (long long)GLOBAL(i), PID(i), i);
		run("INSERT INTO ThreadNames VALUES (%d, %lld)", THREAD,
		    (long long)TID(i));
		if (old)
			continue;
		run("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (%d, 0, %d)",
		    i, PID(i));
		run("INSERT INTO TARGET_INFO_GPU VALUES (%d, 'NVIDIA H100 "
		    "80GB HBM3', 85899345920, 9, 0, 132)", i);
	}
	run("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES "
	    "(1768473000000000000%s)", old ? "" : ", 1000000000");
}

/* A row of one of the tables whose work has a stream: the columns that all
 * have, then MORE. */
static void
nsys_work(const char *table, int process, int64_t from, int64_t to,
    int stream, int64_t correlation, const char *columns, const char *values)
{
	run("INSERT INTO CUPTI_ACTIVITY_KIND_%s (start, [end], deviceId, "
	    "streamId, correlationId, globalPid%s) VALUES (%lld, %lld, 0, %d, "
	    "%lld, %lld%s)", table, columns, (long long)from, (long long)to,
	    stream, (long long)correlation, (long long)GLOBAL(process),
	    values);
}

static void
nsys_call(int process, int64_t from, int64_t to, int64_t correlation,
    int name)
{
	run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%lld, %lld, "
	    "%lld, %lld, %d, 0)", (long long)from, (long long)to,
	    (long long)TID(process), (long long)correlation, name);
}

static void
nsys_range(int process, int64_t from, int64_t to, const char *text)
{
	run("INSERT INTO NVTX_EVENTS VALUES (%lld, %lld, 59, %Q, %s, %lld)",
	    (long long)from, (long long)to, text, text ? "NULL" : "27",
	    (long long)TID(process));
}

/* What the host of PROCESS did in STEP, from AT on. */
static void
nsys_host(int process, int step, int64_t at)
{
	long long tid = TID(process), from = at;

	for (int i = 0; i < 3; i++) {
		from += 1000 + (int64_t)draw(5000);
		run("INSERT INTO OSRT_API VALUES (%lld, %lld, 27, %lld, %d)",
		    from, from + 200 + (int64_t)draw(900), tid,
		    i ? READ : POLL);
	}
	run("INSERT INTO OSRT_API VALUES (%lld, %lld, 31, %lld, %d)", from,
	    from, tid, LEAF);
	/* a thread that runs at the start, and one that runs at the end */
	run("INSERT INTO SCHED_EVENTS VALUES (%lld, 0, %d, %lld), "
	    "(%lld, 0, %d, %lld)", (long long)at, process, tid,
	    (long long)at + 4000 + (int64_t)draw(3000), !process, tid);
	run("INSERT INTO COMPOSITE_EVENTS (start, globalTid) VALUES (%lld, "
	    "%lld)", (long long)at + 100, tid);
	if (step % 4)
		run("INSERT INTO SAMPLING_CALLCHAINS VALUES "
		    "(last_insert_rowid(), %d, 0), (last_insert_rowid(), %d, "
		    "1)", step % 4 == 1 ? LEAF : THREAD, THREAD);
}

/* One step of PROCESS from AT on: when it ends. */
static int64_t
nsys_step(int process, int step, int64_t at, int64_t *correlation)
{
	static const struct { int kind, from, to; } copies[] = { { 1, 0, 2 },
	    { 1, 1, 2 }, { 2, 2, 1 }, { 2, 2, 0 }, { 8, 2, 2 } };
	char values[160], text[120];
	int64_t host = at, gpu = at + 20000, end;

	for (int i = 0; i < 6; i++) {
		int which = (int)draw(KERNELS);
		int64_t took = 3000 + (int64_t)draw(20000);

		snprintf(values, sizeof values, ", %d, %d", which + 1,
		    which + 1);
		nsys_call(process, host, host + 4000, ++*correlation, LAUNCH);
		nsys_work("KERNEL", process, gpu, gpu + took, which == 3 ?
		    20 : 7, *correlation, is("no-name-column") ? "" :
		    ", demangledName, shortName", is("no-name-column") ? "" :
		    values);
		if (!plain) {
			snprintf(text, sizeof text, "aten::mm, seq = %d, op_id "
			    "= %d, sizes = [[64, %d], [%d, 8]]", step * 6 + i,
			    100 + i, 16 << i, 16 << i);
			nsys_range(process, host - 500, host + 4500, text);
		}
		host += 6000;
		gpu += took + (int64_t)draw(3000);
	}
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		int64_t took = 2000 + (int64_t)draw(9000);

		snprintf(values, sizeof values, ", %d, %d, %d, %d",
		    4096 + (int)draw(1 << 20), copies[i].kind, copies[i].from,
		    copies[i].to);
		nsys_call(process, host, host + 2000, ++*correlation, COPY);
		nsys_work("MEMCPY", process, gpu, gpu + took, 7,
		    *correlation, ", bytes, copyKind, srcKind, dstKind",
		    values);
		host += 2500;
		gpu += took + 500;
	}
	nsys_call(process, host, host + 1000, ++*correlation, SET);
	nsys_work("MEMSET", process, gpu, gpu + 1500, 7, *correlation,
	    ", bytes, memKind", ", 65536, 2");
	gpu += 2000;
	if (!old) {
		nsys_call(process, host + 1500, host + 4000, ++*correlation,
		    GRAPH);
		for (int i = 0; i < 3; i++) {
			snprintf(values, sizeof values, ", %d, %d, %d", i + 1,
			    i + 1, 500 + i);
			nsys_work("KERNEL", process, gpu, gpu + 4000, 7,
			    *correlation, is("no-name-column") ?
			    ", graphNodeId" :
			    ", demangledName, shortName, graphNodeId",
			    is("no-name-column") ? ", 500" : values);
			gpu += 4100;
		}
	}
	end = gpu + 3000;
	nsys_call(process, host + 5000, end, ++*correlation, SYNC);
	nsys_work("SYNCHRONIZATION", process, host + 5500, end - 100, 7,
	    *correlation, ", syncType", ", 3");
	snprintf(text, sizeof text, "step %d", step);
	nsys_range(process, at - 2000, end + 1000, text);
	nsys_host(process, step, at);
	return end + 5000;
}

#define GUID "0badcafe"

static const struct {
	const char *kind, *sql;
} damages[] = {
	/* one more row, before all others: long ago, or in a hundred years */
	{ "first-long-ago", "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (rowid, "
	    "start, [end], globalTid, correlationId, nameId) SELECT -1, "
	    "-3155760000000000009, -3155760000000000000, globalTid, 999999, "
	    "nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1" },
	{ "first-far", "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (rowid, "
	    "start, [end], globalTid, correlationId, nameId) SELECT -1, "
	    "3155760000000000000, 3155760000000000009, globalTid, 999999, "
	    "nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1" },
	{ "text-start", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'lots' "
	    "WHERE rowid = 3" },
	{ "real-end", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET [end] = 1.5e9 + "
	    "0.25 WHERE rowid IN (3, 5)" },
	/* no copies but migrations; the recording is longer than its rows */
	{ "unified", "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN "
	    "migrationCause INTEGER; CREATE TABLE ANALYSIS_DETAILS (globalVid "
	    "INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER); "
	    "INSERT INTO ANALYSIS_DETAILS VALUES (1, 5000000000, 7, "
	    "5000000007); DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId "
	    "= 21; UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = CASE "
	    "copyKind WHEN 1 THEN 11 WHEN 2 THEN 12 ELSE 13 END, srcKind = 7, "
	    "dstKind = 7, streamId = 0, correlationId = 0, migrationCause = "
	    "1 + rowid % 5" },
	{ "modules", "ALTER TABLE SAMPLING_CALLCHAINS ADD COLUMN module "
	    "INTEGER; INSERT INTO StringIds VALUES "
	    "(900, '/opt/a b/libx.so.1'), (901, '[kernel.kallsyms]'), "
	    "(902, '0xffffffff8775c7cb'), (903, "
	    "'0xffffffff8775c7cc'); UPDATE SAMPLING_CALLCHAINS SET module = "
	    "900; UPDATE SAMPLING_CALLCHAINS SET module = 901, symbol = 902 + "
	    "id % 2 WHERE id % 3 = 0; UPDATE SAMPLING_CALLCHAINS SET module = "
	    "NULL WHERE id = 4" },
	{ "null-end", "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET [end] = NULL "
	    "WHERE rowid = 2" },
	{ "negative", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET [end] = start - "
	    "5 WHERE rowid = 4" },
	{ "far", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET [end] = "
	    "9223372036854775807, start = 9223372036854775806 "
	    "WHERE rowid = 2" },
	{ "no-name", "DELETE FROM StringIds WHERE id = 2" },
	{ "no-names", "DELETE FROM StringIds" },
	{ "null-names", "CREATE TABLE s AS SELECT id, NULL AS value FROM "
	    "StringIds; DROP TABLE StringIds; ALTER TABLE s RENAME TO "
	    "StringIds; UPDATE NVTX_EVENTS SET text = NULL, textId = NULL" },
	{ "null-strings", "UPDATE rocpd_string_" GUID " SET string = NULL" },
	{ "blob", "UPDATE StringIds SET value = x'00ff41c3' WHERE id = 2" },
	{ "recursive", "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET RENAME TO m; "
	    "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS WITH RECURSIVE r(n) AS "
	    "(SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS start, "
	    "n + 1 AS [end], 0 AS deviceId, 7 AS streamId, 1 AS "
	    "correlationId, 0 AS globalPid, 1 AS bytes, 2 AS memKind FROM r" },
	{ "endless", "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET RENAME TO m; "
	    "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT a.* FROM m a, "
	    "StringIds b, StringIds c, StringIds d, StringIds e, StringIds f, "
	    "StringIds g, StringIds h WHERE a.bytes + b.id + c.id + d.id + "
	    "e.id + f.id + g.id + h.id < 0" },
	{ "sorted", "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET RENAME TO m; "
	    "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT a.* FROM m a, "
	    "StringIds b, StringIds c, StringIds d, StringIds e, StringIds f, "
	    "StringIds g ORDER BY b.value, c.value" },
	{ "many-rows", "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET RENAME TO m; "
	    "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT a.* FROM m a, "
	    "StringIds b, StringIds c, StringIds d, StringIds e, StringIds f" },
	{ "no-table", "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL" },
	{ "no-time-column", "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY RENAME "
	    "COLUMN start TO begin" },
	{ "open-range", "INSERT INTO NVTX_EVENTS VALUES (1000000000, NULL, "
	    "59, 'never ends', NULL, 281491889390568)" },
	{ "unused", "CREATE TABLE GPU_METRICS (a); INSERT INTO GPU_METRICS "
	    "VALUES (1), (2)" },
	{ "views", "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO a; "
	    "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM a; "
	    "ALTER TABLE NVTX_EVENTS RENAME TO b; CREATE VIEW NVTX_EVENTS AS "
	    "SELECT * FROM b; ALTER TABLE StringIds RENAME TO c; CREATE VIEW "
	    "StringIds AS SELECT * FROM c; ALTER TABLE OSRT_API RENAME TO d; "
	    "CREATE VIEW OSRT_API AS SELECT * FROM d" },
	{ "triggers", "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN "
	    "DELETE FROM StringIds; END" },
	{ "meta-of-2022", "ALTER TABLE META_DATA_EXPORT RENAME TO "
	    "EXPORT_META_DATA" },
	{ "no-meta", "DROP TABLE META_DATA_EXPORT" },
	{ "texts", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = "
	    "(SELECT value FROM StringIds WHERE id = demangledName); "
	    "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = (SELECT value "
	    "FROM StringIds WHERE id = nameId); UPDATE OSRT_API SET nameId = "
	    "(SELECT value FROM StringIds WHERE id = nameId); UPDATE "
	    "NVTX_EVENTS SET text = coalesce(text, (SELECT value FROM "
	    "StringIds WHERE id = textId)); UPDATE ThreadNames SET nameId = "
	    "(SELECT value FROM StringIds WHERE id = nameId); UPDATE "
	    "SAMPLING_CALLCHAINS SET symbol = (SELECT value FROM StringIds "
	    "WHERE id = symbol); DROP TABLE StringIds; ALTER TABLE "
	    "NVTX_EVENTS DROP COLUMN textId; ALTER TABLE "
	    "CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN shortName" },
	{ "no-pid", "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid "
	    ">> 24 & 16777215 > 1000; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY "
	    "WHERE globalPid >> 24 & 16777215 > 1000; DELETE FROM "
	    "CUPTI_ACTIVITY_KIND_MEMSET WHERE globalPid >> 24 & 16777215 > "
	    "1000; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN "
	    "globalPid; ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN "
	    "globalPid; ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET DROP COLUMN "
	    "globalPid; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE "
	    "globalTid >> 24 & 16777215 > 1000" },
	{ "bare", "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN "
	    "globalPid; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN "
	    "deviceId; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN "
	    "streamId; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN "
	    "correlationId; ALTER TABLE NVTX_EVENTS DROP COLUMN eventType; "
	    "ALTER TABLE NVTX_EVENTS DROP COLUMN globalTid; ALTER TABLE "
	    "OSRT_API DROP COLUMN eventClass; ALTER TABLE OSRT_API DROP "
	    "COLUMN globalTid; DROP TABLE SAMPLING_CALLCHAINS" },
	{ "host-only", "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE "
	    "CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE "
	    "CUPTI_ACTIVITY_KIND_MEMSET; DROP TABLE "
	    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; DROP TABLE "
	    "CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE IF EXISTS "
	    "CUPTI_ACTIVITY_KIND_OVERHEAD; DROP TABLE META_DATA_EXPORT" },
	{ "bad-host", "UPDATE OSRT_API SET [end] = start - 1 WHERE rowid = 1; "
	    "UPDATE OSRT_API SET start = 'lots' WHERE rowid = 2; UPDATE "
	    "SCHED_EVENTS SET start = x'00' WHERE rowid = 3; UPDATE "
	    "COMPOSITE_EVENTS SET start = NULL WHERE id = 2; UPDATE OSRT_API "
	    "SET globalTid = 'main' WHERE rowid = 3; UPDATE OSRT_API SET "
	    "nameId = NULL WHERE rowid = 5" },
	{ "no-host-column", "ALTER TABLE OSRT_API RENAME COLUMN start TO "
	    "begin" },
};

static void
nsys(int64_t count)
{
	int64_t at[2] = { 1000000000, 1000003000 }, correlation[2] = { 0, 0 };

	nsys_tables();
	nsys_facts();
	for (int64_t step = 0; step * 12 < count; step++)
		for (int i = 0; i < 2; i++)
			at[i] = nsys_step(i, (int)step, at[i],
			    &correlation[i]);
	/* a range that began in one step and ends in the next, and a mark */
	run("INSERT INTO NVTX_EVENTS VALUES (1000050000, 1000400000, 60, "
	    "NULL, %d, %lld), (1000060000, NULL, 34, 'mark', NULL, %lld)",
	    RANGE, (long long)TID(0), (long long)TID(0));
	if (!old)
		run("INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES "
		    "(1000010000, 1000020000, %lld, %d)", (long long)TID(0),
		    OVERHEAD);
}

/* --- rocprofv3 */

static const char *const rocpd_names[] = { "string", "event", "metadata",
    "info_process", "info_thread", "info_agent", "info_kernel_symbol",
    "region", "kernel_dispatch", "memory_copy" };
enum { HIP = 1, MARKER, DISPATCH, COPYING, LAUNCHED, COPIED, WAITED, TO, FROM,
    PUSHED, API };

static void
rocpd_tables(void)
{
	static const char *const columns[] = {
	    "string TEXT", "category_id INTEGER, stack_id INTEGER, "
	    "extdata TEXT", "tag TEXT, value TEXT", "pid INTEGER, "
	    "command TEXT", "tid INTEGER, name TEXT", "type TEXT, "
	    "type_index INTEGER, absolute_index INTEGER, name TEXT, "
	    "product_name TEXT, extdata TEXT", "kernel_name TEXT, "
	    "display_name TEXT", "pid INTEGER, tid INTEGER, start BIGINT, "
	    "[end] BIGINT, name_id INTEGER, event_id INTEGER",
	    "pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, "
	    "queue_id INTEGER, stream_id INTEGER, start BIGINT, [end] BIGINT, "
	    "event_id INTEGER", "pid INTEGER, tid INTEGER, start BIGINT, "
	    "[end] BIGINT, name_id INTEGER, dst_agent_id INTEGER, "
	    "src_agent_id INTEGER, size INTEGER, queue_id INTEGER, "
	    "stream_id INTEGER, event_id INTEGER" };

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		run("CREATE TABLE rocpd_%s_" GUID " (id INTEGER PRIMARY KEY, "
		    "guid TEXT DEFAULT '" GUID "', %s)", rocpd_names[i],
		    columns[i]);
		run("CREATE VIEW rocpd_%s AS SELECT * FROM rocpd_%s_" GUID,
		    rocpd_names[i], rocpd_names[i]);
	}
}

static void
rocpd_facts(void)
{
	static const char *const texts[] = { "HIP_RUNTIME_API_EXT",
	    "MARKER_CORE_RANGE_API", "KERNEL_DISPATCH", "MEMORY_COPY",
	    "hipLaunchKernel", "hipMemcpyAsync", "hipStreamSynchronize",
	    "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST",
	    "roctxRangePushA", "HSA_CORE_API" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		run("INSERT INTO rocpd_string_" GUID " (id, string) "
		    "VALUES (%d, %Q)", (int)i + 1, texts[i]);
	run("INSERT INTO rocpd_metadata_" GUID " (tag, value) "
	    "VALUES ('schema_version', '3')");
	run("INSERT INTO rocpd_info_process_" GUID " (id, pid, command) "
	    "VALUES (1, 4321, './stencil')");
	run("INSERT INTO rocpd_info_thread_" GUID " (id, tid) "
	    "VALUES (1, 4321)");
	run("INSERT INTO rocpd_info_agent_" GUID " (id, type, type_index, "
	    "absolute_index, name, product_name, extdata) VALUES "
	    "(0, 'CPU', 0, 0, 'x', 'x', '{}'), "
	    "(1, 'GPU', 0, 1, 'gfx942', 'AMD Instinct MI300X', "
	    "'{\"cu_count\":304}'), "
	    "(2, 'GPU', 1, 2, 'gfx942', 'AMD Instinct MI300X', "
	    "'{\"cu_count\":304}')");
	for (int i = 0; i < 3; i++)
		run("INSERT INTO rocpd_info_kernel_symbol_" GUID " (id, "
		    "kernel_name, display_name) VALUES (%d, 'k%d.kd', %Q)",
		    i + 1, i, kernels[i]);
}

static int64_t
rocpd_event(int category, int64_t stack, const char *data)
{
	run("INSERT INTO rocpd_event_" GUID " (category_id, stack_id, extdata) "
	    "VALUES (%d, %lld, %Q)", category, (long long)stack, data);
	return sqlite3_last_insert_rowid(db);
}

static void
rocpd_region(int category, int name, int64_t from, int64_t to, int64_t stack,
    const char *data)
{
	run("INSERT INTO rocpd_region_" GUID " (pid, tid, start, [end], "
	    "name_id, event_id) VALUES (1, 1, %lld, %lld, %d, %lld)",
	    (long long)from, (long long)to, name,
	    (long long)rocpd_event(category, stack, data));
}

static void
rocpd(int64_t count)
{
	int64_t host = 900000000000, gpu = host + 10000, begin = host, took;
	int64_t stack = 1;

	rocpd_tables();
	rocpd_facts();
	for (int64_t i = 0; i < count; i++) {
		took = 4000 + (int64_t)draw(20000);
		rocpd_region(HIP, LAUNCHED, host, host + 3000, ++stack, "{}");
		run("INSERT INTO rocpd_kernel_dispatch_" GUID " (pid, tid, "
		    "agent_id, kernel_id, queue_id, stream_id, start, [end], "
		    "event_id) VALUES (1, 1, 1, %d, 16, 0, %lld, %lld, "
		    "%lld)", 1 + (int)draw(3), (long long)gpu,
		    (long long)(gpu + took),
		    (long long)rocpd_event(DISPATCH, stack, "{}"));
		host += 5000;
		gpu += took + 200;
		if (i % 4 != 3)
			continue;
		rocpd_region(HIP, COPIED, host, host + 3000, ++stack, "{}");
		run("INSERT INTO rocpd_memory_copy_" GUID " (pid, tid, start, "
		    "[end], name_id, dst_agent_id, src_agent_id, size, "
		    "queue_id, stream_id, event_id) VALUES (1, 1, %lld, %lld, "
		    "%d, %d, %d, %d, 16, 0, %lld)", (long long)gpu,
		    (long long)(gpu + 2500), i % 8 == 3 ? TO : FROM,
		    i % 8 == 3 ? 1 : 0, i % 8 == 3 ? 0 : 1,
		    1000 + (int)draw(100000),
		    (long long)rocpd_event(COPYING, stack, "{}"));
		gpu += 3000;
		rocpd_region(HIP, WAITED, host + 3500, gpu, ++stack, "{}");
		if (!plain)
			rocpd_region(MARKER, PUSHED, begin - 500, gpu + 500,
			    ++stack, i % 8 == 3 ? "{\"message\":\"sweep\"}" :
			    "not JSON");
		begin = host = gpu + 4000;
		gpu = host + 10000;
	}
}

/* --- the file */

static void
cut(const char *path)
{
	FILE *f = fopen(path, "r+b");
	long len;
	unsigned char page[512];

	if (!f || fseek(f, 0, SEEK_END) || (len = ftell(f)) < 4096)
		die("cannot cut");
	if (is("truncated") && ftruncate(fileno(f), len * 2 / 3))
		die("cannot cut");
	memset(page, 0x5a, sizeof page);
	/* in the middle, a page of rows or of none */
	if (is("page") && (fseek(f, len / 2 / 512 * 512, SEEK_SET) ||
	    fwrite(page, 1, sizeof page, f) != sizeof page))
		die("cannot write");
	fclose(f);
}

int
main(int argc, char *argv[])
{
	int64_t count = 24;
	int page = 4096;
	const char *path = argc > 2 ? argv[2] : NULL;

	for (int i = 3; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--old"))
			old = 1;
		else if (!strcmp(argv[i], "--plain"))
			plain = 1;
		else if (!strcmp(argv[i], "--seed"))
			state = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "--kernels"))
			count = atoll(value);
		else if (!strcmp(argv[i], "--page"))
			page = atoi(value);
		else if (!strcmp(argv[i], "--damage"))
			damage = value;
		i += strcmp(argv[i], "--old") && strcmp(argv[i], "--plain");
	}
	if (!path || (strcmp(argv[1], "nsys") && strcmp(argv[1], "rocpd")))
		die("usage: mkdb nsys|rocpd OUT [OPTION...]");
	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		die("cannot open");
	run("PRAGMA page_size = %d; PRAGMA journal_mode = OFF; "
	    "PRAGMA synchronous = OFF; BEGIN", page);
	if (!strcmp(argv[1], "nsys"))
		nsys(count);
	else
		rocpd(count);
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
		if (is(damages[i].kind))
			run("%s", damages[i].sql);
	run("COMMIT");
	sqlite3_close(db);
	cut(path);
	return 0;
}
