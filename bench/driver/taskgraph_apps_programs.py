# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `bench taskgraph-apps`: how each is built and run."""

import functools
import os
import subprocess
import time

from . import ours, peers, toolchain
from .program import WrongResult
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS, ROOT, Missing

SERIAL = "C++ by hand"
TASKFLOW = "Taskflow"
ONETBB = "oneTBB flow graph"

STANDARD = "-std=c++20"
HERE = BENCH / "taskgraph-apps"
EXAMPLES = ROOT / "examples"
HALIDE_INCLUDE = "/usr/include/halide14"
GENERATOR_MAIN = "/usr/src/halide14/GenGen.cpp"
TARGET = "target=host-no_runtime"
RADAR = ["chirp", "echoes", "window", "compress", "refine", "taper", "project",
         "power", "peak", "decibels", "quantise"]
# Function, example, generator, parameters.
KERNELS = [
    ("halide_blur", "blur", "halide_blur", []),
    *[(f"radar_{name}", "radar", f"radar_{name}", []) for name in RADAR],
    ("radar_fourier256", "radar", "radar_fourier", ["size=256"]),
    ("radar_fourier1024", "radar", "radar_fourier",
     ["size=1024", "inverse=true"])]


def need_halide():
    toolchain.need_file(f"{HALIDE_INCLUDE}/Halide.h", "libhalide14-0-dev")


def library_folder():
    """Where libSluiceTaskGraph.so is, the release build first."""
    folders = [ROOT / "build/release/lib",
               *(path.parent for path in
                 ROOT.glob("build/*/lib/libSluiceTaskGraph.so"))]
    for folder in folders:
        if (folder / "libSluiceTaskGraph.so").exists():
            return folder
    raise Missing("'libSluiceTaskGraph.so' not found: ./dev build")


def meta_program(folder, name, sources, has_halide=True):
    """Builds a meta-program with its generators."""
    library = library_folder()
    halide = ["-I", HALIDE_INCLUDE, "-lHalide14"] if has_halide else []
    if has_halide:
        need_halide()
    output = folder / name
    inputs = [*sources, library / "libSluiceTaskGraph.so",
              *HERE.glob("*.h"), *EXAMPLES.glob("*/*.h")]
    return toolchain.build(
        output,
        [toolchain.gxx(), STANDARD, "-O2", "-I", ROOT / "include", *sources,
         *halide, "-L", library, "-lSluiceTaskGraph",
         f"-Wl,-rpath,{library}", "-o", output], inputs)


def radar_sources():
    return [EXAMPLES / "radar" / f"{name}.cpp"
            for name in ("graph", "plain", "generators")]


def sluice(folder, threads):
    """The graphs, run in the process that describes them."""
    program = meta_program(folder, "taskgraph-apps-sluice",
                           [HERE / "sluice.cpp", *radar_sources(),
                            EXAMPLES / "blur/generators.cpp"])
    return peers.Peer(ours.LABEL, str(program), "libSluice",
                      ours.environment(folder, threads),
                      toolchain.first_line([toolchain.gxx(), "--version"]))


class Command:
    """A command that is timed from its start to its end; otherwise like
    Program."""

    def __init__(self, name, command, environment, before=None):
        self.name, self.command, self.before = name, command, before
        self.environment = {**os.environ, **environment}

    def run(self):
        if self.before:
            self.before()
        start = time.perf_counter()
        done = subprocess.run([str(word) for word in self.command],
                              env=self.environment, capture_output=True,
                              text=True)
        seconds = time.perf_counter() - start
        if done.returncode:
            raise WrongResult(f"'{self.name}' ended with status "
                              f"{done.returncode}: {done.stderr.strip()}")
        return seconds

    def prepare(self, row):
        self.run()
        return 1.0

    def check(self):
        self.run()

    def has_children(self):
        return False

    def release(self):
        pass

    quit = release


def generator(folder, example):
    """The program that compiles an example's kernels, as Halide makes it."""
    need_halide()
    source = EXAMPLES / example / "generators.cpp"
    output = folder / f"generate-{example}"
    return toolchain.build(
        output,
        [toolchain.gxx(), "-std=c++17", "-O1", "-I", ROOT / "include", "-I",
         HALIDE_INCLUDE, source, GENERATOR_MAIN, "-lHalide14", "-ldl",
         "-pthread", "-o", output],
        [source, *(EXAMPLES / example).glob("*.h"),
         ROOT / "include/sluice/TaskGraph/Halide.h"])


def kernels(folder):
    """Objects of all kernels, and their headers beside them."""
    objects = []
    for function, example, name, parameters in KERNELS:
        program = generator(folder, example)
        output = folder / f"{function}.o"
        toolchain.build(output,
                        [program, "-g", name, "-f", function, "-o", folder,
                         "-e", "object,h", TARGET, *parameters], [program])
        objects.append(output)
    program = generator(folder, "blur")
    runtime = folder / "halide_runtime.o"
    toolchain.build(runtime, [program, "-r", "halide_runtime", "-o", folder,
                              "-e", "object", "target=host"], [program])
    source = HERE / "kernels.c"
    own = folder / "kernels.o"
    toolchain.build(own, [toolchain.clang(), *CLANG_FLAGS, "-c", source, "-o",
                          own], [source])
    return [*objects, runtime, own]


def by_hand(label, source, flags, libraries, library, folder, threads):
    """One of the programs that bring their own threads, or none."""
    folder = folder / "taskgraph-apps"
    folder.mkdir(parents=True, exist_ok=True)
    objects = kernels(folder)
    path = HERE / f"{source}.cpp"
    plain = EXAMPLES / "radar/plain.cpp"
    output = folder / source
    toolchain.build(output,
                    [toolchain.gxx(), STANDARD, *GCC_FLAGS, *flags, "-I",
                     folder, "-I", HALIDE_INCLUDE, path, plain, *objects,
                     *libraries, "-ldl", "-pthread", "-o", output],
                    [path, plain, *objects, *HERE.glob("*.h"),
                     BENCH / "common/harness.h", EXAMPLES / "radar/radar.h"])
    return peers.Peer(label, str(output), library,
                      {"BENCH_THREADS": str(threads)},
                      toolchain.first_line([toolchain.gxx(), "--version"]))


def taskflow(folder, threads):
    include = toolchain.taskflow()
    found = by_hand(TASKFLOW, "taskflow", ["-I", include], [], "", folder,
                    threads)
    found.version += "; " + toolchain.taskflow_version(include)
    return found


def onetbb(folder, threads):
    toolchain.need_file("/usr/include/oneapi/tbb/version.h", "libtbb-dev")
    return by_hand(ONETBB, "onetbb", [], ["-ltbb"], "libtbb", folder, threads)


ALL = {
    SERIAL: functools.partial(by_hand, SERIAL, "serial", [], [], ""),
    TASKFLOW: taskflow,
    ONETBB: onetbb,
}
