"""The aggregate of tp-gpu-intervals as a throw-away script would have it:
count, sum, union, percentiles, busy time by channel."""
import csv
import sys

starts, channels = [], {}
with open(sys.argv[1], newline="") as f:
    rows = csv.reader(f)
    at = {name: i for i, name in enumerate(next(rows))}
    s, d, c = at["start"], at["duration"], at["channel-name"]
    for r in rows:
        span = (int(r[s]), int(r[d]))
        starts.append(span)
        channels.setdefault(r[c], []).append(span)


def busy(spans):
    total, end = 0, -1
    for start, length in sorted(spans):
        stop = start + length
        if start > end:
            total += length
            end = stop
        elif stop > end:
            total += stop - end
            end = stop
    return total


lengths = sorted(d for _, d in starts)
n = len(lengths)
print(n, sum(lengths), busy(starts), lengths[n // 2], lengths[n * 99 // 100])
for name, spans in channels.items():
    print(name, busy(spans))
