//===- Decode.h - From an MPI datatype to a layout ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MPI datatype is unchanged; its layout is read with MPI_Type_get_envelope
// and MPI_Type_get_contents. So constructors need no wrappers, and types from
// any source work.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_DECODE_H
#define SLUICE_LIB_PACKMPI_TYPES_DECODE_H

#include "TypePacking.h"
#include "sluice/Pack/Form.h"

namespace sluice::mpi {

/// The layout of a datatype.
struct Decoded {
  /// The reason why there is none: a part of it is unknown, it is too large to
  /// be read, or size or bounds differ from those that MPI reports.
  Reason reason = Reason::None;
  pack::Layout layout;
  /// Whether its basic elements have several sizes, or a size that is not a
  /// power of two or exceeds 16 bytes.
  bool isMixed = false;
  /// See Packing.
  MPI_Datatype element = MPI_DATATYPE_NULL;
  int swapBytes = 0;
  bool hasPadding = false;
  /// Contains constructs that the MPIs are known to pack in a different order:
  /// empty members and negative extents.
  bool isSuspect = false;
  /// Contains constructs that ROMIO, which writes files for MPICH, reads from
  /// other positions or in another order: an explicit lower bound, or
  /// displacements that do not ascend.
  bool differsInFiles = false;
};
/// `type` must be valid during the call.
Decoded decode(MPI_Datatype type);

/// Whether decode takes about as long as packing once. For long lists it may
/// take a hundred times as long.
bool isQuickToDecode(MPI_Datatype type);

/// Whether the handle is one of MPI's predefined types; only those of
/// MPI_Type_create_f90 are missing. Does not query MPI, so the handle may be
/// invalid.
bool isPredefined(MPI_Datatype type);

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_DECODE_H
