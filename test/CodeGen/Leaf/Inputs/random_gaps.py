"""Writes a random leaf that reads some elements of each structure.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_gaps.py SEED FILE.c      prints sluice-codegen-test's options

Instances, which contain no loops, read fields of their own structure and of
structures near it, of arrays that end with the last field that is read; in
memory from front to back or the other way, some of them only in some instances.
Some structures are aligned to their size. They write numbers of their own, side by side or apart, also into what they read.
"""

from random_leaf import PRELUDE, RandomLeaf, main

TYPES = {"unsigned char": "i8", "short": "i16", "int": "i32", "long": "i64",
         "float": "f32", "double": "f64"}

BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8}


class Leaf(RandomLeaf):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        row = r.choice([r.randint(1, 20), r.randint(1, 200), 64, 128])
        self.levels = [[row, r.randint(1, 4)] if r.random() < 0.3 else [row]]
        self.type = r.choice(list(TYPES))
        self.period = r.choice([2, 2, 3, 4, 4, r.randint(5, 9)])
        self.is_own = r.random() < 0.25
        self.is_backward = not self.is_own and r.random() < 0.2
        reach = self.period if self.is_own else r.choice([1, 2, 3]) * self.period
        self.fields = sorted(r.sample(range(reach), r.randint(1, min(reach, 6))))
        self.length = self.period * (self.slots() - 1) + self.fields[-1] + 1
        self.alone = r.choice(["", "!"])
        size = self.period * BYTES[TYPES[self.type]]
        # Memory of malloc is aligned to 16 bytes, and memory of its own ends
        # with its page.
        self.is_aligned = (
            not self.is_backward and reach == self.period and
            size & (size - 1) == 0 and (size <= 16 or self.alone == "!") and
            r.random() < 0.6)
        if self.is_aligned:
            self.length = self.period * self.slots()

    def field(self, number):
        if self.is_aligned:
            return f"((struct {self.name}_data *)in)[i].fields[{number}]"
        place = f"i * {self.period} + {number}"
        return f"in[{self.length - 1} - ({place})]" if self.is_backward \
            else f"in[{place}]"

    def text(self):
        r, e, kind = self.r, self.emit, self.type
        e("long i = 0;")
        self.add_position("i", "node()")
        e(f"{kind} v = ({kind})i;")
        order = r.sample(self.fields, len(self.fields))
        for number in order:
            e(f"v = v * {r.randint(1, 5)} + {self.field(number)};")
            if r.random() < 0.15:
                e(f"if ((unsigned char)(i * 7 + m) > {r.randint(0, 255)}) "
                  f"v = v * 3 + {self.field(r.choice(self.fields))};")
        if self.is_own:
            for number in r.sample(self.fields, r.randint(1, len(self.fields))):
                e(f"{self.field(number)} = v + {number};")
        if r.random() < 0.3:
            e("out[2 * i] = v;")
            if r.random() < 0.5:
                e("out[2 * i + 1] = v + v;")
        else:
            e("out[i] = v;")
        text = self.function(f"{kind} *in, {kind} *out, int m")
        if self.is_aligned:
            size = self.period * BYTES[TYPES[kind]]
            text = (f"struct {self.name}_data {{ {kind} fields[{self.period}]; }} "
                    f"__attribute__((aligned({size})));\n{text}")
        return text

    def options(self):
        r, code = self.r, TYPES[self.type]
        cpu = r.choice(["", "", "-cpu=x86-64", "-cpu=x86-64-v3",
                        "-cpu=x86-64-v4"])
        inputs = ",".join(f"{self.alone}{code}[{length}]" for length in
                          (self.length, 2 * self.slots()))
        return " ".join([
            self.level_option(), f"-in={inputs},{r.randint(0, 9)}",
            f"-lanes={r.choice([-1, -1, 2, 4, 8, 16, 32])}", cpu,
            *self.run_options()])


if __name__ == "__main__":
    main(Leaf, PRELUDE)
