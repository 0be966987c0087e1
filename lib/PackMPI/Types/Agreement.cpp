//===- Agreement.cpp - Comparing packing with the MPI library -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout's bytes are numbered by position, so that a byte from a wrong
// position is detected. A faulty library may read outside of the layout.
//
//===----------------------------------------------------------------------===//

#include "Agreement.h"
#include "../Library/Scratch.h"
#include "../Library/StagingBuffer.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

using namespace sluice::mpi;

/// Number of compared instances: the second one shows the extent.
static constexpr int instances = 2;
/// Layouts with at most this span are always compared: this takes a microsecond
/// or two in addition to reading the layout.
static constexpr int64_t smallSpan = 8 << 10;
/// Layouts that would access more are not compared.
static constexpr int64_t mostTouched = 64 << 20;

bool sluice::mpi::hasWorld() {
  int isInitialized = 0, isFinalized = 0;
  return PMPI_Initialized(&isInitialized) == MPI_SUCCESS && isInitialized &&
         PMPI_Finalized(&isFinalized) == MPI_SUCCESS && !isFinalized;
}

/// Packs both ways from `base`. MPICH omits the padding bytes of a long double,
/// so bytes that it does not write count as equal.
static bool packsAlikeFrom(char *base, MPI_Datatype type,
                           const Packing &packing) {
  const int64_t bytes = instances * packing.size;
  StagingBuffer ours = StagingBuffer::of(bytes),
                theirs = StagingBuffer::of(bytes);
  if (!ours || !theirs)
    return false;
  // Different numbers each time, because buffers still contain the last ones.
  static constinit std::atomic<uint64_t> next = 0;
  uint64_t number = next.fetch_add(0x9e3779b97f4a7c15u) | 1;
  for (int64_t i = 0; i < bytes; i += int64_t(sizeof number)) {
    number ^= number << 13, number ^= number >> 7, number ^= number << 17;
    std::memcpy(ours.data() + i, &number,
                size_t(std::min<int64_t>(sizeof number, bytes - i)));
  }
  packing.packer->unpack(ours.data(), base, instances);
  packing.packer->pack(base, instances, ours.data());
  if (packing.hasPadding)
    std::memcpy(theirs.data(), ours.data(), size_t(bytes));
  int position = 0;
  return native::Pack(base, instances, type, theirs.data(), int(bytes),
                      &position, MPI_COMM_SELF) == MPI_SUCCESS &&
         position == bytes &&
         std::memcmp(ours.data(), theirs.data(), size_t(bytes)) == 0;
}

bool sluice::mpi::packsAlike(MPI_Datatype type, const Packing &packing,
                             bool isSuspect) {
  int64_t span, all;
  const int64_t reach = packing.extent; // of the second instance
  if (reach == INT64_MIN ||
      __builtin_add_overflow(packing.span, std::abs(reach), &span) ||
      __builtin_mul_overflow(span, 4, &all) ||
      __builtin_add_overflow(all, 2 * scratchPage, &all))
    return !isSuspect;
  if (span > smallSpan && !isSuspect)
    return true;
  const double touched =
      double(packing.size) *
      (1 + double(scratchPage) / std::max(1.0, packing.meanRun));
  if (!hasWorld() || packing.size > mostTouched ||
      std::min(double(span), instances * touched) > double(mostTouched))
    return !isSuspect;
  // Room on both sides, and the layout in the middle.
  const int64_t low = packing.lowest + std::min<int64_t>(0, reach);
  const uintptr_t begin = uintptr_t(all - span) / 2 & ~uintptr_t(63);
  if (span <= smallSpan) {
    StagingBuffer memory = StagingBuffer::of(all);
    if (!memory)
      return !isSuspect;
    auto address = reinterpret_cast<uintptr_t>(memory.data()) + begin;
    return packsAlikeFrom(reinterpret_cast<char *>(address - uintptr_t(low)),
                          type, packing);
  }
  Scratch memory(all);
  return memory &&
         packsAlikeFrom(reinterpret_cast<char *>(memory.address() + begin -
                                                 uintptr_t(low)),
                        type, packing);
}
