#!/usr/bin/env python3
"""Random loops with 'ordered' in OpenMP, with and without races.

Iterations wait for others: in an 'ordered' region, or by 'sink' and 'source'.
All instances are compared here, on a small grid: `sluice check` must call no
racy loop proven, and none racy that is not; the others must print what they
print without OpenMP.

  random_ordered.py --sluice SLUICE --clang CLANG --seed N [--count N]
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

PAD = 4
LONG, WIDE = 9, 7
PREFIX = f"""#include <stdio.h>
#include <stdlib.h>
#define NEW __attribute__((noinline)) static
"""


class Kernel:
    """Accesses are (phase, write, outer distance, inner distance): phase 0
    waits for nobody, phase 1 has waited and is waited for, phase 2 is waited
    for by nobody. With two loops, phase 2 is done before the next turn of the
    inner loop, and phase 0 comes after the turn before."""

    def __init__(self, generator, name):
        self.name = name
        self.kind = generator.choice(["region", "sink", "sinks"])
        choose = generator.choice
        self.isFlat = self.kind != "sinks"
        aside = [0] if self.isFlat else [-1, 0, 1]
        self.sinks = []
        if self.kind == "sink":
            self.sinks = [(outer, 0) for outer in
                          generator.sample([1, 2, 3], choose([1, 1, 2]))]
        elif self.kind == "sinks":
            self.sinks = generator.sample(
                [(1, 0), (0, 1), (1, 1), (2, 0), (1, 2), (1, -1), (1, -2)],
                choose([1, 2, 2]))
        # The iteration i runs with i times this, and more.
        self.step = choose(["1", "1", "2", "-1", "-3", "!="])
        self.innerStep = choose([1, 1, 1, 2, -1])
        self.reads = []
        for _ in range(choose([1, 1, 2])):
            phase = 1 if generator.random() < 0.75 else choose([0, 2])
            self.reads.append((phase, False, choose([-2, -1, -1, 0, 1]),
                               choose(aside)))
        phase = 1 if generator.random() < 0.85 else choose([0, 2])
        self.row = choose([str(WIDE + 2 * PAD), f"m + {2 * PAD}"])
        self.inner = "m" if "m" in self.row else str(WIDE)
        self.writes = [(phase, True, 0, 0)]
        self.clause = choose(["", " schedule(static, 1)", " schedule(dynamic)",
                              " schedule(static)"])

    def isOrdered(self, reach, early, late, before, after):
        """What `early` does in `before` happens before `late` in `after`."""
        if before[0] == after[0]:
            return before[1] < after[1]
        aside = 0 if self.isFlat else 1
        before = (before[0], before[1] + (aside if early[0] == 2 else 0))
        after = (after[0], after[1] - (aside if late[0] == 0 else 0))
        if aside == 0 and (early[0] == 2 or late[0] == 0):
            return False
        return after in reach.get(before, ())

    def reaches(self):
        """For each instance, those that wait for it."""
        width = 1 if self.isFlat else WIDE
        places = [(i, j) for i in range(LONG) for j in range(width)]
        steps = [(1, 0)] if self.kind == "region" else self.sinks
        reach = {}
        for place in reversed(places):
            found = set()
            following = [(place[0] + i, place[1] + j) for i, j in steps]
            following.append((place[0], place[1] + 1))
            for after in following:
                if after in reach:
                    found |= {after} | reach[after]
            reach[place] = found
        return places, reach

    def isRacy(self):
        places, reach = self.reaches()
        accesses = self.reads + self.writes
        for one, other in itertools.combinations(places, 2):
            for x, y in itertools.product(accesses, accesses):
                if not (x[1] or y[1]):
                    continue
                if (one[0] + x[2], one[1] + x[3]) != (other[0] + y[2],
                                                      other[1] + y[3]):
                    continue
                if not self.isOrdered(reach, x, y, one, other):
                    return True
        return False

    def mayHang(self):
        """Clang's library waits for iterations behind the last one."""
        return any(step < 0 for _, step in self.sinks)

    def loop(self):
        """The outer loop, its step, and where `i` starts."""
        if self.step == "!=":
            return "for (unsigned i = 5; i != (unsigned)n + 5; ++i)", 1, 5
        step = int(self.step)
        if step > 0:
            return f"for (int i = 0; i < {step} * n; i += {step})", step, 0
        return (f"for (long i = 0; i > {step} * (long)n; i -= {-step})", step,
                0)

    def place(self, access):
        _, step, first = self.loop()
        row = "i" if first == 0 else f"(i - {first})"
        row = row if step == 1 else f"{row} / {step}"
        text = f"a[{row} + {PAD + access[2]}]"
        column = "j" if self.innerStep == 1 else f"j / {self.innerStep}"
        return text if self.isFlat else text + f"[{column} + {PAD + access[3]}]"

    def text(self):
        """The function, and the number of its directive's line in it."""
        kind = "double *" if self.isFlat else f"double (*)[{self.row}]"
        parameter = ("double *restrict a" if self.isFlat else
                     f"double (*restrict a)[{self.row}]")
        loops = 1 if self.isFlat else 2
        clause = "ordered" if self.kind == "region" else f"ordered({loops})"
        lines = [f"NEW void {self.name}(int n, int m, {parameter}) {{",
                 f"#pragma omp parallel for {clause}{self.clause}",
                 self.loop()[0]]
        if not self.isFlat:
            step, sign = self.innerStep, "<" if self.innerStep > 0 else ">"
            lines.append(f"for (int j = 0; j {sign} {step} * {self.inner}; "
                         f"j += {step})")
        lines += ["{", "double t = 1;"]
        phases = [[], [], []]
        for phase, _, outer, inner in self.reads:
            phases[phase].append(f"t += {self.place((0, 0, outer, inner))};")
        for phase, _, outer, inner in self.writes:
            phases[phase].append(
                f"{self.place((0, 0, outer, inner))} = t / 3;")
        begin, end = "#pragma omp ordered\n{", "}"
        if self.kind != "region":
            factors = [("i", self.loop()[1]),
                       ("j", self.innerStep)][:loops]
            begin = "\n".join(
                "#pragma omp ordered depend(sink : " + ", ".join(
                    f"{name} {'+' if factor * step < 0 else '-'} "
                    f"{abs(factor * step)}"
                    for (name, factor), step in zip(factors, sink)) + ")"
                for sink in self.sinks)
            end = "#pragma omp ordered depend(source)"
        lines += phases[0] + [begin] + phases[1] + [end] + phases[2]
        lines += ["}", "}", ""]
        return "\n".join(lines), kind


