//===- TypeTrees.h - MPI types from trees of farc classes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The player reads types in Sluice's syntax. An MPI needs them as handles made
// by its own constructors.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_MPI_TYPETREES_H
#define DDTPLAYER_MPI_TYPETREES_H

#include "sluice/Base/Status.h"
#include "sluice/Pack/Datatype.h"

#include <mpi.h>

namespace sluice::player {

/// The MPI type with the envelope and contents of `type`, not committed; the
/// caller frees it with freeType. An error names what MPI cannot express:
/// numbers beyond an int, or basic types that the library lacks.
Result<MPI_Datatype> mpiType(const farc::Datatype &type);

/// The MPI type for a basic type; MPI_DATATYPE_NULL if the library has none.
MPI_Datatype basicType(farc::PrimitiveDatatype::PrimitiveType type);

/// Frees all but basic types.
void freeType(MPI_Datatype &type);

/// Ok, or MPI's text for the error.
Status mpiStatus(int code, const char *call);

} // namespace sluice::player

#endif // DDTPLAYER_MPI_TYPETREES_H
