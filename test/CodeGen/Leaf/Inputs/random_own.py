"""Writes a random leaf with a loop of its own around loops.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_own.py SEED FILE.c       prints sluice-codegen-test's options

Rounds of the loop are independent or not: they store to places that step on by
more or less than they access, at distances of up to nine elements from what they
load, through pointers that may lead to the same array, under conditions, in loops
inside, in counters of all widths, up and down. Some have arrays of their own and
hand numbers on to the next round.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f'#include "{HEADER}"\n' + """
static inline float tame_float(float v) { return v > -9e5f && v < 9e5f ? v : 3; }
static inline double tame_double(double v) { return v > -9e9 && v < 9e9 ? v : 5; }
#define tame(v) _Generic((v), float: tame_float, double: tame_double, \\
                         default: tame_whole)(v)
static inline unsigned long tame_whole(unsigned long v) { return v; }
"""
TYPES = {"float": "f32", "double": "f64", "unsigned": "i32",
         "unsigned long": "i64", "short": "i16", "unsigned char": "i8"}
REGION = 2048


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.type = r.choice(list(TYPES))
        self.n = r.choice([1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 64, 65, 70])
        self.m = r.randint(0, 9)
        self.counter = r.choice(["int", "long", "unsigned", "int"])
        self.arrays = ["a", "b", "c"]
        self.has_own = False
        self.written = []

    def distance(self):
        return self.r.choice([0, 0, 0, 0, self.r.randint(-9, 9)])

    def cast(self):
        return self.r.choice(["(long)", "(int)"] if self.counter == "unsigned"
                             else ["", "", "(long)"])

    def place(self, written=False):
        """Of an array, in terms of j, perhaps of k."""
        r = self.r
        if not written and self.written and r.random() < 0.5:
            array = r.choice(self.written)
        else:
            array = r.choice(self.arrays)
        if written:
            self.written.append(array)
        d = self.distance()
        if written:
            index = r.choice(["j"] * 8 + ["2 * j", "3 * j", "n - j", "j * m",
                                          "j & 31", "m", "idx(j)", "j / 2"])
        else:
            index = r.choice(["j"] * 6 + ["j + k", "k * n + j", "j * m + k",
                                          "k", "2 * j", "n - j", "j & 31",
                                          "(int)(c[k] & 63)" if self.type not in
                                          ("float", "double") else "j + m",
                                          "(short)j", "idx(j + k)", "3 * j"])
        index = index.replace("idx(", "(unsigned char)(")
        return f"{array}[{self.cast()}({index}) + {d}]"

    def number(self, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return r.choice([self.place(), self.place(), "(T)j", "(T)k", "(T)m",
                             "s", "(T)7"] + (["own[k & 3]"] if self.has_own
                                             else []))
        a, b = self.number(depth - 1), self.number(depth - 1)
        if r.random() < 0.2:
            return f"({self.condition()} ? {a} : {b})"
        return f"(T)({a} {r.choice('+-*')} {b})"

    def condition(self):
        r = self.r
        return r.choice([f"{self.number(0)} < {self.number(0)}",
                         f"(j & {r.choice([1, 3])}) == 0", "k < m", "j > 5",
                         f"{self.place()} > (T)20"])

    def inner(self, lines, depth):
        r = self.r
        pad = "  " * depth
        kind = r.random()
        limit = r.choice(["m", "m", "4", "3", "(j & 7)", "m + 2", "m + 1"])
        if kind < 0.7:
            lines.append(f"{pad}for ({self.counter} k = 0; k < {limit}; ++k) {{")
        else:
            lines.append(f"{pad}for ({self.counter} k = 0; k < 9 && "
                         f"{self.condition()}; ++k) {{")
        for _ in range(r.randint(1, 3)):
            kind = r.random()
            if kind < 0.75:
                lines.append(f"{pad}  s = tame((T)(s {r.choice('+-')} "
                             f"{self.number()}));")
            elif kind < 0.85 and self.has_own:
                lines.append(f"{pad}  own[{r.choice(['k & 3', '1'])}] = "
                             f"tame({self.number(1)});")
            elif kind < 0.95:
                lines.append(f"{pad}  {self.inside()} = tame({self.number(1)});")
            else:
                lines.append(f"{pad}  if ({self.condition()}) break;")
        lines.append(pad + "}")

    def inside(self):
        """Stored to in a loop inside."""
        array = self.r.choice(self.arrays)
        self.written.append(array)
        index = self.r.choice(["j * m + k", "j * m + k", "4 * j + k",
                               "k * n + j", "j + k",
                               "3 * j + k", "j"])
        return f"{array}[{self.cast()}({index}) + {self.distance()}]"

    def text(self):
        r = self.r
        lines = ["#undef T", f"#define T {self.type}",
                 f"void {self.name}(T *a, T *b, T *c, int n, int m, int far) {{",
                 f"  a += X * {REGION} + 64; b += X * {REGION} + 64; "
                 f"c += X * {REGION} + 64;"]
        kind = r.random()
        if kind < 0.3:
            lines.append("  if (far & 1) b = a + far;")
        elif kind < 0.5:
            lines.append(f"  b = a + {r.choice(['n', 'far', 'n * m', '9 * n'])};")
        if r.random() < 0.3:
            lines.append("  T carried = 1;")
            carries = True
        else:
            carries = False
        around = r.random() < 0.3
        if around:
            lines.append(f"  for ({self.counter} i = 0; i < 3; ++i) {{ a += i * far;")
        step = r.choice([1] * 8 + [2, 3])
        low = r.choice(["0", "0", "0", "1", "m"])
        if r.random() < 0.2 and self.counter != "unsigned":
            lines.append(f"  for ({self.counter} j = n - 1; j >= {low}; j -= {step}) {{")
        else:
            lines.append(f"  for ({self.counter} j = {low}; j < n; j += {step}) {{")
        self.has_own = r.random() < 0.25
        lines.append(f"    T s = {r.choice(['0', 'a[j]', 'b[j + 1]'])}; "
                     f"{self.counter} k = 1;")
        if self.has_own:
            lines.append("    T own[4] = {1, 2, (T)j};")
        if r.random() < 0.3:
            lines.append(f"    {self.place(True)} = tame({self.number(1)});")
        self.inner(lines, 2)
        if r.random() < 0.3:
            self.inner(lines, 2)
        for _ in range(r.randint(1, 2)):
            guard = f"if ({self.condition()}) " if r.random() < 0.3 else ""
            lines.append(f"    {guard}{self.place(True)} = "
                         f"tame((T)(s + {self.number(1)}));")
        if carries and r.random() < 0.4:
            lines.append(f"    carried = tame((T)(carried + {self.place()}));"
                         " c[j + 80] = carried;")
        lines.append("  }")
        if around:
            lines.append("  }")
        return "\n".join(lines + ["}", ""])

    def options(self):
        r = self.r
        kind = TYPES[self.type]
        instances = r.randint(1, 3)
        mark = r.choice(["!", "", ""])
        ports = ",".join([f"{mark if i != 'b' else ''}{kind}[{instances * REGION}]"
                          for i in "abc"])
        cpu = r.choice(["", "-cpu=x86-64-v3", "-cpu=x86-64-v4", "-cpu=x86-64"])
        far = r.choice([0, 1, 3, 7, 9, 33, 65, 127, 301])
        return (f"-levels=?{instances} -in={ports},{self.n},{self.m},"
                f"{far} -own-lanes={r.choice([0, 2, 4, 8, 8, 16])} {cpu} "
                f"-seed={r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
