"""Writes a random pipeline whose arrays between are temporary.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_pipelines.py SEED FILE

A tree of nodes, or a graph in which a node waits only for those that write what
it reads: each reads neighbours in arrays that were written before, or in
the input, and writes a temporary array, changes one, or writes an output. The
program is used as those of random_sweeps.py; what it prints, every element of
every output changes.
"""

import random
import sys

seed, path = sys.argv[1:3]
rng = random.Random(int(seed))
dimensions = rng.choice([1, 2, 2, 2, 3])
IDS = "xyz"[:dimensions]
num_nodes = rng.randint(2, 7)
num_outputs = rng.choice([1, 1, 2])
index_type = rng.choice(["long", "long", "int"])
value_type = rng.choice(["float", "int", "double", "unsigned char"])
# Nodes that read the same array may be in no order then.
is_chain = rng.random() < 0.5
# An output feeds one edge.
copies = ["bytesTo"] * (1 if is_chain else 2 * (num_nodes + num_outputs))
# Rows of the arrays may be longer than those of the grid.
pitch = rng.choice(["nx", "nx", "nx + 3"])


def near(name, shift):
    if not shift:
        return name
    if rng.random() < 0.4:
        return f"near({name} + {shift}, n{name})"
    if shift > 0 and rng.random() < 0.3:
        return f"({name} + {shift} < n{name} ? {name} + {shift} : n{name} - 1)"
    if shift < 0:
        return f"({name} > {-shift - 1} ? {name} - {-shift} : {name})"
    return f"({name} < n{name} - {shift} ? {name} + {shift} : {name})"


def element(terms):
    if dimensions == 1:
        return terms[0]
    if dimensions == 2:
        return f"({terms[1]}) * pitch + {terms[0]}"
    return f"(({terms[2]}) * ny + {terms[1]}) * pitch + {terms[0]}"


def kernel(number, updates):
    is_clamped = rng.random() < 0.6
    reach = [0] * dimensions
    body, access = [], []
    for _ in range(rng.randint(1, 6)):
        shifts = [rng.choice([0, 0, -1, 1, rng.randint(-3, 3)]) for _ in IDS]
        terms = [near(*p) if is_clamped else f"{p[0]} + {p[1]}"
                 for p in zip(IDS, shifts)]
        reach = [max(r, abs(s)) for r, s in zip(reach, shifts)]
        name = rng.choice(["from", "other"])
        access.append(f"  sum = sum + {name}[{element(terms)}] * {rng.randint(1, 9)};")
    own = element(list(IDS))
    body.append(f"  {value_type} sum = {f'to[{own}]' if updates else number + 1};")
    if not is_clamped:
        inside = " && ".join(f"{name} >= {r} && {name} < n{name} - {r}"
                             for name, r in zip(IDS, reach))
        access = [f"  if ({inside}) {{", *access, "  }"]
    if value_type in ("float", "double"):
        access.append("  sum = sum * 0.125f;")
    ids = [f"  {index_type} {name} = __hpvm__getNodeInstanceID_{name}(self);"
           for name in IDS]
    if rng.random() < 0.5:
        counts = [f"  {index_type} n{name} = __hpvm__getNumNodeInstances_{name}(self);"
                  for name in IDS]
    else:
        counts = [f"  {index_type} n{name} = extent{name};" for name in IDS]
    extents = "".join(f", long extent{name}" for name in IDS)
    attributes = "3, from, other, to, 1, to" if updates else "2, from, other, 1, to"
    return "\n".join([
        f"void stage{number}({value_type} *from, size_t bytesFrom, {value_type} *other,",
        f"            size_t bytesOther, {value_type} *to, size_t bytesTo{extents}) {{",
        "  __hpvm__hint(CPU_TARGET);",
        f"  __hpvm__attributes({attributes});",
        "  void *self = __hpvm__getNode();", *ids, *counts,
        f"  {index_type} pitch = {pitch};", *body, *access,
        f"  to[{own}] = sum;", f"  __hpvm__return({len(copies)}, {', '.join(copies)});",
        "}", ""])


kernels, root, written, updated = [], [], [], set()
num_arrays = 1
temporaries, outputs = [], []
writer_of, uses = {}, {}
for i in range(num_nodes + num_outputs):
    is_output = i >= num_nodes
    source, other = (rng.choice(written[-2:] if written and rng.random() < 0.8
                                else [0]) for _ in range(2))
    updates = (is_chain and not is_output and bool(written) and rng.random() < 0.2)
    if updates:
        target = rng.choice(written)
        source, other = (0 if a == target else a for a in (source, other))
    else:
        target = num_arrays
        num_arrays += 1
        (outputs if is_output else temporaries).append(target)
        writer_of[target] = i
        if not is_output:
            written.append(target)
    kernels.append(kernel(i, updates))
    root.append(f"  void *n{i} = __hpvm__createNodeND({dimensions}, stage{i}"
                + "".join(f", extent{name}" for name in IDS) + ");")
    for port, array in enumerate([source, other, target]):
        root.append(f"  __hpvm__bindIn(n{i}, {2 * array}, {2 * port}, 0);")
        if is_chain and i and port == 0:
            root.append(f"  __hpvm__edge(n{i - 1}, n{i}, 1, 0, 1, 0);")
        elif not is_chain and port < 2 and array in writer_of:
            source_node = writer_of[array]
            uses[source_node] = uses.get(source_node, -1) + 1
            root.append(f"  __hpvm__edge(n{source_node}, n{i}, 1, {uses[source_node]}, "
                        f"{2 * port + 1}, 0);")
        else:
            root.append(f"  __hpvm__bindIn(n{i}, {2 * array + 1}, {2 * port + 1}, 0);")
    for k, _ in enumerate(IDS):
        root.append(f"  __hpvm__bindIn(n{i}, {{arrays}} + {k}, {6 + k}, 0);")

root = [line.replace("{arrays}", str(2 * num_arrays)) for line in root]
parameters = ", ".join([f"{value_type} *a{i}, size_t bytes{i}" for i in range(num_arrays)]
                       + [f"long extent{name}" for name in IDS])
names = ", ".join(f"a{i}" for i in range(num_arrays))
fields = "\n".join([f"  {value_type} *a{i};\n  size_t bytes{i};" for i in range(num_arrays)]
                   + [f"  long extent{name};" for name in IDS])
declared = "\n".join(f"  sluice_temporary(a{i});" for i in temporaries)
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
{declared}
{chr(10).join(root)}
}}

typedef struct __attribute__((__packed__)) {{
{fields}
}} Arguments;

int main(int argc, char **argv) {{
  long extents[3] = {{1, 1, 1}};
  for (int i = 0; i < {dimensions}; ++i)
    extents[i] = argc > i + 2 ? atol(argv[i + 2]) : 40;
  long nx = extents[0];
  long count = ({pitch}) * extents[1] * extents[2];
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
  unsigned long hash = 0;
  for (int i = 0; i < 2; ++i) {{
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
    llvm_hpvm_request_mem(all, total * sizeof(*all));
    static const int outputs[] = {{{", ".join(map(str, outputs))}}};
    for (int o = 0; o < {len(outputs)}; ++o)
      for (long k = 0; k < (long)bytes; ++k)
        hash = hash * 31 + ((unsigned char *)(all + outputs[o] * apart))[k];
  }}
  printf("%lx\\n", hash);
  llvm_hpvm_untrack_mem(all);
  __hpvm__cleanup();
  free(all);
  return 0;
}}
""")
