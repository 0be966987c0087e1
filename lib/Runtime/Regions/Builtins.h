//===- Builtins.h - Copies and fills --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies of statements that need no function of the user's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_BUILTINS_H
#define SLUICE_RUNTIME_REGIONS_BUILTINS_H

#include "Graph.h"

namespace sluice::regions {

/// Calls `function(begin, end)` for the linear positions of a domain,
/// ascending and apart.
template <typename Function>
void forEachSpan(const SluiceDomain &domain, Function &&function) {
  if (domain.runs) {
    for (int64_t i = 0; i < domain.numRuns; ++i)
      function(domain.runs[i].begin, domain.runs[i].end);
    return;
  }
  if (domain.count == 0)
    return;
  Shape shape;
  Box box;
  shape.rank = domain.rank;
  // The extents follow from the strides; the first one does not matter.
  for (int d = 0; d < domain.rank; ++d) {
    shape.extent[d] =
        d ? domain.stride[d - 1] / domain.stride[d] : domain.upper[0];
    box.lower[d] = domain.lower[d];
    box.upper[d] = domain.upper[d];
  }
  forEachRun(shape, box, function);
}

/// Makes `statement`, whose arguments are complete, copy the first one to the
/// second, or fill its only one with a value.
void makeCopy(Statement &statement);
void makeFill(Statement &statement, const void *value);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_BUILTINS_H
