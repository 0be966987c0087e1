//===- HostValues.cpp - Group values known before the launch --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents inside a group can depend on values that leaves compute. This file
// finds the values that the host can compute before the launch, and rejects the
// others with a reason.
//
//===----------------------------------------------------------------------===//

#include "HostValues.h"
#include "../ExtentEmitter.h"
#include "../KernelEmitter.h"
#include "Optimize.h"
#include "Refusal.h"
#include "sluice/Analysis/LargeValues.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

HostValues::HostValues(IRBuilder<> &b, const PlanModel &model,
                       const FlatNode &node, ArrayRef<DeviceNode> known,
                       const Visitor &visitor)
    : b(b), function(b.GetInsertBlock()->getParent()),
      module(*function->getParent()), model(model), node(node), known(known),
      visitor(visitor), types(b.getContext()) {}

//===----------------------------------------------------------------------===//
// Values that the host does not know
//===----------------------------------------------------------------------===//

static constexpr StringLiteral unknownPrefix = "sluice.unknown.";

/// A stand-in for a value that the host does not know, because it `reason`.
Value *HostValues::unknown(IRBuilderBase &at, Type *type, StringRef reason) {
  std::string name;
  raw_string_ostream(name) << unknownPrefix << *type << '.' << reason;
  Function *stand = module.getFunction(name);
  if (!stand) {
    stand = Function::Create(FunctionType::get(type, false),
                             GlobalValue::ExternalLinkage, name, module);
    stand->addFnAttr("sluice-reason", reason);
    stand->setDoesNotAccessMemory();
    stand->setDoesNotThrow();
    stand->setWillReturn();
  }
  return at.CreateCall(stand);
}

static const Function *unknownCallee(const Instruction &inst) {
  const auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->hasFnAttribute("sluice-reason") ? callee : nullptr;
}

static bool isOwn(const Value *pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  return all_of(objects, [](const Value *object) {
    const auto *global = dyn_cast<GlobalVariable>(object);
    return isa<AllocaInst>(object) || (global && global->isConstant());
  });
}

/// Removes a leaf's accesses to memory of others: the contents are not known
/// before the launch, and nothing may be written yet.
void HostValues::forgetMemory(Function &leaf) {
  for (Instruction &inst : make_early_inc_range(instructions(leaf))) {
    IRBuilder<> at(&inst);
    if (auto *memory = dyn_cast<MemIntrinsic>(&inst)) {
      auto *transfer = dyn_cast<MemTransferInst>(memory);
      if (!isOwn(memory->getRawDest()))
        inst.eraseFromParent();
      else if (transfer && !isOwn(transfer->getRawSource()))
        transfer->setSource(unknown(at, at.getPtrTy(), "is read from memory"));
      continue;
    }
    const Value *pointer = getLoadStorePointerOperand(&inst);
    bool isUpdate = isa<AtomicRMWInst, AtomicCmpXchgInst>(inst);
    if (!isUpdate && (!pointer || isOwn(pointer)))
      continue;
    if (!inst.getType()->isVoidTy())
      inst.replaceAllUsesWith(
          unknown(at, inst.getType(), "is read from memory"));
    inst.eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Input `index` of the node's body.
Value *HostValues::nodeInput(unsigned index, Type *type) {
  Source source = sourceOfInput(node, index);
  if (source.instanceLevel >= 0)
    return unknown(b, type, "differs between work-groups");
  if (!isOnHost(model, known, source))
    return unknown(b, type, "is computed by another node on the device");
  return loadInput(module, model, node, index, function->getArg(0), b);
}

ValueTriple HostValues::extentsOf(unsigned level) {
  ValueTriple extents;
  for (unsigned d = 0; d != 3; ++d)
    extents[d] =
        b.CreateLoad(b.getInt64Ty(),
                     b.CreateConstInBoundsGEP1_64(
                         b.getInt64Ty(), function->getArg(1), 3 * level + d));
  return extents;
}

/// Any instance of a level.
PlacedLevel HostValues::somewhere(unsigned numDims,
                                  const ValueTriple &extents) {
  PlacedLevel level;
  level.numDims = numDims;
  level.extents = extents;
  for (unsigned d = 0; d != 3; ++d)
    level.ids[d] =
        d < numDims ? unknown(b, b.getInt64Ty(), "differs between work-groups")
                    : b.getInt64(0);
  return level;
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

Error HostValues::emit(GraphOp graph) {
  Values values;
  Levels levels;
  for (auto [index, argument] : enumerate(graph.getBody().getArguments()))
    values[argument] =
        nodeInput(index, types.translateType(argument.getType()));
  for (unsigned i = 0; i != node.levels.size(); ++i)
    levels.push_back(somewhere(NodeOp(node.levels[i].node).getExtents().size(),
                               extentsOf(i)));
  return emitGraph(graph, values, levels);
}

Error HostValues::emitGraph(GraphOp graph, Values &values, Levels &levels) {
  for (mlir::Operation &op : graph.getBody().front()) {
    if (auto use = dyn_cast<dfg::UseDatasetOp>(op)) {
      auto dataset = mlir::SymbolTable::lookupNearestSymbolFrom<dfg::DatasetOp>(
          GraphOp(model.root)->getParentOp(), use.getDatasetAttr());
      GlobalVariable *memory = datasetGlobal(module, dataset);
      values[use.getAddress()] = memory;
      values[use.getSize()] = b.getInt64(
          module.getDataLayout().getTypeAllocSize(memory->getValueType()));
    }
    if (auto child = dyn_cast<NodeOp>(op))
      if (Error error = emitChild(child, values, levels))
        return error;
  }
  return Error::success();
}

Error HostValues::emitChild(NodeOp child, Values &values, Levels &levels) {
  ValueTriple extents;
  for (unsigned d = 0; d != 3; ++d) {
    extents[d] = b.getInt64(1);
    if (d < child.getExtents().size())
      extents[d] = emitExtent(child.getExtents()[d], b, [&](mlir::Value value) {
        return values.lookup(value);
      });
  }
  visitor.child(child, extents);
  mlir::Operation *callee = child.resolveCallee();
  if (auto graph = dyn_cast<GraphOp>(callee))
    return emitInner(child, graph, values, levels, extents);
  if (child.getExtents().empty())
    return emitLeaf(child, cast<KernelOp>(callee), values, levels);
  for (mlir::Value result : child.getResults())
    values[result] = unknown(b, types.translateType(result.getType()),
                             "is computed by a work-group");
  return Error::success();
}

/// Stands for the size of an allocation until the leaf is inlined.
static constexpr StringLiteral sizeMarker = "sluice.allocation.size";

/// Marks the allocations of a leaf; the host does not know their addresses.
void HostValues::markAllocations(Function &leaf) {
  for (auto [index, call] : enumerate(allocationsIn(leaf))) {
    IRBuilder<> at(call);
    FunctionCallee marker = module.getOrInsertFunction(
        sizeMarker, at.getVoidTy(), at.getInt32Ty(), at.getInt64Ty());
    at.CreateCall(marker, {at.getInt32(index), call->getArgOperand(1)});
    call->replaceAllUsesWith(
        unknown(at, at.getPtrTy(), "is an address of the device"));
    call->eraseFromParent();
  }
}

void HostValues::reportAllocations(NodeOp child) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&inst);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != sizeMarker)
      continue;
    IRBuilder<> at(call);
    uint64_t index = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    visitor.allocation(at, child, index, call->getArgOperand(1));
    call->eraseFromParent();
    if (callee->use_empty())
      callee->eraseFromParent();
  }
}

