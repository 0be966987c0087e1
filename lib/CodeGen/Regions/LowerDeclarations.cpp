//===- LowerDeclarations.cpp - Roots, partitions, parameters --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step from a module to a RegionProgram: the declarations that graphs
// refer to.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

ElementType codegen::elementTypeOf(mlir::Type type, unsigned *count) {
  if (count)
    *count = 1;
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    if (count)
      *count = unsigned(vector.getNumElements());
    type = vector.getElementType();
  }
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return ElementType::I8;
  case 16:
    return ElementType::I16;
  case 32:
    return ElementType::I32;
  default:
    return ElementType::I64;
  }
}

ValueBits codegen::bitsOf(mlir::Attribute value) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value))
    return integer.getValue().getZExtValue();
  return mlir::cast<mlir::FloatAttr>(value)
      .getValue()
      .bitcastToAPInt()
      .getZExtValue();
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

Extent ProgramLowering::extentOf(mlir::Operation *op, mlir::Attribute extent) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(extent))
    return {integer.getInt(), noIndex};
  if (mlir::isa<mlir::ArrayAttr>(extent))
    return sumOf(op, *rdir::readSum(extent));
  auto name = mlir::cast<mlir::FlatSymbolRefAttr>(extent);
  mlir::Operation *declaration = rdir::lookupDeclaration(op, name, tables);
  auto index = parameters.find(declaration);
  if (index == parameters.end() ||
      !isInteger(program.parameters[index->second].type)) {
    fail(op) << "the extent '@" << name.getValue()
             << "' is no parameter of an integer type";
    return {};
  }
  return {0, index->second};
}

/// The verifier has looked up the names.
Extent ProgramLowering::sumOf(mlir::Operation *op, const rdir::Sum &sum) {
  Extent result{sum.constant, noIndex};
  for (const rdir::Sum::Term &term : sum.terms) {
    ExtentTerm to{.factor = term.factor};
    if (auto name = mlir::dyn_cast<mlir::StringAttr>(term.name))
      to.iteration = rdir::iterationDepth(rdir::loopOfIteration(op, name));
    else
      to.parameter = extentOf(op, term.name).parameter;
    result.terms.push_back(to);
  }
  return result;
}

std::vector<Extent> ProgramLowering::extentsOf(mlir::Operation *op,
                                               mlir::ArrayAttr extents) {
  std::vector<Extent> result;
  for (mlir::Attribute extent : extents)
    result.push_back(extentOf(op, extent));
  return result;
}

void ProgramLowering::lowerRoot(rdir::RootOp op) {
  if (op.getFieldNames().empty())
    refuseToRun(op, "root '@" + op.getSymName() +
                        "' has no fields, so the program can be checked but "
                        "not run; add them, as in '{x : f64}'");
  roots[op] = program.roots.size();
  RegionRoot root;
  root.name = op.getSymName();
  root.extents = extentsOf(op, op.getExtents());
  for (auto [name, type] : zip(op.getFieldNames(), op.getFieldTypes())) {
    RegionField field;
    field.name = mlir::cast<mlir::StringAttr>(name).getValue();
    field.type = elementTypeOf(mlir::cast<mlir::TypeAttr>(type).getValue(),
                               &field.count);
    root.fields.push_back(field);
  }
  program.roots.push_back(std::move(root));
}

void ProgramLowering::lowerVariable(rdir::VariableOp op) {
  roots[op] = program.roots.size();
  RegionRoot root;
  root.name = op.getSymName();
  root.fields = {{"value", elementTypeOf(op.getValue().getType()), 1}};
  root.isScalar = true;
  root.initial = bitsOf(op.getValue());
  program.roots.push_back(std::move(root));
}

int64_t ProgramLowering::linearColor(mlir::Operation *op, unsigned partition,
                                     ArrayRef<int64_t> color) {
  int64_t linear = 0;
  for (auto [d, index] : enumerate(color)) {
    const Extent &extent = program.partitions[partition].colors[d];
    const bool isKnown = extent.parameter == noIndex;
    if (d != 0 && !isKnown)
      refuseToRun(op, "color " + Twine(d) + " of '@" +
                          program.partitions[partition].name +
                          "' has the parameter '@" +
                          program.parameters[extent.parameter].name +
                          "' as extent, so that the place of a single color is "
                          "not known; give the extent as a number");
    // The verifier has checked that this fits.
    linear = linear * (isKnown ? extent.constant : rdir::maxColor) + index;
  }
  return linear;
}

unsigned ProgramLowering::partitionOf(mlir::Operation *op,
                                      mlir::FlatSymbolRefAttr name) {
  mlir::Operation *declaration = rdir::lookupDeclaration(op, name, tables);
  auto index = partitions.find(declaration);
  if (index != partitions.end())
    return index->second;
  fail(op) << "'@" << name.getValue() << "' is no partition declared before";
  return noIndex;
}

