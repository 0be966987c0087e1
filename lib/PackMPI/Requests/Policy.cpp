//===- Policy.cpp - Which calls are taken over ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered so that the calls we leave alone return after one lookup.
//
//===----------------------------------------------------------------------===//

#include "Policy.h"
#include "../Library/Settings.h"
#include "Statistics.h"

#include <algorithm>
#include <cstdlib>

using namespace sluice::mpi;

namespace {
/// Where packing first wins: mean runs up to so many bytes.
struct Bounds {
  /// Messages below this size are sent eagerly.
  int64_t eagerBytes;
  /// Messages of fewer runs are as fast by MPI: the calls cost more.
  int64_t leastRuns;
  double eagerRun, regularRun, sparseRun, irregularRun;
};
#ifdef OPEN_MPI
constexpr Bounds bounds = {4000, 40, 32, 64, 8, 128};
#else
constexpr Bounds bounds = {16 << 10, 0, 1024, 128, 0, 128};
#endif
} // namespace

/// Bytes from the first to the last one touched.
static int64_t spanOf(const Packing &packing, int64_t count) {
  return packing.span + (count - 1) * std::abs(packing.extent);
}

/// MPICH reports longer messages as truncated when they were sent as bytes and
/// arrive in fragments that end inside a basic element of the receiver's type.
/// The receiver may be a rank that is not interposed, or use a type or a call
/// that is left to MPI, so such bytes are never sent.
static bool mustNotBeSent(const Packing &packing, int64_t bytes) {
#ifdef OPEN_MPI
  return false;
#else
  // Fragments are 8 KiB in shared memory, and less on some networks.
  constexpr int64_t smallestFragment = 1024;
  return packing.isMixed && bytes > smallestFragment;
#endif
}

/// Whether packing first and sending bytes beats the MPI library. Regular
/// layouts that use few bytes of each cache line wait for memory either way.
static bool winsTransfer(const Packing &packing, int64_t count, int64_t bytes) {
  if (double(bytes) < double(bounds.leastRuns) * packing.meanRun)
    return false;
  if (bytes < bounds.eagerBytes)
    return packing.meanRun <=
           std::max(bounds.eagerRun,
                    packing.isRegular ? 0 : bounds.irregularRun);
  if (!packing.isRegular)
    return packing.meanRun <= bounds.irregularRun;
  constexpr int64_t leastDensity = 8;
  bool isSparse = bytes < spanOf(packing, count) / leastDensity;
  return packing.meanRun <= (isSparse ? bounds.sparseRun : bounds.regularRun);
}

/// An address at which no data can be: MPI knows the error to give.
static bool isNoAddress(const void *buffer, const Packing &packing) {
  return !buffer && packing.lowest >= -4096 && packing.lowest < 4096;
}

/// MPICH 4.0's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM as a null pointer,
/// though the type's displacements are addresses. Better to serve it always.
static bool isPackedFromBottom(Use use, const void *buffer) {
  return use == Use::Pack && buffer == MPI_BOTTOM;
}

Taken sluice::mpi::decide(Use use, const void *buffer, int64_t count,
                          MPI_Datatype type) {
  if (count <= 0)
    return {};
  const TypeRef *found = findType(type);
  if (!found)
    return {};
  Mode mode = settings().mode;
  if (mode == Mode::Pack && use != Use::Pack)
    return {};
  if (mode == Mode::Auto && !(*found)->isWorthReading(type, count) &&
      !isPackedFromBottom(use, buffer))
    return {};
  const Packing *packing = (*found)->packing(type);
  Taken taken;
  if (!packing || __builtin_mul_overflow(packing->size, count, &taken.bytes) ||
      isNoAddress(buffer, *packing))
    return {};
  if (use == Use::Transfer && mustNotBeSent(*packing, taken.bytes))
    return {};
  if (mode == Mode::Auto && use != Use::Pack &&
      !winsTransfer(*packing, count, taken.bytes))
    return {};
  taken.type = *found;
  taken.packing = packing;
  if (isCounting())
    measure(*taken.type, type);
  return taken;
}
