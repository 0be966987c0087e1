//===- DrawRegions.h - Pictures of modules of regions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of programs over regions for `sluice graph`, with the findings of
// the checks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DRAWREGIONS_H
#define SLUICE_DRIVER_DRAWREGIONS_H

#include "sluice/Driver/Picture.h"

namespace sluice::driver {

struct RegionDrawOptions {
  /// A .mlir or .mlirbc file.
  std::string file;
  /// If not empty, draw only this graph.
  std::string graph;
  /// If not empty, draw only nodes at most `within` edges away from the node of
  /// this name ("t2" or "%t2").
  std::string around;
  unsigned within = 3;
  /// Draw the versions, opens and closes also where they are inferred.
  bool hasVersions = false;
  /// Draw graphs of any size; Graphviz may take very long.
  bool isUnbounded = false;
  /// With a trace, colours show the times of tasks; the module must be
  /// executable.
  TracedNodes *traced = nullptr;
};

/// Draws the graphs of a module: tasks, versions of regions, Opens and Closes,
/// HappensBefore edges dotted (including those that serializability adds), and
/// violations in red. Prints the number of drawn violations to stderr. If it
/// cannot draw, prints the problems to stderr and returns false.
bool drawRegions(const RegionDrawOptions &options, Picture &picture);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DRAWREGIONS_H
