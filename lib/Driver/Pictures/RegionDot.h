//===- RegionDot.h - Graphs of regions in the language of Graphviz --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of region graphs show the same, whether a user asks for one or the
// check explains an error; problems are marked in them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H
#define SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H

#include "sluice/Driver/DrawRegions.h"
#include "sluice/RDIR/CheckModule.h"

#include <map>
#include <set>

namespace sluice::driver {

/// What is wrong with one graph, by nodes and edges.
struct RegionProblems {
  using EdgeKey = std::tuple<rdir::NodeIndex, rdir::NodeIndex, rdir::EdgeKind>;

  std::map<rdir::NodeIndex, std::vector<std::string>> nodes;
  /// Edges of the graph that are part of a problem.
  std::set<EdgeKey> present;
  /// Edges that are not in the graph: missing, or added by a rule.
  std::map<EdgeKey, rdir::Rule> absent;
};

/// Writes graphs to `picture.dot`, and their nodes to `picture.nodes`.
class RegionDotWriter {
public:
  RegionDotWriter(const rdir::ImportedModule &module,
                  const rdir::ModuleCheck &check, Picture &picture);

  /// `shown`: the nodes that are drawn; all if it is null.
  void writeGraph(const rdir::ImportedGraph &graph,
                  const std::set<rdir::NodeIndex> *shown);
  /// Ends the text.
  void finish();

private:
  void writeBody(const rdir::ImportedGraph &graph,
                 const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void writeNode(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                 unsigned depth);
  void writeEdges(const rdir::ImportedGraph &graph,
                  const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void writeAddedEdges(const rdir::ImportedGraph &graph,
                       const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void writeAbsentEdges(const rdir::ImportedGraph &graph,
                        const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void describe(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                llvm::StringRef kind);
  std::string regionText(const rdir::ImportedGraph &graph,
                         rdir::NodeIndex node) const;
  std::string idOf(const rdir::ImportedGraph &graph,
                   rdir::NodeIndex node) const;
  llvm::raw_ostream &indent(unsigned depth) { return os.indent(2 * depth); }

  const rdir::ImportedModule &module;
  Picture &picture;
  llvm::raw_string_ostream os;
  std::map<const rdir::ImportedGraph *, RegionProblems> problems;
  /// The number of each graph's first node in the drawing.
  llvm::DenseMap<const rdir::ImportedGraph *, size_t> firstIds;
  /// Roots by their region, for the names of fields.
  llvm::DenseMap<rdir::RegionIndex, mlir::Operation *> roots;
  size_t numIds = 0;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H
