#!/usr/bin/env python3
"""database.py DB RECORDS: hold records to what plain SQL says of a database

Computes from the tables of Nsight Systems, or of rocprofv3, without any file
of share/events: the time of each kernel by its name, how long the GPUs were
busy, copies and their bytes by direction, calls, and launches that are known;
calls of the operating system and of the runtime by name, how long threads were
on a CPU, samples by function, and without GPU work how long ranges took.
Prints what differs; 1 when anything does.
"""
import json
import re
import sqlite3
import statistics
import sys

db = sqlite3.connect(sys.argv[1])
records = [json.loads(line) for line in open(sys.argv[2])]
faults = 0


def same(what, ours, theirs):
    global faults
    if ours != theirs:
        faults += 1
        print(f"{what}: the records say {ours}, the database {theirs}")


def ask(sql):
    try:
        return db.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []


def kind(name):
    return [r for r in records if r["kind"] == name]


def union(spans):
    busy, end = 0, None
    for a, b in sorted(spans):
        if end is None or a > end:
            busy += b - a
            end = b
        elif b > end:
            busy += b - end
            end = b
    return busy


nsys = not ask("SELECT 1 FROM sqlite_master WHERE name = 'rocpd_string'")
if nsys:
    kernels = ask("""SELECT coalesce(s.value, '?'), k.start, k."end",
        k.correlationId, k.globalPid >> 24 FROM CUPTI_ACTIVITY_KIND_KERNEL k
        LEFT JOIN StringIds s ON s.id = k.demangledName""")
    copies = ask("""SELECT copyKind, start, "end", correlationId,
        globalPid >> 24, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY""")
    sets = ask("""SELECT 0, start, "end", correlationId, globalPid >> 24
        FROM CUPTI_ACTIVITY_KIND_MEMSET""")
    calls = ask("""SELECT correlationId, globalTid >> 24
        FROM CUPTI_ACTIVITY_KIND_RUNTIME""")
    ways = {1: "H2D", 2: "D2H", 8: "D2D", 11: "unified memory HtoD",
            12: "unified memory DtoH", 13: "unified memory DtoD"}
else:
    kernels = ask("""SELECT s.display_name, k.start, k."end", e.stack_id, k.pid
        FROM rocpd_kernel_dispatch k JOIN rocpd_info_kernel_symbol s
        ON s.id = k.kernel_id JOIN rocpd_event e ON e.id = k.event_id""")
    copies = ask("""SELECT s.string, m.start, m."end", e.stack_id, m.pid, m.size
        FROM rocpd_memory_copy m JOIN rocpd_string s ON s.id = m.name_id
        JOIN rocpd_event e ON e.id = m.event_id""")
    sets = []
    calls = ask("""SELECT e.stack_id, r.pid FROM rocpd_region r
        JOIN rocpd_event e ON e.id = r.event_id JOIN rocpd_string s
        ON s.id = e.category_id WHERE s.string NOT LIKE 'MARKER%'""")
    ways = {"MEMORY_COPY_HOST_TO_DEVICE": "H2D",
            "MEMORY_COPY_DEVICE_TO_HOST": "D2H",
            "MEMORY_COPY_DEVICE_TO_DEVICE": "D2D"}

work = kernels + [c[:5] for c in copies] + sets
theirs, ours = {}, {}
for name, a, b, *_ in kernels:
    n, ns = theirs.get(name, (0, 0))
    theirs[name] = n + 1, ns + b - a
for r in kind("launcher.kernel"):
    if r["kernel"].startswith(("Memcpy ", "Memset ", "MEMORY_COPY_")):
        continue
    n, ns = ours.get(r["kernel"], (0, 0))
    ours[r["kernel"]] = n + r["count"], ns + r["duration_sum_ns"]
same("kernels by name", ours, theirs)

quality = kind("trace.quality")[0]
same("pieces of GPU work", quality["gpu_count"], len(work))
same("their time", quality["gpu_duration_sum_ns"],
     sum(w[2] - w[1] for w in work))
known = set(calls)
same("with a launch", quality["linked_count"],
     sum((w[3], w[4]) in known for w in work))
same("migrations", quality.get("migration_count", 0),
     sum(c[0] in (11, 12, 13) for c in copies))
if nsys and ask("SELECT 1 FROM sqlite_master WHERE name = 'ANALYSIS_DETAILS'"):
    same("length", kind("trace.summary")[0].get("recorded_ns"),
         ask("SELECT max(duration) FROM ANALYSIS_DETAILS")[0][0])
same("calls", kind("trace.summary")[0]["runtime_call_count"], len(calls))

for r in kind("timeline.summary"):
    if r["scope"] == "all":
        same("busy", r["busy_ns"], union((w[1], w[2]) for w in work))
        same("span", r["span_ns"],
             max(w[2] for w in work) - min(w[1] for w in work))

