"""Writes a random leaf whose instances access a record several times, and the
options to run it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_records.py SEED FILE.c     prints sluice-codegen-test's options

Fields are written under conditions, read again and written again, also with an
index that data choose.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f'#include "{HEADER}"\n#undef T\n'
TYPES = {"int": "i32", "unsigned": "i32", "long": "i64", "short": "i16",
         "unsigned char": "i8"}
MOST = 400  # instances


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.type = r.choice(list(TYPES))
        self.fields = r.choice([2, 2, 2, 3, 4])
        self.count = r.choice([0, 7, 31, 64, 100, MOST, MOST])
        self.values = ["v", "w"]

    def value(self):
        r = self.r
        return (f"({r.choice(self.values)} {r.choice('+-^*&')} "
                f"{r.choice(self.values)})")

    def field(self):
        r = self.r
        index = (f"(({r.choice(self.values)}) & 1)" if r.random() < 0.05
                 else r.randrange(self.fields))
        return f"p[{index}]"

    def condition(self):
        r = self.r
        return f"{r.choice(self.values)} & {r.choice([1, 2, 3, 8])}"

    def statement(self, number):
        r = self.r
        kind = r.random()
        if kind < 0.2:
            return f"{self.field()} = {self.value()};"
        if kind < 0.45:
            return f"if ({self.condition()}) {self.field()} = {self.value()};"
        if kind < 0.6:
            return (f"if ({self.condition()}) {{ {self.field()} = {self.value()}; "
                    f"{self.field()} ^= {self.value()}; }}")
        if kind < 0.65:
            return f"out[i] = {self.value()};"
        line = f"T z{number} = {self.field()};"
        self.values.append(f"z{number}")
        return line

    def text(self):
        r = self.r
        i = r.choice(["idX(node())", "idX(node())",
                      "numX(node()) - 1 - idX(node())"])
        lines = [f"#define T {self.type}",
                 f"void {self.name}(T *records, T *q, T *out) {{",
                 f"  long i = {i};",
                 f"  T *p = records + {self.fields} * i;",
                 "  T v = q[i], w = q[i + 1];"]
        lines += [f"  {self.statement(k)}" for k in range(r.randint(5, 9))]
        lines.append(f"  out[i] = {' ^ '.join(self.values)};")
        return "\n".join(lines + ["}", "#undef T", ""])

    def options(self):
        kind = TYPES[self.type]
        mark = "!" if self.r.random() < 0.9 else ""
        ports = ",".join([f"{mark}{kind}[{self.fields * MOST}]",
                          f"{mark}{kind}[{MOST + 1}]", f"{mark}{kind}[{MOST}]"])
        return (f"-levels=?{self.count} -in={ports} -pieces=2 "
                f"-seed={self.r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
