"""Writes a random leaf with an innermost loop over a row, and the options to run
it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_rounds.py SEED FILE.c      prints sluice-codegen-test's options

Rounds wrap around or stop at the ends of the row, load from one of two rows, and
write planes of an array that lie apart or overlap, as sizes say.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f'#include "{HEADER}"\n'
TYPES = {"float": "f32", "double": "f64", "unsigned": "i32",
         "unsigned long": "i64"}
AREA = 1700  # elements of an instance


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.type = r.choice(list(TYPES))
        self.size = r.choice([0, 1, 2, 5, 8, 15, 16, 17, 31, 33, 40, 64, 70])
        self.apart = r.choice([0, 1, 3, 16, 40, self.size, self.size, 75, 76, 150])
        self.planes = r.choice([1, 1, 2, 3, 5, 9])

    def column(self):
        r = self.r
        return r.choice(["j", "j", "left", "right"])

    def place(self, name):
        r = self.r
        row = r.choice(["i", "i", "(i > 0 ? i - 1 : 2)", "(i + 1) % 3"])
        plane = r.choice(["", f" + {r.randint(0, self.planes - 1)} * m"])
        return f"{name}[{row} * w + {self.column()}{plane}]"

    def value(self):
        r = self.r
        terms = [self.place(r.choice("aab")) for _ in range(r.randint(1, 4))]
        if r.random() < 0.3:
            terms.append(self.place("c"))
        if r.random() < 0.4:
            terms.append(f"((long)b[i * w + j] & {r.choice([1, 3])} ? "
                         f"a[i * w + {self.column()}] : "
                         f"{r.choice('ab')}[i * w + m + {self.column()}])")
        result = terms[0]
        for term in terms[1:]:
            result = f"({result} {r.choice('+-*')} {term})"
        return result

    def text(self):
        r = self.r
        left = r.choice(["j == 0 ? n - 1 : j - 1", "j > 0 ? j - 1 : 0",
                         "j - 1 < 0 ? j - 1 + n : j - 1"])
        right = r.choice(["j + 1 >= n ? j + 1 - n : j + 1",
                          "j == n - 1 ? 0 : j + 1", "j < n - 1 ? j + 1 : j"])
        lines = ["#undef T", f"#define T {self.type}",
                 f"void {self.name}(T *c, T *a, T *b, long n, long m) {{",
                 f"  c += X * {AREA};", "  long w = n + 2;",
                 "  for (long i = 0; i < 3; ++i)",
                 f"    for (long j = {r.choice([0, 0, 0, 1])}; j < n; ++j) {{",
                 f"      long left = {left}, right = {right};"]
        if r.random() < 0.3:
            lines.append("      if ((long)b[i * w + j] & 1)\n        continue;")
        if r.random() < 0.3:
            lines.append(f"      T sum = {self.value()};")
            values = [f"(sum + {k})" for k in range(self.planes)]
        else:
            values = [self.value() for _ in range(self.planes)]
        twice = r.random() < 0.2
        for k, value in enumerate(values):
            lines.append(f"      c[i * w + {'2 * ' if twice else ''}j + "
                         f"{k} * m] = {value};")
        return "\n".join(lines + ["    }", "}", ""])

    def options(self):
        kind = TYPES[self.type]
        mark = "!" if self.r.random() < 0.7 else ""
        ports = ",".join([f"{mark}{kind}[{3 * AREA + 200}]",
                          f"{mark}{kind}[{AREA + 200}]",
                          f"{mark}{kind}[{AREA + 200}]"])
        return (f"-levels=?3 -in={ports},{self.size},{self.apart} -pieces=2 "
                f"-seed={self.r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
