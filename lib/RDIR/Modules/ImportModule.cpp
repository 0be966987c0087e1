//===- ImportModule.cpp - Graphs from rdir modules ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the declarations become the forest. Then each body becomes a graph: a
// node per operation, then the edges. Data that many nodes share (regions,
// field sets, launches, projections) is looked up once, by the identity of its
// uniqued attribute.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/ImportModule.h"
#include "ImportGraph.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace sluice::rdir;

ImportedGraph::ImportedGraph(const RegionForest &forest) : graph(forest) {}
ImportedGraph::~ImportedGraph() = default;

NodeIndex ImportedGraph::find(Operation *node) const {
  auto it = indices.find(node);
  return it == indices.end() ? noNode : it->second;
}

std::string ImportedGraph::name(NodeIndex node) const {
  Operation *op = operations[node];
  StringRef known = sourceName(op);
  if (!known.empty())
    return ("'%" + known + "'").str();
  if (isUnnamed(op)) {
    auto function = op->getAttrOfType<FlatSymbolRefAttr>("function");
    if (function)
      return ("'@" + function.getValue() + "'").str();
    return ("'" + op->getName().getStringRef() + "'").str();
  }
  if (!printed)
    printed = std::make_unique<AsmState>(this->op);
  std::string text = "'";
  llvm::raw_string_ostream os(text);
  op->getResult(0).printAsOperand(os, *printed);
  return text + "'";
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// Extents of a partition's colors, 0 where they are parameters.
static std::vector<int64_t> colorExtents(PartitionOp op) {
  std::vector<int64_t> extents;
  for (Attribute extent : op.getColors())
    extents.push_back(constantExtent(extent));
  return extents;
}

RegionIndex ModuleImporter::subregion(Operation *declaration,
                                      ArrayRef<int64_t> color) {
  RegionIndex region = module.regions.lookup(declaration);
  if (color.empty())
    return region;
  // The verifier rejects colors with coordinates that do not fit.
  ArrayAttr extents = cast<PartitionOp>(declaration).getColors();
  return module.forest.getSubregion(region, *linearColor(extents, color));
}

RegionIndex ModuleImporter::region(FlatSymbolRefAttr name,
                                   DenseI64ArrayAttr color) {
  RegionIndex &known =
      regionsByName.try_emplace({name, color}, noRegion).first->second;
  if (known == noRegion)
    known = subregion(symbols.lookup(name.getAttr()),
                      color ? color.asArrayRef() : ArrayRef<int64_t>());
  return known;
}

void ModuleImporter::addPartition(PartitionOp op) {
  std::vector<int64_t> extents = colorExtents(op);
  uint64_t numColors = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(numColors, uint64_t(extent), &numColors))
      numColors = 0;
  RegionIndex parent = region(op.getParentAttr(), op.getParentColorAttr());
  RegionIndex index = module.forest.addPartition(op.getSymName().str(), parent,
                                                 op.getIsDisjoint(),
                                                 op.getIsComplete(), numColors);
  for (int64_t &extent : extents)
    extent = extent ? extent : maxColor;
  module.forest.setColorExtents(index, std::move(extents));
  module.regions[op] = index;
}

/// The partition is made once. By values of fields, repeated graphs may make
/// one partition anew and keep another that was made from it.
bool ModuleImporter::keepsElements(PartitionOp op) {
  if (llvm::none_of(source.getOps<GraphOp>(), [](GraphOp graph) {
        return graph->hasAttr(repeatsAttribute);
      }))
    return true;
  SmallVector<PartitionOp> pending = {op};
  SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    PartitionOp next = pending.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    if (next.getField())
      return false;
    for (FlatSymbolRefAttr name :
         {next.getParentAttr(), next.getLeftAttr(), next.getRightAttr()})
      if (name)
        pending.push_back(
            dyn_cast_or_null<PartitionOp>(symbols.lookup(name.getAttr())));
  }
  return true;
}

/// What is left of a partition without one region for all colors shares nothing
/// with that, and what it has in common with one is a part of it. What is made
/// of both sides of such relations is a part of them. Complete partitions stand
/// for their parents, also where nothing checks that they are complete;
/// relations of the parents say as much.
void ModuleImporter::addRuleRelations() {
  llvm::SmallDenseSet<RegionIndex> related;
  auto add = [&](PartitionOp op, FlatSymbolRefAttr name,
                 DenseI64ArrayAttr color, bool isDisjoint) {
    const RegionIndex made = module.regions.lookup(op),
                      from = region(name, color);
    if (isDisjoint)
      module.forest.addDisjointConstraint(made, from);
    else
      module.forest.addSubregionConstraint(made, from);
    module.ruleRelations.push_back({made, from});
    related.insert(made);
    related.insert(region(name, {}));
  };
  auto isForAll = [](PartitionOp op) {
    return op.getRightColorAttr() || op.getRightWhole();
  };
  SmallVector<PartitionOp> partitions;
  for (auto op : source.getOps<PartitionOp>())
    if (llvm::is_contained({PartitionKind::Difference,
                            PartitionKind::Intersection, PartitionKind::Each,
                            PartitionKind::Cross},
                           op.getKind()) &&
        !op.getIsComplete() && keepsElements(op))
      partitions.push_back(op);
  for (PartitionOp op : partitions)
    if (isForAll(op))
      add(op, op.getRightAttr(), op.getRightColorAttr(),
          op.getKind() == PartitionKind::Difference);
  // Partitions follow those from which they are made.
  for (PartitionOp op : partitions) {
    if (related.contains(region(op.getLeftAttr(), {})))
      add(op, op.getLeftAttr(), {}, /*isDisjoint=*/false);
    if (op.getRightAttr() && !isForAll(op) &&
        op.getKind() != PartitionKind::Difference &&
        related.contains(region(op.getRightAttr(), {})))
      add(op, op.getRightAttr(), {}, /*isDisjoint=*/false);
  }
}

