//===- VectorFiles.h - Ground truth in files --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Reads test/RDIR/vectors.tar.xz: every race-free graph of up to
// five nodes over one region tree with the verdicts of an enumeration, and
// every program of three tasks over the tree.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_VECTORFILES_H
#define SLUICE_LIB_RDIR_TESTING_VECTORFILES_H

#include "OracleGraph.h"

namespace sluice::rdir::oracle {

/// The tree of the vectors: rA > rC (disjoint, complete) > rE, rF.
struct VectorForest : ConstrainedForest {
  VectorForest();
  RegionIndex named(std::string_view name) const;
};

struct VectorGraph {
  /// The line as it stands in the file.
  std::string line;
  Graph graph;
  bool existsSerialOrder, allOrdersRight;
};

struct VectorProgram {
  std::string line;
  SequentialProgram program;
  /// The published validator's translation, without the HappensBefore edges.
  Graph translated;
};

std::vector<VectorGraph> readVectorGraphs(const VectorForest &forest);
std::vector<VectorProgram> readVectorPrograms(const VectorForest &forest);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_VECTORFILES_H
