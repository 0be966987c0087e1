"""Writes a random leaf whose loops look for greatest and smallest numbers.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_extremes.py SEED FILE.c      prints sluice-codegen-test's options

Numbers are zeros of both signs, NaN, infinite and others. They are compared in
all ways, in some rounds only, beside sums, stores and each other, and begin as
any of them. The bits of the results count, unless they are NaN.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """typedef unsigned long u64;
static u32 bitsf(float x) {
  union { float x; u32 b; } u = {x};
  return x != x ? 7 : u.b;
}
static u32 bitsd(double x) {
  union { double x; u64 b; } u = {x};
  return x != x ? 7 : (u32)u.b ^ (u32)(u.b >> 32);
}
"""
ORDERS = ["{x} > {m}", "{x} > {m}", "{x} < {m}", "{m} < {x}", "{x} >= {m}",
          "{x} <= {m}", "!({x} <= {m})", "!({x} >= {m})", "!({m} < {x})"]


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        self.levels = [[self.r.randint(1, 12)]]

    def special(self, type):
        """One of the numbers that are not like others."""
        suffix = "f" if type == "float" else ""
        return self.r.choice(
            ["-0.0", "-0.0", "0.0", f"__builtin_nan{suffix}(\"\")", "1.0",
             f"__builtin_inf{suffix}()", f"-__builtin_inf{suffix}()", "-3.5"])

    def number(self, type, at):
        """What a round compares. Mostly 0 or less, or 0 or more, so that zeros
        are among the results."""
        r = self.r
        bits = f"ints[({at}) & 127]"
        plain = r.choice([f"({type})({bits} & 7)", f"-({type})({bits} & 3)",
                          f"({type})({bits} & 15) - 7", f"({type})({bits} & 1)",
                          f"({type}){bits} * 0.5f"])
        special = self.special(type)
        if special in ("0.0", "-0.0"):
            plain = (f"(({bits} & 24) == 0 ? ({type}){special} : {plain})")
        else:
            plain = f"(({bits} & 120) == 8 ? ({type}){special} : {plain})"
        suffix = "f" if type == "float" else ""
        return r.choice([plain, plain, f"{plain} * -1",
                         f"__builtin_fabs{suffix}({plain})"])

    def loop(self, number):
        r, e = self.r, self.emit
        kinds = [r.choice(["float", "float", "double"])
                 for _ in range(r.choice([1, 1, 2, 3]))]
        for k, type in enumerate(kinds):
            start = r.choice([self.special(type), self.special(type),
                              f"({type})m", f"-({type})(gid & 1)"])
            e(f"{type} v{number}{k} = {start};")
        bound = r.choice(["n", "n", "n", "61", "3", "n + (int)gid"])
        e(f"for (int j = 0; j < {bound}; ++j) {{")
        self.depth += 1
        for k, type in enumerate(kinds):
            x = f"x{k}"
            e(f"{type} {x} = {self.number(type, r.choice(['j', 'gid * 7 + j', 'j * 3']))};")
            order = r.choice(ORDERS).format(x=x, m=f"v{number}{k}")
            if r.random() < 0.3:
                order = r.choice(["(j & 1)", "ints[j & 127] > m", f"{x} < 2"]) + " && " + order
            e(f"if ({order}) v{number}{k} = {x};")
        more = r.random()
        if more < 0.2:
            e("sum += (u32)ints[j & 127];")
        elif more < 0.35:
            e(f"out[gid * 64 + (j & 63)] = {r.randint(1, 9)} + (u32)(x0 > 0);")
        elif more < 0.42:
            e("if (x0 > 1) where = j;")
        self.depth -= 1
        e("}")
        for k, type in enumerate(kinds):
            e(f"sum = sum * 31 + bits{type[0]}(v{number}{k});")

    def text(self):
        e = self.emit
        e("long gid = idx(node()); u32 sum = 1; int where = 0;")
        for number in range(self.r.randint(1, 2)):
            self.loop(number)
        e("out[gid * 64 + 63] = sum + (u32)where;")
        return self.function("int *ints, u32 *out, int n, int m")

    def options(self):
        r = self.r
        return " ".join([
            self.level_option(), f"-in=!i32[128],!i32[{self.total() * 64}],"
            f"{r.choice(['', '='])}{r.randint(0, 300)},{r.randint(0, 2)}",
            r.choice(["", "-lanes=0", "-lanes=0"]), *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
