# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of `bench cluster` that simulates up to 1,024 ranks by SMPI.

What is simulated is a stencil of one block for each rank, whose sweeps take as
long as they are told to: messages, and what waits for them, are what differs.
"""

import os
import re
import subprocess

from . import cluster_platforms, toolchain
from .cluster_scaling import STRONG, WEAK, Scaling
from .rdir_peers import STANDARD
from .program import WrongResult
from .table import NOT_MEASURED, Bar, Row, is_over
from .toolchain import BENCH, GCC_FLAGS

OURS, HAND = "Sluice, simulated", "MPI by hand, simulated"
LABELS = (OURS, HAND)
SIDES = [4, 8, 16, 32]  # of the square of ranks
CHECKED_SIDES = [4, 8]
BASE_SIDE = 8           # what the largest one is compared with
CELLS = 64              # of a block, along each side
PAIRS = 20              # of sweeps
TASK = 160_000          # nanoseconds: a sweep of a block
# Of each of our tasks beside that: what the runtime does takes no time in the
# simulation. More than is measured (docs/benchmarks.md).
OVERHEAD = 2_000
# The bars of the most ranks, for weak scaling on NETWORK: of the program by hand,
# and of ours with BASE_SIDE^2 ranks.
BARS = [Bar(HAND, 0.95), Bar(OURS, 0.97)]
NETWORK = "cluster"
SECONDS_AT_MOST = 1800  # of one simulation, on a busy machine
# Room for the threads' variables in a copy of the program for each rank.
STATIC_TLS = "glibc.rtld.optional_static_tls=1000000"

# The same bits from both compilers.
SAME_BITS = "-ffp-contract=off"
SOURCES = BENCH / "cluster/simulated"
ROWS = [Row(f"simulated-{network}", "16 to 1,024 simulated ranks, a stencil of "
            f"one block for each, {title}", "us", 1e6, is_time=True)
        for network, title in (("cluster", "at one switch"),
                               ("fat-tree", "in a fat tree"),
                               ("wide-area", "at four sites"))]


def smpirun():
    return toolchain.find(["smpirun"], "libsimgrid-dev")


def sluice(compiler, folder):
    output = folder / "cluster-simulated-sluice.so"
    sources = [SOURCES / "halo.mlir", SOURCES / "halo.cpp"]
    return toolchain.build(output, [compiler, "build", "--simulated", "-O3",
                                    "-march=native", SAME_BITS, *sources, "-o",
                                    output],
                           [compiler, *sources, SOURCES / "sweeps.h",
                            BENCH / "rdir/halo.h"])


def hand(folder):
    output = folder / "cluster-simulated-hand.so"
    source = SOURCES / "hand.cpp"
    wrapper = toolchain.find(["smpicxx"], "libsimgrid-dev")
    return toolchain.build(output, [wrapper, STANDARD, *GCC_FLAGS, SAME_BITS,
                                    source, "-o", output],
                           [source, SOURCES / "sweeps.h",
                            BENCH / "rdir/halo.h"])


def simulate(program, network, side, cells, nanoseconds, folder):
    """(seconds of a sweep, what the cells add up to)."""
    ranks = side * side
    platform, hosts = cluster_platforms.write(network, ranks, folder)
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("SLUICE_")}
    environment["GLIBC_TUNABLES"] = STATIC_TLS
    command = [smpirun(), "-np", ranks, "-platform", platform, "-hostfile",
               hosts, "--cfg=smpi/simulate-computation:no",
               "--log=root.thres:warning", program, f"--n={side * cells}",
               f"--rows={side}", f"--columns={side}", f"--pairs={PAIRS}",
               f"--nanoseconds={nanoseconds}"]
    if "sluice" in program.name:
        command.append(f"--overhead={OVERHEAD}")
    try:
        done = subprocess.run([str(part) for part in command], text=True,
                              capture_output=True, env=environment, cwd=folder,
                              timeout=SECONDS_AT_MOST)
    except subprocess.TimeoutExpired as error:
        raise WrongResult(f"{program.name}: {ranks} ranks took more than "
                          f"{SECONDS_AT_MOST} s") from error
    found = re.search(r"sweep (\S+) s, digest (\S+)", done.stdout)
    if done.returncode or not found:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise WrongResult(f"{program.name}: {ranks} ranks: exit code "
                          f"{done.returncode}: {' / '.join(lines[-3:])}")
    return float(found[1]), found[2]


def measure(programs, network, sides, folder, say):
    """Weak and strong scaling, which meet at the most ranks."""
    most = sides[-1]
    scalings = {kind: Scaling(network, kind, []) for kind in (WEAK, STRONG)}
    for kind, scaling in scalings.items():
        for side in sides:
            shrink = (most // side) if kind == STRONG else 1
            nanoseconds = TASK * shrink ** 2
            scaling.work.append(1e-9 * nanoseconds)
            if kind == STRONG and side == most:
                scaling.points[most ** 2] = scalings[WEAK].points[most ** 2]
                continue
            point, digests = {}, {}
            for label, program in programs.items():
                say(f"simulated-{network}: {kind}, {side * side} ranks: {label}")
                point[label], digests[label] = simulate(
                    program, network, side, CELLS * shrink, nanoseconds, folder)
            if len(set(digests.values())) != 1:
                raise WrongResult(f"{side * side} ranks on '{network}': the "
                                  f"cells differ: {digests}")
            scaling.points[side * side] = point
    return list(scalings.values())


def judge(scaling, sides):
    """Says which bars are reached."""
    most, base = sides[-1] ** 2, BASE_SIDE ** 2
    if scaling.network != NETWORK or scaling.kind != WEAK or most == base:
        return
    last = scaling.points[most]
    for bar in BARS:
        ranks = base if bar.against == OURS else most
        scaling.judge(OURS, f"{bar.against}, {ranks} ranks",
                      scaling.points[ranks][bar.against] / last[OURS],
                      bar.factor)


def run(compiler, options, outcome, say):
    """Adds what was simulated to the outcome."""
    wanted = [network for network in cluster_platforms.NETWORKS
              if not options.rows or f"simulated-{network}" in options.rows]
    if not wanted:
        return
    folder = options.output / "cluster-simulated"
    try:
        programs = {OURS: sluice(compiler, options.output),
                    HAND: hand(options.output)}
        smpirun()
    except toolchain.Missing as error:
        outcome.missing.append(f"{OURS}: {error}")
        return
    sides = CHECKED_SIDES if options.check else SIDES
    for network in wanted:
        if is_over(options):
            outcome.notes.append(f"simulated-{network}: {NOT_MEASURED}")
            continue
        try:
            scalings = measure(programs, network, sides, folder, say)
        except WrongResult as error:
            outcome.problems.append(f"simulated-{network}: {error}")
            continue
        for scaling in scalings:
            judge(scaling, sides)
        outcome.scalings += scalings
