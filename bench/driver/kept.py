# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a measurement stays in the repository: docs/measured/NAME.json.

The page and its pictures are made of these files, so they hold what those show
and no more: numbers as they are shown, and no single rounds. A row stands in a
line of its own, as lists whose order is what `*_line` and `*_of` here say; read
back it looks as `bench NAME` wrote it. Of the rows that tables sum up, only
bars that are not reached are kept, and the number of the others.
"""

import json

from .ratios import REACHED, shown
from .toolchain import ROOT

MACHINE = ["cpu", "processors", "system", "threads", "rounds", "mostRounds",
           "busy", "date"]
LISTS = ["rows", "sweeps", "tables", "scales", "scalings"]  # of long lines


#===-- Numbers -----------------------------------------------------------===#


def digits(value, count=3):
    """With so many of them, and no '.0' behind whole numbers."""
    if value is None:
        return None
    short = float(f"{value:.{count}g}")
    return int(short) if short == int(short) else short


def ratio_line(ratio):
    """The median, its bounds and the rounds."""
    if not ratio:
        return None
    ends = [ratio["median"], ratio["lower"], ratio["upper"]]
    return [*(v and digits(float(shown(v)), 9) for v in ends), ratio["rounds"]]


def ratio_of(line):
    return line and dict(zip(("median", "lower", "upper", "rounds"), line))


#===-- Parts -------------------------------------------------------------===#


def bar_line(bar):
    return [bar["program"], bar["against"], bar["required"], bar["verdict"],
            ratio_line(bar["ratio"])]


def bar_of(line):
    made = dict(zip(("program", "against", "required", "verdict"), line))
    return {**made, "ratio": ratio_of(line[4])}


def with_bars(part, made):
    """`made` and the bars of `part`, where it has any."""
    bars = [bar_line(bar) for bar in part["bars"]]
    return {**made, "bars": bars} if bars else made


def bars_of(line):
    return [bar_of(bar) for bar in line.get("bars", [])]


def kind_of(program):
    return ("again" if program["isAgain"] else
            "ours" if program.get("isOurs") else "")


def row_line(row):
    """Of each program: label, kind, median, and its speed with bounds."""
    programs = [[p["label"], kind_of(p), digits(p["median"]),
                 (ratio_line(p["speed"]) or [])[:3]] for p in row["programs"]]
    return with_bars(row, {
        "name": row["name"], "title": row["title"], "unit": row["unit"],
        "less": row["lowerIsBetter"], "reference": row["reference"],
        "rounds": row["rounds"], "spread": ratio_line(row["spread"]),
        "programs": programs})


def row_of(line):
    if "title" not in line:
        return {"name": line["name"], "bars": bars_of(line)}
    programs = [{"label": label, "isOurs": kind == "ours",
                 "isAgain": kind == "again", "median": median,
                 "speed": ratio_of(speed or None)}
                for label, kind, median, speed in line["programs"]]
    return {**line, "lowerIsBetter": line["less"], "bars": bars_of(line),
            "spread": ratio_of(line["spread"]), "programs": programs}


def summed_up(rows):
    """Of rows that stand in tables: what is not reached."""
    for row in rows:
        bars = [b for b in row["bars"] if b["verdict"] != REACHED]
        if bars:
            yield with_bars({"bars": bars}, {"name": row["name"]})


def sweep_line(sweep):
    """Of each program: label, kind, METG as text, and the efficiencies."""
    programs = [[p["label"], kind_of(p), p["metg"],
                 [digits(share, 2) for share in p["efficiency"]]]
                for p in sweep["programs"]]
    return with_bars(sweep, {
        "name": sweep["name"], "title": sweep["title"],
        "ideal": sweep["ideal"], "programs": programs,
        "kernelSeconds": [digits(s) for s in sweep["kernelSeconds"]]})


def sweep_of(line):
    programs = [{"label": label, "isAgain": kind == "again", "metg": metg,
                 "efficiency": shares}
                for label, kind, metg, shares in line["programs"]]
    return {**line, "programs": programs, "bars": bars_of(line)}


def table_line(table):
    """Of each row: its label, then the cells."""
    return with_bars(table, {
        "name": table["name"], "title": table["title"], "unit": table["unit"],
        "columns": [column["heading"] for column in table["columns"]],
        "ratios": table["ratios"],
        "rows": [[row["label"], *row["cells"]] for row in table["rows"]]})


def table_of(line):
    return {**line, "bars": bars_of(line),
            "columns": [{"heading": text} for text in line["columns"]],
            "rows": [{"label": row[0], "cells": row[1:]}
                     for row in line["rows"]]}


POINT = ("nodes", "edges", "medianSeconds", "microsecondsPerNode", "gibibytes")


def scale_line(scale):
    def line(point):
        seconds = sorted(point["seconds"])
        point = {**point, "medianSeconds": seconds[len(seconds) // 2]}
        return [point["nodes"], point["edges"],
                *(digits(point[name], 4) for name in POINT[2:])]
    return with_bars(scale, {
        "shape": scale["shape"], "format": scale["format"],
        "growth": digits(scale["growth"]),
        "points": [line(point) for point in scale["points"]]})


def scale_of(line):
    return {**line, "bars": bars_of(line),
            "points": [dict(zip(POINT, point)) for point in line["points"]]}


def scaling_line(scaling):
    """Of each number of ranks: it, the work, and the programs' seconds."""
    points = [[point["ranks"], digits(point["work"], 4),
               *(digits(s, 4) for s in point["seconds"].values())]
              for point in scaling["points"]]
    return with_bars(scaling, {
        "network": scaling["network"], "kind": scaling["kind"],
        "programs": list(scaling["points"][0]["seconds"]), "points": points})


