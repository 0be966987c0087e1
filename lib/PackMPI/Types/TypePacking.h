//===- TypePacking.h - A layout in the form for the interposer ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of a type's layout that decisions about calls need, or the
// reason why the type stays with MPI.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_TYPEPACKING_H
#define SLUICE_LIB_PACKMPI_TYPES_TYPEPACKING_H

#include "../Library/Native.h"
#include "sluice/Pack/Packer.h"

#include <memory>

namespace sluice::mpi {

/// The layout of a committed type, after it has been read.
struct Packing {
  std::shared_ptr<pack::Packer> packer;
  int64_t size = 0;
  int64_t extent = 0;
  /// First used byte, relative to the buffer's address.
  int64_t lowest = 0;
  /// Number of bytes from there to the last used byte of an instance.
  int64_t span = 0;
  /// Mean length of the runs of consecutive bytes.
  double meanRun = 0;
  /// Equal distances throughout: loops of constant stride, no lists.
  bool isRegular = false;
  /// Basic elements have several sizes, or a size that is not a power of two or
  /// exceeds 16 bytes.
  bool isMixed = false;
  /// The type of all basic elements, which is a named type without gaps;
  /// MPI_DATATYPE_NULL if there are several.
  MPI_Datatype element = MPI_DATATYPE_NULL;
  /// Size of the numbers that `external32` stores with reversed bytes, if all
  /// basic elements consist of them; 0: there are several sizes, or external32
  /// has other ones.
  int swapBytes = 0;
  /// Elements have padding bytes, which MPICH omits.
  bool hasPadding = false;
  /// MPI's files may take other bytes than MPI_Pack; see Decoded.
  bool differsInFiles = false;
};

/// The reason why a used layout stayed with MPI.
enum class Reason : uint8_t {
  None,
  Seldom,
  AsFast,
  NoGaps,
  Unreadable,
  TooLarge,
  OtherOrder,
  OtherBounds,
  NumberOfReasons
};

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_TYPEPACKING_H
