# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench taskgraph`: many small tasks, Sluice beside task libraries and MPI."""

import argparse
import dataclasses

from . import ours, peers, taskgraph_peers as programs_of
from .outcome import Outcome
from .ratios import TAIL, looks
from .sweep import Sweep
from .table import (NOT_MEASURED, Bar, Entry, Row, is_over, judge,
                    measure)

WARM_UP = 0.2       # seconds
GRID_WARM_UP = 0.02  # of one kernel size
GRID_STEPS = 1000
FEW_ROUNDS = 5      # of grids that have no bar
ROW_SECONDS = 30    # at most, of a row
GRID_SECONDS = 3    # and of one kernel size, where the machine is not busy
LONG_STEPS = 200    # where kernels are long
LONG_KERNEL = 4e-6  # seconds
CALIBRATION = 100000  # iterations of the kernel that times one

AS_TASKS = Bar("best", 1.0, among=programs_of.TASKS)
AS_LOOPS = Bar("best", 1.0, among=tuple(programs_of.LOOPS))
EMPTY_ROWS = [
    Row("chain", "empty tasks in a chain, time per task", "ns", 1e9,
        [AS_TASKS], is_time=True),
    Row("fan-out", "empty tasks after a single one, time per task", "ns", 1e9,
        [Bar("best", 2.0, among=programs_of.TASKS), AS_LOOPS], is_time=True),
    Row("wavefront", "empty tasks of a 256x256 wavefront, time per task", "ns",
        1e9, [AS_TASKS, AS_LOOPS], is_time=True),
]
PARTNERS = {"chain": programs_of.CHAIN, "fan-out": programs_of.LEVELS,
            "wavefront": programs_of.LEVELS}


@dataclasses.dataclass
class Grid:
    """A sweep to make: `name` selects it, `grains` are kernels in seconds."""

    name: str
    pattern: str
    width: int
    checks: bool
    labels: list
    grains: list
    title: str
    metg_against: str = ""
    bars: dict = dataclasses.field(default_factory=dict)  # by grain

    def has_bars(self):
        return bool(self.bars or self.metg_against)


NS, US = 1e-9, 1e-6
STENCIL = Grid(
    "stencil", "stencil_1d", 4, False, programs_of.STENCIL,
    [0, 10 * NS, 20 * NS, 50 * NS, 100 * NS, 200 * NS, 500 * NS, 1 * US,
     5 * US, 20 * US], "stencil of width 4, three inputs a task",
    bars={100 * NS: [Bar(programs_of.IDEAL, 0.8)]})
PATTERNS = ["stencil_1d", "fft", "tree", "nearest", "all_to_all", "no_comm"]
SWEPT = [0, 25 * NS, 100 * NS, 400 * NS, 1600 * NS, 6400 * NS, 25600 * NS]


def task_bench(pattern, width):
    has_bar = pattern == "stencil_1d" and width == 2
    return Grid(f"{pattern}-{width}", pattern, width, True,
                programs_of.TASK_BENCH, SWEPT,
                f"{pattern}, width {width}, inputs checked",
                metg_against=programs_of.MPI if has_bar else "")


# With two columns, the other patterns are stencil_1d.
NARROW = ["stencil_1d", "tree", "no_comm"]
GRIDS = [STENCIL, *[task_bench(pattern, 2) for pattern in NARROW],
         *[task_bench(pattern, 4) for pattern in PATTERNS]]
ROWS = [*EMPTY_ROWS, *GRIDS]


def entries_of(row_name, labels, programs, warm_seconds):
    """Sluice, a second process of it, and the named peers that are here."""
    again = ours.LABEL + " again"
    return [Entry(label, programs[label], row_name,
                  is_ours=label == ours.LABEL, is_again=label == again,
                  is_judged=label != programs_of.PLAIN,
                  warm_seconds=warm_seconds)
            for label in [ours.LABEL, again, *labels] if label in programs]


def iteration_time(program, options):
    """Seconds of one iteration of the kernel."""
    program.prepare(f"grid:no_comm:4:10:{CALIBRATION}:0")
    fastest = min(program.run() for _ in range(5))
    program.release()
    return fastest * min(options.threads, 4) / CALIBRATION


