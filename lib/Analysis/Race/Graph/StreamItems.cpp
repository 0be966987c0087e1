//===- StreamItems.cpp - Items of a stream that share memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream runs its graph for several items at once. If two items can use the
// same memory, the affected stages must process them one after the other. This
// file finds these stages.
//
//===----------------------------------------------------------------------===//

#include "StreamItems.h"

#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace sluice::races;

/// True if the input `index` of `graph` has one value per item.
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

/// How two items see an object. The runtime knows all memory that the plan
/// names.
static regions::RunMemory memoryOf(const MemoryObject &object,
                                   dfg::GraphOp root) {
  if (object.depth != 0)
    return regions::RunMemory::Free;
  switch (object.kind) {
  case MemoryObject::Kind::Argument:
    return isStreamInput(root, object.index) ? regions::RunMemory::Own
                                             : regions::RunMemory::Ordered;
  case MemoryObject::Kind::Dataset:
  case MemoryObject::Kind::Global:
    return regions::RunMemory::Ordered;
  case MemoryObject::Kind::Malloc:
    return regions::RunMemory::Own;
  case MemoryObject::Kind::Unknown:
    return regions::RunMemory::Free;
  }
  return regions::RunMemory::Free;
}

regions::RepeatCheck races::checkItems(const GraphRegions &regions) {
  dfg::GraphOp root = regions.scope(0).graph;
  return regions::checkRepeated(regions.system(), 0, [&](uint32_t object) {
    return memoryOf(regions.object(object), root);
  });
}

SerialStages races::describeStages(const GraphRegions &regions,
                                   const PlacedAccesses &accesses,
                                   uint32_t object) {
  const regions::TaskGraph &graph = regions.system().graphs.front();
  SerialStages stages{accesses.describeMemory(regions.object(object)),
                      {},
                      {},
                      dfg::GraphOp(regions.scope(0).graph).getLoc()};
  for (const regions::Task &task : graph.tasks) {
    bool isUser = false, isWriter = false;
    for (const regions::Use &use : task.uses)
      if (regions.system().ranges[use.range].object == object) {
        isUser = true;
        isWriter |= use.privilege != rdir::Privilege::Read;
      }
    if (isUser)
      (isWriter ? stages.writers : stages.readers).push_back(task.name);
  }
  return stages;
}
