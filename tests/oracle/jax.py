"""Captures of JAX: devices, exclusive time, steps, collectives, gaps."""
import functools
import math
import re
from collections import defaultdict
from fractions import Fraction

from core import (Expected, Known, gaps, length, linear, mean, minus, ns, ratio,
                  read_json, scaled, union, whole)

PROGRAMS = ('tp-trace',)
KINDS = {
    'trace.summary': [], 'timeline.summary': [],
    'timeline.device': ['device_name', 'host_index'],
    'timeline.basis': ['basis'], 'step.summary': ['scope'], 'step': ['number'],
    'step.class': ['class'], 'op.summary': [], 'op': ['name'],
    'op.canonical': ['canonical_name'], 'collective': ['collective'],
    'gap.summary': [],
}
STALL = re.compile('wait|barrier|dependency-wait|donation holds|semaphore|'
                   'acquire|idle|blocked|sleep', re.I)
COLLECTIVES = (
    ('all-reduce', ('all-reduce', 'allreduce', 'psum')),
    ('all-gather', ('all-gather', 'all_gather', 'allgather')),
    ('reduce-scatter', ('reduce-scatter', 'reducescatter')),
    ('all-to-all', ('all-to-all', 'alltoall')),
    ('collective-permute', ('collective-permute', 'permute')),
    ('async-collective', ('async-collective',)),
    ('send-recv', ('send', 'recv')), ('other-collective', ('collective',
                                                           'nccl')))
WARMUP = 5


@functools.lru_cache(None)
def category(name):
    if STALL.search(name):
        return 'stall'
    return 'communication' if collective(name) else 'compute'


@functools.lru_cache(None)
def collective(name):
    low = name.lower()
    return next((kind for kind, words in COLLECTIVES
                 if any(w in low for w in words)), None)


def canonical(name):
    return re.sub(r'\.\d+$', '', re.sub('^%', '', name.strip()))


class Event:
    def __init__(self, e):
        self.start = scaled(e['ts'], 6)
        self.end = self.start + scaled(e['dur'], 6)
        self.name, self.pid, self.tid = e['name'], e['pid'], e['tid']
        self.args = e.get('args') or {}


def exclusive(events):
    """Set the time of each event of a lane without what is nested in it.

    An event that outlasts the one it began in ends that one.
    """
    stack = []

    def pop():
        top, inner = stack.pop()
        time = top.end - top.start
        top.exclusive = max(0, time - sum(b - a for a, b in inner))
        top.own = minus([[top.start, top.end]], union(inner))
        if stack:
            stack[-1][1].append((top.start, top.end))

    for e in sorted(events, key=lambda e: (e.start, -e.end)):
        while stack and e.start >= stack[-1][0].end:
            pop()
        while stack and e.end > stack[-1][0].end:
            pop()
        stack.append((e, []))
    while stack:
        pop()


def spans(events):
    return union((e.start, e.end) for e in events)


def kinds_of(ops):
    """Unions: computing, else communicating, else stalled; and hidden."""
    by = {k: union(s for e in ops if category(e.name) == k for s in e.own)
          for k in ('compute', 'communication', 'stall')}
    alone = minus(by['communication'], by['compute'])
    stall = minus(minus(by['stall'], by['compute']), by['communication'])
    return {'busy': length(spans(ops)), 'compute': length(by['compute']),
            'communication': length(alone), 'stall': length(stall),
            'communication_hidden': length(by['communication']) -
            length(alone)}


def shares(t, of, suffix, names):
    made = {}
    for n in names:
        made[n + '_ns'] = ns(t[n])
        made['%s_of_%s_ratio' % (n, suffix)] = ratio(t[n], of) if of else None
    return made


def steps(device, host, lanes, out):
    by = defaultdict(list)
    for e in device:
        if lanes.get((e.pid, e.tid)) == 'Steps' and \
                re.fullmatch(r'\s*[+-]?\d+\s*', e.name):
            by[int(e.name)].append(e)
    method = 'lane'
    if not by:
        method = 'host-event'
        for e in host:
            number = str(e.args.get('step_num', ''))
            if e.name == 'train' and re.fullmatch(r'[+-]?\d+', number):
                by[int(number)].append(e)
    if not by:
        out.add('step.summary', ['all'], {'method': 'none',
                                          'reason': 'no-marker'})
        return
    wall = {n: mean([e.end - e.start for e in some])
            for n, some in by.items()}
    for n, some in by.items():
        out.add('step', [n], {
            'start_ns': ns(min(e.start for e in some)),
            'end_ns': ns(max(e.end for e in some)), 'wall_ns': ns(wall[n]),
            'is_warmup': n < WARMUP})
    steady = {n: w for n, w in sorted(wall.items()) if n >= WARMUP}
    values = {'method': method, 'step_count': len(wall),
              'warmup_count': len(wall) - len(steady),
              'used_step_count': len(steady)}
    values.update(walls(list(steady.values())))
    values['wall_p90_of_median_factor'] = ratio(
        linear(steady.values(), 90), linear(steady.values(), 50)) \
        if steady else None
    out.add('step.summary', ['all'], values)
    for name, numbers in classes(steady).items():
        out.add('step.class', [name], dict(
            walls([steady[n] for n in numbers]), step_count=len(numbers),
            step_ratio=ratio(len(numbers), len(steady))))


