"""Captures of JAX: devices, exclusive time, steps, collectives, gaps."""
import functools
import re
from collections import defaultdict
from fractions import Fraction
from types import SimpleNamespace
from core import (Expected, alone, fits, gaps, length, linear, mean, names, ns, ratio,
                  read_bytes, read_json, scaled, union)
PROGRAMS = ('tp-trace',)
KINDS = {'timeline.summary': '', 'timeline.device': 'device_name', 'step.summary': 'scope',
    'step': 'number', 'op': 'name', 'collective': 'collective', 'gap.summary': ''}
COLLECTIVES = (('all-reduce', 'all-?reduce|psum'), ('all-gather', 'all[-_]?gather'), (
    'reduce-scatter', 'reduce-?scatter'), ('all-to-all', 'all-to-all|alltoall'), (
    'collective-permute', 'permute'), ('async-collective',) * 2, ('send-recv', 'send|recv'), (
    'other-collective', 'collective|nccl'))
WARMUP = 5

@functools.lru_cache(None)
def collective(name):
    return next((kind for kind, pattern in COLLECTIVES if re.search(pattern, name.lower())), None)

CLASSES = names('jax.json')['classes']
PARTS = {'work': 'compute', 'communication': 'communication', 'container': 'compute'}

@functools.lru_cache(None)
def part(hlo, name):
    """The part of the first class that the category or the name of an operation fits."""
    made = next(c['name'] for c in CLASSES if 'match' not in c or fits(c['match'], name) and not hlo
        or hlo and fits(c.get('category', []), hlo))
    return PARTS.get(made, 'stall')

def category(e):
    return part(e.hlo, e.name)

def exclusive(lane):
    """Time of its own of each event of a lane; one that outlasts another ends that."""
    stack = []
    for e in sorted(lane, key=lambda e: (e.start, -e.end)):
        while stack and (e.start >= stack[-1].end or e.end > stack[-1].end):
            stack.pop()
        if stack:
            stack[-1].inner.append((e.start, e.end))
        stack.append(e)
    for e in lane:
        e.exclusive = max(0, e.end - e.start - length(e.inner))
        e.own = gaps([[e.start] * 2] + union(e.inner) + [[e.end] * 2])

def busy(events):
    return union((e.start, e.end) for e in events)

def read(paths):
    events, process, lane = [], {}, {}
    for path in paths:
        for e in read_json(read_bytes(path).decode(errors='replace')).get('traceEvents', []):
            if e.get('ph') == 'X' and e.get('dur', 0) > 0:
                start = scaled(e['ts'], 6)
                events.append(SimpleNamespace(start=start, end=start + scaled(e['dur'], 6),
                    inner=[], name=e['name'], pid=e['pid'], lane=(e['pid'], e['tid']), number=str(
                    e.get('args', {}).get('step_num', '')), hlo=e.get('args', {}).get('hlo_category')))
            elif e.get('name') == 'process_name':
                process[e['pid']] = e['args']['name']
            elif e.get('name') == 'thread_name':
                lane[e['pid'], e['tid']] = e['args']['name']
    for e in events:
        e.process, e.lane_name = process.get(e.pid, ''), lane.get(e.lane, '')
    return events

def steps(device, host, zero, out):
    number, by = r'\s*[+-]?\d+\s*', defaultdict(list)
    for e in device:
        if e.lane_name == 'Steps' and re.fullmatch(number, e.name):
            by[int(e.name)].append(e)
    method = 'lane' if by else 'host-event'
    for e in host if not by else ():
        if e.name == 'train' and re.fullmatch(number, e.number):
            by[int(e.number)].append(e)
    if not by:
        # executions of the program that took most time, in order on each device
        method, programs, seen = 'program', defaultdict(int), defaultdict(int)
        modules = sorted((e for e in device if e.lane_name == 'XLA Modules'),
            key=lambda e: e.start)
        for e in modules:
            programs[e.name] += e.end - e.start
        for e in modules:
            if e.name == max(programs, key=programs.get):
                by[seen[e.lane]].append(e)
                seen[e.lane] += 1
    if not by:
        out.add('step.summary', ['all'], method='none', reason='no-marker')
        return
    wall = {n: mean([e.end - e.start for e in s]) for n, s in by.items()}
    # steps that were found may begin anywhere in a run: only slow ones warm up
    first = sorted(n for n in wall if n < WARMUP)
    if method == 'program':
        slow = [wall[n] > Fraction(3, 2) * linear(list(wall.values()), 50) for n in first]
        first = first[:(slow + [False]).index(False)]
    for n, some in by.items():
        out.add('step', [n], start_ns=ns(min(e.start for e in some) - zero), end_ns=ns(max(e.end
            for e in some) - zero), wall_ns=ns(wall[n]), is_warmup=n in first)
    used = [w for n, w in wall.items() if n not in first]
    told = {}
    if used:
        p50, p90 = linear(used, 50), linear(used, 90)
        told = dict(wall_mean_ns=ns(mean(used)), wall_median_ns=ns(p50), wall_p90_ns=ns(p90),
            wall_min_ns=ns(min(used)), wall_max_ns=ns(max(used)),
            wall_p90_of_median_factor=p90 / p50)
    out.add('step.summary', ['all'], method=method, step_count=len(by),
            used_step_count=len(used), **told)

