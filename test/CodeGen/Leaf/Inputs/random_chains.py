"""Writes a random leaf whose loops carry minima, maxima and sums.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_chains.py SEED FILE.c      prints sluice-codegen-test's options

Values of 8 to 64 bits, with a sign and without, go from round to round through
minima, maxima, sums and differences, of what is loaded and of each other. Sums
with a sign stay small, but what is not chosen may be as large as can be.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """typedef unsigned long u64;
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
"""


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        self.levels = [[self.r.randint(1, 40)]]
        self.kinds = {}

    def other(self):
        """Between -1023 and 1023, or very large or small."""
        r = self.r
        text = r.choice(["(ints[(at + 3) & 127] & 1023)", "(ints[j & 127] & 255)",
                         f"{r.randint(-9, 9)}", f"{r.randint(0, 900)}", "m",
                         "(j & 7)", "((ints[at & 127] & 31) - 16)"])
        return text

    def bound(self, choice):
        """A large one is never chosen: sums of it would overflow."""
        r = self.r
        if r.random() < 0.2:
            far = "2147483647" if choice == "MIN" else "(-2147483647 - 1)"
            return f"(ints[at & 127] & 1 ? {far} : {self.other()})"
        return r.choice([self.other(), *self.kinds])

    def link(self, text):
        r = self.r
        kind = r.random()
        if kind < 0.6:
            choice = r.choice(["MIN", "MIN", "MIN", "MAX"])
            pair = [text, self.bound(choice)]
            r.shuffle(pair)
            return f"{choice}({pair[0]}, {pair[1]})"
        if kind < 0.85:
            return f"({text} + {self.small()})"
        return f"({text} - {self.small()})"

    def small(self):
        return self.r.choice(["1", "2", "7", "(j & 3)", "(ints[at & 127] & 15)"])

    def round(self, name, kind):
        """What `name` becomes: its rounds are too few for sums to overflow."""
        r = self.r
        text = name
        for _ in range(r.randint(1, 5)):
            text = self.link(text)
        # Whatever was chosen stays small.
        text = f"MIN(MAX({text}, {r.choice(['0', '-5000', '3'])}), {r.choice(['5000', '700'])})"
        if r.random() < 0.5:
            text = self.link(text)
        self.emit(f"{name} = {text};")
        if r.random() < 0.5:
            self.emit(f"sum += (u32){name};")

    def text(self):
        r, e = self.r, self.emit
        e("long gid = idx(node()); u32 sum = 1;")
        for number in range(r.randint(1, 3)):
            self.kinds[f"v{number}"] = r.choice(["int", "int", "int", "int", "short",
                                                 "long", "u32", "signed char"])
        for name, kind in self.kinds.items():
            e(f"{kind} {name} = {r.choice(['gid', '0', '5', 'n'])};")
        e(f"for (int j = 0; j < {r.choice(['n', '10', '3', '64'])}; ++j) {{")
        self.depth += 1
        e("long at = gid * 3 + j;")
        for name, kind in self.kinds.items():
            self.round(name, kind)
        if r.random() < 0.3:
            e(f"if (sum & 1) {r.choice(list(self.kinds))} = j;")
        self.depth -= 1
        e("}")
        e("out[gid] = sum + (u32)(" + " ^ ".join(self.kinds) + ");")
        return self.function("int *ints, u32 *out, int n, int m")

    def options(self):
        r = self.r
        return " ".join([
            self.level_option(), f"-in=!i32[128],!i32[{self.total()}],"
            f"{r.choice(['', '='])}{r.randint(0, 40)},{r.randint(0, 90)}",
            r.choice(["", "-lanes=0", "-lanes=0"]), *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
