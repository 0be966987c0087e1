//===- Builtins.h - Copies and fills --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies of statements that need no user function.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_BUILTINS_H
#define SLUICE_RUNTIME_REGIONS_BUILTINS_H

#include "StatementGraph.h"

namespace sluice::regions {

/// Calls `function(begin, end)` for the linear positions of a domain, in
/// ascending order.
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
  for (int d = 0; d < domain.rank; ++d) {
    shape.extent[d] = domain.extent[d];
    box.lower[d] = domain.lower[d];
    box.upper[d] = domain.upper[d];
  }
  forEachRun(shape, box, function);
}

/// The offset of the element at a linear position, from the element with
/// coordinates 0. A span is contiguous.
inline int64_t indexOf(const SluiceDomain &domain, int64_t position) {
  if (domain.rank < 2 ||
      (domain.stride[0] == domain.extent[1] * domain.extent[2] &&
       (domain.rank < 3 || domain.stride[1] == domain.extent[2])))
    return position;
  Shape shape;
  shape.rank = domain.rank;
  std::copy_n(domain.extent, SLUICE_MAX_RANK, shape.extent);
  int64_t at[SLUICE_MAX_RANK], index = 0;
  shape.coordinates(position, at);
  for (int d = 0; d < domain.rank; ++d)
    index += at[d] * domain.stride[d];
  return index;
}

/// Makes `statement`, whose arguments are complete, copy its first argument to
/// its second, or fill its only argument with a value.
void makeCopy(Statement &statement);
void makeFill(Statement &statement, const void *value);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_BUILTINS_H
