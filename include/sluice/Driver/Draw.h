//===- Draw.h - Pictures of graphs ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DRAW_H
#define SLUICE_DRIVER_DRAW_H

#include "sluice/Driver/Program.h"

namespace sluice::driver {

/// Writes all roots of the program, or only `root` if not empty, in the
/// language of Graphviz: nodes with their extents and targets, internal nodes
/// as boxes around their children, edges with their ports.
void writeDot(Program &program, llvm::StringRef root, llvm::raw_ostream &os);

/// Writes the picture to `path`: `.dot` as text, any other ending as Graphviz
/// makes it (`.svg`, `.png`, `.pdf`).
llvm::Error drawGraph(Program &program, llvm::StringRef root,
                      llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DRAW_H
