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
            "font-size", "fill", "class", "x", "y", "preserveAspectRatio"},
    "title": set(), "desc": set(), "style": set(),
    "g": {"fill", "fill-opacity", "class"},
    "line": {"x1", "y1", "x2", "y2", "stroke", "stroke-opacity",
             "stroke-width", "stroke-dasharray"},
    "path": {"d", "fill", "fill-opacity", "stroke", "stroke-opacity",
             "stroke-width", "stroke-dasharray"},
    "rect": {"x", "y", "width", "height", "fill", "fill-opacity", "stroke",
             "stroke-width", "stroke-opacity"},
    "circle": {"cx", "cy", "r", "fill", "fill-opacity", "stroke",
               "stroke-width"},
    "text": {"x", "dx", "y", "text-anchor", "font-size", "font-weight", "fill",
             "fill-opacity"},
}
STYLE = ("svg{color:#222}@media(prefers-color-scheme:dark)"
         "{svg{color:#ddd}}")
FORMS = (".short{display:none}@media(max-width:40rem){.long{display:none}"
         ".short{display:inline}}")
NUMBER = re.compile(r"-?([0-9]+(\.[0-9])?|\.[0-9])$")
LETTER, HEIGHT = 6.6, 9.0
PART = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?%$")
NUMERIC = {"x1", "y1", "x2", "y2", "x", "y", "width", "height", "cx", "cy", "r", "font-size"}


def columns(text):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


class Picture:
    """A picture as it is, or one that a page shows on a phone, NARROW wide."""

    def __init__(self, name, narrow=0):
        self.name, self.faults, self.narrow = name, [], narrow
        self.stack, self.seen, self.texts = [], {}, []
        self.words, self.views = "", []
        self.letter = LETTER

    def fault(self, words):
        if len(self.faults) < 20:
            self.faults.append("%s%s: %s" % (
                self.name, " (narrow)" if self.narrow else "", words))

    def number(self, element, attrs, key, default=0.0):
        value = attrs.get(key)
        if value is None:
            return default
        part = value.endswith("%")
        if not (PART if part else NUMBER).match(value):
            self.fault("%s: %s=%s" % (element, key, value))
            return 0.0
        if not part:
            return float(value)
        view = self.views[-1]
        return float(value[:-1]) / 100 * view[
            3 if key in ("y", "y1", "y2", "height") else 2]

    def inside(self, what, x, y):
        # x and y, width and height, and how much its path is stretched
        _, _, width, height, stretch = self.views[-1]
        if what == "path" and self.narrow and stretch == 1.0:
            return  # hatching is clipped
        if not (-0.1 <= x * stretch <= width + 0.1 and
                -0.1 <= y <= height + 0.1):
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
        if element == "svg" and not self.views:
            size = (n["width"], n["height"])
            if attrs.get("role") != "img":
                self.fault("no role")
            if [float(v) for v in attrs.get("viewBox", "").split()] != [
                    0.0, 0.0, *size]:
                self.fault("viewBox " + attrs.get("viewBox", ""))
            self.is_scene = attrs.get("class") == "scene"
            if self.is_scene:
                self.letter = 5.7
            self.views.append((0.0, 0.0, self.narrow or size[0], size[1], 1.0))
        elif element == "svg":
            x, y, width, height, _ = self.views[-1]
            self.inside("svg", n["x"], n["y"])
            self.inside("svg", n["x"] + n["width"] - .1, n["y"] + n["height"] - .1)
            box = attrs.get("viewBox", "").split()
            if box and (float(box[3]) != n["height"] or
                        attrs.get("preserveAspectRatio") != "none"):
                self.fault("viewBox " + attrs["viewBox"])
            self.views.append((x + n["x"], y + n["y"], n["width"], n["height"],
                               n["width"] / float(box[2]) if box else 1.0))
        elif element == "rect":
            self.inside("rect", n["x"], n["y"])
            self.inside("rect", n["x"] + n["width"], n["y"] + n["height"])
            if n["width"] < 0 or n["height"] < 0:
                self.fault("rect of negative size")
        elif element == "circle":
            self.inside("circle", n["cx"], n["cy"])
        elif element == "line":
            self.inside("line", n["x1"], n["y1"])
            self.inside("line", n["x2"], n["y2"])
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
        if element == "style" and self.words not in (STYLE, FORMS):
            self.fault("style " + self.words)
        if element == "text":
            self.text(attrs)
        if element == "svg":
            self.views.pop()

    def text(self, attrs):
        if any(a.get("class") == ("long" if self.narrow else "short")
               for _, a in self.stack):
            return
        words = "".join(attrs.get("", []))
        wide = columns(words) * self.letter
        left, top, width, _, _ = self.views[-1]
        x = self.number("text", attrs, "x") + self.number("text", attrs, "dx")
        y = self.number("text", attrs, "y")
        x -= {"middle": wide / 2, "end": wide}.get(
            attrs.get("text-anchor"), 0)
        if len(self.views) == 1 and (x < -1 or x + wide > width + 1):
            self.fault("text is clipped: " + words)
        self.inside("text", min(max(x, 0), width), y)
        if self.narrow and len(self.views) == 2 and any(
                a.get("class") == "short" for _, a in self.stack) and (
                x + wide > width + 3):
            self.fault("short text is clipped: " + words)
        # a part of a picture clips its texts
        wide = min(x + wide, width) - max(x, 0)
        x, y = left + max(x, 0), top + y
        for a, b, w, other in self.texts:
            if abs(b - y) < HEIGHT and x + 1 < a + w and a + 1 < x + wide:
                self.fault("text over text: '%s' and '%s'" % (words, other))
        if words.strip():
            self.texts.append((x, y, wide, words))


def check(name, narrow=0):
    picture = Picture(name, narrow)
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
    if picture.is_scene and not narrow:
        picture.faults += check(name, 358)
    return picture.faults


def main():
    faults = [f for name in sys.argv[1:] for f in check(name)]
    print("\n".join(faults) or "svg: nothing found")
    return 1 if faults else 0


sys.exit(main())
