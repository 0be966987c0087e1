"""Writes a random leaf with atomic updates in C, and the options to run it with.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_updates.py SEED FILE.c     prints sluice-codegen-test's options

Arrays of every size are updated at fixed and computed places, in loops, under
conditions, through pointers that are one array or another, and in functions
that stay calls; with stated sizes that are right, too small, or no whole number
of elements. Some arrays are updated in two ways, some also read, some by
atomics whose old value counts: those must stay as they are. Elements are
appended to arrays, with and without a limit. Results do not depend on the order
of the instances, but for the order of what is appended.
"""

import os
import random

from random_leaf import main

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f"""#include "{HEADER}"
typedef unsigned u32;
typedef unsigned long u64;
typedef short i16;
typedef signed char i8;
#define UPDATE(KIND, P, V) __atomic_fetch_##KIND(P, V, __ATOMIC_RELAXED)
"""
TYPES = {"i8": ("i8", 1), "i16": ("i16", 2), "int": ("i32", 4),
         "long": ("i64", 8)}
KINDS = ["add", "sub", "and", "or", "xor", "min", "max", "umin", "umax"]
SAME = {"add": ["add", "sub"], "sub": ["add", "sub"]}


class Array:
    def __init__(self, r, number):
        self.name = f"a{number}"
        self.type = r.choice(["int", "int", "int", "long", "i16", "i8"])
        self.length = r.choice([1, 2, 5, 16, 64, 256, 1000,
                                r.randint(1, 5000)])
        self.length = max(self.length, 2)
        self.kind = r.choice(KINDS)
        element = TYPES[self.type][1]
        whole = self.length * element
        self.bytes = r.choice([whole, whole, whole, whole + 8,
                               r.randint(0, whole), 1 << 40])
        self.alone = r.random() < 0.9
        # Other updates of the second half.
        self.mixed = r.choice(KINDS) if r.random() < 0.15 else None
        self.read = r.random() < 0.15
        self.used = not self.read and r.random() < 0.1

    def port(self):
        element = TYPES[self.type][0]
        return f"{'!' if self.alone else ''}{element}[{self.length}]"


