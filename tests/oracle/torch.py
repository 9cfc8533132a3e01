"""Traces of PyTorch (Kineto): the time line, steps, streams, kernels."""
import json
import os
import re
from collections import defaultdict
from types import SimpleNamespace

from core import (Expected, Known, gaps, length, linear, mean, minus, ns,
                  ratio, read_json, scaled, stdev, union, whole)

PROGRAMS = ('tp-trace',)
KINDS = {
    'trace.summary': [], 'timeline.summary': ['scope'],
    'timeline.stream': ['device_index', 'stream'], 'timeline.step': ['index'],
    'stream.queue': ['device_index', 'stream'], 'gap.summary': [],
    'memcpy.summary': [], 'collective.summary': [],
    'kernel.total': ['kernel', 'stream'],
}
NAMES = json.load(open(os.path.join(os.path.dirname(__file__),
                                    '../../share/ops/pytorch.json')))
CLASSES = {c: k for k, some in NAMES['events'].items() for c in some}
GPU = ('kernel', 'memcpy', 'memset')


def read(path):
    events, document = [], read_json(path)
    if isinstance(document, dict):
        document = document['traceEvents']
    for e in document:
        if e.get('ph') not in ('X', 's', 'f') or 'ts' not in e:
            continue
        start = scaled(e['ts'], 6)
        v = SimpleNamespace(
            start=start, end=start + scaled(e.get('dur', 0), 6), ph=e['ph'],
            kind=CLASSES.get(str(e.get('cat', '')).lower()), name=e['name'],
            args=e.get('args') or {}, lane=(e['pid'], e['tid']),
            id=e.get('id'), launch=None)
        if v.ph == 'X' or v.kind == 'arrow':
            events.append(v)
    return events


def link(events):
    """Join GPU work to the call that launched it, along the arrows."""
    calls = [e for e in events if e.kind == 'runtime']
    first = next((e for e in calls if NAMES['launch'] in e.name.lower()), None)
    key = 'correlation' if first and 'correlation' in first.args else \
        'External id'
    arrow = {(e.ph, e.id): e for e in events if e.kind == 'arrow'}
    at = {(e.lane, e.args[key]): e for e in events
          if e.ph == 'X' and key in e.args}
    graph = defaultdict(list)
    for e in events:
        if e.kind in GPU and key in e.args:
            graph[e.args[key]].append(e)
    for call in calls:
        n = call.args.get(key)
        if n is not None and re.match(NAMES['graph_launch'], call.name):
            for e in graph[n]:
                e.launch = e.launch or call
        elif ('s', n) in arrow and ('f', n) in arrow:
            e = at.get((arrow['f', n].lane, n))
            if e and e.kind in GPU:
                e.launch = e.launch or call


def bucket(e):
    if e.kind == 'memcpy' or e.kind == 'kernel' and \
            re.match(NAMES['copy'], e.name):
        return 'memcpy'
    return 'communication' if re.search(NAMES['communication'], e.name, re.I) \
        else 'compute'


def times(work):
    """Computing, else communicating, else copying, else idle."""
    by = {k: union((e.start, e.end) for e in work if e.bucket == k)
          for k in ('compute', 'communication', 'memcpy')}
    busy = length(union((e.start, e.end) for e in work))
    span = max(e.end for e in work) - min(e.start for e in work)
    talk = minus(by['communication'], by['compute'])
    copy = minus(minus(by['memcpy'], by['compute']), by['communication'])
    union_of = {k: length(by[k]) for k in by}
    parts = {'busy': busy, 'compute': union_of['compute'],
             'communication': length(talk), 'memcpy': length(copy),
             'idle': span - busy,
             'communication_union': union_of['communication'],
             'memcpy_union': union_of['memcpy']}
    hidden = union_of['communication'] - length(talk)
    made = {k + '_ns': ns(v) for k, v in parts.items()}
    made.update((k + '_of_span_ratio', ratio(v, span))
                for k, v in parts.items())
    made.update(gpu_count=len(work), span_ns=ns(span),
                communication_hidden_ns=ns(hidden),
                communication_hidden_ratio=ratio(
                    hidden, union_of['communication']))
    return made


def totals(work):
    all_of = [e.end - e.start for e in work]
    return {'count': len(work), 'duration_sum_ns': ns(sum(all_of)),
            'duration_min_ns': ns(min(all_of)),
            'duration_max_ns': ns(max(all_of)),
            'duration_mean_ps': whole(mean(all_of)),
            'duration_median_ps': whole(linear(all_of, 50)),
            'duration_stdev_ps': stdev(all_of) if len(all_of) > 1 else None}


