//===- main.cpp - Poisson's equation by finite elements -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A meta-program: it describes what is to be done, and compiles it to an
// executable, or runs it here with --run. The forms are in kern.py; they are
// compiled to machine code together with the program.
//
//===----------------------------------------------------------------------===//

#include <sluice/TaskGraph.h>

#include <cstdio>
#include <exception>

using namespace sluice;

/// In this process the result can be looked at as well.
static int runHere(TaskGraph &graph, const Scalar &error,
                   const Options &options) {
  try {
    graph.run(options);
    std::printf("the error, read here: %.3e\n", graph.readScalar(error));
    return 0;
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}

int main(int argc, char **argv) {
  Options options;
  options.parseOrExit(argc, argv);

  TaskGraph graph("poisson");
  PyObj &state = graph.createPyObj();
  DoubleScalar &error = graph.createDoubleScalar(0);
  PtrScalar &errorOut = graph.createPtrScalar(&error);

  // What a task assembles is put into the dictionary under the form's name.
  graph.createTask(FEMAKernel("kern", "stiffness"), {&state});
  graph.createTask(FEMAKernel("kern", "load"), {&state});
  graph.createTask(PyKernel("kern", "solve"), {&state});
  graph.createTask(FEMAKernel("kern", "error2"), {&state});
  graph.createTask(PyKernel("kern", "report"), {&state, &errorOut});
  graph.createTask(PyKernel("kern", "plot"), {&state})
      .writesFile("poisson.png");

  return options.runs ? runHere(graph, error, options)
                      : tryCompile(graph, options);
}
