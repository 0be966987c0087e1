# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs random region programs, which compare what their roots hold
in the end with what their graphs mean.

usage: random_regions.py --sluice PATH --source FOLDER --folder FOLDER
                         [--count N] [--seed N]
                         [--text CLANG --library FOLDER] [--starpu CLANG]
                         [--ranks N,...]

Each program is built once, and runs with 1, 2 and 4 workers and by the readable
executor. With --text it is built by that clang++ from the C++ that is generated
for it and the runtime in the folder. With --starpu they are built by the clang
in that folder for StarPU instead, and run with 1, 2 and 3 workers. With --ranks
they run on these numbers of ranks as well, under Open MPI; with --starpu and
--ranks they are built for StarPU-MPI, and run on these numbers of ranks only.
SLUICE_RDIR_RANDOM asks for more programs, SLUICE_RDIR_SEED for others.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HEADERS = ["lib/RDIR/Testing/OracleNumbers.h", "lib/Driver/Testing/Leaf.h"]


def run(command, settings=None):
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **(settings or {})})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} {settings or ''}: status "
                 f"{done.returncode}\n{done.stdout}")
    return done.stdout


def check(program, parameter, settings):
    printed = run([program, f"--n={parameter}"], settings)
    if "as the graph means" not in printed:
        sys.exit(f"{program} does not compare: {printed}")


def check_ranks(program, parameter, ranks, workers):
    printed = run(["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
                   "--bind-to", "none", "-n", ranks, program,
                   f"--n={parameter}"], {"SLUICE_WORKERS": str(workers)})
    if "as the graph means" not in printed:
        sys.exit(f"{program} on {ranks} ranks does not compare: {printed}")


def build_from_text(options, path):
    for language, ending in ("header", "h"), ("c++", "cpp"):
        run([options.sluice, "build", f"{path}.mlir", f"--emit={language}",
             "-o", f"{path}.rdir.{ending}"])
    run([options.text, "-std=c++20", "-O1", "-I", options.source / "include",
         f"{path}.rdir.cpp", f"{path}.cpp", "-L", options.library,
         "-lSluiceRuntime", f"-Wl,-rpath,{options.library}", "-o", path])


def run_on_sluice(options, path, parameter):
    if options.text:
        build_from_text(options, path)
    else:
        run([options.sluice, "build", f"{path}.mlir", f"{path}.cpp", "-o", path])
        # Orders between points that the table states are compared, and tasks
        # access what they were given.
        checked = path.with_name(f"{path.name}-checked")
        run([options.sluice, "build", "--check", f"{path}.mlir", f"{path}.cpp",
             "-o", checked])
        check(checked, parameter, {"SLUICE_WORKERS": "2"})
    for workers in (1, 2, 4):
        check(path, parameter, {"SLUICE_WORKERS": str(workers)})
    check(path, parameter, {"SLUICE_EXECUTOR": "sequential"})
    for ranks in options.ranks.split(",") if options.ranks else ():
        for workers in (1, 2):
            check_ranks(path, parameter, ranks, workers)


def run_on_starpu(options, path, parameter):
    import starpu
    program = starpu.build(
        argparse.Namespace(sluice=options.sluice, clang=options.starpu,
                           include=options.source / "include",
                           program=path.with_suffix(".mlir"),
                           sources=[path.with_suffix(".cpp")]),
        options.folder)
    for workers in (1, 2, 3):
        check(program, parameter, starpu.environment(options.folder, workers))


def run_on_starpu_ranks(options, path, parameter):
    import starpu_ranks
    folder = options.folder / f"{path.name}-ranks"
    folder.mkdir()
    program, _ = starpu_ranks.build(
        argparse.Namespace(sluice=options.sluice, clang=options.starpu,
                           include=options.source / "include",
                           program=path.with_suffix(".mlir"),
                           sources=[path.with_suffix(".cpp")]),
        folder)
    for ranks in options.ranks.split(","):
        printed = starpu_ranks.run_ranks(program, ranks, [f"--n={parameter}"],
                                         folder)
        if "as the graph means" not in printed:
            sys.exit(f"{program} on {ranks} ranks does not compare: {printed}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--text", metavar="CLANG")
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--starpu", metavar="CLANG")
    parser.add_argument("--ranks", default="")
    options = parser.parse_args()
    sys.path.insert(0, str(options.source / "utils/testing"))
    count = os.environ.get("SLUICE_RDIR_RANDOM", options.count)
    seed = os.environ.get("SLUICE_RDIR_SEED", options.seed)
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    for header in HEADERS:
        shutil.copy(options.source / header, options.folder)
    made = run(["sluice-random-regions", options.folder, count, seed])
    programs = [line.split() for line in made.splitlines()]
    for name, parameter in programs:
        runner = run_on_sluice
        if options.starpu:
            runner = run_on_starpu_ranks if options.ranks else run_on_starpu
        runner(options, options.folder / name, parameter)
    print(f"{len(programs)} programs ran as their graphs mean")


if __name__ == "__main__":
    main()
