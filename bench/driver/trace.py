# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench trace`: what SLUICE_TRACE takes of a run, its file included."""

import dataclasses
import json
import os
import random
import resource
import subprocess
import time

from . import ours, toolchain
from .program import WrongResult
from .ratios import MISSED, REACHED, looks, median, paired_ratio, verdict_of
from .table import Row
from .toolchain import ROOT

SPEED = 0.98  # the bar: a traced run is at least so many times as fast
PLAIN, AGAIN, TRACED = "not traced", "again", "traced"
FLAGS = ["-O3", "-march=native"]


@dataclasses.dataclass
class Example:
    """A program that checks itself. `arguments` make a run of half a second,
    `check` a short one; {out} is a folder."""

    name: str
    title: str
    libraries: tuple
    arguments: tuple
    check: tuple
    says: str

    def folder(self):
        return ROOT / "examples" / self.name

    def sources(self):
        return sorted(path for path in self.folder().iterdir()
                      if path.suffix in (".cpp", ".mlir"))


DATA = ROOT / "examples/camera/data"
PICTURE = (DATA / "raw_tulip-small.bin", DATA / "NikonD7000", "{out}/tulip.png")
EXAMPLES = [
    Example("camera", "develop a picture 15 times: 3 nodes a launch",
            ("-lpng",), (*PICTURE, "15"), (*PICTURE, "1"), "camera: ok"),
    Example("halo", "heat on 1024 x 1024 cells, 200 sweeps in 16 blocks; half "
            "of the run is its check", (), (), ("--n=64", "--rounds=1"),
            "halo: ok")]
ROWS = [Row(example.name, example.title, "ms", 1e3, is_time=True)
        for example in EXAMPLES]


def build(compiler, example, folder, threads):
    output = folder / f"trace-{example.name}"
    sources = example.sources()
    return toolchain.build(
        output, [compiler, "build", *FLAGS, *sources, *example.libraries, "-o",
                 output], [*example.folder().glob("*.*"), compiler],
        {**os.environ, **ours.environment(folder, threads)})


def run_once(program, example, arguments, environment, trace):
    """One run from its start to its end: seconds, and those of processors."""
    settings = {**os.environ, **environment}
    settings.pop("SLUICE_TRACE", None)
    if trace:
        settings["SLUICE_TRACE"] = str(trace)
    command = [str(program), *(str(part).format(out=program.parent)
                               for part in arguments)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(command, env=settings, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or example.says not in done.stdout:
        raise WrongResult(f"'{example.name}': exit code {done.returncode}: "
                          f"{done.stderr[:200]}")
    return seconds, (after.ru_utime + after.ru_stime - before.ru_utime -
                     before.ru_stime)


def count_events(compiler, trace):
    """How many events a trace has; 'sluice trace' must be able to read it."""
    done = subprocess.run([compiler, "trace", trace], capture_output=True,
                          text=True)
    if done.returncode or "Critical path" not in done.stdout:
        raise WrongResult(f"'sluice trace': {done.stderr[:200]}")
    with open(trace, encoding="utf-8") as file:
        return sum(1 for line in file if '"ph":"X"' in line)


def measure(options, compiler, example, chance):
    """The times of all rounds, and what the bar says of them."""
    folder = options.output
    program = build(compiler, example, folder, options.threads)
    environment = ours.environment(folder, options.threads)
    trace = folder / f"trace-{example.name}.json"
    times = {label: [] for label in (PLAIN, AGAIN, TRACED)}
    processor = {label: [] for label in times}
    wanted = looks(options.rounds, options.most_rounds)

    def run(label):
        return run_once(program, example, example.arguments, environment,
                        trace if label == TRACED else None)

    for label in times:  # variants are compiled, files are read
        run(label)
    verdict = ""
    for number in wanted:
        while len(times[PLAIN]) < number:
            for label in chance.sample(list(times), len(times)):
                seconds, busy = run(label)
                times[label].append(seconds)
                processor[label].append(busy)
        # The looks share what may be wrong.
        ratio = paired_ratio(times[PLAIN], times[TRACED],
                             0.025 / len(wanted))
        verdict = verdict_of(ratio, SPEED)
        if verdict in (REACHED, MISSED):
            break
    return {"seconds": times, "processor": processor, "verdict": verdict,
            "events": count_events(compiler, trace),
            "bytes": trace.stat().st_size}, ratio


def print_row(example, found, ratio):
    times, busy = found["seconds"], found["processor"]
    itself = paired_ratio(times[PLAIN], times[AGAIN])
    processors = paired_ratio(busy[PLAIN], busy[TRACED])
    print(f"  {example.name:8} {1e3 * median(times[PLAIN]):7.1f} ms, traced "
          f"{precise(ratio)} times as fast: {SPEED} {found['verdict']}; "
          f"itself {precise(itself)}, processor time {precise(processors)}; "
          f"{found['events']} events, {found['bytes']} bytes")


def precise(ratio):
    """Three decimals: a hundredth is half of what the bar allows."""
    return f"{ratio.median:.3f} [{ratio.lower:.3f}, {ratio.upper:.3f}]"


def check(options, compiler, example):
    """Runs with and without a trace, and reads that."""
    program = build(compiler, example, options.output, options.threads)
    environment = ours.environment(options.output, options.threads)
    trace = options.output / f"trace-{example.name}.json"
    for path in (None, trace):
        run_once(program, example, example.check, environment, path)
    if not count_events(compiler, trace):
        raise WrongResult(f"'{example.name}': the trace is empty")
    print(f"  {example.name}: right")


def run(options):
    """Measures the rows that are asked for; the exit code."""
    compiler = toolchain.sluice(options.sluice)
    chance = random.Random(options.seed)
    print("bench trace: runs with and without SLUICE_TRACE, from start to end")
    result, is_reached = {}, True
    for example in EXAMPLES:
        if options.rows and example.name not in options.rows:
            continue
        if options.check:
            check(options, compiler, example)
            continue
        found, ratio = measure(options, compiler, example, chance)
        result[example.name] = found
        is_reached &= found["verdict"] == REACHED
        print_row(example, found, ratio)
    if not options.check:
        (options.output / "trace.json").write_text(json.dumps(result, indent=1))
    return 0 if is_reached else 1
