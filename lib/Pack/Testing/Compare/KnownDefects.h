//===- KnownDefects.h - Known differences of MPIs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each difference has a name. Types with different bounds are still compared.
// Types that an MPI cannot make or pack are left out, as long as a small
// example shows that the defect still exists.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_COMPARE_KNOWNDEFECTS_H
#define SLUICE_LIB_PACK_TESTING_COMPARE_KNOWNDEFECTS_H

#include "MPITypes.h"

#include <span>

/// A way in which an MPI's bounds differ from Sluice's.
struct KnownDifference {
  const char *name;
  bool (*explains)(const farc::Datatype &type, const BothBounds &theirs);
};

/// Types that an MPI handles incorrectly.
struct KnownDefect {
  const char *name;
  bool (*concerns)(const farc::Datatype &part);
  /// Whether a small example still fails.
  bool (*isThere)();
};

// For the MPI with which this program is linked.
const char *nameOfMPI();
std::span<const KnownDifference> knownDifferences();
std::span<const KnownDefect> knownDefects();
/// Whether the MPI cannot pack such a type in external32.
bool failsInExternal32(const farc::Datatype &type);

/// The MPIs disagree on the bounds of empty types: Open MPI may return the
/// largest integers as true bounds, MPICH forgets displacements.
inline bool hasNoBytes(const farc::Datatype &type, const BothBounds &) {
  return type.getSize() == 0;
}

/// Whether MPI_Pack returns other bytes for `count` instances than the type
/// map.
bool packsDifferently(const char *text, int64_t count);

#endif // SLUICE_LIB_PACK_TESTING_COMPARE_KNOWNDEFECTS_H