static PartitionKind kindOf(rdir::PartitionOp op) {
  const bool hasRanges = op.getLastAttr() || op.getToNext();
  switch (op.getKind()) {
  case rdir::PartitionKind::Abstract:
    return PartitionKind::Abstract;
  case rdir::PartitionKind::Blocks:
    return PartitionKind::Blocks;
  case rdir::PartitionKind::Halo:
    return PartitionKind::Halo;
  case rdir::PartitionKind::Coloring:
    return PartitionKind::Coloring;
  case rdir::PartitionKind::Field:
    return PartitionKind::ByField;
  case rdir::PartitionKind::Image:
    return hasRanges         ? PartitionKind::ImageOfRanges
           : op.getMapAttr() ? PartitionKind::MappedImage
                             : PartitionKind::Image;
  case rdir::PartitionKind::Preimage:
    return hasRanges         ? PartitionKind::PreimageOfRanges
           : op.getMapAttr() ? PartitionKind::MappedPreimage
                             : PartitionKind::Preimage;
  case rdir::PartitionKind::Union:
    return PartitionKind::Union;
  case rdir::PartitionKind::Intersection:
    return PartitionKind::Intersection;
  case rdir::PartitionKind::Difference:
    return PartitionKind::Difference;
  case rdir::PartitionKind::Cross:
    return PartitionKind::Cross;
  case rdir::PartitionKind::Each:
    return PartitionKind::BlocksOfEach;
  case rdir::PartitionKind::Color:
    return PartitionKind::ByMap;
  }
  llvm_unreachable("all kinds are handled");
}

void ProgramLowering::lowerMap(rdir::PartitionOp op,
                               RegionPartition &partition) {
  const auto sums = *rdir::readElementSums(op.getMapAttr());
  for (const rdir::ElementSum &entry : sums) {
    ElementCoordinate &to = partition.map.emplace_back();
    rdir::Sum rest{.constant = entry.sum.constant, .terms = {}, .modulus = {}};
    for (const rdir::Sum::Term &term : entry.sum.terms)
      if (auto coordinate = mlir::dyn_cast<mlir::IntegerAttr>(term.name))
        to.factors[coordinate.getInt()] = term.factor;
      else
        rest.terms.push_back(term);
    to.offset = sumOf(op, rest);
    to.divisor = entry.divisor ? extentOf(op, entry.divisor) : Extent{1};
    to.modulus = entry.modulus ? extentOf(op, entry.modulus) : Extent{0};
  }
}

/// The fields whose values a rule follows.
void ProgramLowering::lowerFields(rdir::PartitionOp op,
                                  RegionPartition &partition) {
  // The fields of an image are those of the partition whose colors it follows.
  unsigned root = partition.root;
  if (op.getKind() == rdir::PartitionKind::Image) {
    if (partition.left == noIndex)
      return;
    root = program.partitions[partition.left].root;
  }
  auto find = [&](StringRef name, unsigned &result) {
    for (auto [i, field] : enumerate(program.roots[root].fields))
      if (field.name == name)
        result = i;
    if (result == noIndex)
      fail(op) << "'@" << program.roots[root].name << "' has no field '" << name
               << "'";
  };
  find(*op.getField(), partition.field);
  if (op.getLast())
    find(*op.getLast(), partition.last);
}

/// Lowers the rule after `by`.
void ProgramLowering::lowerPartitionRule(rdir::PartitionOp op,
                                         RegionPartition &partition) {
  if (op.getLeftAttr())
    partition.left = partitionOf(op, op.getLeftAttr());
  if (op.getRightAttr())
    partition.right = partitionOf(op, op.getRightAttr());
  if (op.getRightWhole())
    partition.rightSide = RightSide::Whole;
  if (op.getRightColor() && partition.right != noIndex) {
    partition.rightSide = RightSide::Color;
    partition.rightColor =
        linearColor(op, partition.right, *op.getRightColor());
  }
  if (op.getFunction())
    partition.function = *op.getFunction();
  if (op.getWidth())
    partition.width.assign(op.getWidth()->begin(), op.getWidth()->end());
  partition.hasCorners = !op.getAxesOnly();
  for (int64_t dimension : op.getPeriodic().value_or(ArrayRef<int64_t>()))
    partition.periodic |= uint32_t(1) << dimension;
  if (op.getMapAttr())
    lowerMap(op, partition);
  if (op.getField())
    lowerFields(op, partition);
}

