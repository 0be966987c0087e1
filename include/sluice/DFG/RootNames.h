//===- RootNames.h - Names of graphs that are launched ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans, traces and pictures call a root the same.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_ROOTNAMES_H
#define SLUICE_DFG_ROOTNAMES_H

#include "sluice/DFG/DFG.h"

namespace sluice::dfg {

/// The root's name as people know it; the whole symbol where two graphs of the
/// module would have the same one.
std::string uniqueRootName(GraphOp root);

} // namespace sluice::dfg

#endif // SLUICE_DFG_ROOTNAMES_H
