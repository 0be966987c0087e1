//===- Builder.cpp - Writing rdir modules in C++ --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends and tests make rdir modules from C++. The builder spares them the
// attributes and segments of MLIR's generic interface.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Builder.h"

using namespace mlir;
using namespace sluice::rdir;

Attribute ExtentName::attribute(MLIRContext *context) const {
  if (ParameterOp named = parameter)
    return FlatSymbolRefAttr::get(named.getSymNameAttr());
  return Builder(context).getI64IntegerAttr(number);
}

static ArrayAttr extentsAttr(Builder &builder, const ExtentNames &extents) {
  SmallVector<Attribute> list;
  for (const ExtentName &extent : extents)
    list.push_back(extent.attribute(builder.getContext()));
  return builder.getArrayAttr(list);
}

static FlatSymbolRefAttr symbolOf(Operation *declaration) {
  return FlatSymbolRefAttr::get(
      cast<SymbolOpInterface>(declaration).getNameAttr());
}

//===----------------------------------------------------------------------===//
// NodeBuilder
//===----------------------------------------------------------------------===//

NodeBuilder NodeBuilder::initial() {
  op->setAttr("initial", Builder(op->getContext()).getUnitAttr());
  return *this;
}

NodeBuilder NodeBuilder::named(StringRef name) {
  op->setLoc(nameLocation(name, op->getLoc()));
  return *this;
}

NodeBuilder NodeBuilder::over(const ExtentNames &extents) {
  Builder builder(op->getContext());
  op->setAttr("over", extentsAttr(builder, extents));
  return *this;
}

NodeBuilder NodeBuilder::edge(EdgeCode code, Value other, Attribute projection,
                              Attribute reduction) {
  auto node = cast<NodeOpInterface>(op);
  Builder builder(op->getContext());
  SmallVector<int8_t> kinds(node.getKinds());
  SmallVector<Attribute> projections(kinds.size(), builder.getUnitAttr());
  if (ArrayAttr known = node.getProjectionsAttr())
    projections.assign(known.begin(), known.end());
  if (projection || node.getProjectionsAttr()) {
    projections.push_back(projection ? projection
                                     : Attribute(builder.getUnitAttr()));
    op->setAttr("projections", builder.getArrayAttr(projections));
  }
  if (code.kind == EdgeKind::Reduce) {
    SmallVector<Attribute> reductions;
    if (ArrayAttr known = node.getReductionsAttr())
      reductions.assign(known.begin(), known.end());
    reductions.push_back(reduction);
    op->setAttr("reductions", builder.getArrayAttr(reductions));
  }
  kinds.push_back(code.encode());
  op->setAttr("kinds", builder.getDenseI8ArrayAttr(kinds));
  op->insertOperands(op->getNumOperands(), other);
  return *this;
}

NodeBuilder NodeBuilder::reads(Value data, Attribute projection) {
  return edge({EdgeKind::Read, false}, data, projection);
}
NodeBuilder NodeBuilder::writes(Value data, Attribute projection) {
  return edge({EdgeKind::Write, true}, data, projection);
}
NodeBuilder NodeBuilder::discards(Value data, Attribute projection) {
  return edge({EdgeKind::Discard, false}, data, projection);
}
NodeBuilder NodeBuilder::continues(Value data, Attribute projection) {
  return edge({EdgeKind::Continues, false}, data, projection);
}
NodeBuilder NodeBuilder::reduces(StringRef reduction, Value data,
                                 Attribute projection) {
  return edge({EdgeKind::Reduce, true}, data, projection,
              StringAttr::get(op->getContext(), reduction));
}
NodeBuilder NodeBuilder::reduces(ReductionOp reduction, Value data,
                                 Attribute projection) {
  return edge({EdgeKind::Reduce, true}, data, projection, symbolOf(reduction));
}
NodeBuilder NodeBuilder::after(Value compute) {
  return edge({EdgeKind::HappensBefore, false}, compute);
}

//===----------------------------------------------------------------------===//
// GraphBuilder
//===----------------------------------------------------------------------===//

GraphBuilder::GraphBuilder(Block *body)
    : builder(OpBuilder::atBlockEnd(body)), place(builder.getUnknownLoc()) {}

static Type nodeType(OpBuilder &builder) {
  return NodeType::get(builder.getContext());
}

NodeBuilder GraphBuilder::region(const RegionName &name) {
  DenseI64ArrayAttr color;
  ArrayAttr fields;
  if (!name.color.empty())
    color = builder.getDenseI64ArrayAttr(name.color);
  if (!name.fields.empty()) {
    SmallVector<StringRef> list(name.fields.begin(), name.fields.end());
    fields = builder.getStrArrayAttr(list);
  }
  return NodeBuilder(RegionOp::create(
      builder, place, nodeType(builder), symbolOf(name.declaration), color,
      fields, UnitAttr(), ValueRange(), builder.getDenseI8ArrayAttr({}), {}, {},
      {}));
}

NodeBuilder GraphBuilder::scalar(VariableOp variable) {
  return NodeBuilder(ScalarOp::create(
      builder, place, nodeType(builder), symbolOf(variable), UnitAttr(),
      ValueRange(), builder.getDenseI8ArrayAttr({}), {}, {}, {}));
}

/// Creates a compute node with its specific operands, and without edges.
template <typename OpT, typename... OwnT>
static NodeBuilder createCompute(OpBuilder &builder, Location place,
                                 OwnT... own) {
  auto op = OpT::create(builder, place, nodeType(builder), own..., ValueRange(),
                        builder.getDenseI8ArrayAttr({}), ArrayAttr(),
                        ArrayAttr(), DenseI32ArrayAttr(), ArrayAttr(),
                        ArrayAttr(), DenseI8ArrayAttr());
  for (mlir::Region &region : op->getRegions())
    region.emplaceBlock();
  return NodeBuilder(op);
}

