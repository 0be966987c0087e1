"""Writes a random graph of nodes that access neighbours.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_sweeps.py SEED FILE

The program takes a shift and the extents of its grid. Arrays begin so many
elements apart; 0: they do not overlap. It prints a number that every element of
every array changes.
"""

import random
import sys

seed, path = sys.argv[1:3]
rng = random.Random(int(seed))
dimensions = rng.choice([1, 2, 2, 2, 3])
IDS = "xyz"[:dimensions]
num_arrays = rng.randint(2, 4)
num_kernels = rng.randint(1, 3)
num_nodes = rng.randint(2, 14)
index_type = rng.choice(["long", "long", "int", "unsigned"])
value_type = rng.choice(["float", "int"])


def index(shifts, is_clamped):
    """An element, `shifts` away from the instance's own."""
    terms = []
    for name, shift in zip(IDS, shifts):
        term = name
        if shift and is_clamped:
            term = f"near({name} + {shift}, n{name})" if rng.random() < 0.3 else (
                f"({name} > {-shift - 1} ? {name} - {-shift} : {name})" if shift < 0
                else f"({name} < n{name} - {shift} ? {name} + {shift} : {name})")
        elif shift:
            term = f"({name} + {shift})"
        terms.append(term)
    if dimensions == 1:
        return terms[0]
    if dimensions == 2:
        return f"{terms[1]} * nx + {terms[0]}"
    return f"({terms[2]} * ny + {terms[1]}) * nx + {terms[0]}"


def kernel(number):
    is_clamped = rng.random() < 0.5
    reads = []
    for _ in range(rng.randint(1, 5)):
        shifts = [rng.choice([0, 0, -1, 1, rng.randint(-3, 3)]) for _ in IDS]
        reads.append((rng.choice(["from", "from", "other"]), shifts))
    reach = [max(abs(s[i]) for _, s in reads) for i in range(dimensions)]
    body = [f"  {value_type} sum = from[{index([0] * dimensions, False)}];"]
    access = [f"  sum = sum + {name}[{index(shifts, is_clamped)}] * {rng.randint(1, 9)};"
              for name, shifts in reads]
    if not is_clamped:
        inside = " && ".join(f"{name} >= {r} && {name} < n{name} - {r}"
                             for name, r in zip(IDS, reach))
        access = [f"  if ({inside}) {{", *access, "  }"]
    if value_type == "float":
        access.append("  sum = sum * 0.125f;")
    store = f"  to[{index([0] * dimensions, False)}] = sum;"
    ids = [f"  {index_type} {name} = __hpvm__getNodeInstanceID_{name}(self);"
           for name in IDS]
    if rng.random() < 0.5:
        counts = [f"  {index_type} n{name} = __hpvm__getNumNodeInstances_{name}(self);"
                  for name in IDS]
    else:
        counts = [f"  {index_type} n{name} = extent{name};" for name in IDS]
    extents = "".join(f", long extent{name}" for name in IDS)
    return "\n".join([
        f"void sweep{number}({value_type} *from, size_t bytesFrom, {value_type} *other,",
        f"            size_t bytesOther, {value_type} *to, size_t bytesTo{extents}) {{",
        "  __hpvm__hint(CPU_TARGET);",
        "  __hpvm__attributes(2, from, other, 1, to);",
        "  void *self = __hpvm__getNode();", *ids, *counts, *body, *access, store,
        "  __hpvm__return(1, bytesTo);", "}", ""])


kernels = [kernel(i) for i in range(num_kernels)]
root, binds = [], []
for i in range(num_nodes):
    source, other, target = (rng.sample(range(num_arrays), 2) + [0])[:3]
    target = rng.choice([a for a in range(num_arrays) if a != source] or [0])
    other = rng.choice([a for a in range(num_arrays) if a != target])
    root.append(f"  void *n{i} = __hpvm__createNodeND({dimensions}, sweep{rng.randrange(num_kernels)}"
                + "".join(f", extent{name}" for name in IDS) + ");")
    for port, array in enumerate([source, other, target]):
        root.append(f"  __hpvm__bindIn(n{i}, {2 * array}, {2 * port}, 0);")
        if i and port == 0:
            before = i - 1
            root.append(f"  __hpvm__edge(n{before}, n{i}, 1, 0, 1, 0);")
        else:
            root.append(f"  __hpvm__bindIn(n{i}, {2 * array + 1}, {2 * port + 1}, 0);")
    for k, _ in enumerate(IDS):
        root.append(f"  __hpvm__bindIn(n{i}, {2 * num_arrays + k}, {6 + k}, 0);")

parameters = ", ".join([f"{value_type} *a{i}, size_t bytes{i}" for i in range(num_arrays)]
                       + [f"long extent{name}" for name in IDS])
names = ", ".join(f"a{i}" for i in range(num_arrays))
fields = "\n".join([f"  {value_type} *a{i};\n  size_t bytes{i};" for i in range(num_arrays)]
                   + [f"  long extent{name};" for name in IDS])
with open(path, "w") as file:
    file.write(f"""#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline long near(long i, long n) {{ return i < 0 ? 0 : i < n ? i : n - 1; }}

{chr(10).join(kernels)}
void root({parameters}) {{
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes({num_arrays}, {names}, {num_arrays}, {names});
{chr(10).join(root)}
}}

typedef struct __attribute__((__packed__)) {{
{fields}
}} Arguments;

int main(int argc, char **argv) {{
  long extents[3] = {{1, 1, 1}};
  for (int i = 0; i < {dimensions}; ++i)
    extents[i] = argc > i + 2 ? atol(argv[i + 2]) : 40;
  long count = extents[0] * extents[1] * extents[2];
  long shift = argc > 1 ? atol(argv[1]) : 0;
  long apart = shift ? shift : count;
  long total = count + apart * {num_arrays - 1} + 1;
  {value_type} *all = malloc(total * sizeof(*all));
  for (long i = 0; i < total; ++i)
    all[i] = ((unsigned)i * 2654435761u >> 9) % 1000;
  size_t bytes = count * sizeof(*all);
  __hpvm__init();
  llvm_hpvm_track_mem(all, total * sizeof(*all));
  Arguments arguments = {{{", ".join(f"all + {i} * apart, bytes" for i in range(num_arrays))},
                         {", ".join(f"extents[{i}]" for i in range(dimensions))}}};
  for (int i = 0; i < 2; ++i)
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
  llvm_hpvm_request_mem(all, total * sizeof(*all));
  unsigned long hash = 0;
  for (long i = 0; i < total; ++i) {{
    unsigned bits;
    memcpy(&bits, all + i, sizeof(bits));
    hash = hash * 31 + bits;
  }}
  printf("%lx\\n", hash);
  llvm_hpvm_untrack_mem(all);
  __hpvm__cleanup();
  free(all);
  return 0;
}}
""")
