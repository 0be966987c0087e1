//===- sluice.cpp - Task graphs as plans ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that the compiler would emit, written at run time, since no
// program has 65,536 nodes. A compiled graph has a kernel for every node; here
// one kernel serves them all and finds its node's number, plus one, in the
// extents of a level that has no units. The runtime takes plans for constant
// data that stays, so no table is freed, and equal graphs share theirs.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include "sluice-c/Runtime.h"
#include "sluice/Base/TableHead.h"

using namespace bench;

namespace {

struct Tables {
  Graph graph;
  std::vector<SluicePlanNode> nodes;
  std::vector<SluicePlanSuccessor> successors;
  std::vector<int64_t> extents;
  SluicePlan plan = {};
};

std::vector<std::unique_ptr<Tables>> allTables;
const SluicePlan *plan;

void runNode(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  runTask(static_cast<uint32_t>(invocation->extents[0] - 1));
}

SluicePlanNode makeNode(uint32_t index, const int64_t *extents) {
  SluicePlanNode node = {};
  node.name = "root/task";
  node.location = "";
  node.kernel = runNode;
  node.constantExtents = extents;
  node.numLevels = 1;
  node.target = SLUICE_TARGET_CPU;
  node.numSuccessors = static_cast<uint32_t>(graph.successors(index).size());
  node.numAllToAllPredecessors =
      static_cast<uint32_t>(graph.predecessors(index).size());
  return node;
}

const Tables &makeTables() {
  Tables *tables = allTables.emplace_back(std::make_unique<Tables>()).get();
  tables->graph = graph;
  tables->extents.resize(3 * size_t(graph.size()), 1);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    tables->extents[3 * i] = i + 1;
    tables->nodes.push_back(makeNode(i, &tables->extents[3 * i]));
    for (uint32_t after : graph.successors(i))
      tables->successors.push_back({after, SLUICE_ALL_TO_ALL});
  }
  const SluicePlanSuccessor *next = tables->successors.data();
  for (SluicePlanNode &node : tables->nodes) {
    node.successors = next;
    next += node.numSuccessors;
  }
  SluicePlan &plan = tables->plan;
  plan.head = sluice::tableHead<SluicePlan>;
  plan.name = "root";
  plan.location = "";
  plan.nodes = tables->nodes.data();
  plan.numNodes = graph.size();
  return *tables;
}

} // namespace

void bench::prepareGraph() {
  for (const auto &tables : allTables)
    if (tables->graph == graph) {
      plan = &tables->plan;
      return;
    }
  plan = &makeTables().plan;
}

void bench::runGraph() {
  char noArguments = 0;
  sluiceWait(sluiceLaunch(plan, &noArguments, nullptr, 0));
}

void bench::releaseGraph() {}

int main() {
  sluiceInit();
  int status = serveRows(10);
  sluiceCleanup();
  return status;
}
