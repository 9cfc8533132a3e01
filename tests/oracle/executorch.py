"""Timelines of ETDump: latency, categories, delegation, per operator."""
import csv
import fnmatch
import io
import json
import math
import os
import re
from collections import defaultdict
from fractions import Fraction

from core import Expected, Known, linear, mean, ratio, read_bytes, stdev, whole

PROGRAMS = ('tp-etdump --samples',)
KINDS = {
    'latency.summary': ['basis', 'signature'], 'latency.run': ['run_index'],
    'latency.load': ['name'], 'latency.drift': ['basis', 'signature'],
    'op.category': ['basis', 'signature', 'category'],
    'delegation.summary': ['basis', 'signature'],
    'op.latency': ['op', 'place', 'backend'],
    'category.run': ['run_index', 'category'],
    'op.run': ['run_index', 'op_joined'],
}
SHARE = os.path.join(os.path.dirname(__file__), '../../share/ops')
RULES = json.load(open(os.path.join(SHARE, 'executorch.json')))
FRAMES = RULES['frames']
PARTS = ('delegated', 'portable', 'direct', 'delegate_gap',
         'operator_overhead', 'method_self', 'unattributed')


def base(name):
    return re.sub(r' #\d+$', '', name)


def category(name):
    words = re.split(r'[^a-z0-9]+', re.sub(r'^native_call_', '',
                                           base(name).lower()))
    words = [w for w in words if w]
    for rule in RULES['rules']:
        if any(words[:len(s.split())] == s.split()
               for s in rule.get('start', ())) or any(
                   fnmatch.fnmatchcase(w, p) for w in words
                   for p in rule.get('words', ())):
            return rule['category']
    return RULES['rest']


def joined(op):
    for packed, plain in RULES['packed'].items():
        op = re.sub(r'\b%s\b' % packed, plain, op)
    return op


def latency(values):
    """Statistics of the latency of runs, and which of them are no outliers."""
    low, high = linear(values, 25), linear(values, 75)
    reach = (high - low) * Fraction(3, 2)
    kept = [v for v in values if low - reach <= v <= high + reach]
    made = {'sum_ns': sum(values), 'mean_ns': whole(mean(values)),
            'min_ns': min(values), 'max_ns': max(values),
            'first_run_ns': values[0], 'outlier_low_ns': whole(low - reach),
            'outlier_high_ns': whole(high + reach),
            'outlier_count': len(values) - len(kept),
            'outlier_ratio': ratio(len(values) - len(kept), len(values)),
            'robust_count': len(kept), 'robust_mean_ns': whole(mean(kept)),
            'robust_median_ns': whole(linear(kept, 50)),
            'median_ns': whole(linear(values, 50))}
    for p in (25, 75, 90, 95, 99):
        made['p%d_ns' % p] = whole(linear(values, p))
    for cut in (5, 10):
        off = len(values) * cut // 100
        made['trimmed_%d_mean_ns' % cut] = whole(mean(
            sorted(values)[off:len(values) - off]))
    for name, some in (('', values), ('robust_', kept)):
        deviation = stdev(some) if len(some) > 1 else None
        made[name + 'stdev_ns'] = deviation
        square = 0 if len(some) < 2 else sum(
            (v - mean(some)) ** 2 for v in some) / (len(some) - 1)
        made[name + 'cv_factor'] = math.sqrt(square) / float(mean(some)) \
            if len(some) > 1 and sum(some) else None
    rest = linear(values[1:], 50) if values[1:] else None
    made['cold_run_factor'] = ratio(values[0], rest) if rest else None
    return made, kept, (low - reach, high + reach)


def read(path):
    """Rows of a timeline by run, as they were logged; else None."""
    text = read_bytes(path).decode('utf-8', 'replace')
    reader = csv.DictReader(io.StringIO(text, newline=''), strict=True)
    if not {'name', 'duration_ms', 'run_index'} <= set(reader.fieldnames):
        return None
    runs = defaultdict(list)
    try:
        for r in reader:
            time = whole(Fraction(r['duration_ms'] or 0), 10**6)
            run = runs[int(r['run_index'] or 0)]
            run.append((int(r.get('node_id') or len(run)), len(run), r['name'],
                        time, r.get('delegate_backend') or None))
    except csv.Error:                           # a cut last row
        pass
    return {run: sorted(runs[run]) for run in sorted(runs)}


class Tally:
    """Where the time of executions went."""
    def __init__(self):
        self.parts = defaultdict(int)
        self.category = defaultdict(lambda: defaultdict(int))
        self.portable = defaultdict(int)
        self.calls = defaultdict(int)

    def count(self, ops, run):
        for name, time, place, _ in ops:
            self.category[category(name)][run] += time
            self.parts[place] += time
            if place == 'portable':
                self.portable[category(name)] += time


