//===- NodeValues.cpp - Inputs and outputs of a node on a device ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's parameters follow from the sources of the node's inputs: arguments
// of the graph, constants, sizes. This file finds these sources.
//
//===----------------------------------------------------------------------===//

#include "../KernelEmitter.h"
#include "KernelBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/CodeGen/CodeGen.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool codegen::isOnHost(const PlanModel &model, ArrayRef<DeviceNode> known,
                       const Source &source) {
  if (source.kind != Source::Kind::Output)
    return true;
  const DeviceNode &producer = known[source.node];
  if (producer.entry.empty())
    return true;
  uint64_t offset = model.nodes[source.node].outputs[source.index].frameOffset;
  return any_of(producer.forwards, [&](const SluiceDeviceForward &forward) {
    return forward.to == offset;
  });
}

/// The graph argument behind a value, traced through forwarded outputs.
static unsigned argumentBehind(const PlanModel &model,
                               ArrayRef<DeviceNode> known,
                               const Source &source) {
  if (source.kind == Source::Kind::Argument)
    return source.index;
  if (source.kind != Source::Kind::Output)
    return SLUICE_NO_INDEX;
  uint64_t offset = model.nodes[source.node].outputs[source.index].frameOffset;
  bool changed = true;
  for (unsigned i = source.node + 1; changed && i-- != 0;) {
    changed = true;
    for (const SluiceDeviceForward &forward : known[i].forwards)
      if (forward.to == offset)
        offset = forward.from;
  }
  for (unsigned i = 0; i != model.arguments.size(); ++i)
    if (model.arguments[i].frameOffset == offset)
      return i;
  return SLUICE_NO_INDEX;
}

/// The access that the node declares for input `index` of its body.
uint32_t KernelBuilder::accessOf(unsigned index) {
  NodeOp op = node.body;
  for (unsigned i = node.levels.size(); op != node.op; --i) {
    auto argument = dyn_cast<mlir::BlockArgument>(op.getInputs()[index]);
    if (!argument)
      return SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
    index = argument.getArgNumber();
    op = node.levels[i - 2].node;
  }
  return static_cast<uint32_t>(node.operands[index].access);
}

/// Describes the size next to the pointer, as HPVM passes it.
void KernelBuilder::describeSize(unsigned index, DeviceParameter &pointer) {
  unsigned argument = pointer.argument;
  if (argument != SLUICE_NO_INDEX &&
      model.arguments[argument].sizeArgument != SLUICE_NO_INDEX) {
    unsigned size = model.arguments[argument].sizeArgument;
    pointer.sizeOffset = model.arguments[size].frameOffset;
    return;
  }
  NodeOp op = node.body;
  if (index + 1 >= op.getInputs().size() ||
      !op.getInputs()[index + 1].getType().isInteger(64))
    return;
  Source size = sourceOfInput(node, index + 1);
  if ((size.kind == Source::Kind::Argument ||
       size.kind == Source::Kind::Output) &&
      size.instanceLevel < 0 && isOnHost(model, known, size))
    pointer.sizeOffset = frameOffsetOf(model, size);
}

DeviceParameter KernelBuilder::describeDataset(dfg::DatasetOp dataset) {
  DeviceParameter result;
  result.kind = SLUICE_DEVICE_POINTER;
  result.frameOffset = SLUICE_NO_OFFSET;
  result.dataset = datasetGlobal(host, dataset);
  result.size =
      host.getDataLayout().getTypeAllocSize(result.dataset->getValueType());
  return result;
}

/// Describes the known facts about the memory behind input `index` of the body.
DeviceParameter KernelBuilder::describePointer(unsigned index) {
  DeviceParameter result;
  result.kind = SLUICE_DEVICE_POINTER;
  result.access = accessOf(index);
  Source source = sourceOfInput(node, index);
  if (source.kind == Source::Kind::DatasetAddress) {
    DeviceParameter dataset = describeDataset(source.dataset);
    dataset.access = result.access;
    return dataset;
  }
  result.frameOffset = frameOffsetOf(model, source);
  result.argument = argumentBehind(model, known, source);
  describeSize(index, result);
  return result;
}

Expected<Value *> KernelBuilder::pointerValue(unsigned index) {
  Source source = sourceOfInput(node, index);
  if (source.instanceLevel >= 0)
    return refuseNode(node.body, "takes an address for each instance, which "
                                 "the host would have to translate");
  if (!isOnHost(model, known, source))
    return refuseNode(node.body, "takes an address that another node computes "
                                 "on the device");
  return parameters.memory(describePointer(index),
                           noAliasInputs.contains(index));
}

