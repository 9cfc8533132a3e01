# What events.c does, by json.load: FILE.  With "load", that alone: what any
# tool in Python must do with a trace at least.
import gzip
import json
import sys


def whole(name):
    with (gzip.open if name.endswith('.gz') else open)(name, 'rb') as f:
        return json.load(f)


if sys.argv[1] == 'load':
    print(len(whole(sys.argv[2])['traceEvents']))
    sys.exit()
ns = {}
count = 0
for e in whole(sys.argv[1])['traceEvents']:
    if e.get('ph') == 'X':
        count += 1
        ns[e['name']] = ns.get(e['name'], 0) + round(e['dur'] * 1000)
print(count, sum(ns.values()), len(ns))
for name, n in sorted(ns.items(), key=lambda x: -x[1])[:10]:
    print(n, name)
