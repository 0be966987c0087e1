"""Writes a random program whose instances do what conditions on their ids say.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_conditions.py SEED FILE
"""

import random
import sys

seed, path = sys.argv[1:3]
rng = random.Random(f"conditions {seed}")
N = rng.choice([5, 8, 37, 64])
ROWS = rng.choice([1, 3, 9])
SIZE = N * ROWS + 64
NAMES = "abcd"
lines = ["#include <cstdio>", "#include <hetero.h>"]


def comparison(id, extent):
    k = rng.randint(-1, 8) if rng.random() < 0.5 else extent - rng.randint(0, 3)
    bound = rng.choice([str(k), f"({extent if extent != N else 'n'} - {rng.randint(0, 3)})"])
    left = rng.choice([id, id, f"({id} + {rng.randint(-4, 4)})",
                       f"(int)({id})", f"(3 - {id})"])
    if rng.random() < 0.2:
        return f"(unsigned long)({id} - {rng.randint(0, 5)}) < {rng.randint(1, 9)}ul"
    return f"{left} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {bound}"


def condition(ids, depth=0):
    form = rng.randint(0, 4 if depth < 2 else 1)
    id, extent = rng.choice(ids)
    if form <= 1:
        return comparison(id, extent)
    if form == 2:
        return f"!({condition(ids, depth + 1)})"
    sign = "&&" if form == 3 else "||"
    return f"({condition(ids, depth + 1)}) {sign} ({condition(ids, depth + 1)})"


def node(number):
    """Each array is written at one place per instance, or only read."""
    is2D = rng.random() < 0.4
    ids = [("j", ROWS), ("i", N)] if is2D else [("i", N)]
    flat = f"(j * n + i)" if is2D else "i"
    written = rng.sample(NAMES, rng.randint(1, 2))
    read = [name for name in NAMES if name not in written]
    statements = []
    for name in written:
        offset = rng.randint(0, 20)
        place = f"{name}[{flat} + {offset}]"
        value = f"{rng.choice(read)}[{flat} + {rng.randint(0, 30)}] * 3 + {rng.choice(['i', '1', str(number)])}"
        kind = rng.randint(0, 3)
        if kind == 0:
            statements.append(f"{place} = {rng.choice(['7', value])};")
        elif kind == 1:
            statements.append(f"if ({condition(ids)}) {place} = {value};")
        elif kind == 2:
            statements.append(f"if ({condition(ids)}) {place} += {value}; "
                              f"else {place} ^= 5;")
        else:
            # One instance writes somewhere else.
            test = " && ".join(f"{id} == {rng.randrange(extent)}"
                               for id, extent in ids)
            statements.append(f"if ({test}) {name}[{rng.randrange(SIZE)}] = {value};")
    if rng.random() < 0.4:
        operation = rng.choice(["add_i64", "max_i64", "xor_i64"])
        statements.append(
            f"if ({condition(ids)}) __hpvm__atomic_{operation}"
            f"(&h[{read[0]}[{flat}] & 7], {read[0]}[{flat}]);")
    arguments = "a, s, b, s, c, s, d, s, h, hs"
    pairs = "a, aB, b, bB, c, cB, d, dB, h, hB"
    loops = "for (long i = 0; i < n; ++i) {"
    if is2D:
        loops = f"for (long j = 0; j < {ROWS}; ++j) " + loops
    lines.append(f"""
static void f{number}(long *a, size_t aB, long *b, size_t bB, long *c, size_t cB,
    long *d, size_t dB, long *h, size_t hB, long n) {{
  void *section = __hetero_section_begin();
  {loops}
    __hetero_parallel_loop({1 + is2D}, 6, {pairs}, n, 5, {pairs}, "f{number}");
    {" ".join(statements)}
  }}
  __hetero_section_end(section);
}}""")
    return (f"  __hetero_wait(__hetero_launch((void *)f{number}, 6, {arguments}, n, 5, "
            f"{arguments}));")


launches = [node(number) for number in range(6)]
lines.append("int main() {")
lines.append(f"  long n = {N}; size_t s = {SIZE} * sizeof(long), hs = 8 * sizeof(long);")
for name in NAMES + "h":
    count = 8 if name == "h" else SIZE
    size = "hs" if name == "h" else "s"
    lines.append(f"  long *{name} = (long *)__hetero_malloc({size});")
    lines.append(f"  for (long i = 0; i < {count}; ++i) {name}[i] = i * {ord(name)} % 61;")
lines += launches + launches
for name in NAMES + "h":
    count, size = (8, "hs") if name == "h" else (SIZE, "s")
    lines.append(f"  __hetero_request_mem({name}, {size});")
    lines.append(f"  for (long i = 0; i < {count}; ++i) std::printf(\"%ld \", {name}[i]);")
    lines.append("  std::puts(\"\");")
lines.append("  return 0;\n}")
with open(path, "w") as file:
    file.write("\n".join(lines) + "\n")
