# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The chart of tables: groups of bars, a group for each row, as SVG."""

import math

from .chart import text

LEFT, RIGHT, TOP = 110, 20, 48
HEIGHT = 180     # of a table's bars
NAMES = 118      # below them, for the rows' names, written aslant
BAR, GAP = 8, 14
MOST_ROWS = 18   # in one line of groups
COLOURS = {"memcpy": "#d5d5d5", "hand": "#8c8c8c", "Open MPI": "#c7803e",
           "MPICH": "#4c6a92", "ready-made": "#7fc4a8", "Sluice": "#0b6e4f",
           "Open MPI + Sluice": "#0b6e4f", "MPICH + Sluice": "#0b6e4f",
           "Sluice, ready-made": "#7fc4a8"}
OTHER = "#a58f6f"


def width_of(table, rows):
    return LEFT + RIGHT + rows * (len(table.columns) * BAR + GAP)


def parts(table):
    """A table's rows, in lines of about equal length that fit the page."""
    rows = list(zip(table.labels, table.results))
    lines = math.ceil(len(rows) / MOST_ROWS)
    size = math.ceil(len(rows) / lines)
    return [rows[i:i + size] for i in range(0, len(rows), size)]


def is_relative(table):
    """Times of several programs are shown as speeds against the first's."""
    return len(table.columns) > 1 and table.results[0].row.is_time


def values(table, result):
    entries = [column.entry(result) for column in table.columns]
    for entry in entries:
        if entry is None:
            yield None
        elif is_relative(table):
            yield entries[0] and entries[0].median() / entry.median()
        else:
            yield result.row.display(entry.work, entry.median())


def round_up(value):
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10)
                if step * power >= value * 0.999)


class Scale:
    """From a value to a height: linear, or for values that differ much
    logarithmic, from one power of ten to another."""

    def __init__(self, found):
        found = [v for v in found if v] or [1.0]
        self.is_log = max(found) / min(found) > 200
        self.least = 10.0 ** math.floor(math.log10(min(found)))
        self.most = (10.0 ** math.ceil(math.log10(max(found)))
                     if self.is_log else round_up(max(found)))

    def share(self, value):
        if not self.is_log:
            return value / self.most
        return (math.log(value / self.least) /
                math.log(self.most / self.least))

    def ticks(self):
        if not self.is_log:
            return [self.most * i / 4 for i in range(5)]
        count = round(math.log10(self.most / self.least))
        return [self.least * 10 ** i for i in range(count + 1)]


def axis(scale, left, right, top):
    lines = []
    for tick in scale.ticks():
        y = top + HEIGHT * (1 - scale.share(tick))
        lines.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" '
                     f'y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(text(left - 6, y + 4, f"{tick:g}", 11, "end"))
    return lines


def legend(table, top):
    lines, x = [], LEFT
    for column in table.columns:
        colour = COLOURS.get(column.heading, OTHER)
        lines.append(f'<rect x="{x}" y="{top + 24}" width="10" height="10" '
                     f'fill="{colour}"/>')
        lines.append(text(x + 14, top + 33, column.heading, 11))
        x += 34 + 6.4 * len(column.heading)
    return lines


def group(table, label, result, scale, x, top):
    lines = []
    for column, value in zip(table.columns, values(table, result)):
        if value:
            height = HEIGHT * scale.share(value)
            colour = COLOURS.get(column.heading, OTHER)
            lines.append(f'<rect x="{x:.1f}" y="{top + HEIGHT - height:.1f}" '
                         f'width="{BAR - 1}" height="{height:.1f}" '
                         f'fill="{colour}"/>')
        x += BAR
    middle, below = x - len(table.columns) * BAR / 2 + 4, top + HEIGHT + 12
    turned = f'transform="rotate(-40 {middle:.1f} {below})"'
    lines.append(text(middle, below, label, 10, "end", turned))
    return lines


def draw(table, rows, top):
    """One line of groups; returns its elements and where it ends."""
    scale = Scale([v for _, result in rows for v in values(table, result)])
    right = width_of(table, len(rows)) - RIGHT
    unit = (f"speed against {table.columns[0].heading}"
            if is_relative(table) else table.unit)
    lines = [text(16, top + 14, f"{table.title}  [{unit}]", 13,
                  extra='font-weight="bold"'), *legend(table, top)]
    lines += axis(scale, LEFT, right, top + TOP)
    x = LEFT + GAP / 2
    for label, result in rows:
        lines += group(table, label, result, scale, x, top + TOP)
        x += len(table.columns) * BAR + GAP
    return lines, top + TOP + HEIGHT + NAMES


def svg(name, here, tables):
    body, y, width = [], 70, 900
    for table in tables:
        for rows in parts(table):
            lines, y = draw(table, rows, y)
            width = max(width, width_of(table, len(rows)))
            body += lines
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{y}" viewBox="0 0 {width} {y}" font-family="sans-serif" '
        'fill="#222">', f'<rect width="{width}" height="{y}" fill="white"/>',
        text(16, 28, f"bench {name}", 18),
        text(16, 48, f"{here['cpu']}, medians of {here['rounds']} rounds, "
             f"{here['date']}", 12)]
    return "\n".join(head + body + ["</svg>"]) + "\n"


def write_svg(path, name, here, tables):
    path.write_text(svg(name, here, tables), encoding="utf-8")
