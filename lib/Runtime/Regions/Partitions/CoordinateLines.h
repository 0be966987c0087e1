//===- CoordinateLines.h - Values along one coordinate --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A computed coordinate as the function of one coordinate, while the others
// stay: which values it has, and where it has them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_COORDINATELINES_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_COORDINATELINES_H

#include <cstdint>
#include <vector>

namespace sluice::regions {

using Wide = __int128;

/// Coordinates begin <= c < end.
struct CoordinateRange {
  int64_t begin, end;
};
/// Sorted, disjoint and not empty.
using CoordinateRanges = std::vector<CoordinateRange>;

/// Sorts and joins.
void tidy(CoordinateRanges &intervals);

/// `factor * x + rest`, divided and taken modulo, for one varying `x`.
struct CoordinateLine {
  int64_t factor;
  Wide rest;
  int64_t divisor, modulus;

  Wide quotient(int64_t x) const;
  Wide value(int64_t x) const;
  /// Those x in `range` for which the value is in `values`.
  void solve(CoordinateRange range, CoordinateRange values,
             CoordinateRanges &out) const;
  /// Those x in `range` for which the value may be in `values` if some number
  /// from `least` to `most` is added to the sum.
  void narrow(CoordinateRange range, CoordinateRange values, Wide least,
              Wide most, CoordinateRanges &out) const;
  /// The values in `values` for the x in `range`.
  CoordinateRanges valuesOf(CoordinateRange range,
                            CoordinateRange values) const;

private:
  CoordinateRange solveQuotient(CoordinateRange range, Wide low, Wide high,
                                Wide least = 0, Wide most = 0) const;
  void solvePeriods(CoordinateRange range, CoordinateRange values,
                    CoordinateRanges &out) const;
  void solveSteps(CoordinateRange range, CoordinateRange values, Wide whole,
                  CoordinateRanges &out) const;
  Wide period() const;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_COORDINATELINES_H
