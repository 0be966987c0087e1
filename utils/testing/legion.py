#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what Sluice generates for Legion from a program over regions.

  legion.py --sluice PATH --clang DIR --include DIR [--tolerance X] [--cpus N]
            [--way WAY] [--fails] PROGRAM.mlir SOURCE... [-- ARGUMENT...]

Generates the program in three ways, or one of them: "plain"; "traced", with
static traces; and "bare", without epochs and without marks on independent
requirements.

Where the environment variable Legion_DIR names an installation of Legion, or
the folder of its CMake files, each is compiled with the sources of the tasks
and run, and what it prints is compared, word by word, with what `sluice run`
prints; numbers with a point may differ by the tolerance, relative to their
size. With --fails each must end with an error instead, which is printed.

Elsewhere the syntax of each is checked against the declarations in
test/CodeGen/Legion/Inputs/stub. The last line says which of the two was done.
"""

import os
import pathlib
import sys
import tempfile

import starpu
from starpu import compare, run

WAYS = {
    "plain": [],
    "traced": ["--legion-static-traces"],
    "bare": ["--legion-no-must-epochs",
             "--legion-no-independent-requirements"],
}
starpu.fail = lambda message: sys.exit(f"legion: error: {message}")
STUB = pathlib.Path(__file__).parents[2] / "test/CodeGen/Legion/Inputs/stub"


def add_options(parser):
    parser.add_argument("--cpus", type=int, default=2,
                        help="processors of Legion; epochs need one per task")
    parser.add_argument("--way", choices=WAYS)


def installation():
    """The prefix of Legion, or None."""
    if not os.environ.get("Legion_DIR"):
        return None
    given = pathlib.Path(os.environ["Legion_DIR"])
    for prefix in (given, *given.parents):
        if (prefix / "include/legion.h").exists():
            return prefix
    sys.exit(f"legion: error: Legion_DIR is '{given}', but neither it nor a "
             "folder above it has include/legion.h")


def generate(options, folder):
    """The generated sources, by way."""
    name = options.program.stem
    run([options.sluice, "build", options.program, "--emit=header", "-o",
         folder / f"{name}.rdir.h"])
    sources = {}
    for way, flags in WAYS.items():
        if options.way and way != options.way:
            continue
        sources[way] = folder / f"{way}.cpp"
        run([options.sluice, "build", options.program, "--emit=legion", *flags,
             "-o", sources[way]])
    return sources


def check_syntax(options, sources):
    for source in sources.values():
        run([f"{options.clang}/clang++", "-std=c++17", "-fsyntax-only", "-Wall",
             "-Wextra", "-Werror", "-I", STUB, "-I", options.include, source])
    print("legion: the syntax is right, by our declarations")


def build(options, prefix, folder, sources):
    """The programs, by way; equal sources are compiled once."""
    flags = ["-O1", "-I", folder, "-I", options.include]
    objects = []
    for i, source in enumerate(options.sources):
        compiler = "clang" if source.suffix == ".c" else "clang++"
        objects.append(folder / f"source{i}.o")
        run([f"{options.clang}/{compiler}", *flags, "-c", source, "-o",
             objects[-1]])
    programs, known = {}, {}
    for way, source in sources.items():
        text = source.read_text()
        if text not in known:
            known[text] = folder / way
            run([f"{options.clang}/clang++", "-std=c++17", *flags, "-isystem",
                 prefix / "include", source, *objects, "-L", prefix / "lib",
                 f"-Wl,-rpath,{prefix / 'lib'}", "-llegion", "-lrealm",
                 "-lpthread", "-ldl", "-o", known[text]])
        programs[way] = known[text]
    return programs


def output_of(options, program):
    """Without what Realm says about processors it cannot have for itself."""
    found = run([program, *options.arguments, "-ll:cpu", options.cpus],
                fails=options.fails)
    return "".join(line for line in found.splitlines(keepends=True)
                   if "{threads}" not in line)


def check_programs(options, programs):
    if options.fails:
        for program in programs.values():
            sys.stdout.write(output_of(options, program))
        return
    expected = run([options.sluice, "run", options.program, *options.sources,
                    *options.dashes, *options.arguments])
    for way, program in programs.items():
        compare(output_of(options, program), expected, options.tolerance,
                f"{options.cpus} ({way})")
    sys.stdout.write(expected)
    print("legion: the same as Sluice")


def main():
    options = starpu.parse(sys.argv[1:], __doc__.splitlines()[0], add_options)
    prefix = installation()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sources = generate(options, folder)
        if prefix:
            check_programs(options, build(options, prefix, folder, sources))
        else:
            check_syntax(options, sources)


if __name__ == "__main__":
    main()
