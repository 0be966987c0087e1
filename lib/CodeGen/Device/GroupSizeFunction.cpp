//===- GroupSizeFunction.cpp - Sizes of groups, computed on the host ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of items in a group and the size of its memory depend on extents.
// The host must compute both before a launch, so the program gets a function
// for this.
//
//===----------------------------------------------------------------------===//

#include "GroupSizeFunction.h"
#include "../KernelEmitter.h"
#include "../ReductionKernel.h"
#include "../ReductionNodes.h"
#include "HostValues.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

namespace {
class GroupEmitter {
public:
  /// The uses of children's extents, for which they must be known before the
  /// launch.
  enum class Use { ItemsAndCheck, Items, Nothing };

  GroupEmitter(Module &module, const KernelBuilder &kernel, StringRef name)
      : kernel(kernel), function(declare(module, name)),
        b(BasicBlock::Create(module.getContext(), "entry", function)) {}

  Function *emitLeaf(const FlatNode &node);
  Function *emitFolds(const PlanModel &model, const FlatNode &node);
  Expected<Function *> emitCompound(const PlanModel &model,
                                    const FlatNode &node,
                                    ArrayRef<DeviceNode> known, Use use);

private:
  const KernelBuilder &kernel;
  Function *function;
  IRBuilder<> b;
  /// For a compound node: the maximum number of instances of its leaves.
  ValueTriple most;
  /// True if a child has a negative extent.
  Value *isNegative;

  static Function *declare(Module &module, StringRef name);
  void storeItems(const ValueTriple &items);
  void raiseBytes(IRBuilderBase &at, unsigned local, Value *bytes);
  ValueTriple capped(const ValueTriple &extents);
  void refuseNegativeExtents();
  void visitChild(NodeOp child, const ValueTriple &extents);
  void visitAllocation(IRBuilderBase &at, NodeOp child, unsigned index,
                       Value *bytes);
};
} // namespace

Function *GroupEmitter::declare(Module &module, StringRef name) {
  LLVMContext &context = module.getContext();
  SmallVector<Type *> types(4, PointerType::getUnqual(context));
  Function *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), types, false),
      GlobalValue::InternalLinkage, name, module);
  // The function's output does not overlap the frame.
  function->addParamAttr(2, Attribute::NoAlias);
  function->addParamAttr(3, Attribute::NoAlias);
  return function;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

void GroupEmitter::storeItems(const ValueTriple &items) {
  for (unsigned d = 0; d != 3; ++d)
    b.CreateStore(items[d], b.CreateConstInBoundsGEP1_64(
                                b.getInt64Ty(), function->getArg(2), d));
}

/// As many items as instances, but at least one and at most maxItems in all.
ValueTriple GroupEmitter::capped(const ValueTriple &extents) {
  Value *room = b.getInt64(maxItems);
  ValueTriple items;
  for (unsigned d = 0; d != 3; ++d) {
    items[d] =
        b.CreateBinaryIntrinsic(Intrinsic::smax, extents[d], b.getInt64(1));
    items[d] = b.CreateBinaryIntrinsic(Intrinsic::smin, items[d], room);
    room = b.CreateUDiv(room, items[d]);
  }
  return items;
}

Function *GroupEmitter::emitLeaf(const FlatNode &node) {
  unsigned level = kernel.grid().itemLevel;
  ValueTriple extents = {b.getInt64(1), b.getInt64(1), b.getInt64(1)};
  if (level != SLUICE_NO_INDEX)
    for (unsigned d = 0; d != 3; ++d)
      extents[d] = b.CreateLoad(
          b.getInt64Ty(),
          b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(1),
                                       3 * (firstLevel(node) + level) + d));
  storeItems(kernel.waitsInside() ? extents : capped(extents));
  b.CreateRetVoid();
  return function;
}

/// Returns no items if the memory of a reduction or scan has an invalid size:
/// the runtime then leaves the node to the host, which reports the error.
Function *GroupEmitter::emitFolds(const PlanModel &model,
                                  const FlatNode &node) {
  Module &module = *function->getParent();
  Value *numUnits = b.getInt64(1);
  for (unsigned i = 0; i != 3 * node.numUnitLevels; ++i)
    numUnits = b.CreateMul(
        numUnits,
        b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(
                                         b.getInt64Ty(), function->getArg(1),
                                         3 * numCopyLevels + i)));
  SmallVector<LeafReduction> reductions = reductionsOfNode(node, module);
  CopyLayout layout = layOutCopies(reductions, b, [&](unsigned index) {
    return loadInput(module, model, node, index, function->getArg(0), b);
  });
  Value *isWrong = b.getFalse();
  for (auto [reduction, bytes] : zip(reductions, layout.bytes))
    for (auto &[condition, message] : wrongSizes(b, reduction, bytes, numUnits))
      isWrong = b.CreateOr(isWrong, condition);
  Value *one = b.getInt64(1);
  storeItems({b.CreateSelect(isWrong, b.getInt64(0), b.getInt64(foldItems)),
              one, one});
  b.CreateRetVoid();
  return function;
}

