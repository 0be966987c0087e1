//===- Agreement.h - Whether the MPI library packs as we do ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both MPI libraries pack some types otherwise than the standard says, and
// unpack them in the same way. Where the first use of a type stays with MPI and
// a later one is taken over, the two must agree.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_AGREEMENT_H
#define SLUICE_LIB_PACKMPI_TYPES_AGREEMENT_H

#include "Packing.h"

namespace sluice::mpi {

/// Packs two instances by MPI and by Sluice and compares. Types that span much
/// are only tried if they are `suspect`, and disagree if that would take very
/// much memory.
bool packsAlike(MPI_Datatype type, const Packing &packing, bool isSuspect);

/// Whether there is an MPI_COMM_SELF: programs that only use sessions have
/// none.
bool hasWorld();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_AGREEMENT_H
