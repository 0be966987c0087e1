//===- Policy.h - Which calls are taken over ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that decides. Packing is always ours once a layout is known. A
// transfer is ours only where packing first wins over the MPI library, which
// overlaps its own packing with the transfer; see docs/pack-mpi.md for the
// measurements behind the bounds.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_POLICY_H
#define SLUICE_LIB_PACKMPI_REQUESTS_POLICY_H

#include "../Types/Types.h"

namespace sluice::mpi {

/// Transfer is a send or a side of a collective, which may pass on what it
/// receives; Receive is a message's.
enum class Use : uint8_t { Pack, Transfer, Receive };

/// A type whose use is taken over, with its layout; empty if the call is left
/// to MPI. Keeps the type alive.
struct Taken {
  TypeRef type;
  const Packing *packing = nullptr;
  /// Packed bytes of the call.
  int64_t bytes = 0;
  explicit operator bool() const { return packing; }
};

/// Decides about `count` instances at `buffer`. Arguments that MPI must refuse
/// are left to it.
Taken decide(Use use, const void *buffer, int64_t count, MPI_Datatype type);

/// The same for a transfer with `peer`, if that is a rank.
inline Taken decideTransfer(Use use, const void *buffer, int64_t count,
                            MPI_Datatype type, int peer) {
  return peer == MPI_PROC_NULL ? Taken() : decide(use, buffer, count, type);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_POLICY_H
