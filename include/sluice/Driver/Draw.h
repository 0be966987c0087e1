//===- Draw.h - Pictures of graphs ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DRAW_H
#define SLUICE_DRIVER_DRAW_H

#include "sluice/Driver/Picture.h"
#include "sluice/Driver/Program.h"

namespace sluice::driver {

/// Draws all roots of the program, or only `root` if not empty: nodes with
/// their extents and targets, internal nodes as boxes around their children,
/// edges with their ports.
Picture drawGraph(Program &program, llvm::StringRef root);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DRAW_H
