"""Writes a random leaf whose rounds carry a minimum or a maximum that they store.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_scans.py SEED FILE.c      prints sluice-codegen-test's options

Each instance fills rows of a table of its own, from the row above, from other
arrays, and from the element before, in a variable or in memory. Limits may be
any numbers of 32 bits: sums of what is chosen do not overflow.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f"""#include "{HEADER}"
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
"""


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.size = r.choice([0, 1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 40, 64, 65,
                              100, 520, 600, 1030])
        self.rows = r.randint(1, 3)
        self.choice = r.choice(["MIN", "MAX"])
        self.is_large = r.random() < 0.2  # the first value of a row
        self.in_memory = r.random() < 0.5
        self.type = "int" if r.random() < 0.9 else r.choice(
            ["short", "unsigned", "long"])

    def limit(self):
        r = self.r
        text = r.choice(["a[j]", "a[i * n + j]", "b[j]", "b[0]", "a[n + 1 - j]",
                         "above[j]", "above[j - 1]", "j"] +
                        (["row[j + 1]", "a[j * 2]"] if r.random() < 0.1 else []))
        if self.is_large or self.type != "int" or r.random() < 0.4:
            text = f"({text} & 1023)"
        if r.random() < 0.4:
            text = f"(int)((unsigned){text} + (a[j] != b[j]))"
        return text

    def value(self):
        """The next value of `x`: sums go away from what is chosen."""
        r = self.r
        sign = "+" if self.choice == "MIN" else "-"
        text = "x"
        if r.random() < 0.7:
            text = f"(x {sign} {r.choice([1, 1, 2, 5, 1000])})"
        for _ in range(r.randint(1, 3)):
            pair = [text, self.limit()]
            r.shuffle(pair)
            text = f"{self.choice}({pair[0]}, {pair[1]})"
            if r.random() < 0.2:
                text = f"({text} {sign} {r.randint(1, 3)})"
        if self.is_large:
            text = f"{self.choice}({text}, (a[j] & 1023))"
        return text

    def text(self):
        r = self.r
        first = "(a[i] & 1023)"
        if self.is_large:
            first = ("2147480000" if self.choice == "MIN" else "-2147480000")
        lines = [f"void {self.name}(int *c, int *a, int *b, long n) {{",
                 f"  c += X * {self.rows + 1} * (n + 2);",
                 f"  for (long i = 1; i <= {self.rows}; ++i) {{",
                 "    int *row = c + i * (n + 2), *above = row - (n + 2);"]
        end = r.choice(["n", "n", "n + 1"])
        loop = f"for ({r.choice(['long', 'int'])} j = 1; j <= {end}; ++j)"
        if self.in_memory:
            value = self.value().replace("x", "row[j - 1]")
            lines += [f"    row[0] = {first};",
                      f"    {loop}", f"      row[j] = {value};"]
        else:
            lines += [f"    {self.type} x = {first};", f"    {loop} {{",
                      f"      x = {self.value()};", "      row[j] = x;", "    }"]
            if r.random() < 0.5:
                lines.append("    row[0] = x;")
        return "\n".join(lines + ["  }", "}", ""])

    def options(self):
        mark = "!" if self.r.random() < 0.8 else ""
        ports = ",".join(f"{mark}i32[{size}]" for size in
                         [3 * 4 * (self.size + 4), 4 * (self.size + 4),
                          4 * (self.size + 4)])
        return (f"-levels=?3 -in={ports},{self.size} -pieces=2 "
                f"-seed={self.r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
