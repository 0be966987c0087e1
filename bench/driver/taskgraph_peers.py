# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `bench taskgraph`: how each is built and run."""

import functools
import os
import subprocess

from . import micro, ours, peers, toolchain
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS, ROOT, Missing

STANDARD = "-std=c++20"
TASK_GROUP = "oneTBB task_group + counters"
FLOW_GRAPH = "oneTBB flow graph"
TASKFLOW = "Taskflow"
GOMP = "OpenMP depend, gcc"
LIBOMP = "OpenMP depend, clang"
STARPU = "StarPU"
MPI = "MPI nonblocking, 2 ranks"
IDEAL = "no dependences (ideal)"
POINT = "static point-to-point by hand"
BARRIER = "omp for + barrier, gcc"
LOOP_ONETBB = "oneTBB parallel_for, level by level"
LOOP_GCC = "OpenMP for, level by level, gcc"
LOOP_CLANG = "OpenMP for, level by level, clang"
PLAIN = "one thread, one loop (limit)"


def compiled(label, folder, compiler, source, flags, libraries, library,
             environment, launcher=()):
    """Builds a source of bench/taskgraph."""
    path = BENCH / "taskgraph" / f"{source}.cpp"
    output = folder / ("taskgraph-" + label.replace(" ", "-").replace(",", ""))
    toolchain.build(output, [compiler, STANDARD, *flags, path, *libraries,
                             "-o", output],
                    [path, *toolchain.sources_beside(path)])
    return peers.Peer(label, str(output), library, environment,
                      toolchain.first_line([compiler, "--version"]), launcher)


def onetbb(label, source, flags, folder, threads):
    toolchain.need_file("/usr/include/oneapi/tbb/version.h", "libtbb-dev")
    return compiled(label, folder, toolchain.gxx(), source,
                    [*GCC_FLAGS, *flags], ["-ltbb"], "libtbb", {"BENCH_THREADS": str(threads)})


def ideal(folder, threads):
    return compiled(IDEAL, folder, toolchain.gxx(), "ideal", GCC_FLAGS, [], "",
                    {"BENCH_THREADS": str(threads)})


def taskflow(folder, threads):
    include = toolchain.taskflow()
    found = compiled(TASKFLOW, folder, toolchain.gxx(), "taskflow",
                     [*GCC_FLAGS, "-I", include], ["-pthread"], "",
                     {"BENCH_THREADS": str(threads)})
    found.version += "; " + toolchain.taskflow_version(include)
    return found


def openmp_gcc(label, source, flags, folder, threads):
    return compiled(label, folder, toolchain.gxx(), source,
                    [*GCC_FLAGS, "-fopenmp", *flags], [], "libgomp",
                    {"OMP_NUM_THREADS": str(threads)})


def openmp_clang(label, source, flags, folder, threads):
    toolchain.need_file("/usr/lib/llvm-22/lib/libomp.so", "libomp-22-dev")
    return compiled(label, folder, toolchain.clangxx(), source,
                    [*CLANG_FLAGS, "-fopenmp=libomp", "-fno-rtlib-add-rpath",
                     *flags], [], "libomp", {"OMP_NUM_THREADS": str(threads)})


def plain(folder, threads):
    return compiled(PLAIN, folder, toolchain.gxx(), "loops",
                    [*GCC_FLAGS, "-DLOOP=Plain"], [], "", {})


def pkg_config(package, *options):
    done = subprocess.run(["pkg-config", *options, package],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"'{package}' not found: apt-get install libstarpu-dev")
    return done.stdout.split()


def starpu(folder, threads):
    home = folder / "starpu"
    home.mkdir(parents=True, exist_ok=True)
    return compiled(STARPU, folder, toolchain.gxx(), "starpu",
                    [*GCC_FLAGS, *pkg_config("starpu-1.3", "--cflags")],
                    pkg_config("starpu-1.3", "--libs"), "libstarpu",
                    {"STARPU_NCPU": str(threads), "STARPU_SILENT": "1",
                     "STARPU_HOME": str(home), "STARPU_FXT_TRACE": "0"})


def mpi(folder, threads):
    """Two ranks, whatever the threads; started by mpirun."""
    compiler = toolchain.find(["mpicxx.openmpi", "mpicxx"], "libopenmpi-dev")
    run = toolchain.find(["mpirun.openmpi", "mpirun"], "openmpi-bin")
    launcher = [run, "--oversubscribe", "-np", "2"]
    if os.geteuid() == 0:
        launcher.insert(1, "--allow-run-as-root")
    return compiled(MPI, folder, compiler, "mpi", GCC_FLAGS, [], "libmpi", {},
                    tuple(launcher))


def with_static_runtime(folder, threads):
    """Plans written by hand, with the runtime's archive."""
    library = micro.runtime_library([".a"])
    compiler = toolchain.clang() + "++"
    path = BENCH / "taskgraph/sluice.cpp"
    output = folder / "taskgraph-sluice"
    toolchain.build(output,
                    [compiler, STANDARD, *CLANG_FLAGS, "-I", ROOT / "include",
                     path, library, "-pthread", "-ldl", "-o", output],
                    [path, library, *toolchain.sources_beside(path)])
    return peers.Peer(ours.LABEL, str(output), "",
                      ours.environment(folder, threads),
                      toolchain.first_line([compiler, "--version"]) +
                      f"; {library.relative_to(ROOT)}")


bind = functools.partial
DYNAMIC = {
    TASK_GROUP: bind(onetbb, TASK_GROUP, "onetbb", []),
    FLOW_GRAPH: bind(onetbb, FLOW_GRAPH, "flowgraph", []),
    TASKFLOW: taskflow,
    GOMP: bind(openmp_gcc, GOMP, "openmp", []),
    LIBOMP: bind(openmp_clang, LIBOMP, "openmp", []),
    STARPU: starpu,
}
STATIC = {
    IDEAL: ideal,
    POINT: bind(openmp_gcc, POINT, "static", ["-DSCHEME=Point"]),
    BARRIER: bind(openmp_gcc, BARRIER, "static", ["-DSCHEME=Barrier"]),
}
LOOPS = {
    LOOP_ONETBB: bind(onetbb, LOOP_ONETBB, "loops",
                      ["-DLOOP=OneTBB", "-DWITH_TBB"]),
    LOOP_GCC: bind(openmp_gcc, LOOP_GCC, "loops", ["-DLOOP=OpenMP"]),
    LOOP_CLANG: bind(openmp_clang, LOOP_CLANG, "loops", ["-DLOOP=OpenMP"]),
}
ALL = {**STATIC, **DYNAMIC, **LOOPS, PLAIN: plain, MPI: mpi}

# Who takes part where. Every sweep needs the ideal.
TASKS = tuple(DYNAMIC)
CHAIN = [*DYNAMIC, PLAIN]
LEVELS = [*DYNAMIC, *LOOPS, PLAIN]
STENCIL = [*STATIC, *DYNAMIC]
TASK_BENCH = [IDEAL, TASK_GROUP, GOMP, STARPU, MPI]
