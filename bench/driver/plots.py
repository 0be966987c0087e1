# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The charts, drawn by Matplotlib from what the JSON files hold."""

import math

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:  # Debian's python3-matplotlib brings it
    pyplot = None

from . import rdir_scale, toolchain

# Text stays text, and equal numbers give equal files: see also settle().
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "sluice", "font.size": 8,
         "axes.spines.top": False, "axes.spines.right": False,
         "legend.frameon": False, "legend.fontsize": 7}
OURS, OURS_TOO, PEERS = "#0b6e4f", "#7fc4a8", "#4c6a92"
BAR_COLOUR = "#c0392b"
COLOURS = ["#0b6e4f", "#4c6a92", "#c0392b", "#a58f6f", "#7d3c98", "#8c8c8c",
           "#d68910", "#2e86c1", "#b5b5b5", "#1b2631", "#76448a"]
MOST_ROWS = 24  # of a table, in one plot
WIDEST = 5.0    # ratios beyond are cut; the number stands beside them


def headline(content):
    here = content["machine"]
    return (f"bench {content['benchmark']}: {here['cpu']}, {here['threads']} "
            f"threads, {here['date']}")


def settle(figure):
    """Lays out once, and rounds it: the solver behind constrained layouts goes
    through its variables by their addresses, so last digits differ by run."""
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position([round(edge, 6) for edge in
                           axes.get_position().bounds])
    if (title := figure._suptitle) is not None:
        title.set_position([round(at, 6) for at in title.get_position()])


def save(figure, path):
    settle(figure)
    # Not savefig(), which goes through everything once more for the layout.
    figure.canvas.print_svg(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def legend_below(figure, handles, labels, columns):
    """A legend for all plots, in a strip of its own."""
    lines = math.ceil(len(labels) / columns)
    share = (0.15 + 0.16 * lines) / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    figure.legend(handles, labels, loc="lower center", ncols=columns)


#===-- Rows: speed against a reference -----------------------------------===#


def colour_of(program):
    if program["isAgain"]:
        return "#cfe8dd"
    if "Sluice" in program["label"]:
        return OURS if program["isOurs"] else OURS_TOO
    return PEERS


def draw_row(axes, row):
    programs = [p for p in row["programs"] if p["speed"]]
    for place, program in enumerate(programs):
        speed = program["speed"]
        length = min(speed["median"], WIDEST)
        axes.barh(place, length, color=colour_of(program), height=0.8)
        low = speed["lower"] if speed["lower"] is not None else length
        high = speed["upper"] if speed["upper"] is not None else length
        axes.plot([min(low, WIDEST), min(high, WIDEST)], [place, place],
                  color="black", linewidth=0.8, marker="|", markersize=4)
        axes.text(min(max(length, high), WIDEST) + 0.03, place,
                  f"{program['median']:.4g} {row['unit']} "
                  f"({speed['median']:.2f})", va="center", fontsize=7)
    for bar in row["bars"]:
        if bar["against"] == row["reference"] and bar["required"] < WIDEST:
            axes.axvline(bar["required"], color=BAR_COLOUR, linestyle="--",
                         linewidth=0.8)
    axes.axvline(1, color="black", linewidth=0.6)
    axes.set_xlim(0, 1.35 * min(WIDEST, max(
        [1.0, *(p["speed"]["upper"] or p["speed"]["median"]
                for p in programs)])))
    axes.set_yticks(range(len(programs)), [p["label"] for p in programs])
    axes.invert_yaxis()
    axes.set_title(f"{row['title']}  (1.0 = {row['reference']}, "
                   f"{row['rounds']} rounds)", loc="left", fontsize=8)


def draw_rows(content, path):
    rows = [row for row in content["rows"]
            if any(p["speed"] for p in row["programs"])]
    if not rows:
        return None
    heights = [len(row["programs"]) + 2.5 for row in rows]
    figure, axes = pyplot.subplots(
        len(rows), 1, squeeze=False, figsize=(9, 0.17 * sum(heights) + 0.6),
        gridspec_kw={"height_ratios": heights}, layout="constrained")
    figure.suptitle(headline(content) + "; speed, bounds of 95 %", fontsize=9)
    for place, row in zip(axes[:, 0], rows):
        draw_row(place, row)
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
    for index, column in enumerate(table["columns"]):
        values = [number(row["cells"][index]) for row in rows]
        at = [(v, y) for y, v in enumerate(values) if v]
        axes.plot([v for v, _ in at], [y for _, y in at], "o", markersize=4,
                  color=COLOURS[index % len(COLOURS)],
                  label=column["heading"])
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row["label"] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", color="#eee")
    axes.set_title(f"{table['title']}  [{table['unit']}]", loc="left",
                   fontsize=8)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))


def draw_tables(content, path):
    plots = [(table, rows) for table in content["tables"]
             for rows in parts(table) if rows]
    heights = [len(rows) + 3.5 for _, rows in plots]
    figure, axes = pyplot.subplots(
        len(plots), 1, squeeze=False, figsize=(9, 0.17 * sum(heights) + 0.6),
        gridspec_kw={"height_ratios": heights}, layout="constrained")
    figure.suptitle(headline(content) + "; medians", fontsize=9)
    for place, (table, rows) in zip(axes[:, 0], plots):
        draw_part(place, table, rows)
    return save(figure, path)


#===-- Sweeps: efficiency over the kernel's time -------------------------===#


