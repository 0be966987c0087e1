//===- RegionFindings.h - Problems of regions as messages -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and builds of region programs print their findings in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONFINDINGS_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONFINDINGS_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/RDIR/CheckModule.h"

namespace sluice::driver {

/// Prints each finding with notes at the other locations and, if there is one,
/// the fix for the text. Prints remarks only on request.
void printFindings(const rdir::ModuleCheck &check, bool hasRemarks);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONFINDINGS_H
