//===- sluice.cpp - The graphs as Sluice's --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each graph is described once and run many times in this process. A run begins
// with the initial values of all datasets, as every run does.
//
//===----------------------------------------------------------------------===//

#include "../../examples/radar/graph.h"
#include "apps.h"

#include <sluice/TaskGraph.h>

using namespace bench;
using namespace sluice;

namespace {

/// A graph, and the datasets that it is run for.
struct Graph {
  std::unique_ptr<radar::RadarGraph> radar;
  std::unique_ptr<TaskGraph> own;
  std::vector<const Dat *> results;

  TaskGraph &get() { return radar ? radar->graph : *own; }
  IntDat &createTick(uint64_t value) {
    IntDat &dat = own->createUIntDat(64, 1, {1}, {value});
    results.push_back(&dat);
    return dat;
  }
  void addTick(IntDat &dat) {
    own->createTask(CKernel("tick", "kernels.c", {"-O3"}), {&dat});
  }
  void makeBlur();
};

void Graph::makeBlur() {
  std::vector<int> size = {blurPlanes, blurRows, blurColumns};
  Dat &from = own->createDoubleDat(3, size);
  Dat &to = own->createDoubleDat(3, size);
  own->addKernelSource("kernels.c", {"-O3"});
  own->createTask(CKernel("fill"), {out(from)});
  own->createTask(CKernel("invert"), {&from});
  own->createTask(HalideKernel("halide_blur"), {in(from), out(to)});
  results.push_back(&to);
}

std::unique_ptr<Graph> graph;

} // namespace

void bench::prepareApp(const std::string &app) {
  graph = std::make_unique<Graph>();
  if (app == "radar") {
    graph->radar = std::make_unique<radar::RadarGraph>(radar::scene());
    graph->results.push_back(graph->radar->decibels);
    return;
  }
  graph->own = std::make_unique<TaskGraph>(app);
  if (app == "blur")
    return graph->makeBlur();
  IntDat &first = graph->createTick(1);
  if (app == "pair")
    graph->addTick(graph->createTick(2));
  for (int i = 0; i < (app == "pair" ? 1 : chainLength); ++i)
    graph->addTick(first);
}

/// The other programs' kernels are compiled for this CPU alone, too.
void bench::runApp() {
  static const Options options = [] {
    Options options;
    options.fastFloat = true;
    return options;
  }();
  graph->get().run(options);
}

std::vector<double> bench::resultOfApp() {
  std::vector<double> values;
  for (const Dat *dat : graph->results) {
    if (graph->own && graph->own->getName() != "blur") {
      for (uint64_t x : graph->own->readDat<uint64_t>(*dat))
        values.push_back(shownTick(x));
      continue;
    }
    for (double value : graph->get().readDat(*dat))
      values.push_back(value);
  }
  return values;
}

void bench::releaseApp() { graph.reset(); }

int main() {
  try {
    return serveApps();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
