#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a program over regions on StarPU with Sluice's own runtime.

  starpu.py --sluice PATH --clang DIR --include DIR [--tolerance X]
            [--fails] PROGRAM.mlir SOURCE... [-- ARGUMENT...]

Builds the generated C with the sources of the tasks, runs it on one, two and
three workers, and compares what it prints, word by word, with what `sluice run`
prints. Numbers with a point may differ by the tolerance, relative to their
size: StarPU folds what its workers reduced in an order of its own. Prints the
output, and one line at the end. With --fails the program on StarPU must end
with an error instead, which is printed.
"""

import argparse
import contextlib
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

SECONDS = 600


def fail(message):
    sys.exit(f"starpu: error: {message}")


def parse(arguments, description, add_options):
    """The options that all such tools have, and those that are added; behind
    "--" come the program's arguments."""
    own, dashes, rest = arguments, [], []
    if "--" in arguments:
        at = arguments.index("--")
        own, dashes, rest = arguments[:at], ["--"], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--clang", required=True, help="folder of clang")
    parser.add_argument("--include", required=True)
    parser.add_argument("--tolerance", type=float, default=0)
    add_options(parser)
    parser.add_argument("--fails", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    options = parser.parse_args(own)
    options.arguments, options.dashes = rest, dashes
    return options


def run(command, environment=None, fails=False):
    try:
        done = subprocess.run([str(word) for word in command],
                              capture_output=True, text=True, timeout=SECONDS,
                              env=environment)
    except subprocess.TimeoutExpired:
        fail(f"'{command[0]}' ran for more than {SECONDS} seconds")
    if fails and done.returncode > 0:
        return done.stdout + done.stderr
    if fails or done.returncode != 0:
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        fail(f"'{' '.join(str(word) for word in command)}' ended with status "
             f"{done.returncode}")
    return done.stdout


def pkg_config(option):
    return run(["pkg-config", option, "starpu-1.3"]).split()


@contextlib.contextmanager
def folder_of(options):
    """Where the program is built. A test that runs it several times builds it
    once: its cache is empty when it starts."""
    cache = os.environ.get("SLUICE_CACHE_DIR")
    if not cache:
        with tempfile.TemporaryDirectory() as name:
            yield pathlib.Path(name)
        return
    content = hashlib.sha256()
    for path in (options.program, *options.sources):
        content.update(path.read_bytes() + b"\0")
    folder = pathlib.Path(cache, f"starpu-{content.hexdigest()}")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def build(options, folder):
    if (folder / "program").exists():
        return folder / "program"
    name = options.program.stem
    run([options.sluice, "build", options.program, "--emit=header", "-o",
         folder / f"{name}.rdir.h"])
    run([options.sluice, "build", options.program, "--emit=starpu", "-o",
         folder / f"{name}.starpu.c"])
    flags = ["-O2", "-I", folder, "-I", options.include]
    objects = [folder / "program.o"]
    run([f"{options.clang}/clang", "-std=c11", "-Wall", "-Wextra", "-Werror",
         *flags, *pkg_config("--cflags"), "-c", folder / f"{name}.starpu.c",
         "-o", objects[0]])
    for i, source in enumerate(options.sources):
        compiler = "clang" if source.suffix == ".c" else "clang++"
        objects.append(folder / f"source{i}.o")
        run([f"{options.clang}/{compiler}", *flags, "-c", source, "-o",
             objects[-1]])
    library = pathlib.Path(options.sluice).resolve().parent.parent / "lib"
    run([f"{options.clang}/clang++", *objects, *pkg_config("--libs"), "-lm",
         "-L", library, "-lSluiceRuntime", f"-Wl,-rpath,{library}",
         "-o", folder / "program"])
    return folder / "program"


def environment(folder, workers):
    """StarPU keeps what it learns about the machine in its home."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {**os.environ, "STARPU_NCPU": str(workers), "STARPU_SILENT": "1",
            "STARPU_HOME": str(home), "HOME": str(home),
            "XDG_CACHE_HOME": str(home), "STARPU_CALIBRATE": "0",
            "STARPU_WORKERS_NOBIND": "1"}


def is_close(word, expected, tolerance):
    if word == expected:
        return True
    if not tolerance or not any(c in expected for c in ".e"):
        return False
    try:
        a, b = float(word.strip("(),:;")), float(expected.strip("(),:;"))
    except ValueError:
        return False
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def compare(found, expected, tolerance, workers):
    found_lines, expected_lines = found.splitlines(), expected.splitlines()
    if not expected_lines:
        fail("Sluice prints nothing that could be compared")
    if len(found_lines) != len(expected_lines):
        sys.stdout.write(found)
        fail(f"{len(found_lines)} lines with {workers} workers, but Sluice "
             f"prints {len(expected_lines)}")
    for number, (line, wanted) in enumerate(zip(found_lines, expected_lines)):
        words, others = line.split(), wanted.split()
        if len(words) != len(others) or not all(
                is_close(word, other, tolerance)
                for word, other in zip(words, others)):
            fail(f"line {number + 1} with {workers} workers is\n  {line}\n"
                 f"but Sluice prints\n  {wanted}")


def run_failing(options):
    with folder_of(options) as folder:
        sys.stdout.write(run([build(options, folder), *options.arguments],
                             environment(folder, 2), fails=True))


def main():
    options = parse(sys.argv[1:], __doc__.splitlines()[0],
                    lambda parser: parser.add_argument("--workers",
                                                       default="1,2,3"))
    if options.fails:
        run_failing(options)
        return
    expected = run([options.sluice, "run", options.program, *options.sources,
                    *options.dashes, *options.arguments])
    with folder_of(options) as folder:
        program = build(options, folder)
        for workers in options.workers.split(","):
            found = run([program, *options.arguments],
                        environment(folder, workers))
            compare(found, expected, options.tolerance, workers)
    sys.stdout.write(expected)
    print("starpu: the same as Sluice")


if __name__ == "__main__":
    main()
