//===- RegionDot.h - Graphs of regions in the language of Graphviz --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's picture of a region graph and the picture that explains an error
// have the same form; the latter marks the problems.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H
#define SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H

#include "sluice/Driver/DrawRegions.h"
#include "sluice/RDIR/CheckModule.h"

#include <map>
#include <set>

namespace sluice::driver {

/// The problems of one graph, by nodes and edges.
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
  /// The names of a module's tasks in its traces.
  using Labels = llvm::DenseMap<mlir::Location, std::vector<std::string>>;

  /// `labels` are for pictures with times; null for pictures without.
  RegionDotWriter(const rdir::ImportedModule &module,
                  const rdir::ModuleCheck &check, Picture &picture,
                  const Labels *labels = nullptr);

  /// `shown`: the nodes to draw; null for all. A folded graph has no versions,
  /// opens and closes, unless there are problems to draw.
  void writeGraph(const rdir::ImportedGraph &graph,
                  const std::set<rdir::NodeIndex> *shown, bool isFolded);
  /// Ends the text.
  void finish();

private:
  void writeBody(const rdir::ImportedGraph &graph,
                 const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void writeFolded(const rdir::ImportedGraph &graph, unsigned depth);
  void writeFoldedNode(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                       unsigned depth);
  void writeFlows(const rdir::ImportedGraph &graph, unsigned depth);
  bool hasProblems(const rdir::ImportedGraph &graph);
  void writeNode(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                 unsigned depth, llvm::StringRef clauses = "");
  void writeEdges(const rdir::ImportedGraph &graph,
                  const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void writeAddedEdges(const rdir::ImportedGraph &graph,
                       const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void writeAbsentEdges(const rdir::ImportedGraph &graph,
                        const std::set<rdir::NodeIndex> *shown, unsigned depth);
  void describe(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                llvm::StringRef kind);
  /// Describes a frame around a graph or a body; `op` gives its location.
  void describeFrame(std::string id, std::string name, llvm::StringRef kind,
                     const rdir::ImportedGraph &graph, mlir::Operation *op);
  /// Adds the trace names of a node; for a loop, those of its body.
  void addNames(const rdir::ImportedGraph &graph, rdir::NodeIndex node,
                std::vector<uint32_t> &names);
  std::optional<NodeTime> timeOf(const rdir::ImportedGraph &graph);
  /// Writes the label of a frame with the time of its contents.
  void writeFrameTime(llvm::StringRef label, unsigned depth);
  std::string clauseText(const rdir::ImportedGraph &graph,
                         rdir::NodeIndex node) const;
  std::string fieldText(rdir::RegionIndex root, rdir::FieldMask fields) const;
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
  /// The last node inside of each folded loop, by their names.
  std::map<std::string, std::string> lastInner;
  const Labels *labels;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PICTURES_REGIONDOT_H
