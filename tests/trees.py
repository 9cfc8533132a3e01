"""trees.py SEED FOLDER: a job of ranks in any shards and any tree of partials.

Draws a job whose ranks may lack collectives, clocks, groups, sizes and names,
and lets tp-ranks put it together at once, and by partials in random shards and
trees.  The partial must be the same bytes, and so must what comes of it.
"""
import json
import os
import random
import shutil
import subprocess
import sys


def record(kind, rank, **keys):
    line = {'kind': kind, 'src': 'job'}
    if rank is not None:
        line['process_rank'] = rank
    line.update((k, v) for k, v in keys.items() if v is not None)
    return json.dumps(line, separators=(',', ':')) + '\n'


def draw(rng):
    """Lines of each rank of a job."""
    ranks = rng.choice([1, 2, 3, 8, 12])
    base = rng.choice([1700000000000000000, 1 << 62, 0])
    clockless = rng.random() < .2
    unnamed = rng.random() < .3
    late = rng.randrange(ranks)
    odd = rng.random() < .3
    groups = [sorted(rng.sample(range(ranks), rng.randint(1, ranks)))
              for _ in range(rng.randint(1, 4))]
    job = []
    for rank in range(ranks):
        lines = [record('trace.summary', rank, event_count=3,
                        rank_count=rng.choice([ranks, None]),
                        gpu_name=rng.choice(['A', 'A', 'B', None]),
                        first_ns=0, last_ns=10 ** 9),
                 record('trace.clock', rank, clock_base=None if clockless and
                        rank == late else str(base)),
                 record('gpu.device', rank, device_index=0, alike_count=4)]
        if rng.random() < .9:
            lines.append(record(
                'timeline.summary', rank, scope='all', device_count=1,
                span_ns=10 ** 9, busy_ns=9 * 10 ** 8,
                compute_ns=7 * 10 ** 8 + rank * 1000, idle_ns=10 ** 8,
                communication_ns=rng.choice([2 * 10 ** 8, None]),
                memcpy_ns=0))
        for step in range(rng.randint(0, 3)):
            lines.append(record('timeline.step', rank, index=step + 1,
                                wall_ns=1000 + rank, compute_ns=900))
        for name, members in enumerate(groups):
            if rank not in members:
                continue
            for n in range(12 if rng.random() < .8 else 7):
                kernel = 'gather' if n % 3 else 'reduce'
                if odd and rank == late and n == 5:
                    kernel = 'other'
                start = n * 10 ** 6 + rng.randrange(5) * 10000 + \
                    (60000 if rank == late else 0)
                lines.append(record(
                    'collective.run', rank, collective='all-' + kernel,
                    kernel=kernel, name=rng.choice(['c', 'c', 'c', None])
                    if odd else 'c',
                    process_group=None if unnamed else str(name),
                    process_group_ranks=None if unnamed else str(members),
                    process_group_count=None if unnamed else len(members),
                    stream=name, element_type='bf16',
                    in_bytes=rng.choice([1 << 20, 1 << 21]) if n % 4 else
                    None if n % 8 else 4096, collective_bytes=1 << 20,
                    bus_factor=1.5, start_ns=start,
                    duration_ns=rng.choice([10 ** 5] * 15 + [1000]) +
                    rng.randrange(1000)))
        lines.append(record('source', None, file=f'rank{rank}.json',
                            format='json', rows=9, skipped_count=0))
        if rng.random() < .2:
            lines.append(record('note', None, code='input.truncated',
                                text=f'rank{rank}.json: it ends early',
                                count=1, status=3))
        job.append(lines)
    if rng.random() < .2:
        job.append([record('trace.summary', None, event_count=1)])
    return job


def ranks(*arguments):
    done = subprocess.run(['tp-ranks', *arguments], stdout=subprocess.PIPE,
                          check=False)
    assert done.returncode in (0, 3), (arguments, done.returncode)
    return done.stdout


def told(stream):
    """What does not depend on records that are only passed on."""
    return [line for line in stream.splitlines()
            if b'"kind":"ranks.' in line or b'"kind":"note"' in line or
            b'"kind":"source"' in line]


def main():
    rng = random.Random(int(sys.argv[1]))
    os.chdir(sys.argv[2])
    shards = []
    for n, lines in enumerate(draw(rng)):
        shards.append(f'{n}.jsonl')
        with open(shards[-1], 'w', encoding='utf-8') as file:
            file.writelines(lines)
    whole = ranks(*shards)
    part = ranks('--part', *shards)
    for tree in range(3):
        items = shards[:]
        made = 0
        while len(items) > 1 or not items[0].endswith('.part'):
            rng.shuffle(items)
            count = rng.randint(1, len(items))
            made += 1
            name = f'{tree}-{made}.part'
            given = items[:count]
            # a task that ran twice delivers twice
            if given[0].endswith('.part') and rng.random() < .3:
                shutil.copy(given[0], 'again')
                given.append('again')
            with open(name, 'wb') as file:
                file.write(ranks('--part', *given))
            items = items[count:] + [name]
        with open(items[0], 'rb') as file:
            assert file.read() == part, f'tree {tree}: another partial'
        assert told(ranks(items[0])) == told(whole), f'tree {tree}: else'


main()