void ProgramLowering::lowerPartition(rdir::PartitionOp op) {
  RegionPartition partition;
  partition.name = op.getSymName();
  partition.kind = kindOf(op);
  partition.location = op.getLoc();
  if (partition.kind == PartitionKind::Abstract)
    refuseToRun(op, "partition '@" + Twine(partition.name) +
                        "' does not say which elements its colors have, so "
                        "the program can be checked but not run; add 'by "
                        "blocks', 'by coloring(@f)' or another rule");
  mlir::Operation *parent =
      rdir::lookupDeclaration(op, op.getParentAttr(), tables);
  auto root = roots.find(rdir::rootOf(op, tables));
  if (!parent || root == roots.end()) {
    fail(op) << "'@" << op.getParent() << "' is no region declared before";
    return;
  }
  partition.root = root->second;
  if (isa<rdir::PartitionOp>(parent)) {
    partition.parent = partitionOf(op, op.getParentAttr());
    if (partition.parent != noIndex && op.getParentColor())
      partition.parentColor =
          linearColor(op, partition.parent, *op.getParentColor());
  }
  partition.colors = extentsOf(op, op.getColors());
  partition.isDisjoint = op.getIsDisjoint();
  partition.isComplete = op.getIsComplete();
  lowerPartitionRule(op, partition);
  partitions[op] = program.partitions.size();
  program.partitions.push_back(std::move(partition));
  constrainToParent(program.partitions.size() - 1);
}

/// Blocks and colorings divide their parent; other rules only know the root.
void ProgramLowering::constrainToParent(unsigned index) {
  const RegionPartition &partition = program.partitions[index];
  if (partition.parent == noIndex || partition.kind == PartitionKind::Blocks ||
      partition.kind == PartitionKind::Coloring)
    return;
  program.constraints.push_back(
      {.isDisjoint = false,
       .first = {partition.root, index, -1},
       .second = {partition.root, partition.parent, partition.parentColor}});
}

RegionPart ProgramLowering::partOf(mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr name,
                                   std::optional<ArrayRef<int64_t>> color) {
  mlir::Operation *declaration = rdir::lookupDeclaration(op, name, tables);
  RegionPart part;
  part.root = roots.lookup(rdir::rootOf(declaration, tables));
  if (!isa<rdir::PartitionOp>(declaration))
    return part;
  part.partition = partitionOf(op, name);
  if (color && part.partition != noIndex)
    part.color = linearColor(op, part.partition, *color);
  return part;
}

void ProgramLowering::lowerConstraint(rdir::ConstraintOp op) {
  RegionPart first = partOf(op, op.getFirstAttr(), op.getFirstColor());
  RegionPart second = partOf(op, op.getSecondAttr(), op.getSecondColor());
  // Distinct roots are distinct memory; the checks reject constraints that
  // contradict this.
  if (first.root == second.root)
    program.constraints.push_back({op.getIsDisjoint(), first, second});
}

void ProgramLowering::lowerParameter(rdir::ParameterOp op) {
  parameters[op] = program.parameters.size();
  program.parameters.push_back({op.getSymName().str(),
                                elementTypeOf(op.getValue().getType()),
                                bitsOf(op.getValue())});
  const RegionParameter &added = program.parameters.back();
  for (const RegionParameter &other : ArrayRef(program.parameters).drop_back())
    if (parameterVariable(other) == parameterVariable(added))
      fail(op) << "the variables of parameters '@" << other.name << "' and '@"
               << added.name << "' would both be '" << parameterVariable(added)
               << "'; rename one of them";
}

void ProgramLowering::lowerDeclarations() {
  for (auto op : module.getOps<rdir::ParameterOp>())
    lowerParameter(op);
  for (mlir::Operation &op : *module.getBody()) {
    if (auto root = dyn_cast<rdir::RootOp>(op))
      lowerRoot(root);
    else if (auto variable = dyn_cast<rdir::VariableOp>(op))
      lowerVariable(variable);
  }
  for (auto op : module.getOps<rdir::PartitionOp>())
    lowerPartition(op);
  for (auto op : module.getOps<rdir::ConstraintOp>())
    if (!hasFailed)
      lowerConstraint(op);
}

unsigned ProgramLowering::reductionOf(mlir::Operation *op,
                                      mlir::Attribute reduction,
                                      ElementType type) {
  RegionReduction result;
  result.type = type;
  if (auto name = mlir::dyn_cast<mlir::StringAttr>(reduction)) {
    result.op = name.getValue();
  } else {
    auto symbol = mlir::cast<mlir::FlatSymbolRefAttr>(reduction);
    auto own = dyn_cast_or_null<rdir::ReductionOp>(
        rdir::lookupDeclaration(op, symbol, tables));
    if (!own) {
      fail(op) << "'@" << symbol.getValue() << "' is no rdir.reduction";
      return noIndex;
    }
    result.op = own.getSymName();
    result.identity = bitsOf(own.getIdentity());
    result.foldFunction = own.getFold();
    result.location = own.getLoc();
  }
  // A program's own operator may have the name of a built-in one.
  std::string key = (result.foldFunction.empty() ? "" : "@") + result.op;
  auto [entry, isNew] =
      reductionIndices.try_emplace({key, type}, program.reductions.size());
  if (isNew)
    program.reductions.push_back(std::move(result));
  return entry->second;
}
