"""Exports of Instruments, XML or CSV: the GPU, command buffers, memory, CPU."""
import csv
import io
import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from fractions import Fraction

from core import (Expected, Known, gaps, length, mean, minus, rank, ratio, read_bytes,
                  union, whole)

PROGRAMS = ('tp-gpu-intervals', 'tp-cmdbuf', 'tp-mem', 'tp-cpu-top')
KINDS = {
    'gpu.summary': ['scope'], 'gpu.channel': ['scope', 'channel'],
    'gpu.process': ['process', 'pid'], 'gpu.other': [],
    'gpu.gap_bucket': ['scope', 'bucket'], 'gpu.gap': ['scope', 'rank'],
    'cmdbuf.summary': ['scope'], 'cmdbuf.gap': ['scope', 'cause'],
    'mem.summary': ['series', 'gpu', 'process', 'pid'],
    'cpu.summary': ['scope'], 'cpu.function': ['symbol'],
    'cpu.library': ['library'], 'cpu.thread': ['tid', 'pid'],
}
BUCKETS = (('<1us', 10**3), ('1-5us', 5000), ('5-20us', 20000),
           ('20-100us', 10**5), ('0.1-1ms', 10**6), ('>1ms', None))
# a table of CSV is known by columns that only it has
HEADERS = (
    ('metal-gpu-intervals', {'channel-name', 'duration'}),
    ('metal-application-command-buffer-submissions', {'encoder-time'}),
    ('metal-command-buffer-completed', {'commit-id'}),
    ('metal-wired-sysmem-level-interval', {'bytes', 'event-type', 'gpu'}),
    ('metal-current-allocated-size', {'current-allocated-size'}),
    ('time-profile', {'stack', 'weight'}))
NO_BUFFER = 2**64 - 1


def stack_of(cell, find):
    """Frames of a backtrace, innermost first: (symbol, binary)."""
    if cell.tag == 'tagged-backtrace':
        cell = next((find(c) for c in cell if c.tag == 'backtrace'), None)
        if cell is None:
            return []
    frames = [find(c) for c in cell if c.tag == 'frame']
    if not frames and cell.get('fmt'):
        return [(cell.get('fmt').split(' \u2190 ')[0], None)]
    binaries = [[find(b).get('name') for b in f if b.tag == 'binary']
                for f in frames]
    return [(f.get('name'), (b or [None])[0])
            for f, b in zip(frames, binaries)]


def read_xml(raw):
    root = ET.fromstring(raw)
    if root.tag == 'trace-toc':
        yield 'toc', root
        return
    ids = {e.get('id'): e for e in root.iter() if e.get('id')}
    schema = columns = None

    def find(e):
        return ids[e.get('ref')] if e.get('ref') else e

    def value(e):
        e = find(e)
        if e.tag == 'sentinel':
            return None
        if 'backtrace' in e.tag:
            return stack_of(e, find)
        if e.tag in ('process', 'thread'):
            return e.get('fmt')
        return e.text or ''

    for node in root.iter('node'):
        head = node.find('schema')
        if head is not None:
            schema = head.get('name')
            columns = [c.findtext('mnemonic') for c in head.iter('col')]
        for row in node.iter('row'):
            yield schema, dict(zip(columns, map(value, row)))


def read_csv(raw):
    reader = csv.DictReader(io.StringIO(raw.decode('utf-8'), newline=''))
    names = set(reader.fieldnames or ())
    schema = next((t for t, need in HEADERS if need <= names), None)
    for row in reader if schema else ():
        row = {k: v or None for k, v in row.items()}
        if row.get('stack'):
            frames = [f.replace('\\;', ';') for f in
                      re.findall(r'(?:[^\\;]|\\.)+', row['stack'])]
            row['stack'] = [(f.split('`', 1)[-1],
                             f.split('`', 1)[0] if '`' in f else None)
                            for f in reversed(frames)]
        yield schema, row


def named(text):
    """'Name (of) it (12)' -> ('Name (of) it', 12)."""
    m = re.fullmatch(r'(.*) \((\d+)\)', text or '', re.S)
    return (m[1], int(m[2])) if m else (text or None, None)


def number(row, key):
    return int(row[key]) if row.get(key) else None


