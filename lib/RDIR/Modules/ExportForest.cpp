//===- ExportForest.cpp - Forests as declarations -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests and lib/Analysis make graphs without declarations of their own. To
// become a module, such a graph needs declarations. They are abstract: regions
// with a name and no extents.
//
//===----------------------------------------------------------------------===//

#include "ExportForest.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
class ForestExporter {
public:
  ForestExporter(ModuleOp module, const Graph &graph)
      : symbols(module), builder(OpBuilder::atBlockEnd(module.getBody())),
        place(builder.getUnknownLoc()), graph(graph), forest(graph.regions()) {}

  std::vector<FlatSymbolRefAttr> run();

private:
  void addRoot(RegionIndex region);
  void addPartition(RegionIndex region);
  void addConstraints();
  Attribute numColors(RegionIndex partition);
  std::pair<FlatSymbolRefAttr, DenseI64ArrayAttr> nameOf(RegionIndex region);

  SymbolTable symbols;
  OpBuilder builder;
  Location place;
  const Graph &graph;
  const RegionForest &forest;
  std::vector<FlatSymbolRefAttr> names;
  /// By root: the number of fields that its versions use.
  std::vector<unsigned> numFields;
  /// By partition: the number of named colors.
  std::vector<int64_t> numNamed;
};
} // namespace

std::pair<FlatSymbolRefAttr, DenseI64ArrayAttr>
ForestExporter::nameOf(RegionIndex region) {
  if (forest.kind(region) != sluice::rdir::RegionKind::Subregion)
    return {names[region], {}};
  return {names[forest.parent(region)],
          builder.getDenseI64ArrayAttr(forest.color(region))};
}

void ForestExporter::addRoot(RegionIndex region) {
  SmallVector<Attribute> fields, types;
  for (unsigned i = 0; i != std::max(1u, numFields[region]); ++i) {
    fields.push_back(builder.getStringAttr("f" + std::to_string(i)));
    types.push_back(TypeAttr::get(builder.getI64Type()));
  }
  auto root = RootOp::create(
      builder, place, forest.name(region), StringAttr(),
      builder.getArrayAttr(Attribute(builder.getI64IntegerAttr(1))),
      builder.getArrayAttr(fields), builder.getArrayAttr(types));
  names[region] = FlatSymbolRefAttr::get(symbols.insert(root));
}

/// The number of colors; a parameter if it is not known.
Attribute ForestExporter::numColors(RegionIndex partition) {
  if (uint64_t number = forest.numColors(partition))
    return builder.getI64IntegerAttr(number);
  auto parameter = ParameterOp::create(
      builder, place, "colors", StringAttr(),
      builder.getI64IntegerAttr(std::max<int64_t>(1, numNamed[partition])));
  return FlatSymbolRefAttr::get(symbols.insert(parameter));
}

void ForestExporter::addPartition(RegionIndex region) {
  auto [parent, color] = nameOf(forest.parent(region));
  auto flag = [&](bool isSet) {
    return isSet ? builder.getUnitAttr() : UnitAttr();
  };
  Attribute colors = numColors(region);
  auto partition = PartitionOp::create(
      builder, place, builder.getStringAttr(forest.name(region)), StringAttr(),
      parent, color, builder.getArrayAttr(colors),
      flag(forest.isDisjoint(region)), flag(forest.isComplete(region)),
      PartitionKindAttr::get(builder.getContext(), PartitionKind::Abstract),
      FlatSymbolRefAttr(), FlatSymbolRefAttr(), StringAttr(),
      FlatSymbolRefAttr(), DenseI64ArrayAttr(), UnitAttr(), DenseI64ArrayAttr(),
      UnitAttr(), StringAttr(), UnitAttr(), ArrayAttr(), DenseI64ArrayAttr());
  names[region] = FlatSymbolRefAttr::get(symbols.insert(partition));
}

void ForestExporter::addConstraints() {
  auto add = [&](auto pairs, bool isDisjoint) {
    for (auto [first, second] : pairs) {
      auto [firstName, firstColor] = nameOf(first);
      auto [secondName, secondColor] = nameOf(second);
      ConstraintOp::create(builder, place,
                           isDisjoint ? builder.getUnitAttr() : UnitAttr(),
                           firstName, firstColor, secondName, secondColor);
    }
  };
  add(forest.subregionPairs(), false);
  add(forest.disjointPairs(), true);
}

std::vector<FlatSymbolRefAttr> ForestExporter::run() {
  names.resize(forest.size());
  numFields.resize(forest.size());
  numNamed.resize(forest.size());
  for (const Node &node : graph.allNodes())
    if (!isCompute(node.kind) && node.fields != allFields)
      numFields[forest.root(node.region)] =
          std::max<unsigned>(numFields[forest.root(node.region)],
                             64 - llvm::countl_zero(node.fields));
  for (RegionIndex region = 0; region != forest.size(); ++region)
    if (forest.kind(region) == sluice::rdir::RegionKind::Subregion)
      numNamed[forest.parent(region)] =
          std::max(numNamed[forest.parent(region)], forest.color(region) + 1);
  for (RegionIndex region = 0; region != forest.size(); ++region) {
    if (forest.kind(region) == sluice::rdir::RegionKind::Root)
      addRoot(region);
    else if (forest.kind(region) == sluice::rdir::RegionKind::Partition)
      addPartition(region);
  }
  addConstraints();
  return std::move(names);
}

std::vector<FlatSymbolRefAttr> sluice::rdir::exportForest(ModuleOp module,
                                                          const Graph &graph) {
  return ForestExporter(module, graph).run();
}
