"""Compares what launches say of random tables with a search of all instances.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: table_rows.py FIRST LAST FOLDER      seeds; `sluice` comes from PATH

A leaf goes to places that follow from numbers in tables: through loops from one
entry to the next, loops as long as an entry, entries of entries, under conditions
on entries. A launch must fail if and only if two instances meet, where the check
says that launches test it, and must not fail otherwise.
"""

import os
import random
import subprocess
import sys

COUNT = 16
LENGTH = 24
TABLES = 8

HEADER = """#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#define NAMES 4, out, s, t, u
"""
LEAF = """
void work%(number)d(int *out, size_t outBytes, int *s, size_t sBytes, %(type)s *t,
    size_t tBytes, int *u, size_t uBytes, long n, int w) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(NAMES, 1, out);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  %(declared)s
  %(code)s
}
void root%(number)d(int *out, size_t outBytes, int *s, size_t sBytes, %(type)s *t,
    size_t tBytes, int *u, size_t uBytes, long n, int w) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(NAMES, 1, out);
  void *node = __hpvm__createNodeND(%(dimensions)d, work%(number)d, n%(more)s);
  for (int i = 0; i < 10; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
"""
MAIN = """
struct __attribute__((packed)) Arguments {
  int *out; size_t outBytes; int *s; size_t sBytes; %(type)s *t; size_t tBytes;
  int *u; size_t uBytes; long n; int w;
};
int main(int argc, char **argv) {
  static int out[4096], s[%(length)d], u[%(length)d];
  static %(type)s t[%(length)d];
  for (int i = 0; i < %(length)d; ++i) {
    s[i] = atoi(argv[4 + i]);
    t[i] = atoi(argv[4 + i + %(length)d]);
    u[i] = atoi(argv[4 + i + 2 * %(length)d]);
  }
  struct Arguments all = {out, sizeof out, s, sizeof s, t, sizeof t,
                          u, sizeof u, atoi(argv[2]), atoi(argv[3])};
  __hpvm__init();
  switch (atoi(argv[1])) {
%(cases)s
  }
  __hpvm__cleanup();
  return 0;
}
"""


class Leaf:
    """Code in C, and the same in Python, which gives the places."""

    def __init__(self, number, r):
        self.number, self.r = number, r
        self.type = "int"
        self.dimensions = r.choice([1, 1, 1, 2])
        c, p = [], []
        close = ""
        indent = "  "

        def open_block(head, python):
            nonlocal close, indent
            c.append(head + " {")
            p.append(indent + python)
            close += "}"
            indent += "  "

        def entry(table, at):
            return f"{table}[{at}]"

        ids = ["x"] if self.dimensions == 1 else ["x", "y"]
        which = r.choice(ids)
        if r.random() < 0.3:
            at = r.choice(["x", which, "2 * x"])
            test = r.choice([f"u[{at}] > 2", f"u[{at}] != 0", f"u[{at}] == 1",
                             f"x < {r.randint(1, 9)}", f"s[{at}] <= t[{at}]",
                             "x > 1"])
            open_block(f"if ({test})", f"if {test}:")
        at = r.choice([which, "x", f"{which} + 1", f"2 * {which}",
                       "11 - x", f"u[{which}]"])
        kind = r.choice(["next", "next", "length", "constant", "one", "nested",
                         "down"])
        base = entry("s", at)
        if kind == "next":
            open_block(f"for (int k = {base}; k < s[({at}) + 1]; ++k)",
                       f"for k in range({base}, s[({at}) + 1]):")
        elif kind == "down":
            open_block(f"for (int k = s[({at}) + 1] - 1; k >= {base}; --k)",
                       f"for k in range({base}, s[({at}) + 1]):")
        elif kind == "length":
            count = r.choice([f"t[{at}]", "w", f"t[{at}] - 1", "u[x]"])
            open_block(f"for (int k = 0; k < {count}; ++k)",
                       f"for k in range({count}):")
        elif kind == "constant":
            count = r.randint(1, 4)
            open_block(f"for (int k = 0; k < {count}; ++k)",
                       f"for k in range({count}):")
        elif kind == "nested":
            open_block("for (int i = t[x]; i < t[x + 1]; ++i)",
                       "for i in range(t[x], t[x + 1]):")
            open_block(f"for (int k = s[i]; k < s[i + 1]; ++k)",
                       "for k in range(s[i], s[i + 1]):")
        else:
            open_block("for (int k = 0; k < 1; ++k)", "for k in range(1):")
        if r.random() < 0.2:
            test = r.choice(["u[k] == 1", "k == 5", "k > 6", "k < 2",
                             "u[x] > 3", "s[k] > k"])
            c.append(f"if ({test}) break;")
            p.append(f"{indent}if {test}: break")
        if r.random() < 0.2:
            test = r.choice(["u[k] > 1", f"k < {r.randint(1, 12)}", "u[k] != 0"])
            open_block(f"if ({test})", f"if {test}:")
        place = r.choice({
            "next": ["k", "k", "k + 1", "u[k]", "2 * k", "w * k"],
            "down": ["k", "20 - k"],
            "length": [f"{base} + k", f"4 * {which} + k", f"{base} + k + x"],
            "constant": [f"{base} + k", f"u[4 * {which} + k]", f"{base} * 4 + k",
                         f"w * {base} + k", f"{base} + 2 * k"],
            "nested": ["k", "u[k]"],
            "one": [base, f"{base} + {which}", f"u[{base}]", f"s[x] + t[x]",
                    f"2 * {base} + x"]}[kind])
        if self.dimensions == 2 and r.random() < 0.5:
            place = r.choice([f"({place}) * 8 + y", f"({place}) + y",
                              f"({place}) * w + y"])
        if r.random() < 0.2:
            open_block("for (int j = 0; j < 3; ++j)", "for j in range(3):")
            place = r.choice([f"3 * ({place}) + j", f"({place}) * 4 + j"])
        value = r.choice(["x", "x", "x + 1", "out[$] + x"])
        if self.dimensions == 2:
            value += " + 77 * y"
        value = value.replace("$", place)
        c.append(f"out[{place}] = {value};")
        p.append(f"{indent}use({place})")
        self.code = " ".join(c) + " " + close
        self.python = compile("\n".join(
            ["def places(x, y, w, s, t, u, use):"] + p), "leaf", "exec")

    def text(self):
        return LEAF % {
            "number": self.number, "type": self.type, "code": self.code,
            "dimensions": self.dimensions,
            "more": ", 8" if self.dimensions == 2 else "",
            "declared": "long y = __hpvm__getNodeInstanceID_y(__hpvm__getNode());"
                        if self.dimensions == 2 else ""}

    def meet(self, n, w, s, t, u):
        """Whether two instances use one place; None if one is not there."""
        found = {}
        exec(self.python, found)
        users = {}
        try:
            for x in range(n):
                for y in range(8 if self.dimensions == 2 else 1):
                    places = set()
                    found["places"](x, y, w, s, t, u, places.add)
                    for place in places:
                        if not 0 <= place < 4096:
                            return None
                        users.setdefault(place, set()).add((x, y))
        except IndexError:
            return None
        return any(len(each) > 1 for each in users.values())


