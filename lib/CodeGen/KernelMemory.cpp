//===- KernelMemory.cpp - Assumptions of kernels about memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the pointers of a leaf that reach memory which no other pointer
// reaches, because the runtime compares the arguments at launch. Also finds
// whether other nodes may access memory while a node updates it atomically.
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/ReachedCode.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

bool codegen::usesAtomics(const Function &leaf) {
  return anyReached(leaf, [](const Instruction &inst) {
    return inst.isAtomic() || hpvmIntrinsicName(inst).starts_with("atomic.");
  });
}

/// The same for the leaves at and below `callee`.
static bool usesAtomics(mlir::Operation *callee, const Module &leaves) {
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    const Function *leaf = leaves.getFunction(kernel.getCodeName());
    return leaf && codegen::usesAtomics(*leaf);
  }
  return llvm::any_of(
      cast<GraphOp>(callee).getBody().front().getOps<NodeOp>(),
      [&](NodeOp child) { return usesAtomics(child.resolveCallee(), leaves); });
}

/// The nodes that end before `node` starts, or start after its end.
static BitVector orderedNodes(const PlanModel &model, unsigned node) {
  BitVector before(model.nodes.size()), after(model.nodes.size());
  SmallVector<unsigned> worklist{node};
  while (!worklist.empty())
    for (const Predecessor &edge :
         model.nodes[worklist.pop_back_val()].predecessors)
      if (!edge.isOneToOne && !before.test(edge.node)) {
        before.set(edge.node);
        worklist.push_back(edge.node);
      }
  // Nodes come after their predecessors.
  for (unsigned i = node + 1; i < model.nodes.size(); ++i)
    if (any_of(model.nodes[i].predecessors, [&](const Predecessor &edge) {
          return !edge.isOneToOne &&
                 (edge.node == node || after.test(edge.node));
        }))
      after.set(i);
  before |= after;
  return before;
}

/// Whether a node that may run at the same time has a written argument or
/// dataset in common with `node`: it may then see the updates of `node`.
static bool sharesWrittenMemory(const PlanModel &model, const FlatNode &node) {
  DenseSet<unsigned> arguments, memories;
  for (const FlatOperand &operand : node.operands)
    if (operand.source.kind == Source::Kind::Argument &&
        dfg::writes(model.arguments[operand.source.index].access))
      arguments.insert(operand.source.index);
  for (const NodeMemoryUse &use : node.uses)
    memories.insert(use.memory);
  if (model.nodes.size() < 2 || (arguments.empty() && memories.empty()))
    return false;
  unsigned number = &node - model.nodes.data();
  BitVector ordered = orderedNodes(model, number);
  for (unsigned i = 0; i != model.nodes.size(); ++i) {
    const FlatNode &other = model.nodes[i];
    bool isShared =
        any_of(other.operands,
               [&](const FlatOperand &operand) {
                 return operand.source.kind == Source::Kind::Argument &&
                        arguments.contains(operand.source.index);
               }) ||
        any_of(other.uses, [&](const NodeMemoryUse &use) {
          return memories.contains(use.memory);
        });
    if (i != number && !ordered.test(i) && isShared)
      return true;
  }
  return false;
}

bool KernelEmitter::mayCollect(const FlatNode &node) {
  return ::usesAtomics(NodeOp(node.body).resolveCallee(), module) &&
         !sharesWrittenMemory(model, node);
}

//===----------------------------------------------------------------------===//
// Pointers that are alone
//===----------------------------------------------------------------------===//

/// Whether the instruction may use memory that other code knows.
static bool usesSharedMemory(const Instruction &inst) {
  if (!inst.mayReadOrWriteMemory() || isAssumeLikeIntrinsic(&inst) ||
      hpvmIntrinsicName(inst).starts_with("get"))
    return false;
  const Value *pointer = getLoadStorePointerOperand(&inst);
  return !pointer || !isa<AllocaInst>(getUnderlyingObject(pointer));
}

/// Whether a leaf's return value depends on memory.
static bool returnsLoaded(const Function &leaf) {
  SmallVector<const Value *> worklist;
  SmallPtrSet<const Value *, 16> visited;
  for (const BasicBlock &block : leaf)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      worklist.append(end->value_op_begin(), end->value_op_end());
  while (!worklist.empty()) {
    auto *inst = dyn_cast<Instruction>(worklist.pop_back_val());
    if (!inst || !visited.insert(inst).second)
      continue;
    if (inst->mayReadFromMemory())
      return true;
    worklist.append(inst->value_op_begin(), inst->value_op_end());
  }
  return false;
}

bool codegen::storesLast(const Function &leaf) {
  const StoreInst *store = nullptr;
  bool loads = false;
  for (const Instruction &inst : instructions(leaf)) {
    if (!usesSharedMemory(inst))
      continue;
    if (isa<LoadInst>(inst)) {
      loads = true;
      continue;
    }
    if (store || !isa<StoreInst>(inst))
      return false;
    store = cast<StoreInst>(&inst);
  }
  if (!store || !loads)
    return true;
  return !returnsLoaded(leaf) &&
         none_of(instructions(leaf), [&](const Instruction &inst) {
           return usesSharedMemory(inst) &&
                  isPotentiallyReachable(store->getNextNode(), &inst);
         });
}

