//===- main.cpp - Two fluids separate -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of the meta-program makes the tasks of all steps. After each of them,
// forms give the mass and the energy, which go to a row of an array.
//
//===----------------------------------------------------------------------===//

#include <sluice/TaskGraph.h>

using namespace sluice;

static const int numSteps = 12;

/// Tasks that write mass and energy to one row of the history.
static void record(TaskGraph &graph, PyObj &state, Dat &history, int row) {
  Dat &place = graph.createSubDat(history, {{row, row + 1}, {0, 2}});
  graph.createTask(FEMAKernel("kern", "mass"), {&state});
  graph.createTask(FEMAKernel("kern", "energy"), {&state});
  graph.createTask(PyKernel("kern", "record"), {in(state), out(place)});
}

int main(int argc, char **argv) {
  Options options;
  options.parseOrExit(argc, argv);

  TaskGraph graph("cahn-hilliard");
  PyObj &state = graph.createPyObj();
  Dat &history = graph.createDat(numSteps + 1, 2);

  graph.createTask(FEMAKernel("kern", "start"), {&state});
  record(graph, state, history, 0);
  for (int step = 1; step <= numSteps; ++step) {
    graph.createTask(PyKernel("kern", "advance"), {&state});
    record(graph, state, history, step);
  }
  graph.createTask(PyKernel("kern", "check"), {in(history)});
  graph.createTask(PyKernel("kern", "plot"), {in(state)})
      .writesFile("cahn-hilliard.png");

  return tryCompile(graph, options);
}
