# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench device`: Sluice's kernels on devices beside kernels by hand."""

import os
import subprocess

from . import device_peers, ours, peers, toolchain
from .outcome import Outcome
from .program import WrongResult
from .table import Bar, Entry, Row, measure
from .toolchain import BENCH

SOURCES = ["sluice", "plain", "groups", "filters", "overheads"]
KERNEL = 0.95     # of the speed of the kernel by hand
LAUNCH = 1 / 1.2  # of its launch
WARM_UP = 1.0     # seconds
ROW_SECONDS = 60  # at most, of a row

# What is measured, and the least share of the peer's speed on PoCL and on a
# GPU; 0: no bar.
PLAN = [
    (Row("saxpy", "saxpy, 16 M floats", "GB/s", 1e-9), KERNEL, 0.9),
    (Row("stencil", "5-point stencil 2048\u00b2, 10 sweeps", "GB/s", 1e-9),
     KERNEL, 0.9),
    (Row("matmul-tiled", "matrix product 512\u00b3, 16x16 groups, local tiles",
         "GFLOP/s", 1e-9), KERNEL, 0.9),
    (Row("histogram", "histogram of 4 M numbers, atomics", "G/s", 1e-9),
     KERNEL, 0.9),
    (Row("reduction", "reduction of 16 M integers, tree with barriers", "GB/s",
         1e-9), KERNEL, 0.9),
    (Row("filters", "three 3x3 filters of 2048\u00b2 floats", "GB/s", 1e-9),
     KERNEL, 0.9),
    (Row("upload", "64 MiB to the device, and a small kernel", "GB/s", 1e-9),
     0, 0),
    (Row("download", "a kernel that writes 64 MiB, and these back", "GB/s",
         1e-9), 0, 0),
    (Row("launch", "launch + wait of an empty kernel", "us", 1e6,
         is_time=True), LAUNCH, LAUNCH),
    (Row("chain", "100 small kernels, one after another", "us", 1e6,
         is_time=True), LAUNCH, LAUNCH),
    (Row("stream", "stream of 1024\u00b2 pictures: up, three filters, back",
         "pictures/s", 1.0), 0, 0),
]

# The same rows on a GPU go by their names behind its kind.
CUDA_PREFIX = "cuda-"


def rows_of(prefix, against, column):
    """The table's rows for one kind of device."""
    rows = []
    for plan in PLAN:
        row, factor = plan[0], plan[column]
        rows.append(Row(prefix + row.name, row.title, row.unit, row.scale,
                        [Bar(against, factor),
                         Bar(device_peers.OPENMP, factor)] if factor else [],
                        row.is_time,
                        peer_row=row.name))
    return rows


OPENCL_ROWS = rows_of("", device_peers.OPENCL, 1)
CUDA_ROWS = rows_of(CUDA_PREFIX, device_peers.CUDA, 2)
ROWS = OPENCL_ROWS
MORE_ROWS = [row.name for row in CUDA_ROWS]


def build(compiler, folder):
    """Our program; an error if one of its kernels would run on the host."""
    sources = [BENCH / "device" / f"{name}.c" for name in SOURCES]
    output = folder / "sluice-device"
    flags = ["-O3", "-march=native"]
    environment = {**os.environ, **ours.environment(folder, 2)}
    inputs = [*sources, compiler, *toolchain.sources_beside(sources[0])]
    toolchain.build(output, [compiler, "build", *flags, *sources, "-o", output],
                    inputs, environment)
    plan = subprocess.run([compiler, "build", *flags, "--print=plan",
                           *map(str, sources)], capture_output=True, text=True,
                          env=environment, check=True).stdout
    for line in plan.split("\n"):
        if "runs on the host" in line:
            raise toolchain.Missing(f"a kernel has no device code: {line.strip()}")
    return output


def start(executable, label, device, options):
    program = ours.start(executable, label, options.output, options.threads,
                         {"SLUICE_DEVICE": device,
                          **device_peers.pocl_environment(options)})
    return program


def our_entries(row, executable, device, options):
    """Our program and a second process of it."""
    labels = [ours.LABEL, ours.LABEL + " again"]
    return [Entry(label, start(executable, label, device, options),
                  row.peer_row, is_ours=True, is_again=label != ours.LABEL,
                  warm_seconds=WARM_UP) for label in labels]


def peer_entries(row, programs):
    entries = []
    for label, program in programs.items():
        special = device_peers.SPECIAL_ROWS.get(label)
        name = special.get(row.peer_row) if special else row.peer_row
        if name:
            entries.append(Entry(label, program, name, warm_seconds=WARM_UP))
    return entries


def run_row(row, executable, device, programs, options, round_trip, say):
    mine, problem = [], ""
    if executable:
        try:
            mine = our_entries(row, executable, device, options)
        except (toolchain.Missing, WrongResult) as error:
            problem = f"Sluice: {error}"
    others = peer_entries(row, programs)
    result = measure(row, mine + others, options, round_trip, say,
                     ROW_SECONDS)
    if problem:
        result.notes.append(problem)
    for entry in mine:
        entry.program.quit()
    return result


def find_program(options, outcome):
    try:
        compiler = toolchain.sluice(options.sluice)
        executable = build(compiler, options.output)
    except toolchain.Missing as error:
        outcome.missing.append(f"Sluice: {error}")
        return None
    outcome.facts[ours.LABEL] = {"compiler": toolchain.first_line(
        [compiler, "--version"]), "libraries": {}}
    return executable


def run_device(device, rows, makers, executable, options, outcome, round_trip,
               say):
    wanted = [row for row in rows
              if not options.rows or row.name in options.rows]
    if not wanted:
        return
    programs, facts, missing = peers.start_all(
        options.output, options.threads, options.peers, makers)
    outcome.facts.update(facts)
    outcome.missing += missing
    for row in wanted:
        outcome.results.append(run_row(row, executable, device, programs,
                                       options, round_trip, say))
    for program in programs.values():
        program.quit()


def run(options, round_trip, say):
    outcome = Outcome([], {}, [])
    executable = find_program(options, outcome)
    run_device("opencl", OPENCL_ROWS, device_peers.OPENCL_MAKERS, executable,
               options, outcome, round_trip, say)
    if device_peers.has_gpu():
        run_device("cuda", CUDA_ROWS, device_peers.CUDA_MAKERS, executable,
                   options, outcome, round_trip, say)
    else:
        outcome.missing.append("CUDA: no NVIDIA GPU here")
    return outcome
