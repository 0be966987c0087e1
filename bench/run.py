#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one benchmark: `./dev bench NAME`. docs/benchmarks.md explains it."""

import argparse
import os
import pathlib
import sys

from driver import (chart, curves, device, hpvm, micro, nd, ours, pack,
                    pack_chart, rdir, rdir_chart, rdir_scale, report, stream,
                    taskgraph, taskgraph_apps, toolchain)
from driver.program import Program
from driver.toolchain import BENCH, GCC_FLAGS, ROOT

SUITES = {"nd": nd, "hpvm": hpvm, "stream": stream, "device": device,
          "taskgraph": taskgraph, "taskgraph-apps": taskgraph_apps,
          "rdir": rdir, "pack": pack, "micro": micro}


def list_suites():
    for name, suite in SUITES.items():
        print(suite.__doc__)
        for row in suite.ROWS:
            print(f"  {row.name:16} {row.title}")


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="bench", description="Measures Sluice beside its peers in "
        "interleaved rounds. Exit code 1: a bar was missed or a result wrong.",
        epilog="example: bench nd --rows saxpy,launch --rounds 21")
    parser.add_argument("name", nargs="?", choices=SUITES)
    parser.add_argument("-o", "--output", type=pathlib.Path,
                        default=ROOT / "build/bench", metavar="DIR",
                        help="programs, NAME.json, NAME.svg (build/bench)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int,
                        default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rows", "--only", type=lambda s: s.split(","),
                        default=[], help="only these, separated by commas")
    parser.add_argument("--quick", action="store_true",
                        help="three short rounds: provisional numbers in "
                        "seconds, for work on one row")
    parser.add_argument("--peers", type=lambda s: s.split(","), default=[],
                        help="only these, by label")
    parser.add_argument("--sluice", help="the compiler driver to measure")
    options = parser.parse_args(arguments)
    if not options.name:
        list_suites()
        sys.exit(0)
    if options.quick:
        options.rounds = min(options.rounds, 3)
        os.environ.setdefault("BENCH_REPETITIONS", "1")
    options.output = options.output.resolve()
    suite = SUITES[options.name]
    known = ({row.name for row in suite.ROWS} |
             set(getattr(suite, "MORE_ROWS", ())))
    unknown = [row for row in options.rows if row not in known]
    if unknown:
        parser.error(f"no row '{unknown[0]}'; there are {sorted(known)}")
    if options.rounds < 1 or options.threads < 1:
        parser.error("expected at least one round and one thread")
    return options


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
    name = options.name
    path = options.output / f"{name}.json"
    report.write_json(path, name, here, outcome)
    written = [path]
    if outcome.tables:
        written.append(options.output / f"{name}.svg")
        pack_chart.write_svg(written[-1], name, here, outcome.tables)
    elif outcome.results:
        written.append(options.output / f"{name}.svg")
        chart.write_svg(written[-1], name, here, outcome.results)
    if outcome.sweeps:
        written.append(options.output / f"{name}-efficiency.svg")
        curves.write_svg(written[-1], name, here, outcome.sweeps)
    if outcome.scales:
        written.append(options.output / f"{name}-scale.svg")
        rdir_chart.write_svg(written[-1], here, outcome.scales,
                             rdir_scale.GIBIBYTES)
    return [str(file) for file in written]


def main(arguments):
    options = parse(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    if options.name == "micro":
        return micro.run(options)
    ours.forget_variants(options.output)
    here = report.machine(options.threads, options.rounds)
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
