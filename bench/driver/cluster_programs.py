# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `bench cluster`: how each is built, started and counted."""

import functools
import os
import pathlib
import re
import subprocess

from . import cluster_minimum, ours, peers, rdir_peers, taskgraph_peers, toolchain
from .pack_programs import MPIS
from .rdir_peers import NO_SLP, STANDARD
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS, ROOT

RANKS = "Sluice, 2 ranks"
ONE_PROCESS = "Sluice, 1 process of 2 workers"
HAND_GCC = "MPI by hand, gcc"
HAND_CLANG = "MPI by hand, clang"
HAND = (HAND_GCC, HAND_CLANG)
STARPU = "StarPU-MPI by hand"
GENERATED = "StarPU-MPI, generated"
MPI = MPIS[0]  # Open MPI, whose ranks may wait without a processor of theirs

CLUSTER = BENCH / "cluster"
# Ranks that wait for the driver are no lost ones.
SETTINGS = {"SLUICE_WORKERS": "1", "SLUICE_CLUSTER_DEADLINE": "0"}


def sources_of(source):
    """Headers of a problem, here or shared with `bench rdir`."""
    headers = [CLUSTER / f"{source}.h", *rdir_peers.sources_of(source)]
    return [path for path in headers if path.exists()]


def launcher():
    """One processor for each of two ranks."""
    return (*MPI.start_pair()[:-2], "--bind-to", "core", "-n", "2")


def hand(label, compiler, flags, source, folder, threads):
    path = CLUSTER / f"mpi/{source}.cpp"
    output = folder / f"cluster-{source}-{label.split()[-1]}"
    found = compiler()
    toolchain.build(output, [MPI.compiler(), STANDARD, *flags, path, "-o",
                             output],
                    [path, CLUSTER / "mpi/ranks.h", BENCH / "pack/pair.h",
                     *sources_of(source)],
                    {**os.environ, "OMPI_CXX": found})
    return peers.Peer(label, str(output), MPI.library, {},
                      toolchain.first_line([found, "--version"]), launcher())


def starpu_source(source):
    return CLUSTER / f"starpu/{source}.cpp"


def starpu(source, folder, threads):
    """Tasks that read and write pieces of data, by gcc as its library."""
    path = starpu_source(source)
    output = folder / f"cluster-{source}-starpu"
    pkg_config = taskgraph_peers.pkg_config
    found = toolchain.gxx()
    toolchain.build(output, [MPI.compiler(), STANDARD, *GCC_FLAGS,
                             *pkg_config("starpumpi-1.3", "--cflags"), path,
                             *pkg_config("starpumpi-1.3", "--libs"), "-o",
                             output],
                    [path, CLUSTER / "mpi/ranks.h", BENCH / "pack/pair.h",
                     *sources_of(source)],
                    {**os.environ, "OMPI_CXX": found})
    return peers.Peer(STARPU, str(output), "libstarpu",
                      rdir_peers.starpu_environment(folder, 1),
                      toolchain.first_line([found, "--version"]), launcher())


def generated(compiler, problem, folder, threads):
    """The same program over regions as C for StarPU-MPI. Its workers look for
    tasks all the time, so its ranks are stopped between rounds."""
    mlir, tasks = (CLUSTER / f"{problem.source}.{end}" for end in ("mlir",
                                                                   "cpp"))
    inputs = [compiler, mlir, tasks, CLUSTER / "orders.h",
              BENCH / "rdir/circuit-tasks.h", *sources_of(problem.source)]
    made = folder / f"cluster-{problem.source}-generated"
    made.mkdir(parents=True, exist_ok=True)
    for language, name in (("header", f"{problem.source}.rdir.h"),
                           ("starpu-mpi", "program.c")):
        toolchain.build(made / name, [compiler, "build", mlir,
                                      f"--emit={language}", "-o", made / name],
                        inputs)
    pkg_config = taskgraph_peers.pkg_config
    flags = [*CLANG_FLAGS, *NO_SLP, "-I", made, "-I", ROOT / "include"]
    mpi = [*pkg_config("starpumpi-1.3", "--cflags"),
           *pkg_config("ompi-c", "--cflags")]
    objects = [made / "program.o", made / "tasks.o"]
    clang = toolchain.clang()
    toolchain.build(objects[0], [clang, *flags, *mpi, "-c", made / "program.c",
                                 "-o", objects[0]], inputs)
    toolchain.build(objects[1], [clang + "++", STANDARD, *flags, "-c", tasks,
                                 "-o", objects[1]], inputs)
    library = pathlib.Path(compiler).resolve().parent.parent / "lib"
    toolchain.build(made / "program",
                    [clang + "++", *objects, "-lm",
                     *pkg_config("starpumpi-1.3", "--libs"),
                     *pkg_config("ompi-c", "--libs"), "-L", library,
                     "-lSluiceRuntime", f"-Wl,-rpath,{library}", "-o",
                     made / "program"], objects)
    return peers.Peer(GENERATED, str(made / "program"), "libstarpu",
                      rdir_peers.starpu_environment(folder, 1),
                      toolchain.first_line([clang, "--version"]), launcher(),
                      tuple(problem.arguments()), stops_ranks=True)