def measure_grid(grid, programs, options, seconds, round_trip, say):
    """A row for each kernel size; the number of rounds is fixed."""
    results = []
    for grain in grid.grains[:1] if options.check else grid.grains:
        steps = LONG_STEPS if grain >= LONG_KERNEL else GRID_STEPS
        iterations = round(grain / seconds)
        name = (f"grid:{grid.pattern}:{grid.width}:{steps}:{iterations}:"
                f"{int(grid.checks)}")
        row = Row(grid.name, f"{grid.title}, kernel {grain * 1e9:g} ns", "ns",
                  1e9, grid.bars.get(grain, []), is_time=True)
        entries = entries_of(name, grid.labels, programs, GRID_WARM_UP)
        results.append(measure(row, entries, options, round_trip, say,
                               GRID_SECONDS, options.rounds))
    return results


def run_grid(grid, programs, options, seconds, round_trip, say):
    """Kernels of all sizes, and all of them again while a bar of the grid is
    undecided."""
    counts = (looks(options.rounds, options.most_rounds) if grid.has_bars()
              else [min(options.rounds, FEW_ROUNDS)])
    sweep, done = None, 0
    for count in counts:
        part = argparse.Namespace(**{
            **vars(options), "rounds": count - done,
            "seed": f"{options.seed} {done}"})
        results = measure_grid(grid, programs, part, seconds, round_trip,
                               say)
        if options.check:
            return Sweep(grid.name, grid.title, grid.grains, results,
                         programs_of.IDEAL, 1)
        if sweep:
            sweep.extend(results)
        else:
            sweep = Sweep(grid.name, grid.title, grid.grains, results,
                          programs_of.IDEAL, min(options.threads, grid.width))
        done = count
        judge_grid(grid, sweep, options, TAIL / len(counts))
        if not sweep.is_undecided() or is_over(options):
            break
    return sweep


def judge_grid(grid, sweep, options, tail):
    if not all(result.entries for result in sweep.results):
        sweep.notes.append(NOT_MEASURED)
        return
    for result in sweep.results:
        result.verdicts, _ = judge(result.row, result.entries, options, tail)
    against = grid.metg_against
    sweep.judge(ours.LABEL, against if not options.peers or
                against in options.peers else "", tail)


def start_programs(options):
    """Sluice's program twice, and the peers that are here."""
    makers = {ours.LABEL: programs_of.with_static_runtime, **programs_of.ALL}
    wanted = options.peers and [*options.peers, ours.LABEL, programs_of.IDEAL]
    programs, facts, missing = peers.start_all(options.output, options.threads,
                                               wanted, makers)
    if ours.LABEL in programs:
        found = programs_of.with_static_runtime(options.output,
                                                options.threads)
        programs[ours.LABEL + " again"], _ = peers.start(found)
    return programs, facts, missing


def is_wanted(row, options):
    return not options.rows or row.name in options.rows


def run(options, round_trip, say):
    programs, facts, missing = start_programs(options)
    outcome = Outcome([], facts, missing)
    for row in EMPTY_ROWS:
        if is_wanted(row, options):
            entries = entries_of(row.name, PARTNERS[row.name], programs,
                                 WARM_UP)
            outcome.results.append(measure(row, entries, options,
                                           round_trip, say, ROW_SECONDS))
    grids = [grid for grid in GRIDS if is_wanted(grid, options)]
    if grids and programs_of.IDEAL not in programs:
        missing.append("sweeps: they need the program without dependences")
        grids = []
    if grids and options.check:
        seconds = 1e-9
    elif grids:
        seconds = iteration_time(programs[programs_of.IDEAL], options)
        outcome.notes.append(f"an iteration of the kernel takes "
                             f"{seconds * 1e9:.3f} ns")
    for grid in grids:
        outcome.sweeps.append(run_grid(grid, programs, options, seconds,
                                       round_trip, say))
    for program in programs.values():
        program.quit()
    return outcome
