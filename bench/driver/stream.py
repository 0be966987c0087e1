# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench stream`: streaming graphs beside pipelines of libraries and threads."""

from . import ours, peers, stream_peers, toolchain
from .outcome import Outcome
from .program import WrongResult
from .table import Bar, Entry, Row, measure

LIMIT = "the limit set"
THIRD = Bar("best", 1 / 0.3)  # at most 0.3 of the best peer's time

ROWS = [
    Row("serial", "four near-empty serial stages, time per item", "ns", 1e9,
        [THIRD], is_time=True),
    Row("stateless", "four near-empty stateless stages, time per item", "ns",
        1e9, is_time=True),
    Row("latency-p50", "one item in flight, push to pop, median", "ns", 1e9,
        [Bar(LIMIT, 1.0, limit=200e-9)], is_time=True),
    Row("latency-p99", "one item in flight, push to pop, 99th percentile",
        "ns", 1e9, is_time=True),
]

WARM_UP = 0.3  # seconds


def our_entries(row, compiler, options):
    """The compiled graph, a second process of it, the graph as written."""
    folder = options.output
    plan = [(ours.LABEL, [], True, False),
            (ours.LABEL + " again", [], True, True)]
    off = toolchain.transforms_off(compiler)
    if off:
        plan.append((ours.AS_WRITTEN, off, False, False))
    entries = []
    for label, flags, is_judged, is_again in plan:
        executable = ours.build(compiler, folder, stream_peers.SOURCE[row.name],
                                "stream" + ("-as-written" if flags else ""),
                                flags, suite="stream")
        program = ours.start(executable, label, folder, options.threads)
        entries.append(Entry(label, program, row.name, is_ours=True,
                             is_judged=is_judged, is_again=is_again,
                             warm_seconds=WARM_UP))
    return entries


def peer_entries(row, programs):
    return [Entry(label, program, row.name,
                  is_judged=label in stream_peers.LIBRARIES)
            for label, program in programs.items()]


def run_row(row, programs, compiler, options, round_trip, say, facts):
    mine, problem = [], ""
    if compiler:
        try:
            mine = our_entries(row, compiler, options)
            ours.note_libraries(mine[0].program, facts)
        except (toolchain.Missing, WrongResult) as error:
            problem = f"Sluice: {error}"
    result = measure(row, mine + peer_entries(row, programs), options.rounds,
                     round_trip, say, options.quick)
    if problem:
        result.notes.append(problem)
    for entry in mine:
        entry.program.quit()
    return result


def run(options, round_trip, say):
    """Returns the results, facts about the peers, and what is missing."""
    programs, facts, missing = peers.start_all(
        options.output, options.threads, options.peers, stream_peers.STAGES)
    compiler = None
    try:
        compiler = toolchain.sluice(options.sluice)
        facts[ours.LABEL] = {"compiler": toolchain.first_line(
            [compiler, "--version"]), "libraries": {}}
    except toolchain.Missing as error:
        missing.append(f"Sluice: {error}")
    results = []
    for row in ROWS:
        if not options.rows or row.name in options.rows:
            results.append(run_row(row, programs, compiler, options,
                                   round_trip, say, facts))
    for program in programs.values():
        program.quit()
    return Outcome(results, facts, missing)
