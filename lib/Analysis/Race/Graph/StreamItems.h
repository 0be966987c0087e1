//===- StreamItems.h - Items of a stream that share memory ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If items of a stream use the same memory and one of them writes it, they pass
// the nodes that use it in push order: this is correct, but without overlap. It
// corresponds to the order between two runs of the root's graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_STREAMITEMS_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_STREAMITEMS_H

#include "GraphRegions.h"

namespace sluice::races {

/// True if a bind of the root streams.
bool isStreaming(dfg::GraphOp root);

/// Finds the conflicts between an item and the next one.
regions::RepeatCheck checkItems(const GraphRegions &regions);

/// Describes the stages that process items one after the other because of
/// `object`.
SerialStages describeStages(const GraphRegions &regions,
                            const PlacedAccesses &accesses, uint32_t object);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_STREAMITEMS_H
