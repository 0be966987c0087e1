# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of `bench cluster` about plans: time over the number of ranks."""

import os

from . import peers, toolchain
from .program import WrongResult
from .table import Bar, Entry, Row, measure

SIDES = [8, 16, 32, 64, 128]  # ranks along each side of a square
LABELS = [f"{side ** 2} ranks" for side in SIDES]
FEW = LABELS[0]
GROWTH = 1.5  # the bar: most ranks against the fewest



def make_row(name, program):
    return Row(name, f"plan of one rank, {program}", "us", 1e6,
               [Bar(FEW, 1 / GROWTH)], is_time=True)


ROWS = [make_row("plan", "a stencil on 4 x 4 blocks for each"),
        make_row("plan-sums", "conjugate gradients on 4 x 4 blocks for each"),
        make_row("plan-circuit", "a circuit, partitions made"),
        make_row("plan-cg", "cg with its matrix, partitions made"),
        make_row("plan-hydro", "hydro on its mesh, partitions made")]


def tool(compiler):
    """The program beside the compiler driver that plans for one rank."""
    path = os.path.join(os.path.dirname(os.path.dirname(compiler)),
                        "bench/region-plans")
    if not os.access(path, os.X_OK):
        raise toolchain.Missing(f"'{path}' not found: ./dev build")
    return path


def run(compiler, options, outcome, round_trip, say):
    """Adds the rows to the outcome: ours are the most ranks, all others are
    there to compare with."""
    for row in ROWS:
        if not options.rows or row.name in options.rows:
            run_row(row, compiler, options, outcome, round_trip, say)


def run_row(row, compiler, options, outcome, round_trip, say):
    entries = []
    try:
        for side, label in zip(SIDES, LABELS):
            program, _ = peers.start(peers.Peer(label, tool(compiler), "", {},
                                                ""))
            entries.append(Entry(label, program, f"{row.name}:{side}",
                                 is_ours=side == SIDES[-1]))
    except (toolchain.Missing, WrongResult) as error:
        outcome.missing.append(f"{row.name}: {error}")
    if entries:
        outcome.results.append(measure(row, entries, options, round_trip, say))
    for entry in entries:
        entry.program.quit()
