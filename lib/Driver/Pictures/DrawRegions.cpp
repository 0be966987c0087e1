//===- DrawRegions.cpp - Pictures of modules of regions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/DrawRegions.h"
#include "../Regions/RegionFile.h"
#include "RegionDot.h"
#include "sluice/Base/Text.h"
#include "sluice/CodeGen/RegionModel.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using namespace sluice::rdir;

/// Graphviz lays out a few thousand nodes in about a minute.
static constexpr size_t maxNodes = 3000;

static bool fail(const Twine &message) {
  printError(message);
  return false;
}

static size_t countNodes(const ImportedGraph &graph, bool isFolded) {
  size_t count = 0;
  for (const Node &node : graph.graph.allNodes())
    count += !isFolded || isTaskLike(node.kind);
  for (const auto &nested : graph.nested)
    count += countNodes(*nested, isFolded);
  return count;
}

/// The node called `name`, with or without the leading sign.
static NodeIndex findNode(const ImportedGraph &graph, StringRef name) {
  name.consume_front("%");
  for (NodeIndex node = 0; node != graph.graph.numNodes(); ++node)
    if (StringRef(graph.name(node)).trim("'").ltrim("%@") == name)
      return node;
  return noNode;
}

/// All nodes at most `within` edges away, in either direction.
static std::set<NodeIndex> nodesAround(const Graph &graph, NodeIndex start,
                                       unsigned within) {
  std::set<NodeIndex> shown{start};
  std::vector<NodeIndex> front{start};
  for (unsigned step = 0; step != within && !front.empty(); ++step) {
    std::vector<NodeIndex> next;
    auto reach = [&](NodeIndex node) {
      if (shown.insert(node).second)
        next.push_back(node);
    };
    for (NodeIndex node : front) {
      for (uint32_t edge : graph.in(node))
        reach(graph.edge(edge).from);
      for (uint32_t edge : graph.out(node))
        reach(graph.edge(edge).to);
    }
    front = std::move(next);
  }
  return shown;
}

namespace {
/// A graph and the nodes to draw; without a set, all nodes are drawn.
struct DrawnPart {
  const ImportedGraph *graph;
  std::optional<std::set<NodeIndex>> shown;
  /// Without versions, opens and closes.
  bool isFolded = false;
};
} // namespace

/// The parts that the options select; empty after an error message.
static std::vector<DrawnPart> choose(const RegionFile &file,
                                     const ImportedModule &module,
                                     const RegionDrawOptions &options) {
  std::vector<DrawnPart> parts;
  for (const auto &graph : module.graphs) {
    StringRef name = cast<GraphOp>(graph->op).getSymName();
    if (!options.graph.empty() && name != options.graph)
      continue;
    if (options.around.empty()) {
      parts.push_back({graph.get(), std::nullopt,
                       !options.hasVersions && file.inferred.contains(name)});
      continue;
    }
    NodeIndex node = findNode(*graph, options.around);
    if (node != noNode)
      parts.push_back(
          {graph.get(), nodesAround(graph->graph, node, options.within)});
  }
  if (!parts.empty())
    return parts;
  if (module.graphs.empty())
    fail("the module has no graphs");
  else if (options.around.empty())
    fail("the module has no graph '" + Twine(options.graph) + "'");
  else
    fail("no graph that is drawn has a node '" + Twine(options.around) + "'");
  return parts;
}

static size_t countShown(const std::vector<DrawnPart> &parts) {
  size_t count = 0;
  for (const DrawnPart &part : parts)
    count += part.shown ? part.shown->size()
                        : countNodes(*part.graph, part.isFolded);
  return count;
}

static void reportViolations(const ModuleCheck &check, StringRef file) {
  auto isError = [](const Finding &finding) {
    return finding.severity == rdir::ProblemSeverity::Error;
  };
  size_t count = count_if(check.findings, isError);
  for (auto [rule, more] : check.omitted)
    count += more;
  if (count)
    errs() << "sluice: note: " << countOf(count, "problem is", "problems are")
           << " drawn in red; 'sluice check " << file << "' describes them\n";
}

/// Finds the runtime's names for the statements of a program. Returns false
/// after printing why the program cannot run.
static bool findLabels(mlir::ModuleOp module, TracedNodes &traced,
                       RegionDotWriter::Labels &labels) {
  mlir::FailureOr<codegen::RegionModel> program =
      codegen::lowerRegionProgram(module);
  if (mlir::failed(program))
    return false;
  auto add = [&](const std::vector<codegen::RegionStatement> &statements,
                 auto &add) -> void {
    for (const codegen::RegionStatement &statement : statements) {
      labels[statement.location].push_back(statement.label);
      add(statement.body, add);
    }
  };
  for (const codegen::RegionGraph &graph : program->graphs)
    add(graph.statements, add);
  // The runtime's own entry for reductions, for which no node is drawn.
  traced.takeTask("fold");
  return true;
}

bool driver::drawRegions(const RegionDrawOptions &options, Picture &picture) {
  RegionFile file;
  if (!file.read(options.file))
    return false;
  std::unique_ptr<ImportedModule> module = importModule(*file.module);
  std::vector<DrawnPart> parts = choose(file, *module, options);
  if (parts.empty())
    return false;
  size_t count = countShown(parts);
  if (count > maxNodes && !options.isUnbounded)
    return fail("a picture of " + Twine(count) +
                " nodes is too large to lay "
                "out; draw one graph with --root=NAME, what is near a node "
                "with --around=NODE, or only write Graphviz's text (.dot)");
  ModuleCheck check = checkModule(*module);
  picture.title = sys::path::filename(options.file).str();
  RegionDotWriter::Labels labels;
  if (options.traced && !findLabels(*file.module, *options.traced, labels))
    return false;
  picture.traced = options.traced;
  RegionDotWriter writer(*module, check, picture,
                         options.traced ? &labels : nullptr);
  for (const DrawnPart &part : parts)
    writer.writeGraph(*part.graph, part.shown ? &*part.shown : nullptr,
                      part.isFolded);
  writer.finish();
  reportViolations(check, options.file);
  return true;
}
