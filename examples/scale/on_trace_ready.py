"""Records of a rank where its trace is, for torch.profiler.

    profile(..., on_trace_ready=on_trace_ready)

Started by torchrun, which says the rank.  Once all ranks are through:

    find /shared/job-17/step-10 -name 'rank-*.jsonl' |
        tp-ranks --files-from - --expect 4096 >job-17.jsonl
"""
import atexit
import os
import subprocess

LOCAL = os.environ.get("TRACES", "/local")             # traces stay there
SHARED = os.environ.get("RECORDS", "/shared/job-17")    # all ranks see it
LABEL = os.path.basename(SHARED)


def on_trace_ready(prof):
    name = f"rank-{int(os.environ['RANK']):05d}"
    trace = f"{LOCAL}/step-{prof.step_num}-{name}.json.gz"
    folder = f"{SHARED}/step-{prof.step_num}"
    prof.export_chrome_trace(trace)
    os.makedirs(folder, exist_ok=True)
    # Not waited for: a rank that is late at the next collective makes all wait.
    process = subprocess.Popen(
        ["tp-trace", "-q", "--ranks", "--only", "@ranks", "--label", LABEL,
         "--ok", "3", "-o", f"{folder}/{name}.jsonl", trace])
    atexit.register(process.wait)