//===----------------------------------------------------------------------===//
// Compound nodes
//===----------------------------------------------------------------------===//

/// Returns no items: the runtime then leaves the node to the host, which
/// reports the error.
void GroupEmitter::refuseNegativeExtents() {
  Value *items = b.CreateLoad(b.getInt64Ty(), function->getArg(2));
  b.CreateStore(b.CreateSelect(isNegative, b.getInt64(0), items),
                function->getArg(2));
}

/// If a graph occurs twice in a group, both use the memory of the larger
/// instance.
void GroupEmitter::raiseBytes(IRBuilderBase &at, unsigned local, Value *bytes) {
  Value *address = at.CreateConstInBoundsGEP1_64(at.getInt64Ty(),
                                                 function->getArg(3), local);
  Value *known = at.CreateLoad(at.getInt64Ty(), address);
  at.CreateStore(at.CreateBinaryIntrinsic(Intrinsic::umax, bytes, known),
                 address);
}

void GroupEmitter::visitChild(NodeOp child, const ValueTriple &extents) {
  const GroupShape &shape = kernel.shape();
  for (Value *extent : extents)
    isNegative = b.CreateOr(isNegative, b.CreateICmpSLT(extent, b.getInt64(0)));
  if (shape.exactChild == child) {
    ValueTriple items;
    for (unsigned d = 0; d != 3; ++d)
      items[d] =
          b.CreateBinaryIntrinsic(Intrinsic::smax, extents[d], b.getInt64(1));
    storeItems(items);
  }
  bool isLeaf = isa<KernelOp>(child.resolveCallee());
  for (unsigned d = 0; isLeaf && d != 3; ++d)
    most[d] = b.CreateBinaryIntrinsic(Intrinsic::smax, most[d], extents[d]);
  for (auto [index, local] : enumerate(shape.locals))
    if (local.kind == LocalMemory::Kind::Array && local.child == child) {
      Value *count =
          b.CreateMul(extents[0], b.CreateMul(extents[1], extents[2]));
      raiseBytes(b, index, b.CreateMul(count, b.getInt64(local.size)));
    }
}

void GroupEmitter::visitAllocation(IRBuilderBase &at, NodeOp child,
                                   unsigned allocation, Value *bytes) {
  for (auto [index, local] : enumerate(kernel.shape().locals))
    if (local.kind == LocalMemory::Kind::Allocation && local.child == child &&
        local.index == allocation)
      raiseBytes(at, index, bytes);
}

Expected<Function *> GroupEmitter::emitCompound(const PlanModel &model,
                                                const FlatNode &node,
                                                ArrayRef<DeviceNode> known,
                                                Use use) {
  isNegative = b.getFalse();
  most = {b.getInt64(1), b.getInt64(1), b.getInt64(1)};
  // Local memory is allocated even if nothing needs it.
  for (auto [index, local] : enumerate(kernel.shape().locals))
    b.CreateStore(
        b.getInt64(local.kind == LocalMemory::Kind::Values ? local.size : 1),
        b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(3),
                                     index));
  auto child = [&](NodeOp op, const ValueTriple &extents) {
    visitChild(op, extents);
  };
  auto allocation = [&](IRBuilderBase &at, NodeOp op, unsigned index,
                        Value *bytes) {
    visitAllocation(at, op, index, bytes);
  };
  HostValues::Visitor visitor{child, allocation};
  HostValues values(b, model, node, known, visitor);
  Error error = values.emit(cast<GraphOp>(NodeOp(node.body).resolveCallee()));
  if (!error) {
    if (!kernel.shape().exactChild)
      storeItems(use == Use::Nothing ? ValueTriple{b.getInt64(maxItems),
                                                   b.getInt64(1), b.getInt64(1)}
                                     : capped(most));
    if (use == Use::ItemsAndCheck)
      refuseNegativeExtents();
    b.CreateRetVoid();
    error = values.finish();
  }
  if (!error)
    return function;
  function->eraseFromParent();
  return std::move(error);
}

Expected<Function *>
codegen::emitGroupFunction(Module &module, const PlanModel &model,
                           const FlatNode &node, ArrayRef<DeviceNode> known,
                           const KernelBuilder &kernel, StringRef name) {
  if (kernel.runsChunks())
    return GroupEmitter(module, kernel, name).emitFolds(model, node);
  if (node.getKernel())
    return GroupEmitter(module, kernel, name).emitLeaf(node);
  using Use = GroupEmitter::Use;
  SmallVector<Use> uses{Use::ItemsAndCheck, Use::Items};
  // Leaves without barriers can run on any number of items.
  if (!kernel.shape().exactChild)
    uses.push_back(Use::Nothing);
  for (Use use : uses) {
    Expected<Function *> function = GroupEmitter(module, kernel, name)
                                        .emitCompound(model, node, known, use);
    if (function || use == uses.back())
      return function;
    consumeError(function.takeError());
  }
  llvm_unreachable("the last use returns");
}
