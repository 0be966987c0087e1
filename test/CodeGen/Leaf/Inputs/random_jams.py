"""Writes a random leaf with loops around loops, and the options to run it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_jams.py SEED FILE.c      prints sluice-codegen-test's options

The inner loop updates a row, of the outer loop's round or always the same one,
from rows of other arrays and of its own, up or down, over all of it or a part.
Each instance has a matrix of its own. Several rows, of the matrix or of an array
on the stack where they may overlap, are updated together.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f'#include "{HEADER}"\n'
TYPES = {"float": "f32", "double": "f64", "unsigned": "i32",
         "unsigned long": "i64"}


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.type = r.choice(list(TYPES))
        self.size = r.choice([0, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16])
        self.counter = r.choice(["int", "long", "unsigned"])

    def loop(self, name, low="0"):
        r = self.r
        if low == "0" and r.random() < 0.25 and self.counter != "unsigned":
            return f"for ({self.counter} {name} = n - 1; {name} >= 0; --{name})"
        step = r.choice([1, 1, 1, 2, 3]) if name != "j" else 1
        more = f"{name} += {step}" if step > 1 else f"++{name}"
        return f"for ({self.counter} {name} = {low}; {name} < n; {more})"

    def row(self, name):
        """A row of the inner loop, or one of its elements."""
        r = self.r
        return r.choice([f"{name}[k * n + j]"] * 4 +
                        [f"{name}[k]", f"{name}[j]", f"{name}[j * n + k]",
                         f"{name}[k * n + k]", f"{name}[n + j]"])

    def several(self):
        """What the inner loop updates: rows of arrays a constant apart."""
        r = self.r
        apart = r.choice([1, 3, 4, 5, 8, 12, 16])
        rows = [f"s[{i * apart} + j]" for i in range(4)] + ["t[j]", "c[j]"]
        return r.sample(rows, r.randint(2, 5))

    def value(self, updated):
        r = self.r
        terms = [updated, self.row("a"), self.row("b")]
        if r.random() < 0.3:
            terms.append(self.row(r.choice(["a", "b", "c"])))
        if r.random() < 0.3:
            terms.append("(T)(k + 1)")
        if r.random() < 0.2:
            terms.append("factor")
        r.shuffle(terms)
        result = terms[0]
        for term in terms[1:]:
            result = f"({result} {r.choice('+-*')} {term})"
        if r.random() < 0.2:
            result = f"({terms[0]} < {terms[1]} ? {result} : {terms[-1]})"
        return result

    def text(self):
        r = self.r
        lines = ["#undef T", f"#define T {self.type}",
                 f"void {self.name}(T *c, T *a, T *b, long n) {{",
                 "  c += X * n * n;"]
        lines += ["  T s[64], t[16];",
                  "  for (int i = 0; i < 64; ++i) s[i] = a[i];",
                  "  for (int i = 0; i < 16; ++i) t[i] = b[i];"]
        nests = r.randint(1, 2)
        for _ in range(nests):
            around = r.random() < 0.4
            updated = r.choice(["c[j]"] * 4 + ["c[k * n + j]", "c[k]"])
            if around:
                lines.append("  " + self.loop("i"))
                updated = r.choice([updated, "c[i * n + j]"])
            low = r.choice(["0", "0", "0", "1", "k"])
            all_updated = self.several() if r.random() < 0.4 else [updated]
            lines += ["  " + self.loop("k") + " {",
                      f"    T factor = {r.choice(['a', 'b'])}[k];",
                      "    " + self.loop("j", low) + " {",
                      *(f"      {one} = {self.value(one)};"
                        for one in all_updated),
                      "    }",
                      "  }"]
        lines += ["  for (int i = 0; i < n * n; ++i)",
                  "    c[i] = c[i] * 3 + s[i & 63] - t[i & 15];"]
        return "\n".join(lines + ["}", ""])

    def options(self):
        kind = TYPES[self.type]
        mark = "!" if self.r.random() < 0.8 else ""
        ports = ",".join([f"{mark}{kind}[1100]"] * 3)
        return (f"-levels=?3 -in={ports},{self.size} -pieces=2 "
                f"-seed={self.r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
