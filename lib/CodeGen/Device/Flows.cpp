//===- Flows.cpp - A work-group's memory and values -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If several levels of a node become one work-group, values pass from child to
// child through memory of the group. This file allocates this memory.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "NeutralForm.h"
#include "Refusal.h"
#include "llvm/Analysis/CFG.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::NodeOp;

//===----------------------------------------------------------------------===//
// Local memory
//===----------------------------------------------------------------------===//

Value *KernelBuilder::addLocal(LocalMemory local) {
  groupShape.locals.push_back(local);
  return parameters.local(groupShape.locals.size() - 1);
}

/// Allocates space for one value of a group.
Value *KernelBuilder::addValueSlot(Type *type) {
  if (!valueMemory) {
    valueIndex = groupShape.locals.size();
    valueMemory = addLocal({LocalMemory::Kind::Values, {}, 0, 0});
  }
  const DataLayout &layout = neutral.getDataLayout();
  uint64_t &size = groupShape.locals[valueIndex].size;
  uint64_t offset = alignTo(size, layout.getABITypeAlign(type));
  size = offset + layout.getTypeAllocSize(type);
  return entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), valueMemory,
                                          offset);
}

/// Allocates the memory for the allocations of a child that runs once per
/// group.
Error KernelBuilder::placeAllocations(NodeOp child, Function &function) {
  for (auto [index, call] : enumerate(allocationsIn(function))) {
    if (!child.getExtents().empty())
      return refuse(*call, *firstLeaf,
                    "allocates memory in each of its instances; a child "
                    "without dimensions allocates it for the work-group");
    if (isPotentiallyReachable(&*std::next(call->getIterator()), call))
      return refuse(*call, *firstLeaf,
                    "allocates memory in a loop; a work-group's memory has one "
                    "size");
    LocalMemory local;
    local.kind = LocalMemory::Kind::Allocation;
    local.child = child;
    local.index = index;
    addLocal(local);
    IRBuilder<> at(call);
    FunctionCallee marker = neutral.getOrInsertFunction(
        localMarker, at.getPtrTy(), at.getInt32Ty());
    call->replaceAllUsesWith(
        at.CreateCall(marker, at.getInt32(groupShape.locals.size() - 1)));
    call->eraseFromParent();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Values between children
//===----------------------------------------------------------------------===//

Type *KernelBuilder::typeOfValue(mlir::Value value) {
  return types.translateType(value.getType());
}

/// The value that all instances of later children see.
Value *KernelBuilder::load(const Flow &flow) {
  if (flow.value)
    return flow.value;
  wait();
  Value *value = loadScalars(b, flow.type, flow.slot);
  if (!flow.count)
    return value;
  return b.CreateSelect(b.CreateICmpSGT(flow.count, b.getInt64(0)), value,
                        Constant::getNullValue(flow.type));
}

Value *KernelBuilder::elementAddress(const Flow &flow, const PlacedLevel &own) {
  return b.CreateInBoundsGEP(flow.type, flow.array, linearIndex(own));
}

Value *KernelBuilder::countOf(const ValueTriple &extents) {
  return b.CreateNSWMul(extents[0], b.CreateNSWMul(extents[1], extents[2]));
}

/// A forwarded input, as an output of a child with `count` instances.
KernelBuilder::Flow KernelBuilder::forwardedFlow(const Flow &input,
                                                 Value *count) {
  Flow flow = input;
  flow.array = nullptr;
  auto *known = dyn_cast<ConstantInt>(count);
  if (known && known->getSExtValue() > 0)
    return flow;
  Value *hasInstances = b.CreateICmpSGT(count, b.getInt64(0));
  flow.value = b.CreateSelect(hasInstances, load(input),
                              Constant::getNullValue(flow.type));
  flow.slot = flow.count = nullptr;
  flow.origin = std::nullopt;
  return flow;
}

/// Makes the flows of a child's outputs.
Error KernelBuilder::makeOutputs(NodeOp child, Function &function, Flows &flows,
                                 const ValueTriple &extents) {
  Value *count = countOf(extents);
  bool isReplicated = !child.getExtents().empty();
  for (unsigned i = 0, e = child.getNumPorts(); i != e; ++i) {
    mlir::Value result = child.getResult(i);
    if (result.use_empty())
      continue;
    std::optional<unsigned> input = forwardedInput(function, i);
    if (input && *input < child.getInputs().size() &&
        !(isReplicated && child.isOneToOne(*input)) &&
        !(isReplicated && hasOneToOneUse(result))) {
      flows[result] =
          forwardedFlow(flows.lookup(child.getInputs()[*input]), count);
      continue;
    }
    Flow flow;
    flow.type = typeOfValue(result);
    if (flow.type->isPointerTy())
      return refuseNode(child, "gives an address that it computes; devices "
                               "only pass on the addresses they are given, "
                               "and those of a work-group's memory");
    flow.slot = addValueSlot(flow.type);
    if (isReplicated) {
      flow.count = count;
      if (hasOneToOneUse(result))
        flow.array =
            addLocal({LocalMemory::Kind::Array, child, 0,
                      neutral.getDataLayout().getTypeAllocSize(flow.type)});
    }
    flows[result] = flow;
  }
  return Error::success();
}

void KernelBuilder::storeResults(NodeOp child, CallInst *call, Flows &flows,
                                 const PlacedLevel &own) {
  for (unsigned i = 0, e = child.getNumPorts(); i != e; ++i) {
    auto found = flows.find(child.getResult(i));
    if (found == flows.end() || !found->second.slot)
      continue;
    const Flow &flow = found->second;
    Value *value = convertTo(b, b.CreateExtractValue(call, i), flow.type);
    storeIf(isLast(own), [&] { storeScalars(b, value, flow.slot); });
    if (flow.array)
      storeScalars(b, value, elementAddress(flow, own));
  }
}