theirs = {}
for way, a, b, _, _, size in copies:
    n, ns, total = theirs.get(ways[way], (0, 0, 0))
    theirs[ways[way]] = n + 1, ns + b - a, total + size
ours = {}
for r in kind("memcpy"):
    way = r["direction"].split(",")[0]
    n, ns, total = ours.get(way, (0, 0, 0))
    ours[way] = (n + r["count"], ns + r["duration_sum_ns"],
                 total + r["copied_bytes"])
same("copies", ours, theirs)
if nsys:
    def names(column):
        return (f"coalesce((SELECT value FROM StringIds WHERE id = {column}), "
                f"{column})")

    theirs = {("os", name): (n, ns, most) for name, n, ns, most in ask(
        f"""SELECT {names("nameId")}, count(*), sum("end" - start),
        max("end" - start) FROM OSRT_API WHERE eventClass NOT IN (31, 32)
        GROUP BY 1""")}
    for name, n, ns, most in ask(f"""SELECT {names("nameId")}, count(*),
        sum("end" - start), max("end" - start)
        FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY 1"""):
        name = re.sub("_v[0-9]+$", "", name)
        k = theirs.get(("runtime", name), (0, 0, 0))
        theirs["runtime", name] = k[0] + n, k[1] + ns, max(k[2], most)
    same("calls by name", {(r["layer"], r["call"]): (
        r["count"], r["host_sum_ns"], r["host_max_ns"])
        for r in kind("host.call")}, theirs)

    threads, on, known = {}, {}, {}
    for at, into, tid in ask("""SELECT start, isSchedIn, globalTid
        FROM SCHED_EVENTS ORDER BY start, isSchedIn"""):
        threads.setdefault(tid, []).append((at, into))
    for tid, list_ in threads.items():
        pairs = [(a, b) for (a, i), (b, j) in zip(list_, list_[1:])
                 if i and not j]
        on[tid >> 24 & 0xffffff, tid & 0xffffff] = (
            len(pairs), sum(b - a for a, b in pairs))
    same("time on a CPU", {(r["pid"], r["tid"]): (
        r["on_cpu_count"], r["on_cpu_ns"])
        for r in kind("thread.activity") if r.get("on_cpu_count")},
        {t: v for t, v in on.items() if v[0]})
    ours = {(r["symbol"], r.get("library")): r["self_count"]
            for r in kind("cpu.function")}
    has = ask("SELECT 1 FROM pragma_table_info('SAMPLING_CALLCHAINS') "
              "WHERE name = 'module'")
    theirs, binaries = {}, {}
    for name, path, n in ask(f"""SELECT {names("symbol")},
        {names("module") if has else "NULL"}, count(*)
        FROM COMPOSITE_EVENTS e JOIN SAMPLING_CALLCHAINS c
        ON c.id = e.id AND stackDepth = 0 GROUP BY 1, 2"""):
        binary = path and path.split("/")[-1]
        if binary and re.match("0x[0-9a-f]", name):
            name = "[unresolved]"
        theirs[name, binary] = theirs.get((name, binary), 0) + n
        if binary:
            binaries[binary] = binaries.get(binary, 0) + n
    same("binaries sampled", {r["library"]: r["self_count"]
                              for r in kind("cpu.library")}, binaries)
    same("samples", ours, {n: c for n, c in theirs.items() if n in ours})
    same("functions sampled", len(ours), min(len(theirs), 1000))
    if not work:
        theirs = {}
        for name, a, b in ask(f"""SELECT coalesce(text, {names("textId")}),
            start, "end" FROM NVTX_EVENTS WHERE "end" IS NOT NULL AND
            eventType IN (59, 60, 70, 71)"""):
            if not re.search(", (op_id|seq) = ", name):
                theirs.setdefault(re.sub("[0-9]+", "*", name), []).append(
                    b - a)
        ours = {}
        for r in kind("region"):
            name = re.sub("[0-9]+", "*", r["region"].split("=>")[-1])
            n, ns, most = ours.get(name, (0, 0, 0))
            ours[name] = (n + r["count"], ns + r["host_sum_ns"],
                          max(most, r["host_max_ns"]))
            if r["count"] == len(theirs.get(name, [])):
                same("median of " + name, r["host_median_ps"],
                     round(statistics.median(theirs[name]) * 1000))
        same("ranges", ours, {name: (len(v), sum(v), max(v))
                              for name, v in theirs.items()})
print(f"{len(kernels)} kernels, {len(copies)} copies, {len(calls)} calls: "
      + ("the same" if not faults else f"{faults} differ"))
sys.exit(faults > 0)
