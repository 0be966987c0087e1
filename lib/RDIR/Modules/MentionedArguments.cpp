//===- MentionedArguments.cpp - The regions that a node names -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Look up the names of each clause.
// 2. Collect, for each field of a region, what all clauses say about it.
// 3. Group the fields of a clause that have the same privilege.
//
//===----------------------------------------------------------------------===//

#include "MentionedArguments.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"

#include <map>

using namespace mlir;
using namespace sluice::rdir;

/// A region as one clause names it.
struct MentionReader::Mention {
  EdgeKind edge;
  FlatSymbolRefAttr name;
  Operation *declaration = nullptr;
  DenseI64ArrayAttr color = {};
  FieldMask fields = 1;
  Attribute projection = {}, reduction = {};
  RegionIndex region = noRegion;
  Location place;

  bool isWholePartition() const {
    return isa<PartitionOp>(declaration) && !color;
  }
};

namespace {
/// What a node does to a field of a region.
struct FieldUse {
  bool isRead = false, isWritten = false, isDiscarded = false;
  Attribute reduction;
  bool operator==(const FieldUse &) const = default;
};
} // namespace

std::string MentionReader::nameOf(NodeOpInterface node) {
  if (StringRef name = sourceName(node); !name.empty())
    return ("'%" + name + "'").str();
  if (auto function = node->getAttrOfType<FlatSymbolRefAttr>("function"))
    return ("'@" + function.getValue() + "'").str();
  return ("this " + node->getName().stripDialect()).str();
}

LogicalResult MentionReader::checkForm(NodeOpInterface node) const {
  NodeKind kind = node.getNodeKind();
  auto refuse = [&]() {
    InFlightDiagnostic error = node->emitError();
    error << "the graph names regions at its tasks, and so its versions are "
             "inferred, but ";
    return error;
  };
  if (!isCompute(kind))
    return refuse() << nameOf(node)
                    << " is a version; name versions everywhere, or nowhere";
  if (kind == NodeKind::Open || kind == NodeKind::Close)
    return refuse() << nameOf(node) << " is given; opens and closes follow "
                    << "from the regions that tasks name";
  for (int8_t code : node.getKinds()) {
    EdgeCode edge = EdgeCode::decode(code);
    if (edge.kind != EdgeKind::HappensBefore || edge.isOutgoing)
      return refuse() << nameOf(node) << " has edges to nodes; only 'after' "
                      << "names nodes there";
  }
  if (node.getNestedBody() && node->hasAttr(mentionsAttribute))
    return refuse() << nameOf(node) << " names regions; what it accesses "
                    << "follows from its body";
  return success();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

LogicalResult MentionReader::resolveName(DictionaryAttr entry,
                                         Mention &mention) {
  mention.declaration = importer.declaration(mention.name);
  if (isa_and_nonnull<RootOp, PartitionOp, VariableOp>(mention.declaration))
    return success();
  return emitError(mention.place)
         << mention.name
         << " is neither a root, a partition nor a variable of the module";
}

LogicalResult MentionReader::resolveColor(DictionaryAttr entry,
                                          Mention &mention) {
  mention.color = entry.getAs<DenseI64ArrayAttr>(mention::color);
  auto sums = dyn_cast_or_null<ArrayAttr>(mention.projection);
  if (!mention.color && !sums)
    return success();
  auto partition = dyn_cast<PartitionOp>(mention.declaration);
  if (!partition)
    return emitError(mention.place)
           << mention.name << " is no partition, and so has no colors";
  ArrayAttr extents = partition.getColors();
  const size_t count = sums ? sums.size() : mention.color.size();
  if (count != extents.size())
    return emitError(mention.place)
           << "gives a color with " << count << " numbers, but " << mention.name
           << " has colors with " << extents.size();
  if (sums)
    return success();
  for (auto [number, extent] : llvm::zip(mention.color.asArrayRef(), extents)) {
    int64_t known = constantExtent(extent);
    if (number < 0 || number >= (known ? known : maxColor))
      return emitError(mention.place)
             << "names color " << number << " of " << mention.name
             << ", which has colors 0 to " << (known ? known : maxColor) - 1;
  }
  if (linearColor(extents, mention.color.asArrayRef()))
    return success();
  return emitError(mention.place)
         << "names a color of " << mention.name
         << " that may be beyond all that there can be; give the extents of "
            "its colors as numbers";
}

LogicalResult MentionReader::resolveFields(DictionaryAttr entry,
                                           Mention &mention) {
  auto names = entry.getAs<ArrayAttr>(mention::fields);
  SymbolTableCollection tables;
  auto root = dyn_cast<RootOp>(rootOf(mention.declaration, tables));
  if (!root && names)
    return emitError(mention.place)
           << mention.name << " is a variable, which has no fields";
  if (names)
    for (auto name : names.getAsRange<StringAttr>())
      if (root.getFieldIndex(name) < 0)
        return emitError(mention.place)
               << "names field " << name << ", which root '"
               << root.getSymName() << "' does not have";
  if (root)
    mention.fields = importer.fields(mention.name, names);
  return success();
}

/// Errors that name an edge by its number otherwise.
LogicalResult MentionReader::checkProjection(NodeOpInterface node,
                                             const Mention &mention) {
  if (!mention.projection)
    return success();
  if (!node.getOverAttr())
    return emitError(mention.place) << "has a projection, but " << nameOf(node)
                                    << " is not launched: there is no 'over'";
  if (!mention.isWholePartition() && !isa<StringAttr>(mention.projection))
    return emitError(mention.place) << "has a projection, but " << mention.name
                                    << " is not a partition as a whole";
  return success();
}

/// One color for all points of a launch.
static Attribute constantProjection(DenseI64ArrayAttr color,
                                    NodeOpInterface node) {
  MLIRContext *context = node->getContext();
  SmallVector<AffineExpr> results;
  for (int64_t number : color.asArrayRef())
    results.push_back(getAffineConstantExpr(number, context));
  return AffineMapAttr::get(
      AffineMap::get(node.getOverAttr().size(), 0, results, context));
}

/// A single node with colors that depend on iterations becomes a launch.
static LogicalResult launchIfNeeded(NodeOpInterface node, ArrayAttr entries) {
  bool needsLaunch = false;
  if (node.getOverAttr())
    return success();
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    auto sums = readSums(entry.get(mention::projection));
    if (!sums)
      continue;
    Location place = entry.getAs<LocationAttr>(mention::place);
    for (const Sum &sum : *sums)
      for (const Sum::Term &term : sum.terms)
        if (isa<IntegerAttr>(term.name))
          return emitError(place)
                 << "depends on the point, but " << MentionReader::nameOf(node)
                 << " is not launched: there is no 'over'";
    if (node.getNodeKind() == NodeKind::Host)
      return emitError(place)
             << "depends on an iteration or a parameter, but "
             << MentionReader::nameOf(node)
             << " runs on the main thread, and cannot choose colors; let a "
                "task do it";
    needsLaunch = true;
  }
  Builder builder(node->getContext());
  if (needsLaunch)
    node->setAttr("over", builder.getArrayAttr({builder.getI64IntegerAttr(1)}));
  return success();
}

