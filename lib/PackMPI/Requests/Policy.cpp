//===- Policy.cpp - Deciding which calls to handle ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the checks ensures that calls that stay with MPI return after
// one lookup.
//
//===----------------------------------------------------------------------===//

#include "Policy.h"
#include "../Library/InterposerSettings.h"
#include "Statistics.h"

#include <algorithm>
#include <cstdlib>

using namespace sluice::mpi;

namespace {
/// The mean run lengths, in bytes, up to which packing first is faster than
/// MPI.
struct PolicyBounds {
  /// Messages below this size are sent eagerly.
  int64_t eagerBytes;
  /// The minimum number of runs: with fewer, the calls of the packer cost more
  /// than they save.
  int64_t minRuns;
  double eagerRun, regularRun, sparseRun, irregularRun;
  /// For data written to or read from files.
  double fileRun;
  /// For data from and to windows; 0: never.
  double putRun, getRun, accumulateRun;
};
#ifdef OPEN_MPI
constexpr PolicyBounds bounds = {4000, 40, 32, 64, 8, 128, 128, 16, 16, 64};
#else
constexpr PolicyBounds bounds = {
    (16 << 10) + 1, 0, 1024, 128, 0, 128, 16, 64, 128, 0};
#endif
} // namespace

/// Bytes from the first to the last one used.
static int64_t spanOf(const Packing &packing, int64_t count) {
  return packing.span + (count - 1) * std::abs(packing.extent);
}

/// MPICH reports messages as truncated if they were sent as bytes and arrive in
/// fragments that end inside a basic element of the receiver's type. The
/// receiver may be a rank without the interposer, or use a type or a call that
/// stays with MPI. So such messages are never sent as bytes.
static bool mustNotBeSent(const Packing &packing, int64_t bytes) {
#ifdef OPEN_MPI
  return false;
#else
  // Fragments are 8 KiB in shared memory, and less on some networks.
  constexpr int64_t minFragment = 1024;
  return packing.isMixed && bytes > minFragment;
#endif
}

/// Whether packing first and sending bytes is faster than the MPI library. For
/// regular layouts that use few bytes of each cache line both are limited by
/// memory.
static bool winsTransfer(const Packing &packing, int64_t count, int64_t bytes) {
  if (double(bytes) < double(bounds.minRuns) * packing.meanRun)
    return false;
  if (bytes < bounds.eagerBytes)
    return packing.meanRun <=
           std::max(bounds.eagerRun,
                    packing.isRegular ? 0 : bounds.irregularRun);
  if (!packing.isRegular)
    return packing.meanRun <= bounds.irregularRun;
  constexpr int64_t minDensity = 8;
  bool isSparse = bytes < spanOf(packing, count) / minDensity;
  return packing.meanRun <= (isSparse ? bounds.sparseRun : bounds.regularRun);
}

/// The same for all uses; see Use.
static bool isBetter(BufferUse use, const Packing &packing, int64_t count,
                     int64_t bytes) {
  const bool hasFewRuns =
      double(bytes) < double(bounds.minRuns) * packing.meanRun;
  switch (use) {
  case BufferUse::Pack:
    return true;
  case BufferUse::File:
    return packing.meanRun <= bounds.fileRun;
  case BufferUse::Put:
    return !hasFewRuns && packing.meanRun <= bounds.putRun;
  case BufferUse::Get:
    return !hasFewRuns && packing.meanRun <= bounds.getRun;
  case BufferUse::Accumulate:
    return !hasFewRuns && packing.meanRun <= bounds.accumulateRun;
  case BufferUse::Transfer:
  case BufferUse::Receive:
    break;
  }
  return winsTransfer(packing, count, bytes);
}

/// True for an address that cannot hold data; MPI reports the error.
static bool isNoAddress(const void *buffer, const Packing &packing) {
  return !buffer && packing.lowest >= -4096 && packing.lowest < 4096;
}

/// MPICH 4.0's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM as a null pointer,
/// although the type's displacements are addresses. So Sluice always packs
/// these.
static bool isPackedFromBottom(BufferUse use, const void *buffer) {
  return use == BufferUse::Pack && buffer == MPI_BOTTOM;
}

/// Whether ROMIO, which writes files for MPICH, may use other bytes.
static bool differsInFiles(const Packing &packing, int64_t count) {
  return packing.differsInFiles || (count > 1 && packing.extent < packing.span);
}

Taken sluice::mpi::decide(BufferUse use, const void *buffer, int64_t count,
                          MPI_Datatype type) {
  if (count <= 0)
    return {};
  const TypeRef *found = findType(type);
  if (!found)
    return {};
  Mode mode = settings().mode;
  if (mode == Mode::Pack && use != BufferUse::Pack)
    return {};
  if (mode == Mode::Auto && !(*found)->isWorthReading(type, count) &&
      !isPackedFromBottom(use, buffer))
    return {};
  const Packing *packing = (*found)->packing(type);
  Taken taken;
  if (!packing || __builtin_mul_overflow(packing->size, count, &taken.bytes) ||
      isNoAddress(buffer, *packing))
    return {};
  if (use != BufferUse::Pack && use != BufferUse::Receive &&
      use != BufferUse::File && mustNotBeSent(*packing, taken.bytes))
    return {};
  // Some uses of a file are left to MPI before the layout is known.
  if (mode == Mode::Auto && use == BufferUse::File &&
      differsInFiles(*packing, count))
    return {};
  if (mode == Mode::Auto && !isBetter(use, *packing, count, taken.bytes))
    return {};
  taken.type = *found;
  taken.packing = packing;
  if (isCounting())
    measure(*taken.type, type);
  return taken;
}
