"""Writes a random program with scans and reductions, and their oracle.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_scans.py SEED > program.c

What the leaves write is computed from the instance's number, and what stands
in the memory before, by a hash; operators, types, kinds, extents and how many
scans and reductions a leaf has are random. The program prints what differs from
the fixed chunks in plain C.
"""

import random
import sys

TYPES = {
    "signed char": "i",
    "unsigned char": "u",
    "short": "i",
    "unsigned short": "u",
    "int": "i",
    "unsigned": "u",
    "long": "i",
    "unsigned long": "u",
    "float": "f",
    "double": "f",
}
EXACT = ["SUM", "PRODUCT", "MIN", "MAX", "AND", "OR", "XOR"]
REAL = ["SUM", "PRODUCT", "MIN", "MAX"]


def bits(type_name):
    size = {"char": 8, "short": 16, "int": 32, "long": 64}
    return size.get(type_name.split()[-1], 32)


def identity(type_name, op):
    kind = TYPES[type_name]
    if op == "SUM":
        return "-0.0" if kind == "f" else "0"
    if op == "PRODUCT":
        return "1"
    if op == "AND":
        return f"({type_name})-1"
    if op in ("OR", "XOR"):
        return "0"
    if kind == "f":
        return "INFINITY" if op == "MIN" else "-INFINITY"
    if kind == "u":
        return f"({type_name})-1" if op == "MIN" else "0"
    least = f"({type_name})(1ul << {bits(type_name) - 1})"
    return f"({type_name})~{least}" if op == "MIN" else least


def join(op, into, value):
    sign = {"SUM": "+", "PRODUCT": "*", "AND": "&", "OR": "|", "XOR": "^"}
    if op in sign:
        return f"{into} {sign[op]}= {value};"
    return f"if ({value} {'<' if op == 'MIN' else '>'} {into}) {into} = {value};"


def value_of(type_name, number):
    text = f"hash(i * 8 + {number})"
    if TYPES[type_name] == "f":
        # Now and then a NaN, which no extreme chooses, or a negative zero.
        return f"({type_name})real({text})"
    return f"({type_name}){text}"


HEAD = """#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long hash(unsigned long x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ul;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ul;
  return x ^ (x >> 32);
}
static double real(unsigned long x) {
  return x % 61 == 0 ? -0.0 : (double)(x % 2001) * 0.001 - 0.5;
}
static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t most(size_t a, size_t b) { return a > b ? a : b; }
static size_t stepOf(size_t units, size_t lines, int scans) {
  size_t chunks = scans ? least(1024, most(units / 16384, 16))
                        : least(256, most(units / 64, 32));
  chunks = least(chunks, most(units / (lines * 64 / 16), 8));
  chunks = most(least(chunks, units), 1);
  return (units + chunks - 1) / chunks;
}
"""


def write(seed):
    draw = random.Random(seed)
    print(HEAD)
    calls = []
    for leaf in range(4):
        ports = []
        for number in range(draw.randint(1, 4)):
            type_name = draw.choice(list(TYPES))
            kind = draw.choice(["scan", "scan_exclusive", "scan", "reduce"])
            op = draw.choice(REAL if TYPES[type_name] == "f" else EXACT)
            ports.append((number, type_name, kind, op, draw.random() < 0.3))
        if all(port[2] == "reduce" for port in ports):
            ports[0] = ports[0][:2] + ("scan",) + ports[0][3:]
        write_leaf(leaf, ports)
        for _ in range(3):
            top = draw.choice([3, 40, 300, 5000, 60000, 400000])
            calls.append((leaf, draw.randint(0, top)))
    print("int main(void) {\n  int wrong = 0;\n  __hpvm__init();")
    for leaf, extent in calls:
        print(f"  wrong |= test{leaf}({extent});")
    print('  __hpvm__cleanup();\n  puts(wrong ? "wrong" : "right");')
    print("  return wrong;\n}")


