//===- DecodeArrays.h - From subarray and darray to a normal form ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two constructors that are loops over dimensions (MPI 3.1, sections 4.1.3
// and 4.1.4).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_DECODEARRAYS_H
#define SLUICE_LIB_PACKMPI_TYPES_DECODEARRAYS_H

#include "sluice/Pack/Form.h"

#include <optional>
#include <vector>

namespace sluice::mpi {

/// The arguments of one of them, in the order of get_contents.
struct ArrayArguments {
  bool isDarray;
  bool isFortranOrder;
  int64_t dimensions;
  /// Darray: the number of processes, and the rank of this process.
  int64_t processes = 1, rank = 0;
  /// Subarray: sizes, subsizes, starts. Darray: sizes, distributions, their
  /// arguments, processes. Each list has `dimensions` entries.
  std::vector<std::vector<int64_t>> lists;
};

/// Constructs them from the integers of get_contents, or from the `plain`
/// integers and large counts if the former are not empty. None if the lists
/// have unexpected lengths.
std::optional<ArrayArguments>
arrayArguments(int combiner, const std::vector<int64_t> &plain,
               const std::vector<int64_t> &numbers);

/// The bytes of the array's part, whose elements are `element`.
pack::PlacedForm arrayForm(const ArrayArguments &arguments,
                           const pack::PlacedForm &element, int64_t extent);

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_DECODEARRAYS_H