def draw_sweep(axes, sweep, colours):
    grains = sweep["kernelSeconds"]
    smallest = next(g for g in grains if g > 0) / 2  # where none stands
    for program in sweep["programs"]:
        if program["isAgain"] or program["label"] == sweep["ideal"]:
            continue
        shown = [(g or smallest, e) for g, e in
                 zip(grains, program["efficiency"]) if e]
        axes.plot([g for g, _ in shown], [e for _, e in shown], "o-",
                  markersize=2.5, linewidth=1.2, label=program["label"],
                  color=colours[program["label"]])
    axes.set_xscale("log")
    axes.set_ylim(0, 1.1)
    axes.axhline(0.5, color="black", linewidth=0.6)
    axes.set_title(sweep["title"], loc="left", fontsize=8)
    axes.set_xlabel("kernel, seconds")


def draw_sweeps(content, path):
    sweeps = content["sweeps"]
    labels = dict.fromkeys(p["label"] for s in sweeps for p in s["programs"])
    colours = {label: COLOURS[i % len(COLOURS)]
               for i, label in enumerate(labels)}
    lines = math.ceil(len(sweeps) / 2)
    figure, axes = pyplot.subplots(lines, 2, squeeze=False,
                                   figsize=(10, 2.7 * lines + 0.8),
                                   layout="constrained")
    figure.suptitle(headline(content) + "; efficiency: ideal over actual time",
                    fontsize=9)
    for place, sweep in zip(axes.flat, sweeps):
        draw_sweep(place, sweep, colours)
    for place in axes.flat[len(sweeps):]:
        place.set_axis_off()
    handles = {text: line for place in axes.flat
               for line, text in zip(*place.get_legend_handles_labels())}
    legend_below(figure, handles.values(), handles.keys(), 5)
    return save(figure, path)


#===-- Scales: time and memory over the number of nodes ------------------===#


def draw_scales(content, path):
    figure, (times, memory) = pyplot.subplots(1, 2, figsize=(10, 3.8),
                                              layout="constrained")
    figure.suptitle(headline(content) + "; checking graphs of growing size",
                    fontsize=9)
    shapes = list(dict.fromkeys(s["shape"] for s in content["scales"]))
    for scale in content["scales"]:
        nodes = [p["nodes"] for p in scale["points"]]
        look = {"color": COLOURS[shapes.index(scale["shape"]) % len(COLOURS)],
                "linestyle": "-" if scale["format"] == "text" else "--",
                "label": f"{scale['shape']}, {scale['format']}"}
        times.plot(nodes, [p["microsecondsPerNode"] for p in scale["points"]],
                   "o", markersize=2.5, **look)
        memory.plot(nodes, [p["gibibytes"] for p in scale["points"]], "o",
                    markersize=2.5, **look)
    memory.axhline(rdir_scale.GIBIBYTES, color=BAR_COLOUR, linewidth=0.8)
    for axes, title in ((times, "us per node: read, import, check, order"),
                        (memory, "peak memory, GiB (red: the bar)")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("nodes")
        axes.set_title(title, loc="left", fontsize=8)
    legend_below(figure, *times.get_legend_handles_labels(), 4)
    return save(figure, path)


#===-- Scalings: efficiency over the number of ranks ---------------------===#


def draw_scaling(axes, scaling):
    ranks = [point["ranks"] for point in scaling["points"]]
    for label, line in zip(scaling["points"][0]["seconds"], ("-", "--")):
        shares = [point["work"] / point["seconds"][label]
                  for point in scaling["points"]]
        axes.plot(ranks, shares, "o" + line, markersize=2.5, linewidth=1.2,
                  label=label, color=OURS if line == "-" else PEERS)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, [str(number) for number in ranks])
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("ranks")
    axes.set_title(f"{scaling['network']}, {scaling['kind']}", loc="left",
                   fontsize=8)


def draw_scalings(content, path):
    scalings = content["scalings"]
    columns = min(3, len(scalings))
    lines = math.ceil(len(scalings) / columns)
    ordered = sorted(scalings, key=lambda s: s["kind"], reverse=True)
    figure, axes = pyplot.subplots(lines, columns, squeeze=False,
                                   figsize=(10, 2.4 * lines + 0.8),
                                   layout="constrained")
    figure.suptitle("bench cluster: simulated ranks; share of a sweep that is "
                    "not messages", fontsize=9)
    for place, scaling in zip(axes.flat, ordered):
        draw_scaling(place, scaling)
    for place in axes.flat[len(scalings):]:
        place.set_axis_off()
    legend_below(figure, *axes.flat[0].get_legend_handles_labels(), 2)
    return save(figure, path)


def draw(content, folder, prefix=""):
    """Draws all that there is into files that begin so; returns the files."""
    if pyplot is None:
        raise toolchain.Missing("'matplotlib' not found: apt-get install "
                                "python3-matplotlib")
    name = prefix + content["benchmark"]
    with matplotlib.rc_context(STYLE):
        drawn = []
        if content["tables"]:
            drawn.append(draw_tables(content, folder / f"{name}.svg"))
        elif content["rows"]:
            drawn.append(draw_rows(content, folder / f"{name}.svg"))
        if content["sweeps"]:
            drawn.append(draw_sweeps(content,
                                     folder / f"{name}-efficiency.svg"))
        if content["scales"]:
            drawn.append(draw_scales(content, folder / f"{name}-scale.svg"))
        if content.get("scalings"):
            drawn.append(draw_scalings(content,
                                       folder / f"{name}-scaling.svg"))
    return [path for path in drawn if path]
