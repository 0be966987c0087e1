#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a program over regions on StarPU-MPI with Sluice on one machine.

  starpu_ranks.py --sluice PATH --clang DIR --include DIR [--ranks N,...]
                  [--bytes] [--fails] [--insertions] [--preload LIBRARY]
                  PROGRAM.mlir SOURCE... [-- ARGUMENT...]

Builds the C that is generated for StarPU-MPI and the C++ that is generated for
Sluice's own runtime with the same objects of the tasks, runs the first on so
many ranks under Open MPI, and the other alone, and compares what they print:
all of it must be equal. With --bytes both print a hash of all bytes of each
field in the end. Prints the output, and one line at the end. With --fails the
program on StarPU-MPI must end with an error instead, which is printed. With
--insertions nothing is compared: each rank prints how many tasks it has inserted.
"""

import os
import pathlib
import re
import sys

import starpu
from starpu import run

starpu.fail = lambda message: sys.exit(f"starpu-ranks: error: {message}")
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
          "--bind-to", "none", "-n"]
# Ranks that start at once with a common home read what another one is writing
# of the machine's buses, and abort.
OWN_HOME = ["sh", "-c", 'export XDG_CACHE_HOME="$STARPU_HOME/$OMPI_COMM_WORLD_RANK"'
            '; exec "$@"', "rank"]
INSERTIONS = (pathlib.Path(__file__).parents[2]
              / "test/CodeGen/StarPU/Ranks/Inputs/insertions.h")
TYPES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8}


def add_options(parser):
    parser.add_argument("--ranks", default="1,2,3")
    parser.add_argument("--bytes", action="store_true")
    parser.add_argument("--insertions", action="store_true")
    parser.add_argument("--preload", help="what counts messages")


def bytes_of(field):
    """Of a field of an element: "x : f64", "y : vector<4xf64>"."""
    count, kind = re.fullmatch(r"\w+\s*:\s*(?:vector<(\d+)x(\w+)>|\w+)",
                               field.strip()).groups()
    if kind:
        return int(count) * TYPES[kind]
    return TYPES[field.split(":")[1].strip()]


def roots_of(text):
    """Each root with the bytes of its fields' elements."""
    text = re.sub(r"//[^\n]*", "", text)
    return {name: [bytes_of(field) for field in fields.split(",")]
            for name, fields in re.findall(
                r"rdir\.root\s+@(\w+)\s*\[[^]]*\]\s*\{([^}]*)\}", text)}


def with_hashes(text):
    """The module with a graph that prints hashes in the end, and what its host
    statements call."""
    graph, functions = ["rdir.graph @hashes {"], [
        '#include "sluice-c/Tasks.h"', "#include <cinttypes>",
        "#include <cstdio>",
        "static void print(const char *name, const void *field, int64_t bytes,"
        " const SluiceDomain *all) {",
        "  uint64_t hash = 14695981039346656037u;",
        "  for (int d = 0; d < 3; ++d)",
        "    bytes *= all->extent[d];",
        "  for (int64_t i = 0; i < bytes; ++i)",
        "    hash = (hash ^ static_cast<const uint8_t *>(field)[i]) *"
        " 1099511628211u;",
        '  std::printf("%s: %016" PRIx64 "\\n", name, hash);', "}"]
    for root, fields in roots_of(text).items():
        graph += [f"  %{root} = rdir.region @{root} initial",
                  f"  rdir.host @hash_{root} reads(%{root})"]
        parameters = [f"const void *field{i}" for i in range(len(fields))]
        functions.append(f'extern "C" void hash_{root}(const SluiceTask *, '
                         + ", ".join(parameters)
                         + ", const SluiceDomain *all) {")
        functions += [f'  print("{root}.{i}", field{i}, {size}, all);'
                      for i, size in enumerate(fields)] + ["}"]
    return text + "\n".join(graph + ["}", ""]), "\n".join(functions + [""])


