//===- ExportModule.cpp - Graphs as rdir modules --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates an operation per node first, without edges, since edges may lead
// anywhere. Then adds the edges, each at its compute node, in the order of the
// graph.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/ExportModule.h"
#include "ExportForest.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// The edges of one operation while they are collected.
struct EdgeLists {
  SmallVector<Value> operands;
  SmallVector<int8_t> kinds;
  SmallVector<int32_t> ports;
  SmallVector<Attribute> projections, reductions;
  bool hasProjections = false;
};

class GraphExporter {
public:
  GraphExporter(ModuleOp module, const Graph &graph,
                const ExportOptions &options)
      : module(module), symbols(module), builder(module.getContext()),
        graph(graph), options(options), place(builder.getUnknownLoc()) {}

  GraphOp run(StringRef name);
  /// By region. Empty if the forest's names are the symbols.
  std::vector<FlatSymbolRefAttr> symbolsOfRegions;

private:
  Operation *addNode(NodeIndex node);
  Operation *addData(const Node &node);
  Operation *addCompute(NodeIndex node);
  TypedAttr fillValue(NodeIndex node);
  ArrayAttr fields(Operation *root, FieldMask mask);
  FlatSymbolRefAttr symbolOf(RegionIndex region);
  void addEdges(NodeIndex node);
  void addEdge(EdgeLists &lists, NodeIndex node, const Edge &edge);
  Attribute reduction(ReductionIndex index);
  Attribute projection(NodeIndex compute, NodeIndex data, uint32_t index);
  ArrayAttr domain(uint32_t index);

  ModuleOp module;
  SymbolTable symbols;
  SymbolTableCollection tables;
  OpBuilder builder;
  const Graph &graph;
  const ExportOptions &options;
  Location place;
  std::vector<Operation *> operations;
  llvm::DenseMap<uint32_t, ArrayAttr> domains;
};
} // namespace

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr GraphExporter::symbolOf(RegionIndex region) {
  if (!symbolsOfRegions.empty())
    return symbolsOfRegions[region];
  return FlatSymbolRefAttr::get(builder.getContext(),
                                graph.regions().name(region));
}

ArrayAttr GraphExporter::fields(Operation *root, FieldMask mask) {
  auto array = dyn_cast<RootOp>(root);
  if (!array)
    return {};
  SmallVector<Attribute> names;
  for (auto [index, name] : llvm::enumerate(array.getFieldNames()))
    if (mask >> index & 1)
      names.push_back(name);
  return names.size() == array.getFieldNames().size()
             ? ArrayAttr()
             : builder.getArrayAttr(names);
}

/// The coordinates of a color of `partition`.
static SmallVector<int64_t> splitColor(PartitionOp partition, int64_t color) {
  ArrayRef<Attribute> extents = partition.getColors().getValue();
  SmallVector<int64_t> numbers(extents.size());
  for (size_t i = extents.size(); i-- > 1;) {
    int64_t extent = constantExtent(extents[i]);
    extent = extent ? extent : maxColor;
    numbers[i] = color % extent;
    color /= extent;
  }
  numbers[0] = color;
  return numbers;
}

Operation *GraphExporter::addData(const Node &node) {
  const RegionForest &forest = graph.regions();
  bool isColor =
      forest.kind(node.region) == sluice::rdir::RegionKind::Subregion;
  FlatSymbolRefAttr name =
      symbolOf(isColor ? forest.parent(node.region) : node.region);
  Operation *declaration = symbols.lookup(name.getAttr());
  assert(declaration && "the module declares all regions");
  auto kinds = builder.getDenseI8ArrayAttr({});
  auto initial = node.isInitial ? builder.getUnitAttr() : UnitAttr();
  Type type = NodeType::get(builder.getContext());
  if (isa<VariableOp>(declaration))
    return ScalarOp::create(builder, place, type, name, initial, ValueRange(),
                            kinds, {}, {}, {});
  DenseI64ArrayAttr color;
  if (isColor)
    color = builder.getDenseI64ArrayAttr(
        splitColor(cast<PartitionOp>(declaration), forest.color(node.region)));
  return RegionOp::create(builder, place, type, name, color,
                          fields(rootOf(declaration, tables), node.fields),
                          initial, ValueRange(), kinds, {}, {}, {});
}