def spread(values, name, percents=(50, 95), extra=()):
    """Quantiles and the largest of VALUES, under the keys that have them."""
    made = {'%s_p%d_ns' % (name, p): rank(values, p) if values else None
            for p in percents}
    made[name + '_max_ns'] = max(values) if values else None
    return made


class Gpu:
    """The rows of the GPU that count, by process."""
    def __init__(self, rows):
        self.rows, self.zero = [], 0
        for r in rows:
            if r.get('state') not in (None, '', 'Active'):
                continue
            start, time = number(r, 'start'), number(r, 'duration')
            if not time:
                self.zero += 1
                continue
            self.rows.append((start, start + time, r.get('channel-name'),
                              named(r.get('process')), r))

    def of(self, process):
        return [r for r in self.rows if r[3] == process]


def busy(rows):
    return union(r[:2] for r in rows)


def gpu_summary(scope, rows, toc_ns, out):
    spans = busy(rows)
    span, time = spans[-1][1] - spans[0][0], length(spans)
    times = [r[1] - r[0] for r in rows]
    idle = gaps(spans)
    sizes = [b - a for a, b in idle]
    short = [t for t in times if t < 200000]
    late = [x for x in (number(r[4], 'start-latency') for r in rows)
            if x is not None]
    long = [s for s in sizes if s > 20000]
    top = sorted(idle, key=lambda g: (g[0] - g[1], g[0]))
    values = {
        'rows': len(rows), 'first_ns': spans[0][0], 'last_ns': spans[-1][1],
        'span_ns': span, 'busy_ns': time, 'idle_ns': span - time,
        'busy_ratio': ratio(time, span), 'duration_sum_ns': sum(times),
        'trace_duration_ns': toc_ns,
        'busy_of_trace_ratio': toc_ns and ratio(time, toc_ns),
        'gap_count': len(sizes), 'gap_total_ns': sum(sizes),
        'gap_max_at_ns': top[0][0] if top else None,
        'long_gap_count': len(long), 'long_gap_total_ns': sum(long),
        'long_gap_ratio': ratio(sum(long), span),
        'duration_min_ns': min(times), 'duration_mean_ns': whole(mean(times)),
        'short_count': len(short), 'short_limit_ns': 200000,
        'short_row_ratio': ratio(len(short), len(rows)),
        'short_time_ratio': ratio(sum(short), sum(times))}
    values.update(spread(sizes, 'gap'))
    values.update(spread(times, 'duration', (50, 95, 99)))
    values.update(spread(late, 'start_latency'))
    out.add('gpu.summary', [scope], values)
    for channel in {r[2] for r in rows} - {None}:
        own = [r for r in rows if r[2] == channel]
        on = length(busy(own))
        out.add('gpu.channel', [scope, channel], {
            'rows': len(own), 'busy_ns': on, 'busy_ratio': ratio(on, span),
            'duration_sum_ns': sum(r[1] - r[0] for r in own)})
    low = 0
    for name, high in BUCKETS:
        some = [s for s in sizes if low <= s and (high is None or s < high)]
        out.add('gpu.gap_bucket', [scope, name],
                {'gap_count': len(some), 'gap_total_ns': sum(some)})
        low = high
    for i, (start, end) in enumerate(top[:5], 1):
        out.add('gpu.gap', [scope, i],
                {'start_ns': start, 'duration_ns': end - start})


def gpu(g, target, toc_ns, out):
    gpu_summary('all', g.rows, toc_ns, out)
    everything = busy(g.rows)
    processes = {r[3] for r in g.rows} - {(None, None)}
    for p in processes:
        own = g.of(p)
        on = length(busy(own))
        out.add('gpu.process', p, {
            'rows': len(own), 'busy_ns': on,
            'role': 'target' if p == target else 'other',
            'compute_busy_ns': length(busy(
                r for r in own if r[2] == 'Compute')),
            'busy_of_gpu_ratio': ratio(on, length(everything))})
    out.records['gpu.summary', ('all',)].update(
        process_count=len(processes), zero_duration_count=g.zero,
        unattributed_count=len(g.of((None, None))))
    if target not in processes:
        return
    gpu_summary('target', g.of(target), toc_ns, out)
    mine = busy(g.of(target))
    rest = busy(r for r in g.rows if r[3] not in (target, (None, None)))
    more = busy(r for r in g.rows if r[3] != target)
    out.records['gpu.summary', ('target',)].update(
        process=target[0], pid=target[1],
        busy_of_gpu_ratio=ratio(length(mine), length(everything)))
    if rest:
        out.add('gpu.other', [], {
            'other_process_count': len(processes) - 1,
            'other_busy_ns': Known(
                length(rest), length(more), 'its description says all rows '
                'that are not the target\'s, those of no process are not in'),
            'other_busy_of_gpu_ratio': ratio(length(rest),
                                             length(everything)),
            'overlap_ns': length(rest) - length(minus(rest, mine))})


