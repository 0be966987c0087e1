//===- DrawRegions.h - Pictures of modules of regions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of programs over regions for `sluice graph`, with what the checks
// find.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DRAWREGIONS_H
#define SLUICE_DRIVER_DRAWREGIONS_H

#include "sluice/Driver/Picture.h"

namespace sluice::driver {

struct RegionDrawOptions {
  /// .mlir or .mlirbc.
  std::string file;
  /// Draw this graph only, if not empty.
  std::string graph;
  /// Draw only what is at most `within` edges away from the node of this name
  /// ("t2" or "%t2"), if not empty.
  std::string around;
  unsigned within = 3;
  /// Draw graphs of any size; Graphviz may take very long.
  bool isUnbounded = false;
  /// With a trace, colours say how long tasks took; the module must be one that
  /// can run.
  TracedNodes *traced = nullptr;
};

/// Draws the graphs of a module: tasks, versions of regions, Opens and Closes,
/// HappensBefore edges dotted (those that serializability adds too), and what
/// the checks find in red. Prints problems that keep it from drawing to stderr
/// and returns false then; how many violations are drawn is said there as well.
bool drawRegions(const RegionDrawOptions &options, Picture &picture);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DRAWREGIONS_H
