"""The aggregate of tp-gpu-intervals in pandas: count, sum, union,
percentiles, busy time by channel."""
import sys

import pandas


def busy(rows):
    rows = rows.sort_values("start", kind="stable")
    stop = rows["start"] + rows["duration"]
    before = stop.cummax().shift(fill_value=0)
    begin = rows["start"].where(rows["start"] > before, before)
    return int((stop - begin).clip(lower=0).sum())


rows = pandas.read_csv(sys.argv[1],
                       usecols=["start", "duration", "channel-name"])
length = rows["duration"]
print(len(rows), length.sum(), busy(rows))
print(length.quantile([0.5, 0.99], interpolation="lower").tolist())
for name, part in rows.groupby("channel-name"):
    print(name, busy(part))
