"""run.py [-q] BUILD SCRATCH [SHARED]: hold the records of filters to the oracle.

Generators of BUILD make examples in SCRATCH; filters of BUILD read them, and all files of
SHARED/data; what they print must be what the modules here compute from the same files.  Then
one number of each kind is altered in the records of an example: the comparison must notice it.
-q: one seed only, and not the trace of 100,000 rows.  Status 1 where anything differs.
"""
import glob
import os
import subprocess
import sys
import time
import executorch
import jax
import metal
import torch
from core import Expected, Known, read_json

MODULES = {'metal': metal, 'jax': jax, 'torch': torch, 'executorch': executorch}
MADE = (
    ('metal', 'mkflux', 'mkflux --format csv', 'mkflux --format csv --scale 200', 'mkfusion'),
    ('jax', 'mkjax', 'mkjax --no-steps'),
    ('torch', 'mktorch', 'mktorch --platform 2'), ('executorch', 'mketdump', 'mketdump --runs 37'))
SHARED = (('metal', 'instruments'), ('metal', 'flux'), ('jax', 'jax'), ('torch', 'pytorch'), ('torch', 'corpus/pytorch'),
          ('executorch', 'executorch'))
NOT_READ = {'Regions-Map.xml': 'not well-formed: xctrace writes resident-%',
            'ibm_aiu': 'events of phases B and E', 'ascend/': 'not of Kineto'}

def traces(source, folder):
    """The traces below FOLDER: names and files."""
    ends = ('.xml', '.csv') if source == 'metal' else 'all_runs_timeline.csv' \
        if source == 'executorch' else ('.json', '.json.gz')
    found = sorted(f for f in glob.glob(folder + '/**', recursive=True) if f.endswith(ends))
    for f in found:
        beside = [g for g in found if os.path.dirname(g) == os.path.dirname(f)]
        one = source == 'metal' and any('_metal_' in g or '/metal-' in g for g in beside)
        if not one or f == beside[0]:
            name = os.path.relpath(os.path.dirname(f) if one else f, folder)
            yield name, beside if one else [f]

def all_traces(quick, build, scratch, shared):
    for seed in ('1', '2', '7')[:1 if quick else None]:
        for source, command in ((s, c) for s, *some in MADE for c in some):
            tool, *options = command.split()
            if '--scale' in options and (quick or seed != '1'):
                continue
            out = os.path.join(scratch, '_'.join([tool, *options, seed]))
            subprocess.run([os.path.join(build, tool), '--seed', seed, *options, out],
                           check=True, stdout=subprocess.DEVNULL)
            for name, files in traces(source, out):
                yield source, '%s --seed %s: %s' % (command, seed, name), files
    for source, place in SHARED if shared else ():
        folder = os.path.join(shared, 'data', place)
        if not os.path.isdir(folder):
            print('skip %s: no %s' % (place, folder))
        for name, files in traces(source, folder):
            yield source, place + '/' + name, files

def records_of(module, build, files):
    records = []
    for program in module.PROGRAMS:
        tool, *options = program.split()
        done = subprocess.run([os.path.join(build, tool), '-q', *options, *files], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 3):       # 3: damaged, as some are
            raise RuntimeError('%s: status %d' % (tool, done.returncode))
        records += map(read_json, done.stdout.decode().split('\n')[:-1])
    return records + list(getattr(module, 'derive', lambda r: ())(records))

def unnoticed(want, records, tried):
    """Yield what can be altered unseen: of each kind, each key once."""
    for record in records:
        name = want.name(record)
        for key in want.records.get(name, ()):
            if (name[0], key) in tried or key not in record:
                continue
            tried.add((name[0], key))
            part, value = Expected(want.kinds), record[key]
            part.records[name] = want.records[name]
            other = not value if isinstance(value, bool) else value + '?' \
                if isinstance(value, str) else value + 1
            for bad in [dict(record, **{key: other})], [], [record, record]:
                if len(list(part.differences(bad))) != 1:
                    yield '%s %s: altered unseen' % (name[0], key)

def main(*arguments):
    quick = arguments[0] == '-q'
    build, scratch, shared = (*arguments[quick:], None)[:3]
    counts, tried = dict.fromkeys(MODULES, 0), {m: set() for m in MODULES}
    number, failed, skipped, begun = 0, 0, 0, time.time()
    for source, name, files in all_traces(quick, build, scratch, shared):
        module, wrong, number = MODULES[source], [], number + 1
        reason = [w for part, w in NOT_READ.items() if part in name]
        if not reason:
            try:
                want = module.expect(files)
                records = records_of(module, build, files)
                wrong = ['%s: %s: %s' % (' '.join(map(str, w)), key, text)
                         for w, key, text in want.differences(records)]
                if not len(want) and not wrong:
                    reason = ['nothing in it is computed here']
                if scratch in files[0] and not wrong:
                    wrong = list(unnoticed(want, records, tried[source]))
            except Exception as error:          # one trace, not all of them
                wrong = [repr(error)]
        if reason and not wrong:
            skipped += 1
            print('skip %s: %s' % (name, reason[0]))
            continue
        for line in wrong[:20] or ['ok %s: %d numbers' % (name, len(want))]:
            print('not ok %s: %s' % (name, line) if wrong else line, flush=True)
        failed += bool(wrong)
        counts[source] += 0 if wrong else len(want)
    for source, count in counts.items():
        failed += not tried[source]         # nothing compared is a failure
        print('%s %s: %d numbers; %d altered, each noticed' % (
            'ok' if tried[source] else 'not ok', source, count, len(tried[source])))
    for (kind, key), k in sorted(Known.met.items()):
        print('# known difference: %s %s: ours %s, oracle %s: %s' % (
            kind, key, k.value, k.right, k.why))
    print('# %d traces, %d skipped, %d numbers, %d failed, %d s' % (
        number, skipped, sum(counts.values()), failed, time.time() - begun))
    return 1 if failed else 0

if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
