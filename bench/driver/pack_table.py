# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables with a line per row, and bars over many rows at once."""

import dataclasses
import math
import typing

from .outcome import verdict_json
from .ratios import bounded, median, shown
from .table import NOT_MEASURED, Bar, Verdict, compare, held_for, opponents


@dataclasses.dataclass
class Column:
    """The best of some programs."""

    heading: str
    labels: tuple

    def entry(self, result):
        found = [e for e in result.entries
                 if e.label in self.labels and e.times]
        return min(found, key=lambda e: e.median(), default=None)


@dataclasses.dataclass
class Overall:
    """`The median (or mean) over `rows` of ours against `bar`'s program`."""

    text: str
    rows: list
    bar: Bar
    factor: float
    combine: typing.Callable

    @staticmethod
    def median(text, rows, bar, factor):
        return Overall(text, rows, bar, factor, median)

    @staticmethod
    def mean(text, rows, bar, factor):
        return Overall(text, rows, bar, factor, geometric_mean)


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def judged(result, bar):
    """Our program that the bar holds for, if it has numbers."""
    mine = [e for e in held_for(bar, result.entries) if e.times]
    return mine[0] if mine else None


def round_ratios(result, bar):
    """How much faster ours was than the bar's program, round by round."""
    mine = judged(result, bar)
    ratios = [[a / b for a, b in zip(times, mine.times)]
              for _, times in opponents(bar, result.entries)] if mine else []
    return min(ratios, key=median, default=[])


def ratio_over(results, bar, combine):
    """Combines the rows' ratios of each round; the median of the rounds with
    its bounds, or None if a row has no numbers."""
    ratios = [round_ratios(result, bar) for result in results]
    rounds = min(map(len, ratios), default=0)
    if rounds == 0:
        return None
    return bounded([combine([row[i] for row in ratios])
                    for i in range(rounds)])


@dataclasses.dataclass
class Table:
    """Rows that are printed one a line.

    `columns` are programs; after them comes, for each of `ratios`, a heading
    and a bar, how many times as fast ours is as the bar's program.
    """

    title: str
    unit: str
    columns: list
    ratios: list
    name: str = ""
    labels: list = dataclasses.field(default_factory=list)
    results: list = dataclasses.field(default_factory=list)
    verdicts: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)

    def add(self, label, result):
        self.labels.append(label)
        self.results.append(result)

    def judge(self, overall):
        """A bar over several rows; nothing if one of them was not run."""
        results = [r for r in self.results if r.row.name in overall.rows]
        if len(results) < len(overall.rows):
            return
        if not all(result.entries for result in results):
            self.notes.append(NOT_MEASURED)
            return
        ratio = ratio_over(results, overall.bar, overall.combine)
        mine = next(filter(None, (judged(result, overall.bar)
                                  for result in results)), None)
        self.verdicts.append(Verdict(mine.label if mine else "Sluice",
                                     overall.text, ratio, overall.factor))

    def shown_verdicts(self):
        """Those over several rows, and of rows that show no ratio."""
        own = [] if self.ratios else [v for r in self.results
                                      for v in r.verdicts]
        return own + self.verdicts

    def cells(self, result):
        row = result.row
        for column in self.columns:
            entry = column.entry(result)
            yield (f"{row.display(entry.work, entry.median()):.3g}"
                   if entry else "-")
        for _, bar in self.ratios:
            yield ratio_cell(result, bar)


def ratio_cell(result, bar):
    """'0.95 [0.91, 0.99]', and what it is if it is a bar of the row that is
    not reached."""
    for verdict in result.verdicts:
        if verdict.bar is bar:
            text = verdict.ratio.text() if verdict.ratio else ""
            return text if verdict.passed else f"{text} {verdict.word.upper()}"
    mine = judged(result, bar)
    ratio = compare(bar, result.entries, mine)[0] if mine else None
    return ratio.text() if ratio else "-"


def lines_of(table):
    """The table as text, columns aligned; the last ones to the left."""
    heads = ["", *(c.heading for c in table.columns),
             *(heading for heading, _ in table.ratios)]
    rows = [[label, *table.cells(result)]
            for label, result in zip(table.labels, table.results)]
    widths = [max(len(line[i]) for line in [heads, *rows])
              for i in range(len(heads))]
    numbers = 1 + len(table.columns)
    for line in [heads, *rows]:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in
                  zip(line[1:numbers], widths[1:numbers])]
        cells += [cell.ljust(width) for cell, width in
                  zip(line[numbers:], widths[numbers:])]
        yield "  ".join(cells).rstrip()


def print_table(table):
    is_time = any(result.row.is_time for result in table.results)
    lower = ", lower is better" if is_time else ""
    print(f"\n{table.title}  [{table.unit}{lower}]")
    for line in lines_of(table):
        print(f"  {line}")
    for result in table.results:
        for entry in result.entries:
            if entry.problem:
                print(f"  {result.row.title}, {entry.label}: NO NUMBERS: "
                      f"{entry.problem}")
        for note in result.notes:
            print(f"  note: {result.row.title}: {note}")
    print_steadiness(table)
    for verdict in table.shown_verdicts():
        print(f"  {verdict.text()}")
    for note in table.notes:
        print(f"  note: {note}")


def print_steadiness(table):
    """How far equal programs differ, and two cores are apart."""
    spreads = [r.spread.median for r in table.results if r.spread]
    if spreads:
        print(f"  a program against itself: {shown(min(spreads))} to "
              f"{shown(max(spreads))}")
    trips = [trip for r in table.results for trip in r.trips if trip]
    if trips:
        print(f"  cache-line round trip: {median(trips):.0f} ns "
              f"({min(trips):.0f}-{max(trips):.0f})")


def table_json(table):
    return {"name": table.name, "title": table.title, "unit": table.unit,
            "columns": [{"heading": column.heading,
                         "programs": list(column.labels)}
                        for column in table.columns],
            "ratios": [heading for heading, _ in table.ratios],
            "rows": [{"name": result.row.name, "label": label,
                      "cells": list(table.cells(result))}
                     for label, result in zip(table.labels, table.results)],
            "bars": [verdict_json(verdict) for verdict in table.verdicts],
            "notes": table.notes}
