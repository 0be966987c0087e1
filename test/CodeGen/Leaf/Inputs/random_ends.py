"""Writes a random leaf whose arrays end with what the last instance loads.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_ends.py SEED FILE.c     prints sluice-codegen-test's options

Each instance has a row of each array. Rows have a constant length or one that is
an argument, lie in the order of the instances or the other way, or where an
array of places says. Instances load them in loops that all leave together or
not, before and behind conditions and returns, and store into rows of their own.
Lanes beyond the last instance have no memory.
"""

from random_leaf import PRELUDE, RandomLeaf, main

TYPES = {"unsigned char": "i8", "short": "i16", "int": "i32", "long": "i64",
         "float": "f32", "double": "f64"}


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        self.rows = r.choice([r.randint(1, 40), r.randint(1, 9)])
        self.levels = [[self.rows]]
        self.length = r.choice([1, 2, 3, 4, 4, 5, 7, 8, 8, 12, 16, 17])
        self.type = r.choice(list(TYPES))
        self.is_real = self.type in ("float", "double")
        # Constant strides, or one that is an argument.
        self.stride = r.choice([str(self.length), "n"])
        self.bound = r.choice([str(self.length), "n"])

    def element(self, column):
        """Of the row of this instance."""
        row = self.r.choice(["i", "i", "i", "(last - i)", f"(places[i] % {self.rows})"])
        return f"x[{row} * {self.stride} + {column}]"

    def add(self, value):
        scale = self.r.choice([1, 3, 5])
        if self.is_real:
            return self.emit(f"v = v * 0.5f + ({value}) * {scale}.25f;")
        return self.emit(f"v = (unsigned long)v * {scale} + ({value});")

    def condition(self):
        value = self.element(self.r.randrange(self.length))
        return self.r.choice([
            "i & 1", f"i % 3 == {self.r.randint(0, 2)}", f"v < {value}",
            "(m & 1) == 0", f"i > {self.r.randint(0, 9)}"])

    def columns(self):
        """Elements side by side, or some of them."""
        columns = range(self.length)
        if self.r.random() < 0.5:
            columns = sorted(self.r.sample(columns,
                                           self.r.randint(1, self.length)))
        row = self.r.choice(["i", "i", "(last - i)",
                             f"(places[i] % {self.rows})"])
        for column in columns:
            self.add(f"x[{row} * {self.stride} + {column}]")

    def loop(self):
        r = self.r
        k = r.choice(["k", f"{self.bound} - 1 - k"])
        self.emit(f"for (long k = 0; k < {self.bound}; ++k) {{")
        self.depth += 1
        if r.random() < 0.3:
            self.emit(f"if ({self.condition()}) "
                      f"{r.choice(['break', 'break', 'continue'])};")
        self.add(self.element(f"({k})"))
        if r.random() < 0.3:
            self.emit(f"if ({self.condition()})")
            self.add(self.element(f"({k})"))
        if r.random() < 0.3:
            self.emit(f"y[i * {self.stride} + {k}] = v;")
        if r.random() < 0.2:
            self.emit(f"if ({self.condition()}) return;")
        self.depth -= 1
        self.emit("}")

    def statement(self):
        r = self.r
        kind = r.random()
        if kind < 0.35:
            return self.columns()
        if kind < 0.7:
            return self.loop()
        if kind < 0.8:
            return self.emit(f"y[i * {self.stride} + "
                             f"{r.randrange(self.length)}] = v;")
        if kind < 0.86:
            return self.emit(f"if ({self.condition()}) return;")
        self.emit(f"if ({self.condition()}) {{")
        self.depth += 1
        r.choice([self.columns, self.loop])()
        self.depth -= 1
        return self.emit("}")

    def text(self):
        self.emit("long i = idx(node());")
        self.emit(f"{self.type} v = {self.element('0')};")
        for _ in range(self.r.randint(0, 2)):
            self.statement()
        self.loop()
        for _ in range(self.r.randint(0, 2)):
            self.statement()
        self.emit("z[i] = v;")
        return self.function(f"{self.type} *x, unsigned char *places, "
                             f"{self.type} *y, {self.type} *z, "
                             "u32 m, long n, long last")

    def options(self):
        r = self.r
        code = TYPES[self.type]
        size = f"{code}[{self.rows * self.length}]"
        cpu = r.choice(["", "-cpu=x86-64", "-cpu=x86-64-v3", "-cpu=x86-64-v4"])
        return " ".join([
            self.level_option(),
            f"-in=!{size},!i8[{self.rows}],!{size},!{code}[{self.rows}],"
            f"{r.randint(0, 3)},{r.choice(['', '='])}{self.length},{self.rows - 1}",
            f"-lanes={r.choice([-1, 2, 4, 8, 8, 16])}", cpu,
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
