# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench apps`: applications as users write them, beside plain OpenMP and what
is best elsewhere."""

import dataclasses

from . import apps_programs as programs_of, ours, peers, toolchain
from .outcome import Outcome
from .pack_table import Column, Overall, Table
from .program import WrongResult
from .table import Bar, Entry, Row, measure

ROW_SECONDS = 25  # at most, of a row, beyond the least number of rounds
FIRST_WARM_UP, WARM_UP = 3.0, 1.0  # a helper compiles variants meanwhile
AGAIN = ours.LABEL + " again"

OF_OPENMP = Bar("best", 0.9, among=programs_of.OPENMP)
OF_PEERS = Bar("best", 0.9)
OF_SERIAL = Bar(programs_of.SERIAL, 1.3, of=ours.ONE_WORKER)
OF_ONE = Bar(ours.ONE_WORKER, 0.95)
MEANS = [("the best plain OpenMP", OF_OPENMP, 1.2),
         ("the best peer of any kind", OF_PEERS, 0.9),
         ("serial clang, with one worker", OF_SERIAL, 1.3)]


@dataclasses.dataclass
class App:
    """`sizes`: repetitions of a round, and the numbers that problem.h reads.
    `check` is small, and odd where it can be."""

    name: str
    title: str
    sizes: dict
    check: str
    others: tuple = ()
    folder: str = ""

    def sources(self):
        return self.folder or self.name


APPS = [
    App("kmeans", "k-means: points, dimensions, clusters, iterations",
        {"small": "4:8192:8:16:10", "medium": "1:131072:16:16:4",
         "large": "1:1000000:16:16:1"}, "1:1009:5:7:3"),
    App("csr", "CSR product, uneven rows: rows",
        {"small": "200:4000", "medium": "10:100000", "large": "1:2000000"},
        "1:1003"),
    App("lbm", "lattice Boltzmann, D2Q9: width, height, steps",
        {"small": "4:96:96:20", "medium": "1:512:256:20",
         "large": "1:1536:1024:4"}, "1:37:23:4"),
    App("nbody", "n-body: bodies, steps",
        {"small": "4:512:4", "medium": "2:2048:1", "large": "1:8192:1"},
        "1:101:2"),
    App("hotspot", "hotspot: width, height, steps",
        {"small": "4:256:256:40", "medium": "1:1024:1024:20",
         "large": "1:3072:2048:4"}, "1:67:43:4"),
    App("bfs-random", "breadth-first search, random graph: vertices",
        {"small": "100:4000:0", "medium": "1:100000:0", "large": "1:1000000:0"},
        "1:2003:0", folder="bfs"),
    App("bfs-grid", "breadth-first search, grid: side",
        {"small": "100:64:1", "medium": "4:256:1", "large": "1:1024:1"},
        "1:41:1", folder="bfs"),
    App("histogram", "histogram of 256 values: length",
        {"small": "40:100000", "medium": "2:4000000", "large": "1:64000000"},
        "1:10007"),
    App("scan", "prefix sums: length",
        {"small": "400:32768", "medium": "10:1048576",
         "large": "1:16777216"}, "1:10007"),
    App("sort", "radix sort: length",
        {"small": "80:16384", "medium": "1:1000000", "large": "1:8000000"},
        "1:10007"),
    App("convolution", "5x5 convolution: width, height",
        {"small": "100:256:256", "medium": "4:1024:1024",
         "large": "1:4096:3072"}, "1:71:43"),
    App("edit", "edit distance, a wavefront of tiles: tiles of 64",
        {"small": "20:6", "medium": "1:24", "large": "1:80"}, "1:5"),
    App("cholesky", "Cholesky, a launch a task, one tracked range: tiles on a "
        "side, size of one", {"small": "8:8:32:0", "medium": "1:16:64:0",
                              "large": "1:32:64:0"}, "1:5:13:0",
        (peers.OPENBLAS,)),
    App("cholesky-ranges", "the same, a tracked range a tile",
        {"small": "8:8:32:1", "medium": "1:16:64:1", "large": "1:32:64:1"},
        "1:5:13:1", (peers.OPENBLAS,), "cholesky"),
    App("lu", "LU, a launch a task: tiles on a side, size of one",
        {"small": "4:8:32", "medium": "1:16:64", "large": "1:32:64"},
        "1:5:13"),
    App("lu-graph", "LU, a wavefront of tiles: tiles on a side, size of one",
        {"small": "4:8:32", "medium": "1:16:64", "large": "1:32:64"},
        "1:5:13"),
    App("black-scholes", "Black-Scholes: options",
        {"small": "20:10000", "medium": "1:400000", "large": "1:4000000"},
        "1:1003", (programs_of.LIBMVEC,)),
    App("floyd", "Floyd-Warshall, a launch a step: vertices",
        {"small": "4:128", "medium": "1:512", "large": "1:1200"}, "1:53"),
    App("blurs", "four 3x3 blurs: width, height",
        {"small": "40:256:128", "medium": "2:1024:1024",
         "large": "1:3072:3072"}, "1:67:41",
        (programs_of.STRIPS, programs_of.HALIDE)),
    App("fft", "Fourier transform, a launch a pass: logarithm of the length",
        {"small": "80:12", "medium": "2:17", "large": "1:21"}, "1:9"),
    App("mandelbrot", "Mandelbrot: width, height, most steps",
        {"small": "20:128:128:200", "medium": "1:512:512:500",
         "large": "1:2048:1024:200"}, "1:75:31:100", (programs_of.LANES,)),
    App("sgemm", "matrix product, an instance an element: side",
        {"small": "20:192", "medium": "1:512", "large": "1:1024"}, "1:53",
        (peers.OPENBLAS,)),
    App("blocks", "a stream of blocks with state: length of one, blocks",
        {"small": "2:64:4000", "medium": "1:512:2000", "large": "1:8192:400"},
        "1:37:150", (programs_of.PIPELINE,)),
    App("stencil3d", "3-D 7-point stencil: side, sweeps",
        {"small": "8:32:40", "medium": "1:96:20", "large": "1:256:4"},
        "1:19:4"),
    App("launches", "many small launches: length, launches",
        {"small": "4:256:4000", "medium": "4:4096:2000",
         "large": "1:65536:1000"}, "1:301:20"),
]


def row_of(app, size, numbers):
    shown = numbers.partition(":")[2].replace(":", ", ")
    return Row(f"{app.name}-{size}", f"{app.title} = {shown}", "ms", 1e3,
               [OF_OPENMP, OF_ONE], is_time=True)


ROWS = [row_of(app, size, numbers) for app in APPS
        for size, numbers in app.sizes.items()]
MORE_ROWS = [app.name for app in APPS]  # stand for all their sizes


def is_wanted(app, row, options):
    return not options.rows or app.name in options.rows or \
        row.name in options.rows


def rows_of(app, options, make=row_of, asked="app"):
    """The rows to run, each with what the programs are asked for."""
    if options.check:
        rows = [(Row(app.name, app.title, "ms", 1e3, is_time=True), app.check)]
    else:
        rows = [(make(app, size, numbers), numbers)
                for size, numbers in app.sizes.items()]
    names = {f"{app.name}-{size}" for size in app.sizes}
    return [(row, f"{asked}:{numbers}") for row, numbers in rows
            if is_wanted(app, row, options) or
            (options.check and names & set(options.rows))]


def start_ours(app, compiler, options, outcome):
    """Our program with all workers, once more, and with one."""
    if not compiler:
        return []
    try:
        executable = programs_of.sluice(compiler, app.sources(),
                                        options.output)
        started = [(label, ours.start(executable, label, options.output,
                                      threads), seconds)
                   for label, threads, seconds in (
                       (ours.LABEL, options.threads, FIRST_WARM_UP),
                       (AGAIN, options.threads, WARM_UP),
                       (ours.ONE_WORKER, 1, FIRST_WARM_UP))]
        ours.note_libraries(started[0][1], outcome.facts)
        return started
    except (toolchain.Missing, WrongResult) as error:
        outcome.missing.append(f"Sluice: {app.name}: {error}")
        return []


def entries_of(mine, programs, asked):
    return [*(Entry(label, program, asked, is_ours=True,
                    is_again=label == AGAIN, is_judged=label == ours.LABEL,
                    warm_seconds=seconds)
              for label, program, seconds in mine),
            *(Entry(label, program, asked)
              for label, program in programs.items())]


def run_app(app, compiler, options, round_trip, say, outcome):
    rows = rows_of(app, options)
    if not rows:
        return
    say(f"{app.name}: building")
    programs, facts, missing = peers.start_all(
        options.output, options.threads, options.peers,
        programs_of.makers(app.sources(), app.others))
    outcome.facts.update(facts)
    outcome.missing += [line for line in missing
                        if line not in outcome.missing]
    mine = start_ours(app, compiler, options, outcome)
    for row, asked in rows:
        outcome.results.append(measure(row, entries_of(mine, programs, asked),
                                       options, round_trip, say, ROW_SECONDS))
    for program in [*programs.values(), *(entry[1] for entry in mine)]:
        program.quit()


def table_of(results):
    """A line a row, and the means over all that were measured."""
    columns = [Column(label, (label,)) for label in
               (ours.LABEL, ours.ONE_WORKER, *programs_of.PLAIN)]
    columns.append(Column("best of the others", tuple(programs_of.OTHERS)))
    table = Table("applications, time of a repetition", "ms", columns,
                  [("of OpenMP", OF_OPENMP), ("of the best peer", OF_PEERS),
                   ("1 worker, of serial", OF_SERIAL),
                   ("2 workers, of 1", OF_ONE)], name="apps")
    for result in results:
        table.add(result.row.name, result)
    names = [result.row.name for result in results]
    for text, bar, factor in MEANS:
        table.judge(Overall.mean(f"{text}, geometric mean of {len(names)} "
                                 "rows", names, bar, factor))
    return table


def run_all(applications, run_app, table_of, options, round_trip, say):
    """Each of the applications by `run_app`, and the results as a table."""
    outcome = Outcome([], {}, [])
    compiler = None
    try:
        compiler = toolchain.sluice(options.sluice)
        outcome.facts[ours.LABEL] = {"compiler": toolchain.first_line(
            [compiler, "--version"]), "libraries": {}}
    except toolchain.Missing as error:
        outcome.missing.append(f"Sluice: {error}")
    for app in applications:
        run_app(app, compiler, options, round_trip, say, outcome)
    if outcome.results and not options.check:
        outcome.tables.append(table_of(outcome.results))
    return outcome


def run(options, round_trip, say):
    return run_all(APPS, run_app, table_of, options, round_trip, say)
