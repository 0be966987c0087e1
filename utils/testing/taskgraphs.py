#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random task graphs and compares them with running their tasks in order.

Tasks are C kernels that do not commute, on parts of datasets that overlap in
every way, and on scalars by value and by reference. A graph must print the
same on one worker and on many as this program computes for it, also if it is
checked while it runs. One of whose tasks it is said that it only reads what it
writes must be refused; one with a task that touches an element beside its part
must fail when it is checked, and name that element.

With --ranks graphs run on several ranks instead, on the places that Sluice
chooses and on random ones.
"""

import argparse
import os
import random
import subprocess
import sys

KERNELS = r"""
#include <stdint.h>
#define ARRAY(T, X) T *X##_buf, T *X, int X##_o, INDEX X##_n0, INDEX X##_n1, \
                    INDEX X##_s0, INDEX X##_s1
#define EACH(X) \
  for (int64_t i = 0; i < X##_n0; ++i) for (int64_t j = 0; j < X##_n1; ++j)
#define AT(X) X[X##_o + i * X##_s0 + j * X##_s1]
void mix(ARRAY(uint32_t, b), ARRAY(uint32_t, a)) {
  EACH(b) AT(b) = AT(b) * 31 + AT(a) * 7 + 1;
}
void bump(ARRAY(uint32_t, a), int8_t k) { EACH(a) AT(a) = AT(a) * 5 + k; }
void fold(ARRAY(uint32_t, a), uint32_t *s) { EACH(a) *s = *s * 33 + AT(a); }
void spread(uint32_t s, ARRAY(uint32_t, a), uint16_t t) {
  EACH(a) AT(a) = AT(a) * 3 + (s ^ t) + j;
}
void poke(ARRAY(uint32_t, a), int64_t far, int8_t writes) {
  if (writes) a[far] = 1; else a[0] += a[far];
}
"""


class Graph:
    """One random graph: its text, and what its datasets hold in the end."""

    def __init__(self, seed, after=False):
        self.random = random.Random(seed)
        self.after = after  # whether tasks name other tasks that they wait for
        self.tasks = []
        pick = self.random.randint
        self.shapes = [(pick(1, 9), pick(1, 9)) for _ in range(pick(1, 4))]
        self.memory = [[pick(0, 2**32 - 1) for _ in range(h * w)]
                       for h, w in self.shapes]
        self.scalars = [pick(0, 2**32 - 1) for _ in range(pick(1, 3))]
        self.narrow = [pick(-128, 127), pick(0, 65535)]
        self.text = self.declare()
        for number in range(pick(1, 30)):
            self.add_task(number)
        for number in range(len(self.scalars)):  # show what scalars hold
            self.spread(0, None, number)
        self.text.append("}")

    def declare(self):
        lines = ['dfg.kernel_source "kernels.c"']
        for number, (h, w) in enumerate(self.shapes):
            rows = self.memory[number]
            values = ", ".join(
                "[" + ", ".join(map(str, rows[i * w:(i + 1) * w])) + "]"
                for i in range(h))
            lines.append(f"dfg.dataset @D{number} : ui32 [{h}, {w}] initial("
                         f"dense<[{values}]> : tensor<{h}x{w}xui32>) printed")
        for number, value in enumerate(self.scalars):
            lines.append(f"dfg.scalar @s{number} : ui32 = {value}")
        lines.append(f"dfg.scalar @k : si8 = {self.narrow[0]}")
        lines.append(f"dfg.scalar @t : ui16 = {self.narrow[1]}")
        lines.append("dfg.task_graph @random {")
        return lines

    def part(self, number, shape=None):
        """Text of a part, the indices of its elements, and its shape."""
        pick = self.random.randint
        full = self.shapes[number]
        if shape is None and pick(0, 3) == 0:
            return f"@D{number}", list(range(full[0] * full[1])), full
        ranges = []
        for d in range(2):
            size = shape[d] if shape else pick(1, full[d])
            most = (full[d] - 1) // (size - 1) if size > 1 else full[d]
            step = pick(1, max(1, most))
            begin = pick(0, full[d] - 1 - (size - 1) * step)
            ranges.append((begin, begin + (size - 1) * step + 1, step, size))
        text = ", ".join(f"{b}:{e}:{s}" for b, e, s, _ in ranges)
        elements = [(ranges[0][0] + i * ranges[0][2]) * full[1]
                    + ranges[1][0] + j * ranges[1][2]
                    for i in range(ranges[0][3]) for j in range(ranges[1][3])]
        return (f"@D{number}[{text}]", elements,
                (ranges[0][3], ranges[1][3]))

    def emit(self, callee, arguments, suffix=""):
        name = len(self.text)
        after = ""
        if self.after and self.tasks and self.random.randint(0, 7) == 0:
            after = f" after(%{self.random.choice(self.tasks)})"
        self.text.append(f'  %t{name} = dfg.task c "{callee}"('
                         + ", ".join(arguments) + ")" + after
                         + f' named("t{name}")' + suffix)
        self.tasks.append(f"t{name}")

    def contiguous(self, *sets):
        apart = all(not (set(a) & set(b)) for i, a in enumerate(sets)
                    for b in sets[i + 1:])
        return " contiguous" if apart and self.random.randint(0, 2) == 0 else ""

    def add_task(self, _):
        number = self.random.randrange(len(self.shapes))
        text, elements, shape = self.part(number)
        kind = self.random.randrange(4)
        memory = self.memory[number]
        if kind == 0:
            self.mix(number, text, elements, shape)
        elif kind == 1:
            self.emit("bump", [text, "value @k"], self.contiguous(elements))
            for index in elements:
                memory[index] = (memory[index] * 5 + self.narrow[0]) % 2**32
        elif kind == 2:
            scalar = self.random.randrange(len(self.scalars))
            self.emit("fold", ["in " + text, f"@s{scalar}"],
                      self.contiguous(elements))
            for index in elements:
                self.scalars[scalar] = (self.scalars[scalar] * 33
                                        + memory[index]) % 2**32
        else:
            self.spread(number, (text, elements, shape),
                        self.random.randrange(len(self.scalars)))

    def mix(self, number, text, elements, shape):
        fitting = [n for n, s in enumerate(self.shapes)
                   if s[0] >= shape[0] and s[1] >= shape[1]]
        other = self.random.choice(fitting)
        text2, elements2, _ = self.part(other, shape)
        sets = (elements, elements2) if other == number else ()
        self.emit("mix", [text, "in " + text2], self.contiguous(*sets))
        for to, source in zip(elements, elements2):
            memory = self.memory[number]
            memory[to] = (memory[to] * 31 + self.memory[other][source] * 7
                          + 1) % 2**32

    def spread(self, number, part, scalar):
        text, elements, shape = part or self.part(number)
        self.emit("spread", [f"value @s{scalar}", text, "value @t"],
                  self.contiguous(elements))
        memory = self.memory[number]
        for place, index in enumerate(elements):
            memory[index] = (memory[index] * 3
                             + (self.scalars[scalar] ^ self.narrow[1])
                             + place % shape[1]) % 2**32

    def poke(self):
        """Adds a task that touches an element beside its part; what a check
        says of it, or None if no dataset has a part."""
        number = self.random.randrange(len(self.shapes))
        size = self.shapes[number][0] * self.shapes[number][1]
        for _ in range(20):
            text, elements, _ = self.part(number)
            if len(elements) < size:
                break
        else:
            return None
        beside = self.random.choice(sorted(set(range(size)) - set(elements)))
        writes = self.random.randint(0, 1)
        self.text.insert(-1, "  %poke = dfg.task c \"poke\"("
                         f"{text}, value @far, value @writes)")
        start = next(i for i, line in enumerate(self.text)
                     if line.startswith("dfg.task_graph"))
        self.text[start:start] = [
            f"dfg.scalar @far : si64 = {beside - elements[0]}",
            f"dfg.scalar @writes : si8 = {writes}"]
        width = self.shapes[number][1]
        return (f"it {'writes' if writes else 'reads'} "
                f"D{number}[{beside // width}, {beside % width}] at ")

    def expected(self):
        lines = []
        for number, (h, w) in enumerate(self.shapes):
            lines.append(f"D{number} =")
            for i in range(h):
                row = self.memory[number][i * w:(i + 1) * w]
                lines.append(" ".join(map(str, row)))
        return "\n".join(lines).split()


def run(command, workers, folder):
    environment = dict(os.environ, SLUICE_WORKERS=str(workers))
    done = subprocess.run(command, cwd=folder, env=environment, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def check(sluice, folder, seed, index):
    """Builds and runs one graph; false after saying what is wrong with it."""
    graph = Graph(seed)
    path = os.path.join(folder, f"graph{seed}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(graph.text) + "\n")
    with open(os.path.join(folder, "kernels.c"), "w", encoding="utf-8") as file:
        file.write(KERNELS.replace("INDEX", ("int", "int64_t")[index]))
    program = os.path.join(folder, f"graph{seed}")
    status, output = run([sluice, "build", path, "-o", program], 1, folder)
    if status:
        print(f"seed {seed}: cannot be built\n{output}")
        return False
    checked = program + ".checked"
    status, output = run([sluice, "build", "--check", path, "-o", checked], 1,
                         folder)
    if status:
        print(f"seed {seed}: cannot be built to be checked\n{output}")
        return False
    for workers in (1, 2, 4, 4, 0):
        status, output = run([program if workers else checked], workers or 2,
                             folder)
        if status or output.split() != graph.expected():
            print(f"seed {seed}: wrong on {workers} workers (status {status}): "
                  f"{path}\n{output}\nexpected\n{' '.join(graph.expected())}")
            return False
    os.remove(program)
    os.remove(checked)
    if not refuses_wrong_access(sluice, folder, graph, path) or \
            not finds_wrong_element(sluice, folder, graph, path):
        return False
    os.remove(path)
    return True


def check_ranks(options, seed):
    """Builds one graph and runs it on several ranks; false after saying what
    is wrong with it."""
    graph = Graph(seed, after=True)
    folder = options.folder
    path = os.path.join(folder, f"graph{seed}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(graph.text) + "\n")
    with open(os.path.join(folder, "kernels.c"), "w", encoding="utf-8") as file:
        file.write(KERNELS.replace("INDEX", "int"))
    program = os.path.join(folder, f"graph{seed}")
    status, output = run([options.sluice, "build", path, "-o", program], 1,
                         folder)
    if status:
        print(f"seed {seed}: cannot be built\n{output}")
        return False
    for number in options.ranks:
        places = os.path.join(folder, "places")
        with open(places, "w", encoding="utf-8") as file:
            for task in graph.tasks:
                if graph.random.randint(0, 9):
                    file.write(f"{task} {graph.random.randrange(number)}\n")
        for workers, place in ((1, []), (2, ["--place=" + places])):
            status, output = run(
                options.launcher.split() + ["-n", str(number), program]
                + (place if number > 1 else []), workers, folder)
            if status or output.split() != graph.expected():
                print(f"seed {seed}: wrong on {number} ranks of {workers} "
                      f"workers {' '.join(place)} (status {status}): {path}\n"
                      f"{output}\nexpected\n{' '.join(graph.expected())}")
                return False
    os.remove(program)
    os.remove(path)
    return True


def refuses_wrong_access(sluice, folder, graph, path):
    """One task that writes says that it only reads."""
    writers = [number for number, line in enumerate(graph.text)
               if '"bump"(' in line or '"mix"(' in line]
    if not writers:
        return True
    wrong = graph.random.choice(writers)
    lines = list(graph.text)
    lines[wrong] = lines[wrong].replace("(", "(in ", 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    status, output = run([sluice, "check", path], 1, folder)
    if status != 1 or "but the task says that it only reads it" not in output:
        print(f"{path}:{wrong + 1}: the wrong 'in' is accepted (status "
              f"{status})\n{output}")
        return False
    return True


def finds_wrong_element(sluice, folder, graph, path):
    """One task touches an element beside the part that it was given."""
    message = graph.poke()
    if message is None:
        return True
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(graph.text) + "\n")
    status, output = run([sluice, "run", "--check", path], 1, folder)
    if status != 1 or message not in output or \
            "outside of the part that it was given" not in output:
        print(f"{path}: expected '{message}' (status {status})\n{output}")
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ranks", help="numbers of ranks, as in 1,2,5")
    parser.add_argument("--launcher", default="mpirun.openmpi "
                        "--allow-run-as-root --oversubscribe --bind-to none")
    options = parser.parse_args()
    if options.ranks:
        options.ranks = [int(number) for number in options.ranks.split(",")]
    options.sluice = os.path.abspath(options.sluice)
    options.folder = os.path.abspath(options.folder)
    os.makedirs(options.folder, exist_ok=True)
    for seed in range(options.seed, options.seed + options.count):
        if not (check_ranks(options, seed) if options.ranks else
                check(options.sluice, options.folder, seed, seed % 2)):
            return 1
    print(f"{options.count} random task graphs are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
