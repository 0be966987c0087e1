# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what was measured into docs/benchmarks.md.

The tables stand between `<!-- measured: NAME -->` and `<!-- end: NAME -->`.
They and the pictures are made of docs/measured/NAME.json alone, so they cannot
disagree with it, and publishing the same figures again changes nothing. What
of `bench NAME`'s results stands in that file is said in kept.py.
"""

import json

from . import kept, plots
from .ratios import REACHED, shown
from .toolchain import ROOT, Missing

DOCS = ROOT / "docs"
PAGE = "benchmarks.md"
MEASURED = "measured"
IMAGES = "images"


#===-- Markdown ----------------------------------------------------------===#


def table_lines(heads, rows):
    def line(cells):
        return "| " + " | ".join(str(c).replace("|", "/") for c in cells) + " |"
    return [line(heads), "|" + "---|" * len(heads), *map(line, rows), ""]


def ratio_text(ratio):
    if not ratio:
        return "-"
    if ratio["lower"] is None and ratio["upper"] is None:
        return f"{shown(ratio['median'])} [no bounds]"
    def end(value, text):
        return text if value is None else shown(value)
    return (f"{shown(ratio['median'] or 0)} [{end(ratio['lower'], '0')}, "
            f"{end(ratio['upper'], 'no end')}]")


def number_text(value):
    return "" if value is None else f"{value:.3g}"


def head_lines(content):
    here = content["machine"]
    most = (f"{here['rounds']} rounds" if here["rounds"] == here["mostRounds"]
            else f"{here['rounds']} to {here['mostRounds']} rounds")
    lines = [f"Measured on {here['date']}: {here['cpu']}, "
             f"{here['processors']} processors, {here['system']}, "
             f"{here['threads']} threads, {most}; before it began, others took "
             f"{max(here['busy'], 0):.0%} of the processors.", ""]
    facts = ["; ".join([f"{label}: {fact['compiler']}", *fact["libraries"]])
             for label, fact in content["programs"].items()]
    notes = [*content["notes"],
             *(f"left out: {line}" for line in content["missing"])]
    if not content["isComplete"]:
        notes.insert(0, "**Not complete**: the time was spent before all rows "
                     "were measured.")
    if facts:
        lines += ["<details><summary>Programs and versions</summary>", "",
                  *(f"* {fact}" for fact in facts), "", "</details>", ""]
    return lines + [f"* {note}" for note in notes] + ([""] if notes else [])


def row_lines(content):
    """A line a row: the median of each program."""
    rows = content["rows"]
    labels = list(dict.fromkeys(p["label"] for row in rows
                                for p in row["programs"] if not p["isAgain"]))
    lines = []
    for row in rows:
        found = {p["label"]: p for p in row["programs"]}
        cells = [number_text(found[label]["median"])
                 if label in found and found[label]["median"] is not None
                 else "" for label in labels]
        less = ", less is better" if row["lowerIsBetter"] else ""
        lines.append([f"`{row['name']}`", row["unit"] + less, *cells])
    return table_lines(["row", "unit", *labels], lines) if rows else []


def bar_cells(name, bar, spread):
    verdict = bar["verdict"]
    rounds = bar["ratio"]["rounds"] if bar["ratio"] else ""
    return [f"`{name}`", bar["program"],
            f"{shown(bar['required'])} of {bar['against']}",
            ratio_text(bar["ratio"]), rounds, ratio_text(spread),
            verdict if verdict == REACHED else f"**{verdict}**"]


BAR_HEADS = ["row", "program", "bar", "ratio", "rounds", "against itself",
             "verdict"]


def bar_lines(content):
    bars = [bar_cells(row["name"], bar, row["spread"])
            for row in content["rows"] for bar in row["bars"]]
    bars += [bar_cells(part["name"], bar, None)
             for part in content["sweeps"] for bar in part["bars"]]
    return table_lines(BAR_HEADS, bars) if bars else []


def tables_lines(content):
    lines = []
    for table in content["tables"]:
        heads = ["", *(c["heading"] for c in table["columns"]),
                 *table["ratios"]]
        rows = [[row["label"], *row["cells"]] for row in table["rows"]]
        lines += [f"{table['title']}, {table['unit']}:", "",
                  *table_lines(heads, rows)]
        bars = [bar_cells(table["name"], bar, None) for bar in table["bars"]]
        lines += table_lines(BAR_HEADS, bars) if bars else []
    return lines


def sweep_lines(content):
    sweeps = content["sweeps"]
    labels = list(dict.fromkeys(
        p["label"] for s in sweeps for p in s["programs"]
        if not p["isAgain"] and p["label"] != s["ideal"]))
    rows = []
    for sweep in sweeps:
        found = {p["label"]: p["metg"] for p in sweep["programs"]}
        rows.append([f"`{sweep['name']}`", *(found.get(label, "")
                                             for label in labels)])
    return ["METG(50 %), with its bounds:", "",
            *table_lines(["grid", *labels], rows)] if rows else []


def scale_lines(content):
    if not content["scales"]:
        return []
    rows = [[f"{scale['shape']}, {scale['format']}",
             f"{last['nodes']:,}", f"{last['edges']:,}",
             f"{last['medianSeconds']:.2f} s", f"{last['gibibytes']:.2f} GiB",
             f"{scale['growth']:.2f}"]
            for scale in content["scales"] for last in [scale["points"][-1]]]
    bars = [bar_cells(f"scale-{scale['shape']}, {scale['format']}", bar, None)
            for scale in content["scales"] for bar in scale["bars"]]
    return [*table_lines(["graph", "nodes", "edges", "read, checked and "
                          "ordered in", "memory", "growth per node"], rows),
            *table_lines(BAR_HEADS, bars)]


def scaling_lines(content):
    """A line for each network, kind and program: microseconds a sweep."""
    scalings = content.get("scalings", [])
    if not scalings:
        return []
    ranks = [point["ranks"] for point in scalings[0]["points"]]
    rows = [[f"{scaling['network']}, {scaling['kind']}", label,
             *(number_text(point["seconds"][label] * 1e6)
               for point in scaling["points"])]
            for scaling in scalings
            for label in scaling["points"][0]["seconds"]]
    bars = [bar_cells(name, bar, None) for name, bar in scaling_bars(content)]
    return ["Microseconds of a sweep on simulated ranks:", "",
            *table_lines(["network, scaling", "program",
                          *(f"{number:,} ranks" for number in ranks)], rows),
            *(table_lines(BAR_HEADS, bars) if bars else [])]


def scaling_bars(content):
    for scaling in content.get("scalings", []):
        for bar in scaling["bars"]:
            yield f"simulated-{scaling['network']}", bar


def all_bars(content):
    for kind in ("rows", "sweeps", "tables"):
        for part in content[kind]:
            for bar in part["bars"]:
                yield part["name"], bar
    for scale in content["scales"]:
        for bar in scale["bars"]:
            yield f"scale-{scale['shape']}, {scale['format']}", bar
    yield from scaling_bars(content)


def summary_lines(content):
    bars = list(all_bars(content))
    more = content.get("reached", 0)  # of rows that are not kept
    if not bars and not more:
        return []
    reached = more + sum(bar["verdict"] == REACHED for _, bar in bars)
    words = [f"**{reached} of {more + len(bars)} bars are reached.**"]
    others = [f"`{name}` {'is' if bar['ratio'] else 'has'} {bar['verdict']} "
              f"({ratio_text(bar['ratio'])} of {bar['against']}, bar "
              f"{shown(bar['required'])})"
              for name, bar in bars if bar["verdict"] != REACHED]
    if others:
        words.append("Not reached: " + "; ".join(others) + ".")
    return [" ".join(words), ""]


def picture_lines(content):
    return [f"![bench {content['benchmark']}: {what}](images/bench-{file})"
            for file, what, _ in plots.pictures(content)]


def markdown(content):
    table_rows = (tables_lines(content) if content["tables"]
                  else row_lines(content) + bar_lines(content))
    return "\n".join([*head_lines(content), *summary_lines(content),
                      *table_rows, *sweep_lines(content),
                      *scale_lines(content), *scaling_lines(content),
                      *picture_lines(content)])


#===-- The page ----------------------------------------------------------===#


def with_table(page, name, text):
    """The page with the table of a benchmark in its place."""
    begin, end = f"<!-- measured: {name} -->", f"<!-- end: {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise Missing(f"expected '{begin}' and '{end}' once in '{PAGE}'")
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def published(docs=DOCS):
    """What is kept, by name."""
    return {path.stem: kept.read(path)
            for path in sorted((docs / MEASURED).glob("*.json"))}


def rewrite(docs=DOCS):
    """Makes all tables of the page anew; says whether that changed it."""
    page = docs / PAGE
    old = page.read_text(encoding="utf-8")
    new = old
    for name, content in published(docs).items():
        new = with_table(new, name, markdown(content))
    if new != old:
        page.write_text(new, encoding="utf-8")
    return new != old


def publish(results, name, docs=DOCS):
    """Takes over `results`/NAME.json."""
    path = results / f"{name}.json"
    if not path.exists():
        raise Missing(f"'{path}' not found: measure it first: bench {name}")
    for folder in (docs / MEASURED, docs / IMAGES):
        folder.mkdir(parents=True, exist_ok=True)
    text = kept.text(json.loads(path.read_text(encoding="utf-8")))
    path = docs / MEASURED / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    for old in (docs / IMAGES).glob(f"bench-{name}-[2-9].svg"):
        old.unlink()
    plots.draw(kept.read(path), docs / IMAGES, "bench-")
    rewrite(docs)
