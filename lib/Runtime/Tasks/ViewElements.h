//===- ViewElements.h - The elements of a part ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and copies of parts of datasets visit the same elements in the same
// order.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_VIEWELEMENTS_H
#define SLUICE_RUNTIME_TASKS_VIEWELEMENTS_H

#include "sluice-c/TaskProgram.h"

#include <vector>

namespace sluice::tasks {

/// Calls `visit` with the position of each element of a part in its dataset, in
/// row-major order.
template <typename Function>
void forEachElement(const SluiceTaskView &view, Function visit) {
  for (uint32_t d = 0; d < view.rank; ++d)
    if (view.shape[d] <= 0)
      return;
  std::vector<int64_t> index(view.rank);
  int64_t position = view.offset;
  for (;;) {
    visit(static_cast<uint64_t>(position));
    uint32_t d = view.rank;
    while (d-- > 0) {
      position += view.strides[d];
      if (++index[d] < view.shape[d])
        break;
      position -= index[d] * view.strides[d];
      index[d] = 0;
    }
    if (d == UINT32_MAX)
      return;
  }
}

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_VIEWELEMENTS_H
