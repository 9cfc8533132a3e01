import subprocess, sys, glob, os
sys.path.insert(0, os.path.dirname(__file__))
from core import parse_records
import importlib
mod = importlib.import_module(sys.argv[1])
exp = mod.expect(sys.argv[2:])
recs = []
for p in mod.PROGRAMS:
    r = subprocess.run(p.split() + sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if r.returncode not in (0,): print(p, 'status', r.returncode)
    recs += parse_records(r.stdout.decode())
n=0
for d in exp.differences(recs):
    n+=1
    if n<40: print(d)
print(exp.count(), 'numbers', n, 'diffs')
