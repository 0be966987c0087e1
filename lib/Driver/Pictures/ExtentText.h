//===- ExtentText.h - Extents of nodes in readable form ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures and editors show extents in the same form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PICTURES_EXTENTTEXT_H
#define SLUICE_LIB_DRIVER_PICTURES_EXTENTTEXT_H

#include "sluice/DFG/DFG.h"

#include <string>

namespace sluice::driver {

/// "h × (w - 2)", as expressions of the graph's arguments; empty for a node
/// with one instance.
std::string spellExtents(dfg::NodeOp node);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PICTURES_EXTENTTEXT_H
