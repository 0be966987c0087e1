"""Writes a random HPVM-C program, and the host code that prints its results.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_graph.py SEED OUTPUT.c

The root has replicated and single nodes, internal nodes of both kinds (up to
two levels), one-to-one and all-to-all edges, dead nodes, inputs that no leaf
reads and outputs that nobody takes. Every leaf adds its inputs; some read an
array that an argument gives, some write an array of their own, which an edge
may order before a node that reads it. The host prints a hash of all memory and
all results.
"""

import random
import sys

seed, path = int(sys.argv[1]), sys.argv[2]
rng = random.Random(seed)
GRIDS = {"": [], "n": ["n"], "m": ["m"], "nm": ["n", "m"]}
SIZE = 4096  # elements of each array; n * m is smaller
code = []
arrays = []  # names of the arrays that leaves write


class Function:
    """A leaf or an internal node: number of inputs and outputs, arrays."""

    def __init__(self, name, inputs, outputs, arrays):
        self.name, self.inputs, self.outputs = name, inputs, outputs
        self.arrays = arrays  # array arguments, in order, before the inputs


class Node:
    def __init__(self, name, function, grid):
        self.name, self.function, self.grid = name, function, grid
        self.free = list(range(function.outputs))  # outputs without an edge
        self.below = set()  # nodes that this one waits for all of


def pointers(names):
    """Parameters for arrays."""
    return [f"long *{name}, size_t bytes_{name}" for name in names]


def attributes(reads, writes):
    parts = [str(len(reads)), *reads, str(len(writes)), *writes]
    return f"  __hpvm__attributes({', '.join(parts)});\n"


def leaf(number, grid, reads):
    """A leaf; `reads`: arrays that it reads at its own place."""
    inputs, outputs = rng.randint(1, 3), rng.randint(1, 3)
    writes = []
    if rng.random() < 0.4:
        writes = [f"w{number}"]
        arrays.append(writes[0])
    name = f"leaf{number}"
    parameters = pointers(reads + writes)
    parameters += [f"long a{i}" for i in range(inputs)]
    body = ["  __hpvm__hint(CPU_TARGET);\n"]
    if reads or writes:
        body.append(attributes(reads, writes))
    query = "__hpvm__getNodeInstanceID_{}(__hpvm__getNode())"
    extent = "__hpvm__getNumNodeInstances_{}(__hpvm__getNode())"
    place = ["0", query.format("x"),
             f"{query.format('y')} * {extent.format('x')} + "
             f"{query.format('x')}"][len(GRIDS[grid])]
    body.append(f"  long i = {place};\n")
    body.append(f"  long v = i * {rng.randint(1, 99)} + {number};\n")
    used = [i for i in range(inputs) if rng.random() < 0.85]
    for i in used:
        body.append(f"  v = v * 31 + a{i};\n")
    for array in reads:
        body.append(f"  v ^= {array}[i];\n")
    if rng.random() < 0.3:
        body.append(f"  for (int k = 0; k < {rng.randint(1, 9)}; ++k)\n"
                    "    v = v * 5 + k;\n")
    for array in writes:
        body.append(f"  {array}[i] = v;\n")
    values = [f"v + {rng.randint(0, 9)} * i" for _ in range(outputs)]
    body.append(f"  __hpvm__return({outputs}, {', '.join(values)});\n")
    code.append(f"void {name}({', '.join(parameters)}) {{\n{''.join(body)}}}\n")
    return Function(name, inputs, outputs, reads + writes)


counter = 0


