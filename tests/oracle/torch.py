"""Traces of PyTorch (Kineto): the time line, steps, streams, kernels, operators of a CPU."""
import json
import re
from collections import defaultdict
from types import SimpleNamespace
from core import (Expected, Known, alone, class_of, fits, gaps, length, linear, mean, names, ns, ratio,
                  read_bytes, read_json, scaled, stdev, union, whole)
PROGRAMS = ('tp-trace',)
KINDS = {'timeline.summary': 'scope', 'gap.summary': '', 'memcpy.summary': '',
    'timeline.stream': 'device_index stream', 'stream.queue': 'device_index stream',
    'timeline.step': 'index', 'collective.summary': '', 'kernel.total': 'kernel stream',
    'host.op': 'op role', 'host.shapes': 'op role dims'}
NAMES = names('torch.json')
GPU = ('kernel', 'memcpy', 'memset')

def read(path):
    document, events = read_json(read_bytes(path).decode(errors='replace')), []
    if isinstance(document, dict):
        document = document.get('traceEvents', [])
    for e in document:
        kind = class_of(NAMES['events'], str(e.get('cat', '')).lower())
        # what is marked was an operator before PyTorch 1.11
        if kind == 'op' and (e.get('name', '').startswith(NAMES['step']) or
                class_of(NAMES['annotations'], e.get('name', ''))):
            kind = 'annotation'
        name, args = e.get('name'), e.get('args') or {}
        if kind == 'kernel' and name == 'dma_request':      # a copy of MTIA
            kind, name = 'memcpy', ' '.join((name, args['direction'])) if 'direction' in args else name
        if kind not in (None, 'other') and e.get('ph') in (('s', 'f') if kind == 'arrow' else 'X'):
            start = scaled(e['ts'], 6)
            events.append(SimpleNamespace(start=start, end=start + scaled(e.get('dur', 0), 6),
                kind=kind, ph=e['ph'], name=name, id=e.get('id'), args=args,
                lane=(e['pid'], e['tid']), launch=None))
    return events

def link(events):
    """Join GPU work to the call that launched it, along the arrows."""
    calls = [e for e in events if e.kind == 'runtime']
    first = [e for e in calls if fits(NAMES['launch'], e.name)][:1]
    key = 'correlation' if first and 'correlation' in first[0].args else 'External id'
    arrow = {(e.ph, e.id): e for e in events if e.kind == 'arrow'}
    at, of = {}, defaultdict(list)
    for e in events:
        if e.ph == 'X' and key in e.args:
            at[e.lane, e.args[key]] = e
            if e.kind in GPU:
                of[e.args[key]].append(e)
    for call in calls:
        n, some = call.args.get(key), []
        if not arrow or fits(NAMES['graph_launch'], call.name):
            some = of[n]
        elif ('s', n) in arrow and ('f', n) in arrow:
            some = [at.get((arrow['f', n].lane, n))]
        for e in some:
            if e and e.kind in GPU:
                e.launch = e.launch or call

def bucket(e):
    work = class_of(NAMES['work'], e.name)
    if e.kind == 'memcpy' or e.kind == 'kernel' and work == 'copy':
        return 'memcpy'
    return 'communication' if work == 'communication' else 'compute'

def busy(work):
    return union((e.start, e.end) for e in work)

def times(work):
    """Computing, else communicating, else copying, else idle."""
    comp, comm, copy = (busy(e for e in work if e.bucket == b) for b in
                        ('compute', 'communication', 'memcpy'))
    span = max(e.end for e in work) - min(e.start for e in work)
    hidden = length(comm) - alone(comm, comp)
    parts = {'busy': length(busy(work)), 'idle': span - length(busy(work)), 'compute': length(
        comp), 'communication': alone(comm, comp), 'memcpy': alone(copy, comp, comm),
        'communication_union': length(comm), 'memcpy_union': length(copy)}
    made = {key + '_ns': ns(v) for key, v in parts.items()}
    made.update((key + '_of_span_ratio', ratio(v, span)) for key, v in parts.items())
    return dict(made, gpu_count=len(work), span_ns=ns(span), communication_hidden_ns=ns(hidden),
        communication_hidden_ratio=ratio(hidden, length(comm)))

def totals(work):
    t = [e.end - e.start for e in work]
    return {'count': len(t), 'duration_sum_ns': ns(sum(t)), 'duration_min_ns': ns(min(t)),
        'duration_max_ns': ns(max(t)), 'duration_mean_ps': whole(mean(t)),
        'duration_median_ps': whole(linear(t, 50)),
        'duration_stdev_ps': whole(stdev(t)) if len(t) > 1 else None}

def derive(records):
    """Kernels of one name and stream together, whatever launched them."""
    groups = defaultdict(list)
    for r in records:
        if r['kind'] == 'launcher.kernel':
            groups[r['kernel'], r.get('stream')].append(r)
        if r['kind'] == 'host.op_shapes':       # however the shapes were written
            yield dict(r, kind='host.shapes', dims=str(json.loads(r.get('input_dims', '0'))))
    for (kernel, stream), some in groups.items():
        yield dict({key: how(r[key] for r in some) for key, how in (
            ('count', sum), ('duration_sum_ns', sum), ('duration_min_ns', min),
            ('duration_max_ns', max))}, kind='kernel.total', kernel=kernel, stream=stream)

