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
  /// What the tasks of a module are called in its traces.
  using Labels = llvm::DenseMap<mlir::Location, std::vector<std::string>>;

  /// `labels` are for pictures with times; null: this has none.
  RegionDotWriter(const rdir::ImportedModule &module,
                  const rdir::ModuleCheck &check, Picture &picture,
                  const Labels *labels = nullptr);

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
  /// A frame around a graph or a body; `op` is where it stands.
  void describeFrame(std::string id, std::string name, llvm::StringRef kind,
                     const rdir::ImportedGraph &graph, mlir::Operation *op);
  /// What of a node is in the trace: of a loop, what is in its body.
  void addNames(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                std::vector<uint32_t> &names);
  std::optional<NodeTime> timeOf(const rdir::ImportedGraph &graph);
  /// The label of a frame with the time of what is in it.
  void writeFrameTime(llvm::StringRef label, unsigned depth);
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
  const Labels *labels;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H