def key_of(row, process):
    i = number(row, 'cmdbuffer-id')
    return None if i in (None, NO_BUFFER) else (i, process if i == 0 else 0)


def commits(tables, g):
    """When each buffer was committed, by the best that is known of it."""
    made = {}
    for start, _, _, process, row in sorted(g.rows, key=lambda r: r[:2]):
        late, key = number(row, 'start-latency'), key_of(row, process)
        if late is not None:
            made.setdefault(key, start - late)
    for name, time in (
            ('metal-command-buffer-frame-assignment',
             lambda r: number(r, 'commit-time')),
            ('metal-application-command-buffer-submissions',
             lambda r: number(r, 'start') + number(r, 'duration'))):
        for row in tables[name]:
            made[key_of(row, named(row.get('process')))] = time(row)
    made.pop(None, None)
    return made


def buffers(tables, g, target, out):
    sent = {}
    for row in tables['metal-application-command-buffer-submissions']:
        process = named(row.get('process'))
        sent[key_of(row, process)] = process
    done = {}
    for row in tables['metal-command-buffer-completed']:
        done[key_of(row, None)] = number(row, 'timestamp')
    commit = commits(tables, g)
    owner = dict(sent)
    owner.update((key_of(r[4], r[3]), r[3]) for r in g.rows)
    scopes = [('all', g.rows)]
    if target and g.of(target):
        scopes.append(('target', g.of(target)))
    for scope, rows in scopes:
        def mine(keys):
            return {k for k in keys if k and (
                scope == 'all' or owner.get(k) == target)}
        spans = defaultdict(list)
        for r in rows:
            spans[key_of(r[4], r[3])].append(r[:2])
        spans.pop(None, None)
        start = {k: min(s)[0] for k, s in spans.items()}
        end = {k: max(e for _, e in s) for k, s in spans.items()}
        walls = [end[k] - start[k] for k in spans]
        on = [length(union(s)) for s in spans.values()]
        submitted, completed = mine(sent), mine(done)
        c2s = {k: start[k] - commit[k] for k in spans if k in commit}
        e2c = {k: done[k] - end[k] for k in spans if k in done}
        values = {
            'count': len(spans), 'rows': sum(map(len, spans.values())),
            'submitted_count': len(submitted) if sent else None,
            'submitted_without_gpu_count':
                len(submitted - set(spans)) if sent else None,
            'completed_count': len(completed) if done else None,
            'completed_without_gpu_count':
                len(completed - set(spans)) if done else None,
            'gpu_without_completion_count':
                len(set(spans) - completed) if done else None,
            'negative_completion_count':
                sum(v < 0 for v in e2c.values()) if done else None,
            'duration_mean_ns': whole(mean(walls)),
            'busy_sum_ns': sum(on), 'busy_p50_ns': rank(on, 50),
            'intervals_per_buffer_mean':
                ratio(sum(map(len, spans.values())), len(spans)),
            'negative_commit_count':
                sum(v < 0 for v in c2s.values()) if c2s else None}
        values.update(spread(walls, 'duration'))
        values.update(spread(list(c2s.values()), 'commit_to_start'))
        values.update(spread(list(e2c.values()), 'end_to_completion'))
        both = [c2s[k] + e2c[k] for k in c2s if k in e2c]
        values['hand_over_p50_ns'] = rank(both, 50) if both else None
        causes, serial = idle_causes(rows, commit)
        # a commit is late when all that started before had ended by then
        late, last = set(), None
        for k in sorted(spans, key=lambda k: (start[k], end[k])):
            if last is not None and commit.get(k, last) > last:
                late.add(k)
            last = end[k] if last is None else max(last, end[k])
        total = sum(s for _, s in serial)
        values.update(idle_ns=sum(map(sum, causes.values())))
        if c2s:
            values.update(
                serialization_count=len(late),
                serialized_idle_ns=Known(
                    total, sum(s for k, s in serial if k in late),
                    'a gap counts when its next buffer was committed in it, '
                    'even where the buffer before went on after the gap'),
                serialized_idle_ratio=ratio(total, values['idle_ns']))
        out.add('cmdbuf.summary', [scope], values)
        for cause, sizes in causes.items():
            out.add('cmdbuf.gap', [scope, cause], {
                'gap_count': len(sizes), 'gap_total_ns': sum(sizes),
                'idle_ratio': ratio(sum(sizes), values['idle_ns'])})