def internal(depth):
    """A graph: its function. Extents are its last two arguments, n and m."""
    global counter
    counter += 1
    name = "root" if depth == 0 else f"graph{counter}"
    inputs = rng.randint(1, 2)
    nodes, lines, used = [], [], []
    written = {}  # array -> the node that writes it
    for _ in range(rng.randint(2, 9 if depth == 0 else 4)):
        counter += 1
        grid = rng.choice(["n", "n", "n", "", "m", "nm"])
        source = nodes[-1] if nodes and rng.random() < 0.7 else None
        if source and rng.random() < 0.8:
            grid = source.grid
        reads = []
        if depth < 2 and rng.random() < 0.25:
            if rng.random() < 0.3:
                grid = rng.choice(["", "n"])
            else:
                grid = ""
            function = internal(depth + 1)
            if grid:  # instances must not write the same places
                function = small_group(grid)
        else:
            candidates = [a for a, n in written.items() if n.grid == grid]
            if candidates and rng.random() < 0.5:
                reads = [rng.choice(candidates)]
            function = leaf(counter, grid, reads)
        node = Node(f"node{counter}", function, grid)
        extents = "".join(f", {e}" for e in GRIDS[grid])
        lines.append(f"  void *{node.name} = __hpvm__createNodeND("
                     f"{len(GRIDS[grid])}, {function.name}{extents});\n")
        position = 0
        for array in function.arrays:
            used += [array] if array not in used else []
            lines.append((node, "array", array, position))
            position += 2
        # Whoever reads an array waits for its writer, instance by instance.
        must = [written[a] for a in reads]
        is_graph = function.name.startswith(("graph", "group"))
        for i in range(function.inputs):
            feeder = must.pop() if must else None
            if feeder is None and nodes and rng.random() < 0.75:
                feeder = source if source and rng.random() < 0.6 \
                    else rng.choice(nodes)
                if not feeder.free:
                    feeder = None
            if feeder is not None and feeder.free:
                output = feeder.free.pop(rng.randrange(len(feeder.free)))
                one = feeder.grid == grid and rng.random() < 0.75
                lines.append(f"  __hpvm__edge({feeder.name}, {node.name}, "
                             f"{0 if one else 1}, {output}, {position + i}, "
                             "0);\n")
            elif feeder is not None:
                return retry(depth)
            else:
                lines.append((node, "input", rng.randrange(inputs),
                              position + i))
        if must:
            return retry(depth)
        if is_graph:
            for e, extent in enumerate(["n", "m"]):
                lines.append((node, "extent", extent,
                              position + function.inputs + e))
        for array in function.arrays:
            written.setdefault(array, node)
        nodes.append(node)

    outputs = []
    for node in nodes:
        if node.free and (rng.random() < 0.5 or node is nodes[-1]):
            outputs.append((node, node.free.pop()))
    if not outputs:
        return retry(depth)
    base = 2 * len(used)
    parameters = pointers(used) + [f"long a{i}" for i in range(inputs)]
    parameters += ["long n", "long m"]
    text = [f"void {name}({', '.join(parameters)}) {{\n",
            "  __hpvm__hint(CPU_TARGET);\n"]
    if used:
        text.append(attributes(used, used))
    for line in lines:
        if isinstance(line, str):
            text.append(line)
            continue
        node, kind, what, to = line
        if kind == "array":
            place = 2 * used.index(what)
            text.append(f"  __hpvm__bindIn({node.name}, {place}, {to}, 0);\n")
            text.append(f"  __hpvm__bindIn({node.name}, {place + 1}, {to + 1},"
                        " 0);\n")
        elif kind == "input":
            text.append(f"  __hpvm__bindIn({node.name}, {base + what}, {to}, "
                        "0);\n")
        else:
            place = base + inputs + ["n", "m"].index(what)
            text.append(f"  __hpvm__bindIn({node.name}, {place}, {to}, 0);\n")
    for i, (node, output) in enumerate(outputs):
        text.append(f"  __hpvm__bindOut({node.name}, {output}, {i}, 0);\n")
    code.append("".join(text) + "}\n")
    return Function(name, inputs, len(outputs), used)


def small_group(grid):
    """A graph whose leaves write nothing, to be replicated."""
    global counter
    counter += 1
    names = []
    for _ in range(2):
        counter += 1
        name = f"leaf{counter}"
        parent = "__hpvm__getParentNode(__hpvm__getNode())"
        extra = f" + __hpvm__getNodeInstanceID_x({parent})" \
            if rng.random() < 0.5 else ""
        code.append(
            f"void {name}(long a0) {{\n  __hpvm__hint(CPU_TARGET);\n"
            "  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());\n"
            f"  __hpvm__return(1, a0 * 7 + i{extra});\n}}\n")
        names.append(name)
    one = rng.choice([0, 1])
    name = f"group{counter}"
    code.append(
        f"void {name}(long a0, long n, long m) {{\n"
        "  __hpvm__hint(CPU_TARGET);\n"
        f"  void *a = __hpvm__createNodeND(1, {names[0]}, m);\n"
        f"  void *b = __hpvm__createNodeND(1, {names[1]}, m);\n"
        "  __hpvm__bindIn(a, 0, 0, 0);\n"
        f"  __hpvm__edge(a, b, {one}, 0, 0, 0);\n"
        "  __hpvm__bindOut(b, 0, 0, 0);\n}\n")
    return Function(name, 1, 1, [])


class Retry(Exception):
    """The random choices do not fit together."""


def retry(depth):
    raise Retry


while True:
    code.clear()
    arrays.clear()
    counter = 0
    try:
        root = internal(0)
        break
    except Retry:
        continue

fields, values = [], []
for array in root.arrays:
    fields.append(f"  long *{array}; size_t bytes_{array};\n")
    values += [array, f"sizeof {array}"]
for i in range(root.inputs):
    fields.append(f"  long a{i};\n")
    values.append(str(rng.randint(-50, 50)))
n, m = rng.choice([(1, 1), (0, 3), (7, 5), (64, 3), (1000, 4), (37, 100)])
fields += ["  long n, m;\n"]
values += [str(n), str(m)]
fields += [f"  long r{i};\n" for i in range(root.outputs)]
with open(path, "w", encoding="utf-8") as file:
    file.write('#include "hpvm.h"\n#include <stdio.h>\n\n')
    file.write("\n".join(code))
    file.write("\nstruct __attribute__((packed)) Arguments {\n")
    file.write("".join(fields) + "};\n\n")
    for array in arrays:
        file.write(f"static long {array}[{SIZE}];\n")
    file.write("""
static unsigned long hash = 5381;
static void add(long value) { hash = hash * 33 ^ (unsigned long)value; }

int main(void) {
""")
    file.write(f"  struct Arguments arguments = {{{', '.join(values)}}};\n")
    file.write("""  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
""")
    for i in range(root.outputs):
        file.write(f"  add(arguments.r{i});\n")
        file.write(f'  printf("result {i}: %ld\\n", arguments.r{i});\n')
    for array in arrays:
        file.write(f"  for (int i = 0; i < {SIZE}; ++i)\n"
                   f"    add({array}[i]);\n")
    file.write('  printf("hash %lx\\n", hash);\n  return 0;\n}\n')
