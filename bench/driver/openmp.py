# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench openmp`: the same OpenMP sources, compiled by gcc, clang and Sluice."""

import functools
import os

from . import apps, apps_programs, ours, peers, toolchain
from .pack_table import Column, Overall, Table
from .program import WrongResult
from .table import Bar, Entry, Row, measure

ROW_SECONDS = 20  # at most, of a row, beyond the least number of rounds
WARM_UP = 1.0
AGAIN = ours.LABEL + " again"
FLAGS = ["-O3", "-march=native", "-fopenmp"]

CLANG_ONE, GCC_ONE = (label + ", 1 thread" for label in apps_programs.OPENMP)
OF_BEST = Bar("best", 0.95, among=apps_programs.OPENMP, of=ours.LABEL)
OF_BEST_ONE = Bar("best", 0.95, among=(CLANG_ONE, GCC_ONE), of=ours.ONE_WORKER)
MEANS = [("the better of gcc and clang", OF_BEST, 1.3),
         ("the same with one thread", OF_BEST_ONE, 1.3)]

# All threads and one: each is judged by its like.
PEERS = {
    peers.OPENMP_CLANG: apps_programs.openmp_clang,
    peers.OPENMP_GCC: apps_programs.openmp_gcc,
    CLANG_ONE: functools.partial(apps_programs.openmp_clang, label=CLANG_ONE),
    GCC_ONE: functools.partial(apps_programs.openmp_gcc, label=GCC_ONE)}


def row_of(app, size, numbers):
    row = apps.row_of(app, size, numbers)
    row.bars = [OF_BEST, OF_BEST_ONE]
    return row


# Two applications of `apps` may have one source.
APPS = [app for app in apps.APPS if app.name != "cholesky-ranges"]
ROWS = [row_of(app, size, numbers) for app in APPS
        for size, numbers in app.sizes.items()]
MORE_ROWS = [app.name for app in APPS]  # stand for all their sizes


def sluice(compiler, app, folder):
    """The program as a build would make it with CC='sluice cc'."""
    path = apps_programs.HERE / app / "plain.c"
    output = folder / "openmp" / f"{app}-sluice"
    return toolchain.build(
        output, [compiler, "cc", *FLAGS, path, "-lm", "-o", output],
        [*apps_programs.inputs_of(path), compiler],
        {**os.environ, **ours.environment(folder, 2)})


def start_ours(app, build, compiler, options, outcome):
    """Our program with all workers, once more, and with one."""
    if not compiler:
        return []
    try:
        executable = build()
        started = [(label, ours.start(executable, label, options.output,
                                      threads,
                                      {"OMP_NUM_THREADS": str(threads)}))
                   for label, threads in ((ours.LABEL, options.threads),
                                          (AGAIN, options.threads),
                                          (ours.ONE_WORKER, 1))]
        ours.note_libraries(started[0][1], outcome.facts)
        return started
    except (toolchain.Missing, WrongResult) as error:
        outcome.missing.append(f"Sluice: {app.name}: {error}")
        return []


def makers(app):
    """What builds and starts the peers: with all threads, or with one."""
    def make(label, folder, threads):
        return PEERS[label](app.sources(), folder,
                            1 if label in (CLANG_ONE, GCC_ONE) else threads)
    return {label: functools.partial(make, label) for label in PEERS}


def run_rows(app, rows, made, build, compiler, options, round_trip, say,
             outcome):
    """Measures rows of our program, by `build`, and of peers, by `made`."""
    if not rows:
        return
    say(f"{app.name}: building")
    programs, facts, missing = peers.start_all(
        options.output, options.threads, options.peers, made)
    outcome.facts.update(facts)
    outcome.missing += [line for line in missing
                        if line not in outcome.missing]
    mine = start_ours(app, build, compiler, options, outcome)
    entries = [*((label, program, True) for label, program in mine),
               *((label, program, False)
                 for label, program in programs.items())]
    for row, asked in rows:
        outcome.results.append(measure(
            row, [Entry(label, program, asked, is_ours=is_ours,
                        is_again=label == AGAIN, warm_seconds=WARM_UP)
                  for label, program, is_ours in entries],
            options, round_trip, say, ROW_SECONDS))
    for _, program, _ in entries:
        program.quit()


def run_app(app, compiler, options, round_trip, say, outcome):
    run_rows(app, apps.rows_of(app, options, row_of), makers(app),
             functools.partial(sluice, compiler, app.sources(),
                               options.output),
             compiler, options, round_trip, say, outcome)


def judged(table, results, means):
    """The table with a line a row, and with the means: text, bar, factor."""
    names = [result.row.name for result in results]
    for result in results:
        table.add(result.row.name, result)
    for text, bar, factor in means:
        table.judge(Overall.mean(f"{text}, geometric mean of {len(names)} "
                                 "rows", names, bar, factor))
    return table


def table_of(results):
    """A line a row, and the means over all that were measured."""
    columns = [Column(label, (label,)) for label in
               (ours.LABEL, *apps_programs.OPENMP, ours.ONE_WORKER, CLANG_ONE,
                GCC_ONE)]
    table = Table("programs in OpenMP, time of a repetition", "ms", columns,
                  [("of the better one", OF_BEST),
                   ("1 worker, of 1 thread", OF_BEST_ONE)], name="openmp")
    return judged(table, results, MEANS)


def run(options, round_trip, say):
    return apps.run_all(APPS, run_app, table_of, options, round_trip, say)