/// Zero, in the type of the data that the node writes.
TypedAttr GraphExporter::fillValue(NodeIndex node) {
  Type type = builder.getI64Type();
  for (uint32_t index : graph.out(node)) {
    const Edge &edge = graph.edge(index);
    auto region = dyn_cast_or_null<RegionOp>(operations[edge.to]);
    if (edge.kind != EdgeKind::Write || !region)
      continue;
    Operation *declaration = symbols.lookup(region.getRegion());
    auto root = cast<RootOp>(rootOf(declaration, tables));
    unsigned field = llvm::countr_zero(graph.node(edge.to).fields);
    type = cast<TypeAttr>(root.getFieldTypes()[field]).getValue();
    if (auto vector = dyn_cast<VectorType>(type))
      type = vector.getElementType();
  }
  return builder.getZeroAttr(type);
}

Operation *GraphExporter::addCompute(NodeIndex index) {
  const Node &node = graph.node(index);
  auto kinds = builder.getDenseI8ArrayAttr({});
  Type type = NodeType::get(builder.getContext());
  ArrayAttr over =
      node.domain == UINT32_MAX ? ArrayAttr() : domain(node.domain);
  auto create = [&]<typename OpT>(OpT *, auto... own) -> Operation * {
    return OpT::create(builder, place, type, own..., ValueRange(), kinds,
                       ArrayAttr(), ArrayAttr(), DenseI32ArrayAttr(), over,
                       ArrayAttr(), DenseI8ArrayAttr());
  };
  FlatSymbolRefAttr function;
  if (std::string name = options.function ? options.function(index) : "";
      !name.empty())
    function = FlatSymbolRefAttr::get(builder.getContext(), name);
  Operation *op = nullptr;
  switch (node.kind) {
  case NodeKind::Region:
  case NodeKind::Task:
    return create(static_cast<TaskOp *>(nullptr), function);
  case NodeKind::Host:
    return create(static_cast<HostOp *>(nullptr), function);
  case NodeKind::Open:
    return create(static_cast<OpenOp *>(nullptr));
  case NodeKind::Close:
    return create(static_cast<CloseOp *>(nullptr));
  case NodeKind::Copy:
    return create(static_cast<CopyOp *>(nullptr));
  case NodeKind::Fill:
    return create(static_cast<FillOp *>(nullptr), fillValue(index));
  case NodeKind::Loop:
    op = create(static_cast<LoopOp *>(nullptr),
                Attribute(builder.getI64IntegerAttr(1)), FlatSymbolRefAttr());
    break;
  case NodeKind::MustEpoch:
    op = create(static_cast<MustEpochOp *>(nullptr));
    break;
  }
  op->getRegion(0).emplaceBlock();
  return op;
}

Operation *GraphExporter::addNode(NodeIndex index) {
  const Node &node = graph.node(index);
  return isCompute(node.kind) ? addCompute(index) : addData(node);
}

