//===- TileNodes.cpp - Nodes that run strip by strip ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of many sweeps over arrays larger than the caches waits for memory in
// each sweep. If the instances of nodes conflict only with instances in rows
// nearby, a strip of rows can pass through several nodes while it is in the
// cache. This pass proves which nodes may run this way; the runtime decides
// which nodes do.
//
//===----------------------------------------------------------------------===//

#include "GraphStreams.h"
#include "LeafFacts.h"
#include "NodeOrder.h"
#include "TransformFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/Analysis/Reach.h"
#include "sluice/DFG/OrderedDims.h"
#include "sluice/DFG/Tiling.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

namespace {
/// Joins consecutive replicated nodes of a root into groups. A node joins the
/// group of the previous node if
///
/// 1. it waits for a node of the group, or takes memory that one of them takes,
///    and its leaves access only memory of arguments that are its operands,
///    without atomic updates, locks, reductions and volatile accesses;
/// 2. its extents follow from the root's arguments;
/// 3. it reads no value that a node of the group leaves on an all-to-all edge,
///    since this value is only known when all of the node has run;
/// 4. its accesses overlap those of each node of the group in near rows only.
///
/// Each node is marked with the number of rows by which it follows the previous
/// node. If all nodes keep these distances, their accesses never overlap.
class NodeTiler {
public:
  NodeTiler(ModuleOp graphs, const llvm::Module &leaves)
      : graphs(graphs), leaves(leaves), streaming(findStreamingGraphs(graphs)) {
  }

  void run();

private:
  struct Member {
    NodeOp node;
    unsigned ahead = 0, behind = 0;
    bool isUsual = false;
  };
  using Group = SmallVector<Member>;

  void tile(GraphOp root);
  bool isCandidate(NodeOp node);
  bool isPlain(NodeOp node);
  bool readsInput(Operation *callee, unsigned input);
  bool mayFollow(const Group &group, NodeOp node);
  bool join(Group &group, NodeOp node);
  Reaches &reaches() {
    if (!known)
      known = std::make_unique<Reaches>(graphs, leaves);
    return *known;
  }

  /// Comparing more nodes would take long, and a group is cut into bands
  /// anyway.
  static constexpr size_t maxNodes = 256;

  ModuleOp graphs;
  const llvm::Module &leaves;
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> streaming;
  std::unique_ptr<Reaches> known;
};
} // namespace

/// True if `value` follows from the root's arguments.
static bool isOfArguments(Value value) {
  if (isa<BlockArgument>(value))
    return true;
  Operation *op = value.getDefiningOp();
  return (isa<arith::ArithDialect>(op->getDialect()) ||
          isa<LLVM::ExtractValueOp>(op)) &&
         llvm::all_of(op->getOperands(), isOfArguments);
}

/// True for nodes whose instances run in any order and only compute and write
/// their arguments.
bool NodeTiler::isPlain(NodeOp node) {
  Operation *callee = node.resolveCallee(tables);
  if (dfg::orderedDims(node))
    return false;
  if (auto kernel = dyn_cast_or_null<KernelOp>(callee)) {
    const llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
    bool isOfHost = kernel.getTarget() == dfg::Target::None ||
                    kernel.getTarget() == dfg::Target::Cpu;
    return isOfHost && leaf && writesThroughParametersOnly(*leaf) &&
           !hasReductions(*leaf);
  }
  auto graph = dyn_cast_or_null<GraphOp>(callee);
  return graph && llvm::all_of(graph.getBody().front().getOps<NodeOp>(),
                               [&](NodeOp child) { return isPlain(child); });
}

/// True if a one-to-one edge joins the node to one whose grid may differ. The
/// grids are only compared while both nodes run.
static bool hasUncertainGrid(NodeOp node) {
  auto isUncertain = [](NodeOp source, NodeOp sink, Value value) {
    for (auto [index, input] : llvm::enumerate(sink.getInputs()))
      if (input == value && sink.isOneToOne(index) &&
          !sink.getExtents().empty() && !haveEqualGrids(source, sink))
        return true;
    return false;
  };
  for (Value value : node.getInputs())
    if (auto source = value.getDefiningOp<NodeOp>())
      if (isUncertain(source, node, value))
        return true;
  for (Value value : node.getResults())
    for (Operation *user : value.getUsers())
      if (auto sink = dyn_cast<NodeOp>(user))
        if (isUncertain(node, sink, value))
          return true;
  return false;
}

/// True if the node's instances wait for each other, so that it has no rows.
static bool isGroup(NodeOp node, const llvm::Module &leaves,
                    SymbolTableCollection &tables) {
  auto kernel = dyn_cast_or_null<KernelOp>(node.resolveCallee(tables));
  const llvm::Function *leaf =
      kernel ? leaves.getFunction(kernel.getCodeName()) : nullptr;
  return leaf && mayExecuteBarrier(*leaf);
}

