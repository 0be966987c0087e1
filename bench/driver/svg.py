# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small SVG files: text, paths in whole pixels, and axes.

Equal numbers give equal bytes. Whatever has the same look goes into one path,
and whatever stands in one plot into one line of the file.
"""

import html
import math

SIZE = 10      # of the text
LINE = 13      # from one line of text to the next
WIDE = 0.58    # of a letter, on the average, in sizes of the text
BLACK, GREY = "#222", "#ddd"
# What else a look is made of, in each element, would be half of the file. A dot
# is a line without length, with round ends.
STYLE = (f"text{{fill:{BLACK};stroke:none}}.mid{{text-anchor:middle}}"
         ".end{text-anchor:end}"
         ".dot{stroke-width:5;stroke-linecap:round}"
         f".rules{{stroke:{GREY};stroke-dasharray:1 {LINE - 1}}}")


def width_of(text):
    return math.ceil(WIDE * SIZE * len(text))


def escaped(text):
    return html.escape(" ".join(text.split()), quote=False)


def element(name, inner="", **look):
    """`stroke_width=2` is the attribute stroke-width."""
    attributes = "".join(f' {key.rstrip("_").replace("_", "-")}="{value}"'
                         for key, value in look.items() if value is not None)
    end = f">{inner}</{name}>" if inner else "/>"
    return f"<{name}{attributes}{end}"


def words(x, y, text, **look):
    return element("text", escaped(text), x=round(x), y=round(y), **look)


def column(x, texts, **look):
    """Texts at one x: pairs of y and text."""
    return element("g", "".join(element("text", escaped(text), y=round(y))
                                for y, text in texts),
                   transform=f"translate({round(x)})", **look)


def legend(x, y, entries):
    """A line of text: pairs of a text and its colour."""
    return element("text", " ".join(
        element("tspan", f"● {escaped(text)}", fill=colour)
        for text, colour in entries), x=round(x), y=round(y))


def legend_lines(entries, most):
    """The entries in lines of at most so many pixels."""
    lines, used = [[]], 0
    for text, colour in entries:
        used += width_of(f"● {text} ")
        if used > most and lines[-1]:
            lines.append([])
            used = width_of(f"● {text} ")
        lines[-1].append((text, colour))
    return lines


def lines(parts, colour=None, **look):
    return element("path", d="".join(parts), stroke=colour, **look)


def areas(parts, colour):
    return element("path", d="".join(parts), fill=colour, stroke="none")


def level(x, y, end):
    return f"M{round(x)} {round(y)}H{round(end)}"


def upright(x, y, end):
    return f"M{round(x)} {round(y)}V{round(end)}"


def ruled(x, y, end, count):
    """So many level lines, one for each line of text: a wide one with gaps."""
    return lines([f"M{(x + end) / 2:g} {y - 0.5:g}v{LINE * count}"],
                 stroke_width=round(end - x), class_="rules")


def dots(points, colour):
    return lines([f"M{round(x)} {round(y)}z" for x, y in points], colour,
                 class_="dot")


def through(points):
    """A line through the points, from one to the next."""
    rounded = [(round(x), round(y)) for x, y in points]
    steps = ((x - a, y - b) for (a, b), (x, y) in zip(rounded, rounded[1:]))
    return "M{} {}".format(*rounded[0]) + "".join(
        f"l{x}{y}" if y < 0 else f"l{x} {y}" for x, y in steps)


#===-- Axes --------------------------------------------------------------===#


def number(value):
    """As short as can be: 1e-08, 20, 0.5."""
    text = f"{value:g}"
    return text.replace("e-0", "e-").replace("e+0", "e")


class Axis:
    """From the values `low` to `high` to pixels."""

    def __init__(self, low, high, begin, end, base=None):
        self.base, self.begin, self.end = base, begin, end
        self.low, self.high = self._of(low), self._of(high)
        self.values = (low, high)

    def _of(self, value):
        return math.log10(value) if self.base else value

    def at(self, value):
        share = (self._of(value) - self.low) / ((self.high - self.low) or 1)
        return self.begin + share * (self.end - self.begin)

    def ticks(self, most=8):
        low, high = self.values
        if self.base:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            for digits in (range(1, 10), (1, 2, 5), (1,)):
                found = [v for v in (10.0 ** p * digit for p in powers
                                     for digit in digits)
                         if low * 0.999 <= v <= high * 1.001]
                if len(found) <= most:
                    break
            return found[::math.ceil(len(found) / most)]
        step = 10.0 ** math.floor(math.log10(high - low))
        step = next(s for s in (step / 5, step / 2, step, 2 * step)
                    if (high - low) / s <= most)
        first = math.ceil(low / step)
        return [round(i * step, 9)
                for i in range(first, math.floor(high / step + 1e-9) + 1)]


def log_axis(values, begin, end):
    """With some room beside the outermost values."""
    low, high = min(values), max(values)
    room = (high / low) ** 0.04 if high > low else 1.5
    return Axis(low / room, high * room, begin, end, base=10)


def across(axis, y, ticks=None):
    """An axis at the bottom of a plot; `ticks` are values with their texts."""
    marked = ticks or [(v, number(v)) for v in axis.ticks()]
    return (lines([level(axis.begin, y, axis.end),
                   *(f"M{round(axis.at(v))} {round(y)}v3" for v, _ in marked)])
            + element("g", "".join(element("text", escaped(text),
                                           x=round(axis.at(v)))
                                   for v, text in marked),
                      transform=f"translate(0 {round(y) + 13})",
                      class_="mid"))


def up(axis, x):
    """An axis at the left of a plot."""
    ticks = axis.ticks()
    return (lines([upright(x, axis.begin, axis.end),
                   *(f"M{round(x)} {round(axis.at(v))}h-3" for v in ticks)]) +
            column(x - 6, [(axis.at(v) + 4, number(v)) for v in ticks],
                   class_="end"))


#===-- Files -------------------------------------------------------------===#


def write(path, width, height, title, plots):
    """A file of these plots, below the title."""
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{round(height)}" viewBox="0 0 {width} {round(height)}" '
            f'font-family="DejaVu Sans,Verdana,sans-serif" font-size="{SIZE}" '
            f'fill="none" stroke="{BLACK}"><style>{STYLE}</style>')
    body = "\n".join([head, element("rect", width="100%", height="100%",
                                    fill="#fff", stroke="none"),
                      words(width / 2, 16, title, class_="mid",
                            font_weight="bold"), *plots])
    path.write_text(body + "\n</svg>\n", encoding="utf-8")
    return path
