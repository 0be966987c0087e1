//===- Reduction.h - Edges that others imply ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of tasks is found pair by pair. The runtime counts predecessors, so
// fewer edges are less work for the same order.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_REDUCTION_H
#define SLUICE_LIB_ANALYSIS_TASKS_REDUCTION_H

#include <vector>

namespace sluice {

/// Removes from the predecessors of each task, which are ascending and smaller
/// than the task, those that come before another one of them. The result is the
/// unique minimal order with the same closure.
void reduceTransitively(std::vector<std::vector<unsigned>> &predecessors);

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_REDUCTION_H
