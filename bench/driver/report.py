# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table on the terminal and the JSON file."""

import hashlib
import json
import os
import platform
import time

from . import sources
from .cluster_scaling import print_scaling, scaling_json
from .outcome import ratio_json, verdict_json
from .pack_table import print_table, table_json
from .ratios import median, paired_ratio
from .rdir_scale import print_scale, scale_json
from .sweep import print_sweep, sweep_json
from .table import best_peer
from .toolchain import BENCH, ROOT

# A share of the processors' time above this, before anything is measured,
# says that the machine is not ours alone.
QUIET = 0.03


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


def processor_times():
    with open("/proc/stat", encoding="utf-8") as text:
        return [int(field) for field in text.readline().split()[1:9]]


def busy_share(seconds=1.0):
    """What others take of the processors' time while this process sleeps;
    time that the hypervisor gives to other machines is counted too."""
    before = processor_times()
    time.sleep(seconds)
    passed = [b - a for a, b in zip(before, processor_times())]
    idle = passed[3] + passed[4]  # with waiting for disks
    return 1 - idle / max(sum(passed), 1)


def system_name():
    try:
        fields = platform.freedesktop_os_release()
    except OSError:
        return platform.system()
    return fields.get("PRETTY_NAME", platform.system())


def source_mark():
    """Tells whether results belong to this compiler and these benchmarks."""
    digest = hashlib.sha256()
    built = [ROOT / "build/release/bin/sluice",
             *sorted(ROOT.glob("build/release/lib/*.so")),
             *sorted(ROOT.glob("build/release/lib/*.a"))]
    files = [p for p in sorted(BENCH.rglob("*"))
             if p.is_file() and "__pycache__" not in p.parts]
    for path in [*files, *built]:
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def machine(options):
    return {"cpu": cpu_name(), "processors": len(os.sched_getaffinity(0)),
            "system": system_name(), "threads": options.threads,
            "rounds": options.rounds, "mostRounds": options.most_rounds,
            "seed": options.seed, "rows": options.rows,
            "peers": options.peers, "kernel": platform.release(),
            "busy": busy_share(), "source": source_mark(),
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
    width = max((len(e.label) for e in result.entries), default=0)
    if reference:
        print(f"  {'':{width}}  {'median':>9} {'best':>9}  speed against "
              f"{reference.label}")
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
        print(f"  {verdict.text()}")
    print(f"  {len(result.trips)} rounds" + (
        f"; a program against itself: {result.spread.text()}"
        if result.spread else ""))
    if any(result.trips):
        print(f"  cache-line round trip: {median(result.trips):.0f} ns "
              f"({min(result.trips):.0f}-{max(result.trips):.0f})")
    for note in result.notes:
        print(f"  note: {note}")


def print_facts(outcome):
    for label, fact in outcome.facts.items():
        loaded = ", ".join(f"{path} ({package})" if package else path
                           for path, package in fact["libraries"].items())
        print(f"  {label}: {fact['compiler']}{'; ' + loaded if loaded else ''}")
    for line in outcome.missing:
        print(f"  left out: {line}")
    for note in outcome.notes:
        print(f"  note: {note}")


def print_report(name, here, outcome):
    print(f"\nbench {name}: {here['cpu']}, {here['processors']} processors, "
          f"{here['threads']} threads, {here['rounds']} to "
          f"{here['mostRounds']} rounds, {here['date']}")
    if here["busy"] > QUIET:
        print(f"  note: other programs take {here['busy']:.0%} of the "
              "processors; the numbers are provisional")
    print_facts(outcome)
    for table in outcome.tables:
        print_table(table)
    if not outcome.tables:
        for result in outcome.results:
            print_row(result)
    for sweep in outcome.sweeps:
        print_sweep(sweep)
    for scale in outcome.scales:
        print_scale(scale)
    for scaling in outcome.scalings:
        print_scaling(scaling)
    for problem in outcome.problems:
        print(f"  NO NUMBERS: {problem}")
    words = [verdict.word for verdict in outcome.verdicts()]
    if words:
        counts = ", ".join(f"{words.count(word)} {word}"
                           for word in dict.fromkeys(sorted(words)))
        print(f"\n{words.count('reached')} of {len(words)} bars reached "
              f"({counts})")


def print_checks(name, outcome):
    """What was computed and compared, where nothing was timed."""
    print(f"bench {name}: results only, nothing is timed")
    print_facts(outcome)
    results = [*outcome.results, *(r for s in outcome.sweeps
                                   for r in s.results)]
    for result in results:
        right = [e.label for e in result.entries if not e.problem]
        print(f"  {result.row.name}: right: {', '.join(right)}")
        for entry in result.entries:
            if entry.problem:
                print(f"  {result.row.name}: WRONG: {entry.label}: "
                      f"{entry.problem}")
        for note in result.notes:
            print(f"  {result.row.name}: {note}")
    for scale in outcome.scales:
        print(f"  scale-{scale.shape}, {scale.format}: right")
    for scaling in outcome.scalings:
        print(f"  {scaling.label}, {', '.join(map(str, scaling.points))} ranks: "
              "right")
    for problem in outcome.problems:
        print(f"  WRONG: {problem}")
    print(f"checked {sum(len(r.entries) for r in results)} programs of "
          f"{len(results)} rows")


def program_json(result, entry, reference):
    row = result.row
    ratio = (paired_ratio(reference.times, entry.times)
             if entry.times and reference else None)
    return {"label": entry.label, "problem": entry.problem,
            "isOurs": entry.is_ours, "isAgain": entry.is_again,
            "seconds": entry.times, "speed": ratio_json(ratio),
            "median": row.display(entry.work, entry.median())
                      if entry.times else None,
            "best": row.display(entry.work, min(entry.times))
                    if entry.times else None}


def row_json(result):
    row, reference = result.row, reference_of(result)
    return {
        "name": row.name, "title": row.title, "unit": row.unit,
        "lowerIsBetter": row.is_time,
        "reference": reference.label if reference else None,
        "programs": [program_json(result, e, reference)
                     for e in result.entries],
        "bars": [verdict_json(verdict) for verdict in result.verdicts],
        "spread": ratio_json(result.spread), "rounds": len(result.trips),
        "roundTripNanoseconds": result.trips, "notes": result.notes}


def content_of(name, here, outcome):
    return {"benchmark": name, "machine": here,
            "sources": sources.marks(name, ROOT),
            "isComplete": outcome.is_complete(),
            "programs": outcome.facts, "missing": outcome.missing,
            "notes": outcome.notes,
            "rows": [row_json(r) for r in outcome.results],
            "sweeps": [sweep_json(s) for s in outcome.sweeps],
            "tables": [table_json(t) for t in outcome.tables],
            "scales": [scale_json(s) for s in outcome.scales],
            "scalings": [scaling_json(s) for s in outcome.scalings],
            "problems": outcome.problems}


def write_json(path, content):
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n",
                    encoding="utf-8")
