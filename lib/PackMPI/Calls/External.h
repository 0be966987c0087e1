//===- External.h - Packing in the portable format ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `external32`, most types contain the same numbers with reversed bytes:
// these are packed and then reversed. Types with elements of several sizes, or
// with other sizes in external32, are left to MPI.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_EXTERNAL_H
#define SLUICE_LIB_PACKMPI_CALLS_EXTERNAL_H

#include "Life.h"

#include <algorithm>
#include <cstring>

namespace sluice::mpi {

template <typename Number, typename Swap>
void swapNumbers(const char *from, char *to, int64_t bytes, Swap &&swap) {
  for (int64_t i = 0; i + int64_t(sizeof(Number)) <= bytes;
       i += sizeof(Number)) {
    Number number;
    std::memcpy(&number, from + i, sizeof number);
    number = swap(number);
    std::memcpy(to + i, &number, sizeof number);
  }
}

/// Copies numbers of `each` bytes with reversed bytes; `to` may equal `from`.
inline void copySwapped(const char *from, char *to, int64_t bytes, int each) {
  if constexpr (std::endian::native == std::endian::big)
    each = 1;
  switch (each) {
  case 2:
    return swapNumbers<uint16_t>(from, to, bytes,
                                 [](auto n) { return __builtin_bswap16(n); });
  case 4:
    return swapNumbers<uint32_t>(from, to, bytes,
                                 [](auto n) { return __builtin_bswap32(n); });
  case 8:
    return swapNumbers<uint64_t>(from, to, bytes,
                                 [](auto n) { return __builtin_bswap64(n); });
  default:
    if (from != to)
      std::memcpy(to, from, size_t(bytes));
  }
}

/// Decides whether to handle a call in the format `representation`.
inline Taken decideExternal(const char *representation, const void *buffer,
                            int64_t count, MPI_Datatype type) {
  if (!representation || std::strcmp(representation, "external32") != 0)
    return {};
  Taken taken = decide(BufferUse::Pack, buffer, count, type);
  return taken && taken.packing->swapBytes ? taken : Taken();
}

template <auto &Native, Call Id, typename Count, typename Place>
int packExternal(const char *representation, const void *in, Count count,
                 MPI_Datatype type, void *out, Place size, Place *position) {
  Taken taken = decideExternal(representation, in, count, type);
  if (!taken || !out || !hasRoom(size, position, taken.bytes))
    return Native(representation, in, count, type, out, size, position);
  char *to = static_cast<char *>(out) + *position;
  taken.packing->packer->pack(in, count, to);
  copySwapped(to, to, taken.bytes, taken.packing->swapBytes);
  *position += Place(taken.bytes);
  noteUse(Id, *taken.type, taken.bytes);
  return MPI_SUCCESS;
}

template <auto &Native, Call Id, typename Count, typename Place>
int unpackExternal(const char *representation, const void *in, Place size,
                   Place *position, void *out, Count count, MPI_Datatype type) {
  Taken taken = decideExternal(representation, out, count, type);
  StagingBuffer turned;
  if (taken && in && hasRoom(size, position, taken.bytes))
    turned = StagingBuffer::of(taken.bytes);
  if (!turned)
    return Native(representation, in, size, position, out, count, type);
  copySwapped(static_cast<const char *>(in) + *position, turned.data(),
              taken.bytes, taken.packing->swapBytes);
  taken.packing->packer->unpack(turned.data(), out, count);
  *position += Place(taken.bytes);
  noteUse(Id, *taken.type, taken.bytes);
  return MPI_SUCCESS;
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_EXTERNAL_H
