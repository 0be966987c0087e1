"""Writes a random leaf with local arrays in C, and the options to run it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_locals.py SEED FILE.c     prints sluice-codegen-test's options

The arrays live across barriers, across loops that are cut out of the loops
over instances, and across the rounds of loops with barriers, in grids of every
size from 0 on: larger and smaller than a tile, one to three dimensions, with
and without groups. An instance writes only what is its own.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """struct pair { char c; double d; };
"""


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        dims = r.choice([1, 1, 1, 2, 2, 3])
        largest = {1: 300, 2: 40, 3: 12}[dims]
        own = [r.choice([r.randint(0, largest), r.randint(1, 6), 1])
               for _ in range(dims)]
        self.levels = [own]
        if r.random() < 0.4:
            self.levels.insert(0, [r.randint(0, 5)
                                   for _ in range(r.randint(1, 2))])
        self.has_barriers = r.random() < 0.5
        self.arrays = []
        for i in range(r.randint(1, 3)):
            kind = r.choice(["float", "float", "double", "char", "u32",
                             "short", "struct pair"])
            length = r.choice([1, 3, 8, 33, 100, r.randint(1, 1500)])
            self.arrays.append((f"a{i}", kind, length))

    def element(self, index):
        name, kind, length = self.r.choice(self.arrays)
        field = self.r.choice([".d", ".c"]) if kind == "struct pair" else ""
        return f"{name}[({index}) % {length}u]{field}"

    def write(self, index):
        r = self.r
        what = r.choice(["in[(k * 3) & 63] & 15", "(gid + k) & 15",
                         "((u32)lid ^ k) & 7", "fin[k & 63]"])
        sign = r.choice(["=", "=", "+="])
        self.emit(f"{self.element(index)} {sign} {what};")

    def read(self, index):
        r = self.r
        if r.random() < 0.6:
            self.emit(f"f = f * 0.5f + (float){self.element(index)};")
        else:
            self.emit(f"v = v * 3 + (u32)(int){self.element(index)};")

    def index(self):
        return self.r.choice(["k", "k * 5", "k + n", "(u32)lid + k",
                              "in[k & 63]"])

    def loop(self, with_barrier):
        r = self.r
        self.emit(f"for (u32 k = 0; k < {r.choice(['n', 'n', 'n + 2', '20'])};"
                  " ++k) {")
        if r.random() < 0.4:
            self.emit("if (k == 0) {")
            self.write(self.index())
            self.emit("} else {")
            self.read(self.index())
            self.emit("}")
        for _ in range(r.randint(1, 3)):
            r.choice([self.write, self.read])(self.index())
        if with_barrier:
            self.emit("barrier();")
            if r.random() < 0.5:
                self.read(self.index())
        self.emit("}")

    def text(self):
        r, e = self.r, self.emit
        e("long lid = 0, size = 1, group = 0;")
        self.add_position("lid", "node()")
        self.add_size("size")
        if len(self.levels) > 1:
            self.add_position("group", "parent(node())")
        e("long gid = group * size + lid; u32 v = 1; float f = 1.0f;")
        for name, kind, length in self.arrays:
            e(f"{kind} {name}[{length}];")
            e(f"for (u32 i = 0; i < {length}u; ++i) "
              + (f"{{ {name}[i].c = i; {name}[i].d = gid; }}"
                 if kind == "struct pair" else f"{name}[i] = (i + gid) & 63;"))
        for _ in range(r.randint(2, 4)):
            self.loop(self.has_barriers and r.random() < 0.6)
            if self.has_barriers and r.random() < 0.4:
                e("barrier();")
        for name, kind, length in self.arrays:
            field = ".d" if kind == "struct pair" else ""
            e(f"for (u32 i = 0; i < {length}u; ++i) "
              f"v = v * 31 + (u32)(int){name}[i]{field};")
        e("out[gid] = v; fout[gid] = f;")
        signature = "u32 *in, u32 *out, float *fin, float *fout, u32 n"
        return self.function(signature)

    def options(self):
        r = self.r
        total = max(self.total(), 1)
        return " ".join([
            self.level_option(),
            f"-in=i32[64],i32[{total}],f32[64],f32[{total}],"
            f"{r.choice(['', '='])}{r.randint(0, 70)}",
            f"-vector-bits={r.choice([128, 256, 512])}",
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
