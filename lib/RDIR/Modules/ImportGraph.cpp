//===- ImportGraph.cpp - One body becomes one graph -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the nodes of one body into the plain graph that the checks work on: no
// MLIR, numbers instead of names.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"
#include "../Dialect/Ports.h"

using namespace mlir;
using namespace sluice::rdir;

void GraphImporter::run(Block &body) {
  size_t numNodes = body.getOperations().size();
  result.operations.reserve(numNodes);
  result.indices.reserve(numNodes);
  fieldNames.reserve(numNodes);
  nextPorts.assign(numNodes, 0);
  for (Operation &op : body)
    addNode(cast<NodeOpInterface>(op));
  // Edges held by data nodes take ports after those of the computation.
  for (auto [index, op] : llvm::enumerate(result.operations))
    if (isCompute(graph.node(index).kind))
      addEdges(index, cast<NodeOpInterface>(op));
  for (auto [index, op] : llvm::enumerate(result.operations))
    if (!isCompute(graph.node(index).kind) && op->getNumOperands())
      addDataEdges(index, cast<NodeOpInterface>(op));
  graph.finish();
  addNested();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// True if the body describes a single iteration.
static bool isNestedBody(Operation *op) { return isa<LoopOp, MustEpochOp>(op); }

/// True if an edge of the node, or of one of its users, writes to it.
static bool isWritten(NodeOpInterface data) {
  auto writes = [](int8_t code, bool isOutgoing) {
    EdgeCode edge = EdgeCode::decode(code);
    return edge.isOutgoing == isOutgoing &&
           (edge.kind == EdgeKind::Write || edge.kind == EdgeKind::Reduce);
  };
  for (int8_t code : data.getKinds())
    if (writes(code, /*isOutgoing=*/false))
      return true;
  for (OpOperand &use : data->getResult(0).getUses())
    if (auto user = dyn_cast<NodeOpInterface>(use.getOwner()))
      if (writes(user.getKinds()[use.getOperandNumber()], /*isOutgoing=*/true))
        return true;
  return false;
}

/// True unless at least one iteration is certain.
static bool mayNotRun(LoopOp loop) {
  auto count = dyn_cast_or_null<IntegerAttr>(loop.getCountAttr());
  return loop.getConditionAttr() || !count || count.getInt() == 0;
}

void GraphImporter::addNode(NodeOpInterface node) {
  Operation *op = node;
  NodeIndex index;
  const void *fields = nullptr;
  if (auto region = dyn_cast<RegionOp>(op)) {
    FlatSymbolRefAttr name = region.getRegionAttr();
    fields = region.getFieldsAttr().getAsOpaquePointer();
    index = graph.addRegion(module.region(name, region.getColorAttr()),
                            module.fields(name, region.getFieldsAttr()),
                            region.getInitial() ||
                                (isNestedBody(result.op) && !isWritten(node)));
  } else if (auto scalar = dyn_cast<ScalarOp>(op)) {
    index = graph.addRegion(module.region(scalar.getVariableAttr(), {}), 1,
                            scalar.getInitial() ||
                                (isNestedBody(result.op) && !isWritten(node)));
  } else {
    ArrayAttr over = node.getOverAttr();
    index =
        graph.addCompute(node.getNodeKind(), over ? domain(over) : UINT32_MAX);
    if (auto loop = dyn_cast<LoopOp>(op); loop && mayNotRun(loop))
      graph.setMayNotRun(index);
  }
  result.operations.push_back(op);
  result.indices[op] = index;
  fieldNames.push_back(fields);
}

uint32_t GraphImporter::domain(ArrayAttr over) {
  auto [entry, isNew] = domains.try_emplace(over, 0);
  if (isNew) {
    LaunchDomain launch;
    for (Attribute extent : over)
      launch.extents.push_back(constantExtent(extent));
    entry->second = graph.addDomain(std::move(launch));
  }
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

namespace {
/// The graph's identity of an argument: edges of a node with equal keys are one
/// argument.
struct ImportedPortKey {
  RegionIndex region;
  const void *fields;
  Attribute projection;
  bool operator==(const ImportedPortKey &) const = default;
  bool isData() const { return region != noRegion; }
};
} // namespace

void GraphImporter::findPorts(NodeIndex index, NodeOpInterface node) {
  ArrayAttr projections = node.getProjectionsAttr();
  DenseI32ArrayAttr written = node.getPortsAttr();
  auto keyOf = [&](unsigned edge) {
    return ImportedPortKey{graph.node(others[edge]).region,
                           fieldNames[others[edge]],
                           projections ? projections[edge] : Attribute()};
  };
  ports.clear();
  nextPorts[index] = walkPorts<ImportedPortKey>(
      node.getKinds(), keyOf, [&](unsigned edge, uint32_t byDefault) {
        ports.push_back(written && written[edge] >= 0 ? written[edge]
                                                      : byDefault);
        return ports.back();
      });
}

/// Finds the operators of Reduce edges, and of the Continues edges at the same
/// port.
void GraphImporter::findOperators(NodeOpInterface node) {
  ArrayRef<int8_t> kinds = node.getKinds();
  operators.assign(kinds.size(), noReduction);
  ArrayAttr names = node.getReductionsAttr();
  if (!names)
    return;
  unsigned numReduce = 0;
  for (auto [edge, code] : llvm::enumerate(kinds))
    if (EdgeCode::decode(code).kind == EdgeKind::Reduce)
      operators[edge] = module.reduction(names[numReduce++]);
  bool isOneOperator = llvm::all_equal(names);
  for (auto [edge, code] : llvm::enumerate(kinds)) {
    if (EdgeCode::decode(code).kind != EdgeKind::Continues)
      continue;
    if (isOneOperator)
      operators[edge] = module.reduction(names[0]);
    for (auto [other, port] : llvm::enumerate(ports))
      if (port == ports[edge] &&
          EdgeCode::decode(kinds[other]).kind == EdgeKind::Reduce)
        operators[edge] = operators[other];
  }
}

uint32_t GraphImporter::projection(NodeIndex compute, NodeIndex data,
                                   Attribute attribute) {
  const Node &launch = graph.node(compute);
  if (!isCompute(launch.kind) || isCompute(graph.node(data).kind) ||
      launch.domain == UINT32_MAX || isa_and_nonnull<StringAttr>(attribute))
    return UINT32_MAX;
  RegionIndex region = graph.node(data).region;
  if (module.forest().kind(region) != sluice::rdir::RegionKind::Partition)
    return UINT32_MAX;
  unsigned numDims = graph.domain(launch.domain).extents.size();
  auto name = cast<RegionOp>(result.operations[data]).getRegionAttr();
  auto partition = cast<PartitionOp>(module.declaration(name));
  auto over = cast<NodeOpInterface>(result.operations[compute]).getOverAttr();
  auto map = dyn_cast_or_null<AffineMapAttr>(attribute);
  bool isOnto =
      over == partition.getColors() &&
      (map ? map.getValue().isIdentity()
           : !isa_and_nonnull<FlatSymbolRefAttr, ArrayAttr>(attribute));
  auto [entry, isNew] =
      projections.try_emplace({attribute, region, 2 * numDims + isOnto}, 0);
  if (isNew) {
    Projection projection = module.projection(attribute, partition, numDims);
    projection.isOnto = isOnto;
    entry->second = graph.addProjection(std::move(projection));
  }
  return entry->second;
}

void GraphImporter::addEdges(NodeIndex index, NodeOpInterface node) {
  others.clear();
  for (Value operand : node.getNodes())
    others.push_back(result.indices.lookup(operand.getDefiningOp()));
  findPorts(index, node);
  findOperators(node);
  ArrayAttr projections = node.getProjectionsAttr();
  for (auto [edge, code] : llvm::enumerate(node.getKinds())) {
    EdgeCode decoded = EdgeCode::decode(code);
    NodeIndex other = others[edge];
    Attribute attribute = projections ? projections[edge] : Attribute();
    graph.addEdge({.from = decoded.isOutgoing ? index : other,
                   .to = decoded.isOutgoing ? other : index,
                   .kind = decoded.kind,
                   .reduction = operators[edge],
                   .port = ports[edge],
                   .projection = projection(index, other, attribute)});
  }
}

void GraphImporter::addDataEdges(NodeIndex index, NodeOpInterface node) {
  ArrayAttr projections = node.getProjectionsAttr();
  ArrayAttr names = node.getReductionsAttr();
  DenseI32ArrayAttr written = node.getPortsAttr();
  unsigned numReduce = 0;
  for (auto [edge, operand] : llvm::enumerate(node.getNodes())) {
    EdgeCode decoded = EdgeCode::decode(node.getKinds()[edge]);
    NodeIndex other = result.indices.lookup(operand.getDefiningOp());
    uint32_t port = 0;
    if (isCompute(graph.node(other).kind) &&
        decoded.kind != EdgeKind::HappensBefore)
      port = nextPorts[other]++;
    if (written && written[edge] >= 0)
      port = written[edge];
    ReductionIndex op = noReduction;
    if (decoded.kind == EdgeKind::Reduce)
      op = module.reduction(names[numReduce++]);
    Attribute attribute = projections ? projections[edge] : Attribute();
    graph.addEdge({.from = decoded.isOutgoing ? index : other,
                   .to = decoded.isOutgoing ? other : index,
                   .kind = decoded.kind,
                   .reduction = op,
                   .port = port,
                   .projection = projection(other, index, attribute)});
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void GraphImporter::addNested() {
  for (auto [index, op] : llvm::enumerate(result.operations)) {
    Block *body = cast<NodeOpInterface>(op).getNestedBody();
    if (!body)
      continue;
    auto &nested = result.nested.emplace_back(
        std::make_unique<ImportedGraph>(graph.regions()));
    nested->op = op;
    nested->parent = &result;
    nested->owner = index;
    GraphImporter(module, *nested).run(*body);
  }
}
