#!/usr/bin/env python3
"""Random parallel loops of OpenMP, compared with themselves without it.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Loops as people write them: sums of several kinds at once, under conditions;
arrays of an iteration's own; loops inside with breaks, and windows cut at the
ends; numbers of all widths side by side; strided loads and stores side by side;
complex numbers; rows. Whole numbers never overflow, since bounds of expressions
are known; sums of floating-point numbers are exact, so that any order is right.
Each loop runs with several sizes around the lengths of vectors and chunks.

  random_loops.py --sluice SLUICE --clang CLANG --seed N [--count N]
      [--loops N] [--any-sums] [--keep FOLDER]

With --any-sums, sums depend on their order, and `--reference` must give the same.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

WHOLE = {"B": ("unsigned char", 255), "S": ("short", 32767),
         "I": ("int", 1000), "L": ("long", 100000)}
REAL = {"F": "float", "D": "double"}
TYPE = {"B": "unsigned char", "S": "short", "I": "int", "L": "long",
        "F": "float", "D": "double", "U": "unsigned short", "W": "unsigned"}
LIMIT = {"int": 2 ** 31 - 1, "long": 2 ** 62}
SIZES = [0, 1, 7, 31, 33, 100, 1000, 2500, 4511]
MOST = 4600

PRELUDE = """#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned int u32;
typedef unsigned long u64;
#define SPACE 20480
static unsigned char gB[SPACE]; static short gS[SPACE]; static int gI[SPACE];
static long gL[SPACE]; static float gF[SPACE]; static double gD[SPACE];
static unsigned char oB[SPACE]; static short oS[SPACE]; static int oI[SPACE];
static long oL[SPACE]; static float oF[SPACE]; static double oD[SPACE];
static unsigned short oU[SPACE]; static unsigned oW[SPACE];
struct Sums { long l[8]; double d[8]; };
struct Pair { float x, y; };
static inline int toInt(double v) { return v > -1e6 && v < 1e6 ? (int)v : 77; }
"""

HOST = """
static u64 mix(u64 hash, u64 value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ul;
  return hash ^ (hash >> 29);
}
static u64 hashAll(struct Sums *s, int n) {
  u64 hash = 1;
  int used = n < 2000 ? 8192 : SPACE;
#define WHOLE(A) for (int i = 0; i < used; ++i) hash = mix(hash, (u64)A[i]);
  WHOLE(oB) WHOLE(oS) WHOLE(oI) WHOLE(oL) WHOLE(oU) WHOLE(oW)
  for (int i = 0; i < used; ++i) {
    u32 a; u64 b;
    memcpy(&a, oF + i, 4); memcpy(&b, oD + i, 8);
    hash = mix(hash, oF[i] != oF[i] ? 1 : a);
    hash = mix(hash, oD[i] != oD[i] ? 1 : b);
  }
  for (int i = 0; i < 8; ++i) {
    double d = s->d[i] + 0.0; u64 b;
    memcpy(&b, &d, 8);
    hash = mix(hash, (u64)s->l[i]);
    hash = mix(hash, d != d ? 1 : b);
  }
  return hash;
}
static void clear(void) {
  memset(oB, 0, sizeof oB); memset(oS, 0, sizeof oS); memset(oI, 0, sizeof oI);
  memset(oL, 0, sizeof oL); memset(oF, 0, sizeof oF); memset(oD, 0, sizeof oD);
  memset(oU, 0, sizeof oU); memset(oW, 0, sizeof oW);
}
static void fill(u64 seed, int special) {
  u64 s = seed * 0x9E3779B97F4A7C15ul + 1;
#define NEXT (s ^= s << 13, s ^= s >> 7, s ^= s << 17)
  for (int i = 0; i < SPACE; ++i) {
    gB[i] = (unsigned char)(NEXT >> 20);
    gS[i] = (short)(NEXT >> 20); if (gS[i] == -32768) gS[i] = 5;
    gI[i] = (int)((NEXT >> 20) %% 2001) - 1000;
    gL[i] = (long)((NEXT >> 20) %% 200001) - 100000;
    gF[i] = (float)((int)((NEXT >> 20) %% 129) - 64) / 4;
    gD[i] = (double)((int)((NEXT >> 20) %% 129) - 64) / 4;
    if (special && NEXT %% 37 == 0) {
      static const float odd[] = {-0.0f, 0.0f, INFINITY, -INFINITY, NAN, 1024, NAN};
      gF[i] = odd[(NEXT >> 9) %% 7];
      gD[i] = i %% 5 ? odd[(NEXT >> 9) %% 7] : -1024;
    }
  }
}
static void run(int number, void (*loop)(struct Sums *, int, int, int, int, int, float)) {
  static const int sizes[] = {%s};
  static const struct { int m, k, r, t; float z; } sets[] = {
      {3, 2, 1, 3, 1.5f}, {0, 0, 0, 0, -0.5f}, {9, 7, 5, 4, 2}, {8, 3, 2, 2, 0}};
  int runs = 0;
  for (int b = 0; b < 2; ++b) {
    fill(number * 2 + b, b);
    for (int a = 0; a < (int)(sizeof sizes / sizeof *sizes); ++a, ++runs) {
      int set = (a + 2 * b + number) & 3, again = a == 6 ? 3 : 1;
      for (; again; --again) {
        struct Sums s;
        for (int i = 0; i < 8; ++i) s.l[i] = i, s.d[i] = i;
        clear();
        loop(&s, sizes[a], sets[set].m, sets[set].k, sets[set].r, sets[set].t, sets[set].z);
        printf("%%d n=%%d set=%%d: %%016lx", number, sizes[a], set, hashAll(&s, sizes[a]));
        for (int i = 0; i < 8; ++i) printf(" %%ld", s.l[i]);
        for (int i = 0; i < 8; ++i) if (s.d[i] != s.d[i]) printf(" nan"); else printf(" %%g", s.d[i] + 0.0);
        printf("\\n");
      }
    }
  }
}
""" % ", ".join(map(str, SIZES))


class Loop:
    def __init__(self, r, number, has_any_sums):
        self.r, self.number = r, number
        self.has_any_sums = has_any_sums
        self.lines, self.depth = [], 2
        self.names = {}  # of whole numbers: (type, bound)
        self.reals = {}  # of floating-point numbers: type
        self.own = {}  # arrays: (element, length, bound or None)
        self.counters = []  # (name, bound)
        self.id, self.count = "i", 0
        self.clauses, self.results, self.before = [], [], []
        self.stored = set()

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    # Expressions with bounds.

    def place(self, letter):
        r, i = self.r, self.id
        j = f" + {r.choice(self.counters)[0]}" if self.counters and r.random() < .5 else ""
        kind = r.random()
        if self.small and kind < 0.4:
            c = r.choice([0, 0, 1, 2])
            return f"{self.pitch} * {i}{j}" + (f" + {c}" if c else "")
        if kind < 0.45:
            c = r.choice([0, 0, 0, 1, 2, 5])
            return f"{i}{j}" + (f" + {c}" if c else "")
        if kind < 0.7:
            s = r.choice([2, 2, 3, 4])
            return f"{s} * {i} + {r.randrange(s)}"
        if kind < 0.76:
            return f"(n - 1 - {i})"
        if kind < 0.8:
            return f"{i} / {r.choice([2, 3, 4, 8])}"
        if kind < 0.85:
            return f"({i} ^ {r.choice([1, 2, 4, 7])})"
        if kind < 0.9:
            return f"gB[{i}{j}]"
        if kind < 0.93:
            return f"gI[{i}] & {r.choice([63, 255, 1023])}"
        if kind < 0.97:
            return j[3:] or f"{r.randint(0, 9)}"
        return f"t * {i}{j}"

    def load(self, letter):
        return f"g{letter}[{self.place(letter)}]"

    def atom(self):
        """A whole number and its bound."""
        r = self.r
        kind = r.random()
        if kind < 0.45:
            letter = r.choice("BBSSIIIL")
            return self.load(letter), WHOLE[letter][1], TYPE[letter]
        if kind < 0.6 and self.names:
            name = r.choice(list(self.names))
            return name, self.names[name][1], self.names[name][0]
        if kind < 0.7 and self.counters:
            name, bound = r.choice(self.counters)
            return name, bound, "int"
        if kind < 0.78:
            whole = [name for name, a in self.own.items() if a[2] is not None]
            if whole:
                name = r.choice(whole)
                element, length, bound = self.own[name]
                return f"{name}[{self.own_index(length)}]", bound, element
        if kind < 0.86:
            return r.choice([("i", MOST, "int"), ("m", 9, "int"), ("k", 7, "int"),
                             ("n", MOST, "int"), ("t", 4, "int")])
        if kind < 0.9:
            return f"toInt({self.real(1)})", 10 ** 6, "int"
        c = r.choice([1, 2, 3, 5, 7, 16, 100, 255, -1, -4])
        return (f"{c}" if c > 0 else f"({c})"), abs(c), "int"

    def own_index(self, length):
        r = self.r
        if self.counters and r.random() < 0.7:
            i = r.choice(self.counters)[0]
            return r.choice([f"{i} & {length - 1}", f"({i} + {r.randint(1, 9)}) & {length - 1}",
                             f"{length - 1} - ({i} & {length - 1})", f"({i} * 3 + k) & {length - 1}",
                             f"({i} ^ {r.randrange(length)}) & {length - 1}"])
        return r.choice([f"{r.randrange(length)}", f"{r.randrange(length)}", f"gB[i] & {length - 1}",
                         f"i & {length - 1}", f"k & {length - 1}", f"(i + m) & {length - 1}"])

    def whole(self, depth=2):
        r = self.r
        if depth <= 0 or r.random() < 0.2:
            return self.atom()
        a, ba, ta = self.whole(depth - 1)
        kind = r.random()
        wide = lambda t: "long" if t == "long" else "int"
        if kind < 0.08:
            mask = r.choice([1, 3, 7, 31, 127, 255, 1023])
            return f"(({a}) & {mask})", mask, wide(ta)
        if kind < 0.16:
            by = r.choice(["1", "2", "3", "k", "(m & 7)", "(i & 3)"])
            return f"(({a}) >> {by})", ba, wide(ta)
        if kind < 0.22:
            by = r.choice(["1", "3", "k", "(i & 7)"])
            if ba * 128 < LIMIT[wide(ta)]:
                return f"(({a}) * (1 << {by}))", ba * 128, wide(ta)
        if kind < 0.28:
            by = r.choice(["2", "3", "5", "7", "8", "10", "(m + 1)", "(k * 2 + 1)", "(gB[i] + 1)"])
            return f"(({a}) {r.choice('/%')} {by})", ba, wide(ta)
        if kind < 0.34:
            to = r.choice([("unsigned char", 255), ("short", 32768), ("unsigned short", 65535),
                           ("signed char", 128)])
            return f"({to[0]})({a})", min(ba, to[1]) if to[0] in ("short", "signed char") else to[1], to[0]
        if kind < 0.38:
            return f"(long)({a})", ba, "long"
        b, bb, tb = self.whole(depth - 1)
        t = "long" if "long" in (wide(ta), wide(tb)) else "int"
        if kind < 0.5:
            return f"({self.condition(1)} ? {a} : {b})", max(ba, bb), t
        if kind < 0.6:
            op = r.choice("<>")
            return f"(({a}) {op} ({b}) ? ({a}) : ({b}))", max(ba, bb), t
        if kind < 0.66:
            mask = 2 ** (max(ba, bb) + 1).bit_length()
            if mask < LIMIT[t]:
                return f"(({a}) {r.choice('^|&')} ({b}))", mask, t
        if kind < 0.82 and ba * bb < LIMIT[t]:
            return f"({a}) * ({b})", ba * bb, t
        if ba + bb < LIMIT[t]:
            return f"({a} {r.choice('+-')} ({b}))", ba + bb, t
        return a, ba, ta

    def bounded(self, limit, depth=2):
        """A whole number that stays below `limit`."""
        a, bound, t = self.whole(depth)
        if bound >= limit:
            mask = 1 << (limit.bit_length() - 2)
            a, bound = f"({a}) % {mask}", mask
        return a, bound

    def real(self, depth=2):
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            choices = [self.load("F"), self.load("D"), self.load("F"), "z",
                       f"{r.randint(-3, 9)}.5f", "(float)i", f"(double)({self.atom()[0]})"]
            choices += list(self.reals) * 2
            choices += [f"{name}[{self.own_index(a[1])}]" for name, a in self.own.items() if a[2] is None] * 2
            return r.choice(choices)
        kind = r.random()
        a = self.real(depth - 1)
        if kind < 0.06:
            return f"fabsf((float)({a}))"
        if kind < 0.12:
            return f"sqrt(fabs({a}))"
        if kind < 0.15:
            return f"floor({a})"
        b = self.real(depth - 1)
        if kind < 0.22:
            return r.choice([f"fmin({a}, {b})", f"fmaxf((float)({a}), (float)({b}))", f"copysign({a}, {b})"])
        if kind < 0.32:
            return f"({self.condition(1)} ? {a} : {b})"
        if kind < 0.42:
            return f"(({a}) {r.choice(['<', '>', '<=', '>='])} ({b}) ? ({a}) : ({b}))"
        if kind < 0.48:
            return f"(({a}) / ({b}))"
        if kind < 0.52:
            return f"(float)({a})"
        return f"({a} {r.choice('+-*')} {b})"

    def exact(self, isNarrow):
        """A floating-point number whose sums are exact, and its type."""
        r = self.r
        if self.has_any_sums:
            return f"({self.real(1)}) / 3"
        f = lambda: r.choice(["gF", "gD"]) + f"[{self.place('F')}]"
        kind = r.random()
        if kind < 0.3 or isNarrow:
            return f()
        if kind < 0.6:
            return f"{f()} * {f()}"
        if kind < 0.75:
            return f"{f()} {r.choice('+-')} {f()}"
        if kind < 0.9:
            return f"({self.condition(1)} ? {f()} : {f()})"
        return r.choice([f"(float)({self.bounded(256, 1)[0]})", f"{f()} * gB[i] / 64"])

    def condition(self, depth=1):
        r = self.r
        kind = r.random()
        if kind < 0.4:
            return f"({self.whole(depth)[0]}) {r.choice(['<', '>', '==', '!=', '>='])} ({self.whole(0)[0]})"
        if kind < 0.6:
            return f"{self.real(depth)} {r.choice(['<', '>', '<='])} {self.real(0)}"
        if kind < 0.7:
            return f"(({self.atom()[0]}) & {r.choice([1, 2, 3])}) == {r.choice([0, 1])}"
        if kind < 0.8:
            return r.choice(["m > 3", "k & 1", "r", "z > 0", "n > 50"])
        if depth:
            return f"({self.condition(0)} {r.choice(['&&', '||'])} {self.condition(0)})"
        return f"gB[{self.place('B')}] > {r.randint(0, 255)}"

    # Statements.

    def declare(self):
        r = self.r
        if r.random() < 0.5:
            t = r.choice(["int", "long", "unsigned char", "short"])
            a, bound, _ = self.whole()
            if t == "long":
                pass
            elif t == "int":
                if bound >= 2 ** 31:
                    a, bound = f"(int)(({a}) % 100000)", 100000
            else:
                a, bound = f"({t})({a})", 255 if t == "unsigned char" else 32768
            name = self.fresh("a")
            self.emit(f"{t} {name} = {a};")
            self.names[name] = (t, bound)
        else:
            name, t = self.fresh("f"), r.choice(["float", "double"])
            self.emit(f"{t} {name} = {self.real()};")
            self.reals[name] = t

    def assign(self):
        r = self.r
        if self.own and r.random() < 0.4:
            name = r.choice(list(self.own))
            element, length, bound = self.own[name]
            at = f"{name}[{self.own_index(length)}]"
            if bound is None:
                return self.emit(f"{at} {r.choice(['=', '+=', '='])} {self.real(1)};")
            return self.emit(f"{at} = ({element})(({self.whole(1)[0]}) % {bound});")
        if self.reals and r.random() < 0.5:
            name = r.choice(list(self.reals))
            return self.emit(f"{name} {r.choice(['=', '+=', '-=', '*='])} {self.real(1)};")
        if not self.names:
            return self.declare()
        name = r.choice(list(self.names))
        t, bound = self.names[name]
        if bound < 2:
            return None
        if r.random() < 0.5:
            return self.emit(f"{name} = ({t})(({self.whole(1)[0]}) % {bound});")
        return self.emit(f"{name} = ({t})((({name}) {r.choice('+-^')} ({self.bounded(2 ** 20, 1)[0]})) % {bound});"
                         if bound < 2 ** 30 else f"{name} = ({t})(({name}) / 2);")

    def scoped(self, body):
        names, reals, own = dict(self.names), dict(self.reals), dict(self.own)
        self.depth += 1
        body()
        self.depth -= 1
        self.names, self.reals, self.own = names, reals, own

    def array(self):
        r = self.r
        name, length = self.fresh("w"), r.choice([2, 4, 4, 8, 8, 16])
        element = r.choice(["int", "unsigned char", "short", "long", "float", "double", "float"])
        isReal = element in ("float", "double")
        bound = None if isReal else {"unsigned char": 200, "short": 30000}.get(element, 100000)
        j = self.fresh("j")
        fill = r.random()
        if fill < 0.2:
            self.emit(f"{element} {name}[{length}] = {{{r.choice(['0', '1, 2'])}}};")
        else:
            self.emit(f"{element} {name}[{length}];")
            self.emit(f"for (int {j} = 0; {j} < {length}; ++{j})")
            self.counters.append((j, length))
            value = self.real(1) if isReal else f"({element})(({self.whole(1)[0]}) % {bound})"
            if not isReal and element == "unsigned char":
                value = f"(unsigned char)((({self.whole(1)[0]}) & 1023) % {bound})"
            self.emit(f"  {name}[{j}] = {value};")
            self.counters.pop()
        self.own[name] = (element, length, bound)
        kind = r.random()
        h = length // 2
        if kind < 0.25 and (isReal or element in ("int", "long")):
            if isReal:
                self.emit(f"for (int {j} = 0; {j} < {h}; ++{j}) {{ {element} p = {name}[{j}], q = {name}[{j} + {h}]; "
                          f"{name}[{j}] = p + q; {name}[{j} + {h}] = p - q; }}")
            else:
                self.emit(f"for (int {j} = 0; {j} < {h}; ++{j}) {{ {element} p = {name}[{j}], q = {name}[{j} + {h}]; "
                          f"{name}[{j}] = (p + q) % {bound}; {name}[{j} + {h}] = (p - q) % {bound}; }}")
        elif kind < 0.5:
            self.emit(f"for (int {j} = 0; {j} + 1 < {length}; ++{j}) for (int q = 0; q + 1 < {length} - {j}; ++q) "
                      f"if ({name}[q] > {name}[q + 1]) {{ {element} p = {name}[q]; {name}[q] = {name}[q + 1]; {name}[q + 1] = p; }}")
        elif kind < 0.65 and not isReal and element != "unsigned char":
            self.emit(f"for (int {j} = 0; {j} < m; ++{j}) {name}[(gB[i + {j}]) & {length - 1}] = "
                      f"({element})(({name}[gB[i + {j}] & {length - 1}] + 1) % {bound});")
        elif kind < 0.75 and isReal:
            self.emit(f"for (int {j} = 1; {j} < {length}; ++{j}) {name}[{j}] += {name}[{j} - 1];")

    def loop(self):
        r = self.r
        j = self.fresh("j")
        kind = r.random()
        head = r.choice([f"for (int {j} = 0; {j} < m; ++{j})", f"for (int {j} = 0; {j} < {r.randint(1, 8)}; ++{j})",
                         f"for (int {j} = 0; {j} < (gB[i] & 7); ++{j})", f"for (int {j} = m; {j} > 0; --{j})",
                         f"for (int {j} = r; {j} <= m; {j} += 2)", f"for (long {j} = 0; {j} < m + k; ++{j})"])
        self.counters.append((j, 16))
        if kind < 0.2:  # a window cut at the ends
            self.counters.pop()
            s, letter = self.fresh("s"), r.choice("BSIFD")
            t = {"B": "int", "S": "int", "I": "int"}.get(letter, TYPE[letter])
            self.emit(f"{t} {s} = 0;")
            style = r.random()
            if style < 0.4:
                self.emit(f"for (int {j} = (i - r > 0 ? i - r : 0); {j} <= (i + r < n - 1 ? i + r : n - 1); ++{j}) {s} += g{letter}[{j}];")
            elif style < 0.7:
                self.emit(f"for (int {j} = -r; {j} <= r; ++{j}) {{ int q = i + {j}; if (q < 0) q = 0; if (q >= n) q = n - 1; {s} += g{letter}[q]; }}")
            elif style < 0.85:
                self.emit(f"for (int {j} = -r; {j} <= r; ++{j}) {{ int q = i + {j}; if (q < 0 || q >= n) continue; {s} += g{letter}[q] * (r + 1 - abs({j})); }}")
            else:
                self.emit(f"for (int {j} = -r; {j} <= r; ++{j}) if (i + {j} >= 0 && i + {j} < n && g{letter}[i + {j}] > {s}) {s} = g{letter}[i + {j}];")
            if t == "int":
                self.names[s] = (t, 11 * 32768 * 6)
            else:
                self.reals[s] = t
            return
        if kind < 0.4:  # a sum of its own
            s = self.fresh("s")
            if r.random() < 0.5:
                t = r.choice(["float", "double"])
                self.emit(f"{t} {s} = {r.choice(['0', 'z', '1'])};")
                value = self.real(2)
                guard = f"if ({self.condition(0)}) " if r.random() < 0.3 else ""
                self.emit(f"{head} {guard}{s} {r.choice(['+=', '+=', '-=', '*='])} {value};")
                self.counters.pop()
                self.reals[s] = t
            else:
                t = r.choice(["int", "long"])
                self.emit(f"{t} {s} = {r.choice(['0', 'm', '1'])};")
                value, bound = self.bounded(2 ** 26 if t == "int" else 2 ** 55, 2)
                guard = f"if ({self.condition(0)}) " if r.random() < 0.3 else ""
                style = r.random()
                if style < 0.7:
                    self.emit(f"{head} {guard}{s} {r.choice(['+=', '-='])} {value};")
                    bound = bound * 18 + 9
                else:
                    self.emit(f"{head} {guard}{s} = {s} {r.choice('<>')} {value} ? {s} : {value};")
                    bound = max(bound, 9)
                self.counters.pop()
                self.names[s] = (t, bound)
            return
        if kind < 0.5:  # complex numbers
            t = r.choice(["float", "double"])
            c, d = self.fresh("c"), self.fresh("c")
            self.counters.pop()
            re, im = ("gF", "gF") if t == "float" else ("gD", "gD")
            self.emit(f"{t} _Complex {c} = {re}[2 * i] / 16 + {im}[2 * i + 1] / 16 * I, {d} = {c};")
            style = r.random()
            n = self.fresh("a")
            self.emit(f"int {n} = 0;")
            if style < 0.5:
                norm = f"{'crealf' if t == 'float' else 'creal'}({d}) * {'crealf' if t == 'float' else 'creal'}({d}) + " \
                       f"{'cimagf' if t == 'float' else 'cimag'}({d}) * {'cimagf' if t == 'float' else 'cimag'}({d})"
                self.emit(f"for (; {n} < m + 5 && {norm} < 4; ++{n}) {d} = {d} * {d} + {c};")
            else:
                self.emit(f"for (int {j} = 0; {j} < m; ++{j}) {{ {d} {r.choice(['+=', '-='])} {c} * "
                          f"({re}[i + {j}] + {im}[i + {j} + 1] * I); ++{n}; }}")
            self.names[n] = ("int", 20)
            f = self.fresh("f")
            self.emit(f"{t} {f} = {r.choice(['creal', 'cimag'])}({d});")
            self.reals[f] = t
            return
        self.emit(head + " {")
        def body():
            for _ in range(r.randint(1, 3)):
                self.statement(self.budget)
            if r.random() < 0.4:
                self.emit(f"if ({self.condition(1)}) {r.choice(['break', 'break', 'continue'])};")
                self.assign()
        self.budget -= 1
        self.scoped(body)
        self.budget += 1
        self.counters.pop()
        self.emit("}")

    def rows_of_own(self):
        """Elements side by side that an iteration writes in a loop of its own."""
        r = self.r
        j = self.fresh("j")
        letter = self.new_output()
        if not letter or self.collapse:
            return
        limit = r.choice(["16", "20", "m + k", "m + 5", "(n > 50 ? 20 : 3)", "(gB[i] & 15)"])
        head = r.choice([f"for (int {j} = 0; {j} < {limit}; ++{j})", f"for (long {j} = 0; {j} < {limit}; ++{j})",
                         f"for (int {j} = {limit} - 1; {j} >= 0; --{j})"])
        self.emit(head + " {")
        self.counters.append((j, 20))
        def body():
            for _ in range(r.randint(0, 3)):
                self.statement(1)
            guard = f"if ({self.condition(0)}) " if r.random() < 0.2 else ""
            self.emit(f"{guard}o{letter}[i * {self.pitch} + {j}] = {self.value_of(letter)};")
            if r.random() < 0.1:
                self.emit(f"if ({self.condition(0)}) break;")
        self.scoped(body)
        self.counters.pop()
        self.emit("}")

    def value_of(self, letter):
        if letter in "FD":
            return self.real()
        a, _, _ = self.whole()
        return f"({TYPE[letter]})({a})"

    def new_output(self):
        left = [c for c in "BSILFDUW" if c not in self.stored]
        if not left:
            return None
        letter = self.r.choice(left)
        self.stored.add(letter)
        return letter

    def store(self):
        r = self.r
        letter = self.new_output()
        if not letter:
            return
        guard = f"if ({self.condition()}) " if r.random() < 0.25 else ""
        kind = r.random()
        if self.collapse:
            self.emit(f"{guard}o{letter}[{self.pitch} * i + x] = {self.value_of(letter)};")
        elif kind < 0.55:
            self.emit(f"{guard}o{letter}[{r.choice(['i', 'i', 'i', 'i + 3', 'n - 1 - i'])}] = {self.value_of(letter)};")
        else:
            s = r.choice([2, 2, 3, 4])
            for f in r.sample(range(s), r.randint(1, s)):
                self.emit(f"{guard}o{letter}[{s} * i + {f}] = {self.value_of(letter)};")

    def fold(self):
        r = self.r
        if len(self.results) >= 6:
            return
        name = self.fresh("q")
        at = len(self.results)
        guard = f"if ({self.condition()}) " if r.random() < 0.4 else ""
        kind = r.random()
        if kind < 0.35:
            t = r.choice(["float", "double", "double"])
            self.before.append(f"{t} {name} = {r.choice(['0', '2', '-1'])};")
            self.clauses.append(f"reduction(+ : {name})")
            self.emit(f"{guard}{name} {r.choice(['+=', '+=', '-='])} {self.exact(t == 'float')};")
            self.results.append(f"s->d[{at}] = {name};")
        elif kind < 0.5:
            t = r.choice(["float", "double"])
            op = r.choice(["min", "max"])
            first = r.choice(["100", "-100", "z"])
            self.before.append(f"{t} {name} = {first};")
            self.clauses.append(f"reduction({op} : {name})")
            v = self.real(1)
            f = self.fresh("f")
            self.emit(f"{t} {f} = {v};")
            self.reals[f] = t
            c = "<" if op == "min" else ">"
            self.emit(f"{guard}{name} = {f} {c} {name} ? {f} : {name};" if r.random() < 0.5 or guard else
                      f"if ({f} {c} {name}) {name} = {f};")
            self.results.append(f"s->d[{at}] = {name};")
        elif kind < 0.8:
            t = r.choice(["int", "long", "long", "unsigned", "unsigned char", "short", "unsigned short"])
            limit = {"int": 2 ** 17, "long": 2 ** 48, "unsigned": 2 ** 20}.get(t, 2 ** 10)
            a, _ = self.bounded(limit)
            self.before.append(f"{t} {name} = {r.choice(['0', '3'])};")
            self.clauses.append(f"reduction(+ : {name})")
            self.emit(f"{guard}{name} {r.choice(['+=', '+=', '-='])} {a};")
            self.results.append(f"s->l[{at}] = {name};")
        elif kind < 0.9:
            t = r.choice(["int", "long", "short", "unsigned char"])
            op = r.choice(["min", "max"])
            a, bound, _ = self.whole()
            self.before.append(f"{t} {name} = {r.choice(['0', '100', '7'])};")
            self.clauses.append(f"reduction({op} : {name})")
            v = self.fresh("a")
            self.emit(f"{t} {v} = ({t})(({a}) % 100000);")
            self.names[v] = (t, 100000)
            c = "<" if op == "min" else ">"
            self.emit(f"{guard}{name} = {v} {c} {name} ? {v} : {name};")
            self.results.append(f"s->l[{at}] = {name};")
        else:
            t = r.choice(["int", "unsigned", "long", "unsigned char"])
            op = r.choice("^|&")
            self.before.append(f"{t} {name} = {'-1' if op == '&' and t[0] != 'u' else '0' if op != '&' else '255'};")
            self.clauses.append(f"reduction({op} : {name})")
            self.emit(f"{guard}{name} {op}= {self.whole()[0]};")
            self.results.append(f"s->l[{at}] = {name};")

    budget = 2
    small = collapse = False
    pitch = 20

    def statement(self, budget):
        r = self.r
        if len(self.lines) > 60:
            return self.assign()
        kind = r.random()
        if kind < 0.25:
            return self.assign()
        if kind < 0.35:
            return self.declare()
        if budget <= 0:
            return self.assign()
        if kind < 0.65:
            return self.loop()
        if kind < 0.75:
            return self.array()
        if kind < 0.8:
            self.emit(f"switch ({self.bounded(1 << 30, 1)[0]} & 3) {{")
            for case in r.sample(["case 0:", "case 1:", "case 2:", "default:"], r.randint(2, 4)):
                self.emit(case + " {")
                self.scoped(lambda: [self.assign() for _ in range(r.randint(1, 2))])
                self.emit("}" + r.choice([" break;", " break;", ""]))
            return self.emit("}")
        self.emit(f"if ({self.condition()}) {{")
        self.budget -= 1
        self.scoped(lambda: [self.statement(budget - 1) for _ in range(r.randint(1, 2))])
        if r.random() < 0.4:
            self.emit("} else {")
            self.scoped(lambda: self.statement(budget - 1))
        self.budget += 1
        return self.emit("}")

    def text(self):
        r = self.r
        self.small = r.random() < 0.4
        self.pitch = r.choice([20, 20, 20, 20])
        if self.small and r.random() < 0.3:
            self.collapse = True
            self.counters.append(("x", 20))
        for _ in range(r.randint(0, 2)):
            self.declare()
        if r.random() < 0.05:
            self.emit(f"if ({self.condition()}) continue;")
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            self.statement(2)
        if self.small:
            for _ in range(r.choice([1, 1, 2])):
                self.rows_of_own()
        wants = r.random()
        for _ in range(r.choice([0, 1, 1, 2, 3]) if wants < 0.75 else 0):
            self.store()
        for _ in range(r.choice([1, 1, 2, 3, 4]) if wants > 0.4 else 0):
            self.fold()
        if not self.stored and not self.results:
            self.store()
        clauses = "".join(f" {c}" for c in self.clauses)
        simd = r.choice(["", "", "", " simd"])
        schedule = r.choice(["", "", "", " schedule(static)", " schedule(dynamic)"])
        counter = r.choice(["int", "int", "long"])
        n = "n" if not self.small else "n2"
        result = [f"static __attribute__((noinline)) void loop{self.number}"
                  "(struct Sums *s, int n, int m, int k, int r, int t, float z) {"]
        if self.small:
            result.append("  int n2 = n < 400 ? n : 400;")
        result += ["  " + line for line in self.before]
        result.append(f"#pragma omp parallel for{simd}{schedule}{clauses}")
        if self.collapse:
            result[-1] += " collapse(2)"
        result.append(f"  for ({counter} i = 0; i < {n}; ++i) {{" if not self.collapse else
                      f"  for ({counter} i = 0; i < {n}; ++i) for (int x = 0; x < {r.choice(['16', '20', '3'])}; ++x) {{")
        result += self.lines + ["  }"] + ["  " + line for line in self.results] + ["}"]
        return "\n".join(result)


def program(seed, count, has_any_sums):
    r = random.Random(seed)
    loops = [Loop(random.Random(r.random()), i, has_any_sums).text()
             for i in range(count)]
    runs = "".join(f"  run({i}, loop{i});\n" for i in range(count))
    return "\n".join([PRELUDE, *loops, HOST, "int main(void) {\n" + runs + "}\n"])


def output(command, **settings):
    try:
        done = subprocess.run(command, env={**os.environ, **settings}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", timeout=600)
    except subprocess.TimeoutExpired:
        return f"{' '.join(command)} does not end\n"
    return done.stdout + f"status {done.returncode}\n"


def differences(options, seed, folder):
    """Lines that tell where a program prints something else than it should."""
    source, binary = (os.path.join(folder, f"{seed}{end}") for end in (".c", ".exe"))
    with open(source, "w", encoding="ascii") as file:
        file.write(program(seed, options.loops, options.any_sums))
    r = random.Random(seed)
    processor = r.choice(["-march=x86-64-v3", "-march=native"])
    level = r.choice(["-O1", "-O2", "-O3", "-O3"])
    more = r.choice([[], [], [], ["--no-lanes"], ["-mprefer-vector-width=256"]])
    build = [options.sluice, "build", "-w", "-q", processor, source, "-o", binary]
    plain = [options.clang, "-w", "-O1", processor, source, "-o", binary, "-lm"]
    expected = output([*build, "--reference"] if options.any_sums else plain)
    expected += output([binary], SLUICE_WORKERS="1")
    built = output([*build, level, *more])
    result = []
    for workers in ("1", "2", "5"):
        found = built + output([binary], SLUICE_WORKERS=workers)
        for a, b in zip(expected.splitlines(), found.splitlines()):
            if a != b:
                result.append(f"seed {seed}, {processor} {level} {' '.join(more)}, "
                              f"{workers} workers:\n  expected {a}\n  found    {b}")
    if os.path.exists(binary):
        os.remove(binary)
    if not result and not options.keep:
        os.remove(source)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--loops", type=int, default=10)
    parser.add_argument("--any-sums", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER")
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            found = differences(options, seed, options.keep or folder)
            print("".join(line + "\n" for line in found[:6]), end="")
            bad += bool(found)
    print(f"{options.count} programs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
