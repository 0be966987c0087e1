# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The charts, drawn by Matplotlib from what the JSON files hold.

They are published, so what makes many elements of SVG is left out: marks and
lines nobody needs, and elements where one with gaps shows the same.
"""

import io
import math
import sys
from functools import partial

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, textpath, ticker
except ImportError:  # Debian's python3-matplotlib brings it
    pyplot = None

from . import rdir_scale, toolchain

sys.path.append(str(toolchain.ROOT / "utils/docs"))
import small_svg

BLACK = "#222"
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "sluice", "font.size": 8,
         "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"],
         "axes.titlelocation": "left", "axes.titlesize": 8,
         "axes.titlepad": 4, "axes.spines.top": False,
         "axes.spines.right": False, "lines.linewidth": 1,
         "lines.markersize": 3, "lines.solid_capstyle": "round",
         "lines.scale_dashes": False, "path.simplify": False,
         "legend.frameon": False,
         "legend.fontsize": 8,
         "legend.handletextpad": 0.4, "legend.columnspacing": 1,
         "legend.borderpad": 0, "legend.borderaxespad": 0}
OURS, OURS_TOO, AGAIN, PEERS = "#075", "#7ca", "#cfe", "#469"
GREENS = [OURS, OURS_TOO, "#9b2"]
BAR_COLOUR = "#c33"
COLOURS = [PEERS, "#c33", "#a86", "#739", "#888", "#d80", "#28c", "#bbb",
           "#123", "#e7a"]
MOST_ROWS = 24  # of a table, in one plot
MOST_LINES = 80 # of names, in one picture
WIDEST = 5.0    # ratios beyond are cut; the number stands beside them
WIDTH, LINE = 9, 0.15  # of a picture, and of a line of text: inches
NONE = float("nan")


def headline(content):
    here = content["machine"]
    return (f"bench {content['benchmark']}: {here['cpu']}, {here['threads']} "
            f"threads, {here['date']}")


def colours_of(labels):
    """A colour for each: green for what is ours."""
    made, ours, others = {}, 0, 0
    for label in labels:
        if "Sluice" in label:
            made[label] = GREENS[ours % len(GREENS)]
            ours += 1
        else:
            made[label] = COLOURS[others % len(COLOURS)]
            others += 1
    return made


def plots_of(lines, title, columns=1, left=0.4, head=3, gap=3.6, foot=2):
    """A figure, and its plots in rows of so many lines of text each. All places
    are given: a solver's differ by run in their last digits."""
    height = head + sum(lines) + gap * (len(lines) - 1) + foot
    figure, axes = pyplot.subplots(
        len(lines), columns, squeeze=False, figsize=(WIDTH, LINE * height),
        gridspec_kw={"height_ratios": lines, "left": left / WIDTH,
                     "right": 0.98, "top": 1 - head / height,
                     "bottom": foot / height, "wspace": 0.14,
                     "hspace": gap * len(lines) / sum(lines)})
    for place in axes.flat:
        place.patch.set_visible(False)
    figure.suptitle(title, y=1 - 0.8 / height, va="center", fontsize=9)
    return figure, axes


def margin_for(labels):
    """Inches that the widest of them takes beside a plot."""
    return 0.13 + max(textpath.TextPath((0, 0), label, size=8)
                      .vertices[:, 0].max() for label in set(labels)) / 72


def strokes(axes, segments, **look):
    """Lines between two points each, as one with gaps. One from a point to
    itself is a dot where ends are round."""
    axes.plot([x for a, b in segments for x in (a[0], b[0], NONE)],
              [y for a, b in segments for y in (a[1], b[1], NONE)],
              clip_on=False, **look)


def label_rows(axes, labels):
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, left=False)
    axes.spines["left"].set_visible(False)


def log_scale(axes, name, values):
    """Of axis x or y, for these values: ticks at powers of ten, or closer."""
    low, high = min(values), max(values)
    room = (high / low) ** 0.04 if high > low else 1.5
    axes.set(**{f"{name}scale": "log", f"{name}lim": (low / room, high * room)})
    axis = getattr(axes, f"{name}axis")
    axis.set_major_locator(ticker.LogLocator(
        subs=(1,) if high > 30 * low else (1, 2, 5)))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(lambda v, _: f"{v:g}".replace("e-0", "e-")
                                 .replace("e+0", "e"))


def pages(plots, size):
    """The plots of each picture, of about equal numbers of lines."""
    total = sum(map(size, plots))
    most = total / max(1, math.ceil(total / MOST_LINES))
    made = [[]]
    for plot in plots:
        if sum(map(size, made[-1])) >= most:
            made.append([])
        made[-1].append(plot)
    return made


def save(figure, path):
    made = io.StringIO()
    figure.canvas.print_svg(made, metadata={
        name: None for name in ("Date", "Creator", "Format", "Type")})
    pyplot.close(figure)
    path.write_text(small_svg.small_plot(made.getvalue()), encoding="utf-8")
    return path


#===-- Rows: speed against a reference -----------------------------------===#


def colour_of(program):
    if program["isAgain"]:
        return AGAIN
    if "Sluice" in program["label"]:
        return OURS if program["isOurs"] else OURS_TOO
    return PEERS


