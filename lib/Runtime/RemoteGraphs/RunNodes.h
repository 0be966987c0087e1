//===- RunNodes.h - Nodes on this rank ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running all or some units of a node on a rank: extents, chunks for its
// workers, and the outputs in the frame.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_RUNNODES_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_RUNNODES_H

#include "../Execution/Instance.h"
#include "../Plan/Partition.h"

namespace sluice {

class Executor;

/// Returns false if they are wrong; then the instance has failed.
bool findExtents(GraphInstance &instance, NodeRun &run, NodeCounts &counts);

/// Whether the node has the same extents as nodes joined to it by one-to-one
/// edges. If not, the instance has failed.
bool checkGroup(GraphInstance &instance, const NodeRun &run);

/// Runs units of a node on the workers of this rank, one of which calls.
void runUnits(Executor &executor, GraphInstance &instance, NodeRun &run,
              const NodeCounts &counts, UnitRange units);

/// Sets outputs that are inputs: every rank knows them, as its own addresses.
void setForwards(const SluicePlanNode &node, unsigned char *frame);

/// Whether an output in the frame is the value of an input.
bool isForward(const SluicePlanNode &node, const SluicePlanOutput &output);

/// Calls `function(value in the frame, bytes)` for the outputs of a node.
template <typename Function>
void forEachOutput(const SluicePlanNode &node, unsigned char *frame,
                   Function &&function) {
  for (uint32_t i = 0; i < node.numOutputs; ++i)
    if (const SluicePlanOutput &output = node.outputs[i];
        output.frameOffset != SLUICE_NO_OFFSET)
      function(reinterpret_cast<char *>(frame + output.frameOffset),
               output.size);
}

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RUNNODES_H
