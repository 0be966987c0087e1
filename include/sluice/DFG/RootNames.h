//===- RootNames.h - Names of launched graphs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans, traces and pictures use the same name for a root.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_ROOTNAMES_H
#define SLUICE_DFG_ROOTNAMES_H

#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

/// The root's readable name; the whole symbol if two graphs of the module would
/// have the same readable name.
std::string uniqueRootName(GraphOp root);

} // namespace sluice::dfg

#endif // SLUICE_DFG_ROOTNAMES_H