def mark_cut(axes, places):
    """A break through bars that are longer than the plot is wide."""
    for shift, look in ((0, {"color": "#fff", "linewidth": 3}),
                        (-0.02, {"color": BLACK, "linewidth": 0.7}),
                        (0.02, {"color": BLACK, "linewidth": 0.7})):
        at = WIDEST - 0.15 + shift
        strokes(axes, [((at - 0.02, place + 0.5), (at + 0.02, place - 0.5))
                       for place in places], **look)


def bound_lines(y, low, high):
    """From one bound to the other, with an arrow where that is cut."""
    end = ([((WIDEST - 0.08, y + up), (WIDEST, y)) for up in (-0.2, 0.2)]
           if high == WIDEST else [((high, y - 0.2), (high, y + 0.2))])
    return [((low, y), (high, y)), ((low, y - 0.2), (low, y + 0.2)), *end]


def draw_row(axes, row, programs):
    speeds = [p["speed"] for p in programs]
    places, medians = range(len(programs)), [s["median"] for s in speeds]
    lengths, lows, highs = (
        [min(m if s[end] is None else s[end], WIDEST)
         for s, m in zip(speeds, medians)]
        for end in ("median", "lower", "upper"))
    axes.barh(places, lengths, color=[colour_of(p) for p in programs],
              clip_on=False)
    strokes(axes, [line for y, low, high in zip(places, lows, highs)
                   if low < high for line in bound_lines(y, low, high)],
            color=BLACK, linewidth=0.8)
    if cut := [y for y, median in zip(places, medians) if median > WIDEST]:
        mark_cut(axes, cut)
    for place, program, m, end in zip(places, programs, medians, highs):
        axes.annotate(f"{program['median']:.4g} ({m:.2f})", (end, place),
                      (4, 0), textcoords="offset points", va="center_baseline")
    axes.axvline(1, color=BLACK, linewidth=0.5)
    for bar in row["bars"]:
        if bar["against"] == row["reference"] and bar["required"] < WIDEST:
            axes.axvline(bar["required"], color=BAR_COLOUR,
                         linestyle=(0, (4, 2)))
    axes.set_xlim(0, 1.2 * max(highs + [1.0]))
    axes.xaxis.set_major_locator(ticker.MaxNLocator(6, steps=[5, 10]))
    axes.xaxis.set_major_formatter("{x:g}")
    label_rows(axes, [p["label"] for p in programs])
    axes.set_title(f"{row['title']}  [{row['unit']}; 1.0 = "
                   f"{row['reference']}, {row['rounds']} rounds]")


def row_pages(content):
    plots = [(row, [p for p in row["programs"] if p["speed"]])
             for row in content["rows"]]
    return pages([plot for plot in plots if plot[1]], lambda plot: len(plot[1]))


def draw_rows(plots, content, path):
    figure, axes = plots_of(
        [len(programs) for _, programs in plots],
        headline(content) + "; speed, bounds of 95 %",
        left=margin_for(p["label"] for _, programs in plots for p in programs))
    for place, (row, programs) in zip(axes.flat, plots):
        draw_row(place, row, programs)
    return save(figure, path)


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


def draw_part(axes, table, rows):
    colours = colours_of(column["heading"] for column in table["columns"])
    cells = [[number(cell) for cell in row["cells"][:len(colours)]]
             for row in rows]
    log_scale(axes, "x", [v for row in cells for v in row if v] or [1])
    low, high = axes.get_xlim()
    strokes(axes, [((low, y), (high, y)) for y in range(len(rows))],
            color="#ddd", linewidth=0.6)
    for i, (heading, colour) in enumerate(colours.items()):
        dots = [(row[i], y) for y, row in enumerate(cells) if row[i]]
        strokes(axes, list(zip(dots, dots)), color=colour, linewidth=4.5,
                label=heading)
    label_rows(axes, [row["label"] for row in rows])
    axes.set_title(f"{table['title']}  [{table['unit']}]", pad=16)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(colours),
                handlelength=0, handletextpad=0.7)


def table_pages(content):
    whole = pages(content["tables"], lambda table: len(table["rows"]))
    return [[(table, rows) for table in tables for rows in parts(table) if rows]
            for tables in whole]


def draw_tables(plots, content, path):
    figure, axes = plots_of(
        [len(rows) for _, rows in plots], headline(content) + "; medians",
        left=margin_for(row["label"] for _, rows in plots for row in rows),
        head=4, gap=5)
    for place, (table, rows) in zip(axes.flat, plots):
        draw_part(place, table, rows)
    return save(figure, path)


#===-- Lines, side by side -----------------------------------------------===#


def share_scale(axes):
    axes.set_ylim(0, 1.1)
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])


