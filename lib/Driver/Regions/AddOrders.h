//===- AddOrders.h - Known orders between points ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In most programs, the same points wait for each other in every run. So these
// orders are computed when the program is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_ADDORDERS_H
#define SLUICE_LIB_DRIVER_REGIONS_ADDORDERS_H

#include "sluice/CodeGen/RegionTable.h"

namespace sluice::driver {

/// For each graph whose orders are known at compile time, adds to the table
/// which points wait for which.
void addOrders(const codegen::RegionModel &program,
               codegen::RegionTable &table);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_ADDORDERS_H
