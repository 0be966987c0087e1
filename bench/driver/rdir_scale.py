# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checking part of `bench rdir`: time and memory over the graph's size."""

import dataclasses
import os
import subprocess
import time

from . import toolchain
from .outcome import verdict_json
from .program import WrongResult
from .ratios import bounded, median
from .table import NOT_MEASURED, Row, Verdict, is_over

SHAPES = {"chains": "tasks that update one of 64 regions and read four",
          "trees": "blocks, squares of blocks and the grid in turn",
          "stencil": "sweeps over 1024 blocks with halos",
          "random": "random arguments in a random forest"}
FORMATS = {"text": ".mlir", "bytecode": ".mlirbc"}
SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000]
CHECKED_SIZES = [300, 1_000]
QUICK_SIZES = [10_000, 100_000]
PHASES = ["read", "import", "check", "order"]
FEW_ROUNDS = 3  # of sizes between the smallest and the largest
SECONDS, GIBIBYTES, GROWTH = 10.0, 4.0, 2.0  # the bars

ROWS = [Row(f"scale-{shape}", f"check and order: {title}", "us", 1e6,
            is_time=True) for shape, title in SHAPES.items()]


@dataclasses.dataclass
class Run:
    """What one process took, all of it and by phase: seconds of wall time and
    of processor time, and kibibytes."""

    seconds: float
    cpu: float
    peak: int
    phases: dict

    def phase_seconds(self):
        """Without the start of the process, which no graph makes longer."""
        return sum(seconds for seconds, _ in self.phases.values())

    def phase_cpu(self):
        return sum(cpu for _, cpu in self.phases.values())


@dataclasses.dataclass
class Point:
    nodes: int
    edges: int
    bytes: int
    runs: list = dataclasses.field(default_factory=list)

    def middle(self, value):
        return median([value(run) for run in self.runs])

    def per_node(self):
        return self.middle(Run.phase_seconds) / self.nodes

    def gibibytes(self):
        return max(run.peak for run in self.runs) / 2 ** 20


@dataclasses.dataclass
class Scale:
    """One shape in one format, by ascending size."""

    shape: str
    format: str
    points: list
    verdicts: list = dataclasses.field(default_factory=list)

    @property
    def label(self):
        return f"{self.shape}, {self.format}"

    def growths(self):
        """Of the time per node, from the smallest graph to the largest, round
        by round."""
        first, last = self.points[0], self.points[-1]
        return [large.phase_seconds() / last.nodes
                / (small.phase_seconds() / first.nodes)
                for small, large in zip(first.runs, last.runs)]

    def growth(self):
        return median(self.growths())

    def judge(self):
        """How many times better than each bar, round by round; wall time."""
        last = self.points[-1]
        for what, bar, values in (
                (f"{last.nodes} nodes in {SECONDS:g} s", SECONDS,
                 [run.seconds for run in last.runs]),
                (f"{last.nodes} nodes in {GIBIBYTES:g} GiB", GIBIBYTES,
                 [run.peak / 2 ** 20 for run in last.runs]),
                (f"growth per node below {GROWTH:g}", GROWTH,
                 self.growths())):
            ratio = bounded([bar / value for value in values])
            self.verdicts.append(Verdict(self.label, what, ratio, 1.0))


def tool(compiler):
    """The program beside the compiler driver that makes graphs."""
    path = os.path.join(os.path.dirname(os.path.dirname(compiler)),
                        "bench/rdir-scale")
    if not os.access(path, os.X_OK):
        raise toolchain.Missing(f"'{path}' not found: ./dev build")
    return path


def generate(program, shape, size, folder):
    """Writes the graph in all formats; a point and a path for each."""
    paths = {name: folder / f"{shape}-{size}{ending}"
             for name, ending in FORMATS.items()}
    done = subprocess.run([program, "make", shape, str(size), *paths.values()],
                          check=True, capture_output=True, text=True)
    facts = dict(line.split() for line in done.stdout.splitlines())
    return {name: (Point(int(facts["nodes"]), int(facts["edges"]),
                         path.stat().st_size), path)
            for name, path in paths.items()}


