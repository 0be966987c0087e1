# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench cluster`: programs over regions on two ranks beside MPI by hand."""

import functools

from . import (cluster_memory, cluster_plan, cluster_programs as programs_of,
               cluster_simulated, ours, peers, rdir, toolchain)
from .cluster_programs import GENERATED, HAND, ONE_PROCESS, RANKS
from .outcome import Outcome
from .rdir import Problem
from .table import Bar, Entry, Row, measure

WARM_UP = 0.3     # seconds
ROW_SECONDS = 60  # at most, of a row

BARS = [Bar("best", 0.95, among=HAND)]


def problem(name, title, source, **parameters):
    return Problem(Row(name, title, "ms", 1e3, BARS, is_time=True), source,
                   parameters)


def halo(name, n, rows, columns, pairs):
    return problem(name, f"stencil on {n}\u00b2 cells in {rows} x {columns} "
                   f"blocks, {2 * pairs} sweeps", "halo", n=n, rows=rows,
                   columns=columns, pairs=pairs)


def circuit(name, nodes, wires, pieces, steps):
    return problem(name, f"circuit of {nodes} nodes and {wires} wires in "
                   f"{pieces} pieces, {steps} steps", "circuit", nodes=nodes,
                   wires=wires, pieces=pieces, steps=steps)


def cg(name, side, steps):
    return problem(name, f"conjugate gradients of {side}\u00b2 rows in 2 "
                   f"pieces, {steps} steps", "cg", rows=side ** 2,
                   entries=5 * side ** 2 - 4 * side, pieces=2, steps=steps)


def hydro(name, width, cycles):
    return problem(name, f"gas in {width}\u00b2 zones in 2 pieces, {cycles} "
                   "cycles", "hydro", width=width, zoneCount=width ** 2,
                   pointCount=(width + 1) ** 2, sideCount=4 * width ** 2,
                   pieces=2, cycles=cycles)


PROBLEMS = [
    halo("halo-small", 320, 2, 1, 200),
    halo("halo-medium", 1024, 2, 1, 40),
    halo("halo-large", 3072, 2, 1, 8),
    circuit("circuit-small", 2048, 4096, 2, 50),
    circuit("circuit-large", 65536, 131072, 2, 4),
    cg("cg-small", 64, 100),
    cg("cg-medium", 256, 40),
    cg("cg-large", 768, 5),
    hydro("hydro-small", 64, 50),
    hydro("hydro-large", 384, 4),
]
ROWS = [*(problem.row for problem in PROBLEMS), *cluster_plan.ROWS,
        cluster_memory.ROW, *cluster_simulated.ROWS]


def makers_of(problem, compiler, again=True):
    """Those of ours, of which a process serves one row."""
    bind = functools.partial
    ranks = bind(programs_of.sluice_ranks, compiler, problem)
    makers = {RANKS: ranks,
              ONE_PROCESS: bind(programs_of.sluice_alone, compiler, problem)}
    if programs_of.starpu_source(problem.source).exists():
        makers[GENERATED] = bind(programs_of.generated, compiler, problem)
    return {**makers, RANKS + " again": ranks} if again else makers


def run_problem(problem, compiler, hands, options, outcome, round_trip, say):
    mine = {}
    for label, make in (makers_of(problem, compiler).items() if compiler
                        else ()):
        program = rdir.start(
            functools.partial(make, options.output, options.threads),
            outcome.facts, outcome.missing, label)
        if program:
            mine[label] = program
    entries = [Entry(label, program, problem.peer_name(),
                     is_ours=label not in (ONE_PROCESS, GENERATED),
                     is_again=label.endswith("again"),
                     is_judged=label == RANKS, warm_seconds=WARM_UP)
               for label, program in mine.items()]
    entries += [Entry(label, program, problem.peer_name(),
                      warm_seconds=WARM_UP)
                for label, program in hands.items()]
    result = measure(problem.row, entries, options, round_trip, say,
                     ROW_SECONDS)
    for program in mine.values():
        program.quit()
    if compiler:
        result.notes += programs_of.traffic_notes(problem, compiler, options)
    outcome.results.append(result)


def run(options, round_trip, say):
    outcome, compiler = Outcome([], {}, []), None
    try:
        compiler = toolchain.sluice(options.sluice)
    except toolchain.Missing as error:
        outcome.missing.append(f"{RANKS}: {error}")
    for source in dict.fromkeys(problem.source for problem in PROBLEMS):
        wanted = [problem for problem in PROBLEMS if problem.source == source
                  and (not options.rows or problem.row.name in options.rows)]
        if not wanted:
            continue
        hands, facts, missing = peers.start_all(
            options.output, options.threads, options.peers,
            programs_of.hands_of(source))
        outcome.facts.update(facts)
        outcome.missing += missing
        for problem in wanted:
            run_problem(problem, compiler, hands, options, outcome,
                        round_trip, say)
        for program in hands.values():
            program.quit()
    if compiler:
        cluster_plan.run(compiler, options, outcome, round_trip, say)
        cluster_memory.run(compiler, options, outcome)
        cluster_simulated.run(compiler, options, outcome, say)
    outcome.facts.pop(RANKS + " again", None)
    return outcome