def scaling_of(line):
    points = [{"ranks": ranks, "work": work,
               "seconds": dict(zip(line["programs"], seconds))}
              for ranks, work, *seconds in line["points"]]
    return {**line, "points": points, "bars": bars_of(line)}


#===-- Files -------------------------------------------------------------===#


def compact(content):
    """What the file of these results holds."""
    programs = {label: {"compiler": fact["compiler"], "libraries": sorted(
        {package for package in fact["libraries"].values() if package})}
        for label, fact in content["programs"].items()}
    # What the compiler said of a program that it refused is for the terminal.
    missing = [line.split("\n")[0].replace(str(ROOT), ".")[:300]
               for line in content["missing"]]
    rows = content["rows"]
    made = {"benchmark": content["benchmark"],
            "isComplete": content["isComplete"],
            "machine": {name: content["machine"][name] for name in MACHINE},
            "sources": content.get("sources", {}),
            "programs": programs, "missing": missing,
            "notes": content["notes"]}
    made["machine"]["busy"] = round(made["machine"]["busy"], 2)
    if content["tables"]:
        made["reached"] = sum(bar["verdict"] == REACHED
                              for row in rows for bar in row["bars"])
        made["rows"] = list(summed_up(rows))
    else:
        made["rows"] = [row_line(row) for row in rows]
    made["sweeps"] = [sweep_line(part) for part in content["sweeps"]]
    made["tables"] = [table_line(part) for part in content["tables"]]
    made["scales"] = [scale_line(part) for part in content["scales"]]
    made["scalings"] = [scaling_line(part)
                        for part in content.get("scalings", [])]
    return made


def expanded(made):
    """As `bench NAME` wrote it, of what is kept."""
    readers = (row_of, sweep_of, table_of, scale_of, scaling_of)
    return {**made, **{name: [reader(line) for line in made[name]]
                       for name, reader in zip(LISTS, readers)}}


def short(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def long_list(values, begin, end, indent):
    """One a line."""
    lines = ",\n".join(" " * indent + value for value in values)
    return f"{begin}\n{lines}{end}" if lines else begin + end


def table_text(table):
    """A table in a line, and each of its rows in another."""
    head, rows = short({**table, "rows": []}), map(short, table["rows"])
    return head.replace('"rows":[]', '"rows":' + long_list(rows, "[", "]", 2))


def text(content):
    """The file of these results."""
    def part(name, value):
        if name == "programs":
            return long_list([f"{short(label)}:{short(fact)}"
                              for label, fact in value.items()], "{", "}", 1)
        if name in LISTS:
            write = table_text if name == "tables" else short
            return long_list(map(write, value), "[", "]", 1)
        return short(value)
    return "{" + ",\n".join(f"{short(name)}:{part(name, value)}" for
                            name, value in compact(content).items()) + "}\n"


def read(path):
    return expanded(json.loads(path.read_text(encoding="utf-8")))