bool NodeTiler::isCandidate(NodeOp node) {
  return !isGroup(node, leaves, tables) && !node.getExtents().empty() &&
         !hasUncertainGrid(node) &&
         llvm::all_of(node.getExtents(), isOfArguments) && isPlain(node);
}

/// True if a leaf below `callee` uses the value of input `input`.
bool NodeTiler::readsInput(Operation *callee, unsigned input) {
  if (auto kernel = dyn_cast_or_null<KernelOp>(callee)) {
    const llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
    return !leaf || input >= leaf->arg_size() ||
           !leaf->getArg(input)->use_empty();
  }
  auto graph = dyn_cast_or_null<GraphOp>(callee);
  if (!graph)
    return true;
  return llvm::any_of(graph.getInput(input).getUses(), [&](OpOperand &use) {
    auto node = dyn_cast<NodeOp>(use.getOwner());
    if (!node)
      return true;
    for (auto [index, value] : llvm::enumerate(node.getInputs()))
      if (value == use.get() && readsInput(node.resolveCallee(tables), index))
        return true;
    return llvm::is_contained(node.getExtents(), use.get());
  });
}

/// True if both nodes take a pointer of the root.
static bool sharesMemory(NodeOp a, NodeOp b) {
  return llvm::any_of(b.getInputs(), [&](Value input) {
    return isa<BlockArgument>(input) &&
           isa<LLVM::LLVMPointerType>(input.getType()) &&
           llvm::is_contained(a.getInputs(), input);
  });
}

/// Checks conditions 1 and 3 for edges.
bool NodeTiler::mayFollow(const Group &group, NodeOp node) {
  auto isMember = [&](Operation *source) {
    return llvm::any_of(
        group, [&](const Member &member) { return member.node == source; });
  };
  for (auto [index, value] : llvm::enumerate(node.getInputs())) {
    auto source = value.getDefiningOp<NodeOp>();
    if (!source || !isMember(source))
      continue;
    bool isFine = node.isOneToOne(index)
                      ? haveEqualGrids(source, node)
                      : !readsInput(node.resolveCallee(tables), index);
    if (!isFine)
      return false;
  }
  const bool waits =
      llvm::any_of(sourcesOf(node), [&](const NodeSource &source) {
        return isMember(source.node);
      });
  return waits || llvm::any_of(group, [&](const Member &member) {
           return sharesMemory(member.node, node);
         });
}

/// Adds the node if condition 4 permits it.
bool NodeTiler::join(Group &group, NodeOp node) {
  if (group.size() == maxNodes || !mayFollow(group, node) ||
      (group.size() == 1 && !reaches().isKnown(group.front().node)) ||
      !reaches().isKnown(node))
    return false;
  Member added{node};
  // The rows by which the node follows all nodes it is compared with.
  unsigned ahead = 0, behind = 0;
  for (Member &member : llvm::reverse(group)) {
    std::optional<Reach> reach = reaches().between(member.node, node);
    if (!reach)
      return false;
    added.isUsual |= reach->isUsual;
    added.ahead = std::max<int64_t>(added.ahead, int64_t(reach->ahead) - ahead);
    added.behind =
        std::max<int64_t>(added.behind, int64_t(reach->behind) - behind);
    ahead += member.ahead;
    behind += member.behind;
  }
  group.push_back(added);
  return true;
}

void NodeTiler::tile(GraphOp root) {
  Group group;
  auto close = [&] {
    // If instances only follow the corresponding instances of other nodes,
    // pipelined edges handle this chunk by chunk.
    bool hasNeighbours = llvm::any_of(group, [](const Member &member) {
      return member.ahead || member.behind;
    });
    if (hasNeighbours)
      for (Member &member : MutableArrayRef(group).drop_front())
        dfg::setTiling(member.node,
                       {member.ahead, member.behind, member.isUsual});
    group.clear();
  };
  for (NodeOp node : root.getBody().front().getOps<NodeOp>()) {
    bool isOne = isCandidate(node);
    if (isOne && !group.empty() && join(group, node))
      continue;
    close();
    if (isOne)
      group.push_back({node});
  }
  close();
}

void NodeTiler::run() {
  llvm::SmallPtrSet<Operation *, 8> used;
  graphs.walk([&](NodeOp node) { used.insert(node.resolveCallee(tables)); });
  for (GraphOp graph : graphs.getOps<GraphOp>())
    if (!used.contains(graph) && !streaming.contains(graph))
      tile(graph);
}

void transforms::tileNodes(ModuleOp graphs, llvm::Module &leaves) {
  NodeTiler(graphs, leaves).run();
}
