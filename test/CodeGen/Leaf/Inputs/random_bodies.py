"""Writes a random leaf with a body as people write them in C.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_bodies.py SEED FILE.c     prints sluice-codegen-test's options

Counters of 8 to 64 bits that wrap around or run against bounds of another width,
loops of every form with trip counts that data decides, `continue`, `break`,
`goto` and early returns in loops in loops, switches that fall through, pointers
that walk through rows, arrays of one and two dimensions and of structures that
an instance has for itself, functions with several returns, divisions by negative
arguments, shifts up to the width, casts at the limits of their types, floating-
point numbers that are NaN, infinite or denormal, updates under conditions and by
loops of compare-and-exchange. Nothing is left undefined by C, and an instance
writes only what is its own.
"""

import re

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """typedef unsigned long u64;
int add(int *, int) __asm__("llvm.hpvm.atomic.add");
int larger(int *, int) __asm__("llvm.hpvm.atomic.max");
int swapIf(int *, int, int) __asm__("llvm.hpvm.atomic.cmpxchg");
int look(const int *) __asm__("llvm.hpvm.atomic.load");
double fmin(double, double); float fmaxf(float, float); double fabs(double);
float sqrtf(float); double floor(double);
struct Cell { int key; short tag; float weight; };
union Bits { u32 whole; float real; };
/* NaNs differ in bits that do not count. */
static inline double one(double v) { return v != v ? 7.5 : v; }
static inline int toInt(double v) { return v >= -2147483648.0 && v <= 2147483647.0 ? (int)v : 77; }
static inline int fromSingle(float v) { return v >= -2147483648.0f && v < 2147483648.0f ? (int)v : -7; }
static inline u32 toWord(double v) { return v > -1 && v < 4294967296.0 ? (u32)v : 5u; }
static inline long toLong(double v) { return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (long)v : 9; }
static inline u64 toUnsigned(float v) { return v > -1 && v < 18446744073709551616.0f ? (u64)v : 11; }
static inline unsigned char toByte(double v) { if (!(v > -1)) return 0; if (v >= 256) return 255; return (unsigned char)v; }
/* No signalling NaN, of which compilers may make two things. */
static inline float bits(u32 v) { union Bits b; b.whole = (v & 0x7f800000u) == 0x7f800000u ? v | 0x400000u : v; return b.real; }
static inline int pick(int a, int b) {
  if (a > b) { if (a & 1) return b; return a ^ 21; }
  for (int t = 0; t < 3; ++t) { if ((a & 15) == t) return t * 7; if (b == t) return -t; }
  switch (b & 3) { case 0: return a; case 1: a ^= 5; default: return a ^ b; }
}
static inline int divide(int a, int b) { if (b == 0) return a; if (b == -1 && a < -2147483647) return 0; return a / b; }
static inline int find(const int *p, int count, int what) {
  for (int t = 0; t < count; ++t) if (p[t] == what) return t;
  return -1;
}
static __attribute__((noinline)) u32 far(const int *p, u32 v) { for (int t = 0; t < 9 && (v & 1); ++t) v = v / 3 + (u32)p[v & 63]; return v; }
"""

WHOLE = ["signed char", "unsigned char", "short", "unsigned short", "int",
         "u32", "long", "u64"]
COUNTERS = ["unsigned char", "unsigned short", "int", "int", "u32", "long",
            "u64", "signed char", "short"]
ARRAYS = {"bytes": ("signed char", "i8"), "shorts": ("unsigned short", "i16"),
          "ints": ("int", "i32"), "longs": ("long", "i64"),
          "singles": ("float", "f32"), "doubles": ("double", "f64")}
