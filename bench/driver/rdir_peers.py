# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `bench rdir`: how each is built and run."""

import functools
import os
import pathlib

from . import ours, peers, taskgraph_peers, toolchain
from .program import Program
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS, ROOT

STANDARD = "-std=c++20"
SERIAL_GCC = "plain serial, gcc"
SERIAL_CLANG = "plain serial, clang"
FOR_GCC = "OpenMP for, gcc"
FOR_CLANG = "OpenMP for, clang"
DEPEND_GCC = "OpenMP depend, gcc"
DEPEND_CLANG = "OpenMP depend, clang"
TASKFLOW = "Taskflow, static graph"
STARPU = "StarPU by hand"
GENERATED = "StarPU, generated"

SERIAL = (SERIAL_GCC, SERIAL_CLANG)
LOOPS = (FOR_GCC, FOR_CLANG)
TASKS = (DEPEND_GCC, DEPEND_CLANG, STARPU)
# What costs least: loops, and a graph that is built before the clock starts,
# as ours is.
BEST = (*LOOPS, DEPEND_GCC, DEPEND_CLANG, TASKFLOW)

# Clang turns the four segments of the circuit's wires into short vectors, which
# makes all of its programs half as slow again as those of gcc.
NO_SLP = ["-fno-slp-vectorize"]

RDIR = BENCH / "rdir"

# The programs of examples/regent, which have OpenMP beside them alone.
REGENT = ("stencil", "pagerank", "cholesky", "mesh", "vcycle")


def openmp_of(problem):
    """What the rows of a program of REGENT are compared with."""
    return (*LOOPS, DEPEND_GCC, DEPEND_CLANG) if problem == "cholesky" \
        else LOOPS


def sources_of(problem):
    return [BENCH / "common/harness.h", RDIR / f"{problem}.h",
            RDIR / "serve.h", RDIR / "peers/problem.h",
            *(RDIR / "peers" / problem).glob("*.h")]


def compiled(label, problem, source, compiler, flags, libraries, library,
             environment, folder):
    path = RDIR / "peers" / problem / source
    name = label.replace(" ", "-").replace(",", "")
    output = folder / f"rdir-{problem}-{name}"
    toolchain.build(output, [compiler, STANDARD, *flags, path, *libraries,
                             "-o", output], [path, *sources_of(problem)])
    return peers.Peer(label, str(output), library, environment,
                      toolchain.first_line([compiler, "--version"]))


def with_gcc(label, problem, source, library, folder, threads):
    flags = [*GCC_FLAGS, *(["-fopenmp"] if library else [])]
    return compiled(label, problem, source, toolchain.gxx(), flags, [],
                    library, {"OMP_NUM_THREADS": str(threads)}, folder)


def with_clang(label, problem, source, library, folder, threads):
    flags = [*CLANG_FLAGS, *NO_SLP]
    if library:
        toolchain.need_file("/usr/lib/llvm-22/lib/libomp.so", "libomp-22-dev")
        flags += ["-fopenmp=libomp", "-fno-rtlib-add-rpath"]
    return compiled(label, problem, source, toolchain.clang() + "++", flags,
                    [], library, {"OMP_NUM_THREADS": str(threads)}, folder)


def starpu_environment(folder, threads):
    home = folder / "starpu"
    home.mkdir(parents=True, exist_ok=True)
    return {"STARPU_NCPU": str(threads), "STARPU_SILENT": "1",
            "STARPU_HOME": str(home), "STARPU_FXT_TRACE": "0",
            "STARPU_NCUDA": "0", "STARPU_NOPENCL": "0"}


def starpu(problem, folder, threads):
    pkg_config = taskgraph_peers.pkg_config
    return compiled(STARPU, problem, "starpu.cpp", toolchain.clang() + "++",
                    [*CLANG_FLAGS, *NO_SLP,
                     *pkg_config("starpu-1.3", "--cflags")],
                    pkg_config("starpu-1.3", "--libs"), "libstarpu",
                    starpu_environment(folder, threads), folder)


def taskflow(problem, folder, threads):
    include = toolchain.taskflow()
    found = compiled(TASKFLOW, problem, "taskflow.cpp",
                     toolchain.clangxx(),
                     [*CLANG_FLAGS, *NO_SLP, "-I", include], ["-pthread"], "",
                     {"BENCH_THREADS": str(threads)}, folder)
    found.version += "; " + toolchain.taskflow_version(include)
    return found