def walls(values):
    if not values:
        return {}
    return {'wall_mean_ns': ns(mean(values)), 'wall_min_ns': ns(min(values)),
            'wall_median_ns': ns(linear(values, 50)),
            'wall_p90_ns': ns(linear(values, 90)),
            'wall_max_ns': ns(max(values))}


def classes(steady):
    """Two kinds of steps, where logarithms of their times make two heaps."""
    if not steady:
        return {}
    one, n = {'typical': list(steady)}, len(steady)
    low, high = min(steady.values()), max(steady.values())
    if n < 6 or low <= 0 or high / low < Fraction(5, 4):
        return one
    logs = {k: math.log(v) for k, v in steady.items()}
    a, b = min(logs.values()), max(logs.values())
    before = None
    for _ in range(40):
        light = [k for k in steady if abs(logs[k] - a) <= abs(logs[k] - b)]
        heavy = [k for k in steady if k not in light]
        if not light or not heavy:
            return one
        c, d = (sum(logs[k] for k in s) / len(s) for s in (light, heavy))
        done = abs(c - a) < 1e-9 and abs(d - b) < 1e-9 and light == before
        a, b, before = c, d, light
        if done:
            break
    least = min(len(light), len(heavy))
    middle = [linear([steady[k] for k in s], 50) for s in (light, heavy)]
    if least < 2 or least * 10 < n or middle[1] / middle[0] < Fraction(3, 2):
        return one
    return {'light': light, 'heavy': heavy}


def expect(paths):
    out = Expected(KINDS)
    names, lanes, events, total = {}, {}, [], 0
    for path in paths:
        document = read_json(path).get('traceEvents', [])
        total += len(document)
        for e in document:
            if e.get('ph') == 'M' and e['name'] == 'process_name':
                names[e['pid']] = e['args']['name']
            elif e.get('ph') == 'M' and e['name'] == 'thread_name':
                lanes[e['pid'], e['tid']] = e['args']['name']
            elif e.get('ph') == 'X' and e.get('dur', 0) > 0:
                events.append(Event(e))
    # points in time are counted from the first event of the file
    origin = events[0].start if events else 0
    for e in events:
        e.start, e.end = e.start - origin, e.end - origin
    tracks = defaultdict(list)
    for e in events:
        tracks[e.pid, e.tid].append(e)
    for track in tracks.values():
        exclusive(track)
    device = [e for e in events
              if names.get(e.pid, '').startswith('/device:')]
    host = [e for e in events if names.get(e.pid, '').startswith('/host:')]
    ops = [e for e in device if re.match(
        r'(XLA Ops|Async XLA Ops)$|Stream #', lanes.get((e.pid, e.tid), ''))]
    if events:
        first, last = (f(v) for f, v in ((min, [e.start for e in events]),
                                         (max, [e.end for e in events])))
        out.add('trace.summary', [], {
            'event_count': total, 'complete_count': len(events),
            'named_process_count': len(names), 
            'first_ns': Known(ns(first), 0, 'points in time are counted from '
                              'the first event in the file, not the earliest'),
            'named_thread_count': len(lanes), 'last_ns': ns(last),
            'span_ns': ns(last - first)})
    basis(events, device, host, ops, names, lanes, out)
    steps(device, host, lanes, out)
    if ops:
        timeline(device, host, ops, names, lanes, out)
        operations(ops, out)
    return out


