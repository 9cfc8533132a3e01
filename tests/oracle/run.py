"""run.py [-f FILTER] BUILD SCRATCH [SHARED]: hold records against the oracle.

Makes the examples with the generators in BUILD into SCRATCH, has the filters
of BUILD read them and all files in SHARED/data, and compares what they print
with what the modules here compute from the same files.  Then alters records,
one number at a time: each must be noticed.  Status 1 where anything differs.
"""
import glob
import os
import subprocess
import sys
import time
from decimal import Decimal

import executorch
import jax
import metal
import torch
from core import Expected, Known, parse_records

SOURCES = {'metal': metal, 'jax': jax, 'torch': torch,
           'executorch': executorch}
SEEDS = ('1', '2', '7')
# files that the oracle does not read, by a part of their name
SKIPPED = {
    'Regions-Map.xml': 'not well-formed XML: xctrace writes resident-%',
}


def make(build, folder):
    """Make examples; yield (source, name, files)."""
    for seed in SEEDS:
        for tool, options, source in (
                ('mkflux', (), 'metal'), ('mkflux', ('--format', 'csv'), 'metal'),
                ('mkfusion', (), 'metal'), ('mkjax', (), 'jax'),
                ('mkjax', ('--no-steps',), 'jax'), ('mktorch', (), 'torch'),
                ('mktorch', ('--platform', '2'), 'torch'),
                ('mketdump', (), 'executorch'),
                ('mketdump', ('--runs', '37'), 'executorch')):
            if tool == 'mkfusion' and seed != SEEDS[0]:
                continue
            name = ' '.join((tool, *options, '--seed', seed))
            out = os.path.join(folder, name.replace(' ', ''))
            subprocess.run([os.path.join(build, tool), '--seed', seed,
                            *options, out], check=True,
                           stdout=subprocess.DEVNULL)
            for case, files in cases(source, out):
                yield source, name + ' ' + case, files


def cases(source, folder):
    """The traces below FOLDER, as (name, files); files alone, too."""
    found = sorted(f for f in glob.glob(folder + '/**', recursive=True)
                   if os.path.isfile(f))
    if source == 'metal':
        tables = [f for f in found if f.endswith(('.xml', '.csv'))]
        for place in sorted({os.path.dirname(f) for f in tables}):
            files = [f for f in tables if os.path.dirname(f) == place]
            if any('toc' in f or 'metal' in f for f in files):
                yield os.path.relpath(place, folder), files
                continue
            for f in files:
                yield os.path.relpath(f, folder), [f]
        return
    ends = ('_all_runs_timeline.csv',) if source == 'executorch' else \
        ('.json', '.json.gz')
    for f in found:
        if f.endswith(ends):
            yield os.path.relpath(f, folder), [f]


def ours(module, build, files):
    records = []
    for program in module.PROGRAMS:
        tool, *options = program.split()
        done = subprocess.run(
            [os.path.join(build, tool), '-q', *options, *files], check=False,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 3):
            raise RuntimeError('%s: status %d' % (tool, done.returncode))
        records += parse_records(done.stdout.decode())
    return records


def altered(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value * Decimal('1.000001') + Decimal('1e-9') \
        if isinstance(value, Decimal) else value + '?'


def unnoticed(module, want, records):
    """Keys that can be altered unseen: one record of each kind and key."""
    tried, missed = set(), []
    for record in records:
        name = want.identity(record) if record['kind'] in want.kinds else None
        for key in want.records.get(name, ()):
            if (record['kind'], key) in tried or key not in record:
                continue
            tried.add((record['kind'], key))
            bad = dict(record, **{key: altered(record[key])})
            small = Expected(want.kinds)
            small.records[name] = want.records[name]
            if len(list(small.differences([bad]))) != 1 or \
                    not list(small.differences([])) or \
                    not list(small.differences([record, record])):
                missed.append('%s %s' % (record['kind'], key))
    return tried, missed


def main():
    build, scratch = sys.argv[1:3]
    work = list(make(build, scratch))
    shared = sys.argv[3] if len(sys.argv) > 3 else None
    for source, place in (('metal', 'instruments'), ('jax', 'jax'),
                          ('torch', 'pytorch'), ('executorch', 'executorch')):
        folder = os.path.join(shared or '', 'data', place)
        if shared and os.path.isdir(folder):
            work += [(source, place + '/' + name, files)
                     for name, files in cases(source, folder)]
        elif shared:
            print('skip %s: no %s' % (place, folder))
    counts, failed, skipped, altering = dict.fromkeys(SOURCES, 0), 0, 0, {}
    begun = time.time()
    for source, name, files in work:
        reason = next((why for part, why in SKIPPED.items()
                       if name.endswith(part)), None)
        module = SOURCES[source]
        if not reason:
            want = module.expect(files)
            records = ours(module, build, files)
            if hasattr(module, 'derive'):
                records += list(module.derive(records))
            wrong = list(want.differences(records))
            if not want.count() and not wrong:
                reason = 'it has nothing that the oracle computes'
        if reason:
            skipped += 1
            print('skip %s: %s' % (name, reason))
            continue
        for (kind, who), key, text in wrong[:20]:
            print('not ok %s: %s[%s] %s: %s' % (
                name, kind, ' '.join(map(str, who)), key or '', text))
        counts[source] += want.count()
        failed += bool(wrong)
        if not wrong:
            print('ok %s: %d numbers' % (name, want.count()))
        if 'seed' in name and not wrong:
            tried, missed = unnoticed(module, want, records)
            altering.setdefault(source, set()).update(tried)
            failed += bool(missed)
            for what in missed:
                print('not ok %s: %s can be altered unseen' % (name, what))
        sys.stdout.flush()
    for source, count in counts.items():
        keys = len(altering.get(source, ()))
        if not count or not keys:
            print('not ok %s: nothing compared' % source)
            failed += 1
        else:
            print('ok %s: %d kinds of numbers noticed when altered' % (
                source, keys))
    for (kind, key), known in sorted(Known.met.items()):
        print('# known difference: %s %s: ours %s, oracle %s: %s' % (
            kind, key, known.value, known.right, known.why))
    print('# %s; %d traces, %d skipped, %d differ, %d s' % (
        ', '.join('%s %d' % c for c in counts.items()), len(work), skipped,
        failed, time.time() - begun))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
