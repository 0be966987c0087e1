//===- SerialStages.cpp - Stages that items pass one after the other ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items of a stream that use the same memory, one of them writing, pass the
// stages that use it in push order: correct, but without overlap.
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace sluice;
using namespace sluice::races;

/// The input `index` of `graph` has one value per item.
static bool isStreamInput(dfg::GraphOp graph, unsigned index) {
  for (dfg::NodeOp node : graph.getBody().front().getOps<dfg::NodeOp>())
    for (auto [number, value] : llvm::enumerate(node.getInputs()))
      if (value == graph.getInput(index) && node.isStream(number))
        return true;
  return false;
}

bool races::isStreaming(dfg::GraphOp graph) {
  for (bool isStream : graph.getOutputOp().getStream())
    if (isStream)
      return true;
  for (unsigned i = 0, e = graph.getInputTypes().size(); i != e; ++i)
    if (isStreamInput(graph, i))
      return true;
  return false;
}

/// True if all items find the same memory there.
static bool isFixed(const MemoryObject &object, dfg::GraphOp root) {
  switch (object.kind) {
  case MemoryObject::Kind::Argument:
    return !isStreamInput(root, object.index);
  case MemoryObject::Kind::Dataset:
  case MemoryObject::Kind::Global:
    return true;
  default:
    return false;
  }
}

void races::findSerialStages(const Tree &tree, const Comparer &comparer,
                             RaceReport &report) {
  dfg::GraphOp root = tree.root().graph;
  struct Users {
    llvm::SmallVector<const TreeNode *, 2> writers, readers;
  };
  std::map<MemoryObject, Users> users;
  for (const TreeNode *leaf : tree.leaves())
    for (const PlacedAccess &access : comparer.accessesOf(*leaf)) {
      if (!isFixed(access.target.object, root))
        continue;
      Users &known = users[access.target.object];
      auto &list = access.access->isWrite ? known.writers : known.readers;
      const TreeNode *stage = leaf->ancestorAt(0);
      if (!llvm::is_contained(list, stage))
        list.push_back(stage);
    }
  for (const auto &[object, known] : users) {
    if (known.writers.empty())
      continue;
    SerialStages stages{comparer.describeMemory(object), {}, {}, root.getLoc()};
    for (const TreeNode *stage : known.writers)
      stages.writers.push_back(stage->name());
    for (const TreeNode *stage : known.readers)
      if (!llvm::is_contained(known.writers, stage))
        stages.readers.push_back(stage->name());
    report.serialStages.push_back(std::move(stages));
  }
}
