//===- DecodeArrays.h - Subarray and darray to a normal form --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two constructors whose meaning is a loop over dimensions (MPI 3.1,
// sections 4.1.3 and 4.1.4).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_DECODEARRAYS_H
#define SLUICE_LIB_PACKMPI_TYPES_DECODEARRAYS_H

#include "sluice/Pack/Form.h"

#include <optional>
#include <vector>

namespace sluice::mpi {

/// The arguments of one of the two, as get_contents lists them.
struct ArrayArguments {
  bool isDarray;
  bool isFortranOrder;
  int64_t dimensions;
  /// Darray: number of processes and this one's rank.
  int64_t processes = 1, rank = 0;
  /// Subarray: sizes, subsizes, starts. Darray: sizes, distributions, their
  /// arguments, processes. `dimensions` of each.
  std::vector<std::vector<int64_t>> lists;
};

/// From the integers of get_contents, or `plain` integers and large counts if
/// the first are not empty. None if the lists have unexpected lengths.
std::optional<ArrayArguments>
arrayArguments(int combiner, const std::vector<int64_t> &plain,
               const std::vector<int64_t> &numbers);

/// The bytes of the array's part, whose elements are `element`.
pack::PlacedForm arrayForm(const ArrayArguments &arguments,
                           const pack::PlacedForm &element, int64_t extent);

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_DECODEARRAYS_H