def write_leaf(leaf, ports):
    names = ", ".join(f"p{port[0]}" for port in ports)
    parameters = ", ".join(f"{t} *p{n}, size_t b{n}" for n, t, *_ in ports)
    marks = f"__hpvm__attributes({len(ports)}, {names}, {len(ports)}, {names});"
    print(f"void leaf{leaf}({parameters}) {{\n  __hpvm__hint(CPU_TARGET);")
    print(f"  {marks}")
    for n, _, kind, op, _ in ports:
        print(f"  sluice_{kind}(p{n}, b{n}, SLUICE_{op});")
    print("  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());")
    for n, t, kind, op, keeps in ports:
        print(f"  {t} v{n} = {value_of(t, n)};")
        if kind == "reduce":
            print(f"  {join(op, f'p{n}[i % 3]', f'v{n}')}")
        elif keeps:
            print(f"  if (hash(i) % 3) p{n}[i] = v{n};")
        else:
            print(f"  p{n}[i] = v{n};")
    print("}")
    print(f"void root{leaf}({parameters}, long n) {{")
    print(f"  __hpvm__hint(CPU_TARGET);\n  {marks}")
    print(f"  void *node = __hpvm__createNodeND(1, leaf{leaf}, n);")
    print(f"  for (int i = 0; i < {2 * len(ports)}; ++i)")
    print("    __hpvm__bindIn(node, i, i, 0);\n}")
    print(f"static int test{leaf}(long n) {{\n  int wrong = 0;")
    print(f"  size_t step = stepOf(n, {len(ports)}, 1);")
    print("  struct __attribute__((packed)) {")
    for n, t, *_ in ports:
        print(f"    {t} *p{n}; size_t b{n};")
    print("    long n;\n  } args;\n  args.n = n;")
    for n, t, kind, *_ in ports:
        room = "3" if kind == "reduce" else "n + 1"
        print(f"  size_t r{n} = {room};")
        print(f"  {t} *p{n} = malloc(r{n} * sizeof({t}));")
        print(f"  {t} *q{n} = malloc(r{n} * sizeof({t}));")
        print(f"  for (size_t k = 0; k < r{n}; ++k) {{ long i = k + 77;")
        print(f"    p{n}[k] = q{n}[k] = {value_of(t, n)}; }}")
        print(f"  args.p{n} = p{n}; args.b{n} = r{n} * sizeof({t});")
        print(f"  llvm_hpvm_track_mem(p{n}, args.b{n});")
    print(f"  __hpvm__wait(__hpvm__launch(0, root{leaf}, &args));")
    for n, t, kind, op, keeps in ports:
        print(f"  llvm_hpvm_untrack_mem(p{n});")
        write_oracle(n, t, kind, op, keeps)
        print(f"  if (memcmp(p{n}, q{n}, r{n} * sizeof({t}))) {{")
        print(f'    printf("leaf {leaf} port {n} ({t} {kind} {op}) %ld\\n", n);')
        print("    wrong = 1;\n  }")
        print(f"  free(p{n}); free(q{n});")
    print("  return wrong;\n}")


def write_oracle(n, t, kind, op, keeps):
    none = identity(t, op)
    if kind == "reduce":
        # A copy for each chunk, joined by the tree.
        print("  {\n    size_t chunks = n ? (n + step - 1) / step : 0;")
        print(f"    {t} *copies = malloc((chunks + 1) * 3 * sizeof({t}));")
        print(f"    for (size_t k = 0; k < chunks * 3; ++k) copies[k] = {none};")
        print("    for (long i = 0; i < n; ++i) {")
        print(f"      {t} v = {value_of(t, n)};")
        print(f"      {join(op, 'copies[i / step * 3 + i % 3]', 'v')}\n    }}")
        print("    for (size_t w = 1; w < chunks; w *= 2)")
        print("      for (size_t c = 0; c + w < chunks; c += 2 * w)")
        print("        for (int k = 0; k < 3; ++k) {")
        print(f"          {t} v = copies[(c + w) * 3 + k];")
        print(f"          {join(op, 'copies[c * 3 + k]', 'v')}\n        }}")
        print("    if (chunks) for (int k = 0; k < 3; ++k) {")
        print(f"      {t} v = copies[k];")
        print(f"      {join(op, f'q{n}[k]', 'v')}\n    }}")
        print("    free(copies);\n  }")
        return
    print(f"  {{\n    {t} all = {none}, sum = {none}, last;")
    print("    for (long i = 0; i < n; ++i) {")
    print("      if (i % step == 0) {")
    print("        if (i == step) all = sum;")
    print(f"        else if (i) {{ {join(op, 'all', 'sum')} }}")
    print(f"        sum = {none};\n      }}")
    written = f"hash(i) % 3 ? {value_of(t, n)} : q{n}[i]"
    print(f"      {t} v = {written if keeps else value_of(t, n)};")
    print("      last = sum;")
    print(f"      {join(op, 'sum', 'v')}")
    print(f"      {t} own = {'last' if kind == 'scan_exclusive' else 'sum'};")
    print("      if (i >= step) {")
    print(f"        {t} value = all;\n        {join(op, 'value', 'own')}")
    print("        own = value;\n      }")
    print(f"      q{n}[i] = own;\n    }}")
    if kind == "scan_exclusive" and op == "SUM":
        print(f"    if (n) q{n}[0] = 0;")
    print("  }")


write(int(sys.argv[1]))