def averages(events):
    """What key_averages() of PyTorch has: (name, role, shapes) of each call that counts, with
    its duration, and that without the calls directly inside.  Names: _remove_dup_nodes()."""
    roles = {'op': 'operator', 'annotation': 'range', 'runtime': 'call'}
    calls = [SimpleNamespace(lane=e.lane, start=e.start, end=e.end, up=None, inside=[],
        name=re.sub('^(' + NAMES['step'][:-1] + ')#.*', r'\1*', e.name), role=roles[e.kind],
        dims=str(e.args.get('Input Dims', 0) if e.kind == 'op' else 0),
        number=int(e.args.get('External id', -1)))
        for e in events if e.kind in roles and e.name not in NAMES['unlisted']]
    stack = []
    for c in sorted(calls, key=lambda c: (str(c.lane), c.start, -c.end, c.number)):
        while stack and (stack[-1].lane != c.lane or c.start >= stack[-1].end
                         or c.end > stack[-1].end):
            stack.pop()
        if stack:
            c.up = stack[-1]
            c.up.inside.append(c)
        stack.append(c)
    only = [c for c in calls if c.up and c.up.name == c.name and len(c.up.inside) == 1]
    for c in sorted(only, key=lambda c: (c.start, -c.end), reverse=True):
        c.up.inside = c.inside
    gone = set(map(id, only))
    for c in calls:
        if id(c) not in gone:
            yield (c.name, c.role, c.dims), c.end - c.start, c.end - c.start - sum(
                i.end - i.start for i in c.inside)

def in_window(marks, work, events):
    """Gaps from the start of the first step to the last event of the steps, on both sides."""
    start, until = min(s.start for s in marks), max(s.end for s in marks)
    host = [min(e.end, until) for e in events if e.lane == marks[0].lane and e not in marks]
    end = max(host + [e.end for e in work if (e.launch or e).start < until])
    spans = union((max(e.start, start), min(e.end, end)) for e in work
                  if e.end > start and e.start < end)
    return [(a, b) for a, b in gaps([(start, start)] + spans + [(end, end)]) if a < b]

def expect(paths):
    out, events = Expected(KINDS), read(paths[0])
    link(events)
    events = [e for e in events if e.ph == 'X']
    if not events:
        return out
    zero = events[0].start              # points in time are counted from it
    work = [e for e in events if e.kind in GPU]
    streams, groups = defaultdict(list), defaultdict(list)
    for e in work:
        e.bucket = bucket(e)
        streams[e.args.get('device'), e.args.get('stream')].append(e)
        if e.kind == 'kernel' or e.name.startswith('dma_request '):
            groups['kernel.total', e.name, e.args.get('stream')].append(e)
        if e.kind == 'memcpy' or e.bucket == 'communication':
            groups['memcpy.summary' if e.kind == 'memcpy' else 'collective.summary',].append(e)
    linked = [e for e in work if e.launch]
    for scope, some in (('all', work), ('linked', linked)):
        sizes = [b - a for a, b in gaps(busy(some))]
        told = {'gap_count': len(sizes), 'gap_max_ns': ns(max(sizes, default=0))}
        if some:
            out.add('timeline.summary', [scope], **times(some), **told)
    for name, some in streams.items():
        out.add('timeline.stream', name, **times(some))
        if linked:
            out.add('stream.queue', name, linked_count=sum(bool(e.launch) for e in some))
    for n, kind in ((2, 'host.op'), (3, 'host.shapes')) if not work else ():
        rows = defaultdict(list)
        for name, total, own in averages(events):
            rows[name[:n]].append((total, own))
        for name, some in rows.items():
            out.add(kind, name, count=len(some), host_sum_ns=ns(sum(t for t, _ in some)),
                    host_self_sum_ns=ns(sum(o for _, o in some)),
                    host_self_max_ns=ns(max(o for _, o in some)))
    marks = [e for e in events if e.kind == 'annotation' and e.name.startswith(NAMES['step'])]
    if marks and work and len({e.launch.lane[0] for e in linked}) == 1:
        idle = [b - a for a, b in in_window(marks, work, events)]
        out.add('gap.summary', [], gap_total_ns=ns(sum(idle)), gap_count=len(idle),
                gap_max_ns=ns(max(idle, default=0)))
    for i, s in enumerate(sorted(marks, key=lambda e: e.start), 1):
        mine = [e for e in linked if s.start <= e.launch.start < s.end]
        out.add('timeline.step', [i], **dict(
            times(mine) if mine else {}, start_ns=ns(s.start - zero), end_ns=ns(s.end - zero),
            wall_ns=ns(s.end - s.start), number=int(s.name.split('#')[1]), gpu_count=len(mine)))
    for (kind, *name), some in groups.items():
        t = totals(some)
        out.add(kind, name, **{k: t[k] for k in list(t)[:4 if name else None]})
    return out
