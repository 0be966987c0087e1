"""Writes a random leaf that looks at neighbours and at the borders of its grid.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_borders.py SEED FILE.c     prints sluice-codegen-test's options

Clamps, guards and remainders of ids with constants, extents and values that are
known at launch only, signed and unsigned, of 32 and 64 bits, in every order;
some wrap around. An access that nothing guards is masked; an instance writes
only what is its own. Many leaves begin with guards that leave whole rows and
columns alone, in forms that LLVM makes one comparison of. Instances of some
leaves are rows, whose columns a loop of their own counts.
"""

from random_leaf import PRELUDE as IDS
from random_leaf import RandomLeaf, main

PRELUDE = IDS + """typedef unsigned long u64;
"""


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        dims = r.choice([1, 1, 1, 2, 2, 3])
        own = [r.choice([r.randint(1, 90), r.randint(1, 4), r.randint(30, 70),
                         r.choice([16, 32, 64, 128])])]
        own += [r.choice([r.randint(1, 9), 4, 8]) for _ in range(dims - 1)]
        self.levels = [own]
        if r.random() < 0.25:
            self.levels.insert(0, [r.randint(1, 4)])
        self.counter = 0
        self.columns = r.randint(1, 90) if seed % 4 == 2 else 0
        if self.columns:
            self.levels = [[r.randint(1, 20)]]
        if seed % 8 == 5:
            self.make_far()

    def fixed(self):
        r = self.r
        return r.choice(["0", "1", "2", "0", "nx", "nx - 1", "nx - 2", "nx - n",
                         "n", "m", "m - 1", f"{r.randint(-3, 90)}", "nx / 2",
                         "nx + 1", "far", "ny - 1", "(n & 1)"])

    def moving(self):
        """Grows or falls along x; with unsigned numbers it may wrap around."""
        r = self.r
        return r.choice(["x", "x", "x + 1", "x - 1", "x + n", "x - n", "x - 2",
                         "nx - 1 - x", "2 * x + 1", "3 * x - n", "n - x",
                         "(long)((u64)x + far)", "(long)((u64)x - far)", "y", "x + y"])

    def kind(self):
        return self.wide(self.r.choice(["long", "long", "int", "int", "u64", "u32"]))

    def wide(self, kind):
        """Sums fit an `int` in small grids only."""
        return "u32" if self.is_far and kind == "int" else kind

    def condition(self, depth=2):
        r = self.r
        if depth and r.random() < 0.35:
            return (f"({self.condition(depth - 1)} {r.choice(['&&', '||'])} "
                    f"{self.condition(depth - 1)})")
        sign = r.choice(["<", "<=", ">", ">=", "==", "!="])
        kind = self.kind()
        left, right = self.moving(), self.fixed()
        if r.random() < 0.3:
            left, right = right, left
        return f"({kind})({left}) {sign} ({kind})({right})"

    def inside(self):
        """Where most instances of a dimension are, as guards say it."""
        r = self.r
        d = r.choice("xxyz")
        n, kind = f"n{d}", self.kind()
        low = r.choice(["1", "1", "2", "0", "n", "m", "(n & 1)"])
        high = r.choice([f"{n} - 1", f"{n} - 1", f"{n} - 2", f"{n} + 1", n,
                         "m", f"{n} / 2", "8", "64"])
        width = r.choice([f"{n} - 2", f"{n} - 1", "n", "m", "3", f"{n} / 2"])
        return r.choice([
            f"({kind})({d}) >= ({kind})({low})", f"({kind})({d}) < ({kind})({high})",
            f"({kind})({d}) >= ({kind})({low}) && ({kind})({d}) < ({kind})({high})",
            f"({kind})({d}) > ({kind})({low}) && ({kind})({d}) <= ({kind})({high})",
            f"(u64){d} - {low} < (u64)({width})", f"(u32){d} - {low} <= (u32)({width})",
            f"{d} != 0", f"{d} != {n} - 1", f"{d} != 0 && {d} != {n} - 1",
            f"{n} - 1 - {d} > {low}", f"(u32)({n} - 2 - {d}) < (u32)({width})",
            f"({d} != 0 ? {d} != {n} - 1 : 0)", f"~{d} < -2L",
            f"{d} == {low}", f"{d} - 2 != 1 && {d} < {high}",
            f"(({d} == 0) ^ 1)", f"(unsigned char){d} > 1", f"(x | {d}) != 0",
            f"x < 8 && {d} < 8", f"(u64)(x | {d}) < 32", f"!(x >= 16 || {d} >= 16)"])

    def guards(self):
        """Instances that fail return before they did anything."""
        r = self.r
        parts = [self.inside() for _ in range(r.randint(1, 4))]
        way = r.random()
        if way < 0.4:
            self.emit(f"if (!({' && '.join(f'({part})' for part in parts)})) return;")
        elif way < 0.7:
            self.emit(f"if ({' || '.join(f'!({part})' for part in parts)}) return;")
        else:
            for part in parts:
                self.emit(f"if (!({part})) return;")

    def position(self):
        """A statement that makes a position, in one of many ways."""
        r = self.r
        name = f"at{self.counter}"
        self.counter += 1
        kind = self.kind()
        value = f"({kind})({self.moving()})"
        way = r.random()
        if way < 0.3:
            low, high = r.choice(["0", "1", "n"]), r.choice(["nx - 1", "nx", "m"])
            self.emit(f"{kind} {name} = {value};")
            tests = [f"{name} = {name} < ({kind})({low}) ? ({kind})({low}) : {name};",
                     f"{name} = {name} > ({kind})({high}) ? ({kind})({high}) : {name};"]
            if r.random() < 0.5:
                tests.reverse()
            for test in tests[:r.randint(1, 2)]:
                self.emit(test)
        elif way < 0.5:
            divisor = r.choice(["nx", "nx", "nx", f"{r.randint(1, 70)}", "(m + 1)",
                                r.choice(["16", "32", "64", "128"])])
            if r.random() < 0.4:
                value = f"({kind})((u64)({self.moving()}) + {divisor})"
            self.emit(f"{kind} {name} = {value} % ({kind})({divisor});")
        elif way < 0.7:
            other = r.choice(["x", "0", "nx - 1", self.moving()])
            self.emit(f"{kind} {name} = {self.condition(1)} ? {value} : ({kind})({other});")
        elif way < 0.8:
            self.emit(f"{kind} {name} = {value};")
            self.emit(f"if ({self.condition(0)}) {name} = ({kind})((u64){name} + {r.choice(['nx', '1', 'n'])});")
            self.emit(f"if ({self.condition(0)}) {name} = ({kind})((u64){name} - {r.choice(['nx', '1', 'n'])});")
        else:
            self.emit(f"{kind} {name} = {value};")
        return name

    def term(self):
        r = self.r
        array = r.choice(["ints", "singles"])
        name = self.position()
        if r.random() < 0.25:
            return f"({self.condition(1)} ? (int){array}[{name} & 127] : {r.randint(0, 9)})"
        # Whatever is not masked is near the instance.
        if r.random() < 0.3 and not self.is_far:
            return self.chosen(array)
        if r.random() < 0.3 and not self.is_far:
            return self.filter()
        return f"(int){array}[{name} & 127]"

    def chosen(self, array):
        """A neighbour, or what stands here: often the same for all of a row."""
        r = self.r
        here = f"here{self.counter}"
        self.counter += 1
        step = r.choice(["1", "nx", "n", "2", "(long)m"])
        tests = ["y > 0", "y < ny - 1", "z != 0", "n > 2", "(m & 1)", "x > 0",
                 "x < nx - 1", "y == n", self.condition(0)]
        kind = "int" if array == "ints" else "float"
        self.emit(f"{kind} *at{here} = {array} + 300 + (long)x, {here} = *at{here};")
        if r.random() < 0.2:
            self.emit(f"if ({r.choice(tests)}) out[gid] = sum;")
        self.emit(f"{kind} next{here} = {here}, last{here} = 0;")
        self.emit(f"if ({r.choice(tests)}) next{here} = at{here}[-(long)({step})];")
        self.emit(f"last{here} = {r.choice(tests)} ? at{here}[(long)({step})] : "
                  f"{r.choice([here, 'next' + here, f'at{here}[-1]'])};")
        return f"(int)(next{here} + last{here})"

    def filter(self):
        """Neighbours in rows of an array, in any order."""
        r = self.r
        array = r.choice(["ints", "singles"])
        terms = []
        for _ in range(r.randint(1, 3)):
            row = f"{array} + {r.choice(['300', '400', '300 + n * 32', '500 - y'])}"
            begin = r.randint(-3, 1)
            places = list(range(begin, begin + r.choice([2, 3, 3, 4])))
            r.shuffle(places)
            terms += [f"({row})[(long)x + {place}]" for place in places]
        return f"(int)({' + '.join(terms)})"

    def window(self):
        """Places around an instance, as many as the launch says."""
        r = self.r
        number = self.counter
        self.counter += 1
        t, at = f"t{number}", f"at{number}"
        kind = self.wide(r.choice(["long", "long", "int", "int", "u64"]))
        array = r.choice(["ints", "singles"])
        first = r.choice(["-n", "-n", "0", "-2", "1", "-m"])
        behind = r.choice(["n + 1", "n", "m + 1", "3", "2 * n",
                           "9" if self.is_far else "nx"])
        step = r.choice(["1", "1", "1", "2", "3"])
        base = r.choice(["x", "x", "x", "nx - 1 - x", "x + n", "2 * x", "y"])
        place = f"({kind})({base}) {r.choice(['+', '+', '-'])} ({kind}){t}"
        if r.random() < 0.3:
            self.emit(f"for (int u{number} = 0; u{number} < {r.choice(['2', 'n', '(m & 3)'])}; ++u{number})")
            if r.random() < 0.5:
                place += f" + u{number}"
        self.emit(f"for ({r.choice(['long', 'int'])} {t} = (int)({first}); "
                  f"{t} < (int)({behind}) && {t} < 99; {t} += {step}) {{"
                  if r.random() < 0.3 else
                  f"for ({r.choice(['long', 'int'])} {t} = (int)({first}); "
                  f"{t} < (int)({behind}); {t} += {step}) {{")
        self.emit(f"{kind} {at} = {place};")
        low, high = r.choice(["0", "0", "1", "n"]), r.choice(["nx", "nx", "m", "nx - n"])
        way = r.random()
        inside = "1"
        if way < 0.4:
            self.emit(f"{at} = {at} < ({kind})({low}) ? ({kind})({low}) : {at};")
            self.emit(f"{at} = {at} < ({kind})({high}) ? {at} : ({kind})({high}) - 1;")
        elif way < 0.6:
            inside = (f"{at} >= ({kind})({low}) && {at} < ({kind})({high})"
                      if r.random() < 0.5 else f"(u64){at} < (u64)({high})")
        elif way < 0.8:
            self.emit(f"{at} = ({at} + ({kind})nx) % ({kind})(nx);")
        else:
            self.emit(f"if ({at} {r.choice(['<', '>=', '==', '>'])} ({kind})({r.choice([low, high])})) "
                      f"{r.choice(['continue;', at + ' = ' + at + ' ^ 1;', 'sum += 3;'])}")
        if r.random() < 0.2:
            self.emit(f"if ((int)sum == {r.randint(-2, 40)}) break;")
        self.emit(f"if ({inside}) sum = sum * 3 + (u32)(int){array}[(({at}) & 127)];")
        self.emit("}")

    def statement(self, budget):
        r = self.r
        kind = r.random()
        if budget <= 0 or kind < 0.5:
            term = self.term()
            return self.emit(f"sum {r.choice(['+=', '^=', '-='])} (u32){term};")
        if kind < 0.6 and self.depth < 3:
            return self.window()
        if kind < 0.65:
            loop = f"i{self.counter}"
            self.counter += 1
            self.emit(f"for (int {loop} = 0; {loop} < {r.choice(['3', 'n', '(m & 3)'])}; ++{loop}) {{")
        else:
            self.emit(f"if ({self.condition()}) {{")
        self.depth += 1
        for _ in range(r.randint(1, 2)):
            self.statement(budget - 1)
        if r.random() < 0.15:
            self.emit("out[gid] = sum; return;")
        self.depth -= 1
        self.emit("}")

    def text(self):
        r, e = self.r, self.emit
        kind = self.wide(r.choice(["long", "long", "int", "u32", "u64"]))
        e("long lid = 0, gid = 0, size = 1; u32 sum = 1; float real = 0;")
        self.add_position("lid", "node()")
        if len(self.levels) > 1:
            self.add_position("gid", "parent(node())")
        self.add_size("size")
        e("gid = gid * size + lid;")
        if self.is_far:
            e("gid &= 255;")
        outer = (f" + idx(parent(node())) * numx(node())"
                 if len(self.levels) > 1 and r.random() < 0.5 else "")
        if self.columns:
            e(f"{kind} nx = {r.choice([self.columns, f'n < 0 ? 1 : {self.columns}'])};")
            e(f"{kind} y = idx(node()), z = 0, ny = numx(node()), nz = 1;")
            e("long row = gid * nx;")
            e(f"for ({kind} x = 0; x < nx; ++x) {{")
            e("gid = row + (long)x;")
            if r.random() < 0.7:
                e("sum = 1;")
        else:
            e(f"{kind} x = idx(node()){outer}, y = idy(node()), z = idz(node());")
            e(f"{kind} nx = numx(node()), ny = numy(node()), nz = numz(node());")
        begin = len(self.lines)
        if r.random() < 0.5:
            self.guards()
        if r.random() < 0.3 and not self.is_far:
            e(f"sum += (u32){self.filter()};")
        for _ in range(r.randint(1, 5)):
            self.statement(2)
        if r.random() < 0.4:
            e(f"if ({self.condition()}) real = singles[x & 127] * 0.5f + (float)(sum & 1023);")
        if r.random() < 0.5:
            e(f"if ({self.condition()}) out[gid] = sum;")
            e("fout[gid] = real;")
        else:
            e("out[gid] = sum; fout[gid] = real;")
        if self.columns:
            self.lines[begin:] = [line.replace("return;", "continue;")
                                  for line in self.lines[begin:]]
            e("}")
        far = r.choice(["2147483647", "2147483640", "-2147483647", "4294967295",
                        "9223372036854775807", "-9223372036854775807", "40"])
        return f"#undef far\n#define far {far}L\n" + self.function(
            "int *ints, float *singles, u32 *out, float *fout, int n, u32 m")

    def options(self):
        r = self.r
        total = self.slots() * max(self.columns, 1)
        return " ".join([
            self.level_option(),
            f"-in=i32[1024],f32[1024],i32[{total}],f32[{total}],"
            f"{r.choice(['', '='])}{r.randint(0, 5)},{r.randint(0, 90)}",
            r.choice(["", "", "-cpu=x86-64", "-cpu=x86-64-v3"]),
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