def derive(records):
    """Kernels of one name and stream together, whatever launched them."""
    groups = defaultdict(list)
    for r in records:
        if r['kind'] == 'launcher.kernel':
            groups[r['kernel'], r.get('stream')].append(r)
    for (kernel, stream), some in groups.items():
        yield {'kind': 'kernel.total', 'kernel': kernel, 'stream': stream,
               'count': sum(r['count'] for r in some),
               'duration_sum_ns': sum(r['duration_sum_ns'] for r in some),
               'duration_min_ns': min(r['duration_min_ns'] for r in some),
               'duration_max_ns': max(r['duration_max_ns'] for r in some)}


def waits(work):
    """Gaps of a stream by what its next work waited for."""
    made, end = defaultdict(list), None
    for e in sorted(work, key=lambda e: (e.start, e.end)):
        if end is not None and e.start > end:
            gap = e.start - end
            if e.launch and e.launch.start > end:
                made['host'].append(gap)
            elif e.launch and gap < NAMES['gaps']['next_kernel_ns'] * 1000:
                made['kernel'].append(gap)
            else:
                made['other'].append(gap)
        end = e.end if end is None else max(end, e.end)
    values = {}
    for k in ('host', 'kernel', 'other'):
        values[k + '_wait_count'] = len(made[k])
        values[k + '_wait_ns'] = ns(sum(made[k]))
    return values


def expect(paths):
    out, events = Expected(KINDS), read(paths[0])
    link(events)
    whole_events = [e for e in events if e.ph == 'X']
    origin = whole_events[0].start
    work = [e for e in whole_events if e.kind in GPU]
    first = min(e.start for e in whole_events) - origin
    last = max(e.end for e in whole_events) - origin
    out.add('trace.summary', [], {
        'gpu_count': len(work), 'last_ns': ns(last), 'first_ns': Known(
            ns(first), 0, 'points in time are counted from the first event '
            'in the file, not the earliest'), 'span_ns': ns(last - first)})
    streams = defaultdict(list)
    for e in work:
        e.bucket = bucket(e)
        streams[e.args.get('device'), e.args.get('stream')].append(e)
    linked = [e for e in work if e.launch]
    for scope, some in (('all', work), ('linked', linked)):
        if some:
            sizes = [b - a for a, b in gaps(union((e.start, e.end)
                                                  for e in some))]
            values = dict(times(some), gap_count=len(sizes),
                          gap_max_ns=ns(max(sizes, default=0)))
            out.add('timeline.summary', [scope], values)
            if scope == 'all':
                out.add('gap.summary', [], {
                    'gap_count': len(sizes), 'gap_total_ns': ns(sum(sizes)),
                    'gap_max_ns': ns(max(sizes, default=0))})
    for name, some in streams.items():
        out.add('timeline.stream', name, times(some))
        if any(e.launch for e in some):
            out.add('stream.queue', name, dict(
                waits(some), linked_count=sum(bool(e.launch) for e in some)))
    marks = sorted((e for e in whole_events if e.kind == 'annotation' and
                    e.name.startswith(NAMES['step'])), key=lambda e: e.start)
    for i, step in enumerate(marks, 1):
        mine = [e for e in linked if step.start <= e.launch.start < step.end]
        values = {'start_ns': ns(step.start - origin), 'gpu_count': len(mine),
                  'end_ns': ns(step.end - origin),
                  'wall_ns': ns(step.end - step.start),
                  'number': int(step.name.split('#')[1])}
        values.update(times(mine) if mine else {})
        out.add('timeline.step', [i], values)
    copies = [e for e in work if e.kind == 'memcpy']
    talk = [e for e in work if e.bucket == 'communication']
    if copies:
        out.add('memcpy.summary', [], totals(copies))
    if talk:
        out.add('collective.summary', [], totals(talk))
    kernels = defaultdict(list)
    for e in work:
        if e.kind == 'kernel':
            kernels[e.name, e.args.get('stream')].append(e)
    for name, some in kernels.items():
        t = totals(some)
        out.add('kernel.total', name, {k: t[k] for k in (
            'count', 'duration_sum_ns', 'duration_min_ns',
            'duration_max_ns')})
    return out