ArrayAttr GraphExporter::domain(uint32_t index) {
  ArrayAttr &known = domains[index];
  if (known)
    return known;
  SmallVector<Attribute> extents;
  for (int64_t extent : graph.domain(index).extents) {
    if (extent) {
      extents.push_back(builder.getI64IntegerAttr(extent));
      continue;
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto parameter = ParameterOp::create(builder, place, "points", StringAttr(),
                                         builder.getI64IntegerAttr(1));
    extents.push_back(FlatSymbolRefAttr::get(symbols.insert(parameter)));
  }
  return known = builder.getArrayAttr(extents);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

Attribute GraphExporter::reduction(ReductionIndex index) {
  static const char *const operators[] = {"+", "*", "min", "max"};
  if (options.reduction)
    return options.reduction(index);
  return builder.getStringAttr(operators[index % std::size(operators)]);
}

static bool isIdentity(const Projection &projection, size_t numDims) {
  if (projection.numColorDims != numDims)
    return false;
  for (size_t i = 0; i != projection.matrix.size(); ++i)
    if (projection.matrix[i] != (i % (numDims + 1) == 0))
      return false;
  return llvm::all_of(projection.offset, [](int64_t o) { return o == 0; });
}

/// Creates the attribute of an edge's projection.
Attribute GraphExporter::projection(NodeIndex compute, NodeIndex data,
                                    uint32_t index) {
  const Node &launch = graph.node(compute), &version = graph.node(data);
  Attribute unit = builder.getUnitAttr();
  if (!isCompute(launch.kind) || isCompute(version.kind) ||
      launch.domain == UINT32_MAX ||
      graph.regions().kind(version.region) !=
          sluice::rdir::RegionKind::Partition)
    return unit;
  if (index == UINT32_MAX)
    return builder.getStringAttr("whole");
  const Projection &projection = graph.projection(index);
  if (projection.isOpaque)
    return FlatSymbolRefAttr::get(builder.getContext(),
                                  "projection" + std::to_string(index));
  unsigned numDims = graph.domain(launch.domain).extents.size();
  if (isIdentity(projection, numDims))
    return unit;
  SmallVector<AffineExpr> rows;
  for (unsigned row = 0; row != projection.numColorDims; ++row) {
    AffineExpr sum = builder.getAffineConstantExpr(projection.offset[row]);
    for (unsigned dim = 0; dim != numDims; ++dim)
      sum = sum + builder.getAffineDimExpr(dim) *
                      projection.matrix[row * numDims + dim];
    rows.push_back(sum);
  }
  return AffineMapAttr::get(
      AffineMap::get(numDims, 0, rows, builder.getContext()));
}

void GraphExporter::addEdge(EdgeLists &lists, NodeIndex node,
                            const Edge &edge) {
  NodeIndex other = edge.to == node ? edge.from : edge.to;
  EdgeCode code{edge.kind, /*isOutgoing=*/edge.to != node};
  lists.operands.push_back(operations[other]->getResult(0));
  lists.kinds.push_back(code.encode());
  lists.ports.push_back(edge.kind == EdgeKind::HappensBefore ? -1 : edge.port);
  bool isAtData = !isCompute(graph.node(node).kind);
  lists.projections.push_back(projection(
      isAtData ? other : node, isAtData ? node : other, edge.projection));
  lists.hasProjections |= !isa<UnitAttr>(lists.projections.back());
  if (edge.kind == EdgeKind::Reduce)
    lists.reductions.push_back(reduction(edge.reduction));
}

/// The node that holds an edge: the computation it leads to, otherwise the
/// computation it comes from, otherwise the data node it leads to.
static NodeIndex holderOf(const Graph &graph, const Edge &edge) {
  if (isCompute(graph.node(edge.to).kind))
    return edge.to;
  return isCompute(graph.node(edge.from).kind) ? edge.from : edge.to;
}

void GraphExporter::addEdges(NodeIndex node) {
  SmallVector<uint32_t> indices;
  for (std::span<const uint32_t> list : {graph.in(node), graph.out(node)})
    for (uint32_t index : list)
      if (holderOf(graph, graph.edge(index)) == node)
        indices.push_back(index);
  if (indices.empty())
    return;
  // An edge from a node to itself is in both lists.
  llvm::sort(indices);
  indices.erase(llvm::unique(indices), indices.end());
  EdgeLists lists;
  for (uint32_t index : indices)
    addEdge(lists, node, graph.edge(index));
  Operation *op = operations[node];
  op->setOperands(lists.operands);
  op->setAttr("kinds", builder.getDenseI8ArrayAttr(lists.kinds));
  if (lists.hasProjections)
    op->setAttr("projections", builder.getArrayAttr(lists.projections));
  if (!lists.reductions.empty())
    op->setAttr("reductions", builder.getArrayAttr(lists.reductions));
  bool isDefault = isCompute(graph.node(node).kind);
  if (isDefault)
    for (auto [port, byDefault] :
         llvm::zip(lists.ports, edgePorts(cast<NodeOpInterface>(op))))
      isDefault &= port < 0 || port == int32_t(byDefault);
  if (!isDefault)
    op->setAttr("ports", builder.getDenseI32ArrayAttr(lists.ports));
}

GraphOp GraphExporter::run(StringRef name) {
  builder.setInsertionPointToEnd(module.getBody());
  auto op = GraphOp::create(builder, place, name, StringAttr());
  symbols.insert(op);
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  // Data nodes come first, since a fill looks at the data that it writes.
  operations.assign(graph.numNodes(), nullptr);
  for (bool wantsCompute : {false, true})
    for (NodeIndex node = 0; node != graph.numNodes(); ++node)
      if (isCompute(graph.node(node).kind) == wantsCompute)
        operations[node] = addNode(node);
  Block &body = op.getBody().front();
  for (Operation *node : operations)
    node->moveBefore(&body, body.end());
  for (NodeIndex node = 0; node != graph.numNodes(); ++node)
    addEdges(node);
  return op;
}

GraphOp sluice::rdir::exportGraph(ModuleOp module, StringRef name,
                                  const Graph &graph,
                                  const ExportOptions &options) {
  return GraphExporter(module, graph, options).run(name);
}

OwningOpRef<ModuleOp> sluice::rdir::exportModule(MLIRContext &context,
                                                 StringRef name,
                                                 const Graph &graph,
                                                 const ExportOptions &options) {
  context.loadDialect<RDIRDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  std::vector<FlatSymbolRefAttr> names = exportForest(*module, graph);
  GraphExporter exporter(*module, graph, options);
  exporter.symbolsOfRegions = std::move(names);
  exporter.run(name);
  return module;
}
