# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The chart: speed against the row's reference program, as SVG."""

from xml.sax.saxutils import escape

from .ratios import paired_ratio
from .report import reference_of

WIDTH, LABELS, PLOT = 960, 250, 520
BAR, GAP, HEAD = 16, 4, 34
# Ratios beyond are cut, with the number beside them.
LIMITS = {"nd": 1.5, "hpvm": 1.5}
OTHER_LIMIT = 5.0
COLOURS = {"Sluice": "#0b6e4f", "Sluice, extents at launch": "#3fa37c",
           "Sluice, transforms off": "#3fa37c", "Sluice, 1 worker": "#3fa37c",
           "Sluice again": "#9ccfb8"}
OTHERS = ["#4c6a92", "#7f8fb3", "#a58f6f", "#8c8c8c", "#b5b5b5"]


HALO = 'paint-order="stroke" stroke="white" stroke-width="3"'


def text(x, y, content, size=12, anchor="start", extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" '
            f'text-anchor="{anchor}" {extra}>{escape(content)}</text>')


def position(ratio, limit):
    return LABELS + PLOT * min(ratio, limit) / limit


def grid(top, bottom, limit):
    lines = []
    for tenths in range(0, int(limit * 10) + 1, 5):
        x = position(tenths / 10, limit)
        strong = tenths == 10
        lines.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" '
                     f'y2="{bottom}" stroke="{"#444" if strong else "#ddd"}"/>')
        lines.append(text(x, top - 6, f"{tenths / 10:.1f}", 11, "middle"))
    return lines


def whisker(ratio, y, limit):
    low = position(ratio.lower, limit)
    high = position(ratio.upper, limit)
    middle = y + BAR / 2
    return (f'<path d="M{low:.1f} {middle - 3}v6m0 -3H{high:.1f}m0 -3v6" '
            f'stroke="#222" fill="none"/>')


def bar(result, entry, ratio, y, colour, limit):
    row = result.row
    value = row.display(entry.work, entry.median())
    end = position(ratio.median, limit)
    shown = f"{value:.4g} {row.unit}  ({ratio.median:.2f})"
    beside = max(end, position(ratio.upper, limit)) + 6
    return [text(LABELS - 8, y + BAR - 4, entry.label, 12, "end"),
            f'<rect x="{LABELS}" y="{y}" width="{end - LABELS:.1f}" '
            f'height="{BAR}" fill="{colour}"/>',
            whisker(ratio, y, limit),
            text(beside, y + BAR - 4, shown, 11, extra=HALO)]


def bar_mark(result, reference, top, bottom, limit):
    """A dashed line where the reference's bar lies."""
    factors = [v.factor for v in result.verdicts
               if v.against == reference.label and v.factor <= limit]
    if not factors:
        return []
    x = position(factors[0], limit)
    return [f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" '
            'stroke="#c0392b" stroke-dasharray="4 3"/>']


def row_marks(result, y, limit):
    reference = reference_of(result)
    against = f"  (1.0 = {reference.label})" if reference else ""
    lines = [text(16, y + 20, result.row.title + against, 13, "start",
                  'font-weight="bold"')]
    y += HEAD
    if reference:
        height = len(result.entries) * (BAR + GAP)
        lines += bar_mark(result, reference, y, y + height, limit)
    others = iter(OTHERS)
    for entry in result.entries:
        colour = COLOURS.get(entry.label) or next(others, OTHERS[-1])
        if entry.problem or not entry.times:
            lines.append(text(LABELS - 8, y + BAR - 4, entry.label, 12, "end"))
            lines.append(text(LABELS + 6, y + BAR - 4, "no numbers", 11))
        else:
            ratio = paired_ratio(reference.times, entry.times)
            lines += bar(result, entry, ratio, y, colour, limit)
        y += BAR + GAP
    return lines, y


def svg(name, here, results):
    top, limit = 92, LIMITS.get(name, OTHER_LIMIT)
    body, y = [], top
    for result in results:
        lines, y = row_marks(result, y, limit)
        body += lines
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{y + 20}" viewBox="0 0 {WIDTH} {y + 20}" '
        'font-family="sans-serif" fill="#222">',
        f'<rect width="{WIDTH}" height="{y + 20}" fill="white"/>',
        text(16, 28, f"bench {name}: speed against a reference program", 18),
        text(16, 48, f"{here['cpu']}, {here['threads']} threads, median of "
             f"{here['rounds']} paired rounds with 95 % bounds, "
             f"{here['date']}", 12)]
    return "\n".join(head + grid(top, y, limit) + body + ["</svg>"]) + "\n"


def write_svg(path, name, here, results):
    path.write_text(svg(name, here, results), encoding="utf-8")
