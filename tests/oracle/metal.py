"""Exports of Instruments, XML or CSV: the GPU, command buffers, memory, CPU."""
import csv
import io
import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from fractions import Fraction
from core import Expected, Known, gaps, length, mean, rank, ratio, union, whole
from core import read_bytes, scaled
PROGRAMS = ('tp-gpu-intervals', 'tp-cmdbuf', 'tp-mem', 'tp-cpu-top')
KINDS = {
    'gpu.summary': 'scope', 'gpu.channel': 'scope channel', 'gpu.process': 'process pid',
    'cmdbuf.summary': 'scope', 'cpu.summary': 'scope',
    'mem.summary': 'series gpu process pid', 'cpu.function': 'symbol library'}
GPU, SENT = 'metal-gpu-intervals', 'metal-application-command-buffer-submissions'
DONE = 'metal-command-buffer-completed'
WIRED, HELD = 'metal-wired-sysmem-level-interval', 'metal-current-allocated-size'
# a table of CSV is known by a column that only it has
COLUMNS = {'channel-name': GPU, 'encoder-time': SENT, 'commit-id': DONE, 'bytes': WIRED,
    'current-allocated-size': HELD, 'weight': 'time-profile'}
UNITS = {'time-profile': 'ns', 'cpu-profile': 'cycles', 'counters-profile': 'count'}
NOBODY = (None, None)

def read_xml(raw):
    root, schema, columns = ET.fromstring(raw), None, None
    ids = {e.get('id'): e for e in root.iter() if e.get('id')}
    if root.tag == 'trace-toc':
        yield 'toc', root

    def library(binary):
        return None if binary is None else ids.get(binary.get('ref'), binary).get('name') or None

    def value(e):
        e = ids.get(e.get('ref'), e)
        if 'backtrace' in e.tag:                # frames, innermost first
            inner = [ids.get(b.get('ref'), b) for b in e.findall('backtrace')]
            frames = [ids.get(f.get('ref'), f) for b in [e] + inner for f in b.findall('frame')]
            if not frames and e.get('fmt') and not inner:
                return [(e.get('fmt').split(' \u2190 ')[0], None)]
            return [(f.get('name'), library(f.find('binary'))) for f in frames]
        return e.get('fmt') if e.tag in ('process', 'thread') else e.text

    for node in root.iter('node'):
        if node.find('schema') is not None:
            schema = node.find('schema').get('name')
            columns = [c.findtext('mnemonic') for c in node.iter('col')]
        for row in node.iter('row'):
            tags = {'tag': e.tag for c, e in zip(columns, row) if c == 'weight'}
            yield schema, {**dict(zip(columns, map(value, row))), **tags}

def read_csv(raw):
    reader = csv.DictReader(io.StringIO(raw.decode(), newline=''))
    schema = next((t for c, t in COLUMNS.items() if c in reader.fieldnames[1:]), None)
    for row in reader if schema else ():
        row = {k: v or None for k, v in row.items()}
        frames = re.findall(r'(?:[^\\;]|\\.)+', row.get('stack') or '')
        parts = [f.replace('\\;', ';').partition('`') for f in reversed(frames)]
        row['stack'] = [(name if tick else lib, lib if tick and lib else None)
                        for lib, tick, name in parts]
        yield schema, row

def process(row):
    """'Name (of) it (12)' -> ('Name (of) it', 12)."""
    m = re.fullmatch(r'(.*) \((\d+)\)', row.get('process') or '', re.S)
    return (m[1], int(m[2])) if m else NOBODY

def number(row, key):
    return int(row[key]) if row.get(key) else None

def spread(name, values, *percents):
    made = {'%s_p%d_ns' % (name, p): rank(values, p) for p in percents or (50, 95)}
    return dict(made, **{name + '_max_ns': max(values, default=None)})

def busy(rows):
    return union(r[:2] for r in rows)

def key_of(row, who):
    """Id of a command buffer; processes share id 0."""
    i = number(row, 'cmdbuffer-id')
    return (i, who if i == 0 else None) if i not in (None, 2**64 - 1) else None