FailureOr<MentionReader::Mentions>
MentionReader::resolve(NodeOpInterface node) {
  auto entries = node->getAttrOfType<ArrayAttr>(mentionsAttribute);
  Mentions mentions;
  if (!entries)
    return mentions;
  const bool wasSingle = !node.getOverAttr();
  if (failed(launchIfNeeded(node, entries)))
    return failure();
  const bool isLaunched = wasSingle && node.getOverAttr();
  // A launch that names colors and all of a partition has one version of it.
  llvm::SmallPtrSet<Attribute, 4> wholes;
  if (node.getOverAttr())
    for (auto entry : entries.getAsRange<DictionaryAttr>())
      if (!entry.get(mention::color))
        wholes.insert(entry.get(mention::region));
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    Mention mention{
        .edge = EdgeKind(entry.getAs<IntegerAttr>(mention::edge).getInt()),
        .name = entry.getAs<FlatSymbolRefAttr>(mention::region),
        .projection = entry.get(mention::projection),
        .reduction = entry.get(mention::reduction),
        .place = Location(entry.getAs<LocationAttr>(mention::place))};
    if (mention.edge == EdgeKind::Continues)
      return emitError(mention.place)
             << "needs no 'continues': a reduction continues the version "
                "before it";
    if (failed(resolveName(entry, mention)) ||
        failed(resolveColor(entry, mention)) ||
        failed(resolveFields(entry, mention)))
      return failure();
    if (mention.color && wholes.contains(mention.name)) {
      mention.projection = constantProjection(mention.color, node);
      mention.color = {};
    }
    if (isLaunched && mention.isWholePartition() && !mention.projection)
      mention.projection = StringAttr::get(node->getContext(), "whole");
    if (failed(checkProjection(node, mention)))
      return failure();
    mention.region = importer.region(mention.name, mention.color);
    mentions.push_back(mention);
  }
  return mentions;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// True if the node, which overwrites what its points have, overwrites all of