def idle_causes(rows, commit):
    """Sizes of gaps by cause, and of those before a commit that came late."""
    causes, serial = defaultdict(list), []
    ends, starts = defaultdict(list), defaultdict(list)
    for r in rows:
        starts[r[0]].append(r)
        ends[r[1]].append(r)
    for start, end in gaps(busy(rows)):
        before = ends[start]
        after = min(starts[end], key=lambda r: r[1])
        key = key_of(after[4], after[3])
        if commit.get(key, start) > start:
            serial.append((key, end - start))
        if commit.get(key, start) - start > 20000:
            cause = 'waiting-for-cpu'
        elif key and key in [key_of(r[4], r[3]) for r in before]:
            cause = 'between-encoders'
        elif key in commit:
            cause = 'between-buffers'
        else:
            cause = 'unknown'
        causes[cause].append(end - start)
    return causes, serial


def memory(series, rows, column, name, identity, out):
    levels = sorted(((number(r, 'start'), number(r, 'duration'),
                      number(r, column)) for r in rows), key=lambda r: r[0])
    times = []
    for i, (start, time, level) in enumerate(levels):
        last = i + 1 == len(levels)
        end = start + time if time is not None else \
            start if last else levels[i + 1][0]
        times.append((level, end - start))
    total = sum(t for _, t in times)
    sizes = [v for _, _, v in levels]
    peak, low = max(sizes), min(sizes)

    def weighted(percent):
        done = 0
        for level, time in sorted(times):
            done += time
            if done * 100 >= total * percent:
                return level

    steps = [b - a for a, b in zip(sizes, sizes[1:])]
    limit = Fraction(peak, 10)
    jumps = [s for s in steps if s and abs(s) >= limit]
    out.add('mem.summary', identity, {
        'rows': len(levels), 'peak_bytes': peak,
        'peak_at_ns': next(s for s, _, v in levels if v == peak),
        'min_bytes': low,
        'min_nonzero_bytes': min((v for v in sizes if v), default=None),
        'row_median_bytes': rank(sizes, 50), 'last_bytes': sizes[-1],
        'time_weighted_median_bytes': weighted(50) if total else None,
        'time_weighted_p10_bytes': weighted(10) if total else None,
        'time_weighted_p90_bytes': weighted(90) if total else None,
        'time_weighted_mean_bytes': whole(Fraction(
            sum(v * t for v, t in times), total)) if total else None,
        'jump_up_count': sum(j > 0 for j in jumps),
        'jump_down_count': sum(j < 0 for j in jumps),
        'jump_max_bytes': max(map(abs, jumps), default=None),
        'tooth_count': teeth(sizes, Fraction(peak - low, 10))})


def teeth(sizes, limit):
    """How often the level rose, then fell, by LIMIT and more."""
    count, low, high, rising = 0, sizes[0], sizes[0], False
    for v in sizes:
        if rising:
            high = max(high, v)
            if limit and high - v >= limit:
                count, rising, low = count + 1, False, v
        else:
            low = min(low, v)
            if limit and v - low >= limit:
                rising, high = True, v
    return count


