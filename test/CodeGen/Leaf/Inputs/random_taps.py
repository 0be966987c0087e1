"""Writes a random leaf that reads several places apart by numbers.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_taps.py SEED FILE.c     prints sluice-codegen-test's options

Each place is the id, times a number, plus one of several numbers, brought into
the grid by a remainder, clamps, or a guard. Places of one id are compared with
the same bound or with different ones, in numbers of different widths. Bounds may
be negative, or so high that some places of an instance wrap around.
"""

from random_borders import PRELUDE
from random_borders import Leaf as BorderLeaf
from random_leaf import main

WIDE = ["(1L << 28)", "(1L << 29)", "(1L << 30)", "(1L << 31)", "(1L << 61)",
        "(1L << 62)", "-(1L << 28)", "-(1L << 29)", "-(1L << 30)", "-(1L << 61)"]


HIGHEST = {"int": "2147483647", "u32": "2147483647", "short": "32767",
           "long": "9223372036854775807", "u64": "9223372036854775807"}


class Leaf(BorderLeaf):
    def base(self, high):
        """Where places are, near the bound `high` if there is one."""
        r = self.r
        if high:
            return f"(u64)x + (u64)({high} - {r.choice(['0', 'nx / 2', 'nx', '40'])})"
        factor = r.choice(["1", "1", "1", "2", "3", "-1", "-2"])
        start = r.choice(["0", "0", "nx", "nx - 1", "n", "-n", "far", "far",
                          "-far", "far - nx / 2", "-far - nx / 2"])
        return f"(u64)x * (u64)({factor}) + (u64)({start})"

    def offsets(self):
        """From the id, of all places of one group."""
        r = self.r
        first = r.randint(-8, 4)
        result = [str(first + i * r.choice([1, 1, 1, 2, 5]))
                  for i in range(r.randint(2, 7))]
        if r.random() < 0.3:
            result.append(r.choice(WIDE))
        if r.random() < 0.2:
            result.append("nx")
        if r.random() < 0.7:
            r.shuffle(result)
        return result

    def tap(self, kind, value, bound):
        r = self.r
        name = f"at{self.counter}"
        self.counter += 1
        self.emit(f"{kind} {name} = ({kind})({value});")
        low, test = r.choice(["0", "0", "0", "1", "n"]), "1"
        way = self.way if r.random() < 0.8 else r.randint(0, 5)
        if way < 2:
            self.emit(f"{name} = {name} % ({kind})({bound});")
            # Remainders of small divisors are places by themselves.
            place = f"{name} & 127" if "-" in bound else name
            return self.emit(f"sum = sum * 3 + (u32)(int)(ints + 300)[{place}];")
        if way < 4:
            tests = [f"{name} = {name} < ({kind})({low}) ? ({kind})({low}) : {name};",
                     f"{name} = {name} >= ({kind})({bound}) ? ({kind})({bound}) - 1 : {name};"]
            for text in tests[r.choice([0, 0, 1]):r.choice([1, 2, 2])]:
                self.emit(text)
        else:
            parts = [f"{name} >= ({kind})({low})", f"{name} < ({kind})({bound})",
                     f"{name} <= ({kind})({bound})"]
            test = r.choice([f"{parts[0]} && {parts[1]}", f"{parts[0]} && {parts[2]}",
                             f"!({parts[0]}) || !({parts[1]})", *parts])
        self.emit(f"if ({test}) sum = sum * 3 + (u32)(int)(ints + 300)[{name} & 127];")

    def taps(self):
        r = self.r
        self.way = r.randint(0, 5)
        kind = r.choice(["int", "int", "u32", "long", "u64", "short"])
        bounds = r.choice([["nx"], ["nx"], ["m + 1"], ["nx", "m + 1"], ["nx", "nx / 2 + 1"],
                           ["-(long)m - 2"], ["-nx - 1"], [str(r.randint(1, 90))]])
        high = ""
        if r.random() < 0.4:
            high = f"({HIGHEST[kind]}L - (long)({r.choice(['m & 3', 'n', 'm'])}))"
            bounds = [high]
        base = self.base(high)
        for offset in self.offsets():
            own = kind if high or r.random() < 0.9 else r.choice(["int", "long", "u32"])
            bound = r.choice(bounds)
            if not high and "-" in bound and own in ("u32", "u64"):
                bound = "nx"
            self.tap(own, f"{base} + (u64)({offset})", bound)

    def text(self):
        r, e = self.r, self.emit
        e("long lid = 0, gid = 0, size = 1; u32 sum = 1; float real = 0;")
        self.add_position("lid", "node()")
        if len(self.levels) > 1:
            self.add_position("gid", "parent(node())")
        self.add_size("size")
        e("gid = gid * size + lid;")
        kind = r.choice(["long", "long", "int"])
        e(f"{kind} x = idx(node()); long nx = numx(node());")
        for _ in range(r.randint(1, 2)):
            self.taps()
        e("out[gid] = sum; fout[gid] = real;")
        far = r.choice(["2147483647", "2147483640", "-2147483647", "4294967295",
                        "32767", "9223372036854775807", "9223372036854775740"])
        return f"#undef far\n#define far {far}L\n" + self.function(
            "int *ints, float *singles, u32 *out, float *fout, int n, u32 m")

    def make_far(self):
        """Places are far by themselves here."""


if __name__ == "__main__":
    main(Leaf, PRELUDE)
