"""shuffle - the same rows or events of a file in another order

    shuffle.py FORM SEED FILE >OTHER

FORM rows: rows of CSV below the header, of JSON lines, of XML with its
references resolved, events of a trace behind the first one that has a time,
from which times count.  runs: rows of CSV, but those of each run_index stay
in their order.  wide: JSON as jq prints it, nothing else changed.  The text
of a row or event stays as it is.  Fails where FILE is not that.
"""
import copy
import csv
import json
import random
import re
import sys
import xml.etree.ElementTree as tree


def lines(text):
    """Lines of CSV; a line break within quotes ends none."""
    return re.findall(r'(?:[^"\n]|"[^"]*(?:"|\Z))*\n|(?:[^"\n]|"[^"]*")+\Z',
                      text)


def tokens(text):
    return re.findall(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+|\s+|.', text)


def elements(text, at):
    """Texts of the elements of the array that opens before AT, its end."""
    parts = []
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()
        if text[at] == "]":
            return parts, at
        end = json.JSONDecoder(strict=False).raw_decode(text, at)[1]
        parts.append(text[at:end])
        at = end


def wide(text):
    """Like jq . does it."""
    depth, out = 0, []
    for token in tokens(text):
        if token.isspace():
            continue
        if token in "]}":
            depth -= 1
            out.append("\n" + "  " * depth)
        out.append(token)
        if token == ":":
            out.append(" ")
        if token in "[{":
            depth += 1
        if token in "[{,":
            out.append("\n" + "  " * depth)
    return "".join(out) + "\n"


def resolved(node, known):
    if node.get("ref") in known:
        node = known[node.get("ref")]
    whole = tree.Element(node.tag, {k: v for k, v in node.attrib.items()
                                    if k != "id"})
    whole.text = node.text
    whole.extend(resolved(child, known) for child in node)
    return whole


def xml(text):
    root = tree.fromstring(text)
    known = {n.get("id"): n for n in root.iter() if n.get("id")}
    for node in root.iter("node"):
        rows = node.findall("row")
        random.shuffle(rows)
        for row in node.findall("row"):
            node.remove(row)
        node.extend(resolved(copy.copy(row), known) for row in rows)
    return tree.tostring(root, encoding="unicode")


def each_run(head, shuffled, given):
    """The rows of each run stay in the order they were logged in."""
    of = next(csv.reader([head])).index("run_index")

    def run(line):
        return next(csv.reader([line]))[of]

    left = {}
    for line in given:
        left.setdefault(run(line), []).append(line)
    return [left[run(line)].pop(0) for line in shuffled]


def rows(text, form):
    head = text.lstrip("\ufeff \t\n")[:1]
    if head == "<":
        return xml(text)
    if head not in ("{", "["):
        first, *rest = lines(text)
        if rest and not rest[-1].endswith("\n"):
            rest[-1] += "\n"
        given = rest[:]
        random.shuffle(rest)
        if form == "runs":
            rest = each_run(first, rest, given)
        return first + "".join(rest)
    at = re.search(r'"traceEvents"\s*:\s*\[' if head == "{" else r"\[", text)
    if not at:
        rest = text.splitlines(True)
        for line in rest:
            json.loads(line)
        random.shuffle(rest)
        return "".join(rest)
    parts, end = elements(text, at.end())
    first = [p for p in parts if re.search(r'"ts"\s*:', p) and
             not re.search(r'"ph"\s*:\s*"M"', p)][:1]
    last = [p for p in parts[-1:] if p == "{}"]
    rest = [p for p in parts if not any(p is q for q in first + last)]
    # of what an allocator did at one time the first is the first
    given = [p for p in rest if '"[memory]"' in p]
    random.shuffle(rest)
    rest = [given.pop(0) if '"[memory]"' in p else p for p in rest]
    return text[:at.end()] + ",\n".join(first + rest + last) + text[end:]


def main(form, seed, name):
    random.seed(int(seed))
    with open(name, encoding="utf-8", newline="") as file:
        text = file.read()
    json_text = text.lstrip("\ufeff \t\n")[:1] in ("{", "[")
    if form == "wide" and not json_text or form == "runs" and json_text:
        raise ValueError("another form")
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    sys.stdout.write(wide(text) if form == "wide" else rows(text, form))


main(*sys.argv[1:])