/// the region.
bool MentionReader::overwritesAll(NodeOpInterface node,
                                  const Mention &mention) const {
  ArrayAttr over = node.getOverAttr();
  if (!over || isa_and_nonnull<StringAttr>(mention.projection))
    return true;
  return mention.isWholePartition() && !mention.projection &&
         over == cast<PartitionOp>(mention.declaration).getColors();
}

FailureOr<std::vector<MentionedArgument>>
MentionReader::read(NodeOpInterface node) {
  FailureOr<Mentions> mentions = resolve(node);
  if (failed(mentions))
    return failure();
  using Key = std::tuple<RegionIndex, const void *, unsigned>;
  auto keyOf = [](const Mention &mention, unsigned field) {
    return Key(mention.region, mention.projection.getAsOpaquePointer(), field);
  };
  auto forEachField = [](FieldMask fields, auto visit) {
    for (; fields; fields &= fields - 1)
      visit(unsigned(llvm::countr_zero(fields)));
  };
  std::map<Key, FieldUse> uses;
  bool isMixed = false;
  for (const Mention &mention : *mentions)
    forEachField(mention.fields, [&](unsigned field) {
      FieldUse &use = uses[keyOf(mention, field)];
      use.isRead |= mention.edge == EdgeKind::Read;
      use.isWritten |= mention.edge == EdgeKind::Write;
      use.isDiscarded |= mention.edge == EdgeKind::Discard;
      isMixed |= mention.reduction && use.reduction &&
                 use.reduction != mention.reduction;
      if (mention.reduction)
        use.reduction = mention.reduction;
    });
  std::vector<MentionedArgument> arguments;
  std::map<Key, bool> isPlaced;
  for (const Mention &mention : *mentions) {
    std::vector<std::pair<FieldUse, FieldMask>> groups;
    forEachField(mention.fields, [&](unsigned field) {
      if (std::exchange(isPlaced[keyOf(mention, field)], true))
        return;
      const FieldUse &use = uses[keyOf(mention, field)];
      auto known = llvm::find_if(
          groups, [&](const auto &group) { return group.first == use; });
      if (known == groups.end())
        known = groups.insert(groups.end(), {use, 0});
      known->second |= FieldMask(1) << field;
    });
    for (auto &[use, fields] : groups) {
      MentionedArgument argument{.region = mention.region,
                                 .fields = fields,
                                 .projection = mention.projection,
                                 .reduction = use.reduction,
                                 .place = mention.place};
      if (isMixed ||
          (use.reduction && (use.isRead || use.isWritten || use.isDiscarded)))
        return emitError(mention.place)
               << nameOf(node) << " reduces into '"
               << module.forest.name(mention.region)
               << "', and accesses it in another way, too; let it do one of "
                  "them, or name the versions";
      if (use.isDiscarded && !use.isWritten)
        return emitError(mention.place) << nameOf(node) << " discards '"
                                        << module.forest.name(mention.region)
                                        << "', but does not write it";
      if (use.reduction) {
        argument.privilege = Privilege::Reduce;
        argument.reductionIndex = importer.reduction(use.reduction);
      } else if (use.isWritten) {
        // A task that may leave elements unchanged in effect reads them.
        const bool isOverwritten =
            isa<VariableOp>(mention.declaration) ||
            ((use.isDiscarded || isa<CopyOp, FillOp>(node.getOperation())) &&
             overwritesAll(node, mention));
        argument.privilege = !use.isRead && isOverwritten
                                 ? Privilege::WriteDiscard
                                 : Privilege::ReadWrite;
      }
      arguments.push_back(argument);
    }
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// From regions to names
//===----------------------------------------------------------------------===//

RegionMention MentionReader::mentionOf(RegionIndex region) const {
  const RegionForest &forest = module.forest;
  MLIRContext *context = importer.context();
  if (forest.kind(region) != sluice::rdir::RegionKind::Subregion)
    return {FlatSymbolRefAttr::get(context, forest.name(region)), {}};
  auto name =
      FlatSymbolRefAttr::get(context, forest.name(forest.parent(region)));
  return {name, DenseI64ArrayAttr::get(context, forest.colorPoint(region))};
}

ArrayAttr MentionReader::fieldNames(RegionIndex region,
                                    FieldMask fields) const {
  Operation *declaration = importer.declaration(FlatSymbolRefAttr::get(
      importer.context(), module.forest.name(module.forest.root(region))));
  auto root = dyn_cast<RootOp>(declaration);
  if (!root || root.getFieldNames().empty())
    return {};
  SmallVector<Attribute> names;
  for (auto [index, name] : llvm::enumerate(root.getFieldNames()))
    if (fields >> index & 1)
      names.push_back(name);
  return names.size() == root.getFieldNames().size()
             ? ArrayAttr()
             : Builder(importer.context()).getArrayAttr(names);
}
