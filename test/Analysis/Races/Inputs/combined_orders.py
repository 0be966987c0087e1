"""Random graphs whose orders combine, against all that happens before.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Nodes of a graph are joined by all-to-all and by one-to-one edges, and their
leaves have barriers and locks. Two of their accesses meet in one array. What is
ordered is computed from the definitions, event by event: 'sluice check' must
find a race if and only if there is one, and so must SLUICE_CHECK=1, for which
indices come from a table that the compiler does not know.

usage: combined_orders.py FIRST_SEED COUNT (check|run) FOLDER
"""

import os
import random
import re
import subprocess
import sys

INSTANCES = 4
INDICES = {"x": lambda x: x, "3 - x": lambda x: 3 - x, "x ^ 1": lambda x: x ^ 1}


class Graph:
    def __init__(self, seed):
        choice = random.Random(seed)
        self.seed = seed
        count = choice.randint(2, 5)
        # By node: numbers of barriers.
        self.barriers = [choice.choice([0, 0, 0, 1, 1, 2]) for _ in range(count)]
        self.edges = {}
        for sink in range(1, count):
            for source in range(sink):
                if source == sink - 1 or choice.random() < 0.25:
                    if choice.random() < 0.9:
                        self.edges[source, sink] = choice.random() < 0.8
        # Node, part of its leaf, index, whether it writes, whether with a lock.
        first, second = sorted(choice.choices(range(count), k=2))
        locks = choice.random() < 0.15
        self.accesses = [
            (node, choice.randint(0, self.barriers[node]), choice.choice(list(INDICES)),
             writes, locks and choice.random() < 0.8)
            for node, writes in ((first, True), (second, choice.random() < 0.4))
        ]

    def events_behind(self, event):
        """What happens right after an event, which is (node, instance, part)."""
        node, instance, part = event
        if part < self.barriers[node]:
            for other in range(INSTANCES):
                yield node, other, part + 1
            return
        for (source, sink), is_one_to_one in self.edges.items():
            if source == node:
                for other in [instance] if is_one_to_one else range(INSTANCES):
                    yield sink, other, 0

    def happens_before(self, first, second):
        seen, worklist = {first}, [first]
        while worklist:
            event = worklist.pop()
            for after in self.events_behind(event):
                if after not in seen:
                    seen.add(after)
                    worklist.append(after)
        return second in seen

    def is_racy(self):
        for a in self.accesses:
            for b in self.accesses:
                if not (a[3] or b[3]) or (a[4] and b[4]):
                    continue
                for i in range(INSTANCES):
                    for j in range(INSTANCES):
                        x, y = (a[0], i, a[1]), (b[0], j, b[1])
                        if (a[0], i) == (b[0], j) or INDICES[a[2]](i) != INDICES[b[2]](j):
                            continue
                        if not self.happens_before(x, y) and not self.happens_before(y, x):
                            return True
        return False

    def leaf(self, node, is_table):
        tokens = "".join(f", long t{source}" for source, sink in self.edges if sink == node)
        name = f"g{self.seed}_n{node}"
        code = [f"void {name}(int *a, size_t aBytes, int *out, size_t outBytes, "
                f"const int *id, size_t idBytes{tokens}) {{",
                "  __hpvm__hint(CPU_TARGET);",
                "  __hpvm__attributes(3, a, out, id, 2, a, out);",
                "  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());"]
        for part in range(self.barriers[node] + 1):
            if part:
                code.append("  __hpvm__barrier();")
            for number, (where, when, index, writes, locks) in enumerate(self.accesses):
                if (where, when) != (node, part):
                    continue
                index = f"id[{index}]" if is_table else index
                code.append("  pthread_mutex_lock(&mutex);" if locks else "")
                code.append(f"  a[{index}] = x;" if writes
                            else f"  out[{number * INSTANCES} + x] = a[{index}];")
                code.append("  pthread_mutex_unlock(&mutex);" if locks else "")
        outputs = [edge for edge in self.edges if edge[0] == node]
        if outputs:
            code.append(f"  __hpvm__return({len(outputs)}{', 0L' * len(outputs)});")
        return "\n".join(code + ["}"])

    def root(self):
        name = f"g{self.seed}"
        code = [f"void {name}(int *a, size_t aBytes, int *out, size_t outBytes, "
                "const int *id, size_t idBytes) {",
                "  __hpvm__hint(CPU_TARGET);",
                "  __hpvm__attributes(3, a, out, id, 2, a, out);"]
        for node in range(len(self.barriers)):
            code.append(f"  void *n{node} = __hpvm__createNodeND(1, {name}_n{node}, {INSTANCES}L);")
            code += [f"  __hpvm__bindIn(n{node}, {i}, {i}, 0);" for i in range(6)]
            sources = [edge for edge in self.edges if edge[1] == node]
            for input, edge in enumerate(sources):
                output = [other for other in self.edges if other[0] == edge[0]].index(edge)
                code.append(f"  __hpvm__edge(n{edge[0]}, n{node}, "
                            f"{0 if self.edges[edge] else 1}, {output}, {6 + input}, 0);")
        return "\n".join(code + ["}"])