Error HostValues::emitLeaf(NodeOp child, KernelOp kernel, Values &values,
                           Levels &levels) {
  Function *leaf = module.getFunction(kernel.getCodeName());
  SmallVector<unsigned> dims;
  for (const PlacedLevel &level : levels)
    dims.push_back(level.numDims);
  dims.push_back(0);
  Expected<Function *> copy = createLeafFunction(*leaf, dims);
  if (!copy)
    return copy.takeError();
  markAllocations(**copy);
  forgetMemory(**copy);
  SmallVector<Value *> inputs;
  for (auto [index, value] : enumerate(child.getInputs()))
    inputs.push_back(
        convertTo(b, values.lookup(value), leaf->getArg(index)->getType()));
  Levels all = levels;
  all.push_back(somewhere(0, {b.getInt64(1), b.getInt64(1), b.getInt64(1)}));
  CallInst *call = callLeaf(b, **copy, inputs, all);
  for (auto [index, result] : enumerate(child.getResults()))
    values[result] = convertTo(b, b.CreateExtractValue(call, index),
                               types.translateType(result.getType()));
  // Inlining splits the block, which needs a terminator.
  Instruction *end = b.CreateUnreachable();
  InlineFunctionInfo info;
  bool isInlined = InlineFunction(*call, info).isSuccess();
  assert(isInlined && "a plain call of a definition is inlinable");
  (void)isInlined;
  b.SetInsertPoint(end->getParent());
  end->eraseFromParent();
  (*copy)->eraseFromParent();
  reportAllocations(child);
  return Error::success();
}

Error HostValues::emitInner(NodeOp child, GraphOp graph, Values &values,
                            Levels &levels, const ValueTriple &extents) {
  bool isReplicated = !child.getExtents().empty();
  Values inner;
  for (auto [index, value] : enumerate(child.getInputs()))
    inner[graph.getBody().getArgument(index)] =
        isReplicated && child.isOneToOne(index)
            ? unknown(b, types.translateType(value.getType()),
                      "is computed by a work-group")
            : values.lookup(value);
  levels.push_back(somewhere(child.getExtents().size(), extents));
  Error error = emitGraph(graph, inner, levels);
  levels.pop_back();
  if (error)
    return error;
  for (auto [index, value] : enumerate(graph.getOutputOp().getValues()))
    values[child.getResult(index)] =
        isReplicated ? unknown(b, types.translateType(value.getType()),
                               "is computed by a work-group")
                     : inner.lookup(value);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Error HostValues::finish() {
  {
    const HiddenLargeValues hidden(*function);
    cleanUp(*function);
  }
  Error result = Error::success();
  for (Instruction &inst : instructions(function)) {
    const Function *callee = unknownCallee(inst);
    if (!callee || result)
      continue;
    std::string reason =
        callee->getFnAttribute("sluice-reason").getValueAsString().str();
    const Instruction *user = cast<Instruction>(*inst.user_begin());
    std::string place = spellLocation(node.location);
    if (const DILocation *location = user->getDebugLoc())
      place = spellPlace(*location);
    result = createStringError(
        Twine(place) + (place.empty() ? "" : ": ") + "node '" + node.name +
        "': the size of its work-groups or of their memory depends on what " +
        reason + "; it has to be known before the launch");
  }
  stripDebugInfo(*function);
  for (Function &stand : make_early_inc_range(module))
    if (stand.hasFnAttribute("sluice-reason") && stand.use_empty())
      stand.eraseFromParent();
  return result;
}
