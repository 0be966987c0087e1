//===- RehearsalLanes.cpp - Iterations that are run at once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iterations of a 'simd' loop are strands of a team of their own.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

/// Clang also calls the loop over the chunks of 'distribute parallel for simd'
/// a 'simd' loop, although each chunk starts a team.
static bool isOverChunks(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      return callee && callee->getName().starts_with("__kmpc_fork_call");
    });
  });
}

std::map<const BasicBlock *, SimdLoop> &
RehearsalRun::simdLoopsOf(Function &function) {
  auto &known = simdLoops[&function];
  if (known)
    return *known;
  known = std::make_unique<std::map<const BasicBlock *, SimdLoop>>();
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    const MDNode *id = loop->getLoopID();
    if (!id || !getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable"))
      continue;
    SimdLoop &simd = (*known)[loop->getHeader()];
    simd.isOverChunks = isOverChunks(*loop);
    simd.latch = loop->getLoopLatch();
    simd.blocks.insert_range(loop->blocks());
    if (DILocation *start = loop->getStartLoc().get())
      simd.scope = start->getScope()->getNonLexicalBlockFileScope();
    // Only the region of 'ordered simd' is a separate function.
    simd.isOrdered = any_of(loop->blocks(), [](const BasicBlock *block) {
      return any_of(*block, [](const Instruction &instruction) {
        const auto *call = dyn_cast<CallBase>(&instruction);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        return callee && (callee->getName().contains("captured_stmt") ||
                          callee->getName().contains("omp_outlined"));
      });
    });
    bool isFree = findOptionMDForLoop(loop, "llvm.loop.parallel_accesses");
    if (auto width =
            getOptionalIntLoopAttribute(loop, "llvm.loop.vectorize.width");
        width && !isFree) {
      simd.safeLength = *width;
      // Given both 'safelen' and 'simdlen', clang keeps only 'simdlen'.
      simd.isLengthSaid =
          simd.latch && learnt.directiveOf(*simd.latch->getTerminator());
    }
  }
  return *known;
}

void RehearsalRun::endLanes(Thread &thread) {
  const Thread::Lanes &lanes = thread.lanes.back();
  thread.phase = lanes.phase;
  thread.strand = lanes.strand;
  thread.own = lanes.own;
  thread.lanes.pop_back();
}

void RehearsalRun::enterLanes(Thread &thread, const BasicBlock *previous,
                              const BasicBlock *next) {
  size_t depth = thread.frames.size();
  while (!thread.lanes.empty() && thread.lanes.back().depth == depth &&
         !thread.lanes.back().loop->blocks.contains(next))
    endLanes(thread);
  auto &loops = simdLoopsOf(*thread.frames.back().function);
  auto found = loops.find(next);
  if (found == loops.end())
    return;
  SimdLoop &loop = found->second;
  if (loop.latch)
    result.reached.insert(learnt.placeAt(*loop.latch->getTerminator()));
  if (loop.isOverChunks)
    return;
  bool isIn = !thread.lanes.empty() && thread.lanes.back().loop == &loop &&
              thread.lanes.back().depth == depth;
  if (!isIn || !loop.blocks.contains(previous)) {
    FollowedTeam &team = teams.emplace_back();
    team.parent = thread.strand;
    team.depth = thread.strand->phase->team->depth + 1;
    team.numLevels = thread.team->numLevels;
    team.isParallel = true;
    team.safeLength = loop.safeLength;
    team.loop = &loop;
    team.locks = thread.lockSet;
    if (team.depth > deepestTeam)
      stop("its teams are too deep in each other");
    thread.lanes.push_back(
        {depth, &loop, thread.phase, thread.strand, thread.own, 0});
    thread.phase = newPhase(&team);
  } else {
    ++thread.lanes.back().iteration;
  }
  Strand *strand = newStrand(thread.phase, thread, Unit::Lane);
  strand->stack = thread.lanes.back().strand->stack;
  strand->thread = thread.lanes.back().strand->thread;
  strand->construct = 1;
  strand->iteration = thread.lanes.back().iteration;
  thread.strand = thread.own = strand;
}

