# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench taskgraph-apps`: task graphs of C and Halide kernels, beside the same
kernels called by hand, with Taskflow and with oneTBB; and building them."""

import shutil

from . import ours, peers, taskgraph_apps_programs as programs_of, toolchain
from .outcome import Outcome
from .program import WrongResult
from .table import Bar, Entry, Row, measure
from .toolchain import ROOT, Missing

WARM_UP = 0.5      # seconds
ROW_SECONDS = 60   # at most, of a row
AGAIN = ours.LABEL + " again"
LIBRARIES = (programs_of.TASKFLOW, programs_of.ONETBB)

COLD = Row("build-cold", "radar: its executable from its meta-program, with "
           "an empty cache", "s", 1, [], is_time=True)
WARM = Row("build-warm", "the same again, nothing changed", "s", 1,
           [Bar("the bar", 1.0, limit=0.5)], is_time=True)
START = Row("start", "matrix: its executable, from start to end", "ms", 1e3,
            [Bar("the bar", 1.0, limit=0.02)], is_time=True)
OVERHEAD = Row("overhead", "16 C kernels of 1 ms in a chain, one worker", "ms",
               1e3, [Bar(programs_of.SERIAL, 0.98)], is_time=True)
PAIR = Row("pair", "2 independent C kernels of 1 ms", "ms", 1e3,
           [Bar(ours.ONE_WORKER, 1.9)], is_time=True)
BLUR = Row("blur", "a picture of 960x540, made, inverted and blurred", "ms",
           1e3, [Bar("best", 1.0, among=LIBRARIES)], is_time=True)
RADAR = Row("radar", "a radar's picture by 14 Halide tasks", "ms", 1e3,
            [Bar("best", 1.0, among=LIBRARIES)], is_time=True)
ROWS = [COLD, WARM, START, OVERHEAD, PAIR, BLUR, RADAR]

# The rows that programs run themselves, by the name of their graph.
GRAPHS = [(OVERHEAD, "chain", [ours.ONE_WORKER], [programs_of.SERIAL]),
          (PAIR, "pair", [ours.LABEL, ours.ONE_WORKER],
           list(programs_of.ALL)),
          (BLUR, "blur", [ours.LABEL, ours.ONE_WORKER],
           list(programs_of.ALL)),
          (RADAR, "radar", [ours.LABEL, ours.ONE_WORKER],
           list(programs_of.ALL))]


def is_wanted(row, options):
    return not options.rows or row.name in options.rows


def meta_of(example, more, options):
    sources = [ROOT / "examples" / example / f"{name}.cpp"
               for name in ("main", "generators", *more)]
    return programs_of.meta_program(options.output,
                                    f"taskgraph-apps-{example}", sources)


def build_command(label, options, cache, is_cold):
    """The meta-program of the radar, which writes an executable."""
    meta = meta_of("radar", ["graph", "plain"], options)
    empty = (lambda: shutil.rmtree(cache, ignore_errors=True)) \
        if is_cold else None
    return programs_of.Command(
        label, [meta, options.output / "taskgraph-apps-radar.bmp", "-o",
                options.output / "taskgraph-apps-radar-built"],
        {"SLUICE_CACHE_DIR": str(cache)}, empty)


def start_command(label, options):
    """The executable of 'matrix'."""
    meta = meta_of("matrix", [], options)
    built = options.output / "taskgraph-apps-matrix-built"
    environment = ours.environment(options.output, options.threads)
    programs_of.Command(label, [meta, "-o", built], environment).run()
    return programs_of.Command(label, [built], environment)


def commands_of(row, options):
    """What the row runs, twice: to see its spread."""
    cache = options.output / "taskgraph-apps-cache"
    make = {COLD.name: lambda label: build_command(label, options, cache, True),
            WARM.name: lambda label: build_command(label, options, cache,
                                                   False),
            START.name: lambda label: start_command(label, options)}[row.name]
    return [make(label) for label in (ours.LABEL, AGAIN)]


def run_commands(row, options, say):
    commands = commands_of(row, options)
    entries = [Entry(command.name, command, row.name,
                     is_ours=command.name == ours.LABEL,
                     is_again=command.name == AGAIN, warm_seconds=0)
               for command in commands]
    return measure(row, entries, options, None, say, ROW_SECONDS)


def start_ours(options, facts, missing):
    """Sluice's program, with all workers twice and with one worker twice."""
    found = {}
    for label, threads in ((ours.LABEL, options.threads),
                           (AGAIN, options.threads), (ours.ONE_WORKER, 1),
                           (ours.ONE_WORKER + " again", 1)):
        try:
            peer = programs_of.sluice(options.output, threads)
            found[label], loaded = peers.start(peer)
        except (Missing, WrongResult) as error:
            missing.append(f"{label}: {error}")
            continue
        if label == ours.LABEL:
            facts[label] = {"compiler": peer.version,
                            "libraries": {path: toolchain.package_of(path)
                                          for path in loaded}}
    return found


def entry_of(label, program, graph, judged):
    """Bars hold for the first of our programs in a row."""
    return Entry(label, program, graph, is_ours=label == judged,
                 is_again=label == judged + " again",
                 is_judged=label != ours.ONE_WORKER or label == judged,
                 warm_seconds=WARM_UP)


def run_graph(row, graph, mine, theirs, programs, options, round_trip, say):
    judged = mine[0]
    labels = [judged, judged + " again", *mine[1:], *theirs]
    entries = [entry_of(label, programs[label], graph, judged)
               for label in labels if label in programs]
    return measure(row, entries, options, round_trip, say, ROW_SECONDS)


def run(options, round_trip, say):
    facts, missing, results = {}, [], []
    for row in (COLD, WARM, START):
        if not is_wanted(row, options):
            continue
        try:
            results.append(run_commands(row, options, say))
        except (Missing, WrongResult) as error:
            missing.append(f"{row.name}: {error}")
    graphs = [graph for graph in GRAPHS if is_wanted(graph[0], options)]
    if graphs:
        programs, more, left_out = peers.start_all(
            options.output, options.threads, options.peers, programs_of.ALL)
        facts.update(more)
        missing += left_out
        programs.update(start_ours(options, facts, missing))
        for row, graph, mine, theirs in graphs:
            results.append(run_graph(row, graph, mine, theirs, programs,
                                     options, round_trip, say))
        for program in programs.values():
            program.quit()
    return Outcome(results, facts, missing)
