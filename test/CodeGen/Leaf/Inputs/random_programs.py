"""Writes a program of many random leaves.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_programs.py SEED LEAVES FILE.c

Each leaf takes its ids apart by shifts, masks, divisions and casts of all
widths, by constants and by arguments; reads arrays of every type at places that
it computes; has private arrays and structures, loops in loops that instances
leave in different rounds, early exits, recursion, floating-point numbers of every
kind, atomics and reductions, into single numbers and arrays. It writes two arrays
of different widths, by rows, columns, planes or backwards: only elements of its
own, and nothing is left undefined by C. Each is launched with three sets of
arguments, four times with the first: the last launches run code that was made for
their extents. Extents that are arguments then vary.
"""

import random
import sys

WHOLE = {"bytes": "signed char", "shorts": "unsigned short", "ints": "int",
         "longs": "long"}
REAL = {"singles": "float", "doubles": "double"}
LENGTHS = {"bytes": 256, "shorts": 128, "ints": 64, "longs": 32,
           "singles": 64, "doubles": 128}
INPUTS = {**WHOLE, **REAL}
CASTS = ["signed char", "unsigned char", "short", "unsigned short", "int",
         "unsigned", "long", "unsigned long"]
WRITTEN = [("int", "i"), ("long", "l"), ("unsigned char", "b"),
           ("unsigned short", "s"), ("float", "f"), ("double", "d")]
FOLDS = [("int", "SUM"), ("int", "MIN"), ("int", "MAX"), ("long", "SUM"),
         ("unsigned", "XOR"), ("unsigned", "OR"), ("unsigned", "AND"),
         ("long", "MIN"), ("double", "MAX"), ("float", "MIN"),
         ("unsigned", "PRODUCT"), ("unsigned long", "SUM"),
         ("float", "SUM"), ("double", "SUM"), ("double", "PRODUCT")]

PRELUDE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned int u32;
typedef unsigned long u64;
float sqrtf(float); double fabs(double); float fabsf(float); double floor(double);
#ifdef PLAIN
static long at[3], sizes[3];
#define __hpvm__hint(TARGET)
#define __hpvm__attributes(...)
#define sluice_reduce(...)
#define __hpvm__getNode() 0
#define __hpvm__getNodeInstanceID_x(NODE) at[0]
#define __hpvm__getNodeInstanceID_y(NODE) at[1]
#define __hpvm__getNodeInstanceID_z(NODE) at[2]
#define __hpvm__getNumNodeInstances_x(NODE) sizes[0]
#define __hpvm__getNumNodeInstances_y(NODE) sizes[1]
#define __hpvm__getNumNodeInstances_z(NODE) sizes[2]
#define __hpvm__atomic_add(P, V) (*(P) += (V))
#define __hpvm__init()
#define __hpvm__cleanup()
#else
#include <hpvm.h>
#endif
struct Pair { int a; short b; double c; };
static inline int toInt(double v) { return v > -2e9 && v < 2e9 ? (int)v : 77; }
static inline u32 toWord(double v) { return v >= 0 && v < 4e9 ? (u32)v : 5u; }
static inline int divide(int a, int b) { return b == 0 || (b == -1 && a < -2147483647) ? a : a / b; }
static inline int rest(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }
static int deep(int a, int n) { return n <= 0 ? a : deep(a ^ n, n - 1) - (deep(a & 255, n - 2) & 63); }
static __attribute__((noinline)) int far(const int *p, long i) { return (int)((u32)p[i & 63] * 3u + (u32)i); }

#define PARAMETERS \\
  const signed char *bytes, size_t bytesBytes, const unsigned short *shorts, \\
      size_t shortsBytes, const int *ints, size_t intsBytes, \\
      const long *longs, size_t longsBytes, const float *singles, \\
      size_t singlesBytes, const double *doubles, size_t doublesBytes, \\
      int *counts, size_t countsBytes, long k, int m, u32 q, double z, float y
#define NUM_PARAMETERS 19
#define IDS(DIMS) \\
  void *node = __hpvm__getNode(); \\
  long x = __hpvm__getNodeInstanceID_x(node); \\
  long v = DIMS > 1 ? __hpvm__getNodeInstanceID_y(node) : 0; \\
  long w = DIMS > 2 ? __hpvm__getNodeInstanceID_z(node) : 0; \\
  long nx = __hpvm__getNumNodeInstances_x(node); \\
  long nv = DIMS > 1 ? __hpvm__getNumNodeInstances_y(node) : 1; \\
  long nw = DIMS > 2 ? __hpvm__getNumNodeInstances_z(node) : 1; \\
  long gid = (w * nv + v) * nx + x; (void)gid; (void)nw; (void)nv
