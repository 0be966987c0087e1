#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one benchmark, or all: `./dev bench NAME`. docs/benchmarks.md explains
it."""

import argparse
import os
import pathlib
import sys
import time

from driver import (apps, cluster, compile as compiling, device, every, hpvm, micro, nd,
                    openmp, ours, pack, plots, polybench, publish, rdir, report, stream, taskgraph, taskgraph_apps,
                    toolchain, trace)
from driver.program import Program
from driver.toolchain import BENCH, GCC_FLAGS, ROOT

SUITES = {"apps": apps, "openmp": openmp, "polybench": polybench,
          "nd": nd, "hpvm": hpvm, "stream": stream, "device": device,
          "taskgraph": taskgraph, "taskgraph-apps": taskgraph_apps,
          "rdir": rdir, "cluster": cluster, "pack": pack, "micro": micro,
          "compile": compiling, "trace": trace}
# Peers that no everyday package brings: a check goes on without them.
EXTRAS = ("Taskflow", "OpenBLAS", "OpenMP target", "CUDA")


def list_suites():
    for name, suite in SUITES.items():
        print(suite.__doc__)
        for row in suite.ROWS:
            print(f"  {row.name:16} {row.title}")


def labels(text):
    separator = ";" if ";" in text else ","
    return [part for part in text.split(separator) if part]


def parser():
    made = argparse.ArgumentParser(
        prog="bench", description="Measures Sluice beside its peers in "
        "interleaved rounds. Exit code 1: a bar was not reached, or a result "
        "is wrong, or a peer that a bar needs is not there.",
        epilog="example: bench nd --rows saxpy,launch --rounds 21")
    add = made.add_argument
    add("name", nargs="?", choices=SUITES)
    add("-o", "--output", type=pathlib.Path, default=ROOT / "build/bench",
        metavar="DIR", help="programs, NAME.json, NAME.svg (build/bench)")
    add("--rounds", type=int, default=15,
        help="before the first verdict (15; fewer decide nothing)")
    add("--most-rounds", type=int, default=60,
        help="while a bar is undecided (60)")
    add("--minutes", type=float, default=0,
        help="no row, and no round beyond the first ones, begins later")
    add("--seed", type=int, default=1, help="of the programs' order (1)")
    add("--threads", type=int, default=len(os.sched_getaffinity(0)))
    add("--rows", "--only", type=labels, default=[],
        help="only these, separated by commas; with --all TABLE:ROW")
    add("--quick", action="store_true", help="three short rounds: provisional "
        "numbers in seconds, for work on one row")
    add("--check", action="store_true", help="build every program and compare "
        "what it computes; time nothing")
    add("--peers", type=labels, default=[], help="only these, by label; "
        "separated by ';' where a label has a comma; 'none' for Sluice alone")
    add("--sluice", help="the compiler driver to measure")
    add("--all", action="store_true", help="every table that is not done yet: "
        f"about {every.estimate_text()}")
    add("--again", action="store_true", help="with --all: also what is done")
    add("--publish", action="store_true", help="write the tables of "
        "docs/benchmarks.md: with --all as they are measured, with NAME what "
        "was measured before")
    add("--docs", type=pathlib.Path, default=publish.DOCS, metavar="DIR",
        help="what --publish writes to (docs)")
    add("--busy", action="store_true", help="publish from a busy machine")
    return made


def parse(arguments):
    made = parser()
    options = made.parse_args(arguments)
    if options.quick:
        options.rounds = min(options.rounds, 3)
        options.most_rounds = options.rounds
        os.environ.setdefault("BENCH_REPETITIONS", "1")
    if options.rounds < 1 or options.threads < 1:
        made.error("expected at least one round and one thread")
    options.most_rounds = max(options.most_rounds, options.rounds)
    options.output = options.output.resolve()
    options.deadline = (time.time() + 60 * options.minutes
                        if options.minutes else 0)
    if options.all:
        options.rows_of = rows_by_table(made, options.rows)
        return options
    if options.publish and not options.name:
        made.error("expected --all or a name to publish")
    if not options.name:
        list_suites()
        sys.exit(0)
    check_rows(made, options.name, options.rows)
    return options


def check_rows(made, name, rows):
    suite = SUITES[name]
    known = ({row.name for row in suite.ROWS} |
             set(getattr(suite, "MORE_ROWS", ())))
    unknown = [row for row in rows if row not in known]
    if unknown:
        made.error(f"no row '{unknown[0]}'; there are {sorted(known)}")


def rows_by_table(made, names):
    """"nd:saxpy" chooses a row, "nd" a whole table."""
    chosen = {}
    for name in names:
        table, _, row = name.partition(":")
        if table not in every.TABLES:
            made.error(f"no table '{table}'; there are {list(every.TABLES)}")
        rows = chosen.setdefault(table, [])
        if row:
            check_rows(made, table, [row])
            rows.append(row)
    return chosen


def start_round_trip(folder):
    source = BENCH / "common/roundtrip.c"
    program = toolchain.build(
        folder / "roundtrip",
        [toolchain.gcc(), *GCC_FLAGS, source, "-pthread", "-o",
         folder / "roundtrip"], [source, BENCH / "common/harness.h"])
    return Program("round trip", [program])


def say(message):
    if sys.stderr.isatty():
        print(f"\r\033[K{message}", end="", file=sys.stderr, flush=True)


def write_files(options, here, outcome):
    """Writes what can be drawn and read; returns the names."""
    path = options.output / f"{options.name}.json"
    content = report.content_of(options.name, here, outcome)
    report.write_json(path, content)
    return [str(file) for file in [path, *plots.draw(content, options.output)]]


def check(options):
    """Every program of the rows computes what its oracle does."""
    outcome = SUITES[options.name].run(options, None, say)
    report.print_checks(options.name, outcome)
    absent = [line for line in outcome.missing
              if not line.startswith(EXTRAS)]
    return 1 if outcome.has_wrong_results() or absent else 0


def main(arguments):
    options = parse(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    if options.all:
        return every.run(options)
    if options.publish:
        publish.publish(options.output, options.name, options.docs)
        return 0
    toolchain.only_checks = options.check
    if options.name == "micro":
        return micro.run(options)
    if options.name == "compile":
        return compiling.run(options)
    ours.forget_variants(options.output)
    if options.name == "trace":
        return trace.run(options)
    if options.check:
        return check(options)
    here = report.machine(options)
    round_trip = start_round_trip(options.output)
    outcome = SUITES[options.name].run(options, round_trip, say)
    round_trip.quit()
    say("")
    report.print_report(options.name, here, outcome)
    print(f"wrote {' and '.join(write_files(options, here, outcome))}")
    return 1 if outcome.has_failed() else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except toolchain.Missing as error:
        sys.exit(f"bench: error: {error}")
