//===- Packing.h - A layout as the interposer packs it --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the decision about a call needs to know of a type's layout, or why the
// type stays with MPI.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_PACKING_H
#define SLUICE_LIB_PACKMPI_TYPES_PACKING_H

#include "../Library/Native.h"
#include "sluice/Pack/Packer.h"

#include <memory>

namespace sluice::mpi {

/// The layout of a committed type, once it has been read.
struct Packing {
  std::shared_ptr<pack::Packer> packer;
  int64_t size = 0;
  int64_t extent = 0;
  /// First touched byte, from the buffer's address.
  int64_t lowest = 0;
  /// Bytes from there to the last touched one of an instance.
  int64_t span = 0;
  /// Mean length of the runs of consecutive bytes.
  double meanRun = 0;
  /// The same distances throughout: loops of constant stride, no lists.
  bool isRegular = false;
  /// Basic elements of several sizes, or of one that is no power of two or
  /// more than 16 bytes.
  bool isMixed = false;
  /// The type of all basic elements, which is named and has no gaps;
  /// MPI_DATATYPE_NULL if there are several.
  MPI_Datatype element = MPI_DATATYPE_NULL;
  /// Bytes of the numbers that `external32` has in the other order, and all
  /// basic elements consist of; 0: there are several, or it has other sizes.
  int swapBytes = 0;
  /// Elements that have bytes without meaning, which MPICH leaves out.
  bool hasPadding = false;
  /// MPI's files may take other bytes than MPI_Pack; see Decoded.
  bool differsInFiles = false;
};

/// Why a layout that was used stayed with MPI.
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

#endif // SLUICE_LIB_PACKMPI_TYPES_PACKING_H
