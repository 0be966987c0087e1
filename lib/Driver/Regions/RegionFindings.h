//===- RegionFindings.h - What is wrong with regions, as messages ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and builds of region programs print what they find in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONFINDINGS_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONFINDINGS_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/RDIR/CheckModule.h"

namespace sluice::driver {

/// Prints each finding with notes at the other places, and the change of the
/// text that puts it right where there is one; remarks only if asked for.
void printFindings(const rdir::ModuleCheck &check, bool hasRemarks);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONFINDINGS_H