def gpu(rows, toc_ns, whole_busy):
    spans, time = busy(rows), length(busy(rows))
    span = spans[-1][1] - spans[0][0]
    times, sizes = [r[1] - r[0] for r in rows], [b - a for a, b in gaps(spans)]
    short, long = ([t for t in times if t < 200000], [s for s in sizes if s > 20000])
    late = [number(r[3], 'start-latency') for r in rows if r[3].get('start-latency')]
    top = next((a for a, b in gaps(spans) if b - a == max(sizes)), None)
    return dict(
        rows=len(rows), first_ns=spans[0][0], last_ns=spans[-1][1], span_ns=span,
        busy_ns=time, idle_ns=span - time, busy_ratio=ratio(time, span),
        trace_duration_ns=toc_ns, busy_of_trace_ratio=ratio(time, toc_ns),
        busy_of_gpu_ratio=ratio(time, whole_busy), gap_count=len(sizes),
        gap_total_ns=sum(sizes), gap_max_at_ns=top, long_gap_count=len(long),
        long_gap_total_ns=sum(long), long_gap_ratio=ratio(sum(long), span),
        duration_sum_ns=sum(times), duration_min_ns=min(times),
        duration_mean_ns=whole(mean(times)), short_count=len(short),
        short_row_ratio=ratio(len(short), len(rows)),
        short_time_ratio=ratio(sum(short), sum(times)), **spread('gap', sizes),
        **spread('start_latency', late), **spread('duration', times, 50, 95, 99))

def buffers(tables, scope, rows, owned, out):
    commit, spans = {}, defaultdict(list)
    for start, end, who, row in sorted(rows, key=lambda r: r[:2]):
        key = key_of(row, who)
        if key:
            spans[key].append((start, end))
            if row.get('start-latency'):
                commit.setdefault(key, start - number(row, 'start-latency'))
    sent = {key_of(r, process(r)): number(r, 'start') + number(r, 'duration')
            for r in tables[SENT]}
    commit.update(sent)
    done = {key_of(r, None): number(r, 'timestamp') for r in tables[DONE]}
    sent, over = ({k for k in some if owned is None or k in owned} for some in (sent, done))
    start = {k: s[0][0] for k, s in spans.items()}
    end = {k: max(e for _, e in s) for k, s in spans.items()}
    walls, on = ([end[k] - start[k] for k in spans], [length(union(s)) for s in spans.values()])
    wait = {k: start[k] - commit[k] for k in spans if k in commit}
    tell = {k: done[k] - end[k] for k in spans if k in done}
    ran, idle = sum(map(len, spans.values())), gaps(busy(rows))
    total = sum(b - a for a, b in idle)
    ids, told = set(spans), {}
    if sent:
        told = {'submitted_count': len(sent), 'submitted_without_gpu_count': len(sent - ids)}
    if done:
        told.update(completed_count=len(over), completed_without_gpu_count=len(over - ids),
                    gpu_without_completion_count=len(ids - over),
                    negative_completion_count=sum(v < 0 for v in tell.values()))
    out.add('cmdbuf.summary', [scope], count=len(spans), rows=ran, idle_ns=total,
        duration_mean_ns=whole(mean(walls)), busy_sum_ns=sum(on), busy_p50_ns=rank(on, 50),
        **told, **spread('duration', walls), **spread('commit_to_start', wait.values()),
        **spread('end_to_completion', tell.values()))

def memory(rows, column, identity, out):
    rows = sorted(rows, key=lambda r: number(r, 'start'))
    starts, sizes = ([number(r, c) for r in rows] for c in ('start', column))
    held = [(v, e - s if r.get('duration') is None else number(r, 'duration'))
            for r, v, s, e in zip(rows, sizes, starts, starts[1:] + starts[-1:])]
    total = sum(t for _, t in held)
    told = {'time_weighted_median_bytes': next(
        v for v in sorted(sizes) if sum(t for w, t in held if w <= v) * 2 >= total),
            'time_weighted_mean_bytes': whole(Fraction(sum(v * t for v, t in held), total))} \
        if total else {}
    out.add('mem.summary', identity, rows=len(rows), peak_bytes=max(sizes), peak_at_ns=starts[
        sizes.index(max(sizes))], min_bytes=min(sizes), min_nonzero_bytes=min(filter(None, sizes),
        default=None), row_median_bytes=rank(sizes, 50), last_bytes=sizes[-1], **told)

