"""Writes a random leaf with loops whose loads many rows share.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_panels.py SEED FILE.c    prints sluice-codegen-test's options

One or two sums over one loop or two, of one factor that depends on the row and
others that do not, of all types, along all strides, some chosen by an array;
with branches, early stores and scaled results now and then. Sizes of 0, 1 and
more, tiles that fit and that do not.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + "typedef unsigned long u64;\n"
# C leaves undefined when signed numbers overflow, and what numbers too large
# for a type become.
WHOLE = {"u32": "i32", "u64": "i64", "unsigned char": "i8"}
TYPES = {"float": "f32", "double": "f64", **WHOLE}


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        width = r.choice([r.randint(1, 20), 64, r.randint(60, 200), 130, 256])
        height = r.choice([r.randint(1, 12), 32, r.randint(30, 80), 33, 64])
        own = [width, height] + ([r.randint(1, 3)] if r.random() < 0.25 else [])
        self.levels = [own]
        if r.random() < 0.2:
            self.levels = [[r.randint(1, 3), r.randint(1, 2)],
                           [min(width, 40), min(height, 40)]]
        self.rounds = r.choice([0, 1, 2, r.randint(3, 40), r.randint(9, 90)])
        self.inner = r.choice([0, 1, 2, 3, 12])
        self.kind = r.choice(list(TYPES))
        self.other = r.choice([self.kind, *(
            WHOLE if self.kind in WHOLE else TYPES)])
        self.index = r.choice(["long", "long", "int"])

    def shared(self, array):
        """An element that does not depend on the row, most of the time."""
        r = self.r
        at = r.choice(["k * w + x", "x * s + k", "k * w + w - 1 - x", "k + x",
                       "k * 2 * w + 2 * x", "x * 3 + k * 5", "(k * 7 + x * 5)",
                       "(u32)rows[k & 63] * w + x", "k", "x", "k * w + x + y",
                       "z * 100 + k * w + x"])
        return f"{array}[(u64)({at}) % 4096]"

    def own(self):
        r = self.r
        at = r.choice(["y * s + k", "k * h + y", "y", "y * w + x"])
        return f"a[(u64)({at}) % 4096]"

    def term(self):
        r = self.r
        product = f"{self.own()} * {self.shared('b')}"
        kind = r.random()
        if kind < 0.25:
            product = f"{product} + {self.shared('c')}"
        elif kind < 0.35:
            product = f"{self.shared('b')} * {self.shared('c')}"
        elif kind < 0.45:
            product = f"({self.own()} - {self.shared('b')}) * {self.shared('b')}"
        elif kind < 0.5:
            product = f"(u32)(x + y) * {self.shared('b')}"
        return product

    def loop(self, name):
        r, e = self.r, self.emit
        is_nested = r.random() < 0.3
        e(f"for ({self.index} i = 0; i < n; ++i) {{")
        self.depth += 1
        e(f"{self.index} k = i;")
        if is_nested:
            e(f"for ({self.index} j = 0; j < m; ++j) {{ k = i * m + j;")
        condition = r.random()
        guard = ""
        if condition < 0.1:
            guard = f"if ({self.own()} > 0) "
        elif condition < 0.15:
            guard = f"if ({self.shared('b')} > 0) "
        e(f"{guard}{name} += {self.term()};")
        if r.random() < 0.2:
            e(f"{name} -= {self.term()};")
        if r.random() < 0.05:
            e(f"out[gid] += {name};")
        if is_nested:
            e("}")
        self.depth -= 1
        e("}")

    def text(self):
        r, e = self.r, self.emit
        e("long lid = 0, gid = 0, size = 1;")
        self.add_position("lid", "node()")
        if len(self.levels) > 1:
            self.add_position("gid", "parent(node())")
        self.add_size("size")
        e("gid = gid * size + lid;")
        e(f"{self.index} x = idx(node()), y = idy(node()), z = idz(node());")
        e(f"{self.index} w = numx(node()), h = numy(node()), s = n;")
        e(f"{self.kind} sum = {r.choice(['0', '1', 'out[gid]'])}, more = 0;")
        if r.random() < 0.1:
            e("out[gid] = 3;")
        is_rare = r.random() < 0.1
        if is_rare:
            e("if (m > 2) {")
        self.loop("sum")
        if is_rare:
            e("}")
        if r.random() < 0.3:
            self.loop(r.choice(["more", "sum"]))
        e(r.choice(["out[gid] = sum + more;", "out[gid] += sum * 2 - more;",
                    "out[gid] = sum > more ? sum : more;"]))
        return self.function(
            f"{self.kind} *a, {self.other} *b, {self.kind} *c, int *rows, "
            f"{self.kind} *out, int n, int m")

    def options(self):
        r = self.r
        code, other = TYPES[self.kind], TYPES[self.other]
        cpu = r.choice(["", "", "-cpu=x86-64 -vector-bits=128",
                        "-cpu=x86-64-v3 -vector-bits=256", "-cpu=x86-64-v4"])
        return " ".join([
            self.level_option(),
            f"-in={code}[4096],{other}[4096],{code}[4096],i32[64],"
            f"{code}[{self.total()}],{r.choice(['', '='])}{self.rounds},"
            f"{self.inner}", cpu,
            f"-lanes={r.choice([-1, -1, 0])}", *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
