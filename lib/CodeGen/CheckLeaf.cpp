//===- CheckLeaf.cpp - Telling the checker which leaf runs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked code (SLUICE_CHECK=1) reports accesses by the linear index of the
// instance. Before the instances of a leaf run, their kernel reports which leaf
// it is, how it is replicated, and how the graphs around it order their nodes.
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "Tables/ConstantTables.h"
#include "sluice-c/Check.h"
#include "sluice/Analysis/BarrierCheck.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

/// The order that the edges of a graph give its nodes: a table of
/// SluiceCheckOrder. A path that consists only of one-to-one edges orders equal
/// indices; any other path orders all indices. If a one-to-one edge leads to a
/// node whose instances all wait at a barrier, and another leads on from it,
/// all instances of the first node have ended.
static std::vector<uint8_t> orderTable(ArrayRef<NodeOp> nodes,
                                       const Module &leaves) {
  size_t count = nodes.size();
  std::vector<uint8_t> order(count * count, SLUICE_CHECK_UNORDERED);
  DenseMap<mlir::Operation *, size_t> positions;
  std::vector<bool> waits(count);
  for (size_t to = 0; to != count; ++to) {
    NodeOp node = nodes[to];
    auto kernel = dyn_cast_or_null<KernelOp>(node.resolveCallee());
    const Function *leaf =
        kernel ? leaves.getFunction(kernel.getCodeName()) : nullptr;
    waits[to] = leaf && alwaysExecutesBarrier(*leaf);
    positions[node] = to;
    auto add = [&](mlir::Value value, uint8_t kind) {
      auto source = value.getDefiningOp<NodeOp>();
      if (!source)
        return;
      size_t before = positions.lookup(source);
      auto raise = [&](size_t from, uint8_t found) {
        order[from * count + to] = std::max(order[from * count + to], found);
      };
      raise(before, kind);
      for (size_t from = 0; from != before; ++from)
        if (uint8_t known = order[from * count + before])
          raise(from, waits[before] ? uint8_t(SLUICE_CHECK_ORDERED)
                                    : std::max(known, kind));
    };
    bool isReplicated = !node.getExtents().empty();
    for (auto [number, value] : llvm::enumerate(node.getInputs()))
      add(value, isReplicated && node.isOneToOne(number)
                     ? SLUICE_CHECK_ONE_TO_ONE
                     : SLUICE_CHECK_ORDERED);
    for (mlir::Value value : node.getDependencies())
      add(value, SLUICE_CHECK_ORDERED);
  }
  return order;
}

/// The step to `child` from its graph.
static SluiceCheckStep stepTo(Tables &tables, LLVMContext &context,
                              NodeOp child, const Module &leaves) {
  auto range = child->getBlock()->getOps<NodeOp>();
  SmallVector<NodeOp> nodes(range.begin(), range.end());
  size_t position = llvm::find(nodes, child) - nodes.begin();
  return {.child = uint32_t(position),
          .numChildren = uint32_t(nodes.size()),
          .order = Address(tables.place(ConstantDataArray::get(
              context, ArrayRef(orderTable(nodes, leaves)))))};
}

/// The path of the node whose instances run. It lies below the plan's node if
/// that node is a chain of internal nodes.
std::string KernelEmitter::bodyName(const FlatNode &node) {
  NodeOp body = node.body;
  if (body == node.op)
    return node.name;
  return node.bodyScope->path + "/" + body.getDisplayName().str();
}

void KernelEmitter::checkLeaf(KernelOp kernel, const LeafPlace &leaf,
                              RangeSpec &spec, Body &body) {
  for (unsigned i = 0; i != spec.inputs.size(); ++i) {
    spec.inputs[i].name = kernel.getInputName(i);
    spec.inputs[i].access = static_cast<uint32_t>(kernel.getInputAccess(i));
  }
  IRBuilder<> &b = body.builder;
  LLVMContext &context = b.getContext();
  Tables tables(module);
  std::vector<SluiceCheckStep> steps;
  SmallVector<Constant *> dimensions;
  for (NodeOp child : leaf.path)
    steps.push_back(stepTo(tables, context, child, module));
  for (const InstanceLevel &level : spec.levels)
    dimensions.push_back(b.getInt32(level.dims));
  Constant *description = tables.place(tables.structure(SluiceCheckLeaf{
      .name = tables.string(leaf.name),
      .location = tables.string(spellLocation(leaf.location)),
      .numNodeLevels = uint32_t(spec.levels.size() - leaf.path.size()),
      .numSteps = uint32_t(leaf.path.size()),
      .numFixedLevels = uint32_t(spec.numFixedLevels),
      .numLevels = uint32_t(spec.levels.size()),
      .dimensions = tables.array(dimensions),
      .steps = tables.array(steps)}));

  SmallVector<Value *> numbers;
  for (const Triple &ids : leaf.ids)
    numbers.append(ids.begin(), ids.end());
  for (const Triple &extents : leaf.extents)
    numbers.append(extents.begin(), extents.end());
  AllocaInst *slot =
      makeSlot(ArrayType::get(b.getInt64Ty(), numbers.size()), body);
  for (auto [position, number] : llvm::enumerate(numbers))
    b.CreateStore(number,
                  b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), slot, position));
  Type *ptr = b.getPtrTy();
  FunctionCallee callee = module.getOrInsertFunction(
      "sluiceCheckLeaf", b.getVoidTy(), ptr, ptr, ptr);
  b.CreateCall(callee, {body.invocation, description, slot});
}