def program(kernels):
    """The text, and for each function its first and its last line."""
    text, spans = PREFIX, []
    for kernel in kernels:
        first = text.count("\n") + 1
        text += kernel.text()[0]
        spans.append((first, text.count("\n")))
    size = (LONG + 2 * PAD) * (WIDE + 2 * PAD)
    text += (f"int main(int argc, char **argv) {{\nint n = {LONG - 1} + argc, "
             f"m = {WIDE - 1} + argc;\ndouble *a = malloc({size} * "
             f"sizeof(double)), sum = 0;\n"
             f"for (int k = 0; k < {size}; ++k) a[k] = k % 13;\n")
    for kernel in kernels:
        text += f"{kernel.name}(n, m, ({kernel.text()[1]})a);\n"
        text += (f"for (int k = 0; k < {size}; ++k) sum = sum * 0.9 + a[k];\n"
                 f'printf("{kernel.name} %.12g\\n", sum);\n')
    return text + "}\n", spans


def run(command, **settings):
    done = subprocess.run(command, env={**os.environ, **settings},
                          capture_output=True, text=True, timeout=120)
    return done.stdout, done.returncode, done.stdout + done.stderr


def verdicts(options, source, spans):
    """Of each function: proven, racy or unknown."""
    text = run([options.sluice, "check", "-fopenmp", source])[2]
    result = ["proven"] * len(spans)
    name = re.escape(os.path.basename(source))
    for line, kind in re.findall(name + r":(\d+):\d+: (error|remark)", text):
        for index, (first, last) in enumerate(spans):
            if first <= int(line) <= last and result[index] != "racy":
                result[index] = "racy" if kind == "error" else "unknown"
    return result, text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    bad, decided, total = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            generator = random.Random(seed)
            kernels = [Kernel(generator, f"k{i}")
                       for i in range(options.kernels)]
            racy = [kernel.isRacy() for kernel in kernels]
            source = os.path.join(folder, f"ordered{seed}.c")
            text, spans = program(kernels)
            with open(source, "w") as file:
                file.write(text)
            found, said = verdicts(options, source, spans)
            total += len(kernels)
            for kernel, isRacy, verdict in zip(kernels, racy, found):
                decided += verdict != "unknown"
                if verdict == ("proven" if isRacy else "racy"):
                    print(f"seed {seed}: {verdict}, but racy is {isRacy}:\n"
                          + kernel.text()[0])
                    bad += 1
                elif options.verbose and verdict == "unknown":
                    print(f"seed {seed}: unknown:\n" + kernel.text()[0])
            right = [kernel for kernel, isRacy in zip(kernels, racy)
                     if not isRacy and not kernel.mayHang()]
            with open(source, "w") as file:
                file.write(program(right)[0])
            binary = os.path.join(folder, "program")
            subprocess.run([options.clang, "-w", "-O1", source, "-o", binary],
                           check=True)
            expected = run([binary])[0]
            built = run([options.sluice, "build", "-w", "-fopenmp", source,
                         "-o", binary])
            for workers in ("1", "2", "5"):
                output = (run([binary], SLUICE_WORKERS=workers)
                          if built[1] == 0 else built)
                if output[0] != expected:
                    print(f"seed {seed}, {workers} workers: expected "
                          f"{expected}but found {output}")
                    bad += 1
    print(f"{total} loops, {bad} wrong, {decided} decided")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
