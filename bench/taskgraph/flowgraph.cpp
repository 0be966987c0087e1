//===- flowgraph.cpp - Task graphs with oneTBB's flow graph ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same task graphs with a runtime whose graphs are also built once and run
// often.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <deque>

using namespace bench;

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct FlowGraph {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  std::vector<Node *> roots;
};

std::unique_ptr<FlowGraph> flow;

} // namespace

void bench::prepareGraph() {
  flow = std::make_unique<FlowGraph>();
  for (uint32_t i = 0; i < graph.size(); ++i) {
    Node &node = flow->nodes.emplace_back(
        flow->graph, [i](const tbb::flow::continue_msg &) { runTask(i); });
    for (uint32_t before : graph.predecessors(i))
      tbb::flow::make_edge(flow->nodes[before], node);
    if (graph.predecessors(i).empty())
      flow->roots.push_back(&node);
  }
}

void bench::runGraph() {
  for (Node *root : flow->roots)
    root->try_put(tbb::flow::continue_msg());
  flow->graph.wait_for_all();
}

void bench::releaseGraph() { flow.reset(); }

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
  return serveRows(4);
}
