//===- StableSort.h - Sorting that keeps the order of equal elements ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces std::stable_sort, which uses a deprecated function in libstdc++ 12;
// clang 22 warns about it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_STABLESORT_H
#define SLUICE_BASE_STABLESORT_H

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace sluice {

/// Sorts `elements` by `isLess`, a strict weak order. Equivalent elements keep
/// their order.
template <typename Vector, typename Less>
void stableSort(Vector &elements, Less isLess) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (isLess(elements[a], elements[b]))
      return true;
    return a < b && !isLess(elements[b], elements[a]);
  });
  Vector sorted;
  sorted.reserve(elements.size());
  for (std::size_t place : order)
    sorted.push_back(std::move(elements[place]));
  elements = std::move(sorted);
}

} // namespace sluice

#endif // SLUICE_BASE_STABLESORT_H
