#!/usr/bin/env python3
# Checks the headers that programs include: each compiles alone, and all of a folder
# in every version of the languages that they are for, by both compilers, without a
# warning.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   headers.py INCLUDE --llvm FOLDER [--only TEXT]

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
CXX = ["c++17", "c++20"]
# The installed headers (cmake/InstallSluice.cmake): the language versions that
# a header supports, its flags, and whether GCC accepts it too; programs with
# nodes are compiled by clang.
INSTALLED = [
    ("sluice-c/*.h", ["c11", "c17", *CXX], [], True),
    ("sluice/hpvm/*.h", CXX, ["-Isluice/hpvm"], False),
    ("sluice/Pack/*.h", ["c++20"], [], True),
    ("sluice/PackJIT/*.h", ["c++20"],
     ["-isystem", "/usr/lib/llvm-22/include"], True),
    ("sluice/TaskGraph.h", CXX, [], True),
    ("sluice/TaskGraph/*.h", CXX, ["-isystem", "/usr/include/halide14"], True),
    ("sluice/Base/Status.h", CXX, [], True),
    ("sluice/Halide/HalidePart.h", CXX, [], True),
]
# Headers that only the library itself includes; not installed.
OWN = {"sluice/TaskGraph/Import.h", "sluice/TaskGraph/Model.h"}


def compilations(llvm, include):
    """Each header alone, in the first of its versions by clang; all headers of a
    row together in every version, by every compiler."""
    for pattern, standards, flags, has_gcc in INSTALLED:
        names = [str(header.relative_to(include))
                 for header in sorted(include.glob(pattern))]
        names = [name for name in names if name not in OWN]
        compilers = [llvm / "clang", *(["gcc"] if has_gcc else [])]

        def command(compiler, standard):
            language = "c++" if "++" in standard else "c"
            return [compiler, f"-std={standard}", *WARNINGS, *flags, "-I.",
                    "-x", language, "-"]

        for name in names if len(names) > 1 else []:
            yield [name], command(compilers[0], standards[0])
        for standard in standards if names else []:
            for compiler in compilers:
                yield names, command(compiler, standard)


def compile_alone(task, include):
    names, command = task
    done = subprocess.run([str(word) for word in command], cwd=include,
                          text=True,
                          input="".join(f"#include <{n}>\n" for n in names),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ", ".join(names), command, done


def main():
    parser = argparse.ArgumentParser(description="compiles installed headers")
    parser.add_argument("include", type=pathlib.Path)
    parser.add_argument("--llvm", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="headers with this text")
    options = parser.parse_args()
    tasks = [(names, command)
             for names, command in compilations(options.llvm, options.include)
             if any(options.only in name for name in names)]
    problems = 0
    with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))) as pool:
        for name, command, done in pool.map(
                lambda task: compile_alone(task, options.include), tasks):
            if done.returncode:
                problems += 1
                print(f"{name}, {' '.join(map(str, command))}:\n{done.stdout}")
    print(f"{len(tasks)} compilations of headers, {problems} with problems")
    return 1 if problems or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