def execution(rows, time):
    """Split an execution of TIME into operators and parts, all of it once."""
    parts, ops, odd, calls = defaultdict(int), [], [], defaultdict(int)
    pending, held = [], 0
    for _, _, name, t, backend in rows:
        if name in FRAMES['control']:
            continue
        if name not in FRAMES['delegate'] + FRAMES['operator']:
            pending.append((name, t, backend))
            continue
        delegate = name in FRAMES['delegate']
        inside = sum(p[1] for p in pending)
        place = 'delegated' if delegate else 'portable'
        calls[delegate] += t
        held += t
        mine = [(n, x, place, b) for n, x, b in pending]
        if inside * 100 >= t * 105 and inside > t:
            parts['unattributed'] += t
            odd += mine
        else:
            ops += mine
            parts['delegate_gap' if delegate else 'operator_overhead'] += \
                t - inside
        pending = []
    ops += [(n, x, 'direct', b) for n, x, b in pending]
    parts['method_self'] = time - held - sum(p[1] for p in pending)
    return parts, ops, odd, calls


def drift(values):
    third = len(values) // 3
    first, last = (linear(v, 50) for v in (values[:third], values[-third:]))
    return {'first_third_median_ns': whole(first),
            'last_third_median_ns': whole(last),
            'drift_factor': Known(
                ratio(whole(last), whole(first)), ratio(last, first),
                'the quotient of medians that were rounded to ns before')}


def expect(paths):
    out = Expected(KINDS)
    runs = read(paths[0])
    tallies = defaultdict(Tally)                # None: of runs
    latencies = defaultdict(lambda: defaultdict(int))
    counts, loads = defaultdict(int), defaultdict(list)
    per_op = defaultdict(lambda: [0, 0, set(), set()])
    op_run = defaultdict(int)
    signatures = sorted({r[0] for rows in runs.values() for r in rows
                         if r[2] in FRAMES['execute']})
    for run, rows in runs.items():
        pending = []
        for row in rows:
            if row[2] in FRAMES['load']:
                loads[row[2]].append(row[3])
            elif row[2] not in FRAMES['execute']:
                pending.append(row)
            else:
                signature = signatures.index(row[0]) + 1
                parts, ops, odd, calls = execution(pending, row[3])
                for s in (None, signature):
                    latencies[s][run] += row[3]
                    tallies[s].count(ops, run)
                    for k, v in parts.items():
                        tallies[s].parts[k] += v
                    for k, v in calls.items():
                        tallies[s].calls[k] += v
                counts[run] += 1
                for bad, some in ((False, ops), (True, odd)):
                    for name, t, place, backend in some:
                        o = per_op[base(name), place, backend]
                        o[0] += t
                        o[1] += 1
                        o[3].add(bad)
                        if not bad:
                            op_run[run, joined(base(name))] += t
                pending = []
    for name, times in loads.items():
        out.add('latency.load', [name], {'count': len(times),
                                         'sum_ns': sum(times)})
    if not counts:
        return Expected(KINDS)
    for s, by_run in latencies.items():
        ident = ['run' if s is None else 'execution', s]
        values = list(by_run.values())
        made, _, (low, high) = latency(values)
        kept = [r for r, v in by_run.items() if low <= v <= high]
        made.update(run_count=len(values), execution_count=len(values)
                    if s else sum(counts.values()))
        out.add('latency.summary', ident, made)
        if s is None:
            if len(values) >= 6:
                out.add('latency.drift', ident, drift(values))
            for run, v in by_run.items():
                out.add('latency.run', [run], {
                    'latency_ns': v, 'execution_count': counts[run],
                    'outlier': run not in kept})
        tally, n, whole_ns = tallies[s], len(values), sum(values)
        if s and len(signatures) == 1:
            continue                            # it is the same as of runs
        for name, of_run in tally.category.items():
            total = sum(of_run.values())
            if not total:
                continue                        # it has no record
            out.add('op.category', ident + [name], {
                'sum_ns': total, 'mean_ns': whole(Fraction(total, n)),
                'e2e_ratio': ratio(total, whole_ns),
                'portable_of_category_ratio': None if s else
                    ratio(tally.portable[name], total),
                'robust_median_ns': None if s else whole(linear(
                    [of_run.get(r, 0) for r in kept], 50))})
            for run in by_run if s is None else ():
                out.add('category.run', [run, name],
                        {'run_ns': of_run.get(run, 0)})
        values = {'runtime_delegated_ratio': ratio(
            tally.calls[True], sum(tally.calls.values()))}
        for part in PARTS:
            values[part + '_sum_ns'] = tally.parts[part]
            values[part + '_ns'] = whole(Fraction(tally.parts[part], n))
        for part in ('delegated', 'portable', 'delegate_gap'):
            values[part + '_e2e_ratio'] = ratio(tally.parts[part], whole_ns)
        out.add('delegation.summary', ident, values)
    n, whole_ns = len(latencies[None]), sum(latencies[None].values())
    for (op, place, backend), (total, calls, _, bad) in per_op.items():
        place = {'delegated': 'delegate', 'direct': 'method'}.get(place, place)
        out.add('op.latency', [op, place, backend], {
            'sum_ns': total, 'call_count': calls, 'category': category(op),
            'mean_ns': whole(Fraction(total, n)), 'op_joined': joined(op),
            'mismatch': True if bad == {True} else None,
            'e2e_ratio': None if True in bad else ratio(total, whole_ns)})
    for op in {o for _, o in op_run}:
        for run in latencies[None]:
            out.add('op.run', [run, op], {'run_ns': op_run.get((run, op), 0)})
    return out
