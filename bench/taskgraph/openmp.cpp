//===- openmp.cpp - Task graphs with OpenMP's dependences -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built twice, by gcc with libgomp and by clang with libomp. One thread makes
// the tasks, with as many `depend` items as they have predecessors, while the
// others run them.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

using namespace bench;

namespace {
std::unique_ptr<char[]> marks; // what the dependences name

void createTask(uint32_t node, char *marks) {
  std::span<const uint32_t> before = graph.predecessors(node);
  switch (before.size()) {
  case 0:
#pragma omp task depend(out : marks[node]) firstprivate(node)
    runTask(node);
    return;
  case 1:
#pragma omp task depend(out                                                    \
                        : marks[node]) depend(in                               \
                                              : marks[before[0]])              \
    firstprivate(node)
    runTask(node);
    return;
  case 2:
#pragma omp task depend(out                                                    \
                        : marks[node])                                         \
    depend(in                                                                  \
           : marks[before[0]], marks[before[1]]) firstprivate(node)
    runTask(node);
    return;
  case 3:
#pragma omp task depend(out                                                    \
                        : marks[node])                                         \
    depend(in                                                                  \
           : marks[before[0]], marks[before[1]], marks[before[2]])             \
        firstprivate(node)
    runTask(node);
    return;
  default:
    static_assert(maxPredecessors == 4);
#pragma omp task depend(out                                                    \
                        : marks[node])                                         \
    depend(in                                                                  \
           : marks[before[0]], marks[before[1]], marks[before[2]],             \
             marks[before[3]]) firstprivate(node)
    runTask(node);
  }
}
} // namespace

void bench::prepareGraph() { marks = std::make_unique<char[]>(graph.size()); }

void bench::runGraph() {
#pragma omp parallel
#pragma omp single
  for (uint32_t node = 0; node < graph.size(); ++node)
    createTask(node, marks.get());
}

void bench::releaseGraph() { marks.reset(); }

int main() { return serveRows(1); }
