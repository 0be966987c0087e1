"""What the generators of random leaves share: a grid, its ids, the options.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import sys

PRELUDE = """
typedef unsigned u32;
void *node(void) __asm__("llvm.hpvm.getNode");
void *parent(void *) __asm__("llvm.hpvm.getParentNode");
long idx(void *) __asm__("llvm.hpvm.getNodeInstanceID.x");
long idy(void *) __asm__("llvm.hpvm.getNodeInstanceID.y");
long idz(void *) __asm__("llvm.hpvm.getNodeInstanceID.z");
long numx(void *) __asm__("llvm.hpvm.getNumNodeInstances.x");
long numy(void *) __asm__("llvm.hpvm.getNumNodeInstances.y");
long numz(void *) __asm__("llvm.hpvm.getNumNodeInstances.z");
void barrier(void) __asm__("llvm.hpvm.barrier");
"""


class RandomLeaf:
    """A leaf in a grid of `levels`, from the outermost to its own."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.name = f"leaf{seed}"
        self.levels = []
        self.has_barriers = False
        self.depth = 0
        self.lines = []
        self.is_far = False

    def make_far(self):
        """Makes the grid too large to run more than a few of its instances."""
        self.is_far = True
        self.levels = [self.r.choice([
            [2 ** 31 - 1], [70000, 70000], [3, 2 ** 31 - 5], [2 ** 31 - 7, 2],
            [3000, 2000, 1000], [2 ** 16, 2 ** 16, 5]])]

    def emit(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def add_position(self, variable, handle):
        """Makes the position within a level, whose outer one `variable` is."""
        for d in "zyx":
            self.emit(f"{variable} = {variable} * num{d}({handle}) "
                      f"+ id{d}({handle});")

    def add_size(self, variable):
        """Multiplies by the number of instances of the innermost level."""
        for d in "xyz":
            self.emit(f"{variable} *= num{d}(node());")

    def function(self, signature):
        return (f"void {self.name}({signature}) {{\n"
                + "\n".join(self.lines) + "\n}\n")

    def total(self):
        """The number of instances."""
        total = 1
        for level in self.levels:
            for extent in level:
                total *= extent
        return total

    def level_option(self):
        """Extents are constants or, behind '?', known at launch."""
        texts = ["x".join(self.r.choice(["", "?"]) + str(e) for e in level)
                 or "-" for level in self.levels]
        return "-levels=" + ",".join(texts)

    def slots(self):
        """The number of instances, or of those that are run at most."""
        return 256 if self.is_far else max(self.total(), 1)

    def far_options(self):
        """Which instances of a large grid are run: less than `slots`."""
        r, total, row = self.r, self.total(), self.levels[0][0]
        first = r.choice([
            0, 2 ** 31 - r.randint(0, 99), 2 ** 32 - r.randint(0, 99),
            total - r.randint(1, 99), r.randrange(total),
            row * r.randint(1, total // row) - r.randint(0, 99)])
        return ["-units=1", f"-from={min(first, total - 1)}",
                f"-units-at-most={r.randint(1, 200)}"]

    def run_options(self):
        """The seed of the inputs, and how many levels are units."""
        result = [f"-seed={self.r.randint(1, 999)}"]
        if self.is_far:
            return result + self.far_options()
        if not self.has_barriers:
            result.append(f"-units={self.r.randint(0, len(self.levels))}")
        elif len(self.levels) > 1:
            result.append(f"-units={self.r.randint(0, len(self.levels) - 1)}")
        return result


def main(generator, prelude):
    """SEED FILE.c: writes the leaf, and prints how to run it."""
    leaf = generator(int(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(prelude + leaf.text())
    print(f"-leaf={leaf.name}", leaf.options())