"""


class Leaf:
    def __init__(self, r, number):
        self.r = r
        self.number = number
        self.lines = []
        self.depth = 1
        self.loops = 0
        self.names = 0
        self.type, self.letter = r.choice(WRITTEN)
        self.per = r.choice([1, 1, 2, 4])
        self.other_type, self.other_letter = r.choice(WRITTEN)
        self.other_per = r.choice([1, 1, 3])
        self.fold = r.choice(FOLDS) if r.random() < 0.3 else None
        self.second_fold = r.choice(FOLDS) if r.random() < 0.15 else None
        self.fold_length = r.choice([1, 1, 16])
        self.counts = r.random() < 0.2
        self.dims = r.choice([1, 1, 1, 2, 2, 3])
        self.extents = [r.choice([r.randint(1, 40), 2 ** r.randint(0, 6),
                                  r.randint(1, 9)])
                        for _ in range(self.dims)]
        if self.dims == 1:
            self.extents = [r.choice([1, 7, 64, 100, 256, 999, 1024,
                                      r.randint(1, 3000)])]
        self.order = r.choice(["rows", "rows", "rows", "back", "planes"])
        if self.dims == 2 and r.random() < 0.4:
            self.order = "columns"
        self.constant = [r.random() < 0.3 for _ in range(self.dims)]
        self.whole_names = [f"a{i}" for i in range(r.randint(2, 4))]
        self.kinds = {name: r.choice(CASTS) for name in self.whole_names}
        self.real_names = [f"r{i}" for i in range(r.randint(1, 3))]
        self.kinds.update({name: r.choice(["float", "double"])
                           for name in self.real_names})
        self.private = r.choice([0, 0, 4, 8, 16])
        self.pair = r.random() < 0.25
        self.mine = r.choice([0, 0, 0, 8, 16])  # real numbers of its own
        self.list = r.choice([0, 0, 0, 4, 8])  # structures of its own
        self.plain = r.random() < 0.75  # few statements, as people write

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    # Expressions. Whole numbers are computed without a sign, which wraps.

    def whole(self, depth=2):
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            return self.atom()
        kind = r.random()
        a = self.whole(depth - 1)
        if kind < 0.12:
            by = r.choice([f"{r.randint(0, 31)}", "(k & 31)", "(m & 7)",
                           f"({self.atom()} & 15)"])
            return f"((u64)({a}) {r.choice(['<<', '>>'])} {by})"
        if kind < 0.22:
            mask = r.choice([1, 3, 7, 15, 31, 63, 127, 255, 65535, 12, 0x55])
            return f"(({a}) & {mask})"
        if kind < 0.30:
            by = r.choice([2, 3, 4, 5, 7, 8, 16, 10, 64, 128, 100])
            cast = r.choice(["u32", "u64", "long", "int", "unsigned short"])
            return f"(({cast})({a}) {r.choice('/%')} {by})"
        if kind < 0.36:
            return (f"((u32)({a}) {r.choice('/%')} "
                    f"((u32)({self.whole(depth - 2)}) | 1u))")
        if kind < 0.42:
            return (f"{r.choice(['divide', 'rest'])}((int)({a}), "
                    f"(int)({self.whole(depth - 2)}))")
        if kind < 0.52:
            return f"({r.choice(CASTS)})({a})"
        if kind < 0.62:
            b = self.whole(depth - 1)
            return r.choice([
                f"({self.condition(1)} ? (long)({a}) : (long)({b}))",
                f"((long)({a}) < (long)({b}) ? (long)({a}) : (long)({b}))",
                f"((int)({a}) > (int)({b}) ? (int)({a}) : (int)({b}))",
                f"((u32)({a}) > (u32)({b}) ? (u32)({a}) : (u32)({b}))"])
        if kind < 0.66:
            return r.choice([f"toInt({self.real(depth - 1)})",
                             f"toWord({self.real(depth - 1)})",
                             f"far(ints, (long)({a}))",
                             f"__builtin_popcount((u32)({a}))",
                             f"(long)!({a})", f"~(u64)({a})"])
        op = r.choice(["+", "-", "*", "^", "&", "|", "+"])
        return f"((u64)({a}) {op} (u64)({self.whole(depth - 1)}))"

    def atom(self):
        r = self.r
        kind = r.random()
        if kind < 0.3:
            return r.choice(["x", "x", "x", "gid", "v", "w", "(int)x",
                             "(u32)gid", "(nx - 1 - x)"])
        if kind < 0.5:
            return r.choice(self.whole_names)
        if kind < 0.62:
            return r.choice(["k", "m", "q", "nx", "nv"])
        if kind < 0.75:
            return self.load(WHOLE)
        if kind < 0.8 and self.private:
            return f"own[{self.index(self.private)}]"
        if kind < 0.82 and self.list:
            return (f"list[{self.index(self.list)}]"
                    f"{r.choice(['.a', '.b', '.a'])}")
        if kind < 0.822:
            return r.choice([f"deep((int)x & 255, {r.randint(0, 6)})",
                             "deep(ints[x & 63] & 1023, (int)(x & 7))"])
        if kind < 0.826 and self.type not in ("float", "double"):
            return f"out[{self.place(str(r.randrange(self.per)))}]"
        if kind < 0.83 and self.pair:
            return r.choice(["pair.a", "pair.b", "(long)(pair.b * 2)"])
        if kind < 0.88 and self.loops:
            return f"i{self.r.randrange(self.loops)}"
        return str(r.choice([0, 1, 2, 3, 7, 8, 100, 255, 1000, -1, -5]))

    def index(self, length):
        """A place below `length`, a power of two."""
        r = self.r
        mask = length - 1
        if self.loops and r.random() < 0.3:  # the same for all instances
            i = f"i{r.randrange(self.loops)}"
            return r.choice([f"{i} & {mask}", f"({i} + {r.randint(1, 9)}) & {mask}",
                             f"({i} * 3 + k) & {mask}", f"{mask} - ({i} & {mask})"])
        kind = r.random()
        if kind < 0.5:
            return r.choice([f"x & {mask}", f"gid & {mask}",
                             f"(x + k) & {mask}", f"(x * 2) & {mask}",
                             f"{mask} - (x & {mask})", f"(u64)x % {length}u",
                             f"(v * 3 + x) & {mask}", f"(x >> 1) & {mask}",
                             f"(x / 3) & {mask}", f"m & {mask}",
                             f"(x + {r.randint(1, 5)}) & {mask}"])
        return f"(u64)({self.whole(1)}) & {mask}"

    def load(self, arrays):
        name = self.r.choice(list(arrays))
        return f"{name}[{self.index(LENGTHS[name])}]"

    def real(self, depth=2):
        r = self.r
        if self.mine and r.random() < 0.15:
            return f"mine[{self.index(self.mine)}]"
        if self.list and r.random() < 0.1:
            return f"list[{self.index(self.list)}].c"
        if depth <= 0 or r.random() < 0.3:
            return r.choice([r.choice(self.real_names), self.load(REAL), "z",
                             "y", f"{r.randint(-9, 9)}.25f", "0.0", "-0.0",
                             "(float)x", "(double)gid", "(double)(int)m"])
        kind = r.random()
        a, b = self.real(depth - 1), self.real(depth - 1)
        if kind < 0.1:
            return f"({self.condition(1)} ? {a} : {b})"
        if kind < 0.2:
            op = r.choice(["<", ">", "<=", ">="])
            return f"(({a}) {op} ({b}) ? ({a}) : ({b}))"
        if kind < 0.26:
            return f"fabs({a})"
        if kind < 0.32:
            return f"sqrtf((float)({a}))"
        if kind < 0.36:
            return f"(float)({a})"
        if kind < 0.42:
            return f"(double)(long)({self.whole(1)})"
        if kind < 0.5:
            return f"({a} / {b})"
        if kind < 0.54:
            return f"floor({a})"
        if kind < 0.58:
            return f"(-({a}))"
        return f"({a} {r.choice('+-*')} {b})"

    def condition(self, depth=2):
        r = self.r
        kind = r.random()
        compare = r.choice(["<", ">", "==", "!=", "<=", ">="])
        if kind < 0.3:
            cast = r.choice(["long", "int", "u32", "short", "unsigned char"])
            return (f"(({cast})({self.whole(depth - 1)}) {compare} "
                    f"({cast})({self.whole(0)}))")
        if kind < 0.5:
            return (f"((({self.whole(depth - 1)}) & {r.choice([1, 3, 7])}) "
                    f"{r.choice(['==', '!='])} {r.randint(0, 2)})")
        if kind < 0.65:
            return r.choice([f"(x {compare} k)", f"(x {compare} {r.randint(0, 40)})",
                             "(x > 0 && x < nx - 1)", f"(v {compare} x)",
                             f"(gid % {r.choice([2, 3, 8])} == 0)",
                             f"(m {compare} {r.randint(0, 9)})"])
        if kind < 0.8:
            return f"({self.real(depth - 1)} {compare} {self.real(0)})"
        if depth <= 0:
            return "(x & 1)"
        return (f"({self.condition(depth - 1)} {r.choice(['&&', '||'])} "
                f"{self.condition(depth - 1)})")

    # Statements.

    def assign(self):
        r = self.r
        kind = r.random()
        if kind < 0.3:
            name = r.choice(self.real_names)
            self.emit(f"{name} = {r.choice(['', f'{name} * 0.5f + ', f'{name} - '])}"
                      f"{self.real()};")
        elif kind < 0.42 and self.private:
            op = r.choice(["=", "+=", "^="])
            self.emit(f"own[{self.index(self.private)}] {op} (u32)({self.whole()});")
        elif kind < 0.5 and self.mine:
            to = self.index(self.mine)
            self.emit(r.choice([
                f"mine[{to}] = {self.real()};",
                f"mine[{to}] += {self.real(1)};",
                "memset(mine, 0, sizeof mine);",
                f"{{ double copy[{self.mine}]; memcpy(copy, mine, sizeof copy);"
                f" mine[{to}] = copy[{self.index(self.mine)}]; }}",
                f"{{ double *p = {self.condition(1)} ? mine : mine + {self.mine // 2};"
                f" *p = p[{r.randrange(self.mine // 2)}] + 1; }}",
                f"for (int j = 0; j < {self.mine}; ++j) mine[j] = doubles[(x + j) & 127];"]))
        elif kind < 0.56 and self.list:
            to = self.index(self.list)
            self.emit(r.choice([
                f"list[{to}].a = (int)({self.whole()});",
                f"list[{to}].b = (short)({self.whole()});",
                f"list[{to}].c = {self.real()};",
                f"list[{to}] = list[{self.index(self.list)}];",
                f"{{ struct Pair copy[{self.list}]; memcpy(copy, list, sizeof copy);"
                f" list[{to}] = copy[{self.index(self.list)}]; }}"]))
        elif kind < 0.6 and self.pair:
            self.emit(r.choice([f"pair.a = (int)({self.whole()});",
                                f"pair.b = (short)({self.whole()});",
                                f"pair.c = {self.real()};",
                                "{ struct Pair copy = pair; pair = copy; }"]))
        else:
            name = r.choice(self.whole_names)
            before = r.choice(["", "", f"(u64){name} + ", f"(u64){name} ^ "])
            self.emit(f"{name} = {before}(u64)({self.whole()});")

    def place(self, member, per=None):
        """Where the members of this instance are in an array."""
        per = per or self.per
        instance = {"back": "(nx * nv * nw - 1 - gid)",
                    "columns": "(x * nv + v)"}.get(self.order, "gid")
        return (f"({member}) * (nx * nv * nw) + gid" if self.order == "planes"
                else f"{instance} * {per} + {member}")

    def value_of(self, kind):
        return (self.real() if kind in ("float", "double")
                else f"({kind})({self.whole()})")

    def write(self):
        r = self.r
        if r.random() < 0.25:
            place = self.place(str(r.randrange(self.other_per)), self.other_per)
            return self.emit(f"other[{place}] = {self.value_of(self.other_type)};")
        member = r.choice([str(r.randrange(self.per)),
                           f"({self.whole(1)} & {self.per - 1})"])
        self.emit(f"out[{self.place(member)}] = {self.value_of(self.type)};")

    def update(self):
        """Of the shared counts, and of what is folded."""
        r = self.r
        folds = [(name, fold) for name, fold in
                 (("total", self.fold), ("second", self.second_fold)) if fold]
        if folds and (r.random() < 0.6 or not self.counts):
            name, (kind, op) = r.choice(folds)
            to = (f"{name}[{self.index(self.fold_length)}]"
                  if self.fold_length > 1 else f"*{name}")
            isReal = kind in ("float", "double")
            if isReal and op == "SUM":  # exact in any order
                value = f"({kind})(int)(({self.whole(1)}) & 7)"
            elif isReal and op == "PRODUCT":
                value = f"({kind})(1 - (int)(({self.whole(1)}) & 2))"
            else:
                value = f"({kind})({self.real(1) if isReal else self.whole(1)})"
            if op == "PRODUCT" and not isReal:
                value = f"({value} | 1u)"
            if kind in ("int", "long") and op == "SUM":
                value = f"({value} & 1023)"
            if isReal:
                value = f"{value} + 0"  # the order of zeros would count
            self.emit({"SUM": f"{to} += {value};",
                       "PRODUCT": f"{to} *= {value};",
                       "XOR": f"{to} ^= {value};",
                       "OR": f"{to} |= {value};",
                       "AND": f"{to} &= {value};",
                       "MIN": f"{{ {kind} t = {value}; if (t < {to}) {to} = t; }}",
                       "MAX": f"{{ {kind} t = {value}; if (t > {to}) {to} = t; }}",
                       }[op])
        elif self.counts:
            self.emit(f"__hpvm__atomic_add(&counts[{self.index(16)}], "
                      f"{r.choice(['1', '(int)(x & 7)', '3'])});")
        else:
            self.write()

    def loop(self, budget):
        r = self.r
        i = f"i{self.loops}"
        limit = r.choice([f"{r.randint(1, 9)}", f"(long)(q & 7)",
                          f"(long)((u64)({self.whole(1)}) & 7)",
                          f"(long)((u64)({self.whole(1)}) % 9)", "(k & 15)"])
        kind = self.r.choice(["for", "for", "for", "far", "down", "while", "do"])
        self.emit("{")
        self.depth += 1
        self.emit(f"long {i} = 0;")
        count = self.loops
        self.loops += 1
        if kind == "for":
            self.emit(f"for ({i} = 0; {i} < {limit}; {i} += {r.choice([1, 1, 1, 2, 3])}) {{")
            end = "}"
        elif kind == "far":
            first = r.choice([2 ** 31 - 5, 2 ** 32 - 3, 2 ** 31, -3])
            self.emit(f"for ({i} = {first}; {i} < {first} + {limit}; ++{i}) {{")
            end = "}"
        elif kind == "down":
            self.emit(f"for ({i} = {limit}; {i} > 0; --{i}) {{")
            end = "}"
        elif kind == "while":
            self.emit(f"while ({i} < 11 && {self.condition(1)}) {{ ++{i};")
            end = "}"
        else:
            self.emit("do {")
            end = f"}} while (++{i} < 8 && {self.condition(1)});"
        self.block(budget - 1)
        if r.random() < 0.3:
            jump = r.choice(["break", "break", "continue", "return"])
            if jump == "continue" and kind == "do":
                jump = "break"
            self.emit(f"  if {self.condition(1)} {jump};")
            if jump != "return":
                self.depth += 1
                self.assign()
                self.depth -= 1
        self.emit(end)
        self.depth -= 1
        self.emit("}")
        self.loops = count

    def statement(self, budget):
        r = self.r
        kind = r.random()
        if budget <= 0 or kind < 0.4:
            return r.choice([self.assign, self.assign, self.assign, self.write,
                             self.update])()
        if kind < 0.65:
            return self.loop(budget)
        if kind < 0.72:
            self.emit(f"switch (({self.whole(1)}) & 3) {{")
            for case in r.sample(["case 0:", "case 1:", "case 2:", "default:"],
                                 r.randint(2, 4)):
                self.emit(case + " {")
                self.block(budget - 2)
                self.emit("}" + r.choice([" break;", " break;", ""]))
            return self.emit("}")
        self.emit(f"if {self.condition()} {{")
        self.block(budget - 1)
        if r.random() < 0.4:
            self.emit("} else {")
            self.block(budget - 1)
        return self.emit("}")

    def block(self, budget):
        self.depth += 1
        for _ in range(self.r.randint(1, 2)):
            self.statement(budget)
        self.depth -= 1

    def text(self):
        r = self.r
        if self.fold:
            self.emit(f"sluice_reduce(total, totalBytes, SLUICE_{self.fold[1]});")
        if self.second_fold:
            self.emit("sluice_reduce(second, secondBytes, "
                      f"SLUICE_{self.second_fold[1]});")
        self.emit(f"IDS({self.dims});")
        for name in self.whole_names:
            first = r.choice(["x", "gid", "nx - x", "k", "m", "q * 3", "v",
                              "ints[x & 63]", "longs[gid & 31]", "1"])
            self.emit(f"{self.kinds[name]} {name} = {first};")
        for name in self.real_names:
            first = r.choice(["singles[x & 63]", "doubles[gid & 127]", "z", "y"])
            self.emit(f"{self.kinds[name]} {name} = {first};")
        if self.private:
            self.emit(f"u32 own[{self.private}];")
            self.emit(f"for (int j = 0; j < {self.private}; ++j) own[j] = "
                      f"{r.choice(['0', 'j', '(u32)x * j', '(u32)ints[j]'])};")
        if self.mine:
            self.emit(f"double mine[{self.mine}];")
            self.emit(f"for (int j = 0; j < {self.mine}; ++j) mine[j] = "
                      f"{r.choice(['0', 'j + 0.5', 'x * j', 'doubles[(gid + j) & 127]'])};")
        if self.list:
            self.emit(f"struct Pair list[{self.list}];")
            self.emit(f"for (int j = 0; j < {self.list}; ++j) "
                      "{ list[j].a = (int)x ^ j; list[j].b = (short)(m + j); "
                      "list[j].c = z * j; }")
        if self.pair:
            self.emit("struct Pair pair = {(int)x, (short)m, z};")
        if r.random() < 0.15:
            self.emit(f"if {self.condition()} return;")
        for _ in range(1 if self.plain else r.randint(1, 4)):
            self.statement(1 if self.plain else 3)
        if self.fold or self.second_fold:
            self.update()
        value = " ^ ".join(f"(u64){name}" for name in self.whole_names)
        if self.private:
            value += f" ^ own[{self.index(self.private)}]"
        real = " + ".join(self.real_names)
        if self.mine:
            real += f" + mine[{self.index(self.mine)}]"
        if self.list:
            value += f" ^ (u64)list[{self.index(self.list)}].a"
            real += f" + list[{self.index(self.list)}].c"
        if self.pair:
            value += " ^ (u64)pair.a ^ (u64)pair.b"
            real += " + pair.c"
        if r.random() < 0.5:
            place = self.place("0", self.other_per)
            self.emit(f"other[{place}] = {self.value_of(self.other_type)};")
        self.emit(f"out[{self.place('0')}] = "
                  + (f"{real} + (double)({value} & 255);"
                     if self.type in ("float", "double")
                     else f"({self.type})({value} ^ (u64)toInt({real}));"))
        total = self.fold[0] if self.fold else "int"
        second = self.second_fold[0] if self.second_fold else "int"
        n = self.number
        mine = (f"{self.type} *out, size_t outBytes, {self.other_type} *other, "
                f"size_t otherBytes, {total} *total, size_t totalBytes, "
                f"{second} *second, size_t secondBytes")
        names = [f"n{d}" for d in range(self.dims)]
        extents = ", ".join(str(e) if fixed else name for e, fixed, name
                            in zip(self.extents, self.constant, names))
        written = ["out", "other", "counts", *(["total"] if self.fold else []),
                   *(["second"] if self.second_fold else [])]
        read = ["bytes", "shorts", "ints", "longs", "singles", "doubles",
                "counts", "out", "other", "total", "second"]
        attributes = ", ".join([str(len(read)), *read, str(len(written)),
                                *written])
        return "\n".join([
            f"void leaf{n}(PARAMETERS, {mine}) {{",
            "  __hpvm__hint(CPU_TARGET);",
            f"  __hpvm__attributes({attributes});",
            *self.lines, "}", "#ifndef PLAIN",
            f"void root{n}(PARAMETERS, {mine}, long n0, long n1, long n2) {{",
            "  __hpvm__hint(CPU_TARGET);",
            f"  __hpvm__attributes({attributes});",
            f"  void *child = __hpvm__createNodeND({self.dims}, leaf{n}, {extents});",
            "  for (int p = 0; p < NUM_PARAMETERS + 8; ++p)",
            "    __hpvm__bindIn(child, p, p, 0);", "}", "#endif"])


HOST = """
struct __attribute__((packed)) Arguments {
  const void *bytes; size_t bytesBytes; const void *shorts; size_t shortsBytes;
  const void *ints; size_t intsBytes; const void *longs; size_t longsBytes;
  const void *singles; size_t singlesBytes;
  const void *doubles; size_t doublesBytes;
  int *counts; size_t countsBytes; long k; int m; u32 q; double z; float y;
  void *out; size_t outBytes; void *other; size_t otherBytes;
  void *total; size_t totalBytes; void *second; size_t secondBytes;
  long n0, n1, n2;
};
#ifdef PLAIN
#define LAUNCH(N) \\
  static void launch##N(struct Arguments *a) { \\
    sizes[0] = a->n0; sizes[1] = a->n1; sizes[2] = a->n2; \\
    for (at[2] = 0; at[2] < sizes[2]; ++at[2]) \\
      for (at[1] = 0; at[1] < sizes[1]; ++at[1]) \\
        for (at[0] = 0; at[0] < sizes[0]; ++at[0]) \\
          leaf##N(a->bytes, a->bytesBytes, a->shorts, a->shortsBytes, a->ints, \\
                  a->intsBytes, a->longs, a->longsBytes, a->singles, \\
                  a->singlesBytes, a->doubles, a->doublesBytes, a->counts, \\
                  a->countsBytes, a->k, a->m, a->q, a->z, a->y, a->out, \\
                  a->outBytes, a->other, a->otherBytes, a->total, \\
                  a->totalBytes, a->second, a->secondBytes); \\
  }
