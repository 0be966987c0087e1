# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The charts, drawn from what the JSON files hold."""

import math
from functools import partial

from . import rdir_scale, svg
from .svg import LINE

OURS, OURS_TOO, AGAIN, PEERS = "#075", "#7ca", "#cfe", "#469"
BAR_COLOUR = "#c33"
COLOURS = [PEERS, "#c33", "#a86", "#739", "#888", "#d80", "#28c", "#bbb",
           "#123", "#748"]
MOST_ROWS = 24  # of a table, in one plot
WIDEST = 5.0    # ratios beyond are cut; the number stands beside them
WIDTH, TOP, MARGIN = 900, 26, 8  # pixels


def headline(content):
    here = content["machine"]
    return (f"bench {content['benchmark']}: {here['cpu']}, {here['threads']} "
            f"threads, {here['date']}")


def colours_of(labels):
    """A colour for each: green for what is ours."""
    made, ours, others = {}, 0, 0
    for label in labels:
        if "Sluice" in label:
            made[label] = (OURS, OURS_TOO)[ours % 2]
            ours += 1
        else:
            made[label] = COLOURS[others % len(COLOURS)]
            others += 1
    return made


def stacked(plots, path, title):
    """A file of plots one below the other: functions that draw at a y, each
    with its height."""
    y, drawn = TOP, []
    for draw_at, height in plots:
        drawn.append(draw_at(y))
        y += height
    return svg.write(path, WIDTH, y + MARGIN, title, drawn)


