# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table on the terminal and the JSON file."""

import json
import os
import platform
import time

from .pack_table import print_table, table_json
from .program import median
from .ratios import paired_ratio
from .rdir_scale import print_scale, scale_json
from .sweep import print_sweep, sweep_json
from .table import best_peer


# A load above this at the start says that the machine is not ours alone.
QUIET = 0.5


def cpu_name():
    fields = {}
    with open("/proc/cpuinfo", encoding="utf-8") as text:
        for line in text:
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), value.strip())
    name = fields.get("model name", platform.machine())
    family = fields.get("cpu family", "?")
    model = fields.get("model", "?")
    return f"{name} (family {family}, model {model})"


def machine(threads, rounds):
    return {"cpu": cpu_name(), "processors": len(os.sched_getaffinity(0)),
            "threads": threads, "rounds": rounds,
            "kernel": platform.release(), "load": os.getloadavg()[0],
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}


def reference_of(result):
    """The program that the others' speeds are shown against: the one that the
    row's first bar names, else the best peer."""
    named = [bar.against for bar in result.row.bars]
    for entry in result.entries:
        if named and entry.label == named[0] and entry.times:
            return entry
    peer = best_peer(result.entries)
    if peer:
        return peer
    return next((e for e in result.entries if e.times), None)


def print_row(result):
    row, reference = result.row, reference_of(result)
    print(f"\n{row.title}  [{row.unit}"
          f"{', lower is better' if row.is_time else ''}]")
    width = max(len(e.label) for e in result.entries)
    print(f"  {'':{width}}  {'median':>9} {'best':>9}  speed against "
          f"{reference.label if reference else '-'}")
    for entry in result.entries:
        if entry.problem:
            print(f"  {entry.label:{width}}  NO NUMBERS: {entry.problem}")
            continue
        shown = [row.display(entry.work, t)
                 for t in (entry.median(), min(entry.times))]
        ratio = paired_ratio(reference.times, entry.times)
        print(f"  {entry.label:{width}}  {shown[0]:9.4g} {shown[1]:9.4g}  "
              f"{ratio.text()}")
    for verdict in result.verdicts:
        word = "pass" if verdict.passed else "MISS"
        print(f"  {word}  {verdict.label}: {verdict.ratio.text()} of "
              f"{verdict.against}, bar {verdict.factor:.2f}")
    if result.spread:
        print(f"  a program against itself: {result.spread.text()}")
    if any(result.trips):
        print(f"  cache-line round trip: {median(result.trips):.0f} ns "
              f"({min(result.trips):.0f}-{max(result.trips):.0f})")
    for note in result.notes:
        print(f"  note: {note}")


def print_report(name, here, outcome):
    print(f"\nbench {name}: {here['cpu']}, {here['processors']} processors, "
          f"{here['threads']} threads, {here['rounds']} rounds, "
          f"load {here['load']:.2f}, {here['date']}")
    if here["load"] > QUIET:
        print("  note: other programs are running; bounds are wide and the "
              "numbers provisional")
    for label, fact in outcome.facts.items():
        loaded = ", ".join(f"{path} ({package})" if package else path
                           for path, package in fact["libraries"].items())
        print(f"  {label}: {fact['compiler']}{'; ' + loaded if loaded else ''}")
    for line in outcome.missing:
        print(f"  left out: {line}")
    for note in outcome.notes:
        print(f"  note: {note}")
    for table in outcome.tables:
        print_table(table)
    if not outcome.tables:
        for result in outcome.results:
            print_row(result)
    for sweep in outcome.sweeps:
        print_sweep(sweep)
    for scale in outcome.scales:
        print_scale(scale)
    verdicts = outcome.verdicts()
    if verdicts:
        passed = sum(v.passed for v in verdicts)
        print(f"\n{passed} of {len(verdicts)} bars reached")


def ratio_json(ratio):
    return {"median": ratio.median, "lower": ratio.lower, "upper": ratio.upper}


def row_json(result):
    row = result.row
    return {
        "name": row.name, "title": row.title, "unit": row.unit,
        "lowerIsBetter": row.is_time,
        "programs": [
            {"label": e.label, "problem": e.problem, "seconds": e.times,
             "median": row.display(e.work, e.median()) if e.times else None,
             "best": row.display(e.work, min(e.times)) if e.times else None}
            for e in result.entries],
        "bars": [
            {"program": v.label, "against": v.against, "required": v.factor,
             "ratio": ratio_json(v.ratio), "passed": v.passed}
            for v in result.verdicts],
        "spread": ratio_json(result.spread) if result.spread else None,
        "roundTripNanoseconds": result.trips, "notes": result.notes}


def write_json(path, name, here, outcome):
    content = {"benchmark": name, "machine": here, "programs": outcome.facts,
               "missing": outcome.missing, "notes": outcome.notes,
               "rows": [row_json(r) for r in outcome.results],
               "sweeps": [sweep_json(s) for s in outcome.sweeps],
               "tables": [table_json(t) for t in outcome.tables],
               "scales": [scale_json(s) for s in outcome.scales]}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
