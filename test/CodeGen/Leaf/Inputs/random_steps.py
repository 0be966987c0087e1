"""Writes a random leaf whose instances all go the same way.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_steps.py SEED FILE.c     prints sluice-codegen-test's options

Loops and conditions over what all instances share, sums, minima and products of
rows of their own and of rows that they share, and elements that they write on
the way and read again.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f"""#include "{HEADER}"
static inline double clamp(double v) {{ return v >= 0 && v < 99 ? v : 7; }}
"""
TYPES = {"float": "f32", "double": "f64", "unsigned": "i32",
         "unsigned long": "i64", "unsigned char": "i8"}


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.types = [r.choice(list(TYPES)) for _ in range(3)]
        self.size = r.choice([0, 1, 2, 3, 5, 8, 9, 13])
        self.extent = r.choice([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 17, 31])
        self.id = r.choice(["int", "long", "unsigned"])
        self.real = r.choice(["float", "double"])
        self.layout = r.choice(["x * n + {}", "x * n + {}", "{} * size + x"])
        self.loops = 0
        self.lines = []

    def emit(self, depth, text):
        self.lines.append("  " * (depth + 1) + text)

    def own(self, names, counters):
        """An element that no other instance writes."""
        r = self.r
        j = r.choice(counters or ["0"])
        return f"{r.choice(names)}[{self.layout.format(j)}]"

    def read(self, counters):
        r = self.r
        j = r.choice(counters or ["0"])
        return r.choice([self.own(["a", "b", "out"], counters)] * 3 +
                        [f"b[{j}]", f"a[{j} * 2]", "b[x]", "a[x]", f"a[{j} + x]",
                         f"({self.real})(x + {j})", "(m + 1)"])

    def value(self, counters, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.3:
            return r.choice([self.read(counters), self.read(counters), "s0",
                             "s1", "w"])
        left, right = self.value(counters, depth - 1), self.read(counters)
        if r.random() < 0.15:
            return f"({left} < {right} ? {right} : {self.read(counters)})"
        return f"({left} {r.choice('+-*')} {right})"

    def statement(self, depth, counters):
        r = self.r
        kind = r.random()
        if kind < 0.45:
            name = r.choice(["s0", "s1"])
            how = r.choice(["{0} += {1};", "{0} = {0} * (T)0.5 + {1};",
                            "{0} = {0} < {1} ? {0} : ({2}){1};", "{0} = {1};"])
            self.emit(depth, how.replace("T", self.real).format(
                name, self.value(counters), self.real))
        elif kind < 0.55:
            self.emit(depth, f"w = w * 3 + (unsigned)(long){self.bounded(counters)};")
        elif kind < 0.7:
            place = self.own(["out"], counters)
            before = r.choice(["", f"{place} + "])
            value = self.value(counters, 1)
            self.emit(depth, f"{place} = clamp({before}{value});")
        elif kind < 0.85 or depth > 2:
            condition = r.choice(["n > 3", "m & 1", "m < 5"] +
                                 [f"{j} & 1" for j in counters] +
                                 [f"{j} < m" for j in counters])
            self.emit(depth, f"if ({condition}) {{")
            if depth < 4:
                self.statement(depth + 1, counters)
            if r.random() < 0.4:
                self.emit(depth, "} else {")
                self.emit(depth + 1, "s1 += s0;")
            self.emit(depth, "}")
        else:
            self.loop(depth, counters)

    def bounded(self, counters):
        return f"clamp({self.value(counters, 1)})"

    def loop(self, depth, counters):
        r = self.r
        name = f"j{self.loops}"
        self.loops += 1
        low = r.choice(["0", "0", "0"] + counters)
        head = r.choice([f"for (long {name} = {low}; {name} < n; ++{name}) {{",
                         f"for (int {name} = n - 1; {name} >= {low}; --{name}) {{",
                         f"for (long {name} = {low}; {name} < n; {name} += 2) {{"])
        self.emit(depth, head)
        for _ in range(r.randint(1, 3)):
            self.statement(depth + 1, counters + [name])
        self.emit(depth, "}")

    def text(self):
        r = self.r
        t, u, v = self.types
        for _ in range(r.randint(1, 3)):
            self.loop(0, [])
            if r.random() < 0.4:
                self.statement(0, [])
        return "\n".join([
            f"void {self.name}({t} *out, {u} *a, {v} *b, double *sums, long n, int m) {{",
            f"  {self.id} x = X; long size = SIZE; unsigned w = x;",
            f"  {self.real} s0 = x, s1 = 0;",
            *self.lines,
            "  sums[x * 2] = s0 < 1e6 && s0 > -1e6 ? s0 : 1.5;",
            "  sums[x * 2 + 1] = (s1 < 1e6 && s1 > -1e6 ? s1 : 2.5) + w;",
            "}", ""])

    def options(self):
        r = self.r
        length = max(self.size, 1) * self.extent + 3 * self.extent + 80
        ports = ",".join(f"{r.choice(['!', '!', ''])}{TYPES[kind]}[{length}]"
                         for kind in self.types)
        known = r.choice(["", "="])
        cpu = r.choice(["", "", "-cpu=x86-64", "-cpu=x86-64-v3",
                        "-cpu=x86-64-v4"])
        return (f"-levels={r.choice(['?', ''])}{self.extent} "
                f"-in={ports},!f64[{2 * self.extent}],{known}{self.size},"
                f"{r.randint(0, 9)} -lanes={r.choice([1, 1, 1, -1])} {cpu} "
                f"-pieces={r.randint(1, 3)} -seed={r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