/// True if only code of the loop uses a variable, and its address stays there.
static bool isOnlyIn(const Value &address, const SimdLoop &loop) {
  return all_of(address.users(), [&](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    if (!instruction)
      return false;
    if (instruction->isLifetimeStartOrEnd())
      return true;
    if (!loop.blocks.contains(instruction->getParent()))
      return false;
    if (const auto *write = dyn_cast<StoreInst>(instruction))
      return write->getValueOperand() != &address;
    if (isa<GetElementPtrInst>(instruction) || isa<CastInst>(instruction))
      return isOnlyIn(*instruction, loop);
    return true;
  });
}

/// True if a loop or its directive declares a variable, so that each iteration
/// has its own. A variable that is declared outside is shared, even if nothing
/// else uses it.
static bool isDeclaredIn(const AllocaInst &variable, const SimdLoop &loop) {
  const DISubprogram *function = variable.getFunction()->getSubprogram();
  if (!function || !loop.scope || !function->getUnit() ||
      function->getUnit()->getEmissionKind() != DICompileUnit::FullDebug)
    return false;
  // Intermediate values are not variables of the program.
  auto declared = findDVRDeclares(const_cast<AllocaInst *>(&variable));
  return all_of(declared, [&](const DbgVariableRecord *record) {
    const DILocalVariable *known = record->getVariable();
    const DILocalScope *scope =
        known->getScope()->getNonLexicalBlockFileScope();
    if (scope == loop.scope)
      return known->isArtificial();
    for (const DIScope *outer = scope; outer; outer = outer->getScope()) {
      if (outer == loop.scope)
        return true;
      if (isa<DISubprogram>(outer))
        return false;
    }
    return false;
  });
}

/// True if a number follows from clang's loop counter alone.
static bool isCounted(const Value *value, bool &hasCount) {
  if (isa<ConstantInt>(value))
    return true;
  if (const auto *read = dyn_cast<LoadInst>(value)) {
    const auto *count = dyn_cast<AllocaInst>(read->getPointerOperand());
    hasCount = true;
    return count && count->getName().starts_with(".");
  }
  if (!isa<BinaryOperator>(value) && !isa<CastInst>(value))
    return false;
  return all_of(cast<Instruction>(value)->operands(), [&](const Use &operand) {
    return isCounted(operand.get(), hasCount);
  });
}

/// True for the loop variable: each iteration has its own, and it gets its last
/// value after the loop.
static bool isCounter(const AllocaInst &variable, const SimdLoop &loop) {
  bool hasCount = false;
  return all_of(variable.users(),
                [&](const User *user) {
                  const auto *write = dyn_cast<StoreInst>(user);
                  if (!write)
                    return isa<LoadInst>(user) ||
                           cast<Instruction>(user)->isLifetimeStartOrEnd();
                  return write->getValueOperand() != &variable &&
                         (!loop.blocks.contains(write->getParent()) ||
                          isCounted(write->getValueOperand(), hasCount));
                }) &&
         hasCount;
}

bool RehearsalRun::isCopyOfLanes(const FollowedObject &object,
                                 const Strand &strand) {
  SimdLoop *loop = strand.phase->team->loop;
  if (!loop || !loop->scope || !object.variable || object.stack != strand.stack)
    return false;
  auto [known, isNew] = loop->copies.try_emplace(object.variable, false);
  if (isNew) {
    auto declared = findDVRDeclares(const_cast<AllocaInst *>(object.variable));
    known->second = !declared.empty() && all_of(declared, [&](const auto *one) {
      const DILocalVariable *variable = one->getVariable();
      return variable->isArtificial() &&
             variable->getScope()->getNonLexicalBlockFileScope() == loop->scope;
    });
  }
  return known->second;
}

bool RehearsalRun::isOfLane(const FollowedObject &object,
                            const Strand &strand) {
  SimdLoop *loop = strand.phase->team->loop;
  if (!loop || !object.variable || object.stack != strand.stack)
    return false;
  auto [known, isNew] = loop->own.try_emplace(object.variable, false);
  if (isNew)
    known->second = (isOnlyIn(*object.variable, *loop) &&
                     isDeclaredIn(*object.variable, *loop)) ||
                    isCounter(*object.variable, *loop);
  return known->second;
}