def hands_of(source):
    bind = functools.partial
    made = {HAND_GCC: bind(hand, HAND_GCC, toolchain.gxx, GCC_FLAGS, source),
            HAND_CLANG: bind(hand, HAND_CLANG, toolchain.clangxx,
                             [*CLANG_FLAGS, *NO_SLP], source)}
    if starpu_source(source).exists():
        made[STARPU] = bind(starpu, source)
    return made


def sluice_alone(compiler, problem, folder, threads):
    """One process, which has both processors."""
    output = folder / f"cluster-{problem.source}-sluice"
    environment = ours.environment(folder, 2)
    sources = [CLUSTER / f"{problem.source}.{end}" for end in ("mlir", "cpp")]
    toolchain.build(output, [compiler, "build", "-O3", "-march=native",
                             *NO_SLP, *sources, "-o", output],
                    [compiler, *sources, CLUSTER / "orders.h",
                     BENCH / "rdir/circuit-tasks.h",
                     *sources_of(problem.source)],
                    {**os.environ, **environment})
    return peers.Peer(ONE_PROCESS, str(output), "", environment,
                      toolchain.first_line([compiler, "--version"]), (),
                      tuple(problem.arguments()))


def sluice_ranks(compiler, problem, folder, threads):
    """The same program, started by MPI."""
    found = sluice_alone(compiler, problem, folder, threads)
    found.label, found.launcher = RANKS, launcher()
    found.environment = {**found.environment, **SETTINGS}
    return found


#===-- Messages and bytes ------------------------------------------------===#


def counter(folder):
    source = ROOT / "test/Cluster/Inputs/count.c"
    compiler = toolchain.find([f"mpicc.{MPI.name}"], MPI.package)
    return toolchain.build(folder / "cluster-count.so",
                           [compiler, "-shared", "-fPIC", "-O1", source, "-o",
                            folder / "cluster-count.so"], [source])


def traffic(peer, row, preloaded):
    """(messages, bytes) of a repetition between its checks: those of three,
    less those of one."""
    found = []
    for rounds in (1, 3):
        command = [*peer.launcher, "-x", f"LD_PRELOAD={preloaded}",
                   peer.executable, *peer.arguments]
        orders = [f"prepare {row}", *(rounds * ["check"]), "quit"]
        done = subprocess.run([str(part) for part in command],
                              input="\n".join(orders) + "\n", text=True,
                              capture_output=True,
                              env={**os.environ, **peer.environment})
        counts = re.findall(r"(\d+) messages, (\d+) bytes", done.stdout)
        if not counts:
            return None
        found.append([int(number) for number in counts[-1]])
    return [(b - a) / 2 for a, b in zip(*found)]


def traffic_notes(problem, compiler, options):
    """What one repetition sends, with the scalars of ours that say whether it
    was right. The collective calls of the program by hand are not counted."""
    preloaded = counter(options.output)
    messages, bytes_sent = cluster_minimum.of(problem)
    notes = [f"at least: {messages} messages, {bytes_sent} bytes a repetition"]
    made = {RANKS: functools.partial(sluice_ranks, compiler, problem),
            **hands_of(problem.source)}
    for label in (RANKS, HAND_GCC):
        found = traffic(made[label](options.output, options.threads),
                        problem.peer_name(), preloaded)
        if found:
            notes.append(f"{label}: {found[0]:.0f} messages, {found[1]:.0f} "
                         "bytes a repetition")
    return notes
