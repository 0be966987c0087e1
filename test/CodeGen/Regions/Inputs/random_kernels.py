# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what 'sluice check' says of random kernels with all their accesses.

usage: random_kernels.py --sluice PATH --folder FOLDER [--count N] [--seed N]

Each kernel goes over the elements of a part, or of a part that is grown or
shrunk, and reads and writes elements beside them. This script goes over the
same elements at each point. An access that is never outside of its part must
not be reported; one that is must be, in loops without conditions.
"""

import argparse
import itertools
import pathlib
import random
import re
import subprocess
import sys


def blocks(extents, colors, color):
    return [(n * c // k, n * (c + 1) // k)
            for n, k, c in zip(extents, colors, color)]


class Kernel:
    def __init__(self, rng, number):
        self.rng, self.name = rng, f"k{number}"
        rank = rng.randint(1, 3)
        self.extents = [rng.randint(4, {1: 60, 2: 16, 3: 9}[rank])
                        for _ in range(rank)]
        self.colors = [rng.randint(1, 3) for _ in range(rank)]
        self.width = [rng.randint(0, 2) for _ in range(rank)]
        self.hasParameters = [rng.random() < 0.4 for _ in range(rank)]
        self.root = f"r{number}"
        # The argument that is accessed, and the loops around the access.
        self.isRead = rng.random() < 0.6
        self.over = rng.choice(["tile", "tile", "halo"])
        self.grown = [rng.choice([(0, 0)] * 4 + [(1, -1), (0, -1), (-1, 1)])
                      for _ in range(rank)]
        self.beside = [rng.choice([0, 0, 0, 1, -1, 2, -2]) for _ in range(rank)]
        self.isGuarded = rng.random() < 0.3

    def extent(self, d):
        return f"@{self.root}n{d}" if self.hasParameters[d] \
            else str(self.extents[d])

    def module(self):
        root, count = self.root, ", ".join(map(str, self.colors))
        for d, isParameter in enumerate(self.hasParameters):
            if isParameter:
                yield (f"rdir.parameter @{root}n{d} : i64 = {self.extents[d]}")
        extents = ", ".join(self.extent(d) for d in range(len(self.extents)))
        yield f"rdir.root @{root} [{extents}] {{a : f64, b : f64}}"
        yield (f"rdir.partition @{root}t of @{root} [{count}] disjoint complete "
               "by blocks")
        yield (f"rdir.partition @{root}h of @{root} [{count}] aliased complete "
               f"by halo(@{root}t, {self.width})")

    def task(self):
        count = ", ".join(map(str, self.colors))
        return (f"  rdir.task @{self.name} over [{count}] reads(@{self.root}h "
                f"{{a}}) writes(@{self.root}t {{b}})" + self.given())

    def given(self):
        names = [self.extent(d) for d in range(1, len(self.extents))
                 if self.hasParameters[d]]
        return f" with({', '.join(names)})" if names else ""

    def code(self):
        rank, rng = len(self.extents), self.rng
        names = ["ijk"[d] for d in range(rank)]
        given = "".join(f", int64_t n{d}" for d in range(1, rank)
                        if self.hasParameters[d])
        yield (f"void {self.name}(const SluiceTask *, const double *a, const "
               "SluiceDomain *halo, double *b, const SluiceDomain *tile"
               f"{given}) {{")
        yield "  double sum = 0;"
        way = rng.randrange(3)
        for d, (name, (low, high)) in enumerate(zip(names, self.grown)):
            test = "!=" if way == 1 and (low, high) == (0, 0) else "<"
            yield (f"  for (int64_t {name} = {self.over}->lower[{d}] + {low}; "
                   f"{name} {test} {self.over}->upper[{d}] + {high}; ++{name})")

        def index(names):
            at = names[0]
            for d in range(1, rank):
                if way == 2:
                    length = f"n{d}" if self.hasParameters[d] \
                        else str(self.extents[d])
                    at = f"({at}) * {length} + {names[d]}"
            if way != 2:
                at = " + ".join(f"({name}) * {rng.choice(['tile', 'halo'])}"
                                f"->stride[{d}]"
                                for d, name in enumerate(names))
            return at

        at = index([f"{name} + {step}"
                    for name, step in zip(names, self.beside)])
        guard = "if (sum < 1e9) " if self.isGuarded else ""
        access = f"sum += a[{at}];" if self.isRead else f"b[{at}] = 1;"
        yield f"    {guard}{access} // {self.name}"
        yield "  keep(sum);"
        yield "}"

    def is_wrong(self):
        """Whether an access is outside of its part at some point."""
        for color in itertools.product(*map(range, self.colors)):
            tile = blocks(self.extents, self.colors, color)
            halo = [(max(0, low - w), min(n, high + w)) for (low, high), w, n
                    in zip(tile, self.width, self.extents)]
            if any(low >= high for low, high in tile):
                halo = [(0, 0)] * len(tile)
            part = halo if self.isRead else tile
            around = tile if self.over == "tile" else halo
            ranges = [range(low + a, high + b)
                      for (low, high), (a, b) in zip(around, self.grown)]
            for element in itertools.product(*ranges):
                position = 0
                for n, x, step in zip(self.extents, element, self.beside):
                    position = position * n + x + step
                at = []
                for n in reversed(self.extents[1:]):
                    at.insert(0, position % n)
                    position //= n
                at.insert(0, position)
                if not all(low <= x < high for x, (low, high)
                           in zip(at, part)):
                    return True
        return False


def check(options, seed):
    rng = random.Random(seed)
    kernels = [Kernel(rng, number) for number in range(40)]
    lines = [line for kernel in kernels for line in kernel.module()]
    lines += ["rdir.graph @main {", *(kernel.task() for kernel in kernels), "}"]
    folder = options.folder / str(seed)
    folder.mkdir(parents=True)
    files = [folder / "kernels.mlir", folder / "kernels.cpp"]
    files[0].write_text("\n".join(lines) + "\n")
    code = ['#include "kernels.rdir.h"', "double kept;",
            "static void keep(double value) { kept = value; }",
            *(line for kernel in kernels for line in kernel.code())]
    files[1].write_text("\n".join(code) + "\n")
    done = subprocess.run([options.sluice, "check", *files], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    found = dict(re.findall(r"error: '(\w+)' (.*)", done.stdout))
    if "error:" in done.stdout and not found or done.returncode not in (0, 1):
        sys.exit(f"{files[0]}: {done.stdout}")
    numbers = [0, 0, 0]  # right ones, those found, those that code hides
    for kernel in kernels:
        isWrong, isFound = kernel.is_wrong(), kernel.name in found
        if isFound and not isWrong:
            sys.exit(f"{files[1]}: '{kernel.name}' is right, but: "
                     f"{found[kernel.name]}")
        if isWrong and not isFound and not kernel.isGuarded:
            sys.exit(f"{files[1]}: '{kernel.name}' is wrong, which is not "
                     "found")
        numbers[0 if not isWrong else 1 if isFound else 2] += 1
    return numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    right, found, hidden = map(sum, zip(*(
        check(options, options.seed + i) for i in range(options.count))))
    print(f"{right} right kernels, {found} wrong ones found, {hidden} not")


main()
