"""Writes a random streaming program whose items take long.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: random_streams.py SEED PROGRAM.cpp

A chain of nodes, each of one instance or of many, which hand a number on. They
read and write memory that all items share, memory that some items share, and
memory that nobody tracks in some programs. The host pops some results between
pushes, looks at memory between streams, and prints results and memory.
"""

import random
import sys

seed, path = sys.argv[1:3]
rng = random.Random(int(seed))
N = rng.choice([1, 5, 16, 40])
NODES = rng.randint(2, 6)
BUFFERS = rng.randint(1, 3)
SLOTS = rng.randint(1, 4)
TRACKED = rng.random() < 0.85
names = [f"b{i}" for i in range(BUFFERS)] + ["own"]
out = []
out.append("""#include "hpvm.h"
#include <cstdio>
#include <cstring>
#include <vector>

static double work(double v, long length) {
  for (long k = 0; k < length; ++k)
    v = v * 0.995 + 1.0 / (1.0 + v * v);
  return v;
}
""")
nodes = []
for k in range(NODES):
    uses = rng.sample(names, rng.randint(0 if rng.random() < 0.3 else 1,
                                         len(names)))
    writes = [u for u in uses if rng.random() < 0.6]
    reads = [u for u in uses if u not in writes or rng.random() < 0.7]
    nodes.append((uses, reads, writes, rng.random() < 0.5))
for k, (uses, reads, writes, many) in enumerate(nodes):
    ports = ", ".join(f"float *{u}, size_t {u}Bytes" for u in uses)
    out.append(f"static void node{k}({ports + ', ' if ports else ''}"
               "double t, long length, long n) {")
    out.append("  __hpvm__hint(hpvm::CPU_TARGET);")
    inputs = "".join(f", {u}" for u in uses)
    outputs = "".join(f", {u}" for u in writes)
    out.append(f"  __hpvm__attributes({len(uses)}{inputs}, {len(writes)}"
               f"{outputs});")
    out.append("  double v = t;")
    if many:
        out.append("  long i = __hpvm__getNodeInstanceID_x("
                   "__hpvm__getNode());")
    else:
        out.append("  for (long i = 0; i < n; ++i) {")
    for u in reads:
        out.append(f"  v += {u}[i] * {rng.choice(['0.5', '0.25', '-1.5'])};")
    others = [u for u in reads if u not in writes]
    if others and many:
        out.append(f"  v += {rng.choice(others)}[(i * 7 + 3) % n];")
    out.append(f"  v = work(v, length * {rng.choice([1, 2, 5])});")
    for u in writes:
        if rng.random() < 0.3:
            out.append("  if (v > 0.7)")
        out.append(f"  {u}[i] = static_cast<float>(v * "
                   f"{rng.choice(['0.125', '1.5', '-0.75'])});")
    if not many:
        out.append("  }")
    out.append(f"  __hpvm__return(1, {rng.choice(['v', 'v', 't'])});\n}}\n")
params = ", ".join(f"float *{u}, size_t {u}Bytes" for u in names)
out.append(f"static void root({params}, double t, long length, long n) {{")
out.append("  __hpvm__hint(hpvm::CPU_TARGET);")
every = "".join(f", {u}" for u in names)
out.append(f"  __hpvm__attributes({len(names)}{every}, {len(names)}{every});")
last = 2 * len(names)
for k, (uses, reads, writes, many) in enumerate(nodes):
    dims = "1, node%d, n" % k if many else "0, node%d" % k
    out.append(f"  void *n{k} = __hpvm__createNodeND({dims});")
    for p, u in enumerate(uses):
        at = 2 * names.index(u)
        out.append(f"  __hpvm__bindIn(n{k}, {at}, {2 * p}, {int(u == 'own')});")
        out.append(f"  __hpvm__bindIn(n{k}, {at + 1}, {2 * p + 1}, 0);")
    port = 2 * len(uses)
    if k == 0:
        out.append(f"  __hpvm__bindIn(n{k}, {last}, {port}, 1);")
    else:
        out.append(f"  __hpvm__edge(n{k - 1}, n{k}, 1, 0, {port}, 1);")
    out.append(f"  __hpvm__bindIn(n{k}, {last + 1}, {port + 1}, 0);")
    out.append(f"  __hpvm__bindIn(n{k}, {last + 2}, {port + 2}, 0);")
out.append(f"  __hpvm__bindOut(n{NODES - 1}, 0, 0, 1);\n}}\n")
fields = "".join(f"  float *{u};\n  size_t {u}Bytes;\n" for u in names)
out.append("struct __attribute__((packed)) Arguments {\n" + fields +
           "  double t;\n  long length, n;\n};\n")
out.append(f"""int main() {{
  constexpr long n = {N}, slots = {SLOTS};
  constexpr bool isTracked = {str(TRACKED).lower()};
  std::vector<float> memory[{len(names)}];
  for (auto &each : memory)
    for (long i = 0; i < n * slots; ++i)
      each.push_back(static_cast<float>((i * 5 + (&each - memory)) % 9));
  __hpvm__init();
  for (auto &each : memory)
    if (isTracked)
      llvm_hpvm_track_mem(each.data(), each.size() * sizeof(float));
  for (int round = 0; round < 2; ++round) {{
    Arguments all;""")
for i, u in enumerate(names):
    out.append(f"    all.{u} = memory[{i}].data();")
    out.append(f"    all.{u}Bytes = n * sizeof(float);")
out.append(f"""    all.length = {rng.choice([4000, 8000])} / n;
    all.n = n;
    void *graph = __hpvm__launch(1, (void *)root, &all);
    int popped = 0;
    constexpr int items = {rng.choice([12, 25, 70])};
    for (int k = 0; k < items; ++k) {{
      all.t = k * 0.5;
      all.own = memory[{len(names) - 1}].data() + k % slots * n;
      __hpvm__push(graph, &all);
      if (k % {rng.randint(2, 9)} == 1)
        std::printf("%d %.17g\\n", popped++,
                    *static_cast<double *>(__hpvm__pop(graph)));
    }}
    for (; popped < items; ++popped)
      std::printf("%d %.17g\\n", popped,
                  *static_cast<double *>(__hpvm__pop(graph)));
    __hpvm__wait(graph);
    if (isTracked)
      llvm_hpvm_request_mem(memory[0].data(), n * slots * sizeof(float));
    memory[0][0] += 1;
  }}
  for (auto &each : memory) {{
    if (isTracked)
      llvm_hpvm_request_mem(each.data(), each.size() * sizeof(float));
    unsigned long hash = 0;
    for (float value : each) {{
      unsigned bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = hash * 31 + bits;
    }}
    std::printf("%lx\\n", hash);
    if (isTracked)
      llvm_hpvm_untrack_mem(each.data());
  }}
  __hpvm__cleanup();
}}""")
with open(path, "w") as file:
    file.write("\n".join(out) + "\n")
