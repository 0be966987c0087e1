# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench rdir`: programs over regions beside OpenMP, StarPU and plain loops,
and their checks over the size of the graph."""

import dataclasses

from . import (ours, peers, rdir_peers as programs_of, rdir_scale as scale_of,
               toolchain)
from .outcome import Outcome
from .program import WrongResult
from .table import Bar, Entry, Row, measure

WARM_UP = 0.3     # seconds
ROW_SECONDS = 60  # at most, of a row


@dataclasses.dataclass
class Problem:
    """A row: the program `source`, with its parameters by name."""

    row: Row
    source: str
    parameters: dict

    def peer_name(self, suffix=""):
        """How the peers are told the sizes: "halo:320:4:1:100"."""
        return ":".join([self.source + suffix,
                         *map(str, self.parameters.values())])

    def arguments(self):
        return [f"--{name}={value}" for name, value in self.parameters.items()]


# What has room in the L2s must scale; the rest as well as OpenMP does.
IN_CACHE = [Bar("best", 1.7, among=programs_of.SERIAL),
            Bar("best", 1.0, among=programs_of.TASKS),
            Bar("best", 0.95, among=programs_of.BEST)]
IN_MEMORY = [Bar("best", 0.95, among=programs_of.BEST),
             Bar("best", 1.0, among=programs_of.TASKS)]


def halo(name, n, rows, columns, pairs, what, bars):
    title = (f"stencil on {n}\u00b2 cells ({what}) in {rows} x {columns} "
             f"blocks, {2 * pairs} sweeps")
    return Problem(Row(name, title, "ms", 1e3, bars, is_time=True), "halo",
                   {"n": n, "rows": rows, "columns": columns, "pairs": pairs})


def circuit(name, nodes, wires, pieces, steps, what, bars):
    title = (f"circuit of {nodes} nodes and {wires} wires ({what}) in "
             f"{pieces} pieces, {steps} steps")
    return Problem(Row(name, title, "ms", 1e3, bars, is_time=True), "circuit",
                   {"nodes": nodes, "wires": wires, "pieces": pieces,
                    "steps": steps})


def regent(name, source, title, **parameters):
    bars = [Bar("best", 0.9, among=programs_of.openmp_of(source))]
    return Problem(Row(f"{source}-{name}", title, "ms", 1e3, bars,
                       is_time=True), source, parameters)


def star(name, n, rows, columns, steps, what):
    return regent(name, "stencil", f"star of radius 2 on {n}\u00b2 cells "
                  f"({what}) in {rows} x {columns} tiles, {steps} steps", n=n,
                  rows=rows, columns=columns, steps=steps)


def pagerank(name, pages, links, pieces, steps, what):
    return regent(name, "pagerank", f"ranks of {pages} pages with {links} "
                  f"links ({what}) in {pieces} pieces, at most {steps} steps",
                  pages=pages, links=links, pieces=pieces, steps=steps)


def cholesky(name, n, tiles, what):
    return regent(name, "cholesky", f"factors of {n}\u00b2 values ({what}) in "
                  f"{tiles} x {tiles} tiles", n=n, tiles=tiles)


def mesh(name, cells, faces, pieces, steps, what):
    return regent(name, "mesh", f"mesh of {cells} cells and {faces} faces "
                  f"({what}) in {pieces} pieces, {steps} steps",
                  num_cells=cells, num_faces=faces, pieces=pieces, steps=steps)


def vcycle(name, cells, blocks, cycles, what):
    return regent(name, "vcycle", f"V-cycle on {cells} cells ({what}) and two "
                  f"coarser grids in {blocks} blocks, {cycles} cycles",
                  fine_cells=cells, mid_cells=cells // 2,
                  coarse_cells=cells // 4, blocks=blocks, cycles=cycles)


PROBLEMS = [
    halo("halo-l2", 320, 4, 1, 100, "inside the L2s", IN_CACHE),
    halo("halo-l3", 1024, 8, 2, 20, "inside the L3", IN_MEMORY),
    halo("halo-memory", 3072, 16, 2, 5, "beyond the caches", IN_MEMORY),
    circuit("circuit-l2", 2048, 4096, 8, 20, "inside the L2s", IN_CACHE),
    circuit("circuit-l3", 65536, 131072, 16, 2, "inside the L3", IN_MEMORY),
    star("l2", 320, 4, 1, 100, "inside the L2s"),
    star("memory", 3072, 16, 1, 4, "beyond the caches"),
    pagerank("l2", 4096, 32768, 8, 50, "inside the L2s"),
    pagerank("memory", 1 << 20, 1 << 22, 16, 4, "beyond the caches"),
    cholesky("l2", 512, 8, "inside the L2s"),
    cholesky("memory", 2560, 20, "beyond the caches"),
    mesh("l2", 4096, 12288, 2, 20, "inside the L2s"),
    mesh("memory", 1 << 20, 3 << 20, 2, 2, "beyond the caches"),
    vcycle("l2", 32768, 4, 10, "inside the L2s"),
    vcycle("memory", 1 << 22, 8, 1, "beyond the caches"),
]


def instantiation(problem):
    """What a repetition of the row does not include, as a row of its own."""
    name = problem.row.name.replace("-l2", "-instantiate")
    title = ("before the first run: allocate, partition, make the tasks of "
             f"'{problem.row.name}'")
    return dataclasses.replace(problem, row=Row(name, title, "ms", 1e3,
                                                is_time=True))


INSTANTIATIONS = [instantiation(problem) for problem in PROBLEMS
                  if problem.row.name in ("halo-l2", "circuit-l2")]
ROWS = ([problem.row for problem in PROBLEMS + INSTANTIATIONS]
        + scale_of.ROWS)


def start(make, facts, missing, label):
    """Starts a program and notes what it is; None if it is not here."""
    try:
        found = make()
        program, loaded = peers.start(found)
    except (toolchain.Missing, WrongResult) as error:
        missing.append(f"{label}: {error}")
        return None
    facts[label] = {"compiler": found.version,
                    "libraries": {path: toolchain.package_of(path)
                                  for path in loaded}}
    return program


def our_entries(problem, compiler, options, facts, missing):
    """Sluice, a second process of it, and its program on StarPU."""
    entries = []
    makers = [(ours.LABEL, programs_of.sluice),
              (ours.LABEL + " again", programs_of.sluice)]
    if problem.source not in programs_of.REGENT:
        makers.append((programs_of.GENERATED, programs_of.generated))
    for label, make in makers:
        program = compiler and start(
            lambda: make(compiler, problem.source, problem.arguments(),
                         options.output, options.threads),
            facts, missing, label)
        if program:
            entries.append(Entry(label, program, problem.peer_name(),
                                 is_ours=label == ours.LABEL,
                                 is_again=label == ours.LABEL + " again",
                                 is_judged=label != programs_of.GENERATED,
                                 warm_seconds=WARM_UP))
    return entries


def run_problem(problem, compiler, theirs, options, facts, missing, round_trip,
                say):
    mine = our_entries(problem, compiler, options, facts, missing)
    entries = mine + [Entry(label, program, problem.peer_name(),
                            warm_seconds=WARM_UP)
                      for label, program in theirs.items()]
    result = measure(problem.row, entries, options, round_trip, say,
                     ROW_SECONDS)
    for entry in mine:
        entry.program.quit()
    return result


def run_instantiation(problem, compiler, theirs, options, round_trip, say):
    """Sluice's processes, and the one peer that keeps a graph."""
    labels = [ours.LABEL, ours.LABEL + " again"] if compiler else []
    found = [programs_of.sluice(compiler, problem.source,
                                problem.arguments(), options.output,
                                options.threads) for _ in labels]
    entries = [Entry(label, programs_of.Instantiation(peer), "",
                     is_ours=True, is_again=label != ours.LABEL,
                     warm_seconds=0) for label, peer in zip(labels, found)]
    if programs_of.TASKFLOW in theirs:
        entries.append(Entry(programs_of.TASKFLOW,
                             theirs[programs_of.TASKFLOW],
                             problem.peer_name("-instantiate"),
                             warm_seconds=WARM_UP))
    return measure(problem.row, entries, options, round_trip, say,
                   ROW_SECONDS)


def run(options, round_trip, say):
    facts, missing, results, compiler = {}, [], [], None
    try:
        compiler = toolchain.sluice(options.sluice)
    except toolchain.Missing as error:
        missing.append(f"{ours.LABEL}: {error}")
    for source in dict.fromkeys(problem.source for problem in PROBLEMS):
        wanted = [problem for problem in PROBLEMS + INSTANTIATIONS
                  if problem.source == source and (not options.rows or problem.row.name in options.rows)]
        if not wanted:
            continue
        theirs, more, left_out = peers.start_all(
            options.output, options.threads, options.peers,
            programs_of.peers_of(source))
        facts.update(more)
        missing += left_out
        for problem in wanted:
            if problem in INSTANTIATIONS:
                results.append(run_instantiation(problem, compiler, theirs,
                                                 options, round_trip, say))
                continue
            results.append(run_problem(problem, compiler, theirs, options,
                                       facts, missing, round_trip, say))
        for program in theirs.values():
            program.quit()
    facts.pop(ours.LABEL + " again", None)
    outcome = Outcome(results, facts, missing)
    if compiler:
        scale_of.run(compiler, options, outcome, say)
    return outcome
