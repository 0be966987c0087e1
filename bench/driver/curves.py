# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Efficiency over the kernel's time, one small plot per sweep, as SVG."""

import math

from .chart import text

COLUMNS = 2
WIDTH, HEIGHT = 560, 300  # of one plot with its margins
LEFT, TOP, RIGHT, BOTTOM = 48, 40, 16, 40
LEGEND = 22
COLOURS = ["#0b6e4f", "#4c6a92", "#c0392b", "#a58f6f", "#7d3c98", "#8c8c8c",
           "#d68910", "#2e86c1", "#b5b5b5", "#1b2631", "#76448a"]


class Plot:
    def __init__(self, sweep, x, y):
        self.sweep, self.x, self.y = sweep, x, y
        grains = [g for g in sweep.grains if g > 0]
        self.least, self.most = math.log10(grains[0]), math.log10(grains[-1])

    def across(self, grain):
        """Kernels of no size stand at the left edge."""
        span = self.most - self.least or 1.0
        at = math.log10(grain) if grain > 0 else self.least - 0.08 * span
        share = (at - self.least + 0.08 * span) / (1.08 * span)
        return self.x + LEFT + share * (WIDTH - LEFT - RIGHT)

    def up(self, share):
        height = HEIGHT - TOP - BOTTOM
        return self.y + TOP + height * (1 - min(max(share, 0.0), 1.1) / 1.1)

    def frame(self):
        left, right = self.x + LEFT, self.x + WIDTH - RIGHT
        lines = [text(self.x + LEFT, self.y + 24, self.sweep.title, 13,
                      extra='font-weight="bold"')]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = self.up(share)
            colour = "#444" if share == 0.5 else "#ddd"
            lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" '
                         f'y2="{y:.1f}" stroke="{colour}"/>')
            lines.append(text(left - 6, y + 4, f"{share:g}", 11, "end"))
        for power in range(math.ceil(self.least), math.floor(self.most) + 1):
            x = self.across(10.0 ** power)
            lines.append(text(x, self.y + HEIGHT - BOTTOM + 16,
                              power_text(power), 11, "middle"))
        return lines

    def curve(self, label, colour):
        points = []
        for index, grain in enumerate(self.sweep.grains):
            share = self.sweep.efficiency(index, label)
            if share:
                points.append((self.across(grain), self.up(share.median)))
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
                for x, y in points]
        return [f'<polyline points="{path}" fill="none" stroke="{colour}" '
                'stroke-width="1.6"/>', *dots]


def power_text(power):
    units = {-9: "1 ns", -8: "10 ns", -7: "100 ns", -6: "1 us", -5: "10 us",
             -4: "100 us", -3: "1 ms"}
    return units.get(power, f"1e{power} s")


def legend(colours, y):
    lines, x = [], LEFT
    for label, colour in colours.items():
        lines.append(f'<rect x="{x}" y="{y}" width="14" height="4" '
                     f'fill="{colour}"/>')
        lines.append(text(x + 20, y + 6, label, 12))
        x += 40 + 7 * len(label)
        if x > COLUMNS * WIDTH - 220:
            x, y = LEFT, y + LEGEND
    return lines, y + LEGEND


def svg(name, here, sweeps):
    labels = dict.fromkeys(label for s in sweeps for label in s.drawn())
    colours = {label: COLOURS[i % len(COLOURS)]
               for i, label in enumerate(labels)}
    body, top = legend(colours, 64)
    for number, sweep in enumerate(sweeps):
        plot = Plot(sweep, WIDTH * (number % COLUMNS),
                    top + HEIGHT * (number // COLUMNS))
        body += plot.frame()
        for label in sweep.drawn():
            body += plot.curve(label, colours[label])
    width = WIDTH * COLUMNS
    height = top + HEIGHT * math.ceil(len(sweeps) / COLUMNS)
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" fill="#222">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            text(16, 28, f"bench {name}: efficiency over the kernel's time",
                 18),
            text(16, 48, f"{here['cpu']}, {here['threads']} threads, medians "
                 f"of paired rounds, {here['date']}", 12)]
    return "\n".join(head + body + ["</svg>"]) + "\n"


def write_svg(path, name, here, sweeps):
    path.write_text(svg(name, here, sweeps), encoding="utf-8")