def times(ops):
    comp, comm, stall = (union(s for e in ops if category(e) == c for s in e.own) for c in (
        'compute', 'communication', 'stall'))
    return {'busy': length(busy(ops)), 'compute': length(comp), 'communication': alone(comm, comp),
            'hidden': length(comm) - alone(comm, comp), 'stall': alone(stall, comp, comm),
            'exclusive': sum(e.exclusive for e in done(ops))}

# what is in flight is no operation of its own
def done(ops):
    return [e for e in ops if not e.lane_name.startswith('Async')]

def told(t):
    made = {'busy_ns': ns(t['busy']), 'exclusive_sum_ns': ns(t['exclusive']),
        'communication_hidden_ns': ns(t['hidden']),
        'communication_hidden_ratio': ratio(t['hidden'], t['hidden'] + t['communication'])}
    for key in ('compute', 'communication', 'stall'):
        made[key + '_ns'] = ns(t[key])
        made[key + '_of_busy_ratio'] = ratio(t[key], t['busy'])
    return made

def expect(paths):
    out, events = Expected(KINDS), read(paths)
    lanes, devices = defaultdict(list), defaultdict(list)
    for e in events:
        lanes[e.lane].append(e)
    for lane in lanes.values():
        exclusive(lane)
    device = [e for e in events if e.process.startswith('/device:')]
    host = [e for e in events if e.process.startswith('/host:')]
    for e in device:
        if re.match('(Async )?XLA Ops$|Stream #', e.lane_name):
            devices[e.process].append(e)
    # points in time are counted from the first event of the file
    steps(device, host, events[0].start if events else 0, out)
    if not devices:
        return out
    ops, sizes, sums = done(sum(devices.values(), [])), [], defaultdict(int)
    low, high = min(e.start for e in ops), max(e.end for e in ops)
    for name, own in devices.items():
        t = times(own)
        out.add('timeline.device', [name], **told(t), count=len(done(own)), idle_ns=ns(high - low - t[
            'busy']), busy_of_span_ratio=ratio(t['busy'], high - low))
        sizes += [b - a for a, b in gaps(busy(done(own)))]
        for key, v in t.items():
            sums[key] += v
    out.add('timeline.summary', [], **told(sums), span_ns=ns(high - low), device_count=len(
        devices), busy_of_span_ratio=ratio(sums['busy'], (high - low) * len(devices)),
        communication_device_mean_ns=ns(Fraction(sums['communication'], len(devices))),
        all_idle_ns=ns(high - low - length(busy(ops))), host_busy_ns=ns(length(busy(host))))
    out.add('gap.summary', [], gap_count=len(sizes), gap_total_ns=ns(sum(sizes)), gap_max_ns=ns(
        max(sizes, default=0)), gap_of_busy_factor=ratio(sum(sizes), sums['busy']))
    groups = defaultdict(list)
    for e in ops:
        groups['op', e.name].append(e)
        if category(e) == 'communication':
            groups['collective', collective(e.name)].append(e)
    for (kind, name), some in groups.items():
        own = sum(e.exclusive for e in some)
        # what waits for the end of a transfer is none of its own
        whole = [e for e in some if kind == 'op' or not re.search(r'-done(\.|$)', e.name)]
        out.add(kind, [name], count=len(whole), exclusive_ns=ns(own), duration_sum_ns=ns(sum(e.end -
            e.start for e in some)), exclusive_ratio=ratio(own, sums['exclusive']))
    return out
