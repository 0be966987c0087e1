# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `bench apps`: how each is built and run."""

import functools
import os

from . import ours, peers, toolchain
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS

HERE = BENCH / "apps"

SERIAL = "serial clang"
OPENMP = (peers.OPENMP_CLANG, peers.OPENMP_GCC)
LIBMVEC = "OpenMP gcc, -ffast-math, libmvec"
LANES = "lanes by hand, OpenMP clang"
STRIPS = "fused strips by hand, OpenMP clang"
HALIDE = "Halide"
PIPELINE = "oneTBB parallel_pipeline"

# Both compilers' OpenMP, gcc's with its own runtime library.
LIBOMP = ["-fopenmp=libomp", "-fno-rtlib-add-rpath"]


def inputs_of(source):
    return [source, *source.parent.glob("*.h"), *HERE.glob("*.h"),
            *(BENCH / "common").glob("*.h")]


def compiled(label, app, source, kind, compiler, flags, libraries, library,
             environment, folder):
    """Builds one source of an application's folder."""
    path = HERE / app / source
    output = folder / "apps" / f"{app}-{kind}"
    toolchain.build(output, [compiler, *flags, path, *libraries, "-lm", "-o",
                             output], inputs_of(path))
    return peers.Peer(label, str(output), library, environment,
                      toolchain.first_line([compiler, "--version"]))


def serial(app, folder, threads):
    return compiled(SERIAL, app, "plain.c", "serial", toolchain.clang(),
                    CLANG_FLAGS, [], "", {}, folder)


def openmp_clang(app, folder, threads, label=peers.OPENMP_CLANG,
                 source="plain.c", kind="openmp-clang"):
    toolchain.need_file("/usr/lib/llvm-22/lib/libomp.so", "libomp-22-dev")
    return compiled(label, app, source, kind, toolchain.clang(),
                    [*CLANG_FLAGS, *LIBOMP], [], "libomp",
                    {"OMP_NUM_THREADS": str(threads)}, folder)


def openmp_gcc(app, folder, threads, label=peers.OPENMP_GCC, flags=(),
               kind="openmp-gcc"):
    return compiled(label, app, "plain.c", kind, toolchain.gcc(),
                    [*GCC_FLAGS, "-fopenmp", *flags], [], "libgomp",
                    {"OMP_NUM_THREADS": str(threads)}, folder)


def openblas(app, folder, threads):
    """By its own path, as in peers.py."""
    header = toolchain.need_file("/usr/include/*/openblas-pthread/cblas.h",
                                 "libopenblas-dev")
    library = toolchain.need_file("/usr/lib/*/openblas-pthread/libopenblas.so",
                                  "libopenblas-dev")
    return compiled(peers.OPENBLAS, app, "openblas.c", "openblas",
                    toolchain.gcc(),
                    [*GCC_FLAGS, "-I", os.path.dirname(header)],
                    [library, f"-Wl,-rpath,{os.path.dirname(library)}"],
                    "libopenblas", {"OPENBLAS_NUM_THREADS": str(threads)},
                    folder)


def halide(app, folder, threads):
    """Compiles its pipeline when it starts, for the machine it runs on."""
    toolchain.need_file("/usr/include/halide14/Halide.h", "libhalide14-0-dev")
    return compiled(HALIDE, app, "halide.cpp", "halide", toolchain.gxx(),
                    ["-std=c++17", *GCC_FLAGS, "-I", "/usr/include/halide14"],
                    ["-lHalide14"], "", {"HL_NUM_THREADS": str(threads)},
                    folder)


def pipeline(app, folder, threads):
    toolchain.need_file("/usr/include/oneapi/tbb/version.h", "libtbb-dev")
    return compiled(PIPELINE, app, "onetbb.cpp", "onetbb", toolchain.clangxx(),
                    ["-std=c++17", *CLANG_FLAGS], ["-ltbb"], "libtbb",
                    {"BENCH_THREADS": str(threads)}, folder)


PLAIN = {SERIAL: serial, peers.OPENMP_CLANG: openmp_clang,
         peers.OPENMP_GCC: openmp_gcc}
OTHERS = {
    LIBMVEC: functools.partial(openmp_gcc, label=LIBMVEC,
                               flags=("-ffast-math",), kind="libmvec"),
    LANES: functools.partial(openmp_clang, label=LANES, source="lanes.c",
                             kind="lanes"),
    STRIPS: functools.partial(openmp_clang, label=STRIPS, source="strips.c",
                              kind="strips"),
    HALIDE: halide, peers.OPENBLAS: openblas, PIPELINE: pipeline}
ALL = {**PLAIN, **OTHERS}


def makers(app, others):
    """What builds and starts the peers of an application, by label."""
    return {label: functools.partial(ALL[label], app)
            for label in (*PLAIN, *others)}


def sluice(compiler, app, folder):
    """The application's graphs; HPVM-C or Hetero-C++."""
    path = next(p for p in (HERE / app / "sluice.c", HERE / app / "sluice.cpp")
                if p.exists())
    output = folder / "apps" / f"{app}-sluice"
    command = [compiler, "build", "-O3", "-march=native", path, "-lm", "-o",
               output]
    return toolchain.build(output, command, [*inputs_of(path), compiler],
                           {**os.environ, **ours.environment(folder, 2)})
