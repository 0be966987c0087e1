//===- FragmentEmitter.cpp - One fragment as a loop nest ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structure of the emitted code:
//
//   shared values; loads of scalars             once for all instances
//   for z, y, x:                                loops over the box
//     ids, elements, recomputed values
//     the blocks of the fragment                each escaping value is stored
//     phis of the next node                     where it is computed
//   shared phis of the next node                once
//
//===----------------------------------------------------------------------===//

#include "FragmentEmitter.h"
#include "Guards.h"
#include "VariableRecords.h"

#include "sluice/Analysis/LeafMemory.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice::codegen {

BasicBlock *FragmentEmitter::emit(BasicBlock *start) {
  IRBuilder<> builder(start);
  // A terminator to insert before; it is removed when the block is complete.
  Instruction *end = builder.CreateUnreachable();
  builder.SetInsertPoint(end);
  source.sharedPoint = source.instancePoint = end;
  source.linearIndex = builder.getInt64(0);
  emitShared(builder);
  if (!needsInstances()) {
    copySharedPhis(builder);
    end->eraseFromParent();
    return start;
  }

  BasicBlock *loops =
      BasicBlock::Create(builder.getContext(), "instances", &context.group);
  end->eraseFromParent();
  builder.SetInsertPoint(start);
  source.sharedPoint = builder.CreateBr(loops);
  builder.SetInsertPoint(loops);
  emitInstances(builder);

  BasicBlock *after = builder.GetInsertBlock();
  end = builder.CreateUnreachable();
  builder.SetInsertPoint(end);
  copySharedPhis(builder);
  end->eraseFromParent();
  return after;
}

/// Code that belongs to no instance gets no line of the leaf: a debugger would
/// otherwise stop there outside of any instance.
static void moveOutOfLeaf(Instruction &instruction) {
  DILocation *place = instruction.getDebugLoc();
  while (place && place->getInlinedAt())
    place = place->getInlinedAt();
  instruction.setDebugLoc(place);
}

void FragmentEmitter::emitShared(IRBuilderBase &builder) {
  for (BasicBlock *block : fragment.blocks)
    for (Instruction &instruction : *block) {
      if (!context.placement.isShared(&instruction))
        continue;
      Instruction *copy = instruction.clone();
      for (Use &operand : copy->operands())
        operand.set(source.get(operand.get()));
      builder.Insert(copy, instruction.getName());
      if (context.spec.options.debugging != Debugging::Lines)
        moveOutOfLeaf(*copy);
      source.known[&instruction] = copy;
      builder.CreateStore(copy, context.storage.scalar(&instruction));
    }
}

/// True if each instance must compute or store the phi's value at the end of
/// this fragment.
bool FragmentEmitter::isCopiedPerInstance(const PHINode &phi) const {
  switch (context.placement[&phi]) {
  case PlacementKind::PerInstance:
    return true;
  case PlacementKind::Scalar:
    return any_of(phi.incoming_values(),
                  [&](const Use &use) {
                    return (isa<Instruction>(use.get()) &&
                            !context.placement.isShared(use.get())) ||
                           context.ownIdDimension(use.get());
                  }) ||
           fragment.blocks.size() > 1;
  default:
    return false;
  }
}

bool FragmentEmitter::needsInstances() const {
  for (const BasicBlock *block : fragment.blocks)
    for (const Instruction &instruction : *block)
      if (!instruction.isTerminator() &&
          !context.placement.isShared(&instruction))
        return true;
  if (!fragment.next)
    return true;
  return any_of(fragment.next->phis(),
                [&](const PHINode &phi) { return isCopiedPerInstance(phi); });
}

Argument *FragmentEmitter::firstId(unsigned dim) const {
  return context.group.getArg(
      context.signature.id(context.signature.numLevels - 1, dim));
}

/// The ids of one dimension that are in the box and that the guards admit. A
/// dimension without a loop keeps its full range.
IdRange FragmentEmitter::idRange(IRBuilderBase &builder, unsigned dim,
                                 SmallVectorImpl<Guard> &guards) {
  Value *first = firstId(dim);
  Value *count = context.group.getArg(context.signature.count(dim));
  IdRange range{first, builder.CreateAdd(first, count, "", true, true)};
  if (context.spec.levels.back().extents[dim] == 1) {
    for (const Guard &dropped : guards)
      for (Guard &guard : guards)
        if (dropped.dim == dim && guard.compare == dropped.compare)
          guard.isWhole = false;
    erase_if(guards, [&](const Guard &guard) { return guard.dim == dim; });
    return range;
  }
  for (const Guard &guard : guards)
    if (guard.dim == dim)
      range = restrict(builder, context, source, guard, range, first);
  Type *type = context.isNarrow ? builder.getInt32Ty() : builder.getInt64Ty();
  return {builder.CreateTrunc(range.begin, type),
          builder.CreateTrunc(range.end, type)};
}

