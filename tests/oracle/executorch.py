"""Timelines of ETDump: latency, categories, delegation, operators."""
import csv
import io
import re
from collections import defaultdict
from fractions import Fraction
from core import Expected, class_of, linear, mean, names, ratio, read_bytes, scaled, stdev, whole
PROGRAMS = ('tp-etdump',)
KINDS = {'latency.summary': 'basis signature', 'latency.run': 'run_index',
    'op.category': 'basis signature category', 'delegation.summary': 'basis signature'}
NAMES = names('executorch.json')
FRAMES = {r['name']: [r['match']] if isinstance(r['match'], str) else r['match']
          for r in NAMES['frames']}

def category(op):
    words = re.findall('[a-z0-9]+', re.sub('^native_call_', '', op.lower()))
    return class_of(NAMES['rules'], ' %s ' % ' '.join(words))

def latency(values):
    """Statistics of runs, and between which bounds they are no outliers."""
    low, high = linear(values, 25), linear(values, 75)
    low, high = low - (high - low) * 3 / 2, high + (high - low) * 3 / 2
    kept, n = [v for v in values if low <= v <= high], len(values)
    made = {'sum_ns': sum(values), 'min_ns': min(values), 'max_ns': max(values),
        'first_run_ns': values[0], 'outlier_low_ns': whole(low), 'outlier_high_ns': whole(high),
        'outlier_count': n - len(kept), 'robust_count': len(kept), 'outlier_ratio': ratio(n - len(
        kept), n), 'cold_run_factor': ratio(values[0], linear(values[1:], 50)) if n > 1 else None}
    for p in (25, 75, 90, 95, 99):
        made['p%d_ns' % p] = whole(linear(values, p))
    for name, some in (('', values), ('robust_', kept)):
        wide = stdev(some) if len(some) > 1 else None
        made.update({name + 'mean_ns': whole(mean(some)),
                     name + 'median_ns': whole(linear(some, 50))})
        made[name + 'stdev_ns'] = None if wide is None else whole(wide)
        made[name + 'cv_factor'] = float(wide) / float(mean(some)) \
            if wide is not None and sum(some) else None
    return made, low, high

def read(path):
    text, runs = read_bytes(path).decode(errors='replace'), defaultdict(list)
    try:
        for r in csv.DictReader(io.StringIO(text, newline=''), strict=True):
            run = runs[int(r['run_index'] or 0)]
            run.append((int(r.get('node_id') or len(run)), len(run), r['name'],
                        scaled(r['duration_ms'] or 0, 6)))
    except csv.Error:                           # a cut last row
        pass
    return {run: sorted(runs[run]) for run in sorted(runs)}

class Tally:
    """Where the time of executions went: all of it, each part once."""
    def __init__(self):
        self.parts, self.calls = defaultdict(int), defaultdict(int)
        self.ops = []           # (run, operator, place, time)

    def hold(self, run, inside, place):
        for name, time in inside:
            self.ops.append((run, re.sub(r' #\d+$', '', name), place, time))
            self.parts[place] += time

    def execution(self, run, rows, time):
        pending, left = [], time
        for _, _, name, t in rows:
            if name in FRAMES['delegate'] + FRAMES['operator']:
                delegate = name in FRAMES['delegate']
                inside = sum(p[1] for p in pending)
                fits = inside <= t or inside * 100 < t * 105
                if fits:
                    self.hold(run, pending, 'delegated' if delegate else 'portable')
                self.parts['unattributed' if not fits else 'delegate_gap' if delegate
                    else 'operator_overhead'] += t - inside if fits else t
                self.calls[delegate] += t
                pending, left = [], left - t
            elif name not in FRAMES['control']:
                pending.append((name, t))
        self.hold(run, pending, 'direct')
        self.parts['method_self'] += left - sum(p[1] for p in pending)

def expect(paths):
    out, runs = Expected(KINDS), read(paths[0])
    tallies, by = defaultdict(Tally), defaultdict(lambda: defaultdict(int))
    executions = defaultdict(int)
    marks = sorted({r[0] for rows in runs.values() for r in rows if r[2] in FRAMES['execute']})
    for run, rows in runs.items():
        pending = []
        for row in rows:
            if row[2] in FRAMES['execute']:
                executions[run] += 1
                for s in (None, marks.index(row[0]) + 1):   # None: of runs
                    by[s][run] += row[3]
                    tallies[s].execution(run, pending, row[3])
                pending = []
            elif row[2] not in FRAMES['load']:
                pending.append(row)
    for s, latencies in by.items():
        basis, values = 'execution' if s else 'run', list(latencies.values())
        made, low, high = latency(values)
        if not s and len(set(executions.values())) > 1:     # other work in the first run
            made.update(first_run_ns=None, cold_run_factor=None)
        kept = [r for r, v in latencies.items() if low <= v <= high]
        out.add('latency.summary', [basis, s], run_count=len(values), **made)
        if not s or len(marks) > 1:
            split(out, [basis, s], tallies[s], latencies, kept)
        for run, v in latencies.items() if not s else ():
            out.add('latency.run', [run], latency_ns=v, outlier=run not in kept)
    return out

def split(out, scope, tally, latencies, kept):
    n, total = len(latencies), sum(latencies.values())
    groups = defaultdict(lambda: defaultdict(int))  # category, run: time
    plain = defaultdict(int)
    for run, op, place, time in tally.ops:
        groups[category(op)][run] += time
        plain[category(op)] += time * (place == 'portable')
    told = {'runtime_delegated_ratio': ratio(tally.calls[True], sum(tally.calls.values()))}
    for part in ('delegated', 'portable', 'direct', 'delegate_gap', 'operator_overhead',
                 'method_self', 'unattributed'):
        told[part + '_sum_ns'] = tally.parts[part]
        told[part + '_ns'] = whole(Fraction(tally.parts[part], n))
    out.add('delegation.summary', scope, **told)
    whole_run = scope[0] == 'run'
    for name, of in groups.items():
        time = sum(of.values())
        if not time:                                # it has no record
            continue
        out.add('op.category', scope + [name], sum_ns=time, mean_ns=whole(Fraction(time, n)),
            e2e_ratio=ratio(time, total), portable_of_category_ratio=ratio(plain[name], time)
            if whole_run else None, robust_median_ns=whole(linear([of.get(r, 0) for r in kept],
            50)) if whole_run else None)