def program(graphs, is_table):
    parts = ["#include <hpvm.h>", "#include <pthread.h>", "#include <stdlib.h>",
             "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;"]
    for graph in graphs:
        parts += [graph.leaf(node, is_table) for node in range(len(graph.barriers))]
        parts.append(graph.root())
    launches = "\n".join(f"  if (number == {graph.seed}) "
                         f"__hpvm__wait(__hpvm__launch(0, g{graph.seed}, &all));"
                         for graph in graphs)
    return "\n".join(parts) + """
struct __attribute__((packed)) All { int *a; size_t aBytes; int *out; size_t outBytes;
                                     const int *id; size_t idBytes; };
int main(int argc, char **argv) {
  static int a[4], out[8];
  static int id[4] = {0, 1, 2, 3};
  struct All all = {a, sizeof a, out, sizeof out, id, sizeof id};
  int number = atoi(argv[1]);
  __hpvm__init();
""" + launches + """
  __hpvm__cleanup();
}
"""


def sluice(arguments, **variables):
    return subprocess.run(["sluice", *arguments], capture_output=True, text=True,
                          env={**os.environ, **variables})


def main():
    first, count, way, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    os.makedirs(folder, exist_ok=True)
    graphs = [Graph(seed) for seed in range(first, first + count)]
    path = os.path.join(folder, f"{way}.c")
    with open(path, "w") as file:
        file.write(program(graphs, way == "run"))
    wrong = missed = racy = 0
    if way == "check":
        text = sluice(["check", path]).stderr
        assert "[race]" in text or "proven free" in text, text
        found = {int(number) for number in re.findall(r"error: 'g(\d+)_n", text)}
        said = {int(number) for number in re.findall(r"remark: .*?'g(\d+)_n.*\[race\]", text)}
    for graph in graphs:
        if way == "run":
            result = sluice(["run", path, "--", str(graph.seed)], SLUICE_CHECK="1")
            is_found = bool(re.search(r"error: .*which instance", result.stderr))
            is_failed = not is_found and result.returncode != 0
            if is_failed:
                print(result.stderr)
        else:
            is_found, is_failed = graph.seed in found, graph.seed in said
        racy += graph.is_racy()
        if is_found == graph.is_racy() and not is_failed:
            continue
        wrong += is_found and not graph.is_racy()
        missed += graph.is_racy() and not is_found
        print(f"graph {graph.seed}: found {is_found}, racy {graph.is_racy()}, failed {is_failed}; "
              f"barriers {graph.barriers}, edges {graph.edges}, accesses {graph.accesses}")
    print(f"{count} graphs, {racy} racy: {wrong} wrong errors, {missed} missed")


main()