def cpu(table, rows, target, out):
    unit = {'time-profile': 'ns', 'cpu-profile': 'cycles'}.get(table, 'count')
    rows = [r for r in rows if r.get('thread-state') in
            (None, '', 'Running')]
    if not rows:
        return
    own, total = defaultdict(int), defaultdict(int)
    lib_own, lib_total = defaultdict(int), defaultdict(int)
    threads = defaultdict(int)
    for r in rows:
        weight, stack = number(r, 'weight'), r.get('stack') or []
        symbols = [f[0] for f in stack] or ['(no backtrace)']
        libraries = [f[1] or '(none)' for f in stack] or ['(none)']
        own[symbols[0]] += weight
        for s in set(symbols):
            total[s] += weight
        lib_own[libraries[0]] += weight
        for s in set(libraries):
            lib_total[s] += weight
        m = re.search(r'0x([0-9a-f]+)', r.get('thread') or '')
        if m:
            threads[int(m[1], 16), named(r.get('process'))[1]] += weight
    everything = sum(own.values())
    for scope in ('all', 'target'):
        some = [r for r in rows if scope == 'all' or
                named(r.get('process')) == target]
        if not some:
            continue
        times = [number(r, 'time') for r in some]
        out.add('cpu.summary', [scope], {
            'unit': unit, 'rows': len(some),
            'total_' + unit: sum(number(r, 'weight') for r in some),
            'no_backtrace_' + unit: sum(number(r, 'weight') for r in some
                                        if not r.get('stack')),
            'first_ns': min(times), 'last_ns': max(times),
            'span_ns': max(times) - min(times)})
    out.records['cpu.summary', ('all',)]['function_count'] = Known(
        len(total), len(set(total) - {'(no backtrace)'}),
        '"(no backtrace)" is counted as a function')
    for s in total:
        out.add('cpu.function', [s], {
            'self_' + unit: own[s], 'total_' + unit: total[s],
            'self_ratio': ratio(own[s], everything),
            'total_ratio': ratio(total[s], everything)})
    for s in lib_total:
        out.add('cpu.library', [s], {
            'self_' + unit: lib_own[s], 'total_' + unit: lib_total[s],
            'self_ratio': ratio(lib_own[s], everything)})
    for (tid, pid), weight in threads.items():
        out.add('cpu.thread', [tid, pid], {
            'self_' + unit: weight, 'self_ratio': ratio(weight, everything)})


def expect(paths, process=None):
    """What the filters must say of the tables in PATHS together."""
    out, tables, toc, toc_ns = Expected(KINDS), defaultdict(list), None, None
    for path in paths:
        raw = read_bytes(path)
        if raw.lstrip()[:1] == b'<':
            for schema, row in read_xml(raw):
                if schema == 'toc':
                    toc = row
                else:
                    tables[schema].append(row)
        else:
            for schema, row in read_csv(raw):
                tables[schema].append(row)
    aim = None
    if toc is not None:
        p = toc.find('run/info/target/process')
        if p is not None:
            aim = (p.get('name'), int(p.get('pid')))
        time = toc.findtext('run/info/summary/duration')
        toc_ns = whole(Fraction(time or 0), 10**9) or None
    g = Gpu(tables['metal-gpu-intervals'])

    def most(weight, among):
        """Whom WEIGHT says most of; ties by name."""
        best = max(map(weight, among), default=0)
        return min((p for p in among if weight(p) == best), default=None) \
            if best else None

    among = {r[3] for r in g.rows} - {(None, None)}
    if g.rows:
        target = aim or most(lambda p: length(busy(
            r for r in g.of(p) if r[2] == 'Compute')), among) or \
            most(lambda p: length(busy(g.of(p))), among)
        gpu(g, target, toc_ns, out)
        buffers(tables, g, target, out)
    for gpu_name in {r['gpu'] for r in
                     tables['metal-wired-sysmem-level-interval']}:
        memory('wired', [r for r in tables['metal-wired-sysmem-level-interval']
                         if r['gpu'] == gpu_name], 'bytes', gpu_name,
               ['wired', gpu_name, None, None], out)
    held = tables['metal-current-allocated-size']
    for p in {named(r['process']) for r in held}:
        memory('current', [r for r in held if named(r['process']) == p],
               'current-allocated-size', p, ['current', None, *p], out)
    for table in ('time-profile', 'cpu-profile', 'counters-profile'):
        rows = tables[table]
        among = {named(r.get('process')) for r in rows} - {(None, None)}
        target = aim or most(lambda p: sum(
            number(r, 'weight') for r in rows
            if named(r.get('process')) == p), among)
        cpu(table, rows, target, out)
    return out
