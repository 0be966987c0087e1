#!/usr/bin/env python3
# Compares what the shared libraries show with what those of the last release
# did: a program that was built then must run with the new ones.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   abi.py LIBRARIES LISTS [--update]
#
# LISTS has a file for each library, called like it: its SONAME, and a line for
# each symbol. A symbol that is gone is an error unless the SONAME is another
# one; a new symbol is told. The libraries for MPI are not among them: what they
# show is MPI's.

import argparse
import pathlib
import re
import subprocess
import sys


def readable(symbols):
    """The names as C++ writes them, where they are C++'s."""
    if not symbols:
        return []
    return subprocess.run(
        ["c++filt"], input="\n".join(symbols), check=True,
        capture_output=True, text=True,
    ).stdout.splitlines()


def dynamic_symbols(path):
    """Names, with versions, of what a shared object defines for others. Inline
    functions are not among them: programs have their own, and whether a library
    has one depends on how it was optimised; nor are lambdas, which have no name
    for others. Instances of templates are."""
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions", path],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    symbols, weak = set(), []
    for line in lines:
        _, kind, name = line.split(maxsplit=2)
        if kind == "W":
            weak.append(name)
        elif kind != "A":  # the versions themselves
            symbols.add(name)
    for name, text in zip(weak, readable(weak)):
        if "{lambda(" in text:
            continue
        # Names with concepts are too new for c++filt.
        if "<" in text.partition("(")[0] or text.startswith("_Z"):
            symbols.add(name)
    return symbols


def soname(path):
    text = subprocess.run(
        ["readelf", "-d", path], check=True, capture_output=True, text=True
    ).stdout
    found = re.search(r"\(SONAME\).*\[(.*)\]", text)
    return found[1] if found else ""


def libraries(folder):
    return sorted(
        path for path in folder.glob("libSluice*.so")
        if re.fullmatch(
            r"libSluice(Runtime|Pack|PackJIT|TaskGraph|Python|Halide)\.so",
            path.name)
    )


def update(folder, lists):
    lists.mkdir(parents=True, exist_ok=True)
    for path in libraries(folder):
        lines = [soname(path), *sorted(dynamic_symbols(path))]
        (lists / path.stem).write_text("\n".join(lines) + "\n")
        print(f"{path.name}: {len(lines) - 1} symbols")


def compare(path, old):
    """What a program that needs the old library would miss in the new one."""
    old_name, *old_symbols = old.read_text().splitlines()
    new_name, new_symbols = soname(path), dynamic_symbols(path)
    gone = sorted(set(old_symbols) - new_symbols)
    new = sorted(new_symbols - set(old_symbols))
    print(f"{path.name}: {len(new_symbols)} symbols, {len(new)} new, "
          f"{len(gone)} gone, {new_name}")
    if new_name != old_name:
        print(f"  was {old_name}: programs are built again")
        return []
    if not gone:
        return []
    return [f"{path.name}: {name} is gone, but its SONAME is still {new_name}"
            for name in readable(gone)]


def main():
    parser = argparse.ArgumentParser(
        description="compares the interfaces of libraries with a release's")
    parser.add_argument("libraries", type=pathlib.Path)
    parser.add_argument("lists", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if options.update:
        update(options.libraries, options.lists)
        return 0
    found = libraries(options.libraries)
    problems = []
    for old in sorted(options.lists.iterdir()):
        path = options.libraries / f"{old.name}.so"
        if path in found:
            problems += compare(path, old)
        else:
            problems.append(f"{path.name} is gone")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if problems:
        print("raise SLUICE_SOVERSION in cmake/SharedLibraries.cmake, and the "
              "names of the packages in debian/control", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
