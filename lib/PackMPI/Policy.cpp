//===- Policy.cpp - Which calls are taken over ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered so that the calls we leave alone return after one lookup.
//
//===----------------------------------------------------------------------===//

#include "Policy.h"
#include "Settings.h"
#include "Statistics.h"

using namespace sluice::mpi;

/// Whether packing first and sending bytes beats the MPI library.
static bool winsTransfer(const Packing &packing, int64_t bytes) {
#ifdef OPEN_MPI
  constexpr double regularRun = 64, irregularRun = 128;
#else
  constexpr double regularRun = 64, irregularRun = 128;
#endif
  return packing.meanRun <= (packing.isRegular ? regularRun : irregularRun);
}

/// An address at which no data can be: MPI knows the error to give.
static bool isNoAddress(const void *buffer, const Packing &packing) {
  return !buffer && packing.lowest >= -4096 && packing.lowest < 4096;
}

Taken sluice::mpi::decide(Use use, const void *buffer, int64_t count,
                          MPI_Datatype type) {
  if (count <= 0)
    return {};
  const TypeRef *found = findType(type);
  if (!found)
    return {};
  Mode mode = settings().mode;
  if (mode == Mode::Pack && use == Use::Transfer)
    return {};
  if (mode == Mode::Auto && !(*found)->isWorthReading(type, count))
    return {};
  const Packing *packing = (*found)->packing(type);
  Taken taken;
  if (!packing || __builtin_mul_overflow(packing->size, count, &taken.bytes) ||
      isNoAddress(buffer, *packing))
    return {};
  if (mode == Mode::Auto && use == Use::Transfer &&
      !winsTransfer(*packing, taken.bytes))
    return {};
  taken.type = *found;
  taken.packing = packing;
  if (isCounting())
    measure(*taken.type, type);
  return taken;
}
