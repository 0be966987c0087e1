//===- Wire.h - What MPI is given in place of a user's buffer -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed bytes and how to describe them. Short messages, and very long ones,
// are plain bytes. In between both libraries move contiguous buffers with
// system calls that copy from process to process, which on one node cost more
// than the copies through shared memory that derived types take. There a
// receive is described with a gap before its last bytes; it arrives by the way
// a derived type would have taken, and the gap is closed afterwards:
//
//     bytes of the message         gap   last bytes
//     [........................]  [   ] [..]
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_WIRE_H
#define SLUICE_LIB_PACKMPI_REQUESTS_WIRE_H

#include "../Library/Staging.h"
#include "Policy.h"

#include <limits>

namespace sluice::mpi {

/// Bytes of the gap, and of what follows it.
inline constexpr int64_t gapBytes = 64;

/// Whether a receive of so many bytes should have a gap.
bool wantsGap(int64_t bytes);

/// A committed type of `bytes` bytes with the gap. `isOwned` if it is the
/// caller's to free. MPI_DATATYPE_NULL if there is none.
MPI_Datatype gapType(int64_t bytes, bool &isOwned);
void freeGapTypes();

/// Moves the last of `received` bytes next to the others, where `capacity`
/// bytes could have come.
void closeGap(char *data, int64_t capacity, int64_t received);

template <typename Count> class Wire {
public:
  Wire() = default;
  Wire(const Wire &) = delete;
  Wire &operator=(const Wire &) = delete;
  ~Wire() {
    if (ownsType)
      native::Type_free(&type);
  }

  /// Room for the packed bytes; false leaves the call to MPI.
  bool prepare(const Taken &taken, Count instances, bool isReceive) {
    count = Count(taken.bytes);
    if (isReceive && wantsGap(taken.bytes)) {
      type = gapType(taken.bytes, ownsType);
      hasGap = type != MPI_DATATYPE_NULL;
      count = hasGap ? 1 : count;
      type = hasGap ? type : MPI_PACKED;
    } else if (taken.bytes > std::numeric_limits<Count>::max()) {
      count = instances;
      type = imageType(taken.packing->size);
    }
    if (type == MPI_DATATYPE_NULL)
      return false;
    staging = Staging::of(taken.bytes + gapBytes);
    return bool(staging);
  }

  Staging staging;
  Count count = 0;
  MPI_Datatype type = MPI_PACKED;
  bool hasGap = false;

private:
  bool ownsType = false;
};

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_WIRE_H
