//===- OpenMPUnproven.cpp - What graphs do not show -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is not proven where clang does more, or other things, than OpenMP
// promises: graphs are made of clang's code. And vectors are not looked at.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

void Lowering::leave(const Instruction &place, const std::string &what,
                     const Reason &reason) {
  summary.left.push_back({placeOf(place), what + reason, !reason.empty()});
}

/// Whether a loop is declared to be a vector: its accesses are independent, or
/// those of so many iterations as 'safelen' says. Clang calls the accesses of
/// shared loops independent, too, and a width alone is only a wish.
static bool isVector(const MDNode &loop) {
  return any_of(drop_begin(loop.operands()), [](const MDOperand &of) {
    auto *node = dyn_cast<MDNode>(of);
    auto *name = node && node->getNumOperands()
                     ? dyn_cast<MDString>(node->getOperand(0))
                     : nullptr;
    auto *isOn = name && name->getString() == "llvm.loop.vectorize.enable" &&
                         node->getNumOperands() > 1
                     ? mdconst::dyn_extract<ConstantInt>(node->getOperand(1))
                     : nullptr;
    return isOn && !isOn->isZero();
  });
}

/// Loops that the program has declared to be vectors, of which nobody knows
/// whether they may be.
void Lowering::leaveVectors(const Function &function) {
  for (const BasicBlock &block : function) {
    const Instruction *end = block.getTerminator();
    const MDNode *loop = end ? end->getMetadata(LLVMContext::MD_loop) : nullptr;
    if (loop && isVector(*loop))
      leave(*end,
            "the iterations of this 'simd' loop may depend on each other");
  }
}

/// Whether something follows the barrier that clang puts behind a loop with
/// last values, before the team's next one.
static bool isFollowed(CallInst &start) {
  const Function &work = *start.getFunction();
  if (!work.getName().contains("omp_outlined"))
    return true;
  // Behind the loop, and behind its barrier.
  SmallVector<Instruction *> barriers;
  walk(start, /*isForward=*/true, [&](Instruction &at) {
    if (!calledRuntime(at).contains("barrier"))
      return true;
    barriers.push_back(&at);
    return false;
  });
  bool follows = false;
  for (Instruction *barrier : barriers)
    walk(*barrier->getNextNode(), /*isForward=*/true, [&](Instruction &at) {
      follows |= at.mayReadOrWriteMemory() && &at != &start &&
                 calledRuntime(at) != "__kmpc_global_thread_num" &&
                 !at.isLifetimeStartOrEnd() &&
                 !(isa<LoadInst>(at) && isa<AllocaInst>(at.getOperand(0)));
      return !follows && &at != &start;
    });
  return follows;
}

/// Clang has the threads wait for the last values of a loop, whatever the
/// program says.
void Lowering::leaveLastValues() {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      StringRef name = calledRuntime(instruction);
      bool isStatic = name.starts_with("__kmpc_for_static_init_");
      if (!isStatic && !name.starts_with("__kmpc_dispatch_next_"))
        continue;
      const auto *flag = dyn_cast<AllocaInst>(
          cast<CallInst>(instruction).getArgOperand(isStatic ? 3 : 2));
      bool isAsked = flag && any_of(flag->users(), [](const User *user) {
                       return isa<LoadInst>(user);
                     });
      if (!isAsked || !isFollowed(cast<CallInst>(instruction)))
        continue;
      std::optional<std::string> directive =
          rehearsal::directiveOf(instruction, placeOf(instruction));
      StringRef words = directive ? StringRef(*directive) : StringRef();
      if (!directive ||
          (words.contains(" nowait ") && words.contains(" lastprivate ")))
        leave(instruction,
              "whether the threads wait for the last values of this loop is "
              "not known");
    }
}

/// What is before 'scan' and what is behind it are loops of their own by now.
void Lowering::leaveScans() {
  for (Function &function : module) {
    StringRef why = rehearsal::reasonOf(rehearsal::scanOf(function));
    Instruction *start = nullptr;
    for (BasicBlock &block : function) {
      if (start && rehearsal::isScanStart(block))
        leave(*start, why.str());
      for (Instruction &instruction : block)
        if (startsLoop(instruction))
          start = &instruction;
    }
  }
}

/// Whether an address is that of the number of the thread.
static bool isOfNumber(const Value &place) {
  const auto *read = dyn_cast<LoadInst>(&place);
  return read &&
         any_of(read->getPointerOperand()->users(), [](const User *one) {
           const auto *write = dyn_cast<StoreInst>(one);
           const auto *given =
               write ? dyn_cast<Argument>(write->getValueOperand()) : nullptr;
           return given && given->getArgNo() == 0;
         });
}

/// Whether threads do anything after the last barrier before another one, but
/// for what clang does for the loop behind that.
static bool isPreceded(CallBase &barrier, const CallBase &start) {
  const Function &work = *barrier.getFunction();
  bool isBusy = false;
  walk(barrier, /*isForward=*/false, [&](Instruction &at) {
    StringRef name = calledRuntime(at);
    if (&at != &barrier && name.contains("barrier"))
      return false;
    const Value *place = getLoadStorePointerOperand(&at);
    const DebugLoc &of = at.getDebugLoc(), &loop = start.getDebugLoc();
    bool isOfLoop = of && loop && of->getScope() == loop->getScope();
    isBusy |= at.mayReadOrWriteMemory() && &at != &barrier &&
              !at.isLifetimeStartOrEnd() &&
              name != "__kmpc_global_thread_num" && !isOfLoop &&
              !(place && (isa<AllocaInst>(place->stripInBoundsOffsets()) ||
                          (isa<LoadInst>(at) && isOfNumber(*place))));
    // Who calls the function may have done something.
    isBusy |= &at == &work.getEntryBlock().front() &&
              !work.getName().contains("omp_outlined");
    return !isBusy;
  });
  return isBusy;
}

/// Clang has the threads wait before a loop that gets the first value of a
/// variable and gives it the last one, too.
void Lowering::leaveFirstValues() {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (calledRuntime(instruction) != "__kmpc_barrier")
        continue;
      auto &barrier = cast<CallBase>(instruction);
      const CallBase *start = rehearsal::loopOfBarrier(barrier);
      if (start && isPreceded(barrier, *start))
        leave(*start,
              "whether the threads wait before this loop, which has first and "
              "last values, is not known");
    }
}
