//===- KnownDefects.h - Where an MPI differs from us, and why -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each difference has a name. Those of bounds are compared nevertheless; types
// that an MPI cannot make or pack are left out, as long as a small example
// shows that it is still so.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_COMPARE_KNOWNDEFECTS_H
#define SLUICE_LIB_PACK_TESTING_COMPARE_KNOWNDEFECTS_H

#include "MPITypes.h"

#include <span>

/// One way in which an MPI's bounds differ from ours.
struct KnownDifference {
  const char *name;
  bool (*explains)(const farc::Datatype &type, const BothBounds &theirs);
};

/// Types that an MPI gets wrong.
struct KnownDefect {
  const char *name;
  bool (*concerns)(const farc::Datatype &part);
  /// Whether a small example still goes wrong.
  bool (*isThere)();
};

// Of the MPI this program is linked with.
const char *nameOfMPI();
std::span<const KnownDifference> knownDifferences();
std::span<const KnownDefect> knownDefects();
/// Whether the MPI cannot pack such a type in external32.
bool failsInExternal32(const farc::Datatype &type);

/// The MPIs disagree on where nothing lies: Open MPI may give the largest
/// integers for true bounds, MPICH forgets displacements.
inline bool hasNoBytes(const farc::Datatype &type, const BothBounds &) {
  return type.getSize() == 0;
}

/// Whether MPI_Pack gives other bytes for `count` instances than the type map.
bool packsDifferently(const char *text, int64_t count);

#endif // SLUICE_LIB_PACK_TESTING_COMPARE_KNOWNDEFECTS_H