static FlatSymbolRefAttr functionAttr(OpBuilder &builder, StringRef name) {
  return name.empty() ? FlatSymbolRefAttr()
                      : FlatSymbolRefAttr::get(builder.getContext(), name);
}

NodeBuilder GraphBuilder::task(StringRef function) {
  return createCompute<TaskOp>(builder, place, functionAttr(builder, function));
}
NodeBuilder GraphBuilder::host(StringRef function) {
  return createCompute<HostOp>(builder, place, functionAttr(builder, function));
}
NodeBuilder GraphBuilder::open() {
  return createCompute<OpenOp>(builder, place);
}
NodeBuilder GraphBuilder::close() {
  return createCompute<CloseOp>(builder, place);
}
NodeBuilder GraphBuilder::copy() {
  return createCompute<CopyOp>(builder, place);
}
NodeBuilder GraphBuilder::fill(TypedAttr value) {
  return createCompute<FillOp>(builder, place, value);
}
NodeBuilder GraphBuilder::loop(const ExtentName &count) {
  return createCompute<LoopOp>(builder, place,
                               count.attribute(builder.getContext()),
                               FlatSymbolRefAttr());
}
NodeBuilder GraphBuilder::loopWhile(VariableOp condition) {
  return createCompute<LoopOp>(builder, place, Attribute(),
                               symbolOf(condition));
}
NodeBuilder GraphBuilder::mustEpoch() {
  return createCompute<MustEpochOp>(builder, place);
}

GraphBuilder GraphBuilder::body(NodeBuilder node) {
  return GraphBuilder(cast<NodeOpInterface>(node.operation()).getNestedBody());
}

//===----------------------------------------------------------------------===//
// ModuleBuilder
//===----------------------------------------------------------------------===//

/// Loads the dialect, since operations are created next.
static OwningOpRef<ModuleOp> createModule(MLIRContext &context) {
  context.loadDialect<RDIRDialect>();
  return ModuleOp::create(UnknownLoc::get(&context));
}

ModuleBuilder::ModuleBuilder(MLIRContext &context)
    : module(createModule(context)),
      builder(OpBuilder::atBlockEnd(module->getBody())),
      place(builder.getUnknownLoc()) {}

ParameterOp ModuleBuilder::parameter(StringRef name, int64_t value) {
  return ParameterOp::create(builder, place, name, StringAttr(),
                             builder.getI64IntegerAttr(value));
}

VariableOp ModuleBuilder::variable(StringRef name, TypedAttr value) {
  return VariableOp::create(builder, place, name, StringAttr(), value);
}

RootOp
ModuleBuilder::root(StringRef name, const ExtentNames &extents,
                    const std::vector<std::pair<std::string, Type>> &fields) {
  SmallVector<Attribute> names, types;
  for (const auto &[field, type] : fields) {
    names.push_back(builder.getStringAttr(field));
    types.push_back(TypeAttr::get(type));
  }
  return RootOp::create(
      builder, place, name, StringAttr(), extentsAttr(builder, extents),
      builder.getArrayAttr(names), builder.getArrayAttr(types));
}

/// Creates a partition with a rule that has no parts of its own.
static PartitionOp createPartition(OpBuilder &builder, Location place,
                                   StringRef name, const RegionName &parent,
                                   ArrayAttr colors, bool isDisjoint,
                                   bool isComplete, PartitionKind kind) {
  DenseI64ArrayAttr color;
  if (!parent.color.empty())
    color = builder.getDenseI64ArrayAttr(parent.color);
  auto flag = [&](bool isSet) {
    return isSet ? builder.getUnitAttr() : UnitAttr();
  };
  return PartitionOp::create(
      builder, place, builder.getStringAttr(name), StringAttr(),
      symbolOf(parent.declaration), color, colors, flag(isDisjoint),
      flag(isComplete), PartitionKindAttr::get(builder.getContext(), kind),
      FlatSymbolRefAttr(), FlatSymbolRefAttr(), StringAttr(),
      FlatSymbolRefAttr(), DenseI64ArrayAttr(), UnitAttr(), DenseI64ArrayAttr(),
      UnitAttr(), StringAttr(), UnitAttr(), ArrayAttr(), DenseI64ArrayAttr());
}

PartitionOp ModuleBuilder::blocks(StringRef name, const RegionName &parent,
                                  const ExtentNames &colors) {
  return createPartition(builder, place, name, parent,
                         extentsAttr(builder, colors), /*isDisjoint=*/true,
                         /*isComplete=*/true, PartitionKind::Blocks);
}

PartitionOp ModuleBuilder::halos(StringRef name, PartitionOp partition,
                                 ArrayRef<int64_t> width, bool hasCorners) {
  SymbolTableCollection tables;
  PartitionOp op = createPartition(
      builder, place, name, RegionName(cast<RootOp>(rootOf(partition, tables))),
      partition.getColors(), /*isDisjoint=*/false, partition.getIsComplete(),
      PartitionKind::Halo);
  op.setLeftAttr(symbolOf(partition));
  op.setWidth(width);
  op.setAxesOnly(!hasCorners);
  return op;
}

PartitionOp ModuleBuilder::abstractPartition(StringRef name,
                                             const RegionName &parent,
                                             const ExtentNames &colors,
                                             bool isDisjoint, bool isComplete) {
  return createPartition(builder, place, name, parent,
                         extentsAttr(builder, colors), isDisjoint, isComplete,
                         PartitionKind::Abstract);
}

GraphBuilder ModuleBuilder::graph(StringRef name) {
  auto op = GraphOp::create(builder, place, name, StringAttr());
  return GraphBuilder(&op.getBody().emplaceBlock());
}
