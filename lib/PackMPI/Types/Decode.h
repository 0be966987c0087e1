//===- Decode.h - From an MPI datatype to a layout ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MPI datatype stays as it is; its layout is read by MPI_Type_get_envelope
// and MPI_Type_get_contents. So constructors need no wrappers, and types from
// any source work.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_DECODE_H
#define SLUICE_LIB_PACKMPI_TYPES_DECODE_H

#include "../Library/Native.h"
#include "sluice/Pack/Form.h"

#include <optional>

namespace sluice::mpi {

/// The layout of a datatype. None if a part of it is unknown, or if size or
/// bounds differ from those that MPI reports; then the type stays with MPI.
/// `type` must be valid during the call.
struct Decoded {
  pack::Layout layout;
  /// Whether its basic elements are of several sizes, or of one that is no
  /// power of two or more than 16 bytes.
  bool isMixed;
  /// See Packing.
  MPI_Datatype element;
  int swapBytes;
};
std::optional<Decoded> decode(MPI_Datatype type);

/// Whether decode takes about as long as packing once. For long lists it may
/// take a hundred times as long.
bool isQuickToDecode(MPI_Datatype type);

/// Whether the type was not built by the program: its combiner is NAMED or one
/// of the F90 ones.
bool isNamed(MPI_Datatype type);

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_DECODE_H