def basis(events, device, host, ops, names, lanes, out):
    tally = {k: defaultdict(int) for k in ('device', 'per-track', 'global')}
    for pid in {e.pid for e in ops}:
        for k, v in kinds_of([e for e in ops if e.pid == pid]).items():
            tally['device'][k] += v
    rest = [e for e in events if lanes.get((e.pid, e.tid)) != 'Steps']
    for e in rest:
        process = names.get(e.pid, '')
        kind = category(e.name)
        if kind != 'stall' and process.startswith('/host:'):
            kind = 'host'
        elif kind == 'compute' and not process.startswith('/device:'):
            kind = 'other'
        tally['per-track'][kind] += e.exclusive
    pids = {e.pid for e in device}
    work = {k: spans(e for e in rest if e.pid in pids and
                     category(e.name) == k)
            for k in ('compute', 'communication')}
    if work['compute']:
        low, high = work['compute'][0][0], work['compute'][-1][1]
        talk = minus([[low, high]], minus([[low, high]],
                                          work['communication']))
        t = tally['global']
        t['communication'] = length(talk)
        t['compute'] = length(minus(work['compute'], talk))
        t['stall'] = high - low - t['communication'] - t['compute']
    parts = ('compute', 'communication', 'host', 'stall', 'other')
    for name, t in tally.items():
        everything = sum(t[k] for k in parts)
        out.add('timeline.basis', [name], dict(
            shares(t, everything, 'total', parts),
            accounted_ns=ns(everything)))


def timeline(device, host, ops, names, lanes, out):
    low, high = min(e.start for e in ops), max(e.end for e in ops)
    span, sums, known = high - low, defaultdict(int), set(ops)
    main = ('compute', 'communication', 'stall')
    holes = []
    pids = sorted({e.pid for e in ops})
    for pid in pids:
        own = [e for e in ops if e.pid == pid]
        holes += gaps(spans(own))
        t = kinds_of(own)
        t['exclusive_sum'] = sum(e.exclusive for e in own)
        talk = t['communication'] + t['communication_hidden']
        out.add('timeline.device', [names[pid], None], dict(
            shares(t, t['busy'], 'busy', main), count=len(own), pid=pid,
            busy_ns=ns(t['busy']), idle_ns=ns(span - t['busy']),
            busy_of_span_ratio=ratio(t['busy'], span),
            exclusive_sum_ns=ns(t['exclusive_sum']),
            communication_hidden_ns=ns(t['communication_hidden']),
            communication_hidden_ratio=ratio(t['communication_hidden'],
                                             talk)))
        for k, v in t.items():
            sums[k] += v
    idle = minus([[low, high]], spans(ops))
    awake = spans(host)
    talk = sums['communication'] + sums['communication_hidden']
    inside = length(idle) - length(minus(idle, awake))
    out.add('timeline.summary', [], dict(
        shares(sums, sums['busy'], 'busy', main), span_ns=ns(span),
        device_count=len(pids), busy_ns=ns(sums['busy']),
        busy_of_span_ratio=ratio(sums['busy'], span * len(pids)),
        communication_hidden_ns=ns(sums['communication_hidden']),
        communication_hidden_ratio=ratio(sums['communication_hidden'], talk),
        communication_device_mean_ns=ns(Fraction(sums['communication'],
                                                 len(pids))),
        exclusive_sum_ns=ns(sums['exclusive_sum']),
        all_idle_ns=ns(length(idle)), all_idle_ratio=ratio(length(idle), span),
        host_busy_ns=ns(length(awake)), host_in_idle_ns=ns(inside),
        host_in_idle_ratio=ratio(inside, length(idle)),
        wrapper_exclusive_sum_ns=ns(sum(
            e.exclusive for e in device if e not in known and
            lanes.get((e.pid, e.tid)) != 'Steps'))))
    sizes = [b - a for a, b in holes]
    out.add('gap.summary', [], {
        'gap_count': len(sizes), 'gap_total_ns': ns(sum(sizes)),
        'gap_max_ns': ns(max(sizes, default=0)),
        'gap_of_busy_factor': ratio(sum(sizes), sums['busy'])})


def operations(ops, out):
    everything = sum(e.exclusive for e in ops)
    for kind, key in (('op', lambda e: e.name),
                      ('op.canonical', lambda e: canonical(e.name)),
                      ('collective', lambda e: collective(e.name)
                       if category(e.name) == 'communication' else None)):
        groups = defaultdict(list)
        for e in ops:
            groups[key(e)].append(e)
        groups.pop(None, None)
        for name, some in groups.items():
            time = sum(e.end - e.start for e in some)
            own = sum(e.exclusive for e in some)
            values = {'count': len(some), 'duration_sum_ns': ns(time),
                      'exclusive_ns': ns(own),
                      'exclusive_ratio': ratio(own, everything)}
            if kind != 'collective':
                values['mean_ns'] = ns(Fraction(time, len(some)))
            if kind == 'op':
                values['category'] = category(name)
            out.add(kind, [name], values)
    out.add('op.summary', [], {
        'op_count': len({e.name for e in ops}),
        'duration_sum_ns': ns(sum(e.end - e.start for e in ops)),
        'exclusive_ns': ns(everything)})
