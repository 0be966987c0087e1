//===- WireTypes.h - Replacements of a user's buffer for MPI --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed bytes, and the type that describes them to MPI. Short and very
// long messages are plain bytes. For sizes in between, both MPI libraries copy
// contiguous buffers between processes with system calls. On one node this is
// slower than the copies through shared memory that they use for derived types.
// So a receive of such a size is described by a type with a gap before its last
// bytes: the message then takes the faster path, and the gap is closed
// afterwards:
//
//     bytes of the message         gap   last bytes
//     [........................]  [   ] [..]
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_WIRETYPES_H
#define SLUICE_LIB_PACKMPI_REQUESTS_WIRETYPES_H

#include "../Library/StagingBuffer.h"
#include "Policy.h"

#include <limits>

namespace sluice::mpi {

/// Size of the gap, and of the bytes after it.
inline constexpr int64_t gapBytes = 64;

/// Whether a receive of this many bytes should have a gap.
bool wantsGap(int64_t bytes);

/// A committed type of `bytes` bytes with the gap. If `isOwned`, the caller
/// must free it. MPI_DATATYPE_NULL if it cannot be made.
MPI_Datatype gapType(int64_t bytes, bool &isOwned);
void freeGapTypes();

/// Moves the last of `received` bytes next to the others, after a receive of at
/// most `capacity` bytes.
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

  /// Allocates the packed bytes; if this fails, the call stays with MPI.
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
    staging = StagingBuffer::of(taken.bytes + gapBytes);
    return bool(staging);
  }

  StagingBuffer staging;
  Count count = 0;
  MPI_Datatype type = MPI_PACKED;
  bool hasGap = false;

private:
  bool ownsType = false;
};

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_WIRETYPES_H