def add_hashes(options, folder):
    text, functions = with_hashes(options.program.read_text())
    options.program = folder / options.program.name
    options.program.write_text(text)
    (folder / "hashes.cpp").write_text(functions)
    options.sources = [*options.sources, folder / "hashes.cpp"]


def emit(options, folder, language, ending):
    path = folder / f"{options.program.stem}{ending}"
    run([options.sluice, "build", options.program, f"--emit={language}", "-o",
         path])
    return path


def pkg_config(*words):
    return run(["pkg-config", *words]).split()


def build(options, folder):
    """The program for StarPU-MPI, and that for Sluice's runtime."""
    programs = folder / "ranks", folder / "one"
    if programs[0].exists():
        return programs
    emit(options, folder, "header", ".rdir.h")
    mpi = pkg_config("--cflags", "ompi-c")
    if getattr(options, "insertions", False):
        mpi += ["-include", INSERTIONS]
    flags = ["-O2", "-I", folder, "-I", options.include]
    run([f"{options.clang}/clang", "-std=c11", "-Wall", "-Wextra", "-Werror",
         *flags, *pkg_config("--cflags", "starpumpi-1.3"), *mpi, "-c",
         emit(options, folder, "starpu-mpi", ".mpi.c"), "-o",
         folder / "ranks.o"])
    run([f"{options.clang}/clang++", "-std=c++20", *flags, "-c",
         emit(options, folder, "c++", ".rdir.cpp"), "-o", folder / "one.o"])
    objects = []
    for i, source in enumerate(options.sources):
        compiler = "clang" if source.suffix == ".c" else "clang++"
        objects.append(folder / f"source{i}.o")
        run([f"{options.clang}/{compiler}", *flags, "-c", source, "-o",
             objects[-1]])
    library = pathlib.Path(options.sluice).resolve().parent.parent / "lib"
    ours = ["-L", library, "-lSluiceRuntime", f"-Wl,-rpath,{library}"]
    run([f"{options.clang}/clang++", folder / "one.o", *objects, *ours, "-o",
         programs[1]])
    run([f"{options.clang}/clang++", folder / "ranks.o", *objects,
         *pkg_config("--libs", "starpumpi-1.3"), *pkg_config("--libs", "ompi-c"),
         "-lm", *ours, "-o", programs[0]])
    return programs


def environment(folder):
    """Ranks share the machine's processors."""
    return {**starpu.environment(folder, 1), "STARPU_MPI_NOBIND": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1"}


def run_ranks(program, ranks, arguments, folder, fails=False, preload=None):
    own = [*OWN_HOME, "env", f"LD_PRELOAD={preload}"] if preload else OWN_HOME
    return run([*MPIRUN, ranks, *own, program, *arguments],
               environment(folder), fails)


def check(found, expected, ranks):
    if not expected:
        starpu.fail("the program prints nothing that could be compared")
    if found == expected:
        return
    sys.stdout.write(found)
    starpu.fail(f"that is what {ranks} ranks print, but Sluice on one machine "
                f"prints\n{expected}")


def main():
    options = starpu.parse(sys.argv[1:], __doc__.splitlines()[0], add_options)
    options.tolerance = 0
    with starpu.folder_of(options) as folder:
        if options.bytes:
            add_hashes(options, folder)
        program, one = build(options, folder)
        ranks = options.ranks.split(",")
        if options.fails or options.insertions:
            sys.stdout.write(run_ranks(program, ranks[-1], options.arguments,
                                       folder, options.fails, options.preload))
            return
        expected = run([one, *options.arguments],
                       {**os.environ, "SLUICE_WORKERS": "1"})
        for number in ranks:
            check(run_ranks(program, number, options.arguments, folder),
                  expected, number)
    sys.stdout.write(expected)
    print("starpu-ranks: the same as Sluice")


if __name__ == "__main__":
    main()
