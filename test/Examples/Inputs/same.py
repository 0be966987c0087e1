# Compares numbered files: same.py FOLDER NAME... fails unless the files
# NAME-0.pgm, NAME-1.pgm, ... are the same for all names and there are any.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys


def contents(folder, name):
    count = len(list(folder.glob(f"{name}-*")))
    return [(folder / f"{name}-{i}.pgm").read_bytes() for i in range(count)]


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    first = contents(folder, names[0])
    for name in names[1:]:
        if contents(folder, name) != first:
            sys.exit(f"'{name}' and '{names[0]}' differ")
    if len(set(first)) < 2:
        sys.exit(f"'{names[0]}' is always the same")


main()