void ModuleImporter::addDeclarations() {
  for (Operation &op : *source.getBody()) {
    if (isa<RootOp, VariableOp>(op))
      module.regions[&op] = module.forest.addRoot(
          cast<SymbolOpInterface>(op).getNameAttr().str());
    else if (auto partition = dyn_cast<PartitionOp>(op))
      addPartition(partition);
  }
  // Constraints may name declarations that follow them.
  for (auto op : source.getOps<ConstraintOp>()) {
    RegionIndex first = region(op.getFirstAttr(), op.getFirstColorAttr());
    RegionIndex second = region(op.getSecondAttr(), op.getSecondColorAttr());
    if (op.getIsDisjoint())
      module.forest.addDisjointConstraint(first, second);
    else
      module.forest.addSubregionConstraint(first, second);
  }
  addRuleRelations();
}

FieldMask ModuleImporter::fields(FlatSymbolRefAttr name, ArrayAttr fields) {
  auto [entry, isNew] = fieldsByName.try_emplace({name, fields}, 0);
  if (!isNew)
    return entry->second;
  auto root = cast<RootOp>(rootOf(symbols.lookup(name.getAttr()), tables));
  size_t numFields = root.getFieldNames().size();
  FieldMask mask = 0;
  if (!fields)
    // Without fields, the elements form one unnamed field.
    mask = numFields == 0    ? 1
           : numFields == 64 ? allFields
                             : (FieldMask(1) << numFields) - 1;
  else
    for (auto field : fields.getAsRange<StringAttr>())
      mask |= FieldMask(1) << root.getFieldIndex(field);
  return entry->second = mask;
}

ReductionIndex ModuleImporter::reduction(Attribute op) {
  auto [entry, isNew] =
      reductionsByName.try_emplace(op, module.reductions.size());
  if (isNew)
    module.reductions.push_back(op);
  return entry->second;
}

/// Writes the form that SharedNumber describes; a sum with a modulus stays
/// opaque. One name is one number within a body,
/// even if several loops use it, since no loop has the name of one around it.
void ModuleImporter::readProjection(ArrayRef<Sum> sums, unsigned numDims,
                                    Projection &result) {
  result.isOpaque = true;
  if (llvm::any_of(sums, [](const Sum &sum) { return bool(sum.modulus); }))
    return;
  // The names of parameters and iterations, in the order of the sums.
  SmallVector<Attribute> names;
  for (const Sum &sum : sums)
    for (const Sum::Term &term : sum.terms)
      if (!isa<IntegerAttr>(term.name) && !llvm::is_contained(names, term.name))
        names.push_back(term.name);
  const size_t columns = numDims + names.size();
  result.matrix.assign(sums.size() * columns, 0);
  for (auto [row, sum] : llvm::enumerate(sums)) {
    result.offset.push_back(sum.constant);
    for (const Sum::Term &term : sum.terms) {
      auto coordinate = dyn_cast<IntegerAttr>(term.name);
      size_t column =
          coordinate ? coordinate.getInt()
                     : numDims + (llvm::find(names, term.name) - names.begin());
      result.matrix[row * columns + column] = term.factor;
    }
  }
  for (Attribute name : names) {
    int64_t number =
        sharedByName.try_emplace(name, sharedByName.size() + 1).first->second;
    result.colors.push_back(isa<StringAttr>(name) ? -number : number);
  }
}

Projection ModuleImporter::projection(Attribute attribute,
                                      PartitionOp partition, unsigned numDims) {
  Projection result;
  result.colors = colorExtents(partition);
  result.numColorDims = result.colors.size();
  if (isa_and_nonnull<FlatSymbolRefAttr>(attribute)) {
    result.isOpaque = true;
    return result;
  }
  if (auto sums = readSums(attribute)) {
    readProjection(*sums, numDims, result);
    return result;
  }
  auto map = dyn_cast_or_null<AffineMapAttr>(attribute);
  LinearMap linear = *linearMap(
      map ? map.getValue()
          : AffineMap::getMultiDimIdentityMap(numDims, source.getContext()));
  result.matrix = std::move(linear.matrix);
  result.offset = std::move(linear.offset);
  return result;
}

void ModuleImporter::run() {
  module.source = source;
  addDeclarations();
  for (GraphOp graph : source.getOps<GraphOp>()) {
    auto &imported = module.graphs.emplace_back(
        std::make_unique<ImportedGraph>(module.forest));
    imported->op = graph;
    // Nodes may be the first to name a subregion, so it must be added before
    // the graph is used. Graphs refer to the forest, which only grows.
    GraphImporter(*this, *imported).run(graph.getBody().front());
  }
}

std::unique_ptr<ImportedModule> sluice::rdir::importModule(ModuleOp module) {
  auto imported = std::make_unique<ImportedModule>();
  ModuleImporter(module, *imported).run();
  return imported;
}
