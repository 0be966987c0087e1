"""Places by quotients and remainders, compared with all small arguments.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: quotients.py SEED GRAPHS FOLDER

The divisor is an argument, or computed from one. A graph of which nothing is
said must be free of races for all arguments that are tried, also negative ones,
and a graph with an error must have a race. Nothing is divided by 0, except in
choices that test for it.
"""

import os
import random
import re
import subprocess
import sys

HEAD = """#include <hpvm.h>
#define GRAPH(N, CODE)                                                         \\
  void leaf##N(int *a, size_t aBytes, long k, long m, long n) {                \\
    __hpvm__hint(CPU_TARGET);                                                  \\
    __hpvm__attributes(1, a, 1, a);                                            \\
    long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());                   \\
    CODE                                                                       \\
  }                                                                            \\
  void root##N(int *a, size_t aBytes, long k, long m, long n) {                \\
    __hpvm__hint(CPU_TARGET);                                                  \\
    __hpvm__attributes(1, a, 1, a);                                            \\
    void *node = __hpvm__createNodeND(1, leaf##N, n);                          \\
    for (int i = 0; i < 5; ++i)                                                \\
      __hpvm__bindIn(node, i, i, 0);                                           \\
  }
"""


class Graph:
    def __init__(self, r):
        self.divisor = r.choice(["k", "k", "k", "m", "k + 1", "k / 2", "2 * k"])
        self.guard = r.choice([None, None, None, "k > 0", "k < 0", "k != 0",
                               "x < m", "k >= 2 * m"])
        self.choice = r.random() < 0.1
        pitch = r.choice(["d", "d", "2 * d", "k", "d + 1", "m", "3"])
        place = r.choice([f"x / d * ({pitch}) + x % d",
                          f"x % d * ({pitch}) + x / d",
                          f"x / d * ({pitch}) + (x % d) * 2", "x % d", "x / d"])
        self.places = [place]
        for _ in range(r.choice([0, 1, 1])):
            more = r.choice(["d", "d", "k", "1", "m", "2 * d", "-d"])
            self.places.append(f"{place} + ({more})")
        self.writes = [True] + [r.random() < 0.6 for _ in self.places[1:]]

    def code(self):
        lines = [f"long d = {self.divisor};"]
        for place, is_written in zip(self.places, self.writes):
            if self.choice:
                place = f"d != 0 ? {place} : x % 2"
            lines.append(f"a[{place}] = 1;" if is_written
                         else f"sum += a[{place}];")
        if not all(self.writes):
            lines[1:1] = ["int sum = 0;"]
            lines.append(f"a[{self.places[0]}] = sum;" if not self.choice
                         else f"a[d != 0 ? {self.places[0]} : x % 2] = sum;")
        body = " ".join(lines)
        return f"if ({self.guard}) {{ {body} }}" if self.guard else body

    def has_race(self, k, m, n):
        """None if the launch divides by 0."""
        used = {}
        for x in range(n):
            if self.guard and not evaluate(self.guard, x=x, k=k, m=m):
                continue
            d = evaluate(self.divisor, k=k, m=m)
            if d == 0 and not self.choice:
                return None
            for place, is_written in zip(self.places, self.writes):
                at = evaluate(place, x=x, k=k, m=m, d=d) if d else x % 2
                used.setdefault(at, set()).add((x, is_written))
        return any(len({x for x, _ in users}) > 1 and
                   any(is_written for _, is_written in users)
                   for users in used.values())


class Number(int):
    """Divided as C does."""

    def __truediv__(self, other):
        quotient = abs(int(self)) // abs(int(other))
        return Number(quotient if (self < 0) == (other < 0) else -quotient)

    def __mod__(self, other):
        return Number(int(self) - int(self / other) * int(other))

    def __add__(self, other):
        return Number(int(self) + int(other))

    def __mul__(self, other):
        return Number(int(self) * int(other))

    def __rmul__(self, other):
        return Number(int(self) * int(other))

    def __neg__(self):
        return Number(-int(self))


def evaluate(text, **values):
    return eval(text, {}, {name: Number(value)  # of our own making
                           for name, value in values.items()})


def main(seed, count, folder):
    r = random.Random(seed)
    graphs = [Graph(r) for _ in range(count)]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "quotients.c")
    with open(path, "w", encoding="ascii") as file:
        file.write(HEAD)
        for number, graph in enumerate(graphs):
            file.write(f"GRAPH({number}, {graph.code()})\n")
    run = subprocess.run(["sluice", "check", "--diagnostics=json", path],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    said = {"error": set(), "remark": set()}
    for kind, number in re.findall(
            r'"severity": ?"(error|remark)"[^}]*?root(\d+)', run.stdout):
        said[kind].add(int(number))
    wrong = missed = proven = 0
    for number, graph in enumerate(graphs):
        races = [graph.has_race(k, m, n) for k in range(-6, 7)
                 for m in (-3, 0, 1, 2, 5, 12) for n in (7, 13)]
        is_proven = not any(number in all for all in said.values())
        proven += is_proven
        if is_proven and any(races):
            missed += 1
            print(f"{graph.code()}: a race is missed")
        if number in said["error"] and not any(races):
            wrong += 1
            print(f"{graph.code()}: there is no race")
    print(f"{count} graphs, {proven} proven: {wrong} wrong errors, "
          f"{missed} missed")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