OWN = 8  # elements of `out` and `row` that are an instance's own


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        dims = r.choice([1, 1, 1, 1, 2, 2, 3])
        ends = {1: [0, 1, 2, 3, 15, 16, 17, 63, 64, 65, r.randint(1, 200)],
                2: [0, 1, 2, 3, 8, 9, r.randint(1, 24)],
                3: [0, 1, 2, 3, 5]}[dims]
        self.levels = [[r.choice(ends[r.random() < 0.9:]) for _ in range(dims)]]
        if r.random() < 0.2:
            self.levels.insert(0, [r.randint(1, 4)])
        if r.random() < 0.15:
            self.make_far()
        self.numbers = 0
        self.counters, self.labels = [], []
        self.loops = 0
        self.fuel = r.random() < 0.3
        self.kinds = {f"w{i}": r.choice(WHOLE) for i in range(r.randint(2, 4))}
        self.reals = {f"r{i}": r.choice(["float", "double"])
                      for i in range(r.randint(1, 3))}
        self.places = []  # arrays of its own: name, lengths, member
        self.own_kinds = {}
        self.has_cells = r.random() < 0.3
        self.plain = r.random() < 0.6

    def fresh(self, prefix):
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    # Expressions. `choose` draws one of some texts, and only then what stands in
    # it: W for a whole number, R for a real one, C for a condition, B8 for a
    # place below 8, I and F for variables.

    def choose(self, depth, *texts):
        def one(match):
            kind, length = match.group(1), match.group(2)
            if kind == "I":
                return self.r.choice(list(self.kinds))
            if kind == "F":
                return self.r.choice(list(self.reals))
            if kind == "B":
                return self.below(int(length), depth)
            return {"W": self.whole, "R": self.real, "C": self.condition}[kind](depth)
        return re.sub(r"\b([WRCIFB])(\d*)\b(?!')", one, self.r.choice(texts))

    def below(self, length, depth=1):
        """A place below `length`, a power of two."""
        r = self.r
        mask = length - 1
        if self.counters and r.random() < 0.5:
            c = r.choice(self.counters)
            return r.choice([f"{c} & {mask}", f"({c} + {r.randint(1, 9)}) & {mask}",
                             f"({c} ^ x) & {mask}", f"(u32)({c} * 3) % {length}u"])
        texts = [f"x & {mask}", f"gid & {mask}", f"{r.randrange(length)}",
                 f"{mask} - (x & {mask})", f"(x + {r.randint(1, 7)}) & {mask}",
                 f"n & {mask}", f"(u32)m % {length}u"]
        if depth > 0:
            texts += [f"(u64)(W) & {mask}"] * 2
        return self.choose(depth - 1, *texts)

    def whole(self, depth=2):
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            return self.atom(depth)
        kind = r.random()
        sign = r.choice("/%")
        if kind < 0.1:
            texts = ["((u32)(W) << ((u32)(W) & 31))", "((int)(W) >> ((u32)(W) & 31))",
                     "((u64)(W) << ((u32)(W) & 63))", "((long)(W) >> ((u32)(W) & 63))",
                     f"((u32)(W) >> {r.choice([31, 30, 24, 16, 1])})", "((long)(W) >> 63)",
                     "((u32)(I) << (s & 31) | (u32)(I) >> (-s & 31))",
                     "((unsigned short)(W) << 15)", "((signed char)(W) >> 7)"]
        elif kind < 0.2:
            texts = [f"(((int)(W) >> 1) {sign} d)", f"(((long)(W) >> 1) {sign} (long)d)",
                     "divide((int)(W), (int)(W))", f"((u32)(W) {sign} ((u32)(W) | 1))",
                     f"((signed char)(W) {sign} ((unsigned char)(W) | 1))",
                     f"((int)(W) {sign} {r.choice([2, 3, 7, 8, 10, -3, -8, 64, 255])})",
                     f"((u64)(W) {sign} {r.choice([2, 3, 7, 10, 1000, 64])})"]
        elif kind < 0.3:
            texts = [f"({r.choice(WHOLE)})(W)"]
        elif kind < 0.4:
            texts = ["(C ? (long)(W) : (long)(W))", "((int)(W) < (int)(I) ? (int)(W) : (int)(I))",
                     "((unsigned char)(I) > (unsigned char)(W) ? W : W)",
                     "pick((int)(W), (int)(W))"]
        elif kind < 0.5:
            texts = ["__builtin_popcount((u32)(W))", "__builtin_clz((u32)(W) | 1u)",
                     "__builtin_ctzl((u64)(W) | 256)", "!(W)", "~(u32)(W)",
                     f"find(ints, {r.randint(0, 9)}, (int)(W))", "far(ints, (u32)(W))",
                     "__builtin_bswap32((u32)(W))", "toInt(R)", "fromSingle((float)(R))",
                     "toWord(R)", "toLong(R)", "toByte(R)", "toUnsigned((float)(R))"]
        else:
            op = r.choice(["+", "-", "*", "^", "&", "|", "+", "-"])
            texts = [f"((u64)(W) {op} (u64)(W))"]
        return self.choose(depth - 1, *texts)

    def atom(self, depth):
        r = self.r
        kind = r.random()
        if kind < 0.25:
            return r.choice(list(self.kinds))
        if kind < 0.4:
            return r.choice(["x", "gid", "(int)x", "y", "(nx - 1 - x)"])
        if kind < 0.5:
            return r.choice(["n", "m", "d", "s", "nx"])
        if kind < 0.65 and self.counters:
            return r.choice(self.counters)
        if kind < 0.75 and self.places:
            return self.own_element(depth)
        if kind < 0.9:
            return self.choose(depth - 1, "bytes[B64]", "shorts[B64]", "ints[B64]", "longs[B64]",
                               "cells[B64].key", "cells[B64].tag", f"row[B{OWN}]")
        return r.choice(["0", "1", "2", "-1", "3", "7", "31", "100", "127", "-128",
                         "255", "256", "65535", "2147483647", "(-2147483647 - 1)"])

    def real(self, depth=2):
        r = self.r
        if depth <= 0 or r.random() < 0.3:
            return self.choose(depth - 1, "F", "F", "singles[B64]", "doubles[B64]",
                               "cells[B64].weight", "0.0", "-0.0", f"{r.randint(-9, 9)}.5f",
                               "(float)x", "(double)n", "1e30f", "3.4e38f", "2147483647.0",
                               "255.9", "bits((u32)(I) << 20)", "bits((u32)gid << 23)")
        kind = r.random()
        if kind < 0.25:
            sign = r.choice(["<", ">", "<=", ">="])
            texts = [f"(R {sign} F ? R : F)", f"(F {sign} R ? F : R)", f"(F {sign} F ? R : R)"]
        elif kind < 0.35:
            texts = ["(fmin(R, R) + 0.0)", "(fmaxf((float)(R), (float)(R)) + 0.0f)"]
        elif kind < 0.5:
            texts = ["fabs(R)", "sqrtf((float)(R))", "floor(R)", "(-(R))", "(float)(R)"]
        elif kind < 0.6:
            texts = ["(double)(long)(W)", "(float)(int)(W)", "(float)(u32)(W)",
                     "(double)(u64)(W)", "(float)(unsigned char)(W)"]
        elif kind < 0.65:
            texts = ["(C ? R : R)"]
        else:
            texts = [f"(R {r.choice(['+', '-', '*', '/', '+', '-', '*'])} R)"]
        return self.choose(depth - 1, *texts)

    def condition(self, depth=1):
        r = self.r
        kind = r.random()
        if depth > 0 and kind < 0.2:
            texts = [f"(C {r.choice(['&&', '||'])} C)"]
        elif kind < 0.4:
            texts = [f"((W & {r.choice([1, 3, 7])}) {r.choice(['==', '!='])} {r.randint(0, 2)})"]
        elif kind < 0.55:
            texts = [f"(R {r.choice(['<', '>', '<=', '==', '!='])} R)"]
        elif kind < 0.65:
            texts = ["(n > 3)", "(m & 1)", "(d < 0)", "(s > 20)", "(n == (int)m)"]
        elif kind < 0.75:
            texts = ["(x > 0)", "(x < nx - 1)", "(x & 1)", "(x == n)", "(y != 0)", "(x < m)"]
        else:
            type = r.choice(["int", "u32", "long", "signed char", "unsigned short"])
            texts = [f"(({type})(W) {r.choice(['<', '>', '==', '!=', '<=', '>='])} ({type})(I))"]
        return self.choose(depth - 1, *texts)

    def own_element(self, depth=1):
        name, lengths, field = self.r.choice(self.places)
        return name + "".join(f"[{self.below(length, depth - 1)}]" for length in lengths) + field

    # Statements.

    def say(self, *texts):
        self.emit(self.choose(2, *texts))

    def assign(self):
        r = self.r
        kind = r.random()
        if kind < 0.3 and self.places:
            place = self.own_element()
            return self.say(f"{place} = W;", f"{place} ^= (u32)(W);",
                            f"{place} = (u64){place} + 1;", f"{place} = (u64){place} + 3 * (u64)x;")
        if kind < 0.55:
            name = r.choice(list(self.reals))
            return self.say(f"{name} = R;", f"{name} = {name} * 0.5f + R;",
                            f"if (R < {name}) {name} = R;")
        name = r.choice(list(self.kinds))
        return self.say(f"{name} = W;", f"{name} = (u64){name} + (u64)(W);",
                        f"{name} = (u64){name} ^ (u64)(W);", f"{name} = (u64){name} * 3 + (u64)(W);")

    def write(self):
        r = self.r
        self.say(f"out[gid * {OWN} + (B{OWN})] = (u32)(W);", "dout[gid] = one(R);",
                 f"row[B{OWN}] = (int)(u32)(W);",
                 f"row[{r.randint(1, OWN - 1)}] ^= row[{r.randint(0, OWN - 1)}];")

    def update(self):
        r = self.r
        how = r.random()
        if how < 0.4:
            text = self.choose(1, "add(&counts[B16], 1);", "add(&counts[B16], (int)(x & 7));",
                               "add(&counts[B16], -3);")
        elif how < 0.7:
            text = self.choose(1, "larger(&peaks[B16], (int)(W));")
        else:
            text = (f"{{ int *p = &swaps[{self.below(16)}], seen = look(p), was; "
                    f"while ((was = swapIf(p, seen, {self.swap})) != seen) seen = was; }}")
        if r.random() < 0.5:
            text = f"if {self.condition()} {text}"
        self.emit(text)

    def walk_own(self):
        """Pointers that go through what is an instance's own."""
        r = self.r
        name, lengths, field = r.choice(self.places)
        if field:
            return self.say("own[B8] = own[B8];", "own[B8] = cells[B64];",
                            "{ struct Cell *p = C ? own + (B4) : &own[B8]; p->key ^= (int)(W); I ^= (u64)p->tag; }",
                            "{ struct Cell copy[8]; __builtin_memcpy(copy, own, sizeof own); I ^= (u64)copy[B8].key; }",
                            "for (struct Cell *p = own; p != own + 8; ++p) if (p->key & 1) I = (u64)I + (u64)p->tag;")
        kind, flat = self.own_kinds[name], f"({self.own_kinds[name]} *){name}"
        count = 1
        for length in lengths:
            count *= length
        return self.say(
            f"{{ {kind} *p = {flat} + (B{count // 2}); for (u32 t = 0; t < (u32)(B{count // 2}); ++t) *p++ ^= ({kind})t; }}",
            f"{{ {kind} *p = {flat} + {count}; while (p != {flat} && C) I = (u64)I * 3 + (u64)*--p; }}",
            f"{{ {kind} *p = C ? {flat} : {flat} + {count // 2}; p[B{count // 2}] = ({kind})(W); }}",
            f"__builtin_memset({name}, {r.choice(['0', '0', '(n & 3)', '255'])}, sizeof {name});",
            f"{{ {kind} copy[{count}]; __builtin_memcpy(copy, {name}, sizeof copy); I ^= (u64)copy[B{count}]; }}",
            f"for ({kind} *p = {flat}, *e = p + {count}; p + 1 < e; ++p) p[1] ^= p[0];")

    def walk(self):
        """Pointers that go through rows."""
        r = self.r
        if self.places and r.random() < 0.3:
            return self.walk_own()
        array = r.choice(["bytes", "shorts", "ints", "longs"])
        type = ARRAYS[array][0]
        w = r.choice(list(self.kinds))
        p, e = self.fresh("p"), self.fresh("e")
        start = f"({self.below(32)})"
        length = r.choice([f"({self.below(16)})", "(n & 15)", f"{r.randint(0, 9)}"])
        kind = r.random()
        self.emit("{")
        if kind < 0.4:
            self.emit(f"  const {type} *{p} = {array} + {start}, *{e} = {p} + {length};")
            body = r.choice([f"{w} = (u64){w} * 3 + (u64)*{p}++;",
                             f"{{ {type} t = *{p}++; if (t < 0 || (t & 3) == 1) continue; {w} ^= (u64)t; }}",
                             f"{{ if (*{p} == {r.randint(-5, 5)}) break; {w} = (u64){w} - (u64)*{p}; ++{p}; }}"])
            self.emit(f"  while ({p} < {e}) {body}")
            self.emit(f"  {w} ^= (u64)({e} - {p});")
        elif kind < 0.6:
            self.emit(f"  const {type} *{p} = {array} + {start} + {length}, *{e} = {array} + {start};")
            self.emit(f"  while ({p} > {e} && {self.condition(0)}) {w} = (u64){w} * 5 + (u64)*--{p};")
        elif kind < 0.8:
            # Those that are wanted, one behind the other.
            self.emit(f"  u32 *{p} = out + gid * {OWN}, *{e} = {p} + {OWN};")
            i = self.open_loop(r.choice(["n & 15", "12", f"({self.below(16)})"]), "u32")
            self.emit(f"  if ({p} < {e} && {self.condition()}) *{p}++ = (u32)({self.whole(1)});")
            self.close_loop(i)
        else:
            self.emit(f"  const struct Cell *{p} = cells + {start};")
            self.emit(f"  for (u32 t = 0; t < (u32){length}; ++t, ++{p}) {{ {w} = (u64){w} + (u64){p}->key; "
                      f"if ({p}->tag > {r.randint(-50, 90)}) {r.choice(list(self.reals))} += {p}->weight; }}")
        self.emit("}")

    def open_loop(self, limit, type="int"):
        i = self.fresh("i")
        self.emit(f"for ({type} {i} = 0; {i} < ({type})({limit}); ++{i}) {{")
        self.counters.append(i)
        self.depth += 1
        return i

    def close_loop(self, i, end="}"):
        self.depth -= 1
        self.counters.remove(i)
        self.emit(end)

    def limit(self):
        r = self.r
        return self.choose(1, "n", "m", f"{r.randint(0, 9)}", "(B8)", "(B16)", "(s & 7)",
                           "((u64)(W) % 7)")

    def loop(self, budget):
        r = self.r
        i, type = self.fresh("i"), r.choice(COUNTERS)
        limit, step = self.limit(), r.choice([1, 1, 1, 2, 3])
        start = r.choice(["0", "0", f"{r.randint(1, 5)}"])
        kind = r.random()
        end = "}"
        self.emit("{")
        self.depth += 1
        self.loops += 1
        if self.fuel:
            self.emit(f"u32 fuel{i} = 0;")
        if kind < 0.25:
            self.emit(f"for ({type} {i} = {start}; {i} < {limit}; {i} += {step}) {{")
        elif kind < 0.4:
            # Around the end of the type.
            small = r.choice(["unsigned char", "unsigned short", "u32"])
            base = self.choose(1, "250", "65530", f"({small})-3", f"({small})(W)")
            self.emit(f"for ({small} {i} = ({small})({base}), e{i} = ({small})({i} + {step} * ({limit})); "
                      f"{i} != e{i}; {i} += {step}) {{")
        elif kind < 0.55:
            self.emit(f"for ({type} {i} = {limit}; {i}-- > 0;) {{")
        elif kind < 0.7:
            self.emit(f"{type} {i} = 0;")
            self.emit("do {")
            end = f"}} while (++{i} < {r.choice(['8', limit, limit])} && {i} < 20 && {self.condition()});"
        elif kind < 0.85:
            self.emit(f"{type} {i} = 0;")
            self.emit(f"while ({i} < 13 && {self.condition()}) {{ ++{i};")
        else:
            self.emit(f"{type} {i} = 0;")
            label = self.fresh("again")
            self.emit(f"{label}: {{")
            end = f"}} if (++{i} < {r.randint(1, 9)} && {self.condition()}) goto {label};"
        self.counters.append(i)
        self.depth += 1
        is_goto = end.startswith("} if")
        label = self.fresh("out") if r.random() < 0.2 else None
        if label:
            self.labels.append(label)
        if self.fuel and not is_goto:
            self.emit(f"if (++fuel{i} > {r.randint(3, 30)}u) break;")
        self.block(budget - 1)
        if r.random() < 0.4:
            jumps = [] if is_goto else ["break", "break", "continue"]
            jumps += [f"goto {r.choice(self.labels)}"] if self.labels else []
            if r.random() < 0.2 or not jumps:
                jumps = ["return"]
            self.emit(f"if {self.condition()} {r.choice(jumps)};")
            self.block(0)
        self.depth -= 1
        self.counters.remove(i)
        self.emit(end)
        self.loops -= 1
        self.depth -= 1
        self.emit("}")
        if label:
            self.labels.remove(label)
            self.emit(f"{label}:;")

    def nest(self):
        """Loops over an array of its own, to their ends."""
        r = self.r
        name, lengths, field = r.choice(self.places)
        opened = [self.open_loop(str(length), r.choice(COUNTERS)) for length in lengths]
        element = name + "".join(f"[{i}]" for i in opened) + field
        self.say(f"{element} = (u32)(W);", f"if C {element} ^= 5;", f"I ^= (u64){element};",
                 f"{element} = (u64){element} + (u64){self.own_element()};")
        for i in reversed(opened):
            self.close_loop(i)

    def switch(self, budget):
        r = self.r
        self.emit(f"switch (({self.whole(1)}) & {r.choice([3, 7])}) {{")
        for case in r.sample(["case 0:", "case 1:", "case 2:", "case 3:", "case 5: case 6:", "default:"],
                             r.randint(2, 5)):
            self.emit(case)
            self.block(budget - 2)
            if r.random() < 0.6:
                self.emit("break;")
        self.emit("}")

    def statement(self, budget):
        r = self.r
        kind = r.random()
        if budget <= 0 or kind < 0.35:
            return r.choice([self.assign, self.assign, self.assign, self.write,
                             self.update, self.walk])()
        if kind < 0.6 and self.loops < 3:
            return self.loop(budget)
        if kind < 0.68:
            return self.switch(budget)
        if kind < 0.76 and self.places and self.loops < 2:
            return self.nest()
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

    def own_arrays(self):
        r, e = self.r, self.emit
        for i in range(r.choice([0, 0, 1, 1, 2])):
            name, kind = f"own{i}", r.choice(["u32", "unsigned char", "short", "long", "int"])
            lengths = r.choice([(4,), (8,), (16,), (32,), (4, 4), (2, 8), (8, 2), (2, 2, 4)])
            e(f"{kind} {name}{''.join(f'[{length}]' for length in lengths)}"
              + r.choice([" = {0};", ";"]))
            if not self.lines[-1].endswith("{0};"):
                opened = [self.open_loop(str(length)) for length in lengths]
                e(name + "".join(f"[{j}]" for j in opened) + " = "
                  + r.choice([" + ".join(opened), "x", "ints[" + opened[0] + "]", "0", "(u32)gid * 3u"]) + ";")
                for j in reversed(opened):
                    self.close_loop(j)
            self.own_kinds[name] = kind
            self.places.append((name, lengths, ""))
        if self.has_cells:
            e("struct Cell own[8];")
            e("for (int t = 0; t < 8; ++t) { own[t].key = (int)x ^ t; own[t].tag = (short)(t * 7); own[t].weight = t; }")
            self.places += [("own", (8,), ".key"), ("own", (8,), ".tag")]
            if r.random() < 0.5:
                e(f"for (u32 t = 0; t < (u32)(n & 7); ++t) own[t] = cells[({self.below(32)}) + t];")

    def text(self):
        r, e = self.r, self.emit
        self.swap = r.choice(["(int)((u32)seen + 3)", "(int)((u32)seen * 5u)", "seen < 900 ? 900 : seen",
                              "seen ^ 12", "(int)((u32)seen + x)"])
        e("long lid = 0, gid = 0, size = 1;")
        self.add_position("lid", "node()")
        if len(self.levels) > 1:
            self.add_position("gid", "parent(node())")
        self.add_size("size")
        e("gid = gid * size + lid;")
        if self.is_far:
            e("long place = gid; gid &= 255;")
            self.kinds["w0"] = "u64"
        # Sums of `x` fit an `int` in small grids only.
        type = r.choice(["long", "long", "u32" if self.is_far else "int", "u32"])
        e(f"{type} x = idx(node()), y = idy(node()), nx = numx(node());")
        e(f"int *row = rows + gid * {OWN};")
        for name, kind in self.kinds.items():
            if self.is_far and name == "w0":
                e("u64 w0 = place;")
                continue
            e(f"{kind} {name} = {r.choice(['x', 'gid', 'ints[x & 63]', 'n', '1', 'row[2]', 'm'])};")
        for name, kind in self.reals.items():
            e(f"{kind} {name} = {r.choice(['singles[x & 63]', 'doubles[gid & 63]', '0', 'n', 'cells[x & 63].weight'])};")
        self.own_arrays()
        if r.random() < 0.2:
            e(f"if {self.condition()} return;")
        for _ in range(r.randint(1, 2) if self.plain else r.randint(2, 5)):
            self.statement(2 if self.plain else 3)
        for name, lengths, field in list(self.places):
            opened = [self.open_loop(str(length)) for length in lengths]
            e(f"{r.choice(list(self.kinds))} ^= (u64){name}{''.join(f'[{j}]' for j in opened)}{field} * 3;")
            for j in reversed(opened):
                self.close_loop(j)
        for number, name in enumerate(self.kinds):
            e(f"out[gid * {OWN} + {number}] ^= (u32){name};")
        e("dout[gid] = one(" + " + ".join(self.reals) + ");")
        inputs = ", ".join(f"{kind} *{name}" for name, (kind, _) in ARRAYS.items())
        return self.function(
            inputs + ", struct Cell *cells, int *counts, int *peaks, int *swaps, int *rows, "
            "u32 *out, double *dout, int n, long m, int d, u32 s")

    def options(self):
        r = self.r
        total = self.slots()
        mark = r.choice(["", "!"])
        inputs = ",".join(f"{mark}{code}[64]" for _, code in ARRAYS.values())
        known = [r.choice(["", "", "="]) for _ in range(4)]
        cpu = r.choice(["", "", "-cpu=x86-64", "-cpu=x86-64-v3", "-cpu=x86-64-v4"])
        more = r.choice(["", "", "", "", "", "-split-borders=0", "-panels=0",
                         "-collect-updates=0", "-vector-bits=256",
                         "-split-guards=0", "-fuse-groups=0"])
        return " ".join([
            self.level_option(),
            f"-in={inputs},{mark}i32[192],{mark}i32[16],{mark}i32[16],{mark}i32[16],"
            f"{mark}i32[{OWN * total}],{mark}i32[{OWN * total}],{mark}f64[{total}],"
            f"{known[0]}{r.choice([0, 1, 2, 3, 5, 8, r.randint(0, 16)])},"
            f"{known[1]}{r.choice([0, 1, 4, 7, r.randint(0, 12)])},"
            f"{known[2]}{r.choice([1, 2, 3, 7, 16, -1, -2, -7, -16])},{known[3]}{r.randint(0, 40)}",
            f"-lanes={r.choice([-1, -1, 0, 4, 8, 16])}", cpu, more,
            f"-pieces={r.choice([1, 2, 5])} -level={r.choice([1, 2, 3, 3, 3])}",
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