void FragmentEmitter::emitInstances(IRBuilderBase &builder) {
  SmallVector<Value *, 3> index(3, builder.getInt64(0));
  SmallVector<Guard> guards = findGuards(context, fragment);
  SmallVector<CountedLoop> loops;
  const InstanceLevel &level = context.spec.levels.back();
  std::array<IdRange, 3> ranges;
  for (unsigned dim = 0; dim < level.dims; ++dim)
    ranges[dim] = idRange(builder, dim, guards);
  for (unsigned dim = level.dims; dim-- > 0;) {
    if (level.extents[dim] == 1)
      continue;
    bool isGuarded =
        any_of(guards, [&](const Guard &guard) { return guard.dim == dim; });
    // The loop counts the ids themselves: a sum of start and index could be
    // split by passes, which would lose the knowledge about overflow.
    loops.push_back(beginCountedLoop(builder, ranges[dim].begin,
                                     ranges[dim].end, dimensionName(dim),
                                     /*mayBeEmpty=*/isGuarded));
    markInstanceLoop(loops.back(), context.accessGroup, context.extents[dim],
                     context.hasBarriers);
    source.ids[dim] = loops.back().index;
    Value *first =
        builder.CreateTrunc(firstId(dim), ranges[dim].begin->getType());
    index[dim] = builder.CreateSExt(
        builder.CreateSub(source.ids[dim], first, "", true, true),
        builder.getInt64Ty());
  }
  for (const Guard &guard : guards)
    if (guard.isWhole)
      source.known[guard.compare] = builder.getInt1(guard.truth);
  source.linearIndex = context.storage.linearIndex(builder, index);
  emitBody(builder);
  for (const CountedLoop &loop : reverse(loops))
    endCountedLoop(builder, loop);
}

/// Emits the code of one instance, from one open block to another.
void FragmentEmitter::emitBody(IRBuilderBase &builder) {
  BasicBlock *entry = builder.GetInsertBlock();
  for (BasicBlock *block : fragment.blocks)
    cloneBlock(*block);
  BasicBlock *exit =
      BasicBlock::Create(builder.getContext(), "instance.end", &context.group);
  BasicBlock *first = blocks.lookup(fragment.entry);
  source.instancePoint = builder.CreateBr(first ? first : exit);
  for (BasicBlock *block : fragment.blocks)
    connectBlock(*block, entry, exit);
  context.records.copy(context, fragment, source, blocks);
  builder.SetInsertPoint(exit);
  if (fragment.next)
    storePhis(builder);
}

/// Markers that mean nothing once an instance is split.
bool FragmentEmitter::isDropped(const Instruction &instruction) const {
  return context.isFissioned && (instruction.isLifetimeStartOrEnd() ||
                                 isa<NoAliasScopeDeclInst>(instruction));
}

void FragmentEmitter::cloneBlock(BasicBlock &block) {
  BasicBlock *copy =
      BasicBlock::Create(block.getContext(), block.getName(), &context.group);
  blocks[&block] = copy;
  for (Instruction &instruction : block) {
    if (source.known.contains(&instruction) || isDropped(instruction))
      continue;
    Instruction *clone = instruction.clone();
    clone->insertInto(copy, copy->end());
    clone->setName(instruction.getName());
    if (context.isFissioned) {
      clone->setMetadata(LLVMContext::MD_alias_scope, nullptr);
      clone->setMetadata(LLVMContext::MD_noalias, nullptr);
    }
    if (isIndependent(instruction))
      clone->setMetadata(LLVMContext::MD_access_group, context.accessGroup);
    source.known[&instruction] = clone;
  }
}

void FragmentEmitter::connectPhi(PHINode &phi, BasicBlock *entry) {
  auto *copy = cast<PHINode>(source.known[&phi]);
  while (copy->getNumIncomingValues() > 0)
    copy->removeIncomingValue(0u, /*DeletePHIIfEmpty=*/false);
  bool hasEntry = false;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    BasicBlock *from = blocks.lookup(phi.getIncomingBlock(i));
    if (!from) {
      // The entry edge from the node; several edges of a switch became one.
      if (phi.getIncomingBlock(i) != fragment.from || hasEntry)
        continue;
      from = entry;
      hasEntry = true;
    }
    copy->addIncoming(source.get(phi.getIncomingValue(i)), from);
  }
}

void FragmentEmitter::connectBlock(BasicBlock &block, BasicBlock *entry,
                                   BasicBlock *exit) {
  for (Instruction &instruction : block) {
    auto *copy = dyn_cast_or_null<Instruction>(source.known[&instruction]);
    if (!copy || context.placement.isShared(&instruction))
      continue;
    if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      connectPhi(*phi, entry);
      continue;
    }
    for (Use &operand : copy->operands()) {
      if (auto *target = dyn_cast<BasicBlock>(operand.get())) {
        BasicBlock *inside = blocks.lookup(target);
        operand.set(inside ? inside : exit);
      } else {
        operand.set(source.get(operand.get()));
      }
    }
  }
  for (Instruction &instruction : block)
    storeEscaping(instruction);
}

