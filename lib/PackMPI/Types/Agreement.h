//===- Agreement.h - Comparing packing with the MPI library ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both MPI libraries pack some types differently from the standard, and unpack
// them in the same way. If MPI handles the first use of a type and Sluice a
// later one, the two must agree.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_AGREEMENT_H
#define SLUICE_LIB_PACKMPI_TYPES_AGREEMENT_H

#include "TypePacking.h"

namespace sluice::mpi {

/// Packs two instances by MPI and by Sluice and compares. Types with a large
/// span are only tried if they are `suspect`, and count as disagreeing if that
/// would take very much memory.
bool packsAlike(MPI_Datatype type, const Packing &packing, bool isSuspect);

/// Whether there is an MPI_COMM_SELF: programs that only use sessions do not
/// have it.
bool hasWorld();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_AGREEMENT_H
