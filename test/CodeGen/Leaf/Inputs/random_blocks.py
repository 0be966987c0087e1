"""Writes a random leaf that takes its ids apart, and the options to run it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_blocks.py SEED FILE.c      prints sluice-codegen-test's options

Ids of both widths, signed and not, are divided, shifted and masked by constants
that divide each other or do not, once and again, before and after a shift by a
constant, an argument, or a condition, and with something added, so that some are
negative. What comes out addresses arrays, decides, bounds loops, and is stored.
Each instance writes elements of its own.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f"""#include "{HEADER}"
typedef unsigned u32;
typedef unsigned long u64;
"""
SIZES = [2, 2, 3, 4, 4, 5, 8, 8, 12, 16, 16, 32, 64, 64, 100, 128, 256, 1000,
         4096]


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.size = r.choice(SIZES)
        # What the leaf gets as an argument: `w` is `size`, or near it.
        self.isPower = r.random() < 0.6
        self.width = r.choice([self.size, self.size, self.size * 4,
                               self.size + r.randint(-1, 1)])
        if self.isPower:
            self.width = 1 << (self.width.bit_length() - 1)
        self.lines = []
        self.parts = []
        shape = r.choice(["line", "line", "line", "plane", "groups", "barrier"])
        if shape == "line":
            self.levels = [[r.choice([1, 7, 64, 1000, 4096,
                                      r.randint(0, 9000)])]]
        elif shape == "plane":
            self.levels = [[r.randint(1, 300), r.randint(1, 20)]]
        else:
            self.levels = [[r.randint(1, 40)], [r.choice([1, 16, 64, 200])]]
        self.barrier = shape == "barrier"

    def emit(self, line):
        self.lines.append("  " + line)

    def constant(self):
        r = self.r
        return r.choice([self.size, self.size, self.size * 2, self.size * 4,
                         r.choice(SIZES)])

    def part(self):
        """A new variable, made of an id."""
        r = self.r
        size = self.constant()
        power = 1 << (size.bit_length() - 1)
        shift = power.bit_length() - 1
        type = r.choice(["long", "long", "int", "u32", "u64"])
        id = r.choice(["i", "i", "i", "x", "(i + 3)", "(i * 5)", "(i - 70)",
                       "(i + (n & 63))", "(i - (long)(n & 63))"])
        id = f"({type}){id}"
        if r.random() < 0.3:
            id = r.choice([f"(({id}) << {r.randint(1, 4)})",
                           f"(({id}) << (w & 3))", f"(({id}) >> (w & 3))",
                           f"(i == w ? ({id}) * 2 : ({id}))",
                           f"(x < w ? ({id}) : ({id}) * 8)"])
        if self.parts and r.random() < 0.25:
            id = r.choice(self.parts)
        if r.random() < 0.4:
            sign = r.choice(["", "", "", "", "-"])
            text = r.choice([
                f"{id} % ({type})({sign}w)", f"{id} / ({type})({sign}w)",
                f"{id} & (w - 1)", f"{id} & -w", f"{id} & ~(w - 1)",
                f"{id} - ({id} & (w - 1))", f"(w - 1) & {id}", f"{id} & ~w",
                f"{id} / ({type})w * w + {id} % ({type})w",
                f"-{id} % ({type})w", f"-{id} & (w - 1)",
                f"w > 40 ? {id} / ({type})w : {id}",
                f"{id} % ({type})(w * 3) / ({type})w",
                f"({id} - {id} / ({type})(w * 5) * (w * 5)) / ({type})w"])
        else:
            text = r.choice([
                f"{id} % {size}", f"{id} / {size}", f"{id} & {power - 1}",
                f"{id} & -{power}", f"{id} >> {shift}",
                f"{id} - ({id} & {power - 1})", f"{id} / {size} * {size}",
                f"{id} / {size} % {r.choice(SIZES)}", f"{id} & {power // 2}",
                f"{id} % {size * 3} / {size}",
                f"({id} - {id} / {size * 9} * {size * 9}) / {size}",
                f"{id} % -{size}", f"-{id} % {size}", f"-{id} & {power - 1}"])
        name = f"p{len(self.parts)}"
        self.emit(f"{type} {name} = {text};")
        self.parts.append(name)
        return name

    def index(self):
        a, b = self.r.choice(self.parts), self.r.choice(self.parts)
        return "(" + self.r.choice([
            a, f"{a} + {b}", f"2 * {a} + {b}", f"{a} * 128 + {b}", "i",
            f"i + {a}", f"{a} ^ {b}", f"{a} + n"]) + ") & 8191"

    def value(self):
        r = self.r
        return r.choice([f"in[{self.index()}]", f"in[{self.index()}]",
                         f"(u32)({r.choice(self.parts)})", "n", "v"])

    def statement(self):
        r = self.r
        text = f"v {r.choice(['+=', '^=', '-='])} {self.value()};"
        how = r.random()
        if how < 0.2:
            text = f"if ({r.choice(self.parts)} {r.choice(['> 2', '& 1', '== 3'])}) {text}"
        elif how < 0.3:
            text = (f"for (u32 k = 0; k < ((u32){r.choice(self.parts)} & 7); "
                    f"++k) {{ v += k; {text} }}")
        elif how < 0.4:
            text = f"for (u32 k = 0; k < 5; ++k) v += in[({self.index()} + k) & 8191];"
        self.emit(text)

    def text(self):
        r = self.r
        self.emit("long x = X, i = " + ("GROUP * SIZE + X;"
                                        if len(self.levels) == 2 else
                                        "X + Y * SIZE;"))
        self.emit("u32 v = 1;")
        for _ in range(r.randint(1, 4)):
            self.part()
        for _ in range(r.randint(1, 4)):
            self.statement()
        if self.barrier:
            self.emit("barrier();")
            self.part()
            self.statement()
        self.emit("out[2 * i] = v;")
        power = 1 << (self.size.bit_length() - 1)
        if self.isPower and r.random() < 0.5:
            power = "w"
        self.emit(f"out[2 * (i - (i & ({power} - 1))) + 1 + 2 * (i % {power})] "
                  f"= {self.value()};")
        return (f"void {self.name}(u32 *in, u32 *out, u32 n, long w) {{\n"
                + "\n".join(self.lines) + "\n}\n")

    def options(self):
        r = self.r
        levels = ",".join("x".join(r.choice(["", "?"]) + str(extent)
                                   for extent in level)
                          for level in self.levels)
        alone = r.choice(["!", "!", ""])
        return (f"-levels={levels} -in={alone}i32[8192],{alone}i32[20000],"
                f"{r.randint(0, 5000)},{r.choice(['', '', '='])}"
                f"{max(self.width, 1)} -pieces={r.choice([1, 2, 5, 12])} "
                f"-seed={r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
