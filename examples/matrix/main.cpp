//===- main.cpp - A task graph over three matrices ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A meta-program: it describes a graph of three C kernels and one Halide
// kernel, and runs it here, or compiles it to an executable (-o NAME).
//
//       negate A     |B|
//             \     /
//             A += B
//                |
//             C = A + 2
//
//===----------------------------------------------------------------------===//

#include <sluice/TaskGraph.h>

#include <cstdio>

using namespace sluice;

static const std::vector<double> expectedA = {0, 4, 0, 0, 3, 9};
static const std::vector<double> expectedB = {1, 2, 3, 4, 8, 3};
static const std::vector<double> expectedC = {2, 6, 2, 2, 5, 11};

/// Compares what the run left in a matrix with what it should be.
static bool check(const TaskGraph &graph, const Dat &dat, const char *name,
                  const std::vector<double> &expected) {
  std::vector<double> found = graph.readDat(dat);
  for (size_t i = 0; i != expected.size(); ++i) {
    if (found[i] == expected[i])
      continue;
    std::fprintf(stderr, "matrix: expected %g, but found %g in %s[%zu][%zu]\n",
                 expected[i], found[i], name, i / 2, i % 2);
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  Options options;
  options.parseOrExit(argc, argv);

  TaskGraph graph("matrix");
  Dat &a = graph.createDat(3, 2, {1, -2, 3, 4, 5, -6});
  Dat &b = graph.createDat(3, 2, {1, -2, 3, 4, 8, 3});
  Dat &c = graph.createDat(3, 2);
  IntScalar &offset = graph.createIntScalar(8, 2);
  a.setName("A");
  b.setName("B");
  c.setName("C");
  offset.setName("offset");

  // The two that come first use different matrices, so they may run at the
  // same time; the order of the others follows from A.
  graph.createTask(CKernel("mat_negate", "kernels.c"), {&a});
  graph.createTask(CKernel("mat_absolute", "kernels.c"), {&b});
  graph.createTask(CKernel("mat_add", "kernels.c"), {&a, in(b)});
  graph.createTask(HalideKernel("mat_brighten"), {&offset, in(a), out(c)});
  graph.setDatPrint(true);

  try {
    if (!options.output.empty() || !options.print.empty()) {
      compile(graph, options);
      return 0;
    }
    graph.run(options);
    if (!check(graph, a, "A", expectedA) || !check(graph, b, "B", expectedB) ||
        !check(graph, c, "C", expectedC))
      return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("matrix: ok\n");
  return 0;
}
