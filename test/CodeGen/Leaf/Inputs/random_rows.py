"""Writes a random leaf that computes a row of numbers, and the options to run it.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_rows.py SEED FILE.c      prints sluice-codegen-test's options

An instance reads its neighbours and numbers that all instances read, calls math
functions of numbers and of constants, adds up in order, keeps the least of
several numbers, and exchanges marks. Rows have many lengths, and processors with
and without masks run them.
"""

import os
import random
import sys

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaf.h")
PRELUDE = f"""#include "{HEADER}"
float expf(float), logf(float), sinf(float), powf(float, float);
"""


def neighbours(r):
    first = r.randint(0, 3)
    places = [first + step for step in range(r.randint(2, 3))]
    if r.random() < 0.5:
        r.shuffle(places)
    return [f"v += in[i + {place}] * {r.randint(1, 9)}.0f;" for place in places]


def shared(r):
    return [f"v += table[{r.randint(0, 7)}] * in[i];"]


def math(r):
    call = r.choice(["expf(v * 0.01f)", "sinf(v)", "logf(v * v + 1.0f)",
                     "powf(v * v + 1.0f, 0.5f)",
                     f"expf({r.randint(0, 3)}.5f) * v"])
    return [f"v = {call};"]


def mathOfConstants(r):
    return [f"for (int k = 0; k < {r.randint(2, 4)}; ++k)",
            f"  v += {r.choice(['expf', 'sinf', 'logf'])}(k + 1.5f) * in[i + k];"]


def orderedSum(r):
    work = "in[i + k] / (table[k & 7] * table[k & 7] + 1.0f)"
    for _ in range(r.randint(0, 2)):
        work = f"({work} + 2.0f) / 3.0f"
    condition = r.choice(["", "", "if (in[k] > 0.5f) "])
    length = r.choice(["n", "n + (i & 1)"])
    return ["float sum = v;", f"for (int k = 0; k < {length}; ++k)",
            f"  {condition}sum += {work};", "v = sum;"]


def least(r):
    place = r.choice(["best[i]", "best[i]", "best[i + 1]"])
    return [f"if (v < {place}) best[i] = v;"]


def mark(r):
    return [f"atomicSwapIf(marks + (i & {r.choice([7, 63])}), 0, 7);"]


STATEMENTS = [neighbours, neighbours, shared, math, mathOfConstants, orderedSum,
              least, mark]


def write(seed, path):
    r = random.Random(seed)
    # Of the kinds, each seed tries another one first.
    kinds = [STATEMENTS[seed % len(STATEMENTS)]]
    kinds += r.sample(STATEMENTS, r.randint(0, 2))
    lines = []
    for kind in kinds:
        lines += ["  {"] + ["    " + line for line in kind(r)] + ["  }"]
    with open(path, "w", encoding="ascii") as file:
        file.write(PRELUDE + "void leaf(float *in, float *table, float *best, "
                   "float *out, int *marks, int n) {\n  long i = X;\n"
                   "  float v = in[i];\n" + "\n".join(lines)
                   + "\n  out[i] = v;\n}\n")
    extent = r.choice([1, 7, 16, 61, 64, 100, 128, 500, r.randint(1, 600)])
    alone = r.choice(["!", ""])
    cpu = r.choice(["", "", " -cpu=x86-64-v2", " -cpu=x86-64-v3", " -lanes=0"])
    print(f"-levels={r.choice(['', '?'])}{extent} "
          f"-in={alone}f32[1300],{alone}f32[64],"
          f"!f32[1300],{alone}f32[1300],!zero[256],{r.randint(0, 40)} "
          f"-pieces={r.choice([1, 2, 5])} -seed={r.randint(1, 1000)}{cpu}")


write(int(sys.argv[1]), sys.argv[2])
