# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time per node and memory over the number of nodes, as SVG."""

import math

from .chart import text
from .curves import COLOURS, LEGEND

WIDTH, HEIGHT = 560, 360  # of one plot with its margins
LEFT, TOP, RIGHT, BOTTOM = 64, 40, 16, 48
STEPS = (1, 2, 5)


class Plot:
    """Both axes are logarithmic."""

    def __init__(self, title, unit, curves, bar, x, y):
        self.title, self.unit, self.curves, self.bar = title, unit, curves, bar
        self.x, self.y = x, y
        values = [v for curve in curves.values() for _, v in curve]
        nodes = [n for curve in curves.values() for n, _ in curve]
        self.nodes = (min(nodes) / 1.2, max(nodes) * 1.2)
        self.values = (min(values) / 1.5, max([*values, bar or 0]) * 1.5)

    @staticmethod
    def share(value, limits):
        low, high = map(math.log10, limits)
        return (math.log10(value) - low) / (high - low)

    def across(self, nodes):
        return (self.x + LEFT
                + self.share(nodes, self.nodes) * (WIDTH - LEFT - RIGHT))

    def up(self, value):
        return (self.y + TOP + (1 - self.share(value, self.values))
                * (HEIGHT - TOP - BOTTOM))

    def frame(self):
        left, right = self.x + LEFT, self.x + WIDTH - RIGHT
        top, bottom = self.y + TOP, self.y + HEIGHT - BOTTOM
        lines = [text(left, self.y + 24, f"{self.title}, {self.unit}", 13,
                      extra='font-weight="bold"')]
        for value in ticks(self.values):
            y = self.up(value)
            lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" '
                         f'y2="{y:.1f}" stroke="#ddd"/>')
            lines.append(text(left - 6, y + 4, f"{value:g}", 11, "end"))
        for nodes in ticks(self.nodes, (1,)):
            x = self.across(nodes)
            lines.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" '
                         f'y2="{bottom}" stroke="#ddd"/>')
            lines.append(text(x, bottom + 18, f"{nodes:,.0f}", 11, "middle"))
        lines.append(text((left + right) / 2, bottom + 36, "nodes", 12,
                          "middle"))
        if self.bar:
            y = self.up(self.bar)
            lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" '
                         f'y2="{y:.1f}" stroke="#c0392b" '
                         'stroke-dasharray="4 3"/>')
        return lines

    def curve(self, label, colour, dash):
        places = [(self.across(n), self.up(v)) for n, v in self.curves[label]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        return [f'<polyline points="{path}" fill="none" stroke="{colour}" '
                f'stroke-width="1.6"{dash}/>',
                *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" '
                  f'fill="{colour}"/>' for x, y in places)]


def ticks(limits, steps=STEPS):
    low, high = limits
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [step * 10.0 ** power for power in powers for step in steps
            if low <= step * 10.0 ** power <= high]


def legend(scales, colours, y):
    lines, x = [], LEFT
    for scale in scales:
        lines.append(f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" '
                     f'stroke="{colours[scale.shape]}" stroke-width="2.4"'
                     f'{dash_of(scale)}/>')
        lines.append(text(x + 30, y + 4, scale.label, 12))
        x += 52 + 7 * len(scale.label)
    return lines


def dash_of(scale):
    return "" if scale.format == "text" else ' stroke-dasharray="5 3"'


def svg(here, scales, memory_bar):
    shapes = list(dict.fromkeys(scale.shape for scale in scales))
    colours = {shape: COLOURS[i % len(COLOURS)]
               for i, shape in enumerate(shapes)}
    top = 64 + LEGEND
    plots = [Plot("time per node: read, import, check, order", "us",
                  {s.label: [(p.nodes, p.per_node() * 1e6) for p in s.points]
                   for s in scales}, None, 0, top),
             Plot("peak memory of the process (dashed red: the bar)", "GiB",
                  {s.label: [(p.nodes, p.gibibytes()) for p in s.points]
                   for s in scales}, memory_bar, WIDTH, top)]
    body = legend(scales, colours, 68)
    for plot in plots:
        body += plot.frame()
        for scale in scales:
            body += plot.curve(scale.label, colours[scale.shape],
                               dash_of(scale))
    width, height = 2 * WIDTH, top + HEIGHT
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" fill="#222">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            text(16, 28, "bench rdir: checking over the size of the graph", 18),
            text(16, 48, f"{here['cpu']}, medians of "
                 f"{len(scales[0].points[0].runs)} rounds, {here['date']}",
                 12)]
    return "\n".join(head + body + ["</svg>"]) + "\n"


def write_svg(path, here, scales, memory_bar):
    path.write_text(svg(here, scales, memory_bar), encoding="utf-8")