def peers_of(problem):
    """Makers of the programs that serve all rows of a problem."""
    bind = functools.partial
    found = {
        SERIAL_GCC: bind(with_gcc, SERIAL_GCC, problem, "serial.cpp", ""),
        SERIAL_CLANG: bind(with_clang, SERIAL_CLANG, problem, "serial.cpp",
                           ""),
        FOR_GCC: bind(with_gcc, FOR_GCC, problem, "openmp-for.cpp", "libgomp"),
        FOR_CLANG: bind(with_clang, FOR_CLANG, problem, "openmp-for.cpp",
                        "libomp"),
        DEPEND_GCC: bind(with_gcc, DEPEND_GCC, problem, "openmp-depend.cpp",
                         "libgomp"),
        DEPEND_CLANG: bind(with_clang, DEPEND_CLANG, problem,
                           "openmp-depend.cpp", "libomp"),
        TASKFLOW: bind(taskflow, problem),
        STARPU: bind(starpu, problem),
    }
    if problem not in REGENT:
        return found
    return {label: found[label] for label in openmp_of(problem)}


def inputs_of(compiler, problem):
    return [compiler, RDIR / f"{problem}.mlir", RDIR / f"{problem}.cpp",
            *sources_of(problem)]


def sluice(compiler, problem, arguments, folder, threads):
    """The program on Sluice's own runtime; a process serves one row."""
    output = folder / f"rdir-{problem}-sluice"
    environment = ours.environment(folder, threads)
    toolchain.build(output, [compiler, "build", "-O3", "-march=native",
                             *NO_SLP, RDIR / f"{problem}.mlir", RDIR / f"{problem}.cpp",
                             "-o", output], inputs_of(compiler, problem),
                    {**os.environ, **environment})
    return peers.Peer(ours.LABEL, str(output), "", environment,
                      toolchain.first_line([compiler, "--version"]), (),
                      tuple(arguments))


def generated(compiler, problem, arguments, folder, threads):
    """The same program as C for StarPU."""
    inputs = inputs_of(compiler, problem)
    made = folder / f"rdir-{problem}"
    made.mkdir(parents=True, exist_ok=True)
    source = RDIR / f"{problem}.mlir"
    for language, name in (("header", f"{problem}.rdir.h"),
                           ("starpu", f"{problem}.starpu.c")):
        toolchain.build(made / name, [compiler, "build", source,
                                      f"--emit={language}", "-o", made / name],
                        inputs)
    pkg_config = taskgraph_peers.pkg_config
    flags = [*CLANG_FLAGS, *NO_SLP, "-I", made, "-I", ROOT / "include"]
    objects = [made / "program.o", made / "tasks.o"]
    clang = toolchain.clang()
    toolchain.build(objects[0], [clang, *flags,
                                 *pkg_config("starpu-1.3", "--cflags"), "-c",
                                 made / f"{problem}.starpu.c", "-o",
                                 objects[0]], inputs)
    toolchain.build(objects[1], [clang + "++", STANDARD, *flags, "-c",
                                 RDIR / f"{problem}.cpp", "-o", objects[1]],
                    inputs)
    output = folder / f"rdir-{problem}-generated"
    library = pathlib.Path(compiler).resolve().parent.parent / "lib"
    toolchain.build(output, [clang + "++", *objects, "-lm",
                             *pkg_config("starpu-1.3", "--libs"), "-L", library,
                             "-lSluiceRuntime", f"-Wl,-rpath,{library}", "-o",
                             output], objects)
    return peers.Peer(GENERATED, str(output), "libstarpu",
                      starpu_environment(folder, threads),
                      toolchain.first_line([clang, "--version"]), (),
                      tuple(arguments))


class Instantiation:
    """From the start of a process to its first host statement: roots are
    allocated, partitions computed, the loops' tasks made and ordered. Like
    Program; every round is a process of its own."""

    def __init__(self, peer):
        self.name, self.peer = peer.label, peer

    def run(self):
        program = Program(self.name, [self.peer.executable,
                                      *self.peer.arguments],
                          self.peer.environment)
        try:
            return float(program.ask("instantiation"))
        finally:
            program.quit()

    def prepare(self, row):
        self.check()
        return 1.0

    def check(self):
        program = Program(self.name, [self.peer.executable,
                                      *self.peer.arguments],
                          self.peer.environment)
        try:
            program.prepare("")
        finally:
            program.quit()

    def has_children(self):
        return False

    def release(self):
        pass

    quit = release
