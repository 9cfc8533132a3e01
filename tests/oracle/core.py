"""What the sources share: statistics, sets of spans, and the comparison.

Everything is int or Fraction; a float is made only where a record holds one.
"""
import gzip
import json
import math
from decimal import Decimal
from fractions import Fraction


def rank(values, percent):
    """Nearest rank: the smallest value that PERCENT % do not exceed."""
    values = sorted(values)
    return values[max(math.ceil(percent * len(values) / Fraction(100)), 1) - 1]


def linear(values, percent):
    """Quantile, linear between neighbours."""
    values = sorted(values)
    at = Fraction(percent * (len(values) - 1), 100)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def mean(values):
    return Fraction(sum(values)) / len(values)


def whole(value, factor=1):
    """To a whole number, half to even."""
    return round(Fraction(value) * factor)


def ns(ps):
    """Picoseconds as whole nanoseconds."""
    return whole(Fraction(ps, 1000))


def scaled(value, digits):
    """VALUE times ten to the DIGITS, whole, half to even."""
    return int(Decimal(value).scaleb(digits).to_integral_value())


def stdev(values, free=1, factor=1):
    """Standard deviation times FACTOR, a whole number, half to even."""
    n = len(values)
    middle = mean(values)
    square = sum((v - middle) ** 2 for v in values) / (n - free) * factor ** 2
    root = math.isqrt(math.floor(square * 4))     # in halves, rounded down
    up = root % 2 and (Fraction(root, 2) ** 2 < square or root // 2 % 2)
    return root // 2 + (1 if up else 0)


def union(spans):
    """Merge half-open spans that overlap or touch; empty ones are none."""
    merged = []
    for start, end in sorted(s for s in spans if s[1] > s[0]):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(spans):
    return sum(end - start for start, end in spans)


def minus(a, b):
    """What of union A is not in union B."""
    left, j = [], 0
    for start, end in a:
        while j < len(b) and b[j][1] <= start:
            j += 1
        k = j
        while k < len(b) and b[k][0] < end:
            if b[k][0] > start:
                left.append([start, b[k][0]])
            start = max(start, b[k][1])
            k += 1
        if start < end:
            left.append([start, end])
    return left


def gaps(merged):
    return [(a[1], b[0]) for a, b in zip(merged, merged[1:])]


def ratio(part, of):
    return Fraction(part) / of if of else None


def read_bytes(path):
    with open(path, 'rb') as f:
        raw = f.read()
    return gzip.decompress(raw) if raw[:2] == b'\x1f\x8b' else raw


def read_json(path):
    """Document of a file; a number with a point is a Decimal."""
    text = read_bytes(path).decode('utf-8', 'replace')
    return json.loads(text, parse_float=Decimal, strict=False)


class Known:
    """A known difference: what the program says, and what it should."""
    met = {}

    def __init__(self, value, right, why):
        self.value, self.right, self.why = value, right, why


class Expected:
    """What records must say: by kind and identity, the values of keys.

    KINDS has of each kind the keys that tell its records apart.  A value is
    an int, str or bool, which must be equal; a Fraction, which the number of
    the record must be as a double (within one rounding); a float for what
    takes several roundings; None where the key must be absent.  Known is
    a value that should be another one.
    """
    def __init__(self, kinds):
        self.kinds, self.records = kinds, {}

    def add(self, kind, identity, values):
        assert len(identity) == len(self.kinds[kind]), kind
        self.records[kind, tuple(identity)] = values

    def count(self):
        return sum(len(v) for v in self.records.values())

    def identity(self, record):
        kind = record['kind']
        return kind, tuple(record.get(k) for k in self.kinds[kind])

    def differences(self, records, limit=None):
        """Yield 'record: key: ours X, oracle Y' of all that is not so."""
        seen = set()
        for record in records:
            if record['kind'] not in self.kinds:
                continue
            name = self.identity(record)
            if name not in self.records:
                yield name, None, 'a record that the oracle has not'
            elif name in seen:
                yield name, None, 'a second record'
            seen.add(name)
            for key, want in self.records.get(name, {}).items():
                if isinstance(want, Known):
                    if want.value != want.right:
                        Known.met[name[0], key] = want
                    want = want.value
                if not same(record.get(key), want):
                    yield name, key, 'ours %s, oracle %s' % (
                        record.get(key), show(want))
        for name in self.records:
            if name not in seen:
                yield name, None, 'no such record'


def same(ours, want):
    if want is None or isinstance(want, (bool, str)) or ours is None:
        return ours is want if want is None or want is True or \
            want is False else ours == want
    if isinstance(want, int):
        return type(ours) is int and ours == want
    if isinstance(ours, (bool, str)):
        return False
    near = float(want)
    off = abs(Fraction(ours) - Fraction(want))
    if isinstance(want, float):
        return off <= abs(near) * 1e-12
    return off <= Fraction(math.ulp(near))


def show(want):
    return float(want) if isinstance(want, Fraction) else want


def parse_records(text):
    return [json.loads(line, parse_float=Decimal)
            for line in text.split('\n') if line]
