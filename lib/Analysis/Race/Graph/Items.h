//===- Items.h - Items of a stream over one memory --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items of a stream that use the same memory, one of them writing, pass the
// nodes that use it in push order: correct, but without overlap. That is the
// order between two runs of the root's graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_GRAPH_ITEMS_H
#define SLUICE_LIB_ANALYSIS_RACE_GRAPH_ITEMS_H

#include "GraphRegions.h"

namespace sluice::races {

/// True if a bind of the root streams.
bool isStreaming(dfg::GraphOp root);

/// What is between an item and the next one.
regions::RepeatCheck checkItems(const GraphRegions &regions);

/// The stages that the items pass one after the other because of `object`.
SerialStages describeStages(const GraphRegions &regions,
                            const PlacedAccesses &accesses, uint32_t object);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_GRAPH_ITEMS_H
