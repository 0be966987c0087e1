//===- Stretches.h - Consecutive runs of equal length ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct of lists becomes one list of runs. If the runs of one of those lists
// are consecutive, they are copied faster as blocks of one size.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_STRETCHES_H
#define SLUICE_LIB_PACK_KERNELS_STRETCHES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::pack::kernels {

/// Entries [begin, end) of a list of runs. Their lengths are mostly `unit`, and
/// small multiples of it where neighbours were joined; 0: any lengths.
struct Stretch {
  size_t begin;
  size_t end;
  int64_t unit;
};

/// Divides the whole list into stretches; joins those that are too short to
/// matter.
std::vector<Stretch> stretchesOf(const std::vector<int64_t> &lengths);

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_STRETCHES_H