def side_by_side(draw_in, parts, columns, height, title, labels):
    """A figure with a plot for each part, above a legend of the labels."""
    lines = math.ceil(len(labels) / 5)
    figure, axes = plots_of([height] * math.ceil(len(parts) / columns), title,
                            columns, gap=5, foot=4 + lines)
    for place, part in zip(axes.flat, parts):
        draw_in(place, part)
    for place in axes.flat[len(parts):]:
        place.set_axis_off()
    handles = [pyplot.Line2D([], [], **look) for look in labels.values()]
    figure.legend(handles, labels, loc="lower center",
                  ncols=math.ceil(len(labels) / lines), borderaxespad=0.5)
    return figure


#===-- Sweeps: efficiency over the kernel's time -------------------------===#


def shown_in(sweep):
    return [p for p in sweep["programs"]
            if not p["isAgain"] and p["label"] != sweep["ideal"]]


def draw_sweeps(content, path):
    sweeps = content["sweeps"]
    labels = dict.fromkeys(p["label"] for s in sweeps for p in shown_in(s))
    looks = {label: {"color": colour, "linewidth":
                     2.5 if "Sluice" in label else 1}
             for label, colour in colours_of(labels).items()}

    def draw_in(axes, sweep):
        smallest = next(g for g in sweep["kernelSeconds"] if g) / 2
        grains = [g or smallest for g in sweep["kernelSeconds"]]
        for program in shown_in(sweep):
            axes.plot(grains, [e or NONE for e in program["efficiency"]],
                      clip_on=False, **looks[program["label"]])
        axes.axhline(0.5, color=BLACK, linewidth=0.5)
        log_scale(axes, "x", grains)
        share_scale(axes)
        axes.set_title(sweep["title"])
        axes.set_xlabel("kernel, seconds")

    return save(side_by_side(draw_in, sweeps, 2, 11, headline(content) +
                             "; efficiency: ideal over actual time", looks),
                path)


#===-- Scales: time and memory over the number of nodes ------------------===#


def draw_scales(content, path):
    scales = content["scales"]
    colours = colours_of(dict.fromkeys(s["shape"] for s in scales))
    looks = {f"{s['shape']}, {s['format']}": {
        "color": colours[s["shape"]], "marker": "o",
        "linestyle": "-" if s["format"] == "text" else (0, (5, 3))}
        for s in scales}

    def draw_in(axes, part):
        key, title, limit = part
        for scale, look in zip(scales, looks.values()):
            axes.plot([p["nodes"] for p in scale["points"]],
                      [p[key] for p in scale["points"]], **look)
        for value in limit:
            axes.axhline(value, color=BAR_COLOUR)
        log_scale(axes, "x", [p["nodes"] for s in scales for p in s["points"]])
        log_scale(axes, "y", limit + [p[key] for s in scales
                                       for p in s["points"]])
        axes.set_title(title)
        axes.set_xlabel("nodes")

    plots = [("microsecondsPerNode", "us per node: read, import, check, order",
              []),
             ("gibibytes", "peak memory, GiB (red: the bar)",
              [rdir_scale.GIBIBYTES])]
    return save(side_by_side(draw_in, plots, 2, 17, headline(content) +
                             "; checking graphs of growing size", looks), path)


#===-- Scalings: efficiency over the number of ranks ---------------------===#


def draw_scalings(content, path):
    scalings = sorted(content["scalings"], key=lambda s: s["kind"],
                      reverse=True)
    looks = {label: {"color": colour, "marker": "o"} for label, colour in
             colours_of(scalings[0]["points"][0]["seconds"]).items()}

    def draw_in(axes, scaling):
        points = scaling["points"]
        ranks = [point["ranks"] for point in points]
        for label, look in looks.items():
            axes.plot(ranks, [point["work"] / point["seconds"][label]
                              for point in points], **look)
        axes.set_xscale("log", base=2)
        axes.set_xticks(ranks, [str(number) for number in ranks], minor=False)
        share_scale(axes)
        axes.set_title(f"{scaling['network']}, {scaling['kind']}")
        axes.set_xlabel("ranks")

    return save(side_by_side(
        draw_in, scalings, min(3, len(scalings)), 10, "bench cluster: "
        "simulated ranks; share of a sweep that is not messages", looks), path)


#===-- All ---------------------------------------------------------------===#


def pictures(content):
    """All there is to draw: the file, what it shows, and how."""
    name = content["benchmark"]
    draw_page, found = ((draw_tables, table_pages(content)) if content["tables"]
                        else (draw_rows, row_pages(content)))
    made = [(f"{name}{f'-{i}' if i > 1 else ''}.svg", "speeds",
             partial(draw_page, plots))
            for i, plots in enumerate(found, 1) if plots]
    if content["sweeps"]:
        made.append((f"{name}-efficiency.svg", "efficiency", draw_sweeps))
    if content["scales"]:
        made.append((f"{name}-scale.svg", "time and memory", draw_scales))
    if content.get("scalings"):
        made.append((f"{name}-scaling.svg", "simulated ranks", draw_scalings))
    return made


def draw(content, folder, prefix=""):
    """Draws all that there is into files that begin so; returns the files."""
    if pyplot is None:
        raise toolchain.Missing("'matplotlib' not found: apt-get install "
                                "python3-matplotlib")
    with matplotlib.rc_context(STYLE):
        return [draw_in(content, folder / (prefix + file))
                for file, _, draw_in in pictures(content)]
