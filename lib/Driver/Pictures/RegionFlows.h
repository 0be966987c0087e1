//===- RegionFlows.h - From which task a task has its data ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where versions are inferred, a picture shows which task follows which,
// without the versions, opens and closes between them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PICTURES_REGIONFLOWS_H
#define SLUICE_LIB_DRIVER_PICTURES_REGIONFLOWS_H

#include "sluice/RDIR/Graph.h"

#include <map>

namespace sluice::driver {

/// The elements that a task finds as another task left them.
struct RegionFlow {
  rdir::NodeIndex from = rdir::noNode, to = rdir::noNode;
  /// By root.
  std::map<rdir::RegionIndex, rdir::FieldMask> fields;
  /// False if the second task only overwrites them.
  bool isUsed = false;
};

/// The flows of a graph whose tasks are numbered in a serial order, without
/// those that other flows of the same root imply.
std::vector<RegionFlow> findFlows(const rdir::Graph &graph);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PICTURES_REGIONFLOWS_H
