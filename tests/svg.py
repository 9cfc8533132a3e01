#!/usr/bin/env python3
"""svg.py FILE...: what is wrong with pictures, a line each; 1 when anything is

Well-formed by expat; only elements and attributes that a page may show and a
strict viewer keeps; a title and a description; nothing outside of the picture;
no text over another (by an estimated width).
"""
import re
import sys
import unicodedata
import xml.parsers.expat

ATTRIBUTES = {
    "svg": {"xmlns", "width", "height", "viewBox", "role", "font-family",
            "font-size", "fill"},
    "title": set(), "desc": set(), "style": set(),
    "g": {"fill", "fill-opacity"},
    "path": {"d", "fill", "fill-opacity", "stroke", "stroke-opacity",
             "stroke-width", "stroke-dasharray"},
    "rect": {"x", "y", "width", "height", "fill", "fill-opacity", "stroke",
             "stroke-width", "stroke-opacity"},
    "circle": {"cx", "cy", "r", "fill", "fill-opacity", "stroke",
               "stroke-width"},
    "text": {"x", "y", "text-anchor", "font-size", "font-weight", "fill",
             "fill-opacity"},
}
STYLE = ("svg{color:#222}@media(prefers-color-scheme:dark)"
         "{svg{color:#ddd}}")
NUMBER = re.compile(r"-?([0-9]+(\.[0-9])?|\.[0-9])$")
LETTER, HEIGHT = 6.6, 9.0
NUMERIC = {"x", "y", "width", "height", "cx", "cy", "r", "font-size"}


def columns(text):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


class Picture:
    def __init__(self, name):
        self.name, self.faults = name, []
        self.stack, self.seen, self.texts = [], {}, []
        self.words, self.size = "", (0.0, 0.0)

    def fault(self, words):
        if len(self.faults) < 20:
            self.faults.append("%s: %s" % (self.name, words))

    def number(self, element, attrs, key):
        value = attrs.get(key, "0")
        if not NUMBER.match(value):
            self.fault("%s: %s=%s" % (element, key, value))
            return 0.0
        return float(value)

    def inside(self, what, x, y):
        if not (-0.1 <= x <= self.size[0] + 0.1 and
                -0.1 <= y <= self.size[1] + 0.1):
            self.fault("%s outside: %.1f %.1f" % (what, x, y))

    def path(self, d):
        x = y = 0.0
        start = (x, y)
        steps = re.findall(r"([MmLHVhvlz])([^MmLHVhvlz]*)", d)
        if "".join(a + b for a, b in steps) != d:
            self.fault("path: " + d[:60])
        for verb, rest in steps:
            n = [float(v) for v in rest.replace(",", " ").split()]
            if verb in "ML" and len(n) == 2:
                x, y = n
            elif verb in "ml" and len(n) == 2:
                x, y = x + n[0], y + n[1]
            elif verb == "H" and len(n) == 1:
                x = n[0]
            elif verb == "V" and len(n) == 1:
                y = n[0]
            elif verb == "h" and len(n) == 1:
                x += n[0]
            elif verb == "v" and len(n) == 1:
                y += n[0]
            elif verb == "z" and not n:
                x, y = start
            else:
                self.fault("path: %s%s" % (verb, rest))
            if verb in "Mm":
                start = (x, y)
            self.inside("path", x, y)

    def begin(self, element, attrs):
        self.stack.append((element, attrs))
        self.seen[element] = self.seen.get(element, 0) + 1
        self.words = ""
        if element not in ATTRIBUTES:
            self.fault("element " + element)
            return
        for key in set(attrs) - ATTRIBUTES[element]:
            self.fault("%s: attribute %s" % (element, key))
        n = {k: self.number(element, attrs, k) for k in NUMERIC}
        if element == "svg":
            self.size = (n.get("width", 0), n.get("height", 0))
            if attrs.get("role") != "img":
                self.fault("no role")
            if [float(v) for v in attrs.get("viewBox", "").split()] != [
                    0.0, 0.0, self.size[0], self.size[1]]:
                self.fault("viewBox " + attrs.get("viewBox", ""))
        elif element == "rect":
            self.inside("rect", n["x"], n["y"])
            self.inside("rect", n["x"] + n["width"], n["y"] + n["height"])
            if n["width"] < 0 or n["height"] < 0:
                self.fault("rect of negative size")
        elif element == "circle":
            self.inside("circle", n["cx"], n["cy"])
        elif element == "path":
            self.path(attrs.get("d", ""))
        if "M" in attrs.get("d", "M") and "NaN" in str(attrs):
            self.fault("NaN")

    def data(self, text):
        self.words += text
        if self.stack and self.stack[-1][0] == "text":
            self.stack[-1][1].setdefault("", []).append(text)

    def end(self, element):
        attrs = self.stack.pop()[1]
        if element in ("title", "desc") and not self.words.strip() and (
                element == "title" or len(self.stack) == 1):
            self.fault("empty " + element)
        if element == "style" and self.words != STYLE:
            self.fault("style " + self.words)
        if element == "text":
            self.text(attrs)

    def text(self, attrs):
        words = "".join(attrs.get("", []))
        wide = columns(words) * LETTER
        x, y = float(attrs["x"]), float(attrs["y"])
        x -= {"middle": wide / 2, "end": wide}.get(
            attrs.get("text-anchor"), 0)
        if x < -1 or x + wide > self.size[0] + 1:
            self.fault("text is clipped: " + words)
        self.inside("text", max(x, 0), y)
        for a, b, w, other in self.texts:
            if abs(b - y) < HEIGHT and x + 1 < a + w and a + 1 < x + wide:
                self.fault("text over text: '%s' and '%s'" % (words, other))
        if words.strip():
            self.texts.append((x, y, wide, words))


def check(name):
    picture = Picture(name)
    with open(name, "rb") as f:
        content = f.read()
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = picture.begin
    parser.EndElementHandler = picture.end
    parser.CharacterDataHandler = picture.data
    try:
        parser.Parse(content, True)
    except xml.parsers.expat.ExpatError as e:
        picture.fault("not well-formed: %s" % e)
        return picture.faults
    for element in ("title", "desc", "style"):
        if not picture.seen.get(element):
            picture.fault("no " + element)
    if len(content) > 65536:
        picture.fault("%d bytes" % len(content))
    return picture.faults


def main():
    faults = [f for name in sys.argv[1:] for f in check(name)]
    print("\n".join(faults) or "svg: nothing found")
    return 1 if faults else 0


sys.exit(main())
