//===- MPITypes.h - An MPI's type for a type of ours ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the MPI's constructors with what envelope and contents say of ours, so
// that both libraries can be asked about the same type.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_COMPARE_MPITYPES_H
#define SLUICE_LIB_PACK_TESTING_COMPARE_MPITYPES_H

#include "sluice/Pack/Datatype.h"

#include <mpi.h>

#include <functional>
#include <vector>

/// Bounds as an MPI, or we, have them.
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

/// Makes MPI types. Where the MPI gives a type other bounds than we do, the
/// types above would differ too; `onDifference` is told of it and the type's
/// bounds are set to ours.
class MPITypes {
public:
  using Handler = std::function<void(const farc::Datatype &type,
                                     const BothBounds &theirs, bool isForced)>;
  explicit MPITypes(Handler onDifference)
      : onDifference(std::move(onDifference)) {}

  /// The caller frees it, unless it is a predefined one.
  MPI_Datatype make(const farc::Datatype &type);
  /// Whether the bounds of a type within the last one made were set.
  bool wasForced() const { return isForced; }

private:
  MPI_Datatype build(const farc::Datatype &type);

  Handler onDifference;
  bool isForced = false;
};

/// Frees a type that MPITypes made.
void freeType(MPI_Datatype &type);

#endif // SLUICE_LIB_PACK_TESTING_COMPARE_MPITYPES_H
