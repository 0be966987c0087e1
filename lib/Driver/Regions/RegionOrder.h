//===- RegionOrder.h - What was proven of a module, and its order ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What 'sluice check' prints of a module of regions without errors.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONORDER_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONORDER_H

#include "sluice/Diagnostics/Proof.h"
#include "sluice/RDIR/CheckModule.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::driver {

/// What there is, and what was proven of it, under which assumptions.
ProofState printProof(const rdir::ImportedModule &imported,
                      const rdir::ModuleCheck &check, llvm::raw_ostream &os);

/// The serial order, the critical path and the width of each graph.
void printOrders(const rdir::ImportedModule &imported,
                 const rdir::ModuleCheck &check, llvm::raw_ostream &os);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONORDER_H