class Table(list):
    """A list without entries from behind."""

    def __getitem__(self, index):
        if index < 0:
            raise IndexError
        return super().__getitem__(index)


def table(r):
    kind = r.choice(["rising", "rising", "random", "order", "small", "flags"])
    if kind == "rising":
        at, entries = r.randint(0, 2), []
        for _ in range(LENGTH):
            entries.append(at)
            at += r.choice([0, 1, 1, 2])
    elif kind == "order":
        entries = list(range(LENGTH))
        r.shuffle(entries)
    else:
        most = {"random": LENGTH - 1, "small": 4, "flags": 1}[kind]
        entries = [r.randint(0, most) for _ in range(LENGTH)]
    return Table(entries)


def has_test(folder, leaf, program):
    """Whether launches test the leaf, or "proven"; None: it is racy."""
    path = os.path.join(folder, f"leaf{leaf.number}.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program([leaf]))
    done = subprocess.run(["sluice", "check", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        if "[race]" not in done.stdout:
            sys.exit(done.stdout)
        return None
    proven = "\nproven free of races" in "\n" + done.stdout
    return "proven" if proven else "which each launch tests" in done.stdout


def program(leaves):
    return (HEADER + "".join(leaf.text() for leaf in leaves)
            + MAIN % {"type": "int", "length": LENGTH, "cases": "\n".join(
                f"  case {leaf.number}: __hpvm__wait(__hpvm__launch(0, "
                f"root{leaf.number}, &all)); break;" for leaf in leaves)})


def run(seed, folder):
    r = random.Random(seed)
    all_leaves = [Leaf(i, r) for i in range(COUNT)]
    tested = {leaf: has_test(folder, leaf, program) for leaf in all_leaves}
    leaves = [leaf for leaf in all_leaves if tested[leaf] is not None]
    path = os.path.join(folder, f"rows{seed}.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program(leaves))
    subprocess.run(["sluice", "build", "-q", "-O1", path, "-o", path + ".exe"],
                   check=True)
    wrong = met = apart = 0
    for leaf in leaves:
        for _ in range(TABLES):
            n, w = r.randint(1, 11), r.randint(1, 8)
            s, t, u = table(r), table(r), table(r)
            expected = leaf.meet(n, w, s, t, u)
            if expected is None:
                continue
            done = subprocess.run(
                [path + ".exe", str(leaf.number), str(n), str(w),
                 *map(str, [*s, *t, *u])],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            failed = "no two instances go to" in done.stdout \
                or "only if they differ" in done.stdout
            if done.returncode != 0 and not failed:
                sys.exit(done.stdout)
            if tested[leaf] is True:
                met += expected
                apart += not expected
            if failed and not expected or \
                    (tested[leaf] and expected and not failed):
                wrong += 1
                print(f"seed {seed}, leaf {leaf.number}, {tested[leaf]}: "
                      f"{leaf.code}\n  n = {n}, w = {w}, s = {s}, t = {t}, "
                      f"u = {u}\n  expected {'a' if expected else 'no'} race, "
                      f"got: {done.stdout}")
    count = sum(tested[leaf] is True for leaf in all_leaves)
    print(f"seed {seed}: {count} of {COUNT} leaves are tested, {met} launches "
          f"meet, {apart} do not, {wrong} wrong")
    return wrong


def main(first, last, folder):
    os.makedirs(folder, exist_ok=True)
    wrong = sum(run(seed, folder) for seed in range(int(first), int(last) + 1))
    print(f"{wrong} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