/// The value of input `index` of the body for the instance at `levels`.
Expected<Value *> KernelBuilder::inputValue(unsigned index, Type *type,
                                            ArrayRef<PlacedLevel> levels) {
  if (type->isPointerTy())
    return pointerValue(index);
  Source source = sourceOfInput(node, index);
  const DataLayout &layout = neutral.getDataLayout();
  if (source.kind == Source::Kind::DatasetSize)
    return b.getInt64(layout.getTypeAllocSize(
        datasetGlobal(host, source.dataset)->getValueType()));
  uint64_t offset = frameOffsetOf(model, source);
  if (source.instanceLevel >= 0) {
    unsigned count = source.instanceLevel + 1;
    Value *array = parameters.array(offset, layout.getTypeAllocSize(type),
                                    count, SLUICE_ACCESS_IN);
    Value *element =
        b.CreateInBoundsGEP(type, array, linearIndex(levels.take_front(count)));
    return loadScalars(b, type, element);
  }
  const bool isLarge = options.mayBeLarge && isLargeValue(type);
  if (isLarge || !isOnHost(model, known, source))
    return parameters.frameValue(b, type, offset);
  if (layout.getTypeAllocSize(type) > 1024)
    return refuseNode(node.body, "takes " +
                                     Twine(layout.getTypeAllocSize(type)) +
                                     " bytes by value, and devices at most "
                                     "1024; pass their address instead");
  return parameters.value(type, offset);
}

/// Finds inputs that are different arguments of the root and that the runtime
/// finds disjoint at launch. None if the leaf shares memory in other ways.
void KernelBuilder::findNoAlias() {
  KernelOp kernel = node.getKernel();
  if (kernel && neutralLeaf(kernel).hasFnAttribute(sharesMemoryAttribute))
    return;
  SmallDenseSet<unsigned> inputs;
  DenseSet<unsigned> arguments;
  NodeOp op = node.body;
  for (auto [index, value] : enumerate(op.getInputs())) {
    if (!isa<mlir::LLVM::LLVMPointerType>(value.getType()))
      continue;
    Source source = sourceOfInput(node, index);
    if (source.kind != Source::Kind::Argument || source.instanceLevel >= 0 ||
        model.arguments[source.index].sizeArgument == SLUICE_NO_INDEX ||
        !arguments.insert(source.index).second)
      return;
    inputs.insert(index);
  }
  noAliasInputs = inputs;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void KernelBuilder::storeIf(Value *condition, function_ref<void()> store) {
  if (auto *constant = dyn_cast<ConstantInt>(condition)) {
    if (constant->isOne())
      store();
    return;
  }
  auto *then = BasicBlock::Create(b.getContext(), "store", body);
  auto *after = BasicBlock::Create(b.getContext(), "stored", body);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  store();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

/// True if the host sets output `index`, because it equals the input `origin`.
bool KernelBuilder::forward(unsigned index, const Source &origin) {
  const FlatOutput &output = node.outputs[index];
  bool isInFrame = origin.kind == Source::Kind::Argument ||
                   origin.kind == Source::Kind::Output;
  if (!isInFrame || origin.instanceLevel >= 0 ||
      !isOnHost(model, known, origin) || output.arrayOffset != SLUICE_NO_OFFSET)
    return false;
  forwards.push_back(
      {frameOffsetOf(model, origin), output.frameOffset, output.size});
  return true;
}

/// Stores the value of output `index` for the instance at `levels`.
Error KernelBuilder::storeOutput(unsigned index, Value *value,
                                 const std::optional<Source> &origin,
                                 ArrayRef<PlacedLevel> levels) {
  const FlatOutput &output = node.outputs[index];
  if (origin && forward(index, *origin))
    return Error::success();
  if (value->getType()->isPointerTy())
    return refuseNode(node.op, "gives the address '" + output.name +
                                   "', which would be one of the device's; "
                                   "devices only pass on the addresses they "
                                   "are given");
  value = convertTo(b, value, output.type);
  storeIf(isLast(levels),
          [&] { parameters.storeToFrame(b, value, output.frameOffset); });
  if (output.arrayOffset == SLUICE_NO_OFFSET)
    return Error::success();
  ArrayRef<PlacedLevel> indexed = levels.take_front(output.arrayLevels);
  storeIf(isLast(levels.drop_front(indexed.size())), [&] {
    Value *array = parameters.array(output.arrayOffset, output.size,
                                    output.arrayLevels, SLUICE_ACCESS_OUT);
    storeScalars(b, value,
                 b.CreateInBoundsGEP(output.type, array, linearIndex(indexed)));
  });
  return Error::success();
}
