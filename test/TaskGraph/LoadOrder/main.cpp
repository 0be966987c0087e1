//===- main.cpp - Two LLVMs in one process, in either order ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide brings its own LLVM. The program is linked twice: whichever library
// is loaded first, kernels of C and of Halide are compiled and run.
//
// REQUIRES: halide
// RUN: halide-first | FileCheck %s
// RUN: halide-last | FileCheck %s
// CHECK: 3 5 7
//
//===----------------------------------------------------------------------===//

#include "sluice/TaskGraph.h"

#include <cstdio>

using namespace sluice;

int main() {
  TaskGraph graph("order");
  Dat &data = graph.createIntDat(32, 1, {3}, {1, 2, 3});
  Dat &result = graph.createIntDat(32, 1, {3});
  graph.createTask(HalideKernel("test_scale", {{"shift", "1"}}),
                   {in(data), &graph.createIntScalar(32, 2), out(result)});
  graph.createTask(CKernel("check", "Inputs/check.c"), {in(result)})
      .returnsStatus();
  try {
    graph.run();
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
  for (int value : graph.readDat<int>(result))
    std::printf("%d ", value);
}