def check(program, path):
    """Checks and orders one file in a process of its own."""
    start = time.monotonic()
    with subprocess.Popen([program, "check", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        lines = process.stderr.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    phases = {}
    for line in lines:
        if not line.startswith("phase "):
            continue
        _, name, wall, cpu = line.split()
        phases[name] = (float(wall), float(cpu))
    if process.returncode != 0 or list(phases) != PHASES:
        raise WrongResult(f"{path.name}: exit code {process.returncode}: "
                          f"{lines[:1]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss,
               phases)


def measure_shape(program, shape, sizes, rounds, folder, say):
    """Interleaved rounds over sizes and formats."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for size in sizes:
        say(f"scale-{shape}: making {size} nodes")
        made.append(generate(program, shape, size, folder))
    ends = (made[0], made[-1])  # what the bars are about
    for number in range(rounds):
        for point, path in (entry for files in made
                            if number < FEW_ROUNDS or files in ends
                            for entry in files.values()):
            say(f"scale-{shape}: round {number + 1} of {rounds}, {path.name}")
            point.runs.append(check(program, path))
    for _, path in (entry for files in made for entry in files.values()):
        path.unlink()
    scales = [Scale(shape, name, [files[name][0] for files in made])
              for name in FORMATS]
    for scale in scales:
        scale.judge()
    return scales


def run(compiler, options, outcome, say):
    """Adds what was measured to the outcome."""
    wanted = [shape for shape in SHAPES
              if not options.rows or f"scale-{shape}" in options.rows]
    if not wanted:
        return
    try:
        program = tool(compiler)
    except toolchain.Missing as error:
        outcome.missing.append(f"rdir-scale: {error}")
        return
    sizes = QUICK_SIZES if options.quick else SIZES
    if options.check:
        sizes = CHECKED_SIZES
    for shape in wanted:
        if is_over(options):
            outcome.notes.append(f"scale-{shape}: {NOT_MEASURED}")
            continue
        outcome.scales += measure_shape(program, shape, sizes,
                                        1 if options.check else options.rounds,
                                        options.output / "rdir-scale", say)


def print_scale(scale):
    print(f"\ncheck and order: {scale.label}  [medians; phases in us of "
          "processor time a node]")
    print(f"  {'nodes':>8} {'edges':>8} {'wall s':>8} {'cpu s':>8} "
          f"{'MiB':>6} {'us/node':>8}  "
          + " ".join(f"{name:>7}" for name in PHASES))
    for point in scale.points:
        parts = [point.middle(lambda run, name=name: run.phases[name][1])
                 / point.nodes * 1e6 for name in PHASES]
        print(f"  {point.nodes:8} {point.edges:8} "
              f"{point.middle(lambda run: run.seconds):8.3f} "
              f"{point.middle(lambda run: run.cpu):8.3f} "
              f"{point.gibibytes() * 1024:6.0f} {point.per_node() * 1e6:8.2f}  "
              + " ".join(f"{part:7.2f}" for part in parts))
    for verdict in scale.verdicts:
        print(f"  {verdict.text()}")


def point_json(point):
    return {"nodes": point.nodes, "edges": point.edges, "bytes": point.bytes,
            "seconds": [run.seconds for run in point.runs],
            "cpuSeconds": [run.cpu for run in point.runs],
            "peakKibibytes": [run.peak for run in point.runs],
            "microsecondsPerNode": point.per_node() * 1e6,
            "gibibytes": point.gibibytes(),
            "phases": {name: {"seconds": [r.phases[name][0]
                                          for r in point.runs],
                              "cpuSeconds": [r.phases[name][1]
                                             for r in point.runs]}
                       for name in PHASES}}


def scale_json(scale):
    return {"shape": scale.shape, "format": scale.format,
            "points": [point_json(point) for point in scale.points],
            "growth": scale.growth(),
            "bars": [verdict_json(verdict) for verdict in scale.verdicts]}
