#!/usr/bin/env python3
"""Records of many ranks by Dask, and what they say together.

    dask_ranks.py LABEL NAMES FOLDER [SCHEDULER.JSON]

NAMES has the path of a trace in each line.  FOLDER is made, on a disk that all
workers see, and gets job.jsonl.  Without the file of a scheduler the workers
are threads: the work is that of tp-trace.
"""
import os
import subprocess
import sys

from distributed import Client

RANKS = 8    # of a task


def records(label, names, part):
    subprocess.run(
        ["tp-trace", "-q", "--ranks", "--only", "@ranks", "--label", label,
         "--ok", "3", "--files-from", "-", "-o", part],
        input=b"\n".join(names), check=True)
    return part


def main(label, names, folder, scheduler=None):
    with open(names, "rb") as file:
        names = [line for line in file.read().split(b"\n") if line.strip()]
    os.mkdir(folder)
    lists = [names[i:i + RANKS] for i in range(0, len(names), RANKS)]
    parts = [f"{folder}/part.{i:04d}.jsonl" for i in range(len(lists))]
    with (Client(scheduler_file=scheduler) if scheduler
          else Client(processes=False, dashboard_address=None)) as client:
        parts = client.gather(client.map(
            records, [label] * len(lists), lists, parts))
    return subprocess.run(
        ["tp-ranks", "--files-from", "-", "--expect", str(len(names)),
         "-o", f"{folder}/job.jsonl"],
        input="\n".join(parts), text=True).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
