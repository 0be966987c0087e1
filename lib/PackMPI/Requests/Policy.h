//===- Policy.h - Deciding which calls to handle --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides, for all calls, what Sluice handles. Packing is always handled once a
// layout is known. A transfer is handled only if packing first is faster than
// the MPI library, which overlaps its own packing with the transfer;
// docs/pack-mpi.md contains the measurements behind the limits.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_POLICY_H
#define SLUICE_LIB_PACKMPI_REQUESTS_POLICY_H

#include "../Types/Types.h"

namespace sluice::mpi {

/// Transfer: a send, or a side of a collective, which may forward the bytes it
/// receives. Receive: the receive of one message. File: a read or write of one.
/// Put, Get, Accumulate: from or to a window.
enum class BufferUse : uint8_t {
  Pack,
  Transfer,
  Receive,
  File,
  Put,
  Get,
  Accumulate
};

/// A type that Sluice handles, with its layout; empty if the call stays with
/// MPI. Keeps the type alive.
struct Taken {
  TypeRef type;
  const Packing *packing = nullptr;
  /// Packed bytes of the call.
  int64_t bytes = 0;
  explicit operator bool() const { return packing; }
};

/// Decides for `count` instances at `buffer`. Calls with invalid arguments stay
/// with MPI, which reports the error.
Taken decide(BufferUse use, const void *buffer, int64_t count,
             MPI_Datatype type);

/// The same for a transfer with `peer`, if that is a rank.
inline Taken decideTransfer(BufferUse use, const void *buffer, int64_t count,
                            MPI_Datatype type, int peer) {
  return peer == MPI_PROC_NULL ? Taken() : decide(use, buffer, count, type);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_POLICY_H