class Leaf:
    def __init__(self, seed):
        self.name = f"leaf{seed}"
        r = self.r = random.Random(seed)
        self.lines, self.helpers = [], []
        self.arrays = [Array(r, i) for i in range(r.randint(1, 3))]
        shape = r.choice(["line", "line", "line", "plane", "groups", "barrier"])
        if shape == "line":
            self.levels = [[r.choice([1, 7, 300, 3000, r.randint(0, 9000)])]]
        elif shape == "plane":
            self.levels = [[r.randint(1, 100), r.randint(1, 60)]]
        else:
            self.levels = [[r.randint(1, 40)], [r.choice([1, 16, 64, 33])]]
        self.barrier = shape == "barrier"
        self.appends = shape == "line" and r.random() < 0.4

    def emit(self, line):
        self.lines.append("  " + line)

    def place(self, array, half):
        r = self.r
        n = array.length // 2 if array.mixed else array.length
        return f"{half * n} + " + r.choice([
            "0", str(r.randrange(n)), f"in[gid & 1023] % {n}u",
            f"(gid * 7 + in[gid & 1023]) % {n}u", f"(gid / 64) % {n}u",
            f"n % {n}u", f"in[(gid * 3) & 1023] % {n}u",
            f"(gid >> 3) % {n}u"])

    def value(self):
        return self.r.choice(["1", "-3", "v", "(int)in[(gid * 5) & 1023]",
                              "(int)gid * v", "7", "~v"])

    def update(self, array, other=None):
        r = self.r
        half = r.randint(0, 1) if array.mixed else 0
        kind = array.mixed if half else array.kind
        pointer = f"{array.name} + {self.place(array, half)}"
        if other:
            pointer = (f"(v & 1) ? {pointer} : "
                       f"{other.name} + {self.place(other, 0)}")
        kind = r.choice(SAME.get(kind, [kind]))
        cast = f"({array.type})({self.value()})"
        if kind in ("umin", "umax"):
            unsigned = {"int": "u32", "long": "u64", "i16": "unsigned short",
                        "i8": "unsigned char"}[array.type]
            return (f"UPDATE({kind[1:]}, ({unsigned} *)({pointer}), "
                    f"({unsigned}){cast});")
        if array.type == "int" and r.random() < 0.5:
            name = {"add": "Add", "sub": "Sub", "and": "And", "or": "Or",
                    "xor": "Xor", "min": "Min", "max": "Max"}[kind]
            return f"atomic{name}({pointer}, {cast});"
        return f"UPDATE({kind}, {pointer}, {cast});"

    def statement(self, array):
        r = self.r
        other = r.choice(self.arrays)
        if (r.random() < 0.7 or other is array or other.type != array.type
                or other.mixed or array.mixed or other.kind != array.kind):
            other = None
        text = self.update(array, other)
        if r.random() < 0.15:
            name = f"{self.name}help{len(self.helpers)}"
            self.helpers.append(
                f"__attribute__((noinline)) static void {name}({array.type} "
                f"*{array.name}, u32 *in, u32 gid, u32 n, int v) {{\n  "
                + self.update(array)
                + "\n}")
            text = f"{name}({array.name}, in, gid, n, v);"
        how = r.random()
        if how < 0.25:
            text = f"if (v {r.choice(['> 5', '& 3', '== 77', '< 10000'])}) {text}"
        elif how < 0.4:
            text = (f"for (int k = 0; k < {r.choice(['3', '(int)(gid & 7)', '20'])}"
                    f"; ++k) {{ v += k; {text} }}")
        self.emit(text)

    def append(self):
        """Two arrays, of which one may be spoilt for it by a read."""
        r = self.r
        step = r.choice([1, 1, 3])
        store = r.choice(["b0[k] = (int)gid;", "b0[k] = v; b1[k] = gid * 3;",
                          "b0[k] = k + v; b1[k] = in[gid & 1023];",
                          "b1[k] = in[(gid * 7) & 1023] * 2;",
                          "b0[k] = b1[gid & 7];", "b0[gid] = k;",
                          "b1[k] = 1; out[gid & 4095] = 9;"])
        limit = r.choice(["", f"if (k < {r.randint(0, 3000)})",
                          f"if (k >= (int)n) b0[k] = 1; else"])
        guard = r.choice(["", "if (v > 30)", "if (in[(gid * 3) & 1023] & 8)"])
        self.emit(f"{guard} {{ int k = atomicAdd(tail, {step}); "
                  f"{limit} {{ {store} }} }}")

    def text(self):
        r = self.r
        self.emit("u32 gid = " + ("(u32)GROUP * (u32)SIZE + (u32)X;"
                                  if len(self.levels) == 2 else
                                  "(u32)X + (u32)Y * (u32)SIZE;"))
        self.emit("int v = (int)(in[gid & 1023] & 255);")
        for _ in range(r.randint(1, 4)):
            self.statement(r.choice(self.arrays))
        if self.appends:
            self.append()
        if self.barrier:
            self.emit("barrier();")
            for _ in range(r.randint(0, 2)):
                self.statement(r.choice(self.arrays))
        for array in self.arrays:
            # Bits that are or-ed into are read: in any order, once they are
            # there they stay.
            if array.read and not array.mixed and array.kind == "or":
                self.emit(f"UPDATE(or, {array.name} + 1, ({array.type})6);")
                self.emit(f"if (__atomic_load_n({array.name} + 1, "
                          f"__ATOMIC_RELAXED) & 4) out[gid & 4095] = 5;")
            if array.used and not array.mixed and array.kind == "add" \
                    and array.type in ("int", "long"):
                self.emit(f"if (UPDATE(add, {array.name}, 0) != "
                          f"({array.type})12345) out[gid & 4095] |= 2;")
        parameters = ["u32 *in", "u32 *out", "long outBytes", "u32 n"]
        ports = self.ports = ["i32[1024]", r.choice(["", "!"]) + "i32[4096]", "16384",
                 str(r.randint(0, 5000))]
        for array in self.arrays:
            parameters += [f"{array.type} *{array.name}",
                           f"long bytes{array.name}"]
            ports += [array.port(), str(array.bytes)]
        if self.appends:
            parameters += ["int *tail", "int *b0", "u32 *b1"]
            ports += [r.choice(["!", "!", "!", ""]) + port
                      for port in ("zero[8]", "zero[120000]", "i32[30000]")]
        return ("\n".join(self.helpers) + f"\nvoid {self.name}("
                + ", ".join(parameters) + ") {\n"
                + "\n".join(self.lines) + "\n}\n")

    def options(self):
        r = self.r
        levels = ",".join("x".join(r.choice(["", "?"]) + str(extent)
                                   for extent in level)
                          for level in self.levels)
        pieces = r.choice([1, 2, 5, 12])
        return (f"-levels={levels} -in={','.join(self.ports)} -pieces={pieces} "
                f"-seed={r.randint(1, 1000)}")


if __name__ == "__main__":
    main(Leaf, PRELUDE)
