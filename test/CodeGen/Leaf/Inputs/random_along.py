"""Writes a random leaf whose loops go along rows, as those of transposes do.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_along.py SEED FILE.c     prints sluice-codegen-test's options

Instances have rows of their own in some arrays, and columns of their own in
others. Pointers lead to arrays of their own, to the same rows, or to what begins
where another array ends. Loops have constant lengths or not.
"""

import random

from random_leaf import main
from random_own import PRELUDE, TYPES

ROW = 48  # elements: 32 rounds, and shifts
COLUMN = 34  # the same of columns
COLUMNS = 80


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.type = r.choice(list(TYPES))
        self.rounds = r.choice([4, 5, 8, 15, 16, 17, 31, 32])
        self.instances = r.choice([1, 3, 7, 8, 15, 16, 17, 33, 64, 70])
        # What is read is written, too, in some.
        arrays = r.sample("abcd", 4)
        self.meets = r.random() < 0.4
        if self.meets:
            arrays = ["a", *r.sample("cd", 2), "b"]
        self.read = arrays[:r.randint(1, 3)]
        self.written = r.choice([arrays, arrays[3:], arrays[3:], arrays[2:]])

    def place(self, arrays):
        """Of a row, or of a column."""
        r, array = self.r, self.r.choice(arrays)
        if array in "ab":
            return (f"{array}[X * {ROW} + k + "
                    f"{r.choice([4, 4, 4, r.randint(0, 8)])}]")
        return (f"{array}[(k + {r.choice([0, 0, 0, r.randint(0, 2)])}) * "
                f"{COLUMNS} + X]")

    def number(self, depth):
        r = self.r
        if depth == 0 or r.random() < 0.4:
            return r.choice([self.place(self.read)] * 6 + ["(T)k", "(T)n", "s"])
        return (f"(T)({self.number(depth - 1)} {r.choice('+-*')} "
                f"{self.number(depth - 1)})")

    def text(self):
        r = self.r
        lines = ["#undef T", f"#define T {self.type}",
                 f"void {self.name}(T *a, T *b, T *c, T *d, int n, int far) {{"]
        kind = r.random()
        if self.meets:
            lines.append("  if (far & 1) b = a + far - 1;")
        elif kind < 0.3:
            lines.append("  if (far & 1) d = c;")
        elif kind < 0.6:
            lines.append(r.choice([f"  c = a + {self.instances * ROW};",
                                   f"  d = b; b += {COLUMN * COLUMNS};"]))
        lines.append("  T s = (T)X;")
        for _ in range(r.randint(1, 2)):
            limit = r.choice([str(self.rounds), "n", "n", "n"])
            lines.append(f"  for ({r.choice(['int', 'long'])} k = 0; "
                         f"k < {limit}; ++k) {{")
            for _ in range(r.choice([1, 1, 1, 2, 3])):
                target = (self.place(self.written) if r.random() < 0.8
                          else "s")
                lines.append(f"    {target} = tame({self.number(2)});")
            lines.append("  }")
        lines.append(f"  c[{COLUMN - 1} * {COLUMNS} + X] = s;")
        return "\n".join(lines + ["}", ""])

    def options(self):
        r = self.r
        kind = TYPES[self.type]
        size = 70 * ROW + COLUMN * COLUMNS
        mark = r.choice(["!", "", "", ""])
        ports = ",".join(f"{mark if i in 'ad' else ''}{kind}[{size}]"
                         for i in "abcd")
        cpu = r.choice(["", "-cpu=x86-64-v3", "-cpu=x86-64-v4", "-cpu=x86-64"])
        far = r.choice([0, 1, 3, 3, 5, 7, 2])
        return (f"-levels=?{self.instances} -in={ports},{self.rounds},{far} "
                f"-lanes={r.choice([0, 4, 8, 8, 16])} {cpu} "
                f"-seed={r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