/// Whether the ranges of two arguments of the root are compared at launch, or
/// no node writes to them.
static bool areDisjoint(const PlanModel &model, unsigned a, unsigned b) {
  auto isPair = [&](const SluicePlanPair &pair) {
    return (pair.first == a && pair.second == b) ||
           (pair.first == b && pair.second == a);
  };
  return any_of(model.disjointPairs, isPair) ||
         !(dfg::writes(model.arguments[a].access) ||
           dfg::writes(model.arguments[b].access));
}

/// Whether a constant is, or leads to, a global variable that may change.
static bool namesVariable(const Value *value) {
  if (const auto *global = dyn_cast<GlobalVariable>(value))
    return !global->isConstant();
  if (const auto *alias = dyn_cast<GlobalAlias>(value))
    return namesVariable(alias->getAliasee());
  return isa<ConstantExpr, ConstantAggregate>(value) &&
         any_of(cast<Constant>(value)->operands(), namesVariable);
}

/// Whether all pointers of a leaf are computed from its own, from none that it
/// finds in memory or gets from a function, and neither functions that it calls
/// nor, by atomic operations, other threads use them meanwhile.
static bool usesOwnPointersOnly(const Function &leaf) {
  return all_of(instructions(leaf), [](const Instruction &inst) {
    const Type &type = *inst.getType();
    const auto *call = dyn_cast<CallBase>(&inst);
    if (call && hpvmIntrinsicName(inst).starts_with("get"))
      return true; // the node, or numbers
    if (inst.isAtomic() ||
        (call && !isa<IntrinsicInst>(call) && !call->doesNotAccessMemory()))
      return false;
    return type.isVoidTy() || type.isIntOrIntVectorTy() ||
           type.isFPOrFPVectorTy() ||
           isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, AllocaInst>(
               inst);
  });
}

/// Marks the leaf's pointers that come from different arguments of the root,
/// whose ranges the runtime finds disjoint at launch, and records where their
/// sizes are. A leaf that also touches mutable globals gets no promise. Returns
/// the pairs of arguments that the runtime does not compare.
KernelEmitter::ArgumentPairs KernelEmitter::addNoAlias(ArrayRef<Origin> origins,
                                                       RangeSpec &spec) {
  if (rangeOptions.check) // In checked code, the promise itself is to be
                          // checked.
    return {};
  // Other instances act while this one waits for a lock.
  if (spec.leaf->hasFnAttribute(sharesMemoryAttribute) ||
      takesTurns(*spec.leaf))
    return {};
  for (const Instruction &inst : instructions(*spec.leaf))
    if (any_of(inst.operands(), namesVariable))
      return {};
  if (spec.leaf->hasFnAttribute(apartAttribute) &&
      usesOwnPointersOnly(*spec.leaf)) {
    for (auto [index, input] : llvm::enumerate(spec.inputs))
      input.noAlias = spec.leaf->getArg(index)->getType()->isPointerTy();
    return {};
  }
  SmallVector<unsigned> inputs;
  DenseSet<unsigned> arguments;
  for (auto [index, origin] : llvm::enumerate(origins)) {
    if (!spec.leaf->getArg(index)->getType()->isPointerTy() ||
        origin.isAllocated)
      continue;
    if (!origin.argument ||
        model.arguments[*origin.argument].sizeArgument == SLUICE_NO_INDEX ||
        !arguments.insert(*origin.argument).second)
      return {};
    inputs.push_back(index);
  }
  ArgumentPairs unknown;
  for (unsigned a : arguments)
    for (unsigned b : arguments)
      if (a < b && !areDisjoint(model, a, b))
        unknown.push_back({a, b});
  for (unsigned input : inputs) {
    spec.inputs[input].noAlias = true;
    unsigned size = model.arguments[*origins[input].argument].sizeArgument;
    for (auto [index, origin] : llvm::enumerate(origins))
      if (origin.argument == size &&
          spec.inputs[index].mode == PortMode::Value &&
          spec.leaf->getArg(index)->getType()->isIntegerTy(64))
        spec.inputs[input].bytesPort = index;
  }
  return unknown;
}

/// Whether the ranges of some pair of arguments overlap.
Value *KernelEmitter::emitOverlap(const ArgumentPairs &pairs, Body &body) {
  IRBuilder<> &b = body.builder;
  auto rangeOf = [&](unsigned argument) {
    Source pointer, size;
    pointer.index = argument;
    size.index = model.arguments[argument].sizeArgument;
    Value *begin =
        b.CreatePtrToInt(flowOf(pointer, body).value, b.getInt64Ty());
    return std::pair(begin, b.CreateAdd(begin, flowOf(size, body).value));
  };
  Value *overlap = b.getFalse();
  for (auto [first, second] : pairs) {
    auto [begin, end] = rangeOf(first);
    auto [otherBegin, otherEnd] = rangeOf(second);
    overlap =
        b.CreateOr(overlap, b.CreateAnd(b.CreateICmpULT(begin, otherEnd),
                                        b.CreateICmpULT(otherBegin, end)));
  }
  return overlap;
}
