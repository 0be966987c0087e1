#include <sluice/TaskGraph.h>

using namespace sluice;

int main(int argc, char **argv) {
  Options options;
  options.parseOrExit(argc, argv);
  TaskGraph graph("scale");
  graph.setDatPrint(true);
  Dat &data = graph.createDat(2, 2, {1, -2, 3, -4});
  graph.createTask(CKernel("scale"), {&data});
  return tryCompile(graph, options);
}
