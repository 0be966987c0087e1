//===- HeteroWalk.cpp - From code between nodes to a graph ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code between the nodes of a section may compute with variables, but must have
// no other effects. It is followed here, with variables as expressions of the
// graph's inputs, and recomputed wherever a node needs it.
//
//===----------------------------------------------------------------------===//

#include "HeteroWalk.h"
#include "../HPVM/Import/ImportProgram.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

static std::string quote(const Twine &name) { return ("'" + name + "'").str(); }

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

/// From here on, the parameters are in their variables.
Instruction *Walker::endOfPrologue() {
  BasicBlock &entry = function.getEntryBlock();
  Instruction *end = &entry.front();
  for (Instruction &instruction : entry)
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      if (record.getVariable()->isParameter() &&
          !record.getDebugLoc()->getInlinedAt())
        end = &instruction;
  return end;
}

static constexpr const char *choiceOfNodes =
    "a branch chooses between nodes of a section, but the structure of a graph "
    "does not depend on values; let the host choose what it launches, or "
    "branch "
    "inside of the nodes";

/// True if the code runs straight to the end of the program.
static bool endsProgram(const BasicBlock *block) {
  while (const BasicBlock *next = block->getSingleSuccessor())
    block = next;
  return isa<UnreachableInst>(block->getTerminator());
}

/// True if only one side of a branch contains nodes, and the other side
/// continues.
bool Walker::choosesNodes(const Instruction &branch) const {
  if (any_of(successors(&branch), endsProgram))
    return false;
  return any_of(successors(&branch), [&](const BasicBlock *next) {
    return next->getSinglePredecessor() &&
           any_of(region.blocks, [&](const BasicBlock *block) {
             return dominators.dominates(next, block) &&
                    any_of(*block, isNodeMarker);
           });
  });
}

bool Walker::run() {
  BasicBlock *block = region.entry;
  SmallPtrSet<BasicBlock *, 16> visited;
  while (block && block != region.exit) {
    Loop *loop = loops.getLoopFor(block);
    if (loop && loop->getHeader() == block &&
        region.blocks.contains(loop->getHeader()) &&
        (!region.begin || !loop->contains(region.begin))) {
      block = addLoop(*loop);
      if (!block)
        return false;
      continue;
    }
    if (!visited.insert(block).second)
      break;
    Instruction *first = &block->front();
    if (!region.begin && block == &function.getEntryBlock())
      first = endOfPrologue();
    BasicBlock *next = nullptr;
    for (Instruction *i = first; i; i = i->getNextNode()) {
      if (calledHetero(*i) == HeteroFunction::TaskBegin) {
        next = addTask(cast<CallInst>(*i));
        if (!next)
          return false;
        break;
      }
      if (auto *branch = dyn_cast<BranchInst>(i)) {
        next = takeBranch(*branch);
        if (!next)
          return refuse(*branch,
                        choosesNodes(*branch)
                            ? choiceOfNodes
                            : "a branch stands between the nodes of a section; "
                              "the structure of a graph does not depend on "
                              "values, so put the branch into a task");
        break;
      }
      if (isa<ReturnInst, UnreachableInst>(i))
        return isSound;
      if (i->isTerminator())
        return refuse(*i, choosesNodes(*i)
                              ? choiceOfNodes
                              : "control flow stands between the nodes of a "
                                "section; put it into a task");
      isSound &= step(*i);
    }
    block = next;
  }
  return isSound;
}

void Walker::skip(ArrayRef<BasicBlock *> code) {
  isSound = false;
  for (BasicBlock *block : code)
    for (Instruction &instruction : *block) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      auto *variable =
          store ? dyn_cast<AllocaInst>(
                      store->getPointerOperand()->stripInBoundsOffsets())
                : nullptr;
      if (variable && !graph.memory.contains(variable))
        graph.variables[variable] = unknown(variable->getAllocatedType(), "");
    }
}

bool Walker::holdsBroken(const CodeRegion &code) const {
  return any_of(code.blocks, [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &instruction) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const HeteroCall *record =
          call && calledHetero(instruction) == HeteroFunction::Private
              ? heteroRecordOf(*call, context.unit)
              : nullptr;
      return record && record->isBroken;
    });
  });
}

