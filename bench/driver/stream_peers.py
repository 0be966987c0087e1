# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers of `bench stream`: how each is built and run."""

import functools

from . import peers, toolchain
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS

PLAIN = "one thread, one loop (limit)"
FUTEX = "thread per stage, ring + futex"
MUTEX = "thread per stage, mutex + condition"

EDGES_PLAIN = "one thread, clang"
EDGES_FRAMES = "OpenMP clang, frames in parallel"
EDGES_ROWS = "OpenMP clang, rows in parallel"
EDGES_PIPELINE = "oneTBB parallel_pipeline"


def compiled(label, output, compiler, flags, source, libraries, library,
             environment):
    """Builds a source of bench/stream."""
    path = BENCH / "stream" / source
    toolchain.build(output, [compiler, *flags, path, *libraries, "-o", output],
                    [path, *toolchain.sources_beside(path)])
    return peers.Peer(label, str(output), library, environment,
                      toolchain.first_line([compiler, "--version"]))


def plain(folder, threads):
    return compiled(PLAIN, folder / "stream-plain", toolchain.gcc(), GCC_FLAGS,
                    "plain.c", [], "", {})


def by_hand(label, defines, folder, threads):
    return compiled(label, folder / f"stream-threads{''.join(defines)}",
                    toolchain.gcc(), [*GCC_FLAGS, *defines], "threads.c",
                    ["-pthread"], "", {})


def onetbb(label, tokens, folder, threads):
    toolchain.need_file("/usr/include/oneapi/tbb/version.h", "libtbb-dev")
    return compiled(label, folder / "stream-onetbb", toolchain.gxx(),
                    ["-std=c++17", *GCC_FLAGS], "onetbb.cpp", ["-ltbb"],
                    "libtbb", {"BENCH_THREADS": str(threads),
                               "BENCH_TOKENS": str(tokens)})


def taskflow(label, lines, folder, threads):
    include = toolchain.taskflow()
    found = compiled(label, folder / "stream-taskflow", toolchain.gxx(),
                     ["-std=c++20", *GCC_FLAGS, "-I", include], "taskflow.cpp",
                     ["-pthread"], "", {"BENCH_THREADS": str(threads),
                                        "BENCH_TOKENS": str(lines)})
    found.version += "; " + toolchain.taskflow_version(include)
    return found


def several(label, unit, make, counts):
    """The same program with 1 and 16 items in flight: its best one counts."""
    labels = [f"{label}, {n} {unit}{'s' if n > 1 else ''}" for n in counts]
    return {text: functools.partial(make, text, n)
            for text, n in zip(labels, counts)}


def edges_plain(folder, threads):
    return compiled(EDGES_PLAIN, folder / "edges-plain", toolchain.clang(),
                    CLANG_FLAGS, "edges-plain.c", [], "", {})


def edges_openmp(label, defines, folder, threads):
    toolchain.need_file("/usr/lib/llvm-22/lib/libomp.so", "libomp-22-dev")
    return compiled(label, folder / f"edges-openmp{''.join(defines)}",
                    toolchain.clang(),
                    [*CLANG_FLAGS, "-fopenmp=libomp", "-fno-rtlib-add-rpath",
                     *defines], "edges-plain.c", [], "libomp",
                    {"OMP_NUM_THREADS": str(threads),
                     "BENCH_THREADS": str(threads)})


def edges_pipeline(folder, threads):
    toolchain.need_file("/usr/include/oneapi/tbb/version.h", "libtbb-dev")
    return compiled(EDGES_PIPELINE, folder / "edges-onetbb",
                    toolchain.clang() + "++", ["-std=c++20", *CLANG_FLAGS],
                    "edges-onetbb.cpp", ["-ltbb"], "libtbb",
                    {"BENCH_THREADS": str(threads)})


LIMITS = (PLAIN, EDGES_PLAIN)  # one thread: shown beside, no opponents
TOKENS = [1, 16]
LIBRARIES = {**several("oneTBB parallel_pipeline", "token", onetbb, TOKENS),
             **several("Taskflow pipeline", "line", taskflow, TOKENS)}
STAGES = {PLAIN: plain, **LIBRARIES,
          FUTEX: functools.partial(by_hand, FUTEX, []),
          MUTEX: functools.partial(by_hand, MUTEX, ["-DCHANNEL_MUTEX"])}
EDGES = {EDGES_PLAIN: edges_plain,
         EDGES_FRAMES: functools.partial(edges_openmp, EDGES_FRAMES, []),
         EDGES_ROWS: functools.partial(edges_openmp, EDGES_ROWS,
                                       ["-DBY_ROWS"]),
         EDGES_PIPELINE: edges_pipeline}