def cpu(rows, unit, target, out):
    own, total = defaultdict(int), defaultdict(int)
    for r in rows:
        names = r.get('stack') or [('(no backtrace)', None)]
        own[names[0]] += number(r, 'weight')
        for n in set(names):
            total[n] += number(r, 'weight')
    everything = sum(own.values())
    for scope, some in (('all', rows), ('target', [r for r in rows if process(r) == target])):
        if some:
            times, bare = [number(r, 'time') for r in some], [r for r in some if not r.get('stack')]
            out.add('cpu.summary', [scope], unit=unit, rows=len(some), first_ns=min(times),
                    last_ns=max(times), **{
                        'total_' + unit: sum(number(r, 'weight') for r in some),
                        'no_backtrace_' + unit: sum(number(r, 'weight') for r in bare)})
    out.records['cpu.summary', 'all']['function_count'] = Known(
        len(total), len(total.keys() - {('(no backtrace)', None)}), '"(no backtrace)" is counted as one')
    for name, time in total.items():
        out.add('cpu.function', name, **{'self_' + unit: own[name], 'total_' + unit: time,
            'self_ratio': ratio(own[name], everything), 'total_ratio': ratio(time, everything)})

def expect(paths):
    out, tables, aim, toc_ns = Expected(KINDS), defaultdict(list), None, None
    for path in paths:
        raw = read_bytes(path)
        for schema, row in (read_xml if raw.lstrip()[:1] == b'<' else read_csv)(raw):
            tables[schema].append(row)
    for toc in tables['toc']:
        p = toc.find('run/info/target/process')
        aim = aim if p is None else (p.get('name'), int(p.get('pid')))
        time = toc.findtext('run/info/summary/duration')
        toc_ns = toc_ns or scaled(time or 0, 9) or None

    def most(weights):
        best = max(weights.values(), default=0)
        return min((p for p, w in weights.items() if w == best and w), default=None)

    rows, by = [], defaultdict(list)
    for r in tables[GPU]:
        start, time, who = number(r, 'start'), number(r, 'duration'), process(r)
        if r.get('state') in (None, 'Active') and time:
            rows.append((start, start + time, who, r))
            by[who].append(rows[-1])
    if rows:
        people, everything = set(by) - {NOBODY}, length(busy(rows))
        compute = {p: length(busy(r for r in by[p] if r[3]['channel-name'] == 'Compute'))
                   for p in people}
        target = aim or most(compute) or most({p: length(busy(by[p])) for p in people})
        owned = {key_of(r[3], r[2]) for r in by[target]}
        owned |= {key_of(r, target) for r in tables[SENT] if process(r) == target}
        for scope, some in (('all', rows), ('target', by[target])):
            if not some:
                continue
            out.add('gpu.summary', [scope], **gpu(
                some, toc_ns, everything if scope == 'target' else None))
            for name in {r[3]['channel-name'] for r in some}:
                own = [r for r in some if r[3]['channel-name'] == name]
                out.add('gpu.channel', [scope, name], rows=len(own), busy_ns=length(busy(own)),
                    duration_sum_ns=sum(r[1] - r[0] for r in own))
            buffers(tables, scope, some, owned if scope == 'target' else None, out)
        for p in people:
            out.add('gpu.process', p, rows=len(by[p]), busy_ns=length(busy(by[p])),
                    role='target' if p == target else 'other', compute_busy_ns=compute[p])
    for table, column, series, of in ((WIRED, 'bytes', 'wired', lambda r: (r['gpu'], None, None)),
            (HELD, 'current-allocated-size', 'current', lambda r: (None, *process(r)))):
        for who in set(map(of, tables[table])):
            memory([r for r in tables[table] if of(r) == who], column, [series, *who], out)
    for table, unit in UNITS.items():
        some = [r for r in tables[table] if r.get('thread-state') in (None, 'Running')]
        weights = defaultdict(int)
        for r in some:
            weights[process(r)] += number(r, 'weight')
        if some:        # samples of counters-profile may be a timer's
            unit = 'ns' if some[0].get('tag') == 'weight' else unit
            cpu(some, unit, aim or most(weights), out)
    return out
