"""Statistics, sets of spans, and the comparison.  All is int or Fraction."""
import fnmatch
import gzip
import json
import math
import os
import re
from decimal import Context, Decimal
from fractions import Fraction

def rank(values, percent):
    """Nearest rank: the smallest value that PERCENT % do not exceed."""
    at = math.ceil(Fraction(percent * len(values), 100))
    return sorted(values)[max(at, 1) - 1] if values else None

def linear(values, percent):
    """Quantile, linear between neighbours."""
    values = sorted(values)
    at = Fraction(percent * (len(values) - 1), 100)
    low = math.floor(at)
    return values[low] + (values[math.ceil(at)] - values[low]) * (at - low)

def mean(values):
    return Fraction(sum(values)) / len(values)

def whole(value):          # half to even
    return round(Fraction(value))

def ns(ps):
    return whole(Fraction(ps, 1000))

def scaled(value, digits):          # times a power of ten, half to even
    return int(Decimal(value).scaleb(digits).to_integral_value())

def stdev(values):
    """Standard deviation as a sample, to 50 digits."""
    square = sum((v - mean(values)) ** 2 for v in values) / (len(values) - 1)
    exact = Context(prec=50)
    return exact.sqrt(exact.divide(Decimal(square.numerator), Decimal(square.denominator)))

def union(spans):
    """Merge spans that overlap or touch; one of no length stands alone."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged

def length(spans):
    return sum(end - start for start, end in spans)

def alone(spans, *others):
    """Length of SPANS where none of OTHERS is."""
    rest = sum(others, [])
    return length(union(spans + rest)) - length(union(rest))

def gaps(merged):
    return [(a[1], b[0]) for a, b in zip(merged, merged[1:])]

def ratio(part, of):
    return Fraction(part) / of if of else None

def read_bytes(path):
    with open(path, 'rb') as f:
        raw = f.read()
    return gzip.decompress(raw) if raw[:2] == b'\x1f\x8b' else raw

def read_json(text):
    """A document; a number with a point is a Decimal, never a float."""
    return json.loads(text, parse_float=Decimal, strict=False)

def names(file):          # data that filters read as well
    return read_json(read_bytes(os.path.join(os.path.dirname(__file__), '../../share/ops', file)))

def fits_words(terms, text):
    """Whether the words of TEXT are as TERMS, "a_b|c* !d", ask."""
    text = re.sub('[^A-Za-z]' if text.startswith('_Z') else '[^A-Za-z0-9]', ' ', text)
    text = ' %s ' % re.sub('(?<=[a-z])(?=[A-Z])|(?=[A-Z][a-z])', ' ', text).lower()
    def has(word):
        end = '' if word.endswith('*') else ' '
        return re.search(' ' + word.rstrip('*').replace('_', ' *') + end, text)
    return all(any(map(has, t.lstrip('!').split('|'))) != t.startswith('!')
               for t in terms.split())

def fits(patterns, text):
    """Whether one of PATTERNS, as share/doc/ops.md tells, fits TEXT."""
    for p in [patterns] if isinstance(patterns, str) else patterns:
        if p.startswith('{'):
            if fits_words(p[1:-1], text):
                return True
            continue
        e = re.fullmatch('/(.+)/(i?)', p)
        if re.search(e[1], text, re.I if e[2] else 0) if e else fnmatch.fnmatchcase(text, p):
            return True
    return False

def class_of(rows, text, key='match'):
    return next((r for r in rows if key not in r or fits(r[key], text)), {'name': None})['name']

class Known:
    """A known difference: what the program says, and what it should."""
    met = {}

    def __init__(self, value, right, why):
        self.value, self.right, self.why = value, right, why

class Expected:
    """What records must say.  KINDS has of each kind the keys that tell its records apart.

    Values: int, str, bool are equal; a Fraction is one rounding away, a float (of several
    roundings) 1e-12; None: the key is absent; Known: it should be another one.
    """
    def __init__(self, kinds):
        self.kinds, self.records = kinds, {}

    def add(self, kind, identity, **values):
        self.records[(kind, *identity)] = values

    def __len__(self):
        return sum(map(len, self.records.values()))

    def name(self, record):
        kind = record['kind']
        return (kind, *map(record.get, self.kinds.get(kind, '').split()))

    def differences(self, records):
        """Yield (name of a record, key, text) of all that is not so."""
        seen = set()
        for record in records:
            name = self.name(record)
            if name[0] in self.kinds and name not in self.records:
                yield name, '', 'a record that the oracle has not'
            elif name in seen:
                yield name, '', 'a second record'
            elif name in self.records:
                seen.add(name)
            for key, want in self.records.get(name, {}).items():
                if isinstance(want, Known):
                    if want.value != want.right:
                        Known.met[name[0], key] = want
                    want = want.value
                if not same(record.get(key), want):
                    yield name, key, 'ours %s, oracle %s' % (record.get(key), want)
        for name in self.records.keys() - seen:
            yield name, '', 'no such record'

def same(ours, want):
    if not isinstance(want, (Fraction, float)):
        return type(ours) is type(want) and ours == want
    if type(ours) not in (int, Decimal):
        return False
    off = abs(Fraction(ours) - Fraction(want))
    return off <= (abs(want) * 1e-12 if isinstance(want, float)
                   else Fraction(math.ulp(float(want))))
