//===- AddOrders.h - Orders between points that are known -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which points wait for which is the same in every run of most programs, so it
// is found when the program is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_ADDORDERS_H
#define SLUICE_LIB_DRIVER_REGIONS_ADDORDERS_H

#include "sluice/CodeGen/RegionTable.h"

namespace sluice::driver {

/// Adds to the table which points wait for which, for all graphs of which it
/// can be known.
void addOrders(const codegen::RegionProgram &program,
               codegen::RegionTable &table);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_ADDORDERS_H
