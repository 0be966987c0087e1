//===- Decode.h - From an MPI datatype to a layout ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real datatype is kept, and its layout is read back with envelope and
// contents, so constructors need no wrappers and every type works, whoever made
// it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_DECODE_H
#define SLUICE_LIB_PACKMPI_TYPES_DECODE_H

#include "../Library/Native.h"
#include "sluice/Pack/Form.h"

#include <optional>

namespace sluice::mpi {

/// The layout of a datatype. None if it is built from
/// something unknown, or if size and bounds differ from what MPI says: then the
/// type is left to MPI. `type` must live during the call.
struct Decoded {
  pack::Layout layout;
  /// Whether its basic elements are of several sizes, or of one that is no
  /// power of two or more than 16 bytes.
  bool isMixed;
};
std::optional<Decoded> decode(MPI_Datatype type);

/// Whether decode takes about as long as packing once. Long lists take up to a
/// hundred times as long.
bool isQuickToDecode(MPI_Datatype type);

/// Whether the type was not built by the program: its combiner is NAMED or one
/// of the F90 ones.
bool isNamed(MPI_Datatype type);

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_DECODE_H
