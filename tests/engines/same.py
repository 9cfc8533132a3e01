#!/usr/bin/env python3
"""same.py SCHEMA RECORDS < ROWS: are ROWS what RECORDS hold?

ROWS are JSON objects, one a line, as an engine returned them: "view" says from
which view, 64-bit integers are strings.  Each key that a schema of the folder
SCHEMA knows has to be there with the value and the type of the record, and no
row may be lost, doubled or be in two views.  Prints what differs, status 1.
"""
import collections
import json
import pathlib
import sys


def load_schemas(folder):
    """Return {kind: [key, ...]} and {key: type}."""
    kinds = {}
    for path in folder.glob('[a-z]*.json'):
        schema = json.loads(path.read_text())
        kinds[schema['title']] = [k for k in schema['properties'] if k != 'kind']
    keys = json.loads((folder / '_keys.json').read_text())['$defs']
    return kinds, {name: key['type'] for name, key in keys.items()}


def typed(value, kind_of):
    """Return VALUE as an engine returns it, of the type KIND_OF."""
    if value is None:
        return None
    if kind_of == 'integer':
        return str(int(value))
    if kind_of == 'number':
        return float(value)
    if kind_of == 'boolean':
        return bool(value)
    return value


def main():
    folder, records = pathlib.Path(sys.argv[1]), sys.argv[2]
    kinds, types = load_schemas(folder)
    expected = collections.Counter()
    with open(records, encoding='utf-8', errors='surrogateescape') as lines:
        for line in lines:
            record = json.loads(line)
            kind = record['kind']
            kind = 'row' if kind.startswith('row.') else kind
            if kind not in kinds:
                continue
            expected[kind.replace('.', '_'), tuple(
                typed(record.get(k), types[k]) for k in kinds[kind])] += 1
    found = collections.Counter()
    views = {kind.replace('.', '_'): keys for kind, keys in kinds.items()}
    for line in sys.stdin:
        row = json.loads(line)
        keys = views[row['view']]
        # a number that happens to be whole is printed without a point
        found[row['view'], tuple(
            float(row[k]) if types[k] == 'number' and isinstance(row[k], int)
            else row[k] for k in keys)] += 1
    for what, those in (('lost', expected - found), ('new', found - expected)):
        for (view, values), count in list(those.items())[:10]:
            pairs = {k: v for k, v in zip(views[view], values) if v is not None}
            print(what, count, view, pairs)
    print(sum(expected.values()), 'records of', len({v for v, _ in expected}),
          'kinds')
    return expected != found


if __name__ == '__main__':
    sys.exit(main())
