//===- onetbb.cpp - The graphs with oneTBB's flow graph -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide's parallel loops are oneTBB's as well, so that there is one pool of
// threads.
//
//===----------------------------------------------------------------------===//

#include "steps.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <memory>

using namespace bench;

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct FlowGraph {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  std::vector<Node *> roots;
};

std::unique_ptr<FlowGraph> flow;

int runLoop(void *context, halide_task_t task, int min, int size,
            uint8_t *closure) {
  std::atomic<int> status = 0;
  tbb::parallel_for(min, min + size, [&](int i) {
    if (int found = task(context, i, closure))
      status = found;
  });
  return status;
}

} // namespace

void bench::prepareApp(const std::string &app) {
  steps = std::make_unique<Steps>(app);
  flow = std::make_unique<FlowGraph>();
  for (size_t i = 0; i < steps->steps.size(); ++i) {
    Node &node = flow->nodes.emplace_back(
        flow->graph, [i](const tbb::flow::continue_msg &) { steps->run(i); });
    for (size_t before : steps->steps[i].after)
      tbb::flow::make_edge(flow->nodes[before], node);
    if (steps->steps[i].after.empty())
      flow->roots.push_back(&node);
  }
}

void bench::runApp() {
  steps->begin();
  for (Node *root : flow->roots)
    root->try_put(tbb::flow::continue_msg());
  flow->graph.wait_for_all();
}

std::vector<double> bench::resultOfApp() { return steps->result(); }

void bench::releaseApp() {
  flow.reset();
  steps.reset();
}

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
  halide_set_custom_do_par_for(runLoop);
  return serveApps();
}
