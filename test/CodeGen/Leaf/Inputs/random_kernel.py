"""Writes a random leaf in C, free of races, and the options to run it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_kernel.py SEED FILE.c     prints sluice-codegen-test's options

Instances exchange values only through `shared`, one element each, written
before a barrier and read after it, with another barrier behind. Everything
else an instance writes is its own.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """int add(u32 *, int) __asm__("llvm.hpvm.atomic.add");
"""


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        for _ in range(r.choice([1, 2, 2, 2, 3])):
            dims = r.choice([0, 1, 1, 1, 2, 2, 3])
            self.levels.append([r.randint(1, 5) for _ in range(dims)])
        own = self.levels[-1]
        if not own:
            self.levels[-1] = own = [r.randint(1, 20)]
        if len(own) == 1:
            own[0] = r.choice([1, 3, 8, 17, 32, 33])
        self.has_barriers = r.random() < 0.75
        # Ids only as positions in the whole grid, which may fuse groups.
        self.is_flat = (not self.has_barriers and len(self.levels) > 1
                        and r.random() < 0.5)
        self.counter = 0

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def uniform(self):
        r = self.r
        return r.choice(
            ["n", "(u32)group", f"{r.randint(0, 9)}u", "u0", "u1", "(u32)size",
             "in[(u0 + n) & 63]"]
        )

    def uniform_condition(self):
        r = self.r
        return f"(({self.uniform()} + {r.randint(0, 5)}) & 3) {r.choice(['<', '>', '==', '!='])} {r.randint(0, 3)}"

    def atom(self):
        r = self.r
        return r.choice(
            ["v0", "v1", "v2", "v3", "(u32)lid", "(u32)gid", "(u32)x",
             f"private[{r.choice(['v0', 'v1', 'lid', 'u0', '3'])} & 7]",
             "in[(v2 + lid) & 63]", "out[gid * 4 + 1]", "(u32)(int)f0",
             self.uniform()]
        )

    def value(self, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.3:
            return self.atom()
        op = r.choice(["+", "-", "*", "^", "&", "|"])
        return f"({self.value(depth - 1)} {op} {self.value(depth - 1)})"

    def condition(self):
        r = self.r
        kind = r.random()
        if kind < 0.3:
            return f"x < {r.randint(0, 9)}"
        if kind < 0.4:
            return f"x > 0 && x < {r.randint(1, 12)}"
        if kind < 0.5:
            return f"lid < (long)({self.uniform()} & 15)"
        return f"({self.value(1)} & {r.choice([1, 3, 7])}) == {r.randint(0, 2)}"

    def simple(self):
        r = self.r
        kind = r.random()
        if kind < 0.35:
            self.emit(f"v{r.randint(0, 3)} = {self.value()};")
        elif kind < 0.5:
            self.emit(f"private[{self.value(1)} & 7] = {self.value()};")
        elif kind < 0.6:
            self.emit(f"out[gid * 4 + {r.randint(0, 3)}] = {self.value()};")
        elif kind < 0.7:
            self.emit(f"f0 = f0 * 0.5f + (float)({self.value(1)} & 255u);")
        elif kind < 0.8:
            self.emit(f"f1 = f0 * f1 * 0.001f + fin[(lid + u0) & 63];")
        elif kind < 0.9:
            self.emit(f"u{r.randint(0, 1)} = ({self.uniform()} + {self.uniform()}) & 15;"
                      if self.is_uniform else f"v3 += {self.value(1)};")
        else:
            self.emit(f"add(&hist[{self.value(1)} & 15], {r.randint(1, 3)});")

    def exchange(self):
        r = self.r
        self.emit(f"shared[gid] = {self.value()};")
        self.emit("barrier();")
        for _ in range(r.randint(1, 2)):
            shift = r.choice([f"lid + {r.randint(1, 5)}", "size - 1 - lid", "lid ^ 1", "u0"])
            self.emit(f"v{r.randint(0, 3)} += shared[base + ({shift}) % size];")
        if r.random() < 0.3:
            self.simple()
        self.emit("barrier();")

    def statement(self, budget):
        r = self.r
        kind = r.random()
        if budget == 0 or kind < 0.35:
            return self.simple()
        if kind < 0.55 and self.has_barriers and self.is_uniform:
            return self.exchange()
        if kind < 0.7:
            was = self.is_uniform
            uniform = r.random() < 0.5
            self.emit(f"if ({self.uniform_condition() if uniform else self.condition()}) {{")
            self.is_uniform = was and uniform
            self.block(budget - 1)
            if r.random() < 0.5:
                self.emit("} else {")
                self.block(budget - 1)
            self.is_uniform = was
            return self.emit("}")
        if kind < 0.9:
            was = self.is_uniform
            uniform = r.random() < 0.7
            i = self.fresh("i")
            bound = f"({self.uniform()} & 3)" if uniform else f"({self.value(1)} & 3)"
            end = self.fresh("e")
            self.emit(f"u32 {end} = {bound} + {r.randint(0, 2)};")
            if r.random() < 0.7:
                self.emit(f"for (u32 {i} = 0; {i} < {end}; ++{i}) {{")
                step = ""
            else:
                self.emit(f"u32 {i} = 0; do {{")
                step = f"}} while (++{i} < {end});"
            self.is_uniform = was and uniform
            self.depth += 1
            self.emit(f"v{r.randint(0, 3)} += {i} * {r.randint(1, 9)};")
            if uniform and r.random() < 0.3:
                self.emit(f"if ({self.uniform_condition()}) break;")
            self.depth -= 1
            self.block(budget - 1)
            self.is_uniform = was
            return self.emit(step or "}")
        return self.simple()

    def block(self, budget):
        self.depth += 1
        for _ in range(self.r.randint(1, 4)):
            self.statement(budget)
        self.depth -= 1

    def flat_ids(self, handles):
        """Positions along each axis, over the last two levels."""
        own, parent = handles[0], handles[1]
        for d in "xyz":
            cut = self.r.choice(["", "(int)"])
            self.emit(f"{'int' if cut else 'long'} p{d} = {cut}(id{d}({parent}) * "
                      f"num{d}({own}) + id{d}({own}));")
        self.emit("long x = px;")
        outer = "0"
        for h in reversed(handles[2:]):
            for d in "zyx":
                outer = f"({outer} * num{d}({h}) + id{d}({h}))"
        width = {d: f"(num{d}({parent}) * num{d}({own}))" for d in "xyz"}
        self.emit(f"gid = ((({outer} * {width['z']}) + pz) * {width['y']} + py)"
                  f" * {width['x']} + px;")
        self.emit("lid = py;")

    def text(self):
        r = self.r
        e = self.emit
        depth = len(self.levels)
        handle = "node()"
        e("long lid = 0, size = 1, base = 0, group = 0, gid;")
        handles = [handle]
        for _ in range(depth - 1):
            handles.append(f"parent({handles[-1]})")
        if self.is_flat:
            self.flat_ids(handles)
        else:
            e("long x = idx(node());")
        for level in range(depth):
            if self.is_flat:
                break
            self.add_position("lid" if level == depth - 1 else "group",
                              handles[depth - 1 - level])
        self.add_size("size")
        if not self.is_flat:
            e("base = group * size; gid = base + lid;")
        e("u32 v0 = lid, v1 = gid * 3, v2 = in[gid & 63], v3 = 1, u0 = n & 7, u1 = group & 15;")
        e("float f0 = fin[gid & 63], f1 = 1.0f;")
        e("u32 private[8];")
        e("for (int i = 0; i < 8; ++i) private[i] = i * v2;")
        self.is_uniform = True
        if r.random() < 0.3:
            e(f"if ({self.uniform_condition()}) return;")
        if r.random() < 0.3 and not self.has_barriers:
            e(f"if (!({self.condition()})) return;")
        for _ in range(r.randint(2, 6)):
            self.statement(3)
        e("out[gid * 4] = v0 ^ v1; out[gid * 4 + 2] = v2 + v3 + u0 + private[v0 & 7];")
        e("fout[gid] = f0 + f1;")
        signature = ("u32 *in, u32 *out, u32 *shared, u32 *hist, float *fin, "
                     "float *fout, u32 n")
        return self.function(signature)

    def options(self):
        r = self.r
        total = self.total()
        return " ".join([
            self.level_option(),
            f"-in=i32[64],i32[{4 * total}],i32[{total}],i32[16],f32[64],"
            f"f32[{total}],{r.choice(['', '='])}{r.randint(0, 9)}",
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