def gridded(panels, path, title, columns, height, entries):
    """A file of plots side by side: functions that draw into a rectangle; and
    a legend for all of them."""
    width = WIDTH / columns
    drawn = [draw_in(width * (i % columns) + 40, width * (i % columns + 1) - 14,
                     TOP + height * (i // columns) + 18,
                     TOP + height * (i // columns + 1) - 38)
             for i, draw_in in enumerate(panels)]
    y = TOP + height * math.ceil(len(panels) / columns)
    for line in svg.legend_lines(entries, WIDTH - 2 * MARGIN):
        y += LINE
        drawn.append(svg.legend(MARGIN, y, line))
    return svg.write(path, WIDTH, y + MARGIN, title, drawn)


#===-- Rows: speed against a reference -----------------------------------===#


def colour_of(program):
    if program["isAgain"]:
        return AGAIN
    if "Sluice" in program["label"]:
        return OURS if program["isOurs"] else OURS_TOO
    return PEERS


def ends_of(speed):
    """How long its bar is, and the bounds, cut where all are."""
    median = speed["median"]
    return [min(median if end is None else end, WIDEST)
            for end in (median, speed["lower"], speed["upper"])]


def row_axis(row, programs, left):
    most = min(WIDEST, max([1.0, *(p["speed"]["upper"] or p["speed"]["median"]
                                   for p in programs)]))
    return svg.Axis(0, 1.35 * most, left, WIDTH - MARGIN)


def draw_row(row, programs, left, y):
    axis = row_axis(row, programs, left)
    bottom = y + 18 + LINE * len(programs)
    bars, bounds, names, numbers = {}, [], [], []
    for place, program in enumerate(programs):
        top = y + 18 + LINE * place
        length, low, high = ends_of(program["speed"])
        middle, end = top + 5, round(axis.at(length) - axis.at(0))
        bars.setdefault(colour_of(program), []).append(
            f"M{left} {top}h{end}v10H{left}")
        bounds.append(svg.level(axis.at(low), middle, axis.at(high)) +
                      "".join(f"M{round(axis.at(v))} {middle - 3}v6"
                              for v in {low: 0, high: 0}))
        names.append((middle + 4, program["label"]))
        numbers.append(svg.words(
            axis.at(max(length, high)) + 4, middle + 4,
            f"{program['median']:.4g} ({program['speed']['median']:.2f})"))
    title = (f"{row['title']}  [{row['unit']}; 1.0 = {row['reference']}, "
             f"{row['rounds']} rounds]")
    wanted = sorted({bar["required"] for bar in row["bars"]
                     if bar["against"] == row["reference"] and
                     bar["required"] < WIDEST})
    return "".join([
        svg.words(left, y + 10, title),
        *(svg.areas(d, colour) for colour, d in bars.items()),
        svg.lines(bounds),
        svg.lines([svg.upright(axis.at(1), y + 16, bottom)], stroke_width=0.5),
        svg.lines([svg.upright(axis.at(v), y + 16, bottom) for v in wanted],
                  BAR_COLOUR, stroke_dasharray="4 2") if wanted else "",
        svg.column(left - 4, names, class_="end"), *numbers,
        svg.across(axis, bottom)])


def draw_rows(content, path):
    rows = [(row, [p for p in row["programs"] if p["speed"]])
            for row in content["rows"]]
    rows = [(row, programs) for row, programs in rows if programs]
    if not rows:
        return None
    left = MARGIN + max(svg.width_of(p["label"])
                        for _, programs in rows for p in programs)
    plots = [(partial(draw_row, row, programs, left),
              LINE * len(programs) + 42) for row, programs in rows]
    return stacked(plots, path,
                   headline(content) + "; speed, bounds of 95 %")


#===-- Tables: a dot for each column -------------------------------------===#


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return None


def parts(table):
    """At most so many rows in one plot, of about equal numbers."""
    rows = table["rows"]
    count = max(1, math.ceil(len(rows) / MOST_ROWS))
    size = max(1, math.ceil(len(rows) / count))
    return [rows[i:i + size] for i in range(0, len(rows), size)]


def draw_part(table, rows, left, y):
    headings = [column["heading"] for column in table["columns"]]
    colours = list(colours_of(headings).values())
    heights = [y + 36 + LINE * place for place in range(len(rows))]
    bottom = y + 32 + LINE * len(rows)
    cells = [[number(cell) for cell in row["cells"][:len(colours)]]
             for row in rows]
    found = [v for row in cells for v in row if v]
    axis = svg.log_axis(found or [1], left, WIDTH - MARGIN)
    columns = [[(axis.at(row[i]), height) for row, height in
                zip(cells, heights) if row[i]] for i in range(len(colours))]
    return "".join([
        svg.words(left, y + 10, f"{table['title']}  [{table['unit']}]"),
        svg.legend(left, y + 24, zip(headings, colours)),
        svg.ruled(left, heights[0], axis.end, len(rows)),
        *(svg.dots(points, colour) for points, colour in
          zip(columns, colours) if points),
        svg.column(left - 4, [(h + 4, row["label"]) for h, row in
                              zip(heights, rows)], class_="end"),
        svg.across(axis, bottom)])


def draw_tables(content, path):
    drawn = [(table, rows) for table in content["tables"]
             for rows in parts(table) if rows]
    left = MARGIN + max(svg.width_of(row["label"])
                        for _, rows in drawn for row in rows)
    plots = [(partial(draw_part, table, rows, left), LINE * len(rows) + 58)
             for table, rows in drawn]
    return stacked(plots, path, headline(content) + "; medians")


#===-- Sweeps: efficiency over the kernel's time -------------------------===#


def draw_sweep(sweep, colours, left, right, top, bottom):
    grains = sweep["kernelSeconds"]
    smallest = next(g for g in grains if g > 0) / 2  # where none stands
    grains = [g or smallest for g in grains]
    x = svg.log_axis(grains, left, right)
    y = svg.Axis(0, 1.1, bottom, top)
    drawn = []
    for program in sweep["programs"]:
        if program["isAgain"] or program["label"] == sweep["ideal"]:
            continue
        shown = [(x.at(g), y.at(e)) for g, e in
                 zip(grains, program["efficiency"]) if e]
        if shown:
            width = 2.5 if "Sluice" in program["label"] else None
            drawn.append(svg.lines([svg.through(shown)],
                                   colours[program["label"]],
                                   stroke_width=width))
    return "".join([
        svg.words(left, top - 4, sweep["title"]),
        svg.lines([svg.upright(x.at(g), top, bottom) for g in grains],
                  svg.GREY),
        svg.lines([svg.level(left, y.at(0.5), right)], stroke_width=0.5), *drawn,
        svg.across(x, bottom), svg.up(y, left),
        svg.words((left + right) / 2, bottom + 26, "kernel, seconds",
                  class_="mid")])


def draw_sweeps(content, path):
    sweeps = content["sweeps"]
    labels = dict.fromkeys(p["label"] for s in sweeps for p in s["programs"])
    colours = colours_of(labels)
    shown = {p["label"] for s in sweeps for p in s["programs"]
             if not p["isAgain"] and p["label"] != s["ideal"]}
    panels = [partial(draw_sweep, sweep, colours) for sweep in sweeps]
    return gridded(panels, path, headline(content) +
                   "; efficiency: ideal over actual time", 2, 200,
                   [(label, colours[label]) for label in labels
                    if label in shown])


#===-- Scales: time and memory over the number of nodes ------------------===#


def draw_scale(scales, colours, key, title, limit, left, right, top, bottom):
    nodes = [p["nodes"] for s in scales for p in s["points"]]
    values = [p[key] for s in scales for p in s["points"]]
    x = svg.log_axis(nodes, left, right)
    y = svg.log_axis(values + limit, bottom, top)
    drawn = [svg.lines([svg.level(left, y.at(v), right) for v in limit],
                       BAR_COLOUR)] if limit else []
    for scale in scales:
        points = [(x.at(p["nodes"]), y.at(p[key])) for p in scale["points"]]
        colour = colours[scale["shape"]]
        dashes = None if scale["format"] == "text" else "5 3"
        drawn += [svg.lines([svg.through(points)], colour,
                            stroke_dasharray=dashes), svg.dots(points, colour)]
    return "".join([svg.words(left, top - 4, title), *drawn,
                    svg.across(x, bottom), svg.up(y, left),
                    svg.words((left + right) / 2, bottom + 26, "nodes",
                              class_="mid")])


def draw_scales(content, path):
    scales = content["scales"]
    shapes = dict.fromkeys(s["shape"] for s in scales)
    colours = colours_of(shapes)
    plots = [("microsecondsPerNode", "us per node: read, import, check, order",
              []),
             ("gibibytes", "peak memory, GiB (red: the bar)",
              [rdir_scale.GIBIBYTES])]
    panels = [partial(draw_scale, scales, colours, *plot) for plot in plots]
    entries = [*colours.items(),
               ("lines: text; dashed: bytecode", svg.BLACK)]
    return gridded(panels, path, headline(content) +
                   "; checking graphs of growing size", 2, 280, entries)


#===-- Scalings: efficiency over the number of ranks ---------------------===#


def draw_scaling(scaling, colours, left, right, top, bottom):
    ranks = [point["ranks"] for point in scaling["points"]]
    x = svg.log_axis(ranks, left, right)
    y = svg.Axis(0, 1.1, bottom, top)
    drawn = []
    for label, colour in colours.items():
        points = [(x.at(point["ranks"]),
                   y.at(point["work"] / point["seconds"][label]))
                  for point in scaling["points"]]
        drawn += [svg.lines([svg.through(points)], colour),
                  svg.dots(points, colour)]
    return "".join([
        svg.words(left, top - 4, f"{scaling['network']}, {scaling['kind']}"),
        *drawn, svg.across(x, bottom, [(v, str(v)) for v in ranks]),
        svg.up(y, left), svg.words((left + right) / 2, bottom + 26, "ranks",
                                   class_="mid")])


def draw_scalings(content, path):
    scalings = content["scalings"]
    labels = scalings[0]["points"][0]["seconds"]
    colours = colours_of(labels)
    ordered = sorted(scalings, key=lambda s: s["kind"], reverse=True)
    panels = [partial(draw_scaling, scaling, colours) for scaling in ordered]
    return gridded(panels, path, "bench cluster: simulated ranks; share of a "
                   "sweep that is not messages", min(3, len(scalings)), 190,
                   colours.items())


def draw(content, folder, prefix=""):
    """Draws all that there is into files that begin so; returns the files."""
    name = prefix + content["benchmark"]
    drawn = []
    if content["tables"]:
        drawn.append(draw_tables(content, folder / f"{name}.svg"))
    elif content["rows"]:
        drawn.append(draw_rows(content, folder / f"{name}.svg"))
    if content["sweeps"]:
        drawn.append(draw_sweeps(content, folder / f"{name}-efficiency.svg"))
    if content["scales"]:
        drawn.append(draw_scales(content, folder / f"{name}-scale.svg"))
    if content.get("scalings"):
        drawn.append(draw_scalings(content, folder / f"{name}-scaling.svg"))
    return [path for path in drawn if path]
