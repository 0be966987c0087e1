//===- RegionOrder.h - Proven properties and orders of a module -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of 'sluice check' for a module of regions without errors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONORDER_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONORDER_H

#include "sluice/Diagnostics/Proof.h"
#include "sluice/RDIR/CheckModule.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::driver {

/// Prints the contents of a module, what was proven about it, and the
/// assumptions of the proof.
ProofState printProof(const rdir::ImportedModule &imported,
                      const rdir::ModuleCheck &check, llvm::raw_ostream &os);

/// Prints the serial order, the critical path and the width of each graph.
void printOrders(const rdir::ImportedModule &imported,
                 const rdir::ModuleCheck &check, llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONORDER_H
