//===- RegionText.cpp - Descriptions of regions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionText.h"
#include "sluice/RDIR/EdgeWords.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using rdir::Edge;
using rdir::ImportedGraph;
using rdir::NodeIndex;

RegionText::RegionText(const rdir::ImportedModule &imported,
                       const rdir::ModuleCheck &check, NameOf nameOf)
    : check(check), nameOf(std::move(nameOf)) {
  for (const auto &graph : imported.graphs)
    add(*graph);
}

void RegionText::add(const ImportedGraph &graph) {
  for (auto [node, op] : enumerate(graph.operations))
    if (op)
      places[op] = {&graph, NodeIndex(node)};
  for (const auto &nested : graph.nested)
    add(*nested);
}

/// "8 × 2, 16 in all"; extents may be parameters.
static std::string spellColors(mlir::ArrayAttr colors) {
  std::string text;
  int64_t count = 1;
  bool isKnown = true;
  for (mlir::Attribute extent : colors) {
    text += text.empty() ? "" : " × ";
    if (auto number = dyn_cast<mlir::IntegerAttr>(extent)) {
      text += std::to_string(number.getInt());
      isKnown &= !__builtin_mul_overflow(count, number.getInt(), &count);
    } else {
      raw_string_ostream(text) << extent;
      isKnown = false;
    }
  }
  return isKnown && colors.size() > 1
             ? text + ", " + std::to_string(count) + " in all"
             : text;
}

std::string RegionText::describe(rdir::PartitionOp partition) const {
  std::string text;
  raw_string_ostream os(text);
  os << "**partition `@" << partition.getSymName() << "`** of `@"
     << partition.getParent() << "`\n\n"
     << "colors: " << spellColors(partition.getColors()) << "\n\n"
     << (partition.getIsDisjoint() ? "disjoint: no element has two colors"
                                   : "aliased: elements may have two colors")
     << "\n\n"
     << (partition.getIsComplete() ? "complete: every element has a color"
                                   : "incomplete: elements may have no color")
     << "\n\n";
  for (const rdir::Assumption &assumption : check.assumptions)
    if (assumption.op == partition.getOperation())
      os << "assumed: " << assumption.text
         << (assumption.isChecked ? ", which is checked when the program runs"
                                  : ", which nothing checks")
         << "\n\n";
  return text;
}

/// "task", "region".
static StringRef kindOf(mlir::Operation *op) {
  StringRef name = op->getName().stripDialect();
  return name == "region" || name == "scalar" ? "version" : name;
}

std::string RegionText::describeNode(const ImportedGraph &graph,
                                     NodeIndex node) const {
  std::string text;
  raw_string_ostream os(text);
  mlir::Operation *op = graph.operations[node];
  os << "**" << kindOf(op) << "**";
  if (std::string name = nameOf(op); !name.empty())
    os << " `" << name << '`';
  if (auto region = dyn_cast<rdir::RegionOp>(op))
    os << " of `@" << region.getRegion() << '`';
  os << "\n\n";
  auto write = [&](const Edge &edge, bool isOut) {
    NodeIndex other = isOut ? edge.to : edge.from;
    std::string name = nameOf(graph.operations[other]);
    if (name.empty())
      name = kindOf(graph.operations[other]).str();
    // Data edges lead through compute nodes, which access a version.
    bool isData = !rdir::isCompute(graph.graph.node(node).kind);
    StringRef verb = rdir::wordsOf(edge.kind).verb;
    if (edge.kind == rdir::EdgeKind::HappensBefore)
      os << "- " << (isOut ? "ends before" : "begins after") << " `" << name
         << "`\n";
    else if (isData)
      os << "- `" << name << "` " << verb << " it\n";
    else
      os << "- " << verb << " `" << name << "`\n";
  };
  for (uint32_t index : graph.graph.in(node))
    write(graph.graph.edge(index), /*isOut=*/false);
  for (uint32_t index : graph.graph.out(node))
    write(graph.graph.edge(index), /*isOut=*/true);
  return text;
}

std::string RegionText::describe(mlir::Operation *op) const {
  if (auto partition = dyn_cast<rdir::PartitionOp>(op))
    return describe(partition);
  if (auto place = places.find(op); place != places.end())
    return describeNode(*place->second.graph, place->second.node);
  return "";
}
