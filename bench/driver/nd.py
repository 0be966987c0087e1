# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench nd`: the data-parallel rows, Sluice beside its peers."""

from . import ours, peers, toolchain
from .outcome import Outcome
from .program import WrongResult
from .table import Bar, Entry, Row, measure

ROW_SECONDS = 60  # at most, of a row, beyond the least number of rounds


def best(factor, *more):
    """Of the expert's programs, and of those given."""
    return Bar("best", factor, among=(*peers.EXPERTS, *more))


# What reads and writes memory, what computes.
MEMORY, ARITHMETIC = 0.95, 0.9
# What goes through memory once for several sweeps, and its peers once for each.
TILED = 1.5

ROWS = [
    Row("saxpy", "saxpy, 16 M floats", "GB/s", 1e-9, [best(MEMORY)]),
    Row("matmul-tiled", "matrix product 512\u00b3, 16x16 groups, local tiles, "
        "2 barriers", "GFLOP/s", 1e-9,
        [Bar("best", ARITHMETIC, among=peers.GROUPS),
         best(ARITHMETIC, peers.OPENBLAS), Bar(peers.POCL, 10.0)]),
    Row("matmul-naive", "matrix product 512\u00b3, one instance an element",
        "GFLOP/s", 1e-9, [best(ARITHMETIC, peers.OPENBLAS)]),
    Row("stencil", "5-point stencil 2048\u00b2, 100 sweeps", "GB/s", 1e-9,
        [best(MEMORY)]),
    Row("stencil-graph", "the same with all sweeps in one graph", "GB/s", 1e-9,
        [best(TILED)]),
    Row("stencil-guarded", "the same with a guard inside the leaf, and inside "
        "the peers' loops", "GB/s", 1e-9, [best(MEMORY)]),
    Row("reduction", "reduction of 16 M integers, tree with barriers",
        "GB/s", 1e-9, [Bar("best", ARITHMETIC, among=peers.GROUPS),
                       best(ARITHMETIC)]),
    Row("histogram", "histogram of 4 M numbers, one atomic addition each",
        "ns per element", 1e9,
        [Bar("best", MEMORY, among=peers.GROUPS), best(MEMORY)], is_time=True),
    Row("launch", "launch + wait, two instances", "us", 1e6,
        [Bar("best", 1 / 1.5, among=(peers.OPENMP_GCC, peers.OPENMP_CLANG))],
        is_time=True),
]

# Rows that have the groups of the kernel as another program.
WITH_GROUPS = ("matmul-tiled", "matmul-naive", "reduction", "histogram")
WITH_LIBRARY = ("matmul-tiled", "matmul-naive")
WITHOUT_POCL = ("stencil-guarded", "stencil-graph")
# The histogram's repetition is many elements; show one.
ELEMENTS = {"histogram": 1 << 22}
# Programs that stand in for a row under another source and macros.
SOURCES = {"stencil-guarded": ("stencil", ["-DGUARDED"]),
           "stencil-graph": ("stencil", ["-DONE_GRAPH"])}
CONSTANT_WARM_UP = 1.0   # seconds
AT_LAUNCH_WARM_UP = 3.0  # the helper compiles a variant meanwhile


def display_scale(row):
    row.scale /= ELEMENTS.get(row.name, 1)
    return row


def our_entries(row, compiler, folder, threads):
    """Constant extents, a second process of it, extents at launch."""
    source, defines = SOURCES.get(row.name, (row.name, []))
    constant = ours.build(compiler, folder, source, row.name, defines)
    at_launch = ours.build(compiler, folder, source, f"{row.name}-at-launch",
                           [*defines, "-DEXTENTS_AT_LAUNCH"])
    again = ours.LABEL + " again"
    plan = [(ours.LABEL, constant, CONSTANT_WARM_UP, False),
            (again, constant, CONSTANT_WARM_UP, True),
            (ours.AT_LAUNCH, at_launch, AT_LAUNCH_WARM_UP, False)]
    return [Entry(label, ours.start(executable, label, folder, threads),
                  row.name, is_ours=True, is_again=is_again,
                  warm_seconds=seconds)
            for label, executable, seconds, is_again in plan]


def takes_part(label, name):
    if label in peers.GROUPS:
        return name in WITH_GROUPS
    if label == peers.OPENBLAS:
        return name in WITH_LIBRARY
    return label != peers.POCL or name not in WITHOUT_POCL


def peer_entries(row, programs, spare):
    entries = [Entry(label, program, row.name + (
                         "-groups" if label in peers.GROUPS else ""))
               for label, program in programs.items()
               if takes_part(label, row.name)]
    if spare:
        entries.append(Entry(spare.name, spare, row.name, is_again=True))
    return entries


def run_row(row, programs, spare, compiler, options, round_trip, say, facts):
    mine, problem = [], ""
    if compiler:
        try:
            mine = our_entries(row, compiler, options.output, options.threads)
            ours.note_libraries(mine[0].program, facts)
        except (toolchain.Missing, WrongResult) as error:
            problem = f"Sluice: {error}"
    entries = mine + peer_entries(row, programs, None if mine else spare)
    result = measure(row, entries, options, round_trip, say, ROW_SECONDS)
    if problem:
        result.notes.append(problem)
    for entry in mine:
        entry.program.quit()
    return result


def start_spare(programs, options):
    """A second process of one peer, for the spread where Sluice is absent."""
    if peers.OPENMP_CLANG not in programs:
        return None
    found = peers.ALL[peers.OPENMP_CLANG](options.output, options.threads)
    spare, _ = peers.start(found)
    spare.name = peers.OPENMP_CLANG + " again"
    return spare


def run(options, round_trip, say):
    """Returns the results, facts about the peers, and what is missing."""
    programs, facts, missing = peers.start_all(options.output, options.threads,
                                               options.peers)
    compiler = None
    try:
        compiler = toolchain.sluice(options.sluice)
        facts[ours.LABEL] = {"compiler": toolchain.first_line(
            [compiler, "--version"]), "libraries": {}}
    except toolchain.Missing as error:
        missing.append(f"Sluice: {error}")
    spare = start_spare(programs, options)
    results = []
    for row in ROWS:
        if not options.rows or row.name in options.rows:
            results.append(run_row(display_scale(row), programs, spare,
                                   compiler, options, round_trip, say,
                                   facts))
    for program in [*programs.values(), *([spare] if spare else [])]:
        program.quit()
    return Outcome(results, facts, missing)