void FragmentEmitter::storeEscaping(Instruction &instruction) {
  PlacementKind where = context.placement[&instruction];
  if ((where != PlacementKind::Scalar && where != PlacementKind::PerInstance) ||
      !context.placement.leavesFragment(&instruction))
    return;
  auto *value = cast<Instruction>(source.known[&instruction]);
  std::optional<BasicBlock::iterator> after =
      value->getInsertionPointAfterDef();
  assert(after && "only values that can be stored leave their fragment");
  IRBuilder<> builder((*after)->getParent(), *after);
  if (where == PlacementKind::Scalar) {
    builder.CreateStore(value, context.storage.scalar(&instruction));
    return;
  }
  Value *address =
      context.storage.element(builder, &instruction, source.linearIndex);
  builder.CreateStore(value, address)
      ->setMetadata(LLVMContext::MD_access_group, context.accessGroup);
}

/// The value that `phi`, of the next node, takes when this fragment has ended.
Value *FragmentEmitter::valueAtExit(PHINode &phi, BasicBlock *exit) {
  if (fragment.blocks.empty())
    return source.get(phi.getIncomingValueForBlock(fragment.from));
  DenseMap<BasicBlock *, BasicBlock *> originals;
  for (auto [original, copy] : blocks)
    originals[copy] = const_cast<BasicBlock *>(original);
  PHINode *merged = PHINode::Create(phi.getType(), 2, phi.getName());
  for (BasicBlock *from : predecessors(exit))
    merged->addIncoming(
        source.get(phi.getIncomingValueForBlock(originals.at(from))), from);
  merged->insertBefore(exit->begin());
  return merged;
}

void FragmentEmitter::storePhis(IRBuilderBase &builder) {
  BasicBlock *exit = builder.GetInsertBlock();
  SmallVector<std::pair<PHINode *, Value *>> values;
  for (PHINode &phi : fragment.next->phis())
    if (isCopiedPerInstance(phi))
      values.push_back({&phi, valueAtExit(phi, exit)});
  for (auto [phi, value] : values) {
    if (context.placement[phi] == PlacementKind::Scalar) {
      builder.CreateStore(value, context.storage.scalar(phi));
      continue;
    }
    Value *address = context.storage.element(builder, phi, source.linearIndex);
    builder.CreateStore(value, address)
        ->setMetadata(LLVMContext::MD_access_group, context.accessGroup);
  }
}

/// Assigns the shared phis of the next node that are kept in scalars, all at
/// once.
void FragmentEmitter::copySharedPhis(IRBuilderBase &builder) {
  if (!fragment.next)
    return;
  source.sharedPoint = &*builder.GetInsertPoint();
  SmallVector<std::pair<PHINode *, Value *>> values;
  for (PHINode &phi : fragment.next->phis()) {
    AllocaInst *scalar = context.storage.scalar(&phi);
    if (!scalar || isCopiedPerInstance(phi))
      continue;
    for (const Use &use : phi.incoming_values()) {
      BasicBlock *from = phi.getIncomingBlock(use);
      if (context.skeleton.fragmentOfEdge(from, fragment.next) != &fragment)
        continue;
      values.push_back({&phi, source.get(use.get())});
      break;
    }
  }
  for (auto [phi, value] : values)
    builder.CreateStore(value, context.storage.scalar(phi));
}

//===----------------------------------------------------------------------===//
// Independence
//===----------------------------------------------------------------------===//

/// Whether this may be memory that instances fold into, one after another:
/// where the pointer comes from a function or from too far away, any of it.
static bool mayBeFolded(const Value *object, const GroupContext &context) {
  bool isKnown = isa<Argument, GlobalVariable, LoadInst>(object);
  return any_of(enumerate(context.spec.inputs), [&](const auto &input) {
    unsigned index = context.signature.input(input.index());
    return input.value().foldedBytes &&
           (!isKnown || object == context.item.getArg(index));
  });
}

/// Memory that instances share or have an element each of. (Two instances that
/// touch the same shared memory between barriers race.)
static bool isSharedObject(const Value *object, const GroupContext &context) {
  const ValuePlacement &placement = context.placement;
  if (const auto *alloca = dyn_cast<AllocaInst>(object))
    return placement.isExpanded(alloca);
  if (isOfThread(*object))
    return false;
  if (mayBeFolded(object, context))
    return false;
  if (isa<Argument, GlobalVariable>(object))
    return true;
  return !isNoAliasCall(object) && !placement.hasCapturedPrivateMemory();
}

bool FragmentEmitter::isIndependent(const Instruction &instruction) const {
  SmallVector<const Value *, 2> pointers;
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    if (!load->isSimple())
      return false;
    pointers.push_back(load->getPointerOperand());
  } else if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
    if (!store->isSimple())
      return false;
    pointers.push_back(store->getPointerOperand());
  } else if (const auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    pointers.push_back(memory->getRawDest());
    if (const auto *transfer = dyn_cast<MemTransferInst>(memory))
      pointers.push_back(transfer->getRawSource());
  }
  for (const Value *pointer : pointers) {
    SmallVector<const Value *> objects;
    getUnderlyingObjects(pointer, objects);
    for (const Value *object : objects)
      if (!isSharedObject(object, context))
        return false;
  }
  return !pointers.empty();
}

} // namespace sluice::codegen
