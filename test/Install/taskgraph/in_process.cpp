// Runs a graph twice, and catches what a wrong one throws.
#include <sluice/TaskGraph.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace sluice;

static bool isRefused() {
  TaskGraph graph("wrong");
  graph.createTask(CKernel("scale"), {&graph.createDat(0, 2)});
  try {
    graph.run();
  } catch (const CompileError &error) {
    return std::string(error.what()).find("in_process.cpp") !=
           std::string::npos;
  }
  return false;
}

int main() {
  TaskGraph graph("scale");
  Dat &data = graph.createDat(2, 2, {1, -2, 3, -4});
  graph.createTask(
      CKernel("scale", FOLDER "/kernels.c", {"-I" FOLDER "/include"}), {&data});
  for (int run = 0; run < 2; ++run) {
    graph.run();
    if (graph.readDat(data) != std::vector<double>{2, 4, 6, 8})
      return 1;
  }
  std::puts(isRefused() ? "fine" : "accepted a wrong graph");
  return isRefused() ? 0 : 1;
}
