//===- MPITypes.h - MPI types equal to Sluice's types ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the MPI's constructors with envelope and contents of a Sluice type, so
// that both libraries can be compared on the same type.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_COMPARE_MPITYPES_H
#define SLUICE_LIB_PACK_TESTING_COMPARE_MPITYPES_H

#include "sluice/Pack/Datatype.h"

#include <mpi.h>

#include <functional>
#include <vector>

/// Bounds from an MPI, or from Sluice.
struct BothBounds {
  int64_t lower, upper, trueLower, trueUpper;
  bool operator==(const BothBounds &) const = default;
};

inline BothBounds boundsOf(MPI_Datatype type) {
  MPI_Count lower, extent, trueLower, trueExtent;
  MPI_Type_get_extent_x(type, &lower, &extent);
  MPI_Type_get_true_extent_x(type, &trueLower, &trueExtent);
  return {lower, lower + extent, trueLower, trueLower + trueExtent};
}

inline BothBounds boundsOf(const farc::Datatype &type) {
  return {type.getLowerBound(), type.getUpperBound(), type.getTrueLowerBound(),
          type.getTrueUpperBound()};
}

/// The predefined type; MPI_DATATYPE_NULL if this MPI has none.
MPI_Datatype predefinedType(farc::PrimitiveDatatype::PrimitiveType type);

/// Makes MPI types. If the MPI's bounds of a type differ from Sluice's, so
/// would those of the types that contain it; in this case `onDifference` is
/// called and the type's bounds are set to Sluice's.
class MPITypes {
public:
  using Handler = std::function<void(const farc::Datatype &type,
                                     const BothBounds &theirs, bool isForced)>;
  explicit MPITypes(Handler onDifference)
      : onDifference(std::move(onDifference)) {}

  /// The caller frees it, unless it is predefined.
  MPI_Datatype make(const farc::Datatype &type);
  /// Whether bounds within the most recently made type were set.
  bool wasForced() const { return isForced; }

private:
  MPI_Datatype build(const farc::Datatype &type);

  Handler onDifference;
  bool isForced = false;
};

/// Frees a type that MPITypes made.
void freeType(MPI_Datatype &type);

#endif // SLUICE_LIB_PACK_TESTING_COMPARE_MPITYPES_H
