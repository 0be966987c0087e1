//===- graph.h - The task graph of the radar --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   chirp ----> fourier --------+          window
//                               v             v
//   echoes ---> fourier ---> compress <-------+
//                               v
//           refine --> inverse fourier --> taper --> project
//                               v
//           power --> peak --> decibels --> quantise --> save (C)
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_RADAR_GRAPH_H
#define SLUICE_EXAMPLES_RADAR_GRAPH_H

#include "radar.h"

#include <sluice/TaskGraph.h>

#include <string>

namespace radar {

/// The graph, and those of its datasets that are of interest afterwards.
class RadarGraph {
public:
  sluice::TaskGraph graph{"radar"};
  sluice::Dat *decibels = nullptr;
  sluice::Dat *picture = nullptr;

  explicit RadarGraph(const std::vector<Point> &points);
  /// Adds a task that writes the picture to a file.
  void save(const std::string &path);

private:
  sluice::Dat &receive(const std::vector<Point> &points);
  sluice::Dat &compress(sluice::Dat &echoes);
  sluice::Dat &project(sluice::Dat &profiles);
  void develop(sluice::Dat &image);
  sluice::Dat &fourier(sluice::Dat &signals, int rows, int size,
                       bool isInverse);
  sluice::Dat &createSignals(int rows, int samples, const char *name);
  sluice::Dat &createPixels(const char *name);
};

} // namespace radar

#endif // SLUICE_EXAMPLES_RADAR_GRAPH_H
