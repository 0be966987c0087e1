"""Writes a random C program whose root takes arguments of every C type.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_arguments.py SEED FILE.c

The leaf copies the bytes that it receives, and returns some of its inputs; the
host compares both with what it put into the structure of arguments, which is
packed, natural, or plain memory.
"""

import random
import sys

r = random.Random(int(sys.argv[1]))

# Name, the number of bytes that make up the value (0: all).
SCALARS = [("_Bool", 0), ("char", 0), ("signed char", 0), ("unsigned char", 0),
           ("short", 0), ("unsigned short", 0), ("int", 0), ("unsigned", 0),
           ("long", 0), ("unsigned long long", 0), ("__int128", 0),
           ("float", 0), ("double", 0), ("long double", 10), ("_Float16", 0),
           ("float _Complex", 0), ("double _Complex", 0),
           ("enum colour", 0), ("__float128", 0), ("__bf16", 0)]
# Set and compared as numbers, as some of their bits say nothing.
NUMBERS = [("_BitInt(7)", 0), ("unsigned _BitInt(24)", 0), ("_BitInt(65)", 0),
           ("_BitInt(128)", 0), ("_Complex int", 0)]
VECTORS = [(f"{base}{n}", size * n) for base, size in
           [("char", 1), ("short", 2), ("int", 4), ("float", 4), ("double", 8),
            ("long", 8)] for n in (2, 3, 4, 8)]
STRUCTS = [("struct small", 0), ("struct mixed", 0), ("struct bits", 0),
           ("struct large", 0), ("struct floats", 0), ("struct wide", 0),
           ("struct tight", 0), ("union both", 0), ("struct nested", 0)]

PRELUDE = """
#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum colour { red, green = 70000 };
struct small { char a, b; };
struct mixed { char a; double b; short c; };
struct bits { unsigned a : 3, b : 13; long c : 40; };
struct large { long a[7]; };
struct floats { float a, b, c; };
struct wide { long double a; char b; };
struct tight { char a; int b; double c; } __attribute__((packed));
union both { int a; double b; char c[12]; };
struct nested { struct mixed a; struct small b[3]; };
static unsigned state = SEED;
static unsigned char next(void) {
  state = state * 1664525u + 1013904223u;
  return (state >> 24) | 1; // 1 is a value of _Bool, after masking
}
"""
for base in ("char", "short", "int", "float", "double", "long"):
    for n in (2, 3, 4, 8):
        PRELUDE += (f"typedef {base} {base}{n} "
                    f"__attribute__((ext_vector_type({n})));\n")

count = r.randint(1, 7)
kinds = [r.choice(r.choice([SCALARS, SCALARS, VECTORS, STRUCTS, NUMBERS]))
         for _ in range(count)]
returned = r.sample(range(count), min(count, r.randint(0, 3)))
layout = r.choice(["packed", "natural", "memory"])
nested_result = layout != "natural" or r.random() < 0.5

text = PRELUDE.replace("SEED", sys.argv[1])
members = ["  unsigned char *out; size_t size;"]
members += [f"  {kind} a{i};" for i, (kind, _) in enumerate(kinds)]
results = [f"    {kinds[i][0]} r{j};" for j, i in enumerate(returned)]
attribute = "__attribute__((packed)) " if layout != "natural" else ""
if returned:
    if nested_result:
        members.append(f"  struct {attribute}{{\n" + "\n".join(results)
                       + "\n  } r;")
    else:
        members += results
text += (f"typedef struct {attribute}{{\n" + "\n".join(members) + "\n} Args;\n")
parameters = "unsigned char *out, size_t size" + "".join(
    f", {kind} a{i}" for i, (kind, _) in enumerate(kinds))


def size_of(i):
    return kinds[i][1] or f"sizeof({kinds[i][0]})"


text += f"void leaf({parameters}) {{\n  __hpvm__hint(CPU_TARGET);\n"
text += "  __hpvm__attributes(0, 1, out);\n"
for i in range(count):
    text += f"  memcpy(out + {64 * i}, &a{i}, {size_of(i)});\n"
