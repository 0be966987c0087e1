"""Writes a random leaf with loops that instances leave in different rounds.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_lanes.py SEED FILE.c     prints sluice-codegen-test's options

Conditions, breaks, returns and switches in loops in loops, over numbers of all
widths; loads that only some instances may do, from shared, neighbouring and
scattered places; divisions that only some may do; arrays and structures of an
instance's own, at indices that all share and at others, filled, copied and
reached by pointers. Nothing is left undefined by C, and an instance writes only
what is its own.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """typedef unsigned long u64;
float fabsf(float); double fabs(double); float sqrtf(float);
double fmin(double, double); float fmaxf(float, float);
struct Record { short a; int b; double c; };
static inline double squash(double v) { return v > 1e6 || v < -1e6 ? 1.5 : v; }
static inline double clamp(double v) { return v > -99 && v < 99 ? v : 7; }
"""

WHOLE = ["u32", "int", "long", "short", "unsigned char", "u64"]
ARRAYS = {"bytes": ("unsigned char", "i8"), "shorts": ("short", "i16"),
          "ints": ("int", "i32"), "longs": ("long", "i64"),
          "singles": ("float", "f32"), "doubles": ("double", "f64")}
REAL = ("float", "double")


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        dims = r.choice([1, 1, 1, 2, 2, 3])
        own = [r.choice([r.randint(1, 70), r.randint(1, 9), 32, 64])
               for _ in range(dims)]
        self.levels = [own]
        if r.random() < 0.3:
            self.levels.insert(0, [r.randint(1, 4)])
        self.open_counters = []
        self.counter = 0
        self.variables = []
        for i in range(r.randint(2, 4)):
            self.variables.append((f"w{i}", r.choice(WHOLE)))
        for i in range(r.randint(1, 3)):
            self.variables.append((f"r{i}", r.choice(REAL)))
        self.arrays = []
        if r.random() < 0.5:
            for i in range(r.randint(1, 2)):
                self.arrays.append((f"own{i}", r.choice([*WHOLE, *REAL]),
                                    r.choice([2, 4, 8, 16, 32])))
        self.has_records = r.random() < 0.2

    def named(self, real):
        return [name for name, kind in self.variables
                if (kind in REAL) == real]

    def variable(self, real):
        return self.r.choice(self.named(real))

    def uniform(self):
        r = self.r
        return r.choice(["n", "m", f"{r.randint(0, 9)}", "ints[3]", "shorts[n]",
                         "(int)doubles[1]", "(n + m)"])

    def index(self):
        """Within 0..63 for each instance, in one way or another."""
        r = self.r
        w = f"(u32){self.variable(False)}"
        return r.choice(["gid & 63", "x & 63", "63 - (x & 63)", "(x * 2) & 63",
                         f"({w} + x) & 63", f"({w}) % 64u", "n", "n + m",
                         f"(u32)({self.uniform()}) & 63", f"({w} * 7 + k) & 63",
                         "k & 63", "(x + k) & 63"])

    def own(self, real):
        """An element of an instance's own, or nothing."""
        r = self.r
        places = [(f"{name}[", length) for name, kind, length in self.arrays
                  if (kind in REAL) == real]
        if not places and not self.has_records:
            return None
        if self.has_records and (not places or r.random() < 0.5):
            end = "].c" if real else r.choice(["].a", "].b"])
            return f"records[{self.own_index(8)}{end}"
        start, length = r.choice(places)
        return f"{start}{self.own_index(length)}]"

    def own_index(self, length):
        r = self.r
        counters = self.open_counters or ["k"]
        if r.random() < 0.25:
            return str(r.randrange(length))
        i = r.choice(counters)
        if r.random() < 0.7:
            return r.choice([f"({i} + {r.randint(0, 9)}) & {length - 1}",
                             f"(u32)(n + {i}) % {length}u", f"{i} & {length - 1}",
                             f"({i} * 3 + m) & {length - 1}"])
        return f"(u32)({self.whole(1)}) & {length - 1}"

    def rows(self):
        """Elements side by side, of which each instance has its own."""
        r = self.r
        name, kind = r.choice([("ints", "int"), ("shorts", "short"),
                               ("bytes", "unsigned char"), ("longs", "long")])
        w = self.variable(False)
        start = r.choice([f"((u32){w} & 31)", "(gid & 15) * 3", "(x & 3) * 8",
                          f"((u32)({self.whole(1)}) % 48u)"])
        kind_of = r.random()
        if kind_of < 0.4:
            length = r.choice([2, 3, 4, 4, 5, 8, 16])
            terms = r.sample(range(length), r.randint(2, length))
            self.emit(f"{{ {kind} *row = {name} + {start}; " + " ".join(
                f"{w} = (u64){w} * 5 + row[{t}];" for t in terms) + " }")
        elif kind_of < 0.7:
            step = r.choice(["row[j]", "row[15 - j]", "row[j] * ints[j]"])
            self.emit(f"{{ {kind} *row = {name} + {start}; for (u32 j = 0; "
                      f"j < (u32){r.choice(['n', 'm', '16', '12', '(n + m)'])}; ++j) "
                      f"{w} = (u64){w} * 3 + {step if 'n + m' not in step else 'row[j]'}; }}"
                      .replace("j < (u32)(n + m)", "j < (u32)((n + m) & 15)"))
        else:
            fields = r.sample(range(3), r.randint(2, 3))
            self.emit(" ".join(f"out[gid * 4 + {f}] = {self.whole(1)};" for f in fields))

    def change_own(self):
        r = self.r
        kind = r.random()
        if self.arrays and kind < 0.15:
            name, element, length = r.choice(self.arrays)
            return self.emit(r.choice([
                f"__builtin_memset({name}, {r.choice(['0', 'n & 3', 'x & 1'])}, sizeof {name});"
                if element not in REAL else f"__builtin_memset({name}, 0, sizeof {name});",
                f"for (u32 j = 0; j < {length}; ++j) {name}[j] = j;",
                f"for (u32 j = 0; j < (u32)(n & {length - 1}); ++j) {name}[j] = 0;",
                f"{{ {element} *p = ({self.condition()}) ? {name} : {name} + {length // 2};"
                f" *p = p[{r.randrange(length // 2)}] + 1; }}",
                f"{{ {element} copy[{length}]; __builtin_memcpy(copy, {name}, sizeof copy);"
                f" {name}[{self.own_index(length)}] = copy[{self.own_index(length)}]; }}"]))
        if self.has_records and kind < 0.3:
            return self.emit(f"records[{self.own_index(8)}] = records[{self.own_index(8)}];")
        is_real = r.random() < 0.4
        element = self.own(is_real) or self.own(not is_real)
        if element is None:
            return self.assign()
        is_real = self.is_real_element(element)
        value = f"squash({self.real()})" if is_real else self.whole()
        if is_real:
            return self.emit(f"{element} = {value};")
        return self.emit(r.choice([f"{element} = {value};", f"++{element};"
                                   if not element.endswith("].a") else f"{element} ^= 1;",
                                   f"{element} ^= (u64)({value});"]))

    def is_real_element(self, element):
        if element.startswith("records"):
            return element.endswith(".c")
        return any(kind in REAL for name, kind, _ in self.arrays
                   if element.startswith(name + "["))

    def load(self, real):
        own = self.own(real) if self.r.random() < 0.4 else None
        if own:
            return own
        names = ["singles", "doubles"] if real else ["bytes", "shorts", "ints",
                                                      "longs"]
        return f"{self.r.choice(names)}[{self.index()}]"

    def whole(self, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.3:
            return r.choice([self.variable(False), self.variable(False), "x",
                             "gid", "k", "(int)lid", self.uniform(),
                             self.load(False), f"{r.randint(-3, 40)}"])
        kind = r.random()
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        if kind < 0.12:
            return f"((long)(int)({a}) {r.choice('/%')} ((long)(int)({b}) | 1))"
        if kind < 0.2:
            return f"({self.condition()} ? {a} : {b})"
        if kind < 0.3:
            return f"((u32)({a}) {r.choice(['<<', '>>'])} ((u32)({b}) & 7))"
        if kind < 0.36:
            return f"(int)clamp({self.real(1)})"
        return f"((u64)({a}) {r.choice(['+', '-', '*', '^', '&', '|'])} (u64)({b}))"

    def real(self, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.3:
            return r.choice([self.variable(True), self.variable(True),
                             self.load(True), f"{r.randint(-9, 9)}.25f",
                             "(float)x", "(double)k", "(float)(n & 15)"])
        kind = r.random()
        a, b = self.real(depth - 1), self.real(depth - 1)
        if kind < 0.1:
            return f"fabsf((float)({a}))"
        if kind < 0.2:
            return f"sqrtf(fabsf((float)({a})))"
        if kind < 0.25:
            return f"fmin({a}, {b})"
        if kind < 0.3:
            return f"({self.condition()} ? {a} : {b})"
        if kind < 0.4:
            return f"({a}) / (fabs({b}) + 0.5)"
        return f"({a} {r.choice('+-*')} {b})"

    def condition(self):
        r = self.r
        kind = r.random()
        if kind < 0.3:
            return f"({self.whole(1)}) {r.choice(['<', '>', '==', '!=', '>='])} {self.whole(0)}"
        if kind < 0.5:
            return f"({self.whole(1)} & {r.choice([1, 3, 7])}) {r.choice(['==', '!='])} {r.randint(0, 2)}"
        if kind < 0.65:
            return f"{self.real(1)} {r.choice(['<', '>'])} {self.real(0)}"
        if kind < 0.8:
            return f"({self.uniform()} & {r.choice([1, 3])}) == {r.randint(0, 1)}"
        return f"({self.condition()} {r.choice(['&&', '||'])} {self.condition()})"

    def assign(self):
        r = self.r
        if r.random() < 0.45:
            name = self.variable(True)
            value = f"squash({self.real()})"
            return self.emit(f"{name} = {value};" if r.random() < 0.7
                             else f"{name} = {name} * 0.5f + {value};")
        name = self.variable(False)
        before = r.choice(["", "", f"(u64){name} + ", f"(u64){name} ^ ", f"(u64){name} - "])
        return self.emit(f"{name} = {before}(u64)({self.whole()});")

    def write(self):
        r = self.r
        if r.random() < 0.5:
            return self.emit(f"out[gid * 4 + {r.choice(['0', '1', '2', '(k & 3)'])}] = {self.whole(1)};")
        return self.emit(f"{r.choice(['fout', 'dout'])}[gid] = squash({self.real(1)});")

    def fault(self):
        """Only some instances may do it."""
        r = self.r
        w = self.variable(False)
        kind = r.random()
        if kind < 0.4:
            self.emit(f"if ({w} != 0) {self.variable(False)} ^= (long)(int)({self.whole(1)}) {r.choice('/%')} (long)(int)({w} | 1);")
            self.emit(f"if ((int){w} > 0) {self.variable(False)} ^= (u32)({self.whole(1)}) {r.choice('/%')} (u32){w};")
        elif kind < 0.7:
            far = r.choice(["(long)((u64)%s * 123456789)" % w, "(long)%s" % w])
            self.emit(f"{{ long at = {far}; if (at >= 0 && at < 64) {self.variable(False)} ^= ints[at]; }}")
        else:
            self.emit(f"if (x % 3 == {r.randint(0, 2)}) {{ int *p = (u32){w} % 5 ? ints : 0; if (p) {self.variable(False)} ^= p[{self.index()}]; }}")

    def loop(self, budget):
        r = self.r
        i = f"i{self.counter}"
        self.counter += 1
        kind = r.random()
        limit = r.choice(["n", "m", f"{r.randint(1, 12)}",
                          f"((u32)({self.whole(1)}) % 9u)",
                          f"((u32){self.variable(False)} & 7)"])
        if kind < 0.4:
            self.emit(f"for (u32 {i} = 0; {i} < (u32)({limit}); ++{i}) {{")
            end = "}"
        elif kind < 0.8:
            self.emit(f"u32 {i} = 0;")
            self.emit(f"while ({i} < 14 && ({self.condition()})) {{ ++{i};")
            end = "}"
        else:
            self.emit(f"u32 {i} = 0;")
            self.emit("do {")
            end = f"}} while (++{i} < 9 && ({self.condition()}));"
        self.open_counters.append(i)
        self.depth += 1
        self.emit(f"k = k * 2 + {i};")
        self.block(budget - 1)
        if r.random() < 0.35:
            self.emit(f"if ({self.condition()}) {r.choice(['break', 'break', 'continue'])};")
            self.block(0)
        if r.random() < 0.06:
            self.emit(f"if ({self.condition()}) return;")
        self.depth -= 1
        self.open_counters.pop()
        self.emit(end)

    def statement(self, budget):
        r = self.r
        kind = r.random()
        if budget <= 0 or kind < 0.3:
            return r.choice([self.assign, self.rows, self.change_own,
                             self.assign, self.write, self.fault])()
        if kind < 0.55:
            return self.loop(budget)
        if kind < 0.63:
            self.emit(f"switch (({self.whole(1)}) & 3) {{")
            for case in r.sample(["case 0:", "case 1:", "case 2:", "default:"],
                                 r.randint(2, 4)):
                self.emit(case)
                self.block(budget - 2)
                if r.random() < 0.7:
                    self.emit("break;")
            return self.emit("}")
        self.emit(f"if ({self.condition()}) {{")
        self.block(budget - 1)
        if r.random() < 0.4:
            self.emit("} else {")
            self.block(budget - 1)
        return self.emit("}")

    def block(self, budget):
        self.depth += 1
        for _ in range(self.r.randint(1, 3)):
            self.statement(budget)
        self.depth -= 1

    def text(self):
        r, e = self.r, self.emit
        e("long lid = 0, gid = 0, size = 1; u32 k = 1; long x = idx(node());")
        self.add_position("lid", "node()")
        if len(self.levels) > 1:
            self.add_position("gid", "parent(node())")
        self.add_size("size")
        e("gid = gid * size + lid;")
        for name, kind in self.variables:
            value = (f"{r.choice(['singles', 'doubles'])}[gid & 63]"
                     if kind in REAL else
                     r.choice(["gid", "ints[gid & 63]", "x * 3", "1", "n"]))
            e(f"{kind} {name} = {value};")
        for name, kind, length in self.arrays:
            if r.random() < 0.4:
                e(f"{kind} {name}[{length}] = {{{r.choice(['0', '1, 2'])}}};")
                continue
            e(f"{kind} {name}[{length}];")
            e(f"for (u32 j = 0; j < {length}; ++j) {name}[j] = "
              f"{r.choice(['j', 'x + j', 'ints[j]', 'bytes[(x + j) & 63]'])};")
        if self.has_records:
            e("struct Record records[8];")
            e("for (u32 j = 0; j < 8; ++j) { records[j].a = j * 3; "
              "records[j].b = x ^ j; records[j].c = j * 0.5 + x; }")
        if r.random() < 0.2:
            e(f"if ({self.condition()}) return;")
        if r.random() < 0.5:
            self.rows()
        self.loop(3)
        if r.random() < 0.5:
            self.rows()
        for _ in range(r.randint(0, 3)):
            self.statement(3)
        for name, kind, length in self.arrays:
            e(f"for (u32 j = 0; j < {length}; ++j) k = k * 31 + "
              f"(u32)(long){'clamp' if kind in REAL else ''}({name}[j]);")
        if self.has_records:
            e("for (u32 j = 0; j < 8; ++j) k = k * 7 + records[j].a + "
              "records[j].b + (u32)(int)clamp(records[j].c);")
        e("out[gid * 4 + 3] = k;")
        for name, kind in self.variables:
            if kind in REAL:
                e(f"{'dout' if kind == 'double' else 'fout'}[gid] += squash({name});")
            else:
                e(f"out[gid * 4 + {r.randint(0, 2)}] ^= (u32){name};")
        inputs = ", ".join(f"{kind} *{name}" for name, (kind, _) in
                           ARRAYS.items())
        return self.function(
            inputs + ", u32 *out, float *fout, double *dout, u32 n, u32 m")

    def options(self):
        r = self.r
        total = self.total()
        inputs = ",".join(f"{code}[64]" for _, code in ARRAYS.values())
        cpu = r.choice(["", "", "-cpu=x86-64", "-cpu=x86-64-v3",
                        "-cpu=x86-64-v4"])
        return " ".join([
            self.level_option(),
            f"-in={inputs},i32[{4 * total}],f32[{total}],f64[{total}],"
            f"{r.choice(['', '='])}{r.randint(0, 9)},{r.randint(0, 9)}",
            f"-lanes={r.choice([-1, 2, 4, 8, 8, 16, 32])}", cpu,
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
