"""Checks kernels whose labels are known, and compares the verdicts.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    labelled_kernels.py KERNELS FOLDER

Prints each verdict that differs from what KERNELS says, then a summary.
"""

import pathlib
import subprocess
import sys

PARAMETERS = "int *a, size_t aB, int *b, size_t bB, int *c, size_t cB, long k, long n"
START = """  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, c, 3, a, b, c);"""


def kernels(text):
    """(name, words behind the name, lines before the leaf, lines of the leaf)."""
    for part in text.split("\n== ")[1:]:
        head, *lines = part.splitlines()
        name, *words = head.split()
        yield (name, words, [line[2:] for line in lines if line.startswith("> ")],
               [line for line in lines if not line.startswith("> ")])


def source(words, before, body):
    extent = next((word.removeprefix("extent=") for word in words
                   if word.startswith("extent=")), "n")
    dimensions = 2 if "two-dimensional" in words else 1
    extents = ", ".join([f"(size_t){extent}"] * dimensions)
    other = "  long y = __hpvm__getNodeInstanceID_y(self);" if dimensions == 2 else ""
    return "\n".join([
        "#include <hpvm.h>", "#include <stdio.h>", "#include <stdlib.h>",
        "#include <string.h>", *before, f"void leaf({PARAMETERS}) {{", START,
        "  void *self = __hpvm__getNode();",
        "  long x = __hpvm__getNodeInstanceID_x(self);", other, *body, "}",
        f"void root({PARAMETERS}) {{", START,
        f"  void *node = __hpvm__createNodeND({dimensions}, leaf, {extents});",
        "  for (int i = 0; i < 8; ++i)", "    __hpvm__bindIn(node, i, i, 0);",
        "}", ""])


def verdict(path):
    done = subprocess.run(["sluice", "check", path], text=True, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 1 and "[race]" in done.stderr:
        return "racy"
    if done.returncode == 0 and any(
            line.startswith(("proven free", "free of races if"))
            for line in done.stdout.splitlines()):
        return "free"
    if done.returncode == 0:
        return "undecided"
    return "error: " + done.stderr


def main():
    table, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    counts = {"decided": 0, "undecided": 0, "wrong": 0}
    for name, words, before, body in kernels(table.read_text()):
        path = folder / f"{name}.c"
        path.write_text(source(words, before, body))
        found = verdict(path)
        expected = "undecided" if "undecided" in words else words[0]
        if found != expected:
            print(f"{name}: {found}, expected {expected}")
        if found == "undecided":
            counts["undecided"] += 1
        else:
            counts["decided" if found == words[0] else "wrong"] += 1
    print(", ".join(f"{number} {what}" for what, number in counts.items()))


if __name__ == "__main__":
    main()