if returned:
    text += (f"  __hpvm__return({len(returned)}, "
             + ", ".join(f"a{i}" for i in returned) + ");\n")
text += "}\n"
text += f"void root({parameters}) {{\n  __hpvm__hint(CPU_TARGET);\n"
text += "  __hpvm__attributes(0, 1, out);\n"
text += "  void *node = __hpvm__createNodeND(0, leaf);\n"
for i in range(count + 2):
    text += f"  __hpvm__bindIn(node, {i}, {i}, 0);\n"
for j in range(len(returned)):
    text += f"  __hpvm__bindOut(node, {j}, {j}, 0);\n"
text += "}\n"

text += "int main(void) {\n  static unsigned char out[64 * 8];\n"
if layout == "memory":
    text += ("  Args x; memset(&x, 0, sizeof x);\n"
             "  void *given = calloc(1, sizeof x);\n")
else:
    text += "  Args x; memset(&x, 0, sizeof x);\n"
text += "  x.out = out; x.size = sizeof out;\n"
for i, (kind, size) in enumerate(kinds):
    if kind == "_Bool":
        text += f"  x.a{i} = next() & 2;\n"
    elif (kind, size) in NUMBERS:
        text += f"  x.a{i} = ({kind})(next() * next());\n"
    else:
        text += (f"  {{ {kind} v; memset(&v, 0, sizeof v);\n"
                 f"    for (size_t k = 0; k < {size_of(i)}; ++k) "
                 f"((unsigned char *)&v)[k] = next() & 63;\n")
        if kind == "long double":
            text += "    ((unsigned char *)&v)[7] |= 128;\n"
        if kind == "struct wide":
            text += "    ((unsigned char *)&v)[7] |= 128;\n"
            text += "    memset((unsigned char *)&v + 10, 0, 6);\n"
        text += f"    memcpy(&x.a{i}, &v, sizeof v); }}\n"
text += "  __hpvm__init();\n"
if layout == "memory":
    text += ("  memcpy(given, &x, sizeof x);\n"
             "  __hpvm__wait(__hpvm__launch(0, root, given));\n"
             "  memcpy(&x, given, sizeof x);\n")
else:
    text += "  __hpvm__wait(__hpvm__launch(0, root, &x));\n"
text += "  __hpvm__cleanup();\n  int bad = 0;\n"


def masked(kind):
    return {"struct mixed": ["a", "b", "c"], "struct wide": ["a", "b"],
            "struct nested": ["a.a", "a.b", "a.c", "b"],
            "struct bits": []}.get(kind)


def compare(where, i):
    kind = kinds[i][0]
    fields = masked(kind)
    code = f"  {{ {kind} v, w; memcpy(&v, {where}, {size_of(i)}); "
    code += f"memcpy(&w, &x.a{i}, {size_of(i)});\n"
    if kind == "struct bits":
        test = "v.a != w.a || v.b != w.b || v.c != w.c"
    elif kinds[i] in NUMBERS:
        test = "v != w"
    elif fields:
        test = " || ".join(
            f"memcmp(&v.{f}, &w.{f}, "
            + ("10" if kind == "struct wide" and f == "a" else f"sizeof v.{f}")
            + ")" for f in fields)
    else:
        test = f"memcmp(&v, &w, {size_of(i)})"
    label = f'argument {i}, {kind}, {"returned" if "x." in where else "in"}'
    return (code + f'    if ({test}) {{ printf("wrong: {label} ({layout})\\n");'
            " bad = 1; } }\n")


for i in range(count):
    text += compare(f"out + {64 * i}", i)
for j, i in enumerate(returned):
    text += compare(f"&x.{'r.' if nested_result else ''}r{j}", i)
text += '  if (!bad) printf("right\\n");\n  return bad;\n}\n'

with open(sys.argv[2], "w") as file:
    file.write(text)
