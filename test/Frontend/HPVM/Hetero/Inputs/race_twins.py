#!/usr/bin/env python3
"""Writes leaves at random, each as a node of HPVM-C and as a parallel loop of
Hetero-C++, and compares what `sluice check` says of the two.

usage: race_twins.py SLUICE FOLDER COUNT [SEED]
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import random
import re
import subprocess
import sys

HPVM = """#include <hpvm.h>
void leaf(int *a, size_t aBytes, int *b, size_t bBytes, {parameters}) {{
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
  void *self = __hpvm__getNode();
  {ids}
  {body}
  __hpvm__return(0);
}}
void root(int *a, size_t aBytes, int *b, size_t bBytes, {parameters}) {{
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
  void *node = __hpvm__createNodeND({dims}, leaf, {extents});
  {binds}
}}
int main(void) {{
  static int a[9], b[9];
  __hpvm__init();
  struct __attribute__((packed)) {{
    int *a; size_t aBytes; int *b; size_t bBytes; {fields}
  }} arguments = {{a, sizeof(a), b, sizeof(b), {values}}};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}}
"""

HETERO = """#include <hetero.h>
void root(int *a, size_t aBytes, int *b, size_t bBytes, {parameters}) {{
  void *section = __hetero_section_begin();
  {loops} {{
    __hetero_parallel_loop({dims}, {inputs}, a, aBytes, b, bBytes, {names}, 2,
                           a, aBytes, b, bBytes);
    {body}
  }}
  __hetero_section_end(section);
}}
int main(void) {{
  static int a[9], b[9];
  void *graph = __hetero_launch((void *)root, {inputs}, a, sizeof(a), b,
                                sizeof(b), {values}, 2, a, sizeof(a), b,
                                sizeof(b));
  __hetero_wait(graph);
}}
"""


def index(rng, two):
    """An index of an element, of one or two ids."""
    choices = ["i", "i + {c}", "{s} * i + {c}", "{c}", "i / {s}", "i % {s}",
               "n - 1 - i"]
    if two:
        choices += ["i * m + j", "j * n + i", "i + j", "i * m + j + {c}", "j"]
    return rng.choice(choices).format(c=rng.randint(0, 3), s=rng.randint(2, 4))


def statement(rng, two):
    """Reads and writes under a condition, or in a loop."""
    left, right = index(rng, two), index(rng, two)
    array, other = rng.choice(["aa", "ab", "ba"])
    operator = rng.choice(["=", "+="])
    text = f"{array}[{left}] {operator} {other}[{right}] + (int)i;"
    form = rng.randint(0, 5)
    if form == 0:
        return f"if (i == {rng.randint(0, 2)}) {text}"
    if form == 1:
        return f"if (i < {rng.randint(1, 3)}) {text}"
    if form == 2:
        return f"for (long k = 0; k < {rng.randint(1, 4)}; ++k) {text}"
    return text


def program(rng):
    two = rng.random() < 0.3
    body = "\n    ".join(statement(rng, two) for _ in range(rng.randint(1, 2)))
    names = ["n", "m"] if two else ["n"]
    parts = {
        "body": body,
        "dims": len(names),
        "names": ", ".join(names),
        "inputs": 2 + len(names),
        "parameters": ", ".join(f"long {name}" for name in names),
        "fields": " ".join(f"long {name};" for name in names),
        "values": ", ".join("3l" for _ in names),
        "extents": ", ".join(f"(size_t){name}" for name in reversed(names)),
        "binds": " ".join(f"__hpvm__bindIn(node, {k}, {k}, 0);"
                          for k in range(4 + len(names))),
    }
    if two:
        parts["ids"] = ("long i = __hpvm__getNodeInstanceID_y(self), "
                        "j = __hpvm__getNodeInstanceID_x(self);")
        parts["loops"] = ("for (long i = 0; i < n; ++i)\n"
                          "    for (long j = 0; j < m; ++j)")
    else:
        parts["ids"] = "long i = __hpvm__getNodeInstanceID_x(self);"
        parts["loops"] = "for (long i = 0; i < n; ++i)"
    return HPVM.format(**parts), HETERO.format(**parts)


def verdict(sluice, path):
    done = subprocess.run([sluice, "check", path], text=True,
                          capture_output=True)
    if re.search(r"error: .*\[race\]", done.stderr):
        return "racy"
    if "proven free of races" in done.stdout and done.returncode == 0:
        return "proven"
    if "free of races but" in done.stdout and done.returncode == 0:
        return "unknown"
    return f"status {done.returncode}: {done.stderr}"


def main():
    sluice, folder, count = sys.argv[1], pathlib.Path(sys.argv[2]), \
        int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    counts = {}
    wrong = 0
    for number in range(count):
        paths = []
        for name, text in zip(("node.c", "loop.c"), program(rng)):
            paths.append(folder / f"{number}-{name}")
            paths[-1].write_text(text)
        first, second = (verdict(sluice, path) for path in paths)
        counts[first] = counts.get(first, 0) + 1
        if first != second:
            wrong += 1
            print(f"{paths[0]}: {first}\n{paths[1]}: {second}")
    print(f"{count} pairs, {wrong} differ:",
          ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    return wrong != 0


sys.exit(main())
