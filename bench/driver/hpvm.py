# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench hpvm`: Sluice beside HPVM 1.0's sequential lowering, re-implemented."""

from . import ours, toolchain
from .outcome import Outcome
from .program import WrongResult
from .table import Entry, Row, measure

LABEL = "HPVM 1.0's manner (re-implemented)"

ROWS = [
    Row("saxpy", "saxpy, 16 M floats", "GB/s", 1e-9),
    Row("matmul-naive", "matrix product 512\u00b3, one instance an element",
        "GFLOP/s", 1e-9),
    Row("stencil", "5-point stencil 2048\u00b2, 2 sweeps", "GB/s", 1e-9),
    Row("launch", "launch + wait, two instances", "us", 1e6, is_time=True),
]

NOT_RUNNABLE = {
    "matmul-tiled": "not runnable there: `barrier` and `malloc` have no "
                    "lowering in HPVM 1.0's CPU back end",
    "reduction": "not runnable there: `barrier`, `malloc` and atomics have no "
                 "lowering in HPVM 1.0's CPU back end",
    "histogram": "not runnable there: atomics have no lowering in HPVM 1.0's "
                 "CPU back end",
}

ROW_SECONDS = 60  # at most, of a row, beyond the least number of rounds
DEFINES = ["-DSTENCIL_SWEEPS=2"]


def entries_of(row, compiler, options):
    folder, threads = options.output, options.threads
    theirs = ours.build_sequential(folder, row.name, DEFINES)
    entries = [Entry(LABEL, ours.start(theirs, LABEL, folder, threads),
                     row.name, warm_seconds=0.1)]
    if compiler:
        mine = ours.build(compiler, folder, row.name, f"hpvm-{row.name}",
                          DEFINES)
        for label in (ours.LABEL, ours.LABEL + " again"):
            entries.append(Entry(label, ours.start(mine, label, folder,
                                                   threads),
                                 row.name, is_ours=True,
                                 is_again=label != ours.LABEL,
                                 warm_seconds=1.0))
    return entries


def run(options, round_trip, say):
    facts, missing, results = {}, [], []
    compiler = None
    try:
        compiler = toolchain.sluice(options.sluice)
        facts[ours.LABEL] = {"compiler": toolchain.first_line(
            [compiler, "--version"]), "libraries": {}}
    except toolchain.Missing as error:
        missing.append(f"Sluice: {error}")
    facts[LABEL] = {"compiler": toolchain.first_line(
        [toolchain.clang(), "--version"]), "libraries": {}}
    for row in ROWS:
        if options.rows and row.name not in options.rows:
            continue
        try:
            entries = entries_of(row, compiler, options)
        except (toolchain.Missing, WrongResult) as error:
            missing.append(f"{row.name}: {error}")
            continue
        results.append(measure(row, entries, options, round_trip, say,
                               ROW_SECONDS))
        for entry in entries:
            entry.program.quit()
    notes = [f"{name}: {reason}" for name, reason in NOT_RUNNABLE.items()]
    return Outcome(results, facts, missing, notes=notes)