static bool comesFromArgument(Value *value) {
  while (auto *cast = dyn_cast<CastInst>(value))
    value = cast->getOperand(0);
  return isa<Argument>(value);
}

bool Walker::store(StoreInst &store) {
  Value *pointer = store.getPointerOperand();
  auto *variable = dyn_cast<AllocaInst>(pointer->stripInBoundsOffsets());
  if (variable && !graph.memory.contains(variable)) {
    if (comesFromArgument(store.getValueOperand()))
      return true;
    if (auto *handle = dyn_cast<Instruction>(store.getValueOperand());
        handle && calledHetero(*handle) != HeteroFunction::None)
      return true;
  }
  return write(evaluate(pointer), evaluate(store.getValueOperand())) ||
         refuse(store, "code between the nodes of a section writes memory; "
                       "put it into a task");
}

bool Walker::step(Instruction &instruction) {
  switch (calledHetero(instruction)) {
  case HeteroFunction::SectionBegin:
    ++depth;
    return true;
  case HeteroFunction::SectionEnd:
    depth -= depth != 0;
    return true;
  case HeteroFunction::Hint: {
    auto *target =
        dyn_cast<ConstantInt>(cast<CallBase>(instruction).getArgOperand(0));
    if (target)
      graph.hint = hintOfHetero(target->getSExtValue()).str();
    return true;
  }
  case HeteroFunction::Ordered:
    return refuse(instruction, "'sluice_ordered_turns' stands between the "
                               "nodes of a section; put it into the body of a "
                               "parallel loop");
  case HeteroFunction::None:
    break;
  case HeteroFunction::Launch:
  case HeteroFunction::Wait:
  case HeteroFunction::LaunchBegin:
    return refuse(instruction, "a graph launches no graph; nest a section in "
                               "a task instead");
  case HeteroFunction::Private:
    return refuse(instruction, "'__hetero_priv' stands between the nodes of a "
                               "section; put it into a node");
  default:
    return true;
  }
  if (auto *call = dyn_cast<CallBase>(&instruction);
      call && calledHPVM(*call) == "hint") {
    if (auto *target = dyn_cast<ConstantInt>(call->getArgOperand(0)))
      graph.hint = hintOfHetero(target->getSExtValue()).str();
    return true;
  }
  if (auto *call = dyn_cast<CallBase>(&instruction);
      call && calledHPVM(*call) == "temporary") {
    const Expr *memory = evaluate(call->getArgOperand(0));
    if (memory->kind != Expr::Kind::Input)
      return refuse(instruction, "'sluice_temporary' takes a pointer that the "
                                 "graph around it takes");
    graph.temporaries.insert(memory->index);
    return true;
  }
  if (isa<AllocaInst, PHINode>(instruction) ||
      instruction.isLifetimeStartOrEnd() ||
      isa<DbgInfoIntrinsic>(instruction) || instruction.isDebugOrPseudoInst())
    return true;
  if (auto *written = dyn_cast<StoreInst>(&instruction))
    return store(*written);
  if (auto *moved = dyn_cast<MemIntrinsic>(&instruction))
    if (transfer(*moved))
      return true;
  if (auto *call = dyn_cast<CallBase>(&instruction);
      call && !call->doesNotAccessMemory()) {
    if (const Expr *result = evaluateCall(*call)) {
      values[call] = result;
      return true;
    }
    Function *callee = call->getCalledFunction();
    values[call] = unknown(call->getType(), "");
    return refuse(*call,
                  callee && !callee->isIntrinsic()
                      ? "a call of " + quote(hpvm::displayName(*callee)) +
                            " stands between the nodes of a section; put it "
                            "into a task"
                      : "a call stands between the nodes of a section; put "
                        "it into a task");
  }
  values[&instruction] = evaluate(&instruction);
  return true;
}

bool sluice::hetero::walkGraph(HeteroGraph &graph, const CodeRegion &region,
                               HeteroContext &context) {
  return Walker(graph, region, context).run();
}