#else
#define LAUNCH(N) \\
  static void launch##N(struct Arguments *a) { \\
    __hpvm__wait(__hpvm__launch(0, root##N, a)); \\
  }
#endif
static u64 mix(u64 hash, u64 value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ul;
  return hash ^ (hash >> 29);
}
/* Every NaN is the same one. */
static u64 hashOf(const void *memory, size_t bytes, char letter) {
  u64 hash = 1;
  const unsigned char *p = memory;
  if (letter == 'f')
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
      float value; u32 bits;
      memcpy(&value, p + i, 4); memcpy(&bits, p + i, 4);
      hash = mix(hash, value != value ? 1 : bits);
    }
  else if (letter == 'd')
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
      double value; u64 bits;
      memcpy(&value, p + i, 8); memcpy(&bits, p + i, 8);
      hash = mix(hash, value != value ? 1 : bits);
    }
  else
    for (size_t i = 0; i < bytes; ++i)
      hash = mix(hash, p[i]);
  return hash;
}
static signed char bytes[256]; static unsigned short shorts[128];
static int ints[64]; static long longs[32];
static float singles[64]; static double doubles[128];
enum { ROOM = 1 << 23, FOLDS = 16 };  /* of 64 * 64 * 64 instances */
static _Alignas(64) char outMemory[ROOM], otherMemory[ROOM];
static int counts[16]; static long total[FOLDS], second[FOLDS];
static void fill(u64 seed) {
  u64 s = seed * 0x9E3779B97F4A7C15ul + 1;
#define NEXT (s ^= s << 13, s ^= s >> 7, s ^= s << 17)
  for (int i = 0; i < 256; ++i) bytes[i] = (signed char)NEXT;
  for (int i = 0; i < 128; ++i) shorts[i] = (unsigned short)NEXT;
  for (int i = 0; i < 64; ++i) ints[i] = (int)(i % 3 ? NEXT & 1023 : NEXT);
  for (int i = 0; i < 32; ++i) longs[i] = (long)(i % 3 ? NEXT & 65535 : NEXT);
  for (int i = 0; i < 64; ++i) singles[i] = (float)(int)NEXT / 65536.0f;
  for (int i = 0; i < 128; ++i) doubles[i] = (double)(int)NEXT / 1024.0;
  singles[3] = 0.0f; singles[4] = -0.0f; singles[5] = 1.0f / 0.0f;
  singles[6] = -1.0f / 0.0f; singles[7] = __builtin_nanf(""); singles[8] = 1e-42f;
  doubles[2] = -0.0; doubles[9] = __builtin_nan(""); doubles[10] = 1.0 / 0.0;
  doubles[11] = -1.0 / 0.0; doubles[12] = 5e-324; doubles[13] = 1e300;
}
struct Leaf {
  int number; void (*launch)(struct Arguments *);
  long n[3]; int fixed[3];
  size_t outBytes; char letter; size_t otherBytes; char otherLetter;  /* of one instance */
  size_t folds; long first[2]; size_t foldBytes[2]; char fold[2];
};
static void runOnce(const struct Leaf *leaf, int set, const long *n) {
  static const struct { long k; int m; u32 q; double z; float y; } sets[] = {
      {3, 2, 5, 1.5, -2.25f}, {0, -7, 0xfffffff0u, -0.0, 1e30f},
      {4294967290, 2147483000, 0x80000001u, __builtin_nan(""), -1.0f / 0.0f}};
  const size_t count = n[0] * n[1] * n[2];
  const size_t outBytes = count * leaf->outBytes, otherBytes = count * leaf->otherBytes;
  fill((u64)leaf->number * 7 + set);
  memset(outMemory, 0, outBytes);
  memset(otherMemory, 0, otherBytes);
  for (int i = 0; i < 16; ++i) counts[i] = i;
  for (size_t i = 0; i < FOLDS; ++i) {
    memcpy((char *)total + i * leaf->foldBytes[0], &leaf->first[0], leaf->foldBytes[0]);
    memcpy((char *)second + i * leaf->foldBytes[1], &leaf->first[1], leaf->foldBytes[1]);
  }
  struct Arguments a = {bytes, sizeof bytes, shorts, sizeof shorts, ints,
      sizeof ints, longs, sizeof longs, singles, sizeof singles, doubles,
      sizeof doubles, counts, sizeof counts, sets[set].k, sets[set].m,
      sets[set].q, sets[set].z, sets[set].y, outMemory, outBytes, otherMemory,
      otherBytes, total, leaf->folds * leaf->foldBytes[0], second,
      leaf->folds * leaf->foldBytes[1], n[0], n[1], n[2]};
  leaf->launch(&a);
  printf("%d %d %ld %ld %ld: %016lx %016lx %016lx %016lx %016lx\\n", leaf->number, set, n[0],
         n[1], n[2], hashOf(outMemory, outBytes, leaf->letter),
         hashOf(otherMemory, otherBytes, leaf->otherLetter),
         hashOf(counts, sizeof counts, 'b'),
         hashOf(total, leaf->folds * leaf->foldBytes[0], leaf->fold[0]),
         hashOf(second, leaf->folds * leaf->foldBytes[1], leaf->fold[1]));
}
static void run(const struct Leaf *leaf) {
  static const long rows[] = {0, 1, 3, 8, 15, 17, 33, 250, 511, 1000};
  static const long sides[] = {0, 1, 2, 5, 8, 9, 17};
  for (int again = 0; again < 4; ++again)
    runOnce(leaf, 0, leaf->n);
  runOnce(leaf, 1, leaf->n);
  runOnce(leaf, 2, leaf->n);
  const int isRow =
      leaf->n[1] == 1 && leaf->fixed[1] && leaf->n[2] == 1 && leaf->fixed[2];
  for (int i = 0; i < (isRow ? 10 : 7); ++i) {
    long n[3];
    for (int d = 0; d < 3; ++d)
      n[d] = leaf->fixed[d] ? leaf->n[d] : isRow ? rows[i] : sides[(i * (d + 1) + d) % 7];
    if (!leaf->fixed[0] || !leaf->fixed[1] || !leaf->fixed[2])
      runOnce(leaf, i % 3, n);
  }
}
"""


SIZES = {"int": 4, "unsigned": 4, "long": 8, "unsigned long": 8, "float": 4,
         "double": 8, "unsigned char": 1, "unsigned short": 2}


def kind_of(name):
    """How hashOf compares numbers of a type."""
    return {"float": "f", "double": "d"}.get(name, "b")


def first_of(fold):
    """What is folded into, its bytes, and how they are compared."""
    kind, op = fold or ("int", "SUM")
    first = {"AND": -1, "PRODUCT": 1}.get(op, 0)
    if op == "PRODUCT" and kind == "double":
        first = 0x3FF0000000000000  # 1.0
    if op == "MIN" and kind_of(kind) == "b":
        first = 2 ** 31 - 1
    return first, SIZES[kind], kind_of(kind)


def write(seed, count, path):
    r = random.Random(seed)
    leaves = [Leaf(random.Random(r.random()), i) for i in range(count)]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"/* Seed {seed}. */\n" + PRELUDE)
        for leaf in leaves:
            file.write("\n" + leaf.text() + "\n")
        file.write(HOST)
        for i in range(count):
            file.write(f"LAUNCH({i})\n")
        file.write("int main(void) {\n  __hpvm__init();\n")
        for leaf in leaves:
            n = (leaf.extents + [1, 1])[:3]
            fixed = (leaf.constant + [True, True])[:3]
            folds = [first_of(leaf.fold), first_of(leaf.second_fold)]
            file.write(
                f"  run(&(struct Leaf){{{leaf.number}, launch{leaf.number}, "
                f"{{{n[0]}, {n[1]}, {n[2]}}}, "
                f"{{{', '.join(str(int(f)) for f in fixed)}}}, "
                f"{leaf.per * SIZES[leaf.type]}, '{kind_of(leaf.type)}', "
                f"{leaf.other_per * SIZES[leaf.other_type]}, "
                f"'{kind_of(leaf.other_type)}', {leaf.fold_length}, "
                f"{{{folds[0][0]}, {folds[1][0]}}}, "
                f"{{{folds[0][1]}, {folds[1][1]}}}, "
                f"{{'{folds[0][2]}', '{folds[1][2]}'}}}});\n")
        file.write("  fflush(stdout);\n  if (getenv(\"WAIT\")) getchar();\n"
                   "  __hpvm__cleanup();\n  return 0;\n}\n")


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
