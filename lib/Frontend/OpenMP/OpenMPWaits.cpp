//===- OpenMPWaits.cpp - Iterations that wait for each other --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads may meet at a barrier that they have made of an atomic counter. As
// instances of a node, more of them may wait than there are workers, and those
// that they wait for never begin. A loop is taken for such a wait if each of
// its ends depends on atomic or volatile variables that the loop only reads,
// and on nothing that changes from round to round.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
/// How code touches atomic and volatile variables.
struct AtomicUse {
  bool reads = false, changes = false;
  /// As who takes a lock does.
  bool exchanges = false;
  /// It is a function that takes one.
  bool locks = false;

  void add(AtomicUse other) {
    reads |= other.reads;
    changes |= other.changes;
    exchanges |= other.exchanges;
    locks |= other.locks;
  }
};

/// What the condition at an end of a loop depends on, within the loop.
class ConditionReader {
public:
  explicit ConditionReader(const Loop &loop) : loop(loop) {}

  /// Whether the condition changes only if others write what it reads, or what
  /// decides what it is: with `takesLock`, that may be any variable.
  bool isWait(const Value &condition, bool takesLock) {
    read(&condition);
    return !hasProgress && ((use.reads && !use.changes) || takesLock);
  }
  ArrayRef<const Value *> places() const { return readPlaces; }

private:
  void read(const Value *value);
  void readVariable(const AllocaInst &variable);

  const Loop &loop;
  AtomicUse use;
  bool hasProgress = false;
  SmallVector<const Value *> readPlaces;
  SmallVector<const Value *> way;
  SmallPtrSet<const Value *, 16> seen;
};
} // namespace

/// Small functions around atomic operations, as those of std::atomic.
static constexpr unsigned mostDepth = 3, mostInstructions = 100;

static AtomicUse useOf(const Instruction &instruction, unsigned depth);

/// Of a call, by the functions that are called.
static AtomicUse useOfCall(const CallBase &call, unsigned depth) {
  AtomicUse use;
  const Function *callee = call.getCalledFunction();
  if (!callee || depth == 0)
    return use;
  StringRef name = callee->getName();
  use.locks = name.starts_with("__kmpc_critical") || name == "omp_set_lock" ||
              name == "mtx_lock" ||
              (name.starts_with("pthread_") && name.ends_with("lock") &&
               !name.ends_with("unlock"));
  use.reads = name.starts_with("__atomic_load");
  use.exchanges = name.starts_with("__atomic_exchange") ||
                  name.starts_with("__atomic_compare_exchange");
  use.changes = use.exchanges || name.starts_with("__atomic_fetch");
  if (callee->getInstructionCount() > mostInstructions)
    return use;
  for (const Instruction &instruction : instructions(*callee))
    use.add(useOf(instruction, depth - 1));
  return use;
}

static AtomicUse useOf(const Instruction &instruction, unsigned depth) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return {.reads = load->isAtomic() || load->isVolatile()};
  if (const auto *change = dyn_cast<AtomicRMWInst>(&instruction)) {
    const auto *by = dyn_cast<Constant>(change->getValOperand());
    AtomicRMWInst::BinOp how = change->getOperation();
    if (how == AtomicRMWInst::Xchg)
      return {.changes = true, .exchanges = true};
    // Adding nothing is a way to read.
    bool isRead = by && by->isNullValue() && how != AtomicRMWInst::And;
    return {.reads = isRead, .changes = !isRead};
  }
  if (isa<AtomicCmpXchgInst>(instruction))
    return {.changes = true, .exchanges = true};
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return useOfCall(*call, depth);
  return {};
}

/// What the loop stores in a variable of the thread.
void ConditionReader::readVariable(const AllocaInst &variable) {
  for (const User *user : variable.users()) {
    const auto *place = dyn_cast<Instruction>(user);
    if (!place || !loop.contains(place))
      continue;
    if (const auto *store = dyn_cast<StoreInst>(place)) {
      if (store->getPointerOperand() == &variable)
        read(store->getValueOperand());
    } else if (isa<CallBase>(place)) {
      AtomicUse here = useOf(*place, mostDepth);
      use.add(here);
      if (here.reads)
        readPlaces.push_back(place->getOperand(0));
    }
  }
}

void ConditionReader::read(const Value *value) {
  if (const auto *variable = dyn_cast<AllocaInst>(value);
      !variable &&
      (!isa<Instruction>(value) || !loop.contains(cast<Instruction>(value))))
    return;
  if (auto *before = find(way, value); before != way.end()) {
    // It depends on what it was in the round before, and is not just kept.
    hasProgress |= any_of(make_range(before, way.end()), [](const Value *on) {
      return !isa<AllocaInst, PHINode, SelectInst, LoadInst>(on);
    });
    return;
  }
  if (!seen.insert(value).second)
    return;
  way.push_back(value);
  if (const auto *variable = dyn_cast<AllocaInst>(value)) {
    readVariable(*variable);
  } else {
    const auto *instruction = cast<Instruction>(value);
    AtomicUse here = useOf(*instruction, mostDepth);
    use.add(here);
    if (here.reads)
      readPlaces.push_back(instruction->getOperand(0));
    for (const Value *operand : instruction->operands())
      read(operand);
  }
  way.pop_back();
}

/// The variable at an address, however often code computes it.
static const Value *placeAt(const Value *address) {
  address = address->stripPointerCasts();
  for (unsigned i = 0; i != 4; ++i) {
    const auto *load = dyn_cast<LoadInst>(address);
    if (!load)
      break;
    address = load->getPointerOperand()->stripPointerCasts();
  }
  return address;
}

/// Whether what a loop reads is a lock, which loops around it try to take.
static bool triesLock(const Loop &loop, ArrayRef<const Value *> places) {
  for (const Loop *around = &loop; around; around = around->getParentLoop())
    for (const BasicBlock *block : around->blocks())
      for (const Instruction &instruction : *block) {
        if (!useOf(instruction, mostDepth).exchanges)
          continue;
        const Value *lock = placeAt(instruction.getOperand(0));
        if (any_of(places,
                   [&](const Value *place) { return placeAt(place) == lock; }))
          return true;
      }
  return false;
}

static bool takesLock(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      return useOf(instruction, mostDepth).locks;
    });
  });
}

bool openmp::waitsForOthers(Function &function) {
  bool hasReads = any_of(instructions(function), [](const Instruction &place) {
    AtomicUse use = useOf(place, mostDepth);
    return use.reads || use.locks;
  });
  if (!hasReads)
    return false;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  return any_of(loops.getLoopsInPreorder(), [](const Loop *loop) {
    SmallVector<BasicBlock *> ends;
    loop->getExitingBlocks(ends);
    SmallVector<const Value *> places;
    const bool isLocked = takesLock(*loop);
    bool isWait = !ends.empty() && all_of(ends, [&](const BasicBlock *end) {
      const Instruction *branch = end->getTerminator();
      if (!isa<BranchInst, SwitchInst>(branch))
        return isa<InvokeInst>(branch);
      ConditionReader reader(*loop);
      bool waits = reader.isWait(*branch->getOperand(0), isLocked);
      append_range(places, reader.places());
      return waits;
    });
    return isWait && (isLocked || !places.empty()) && !triesLock(*loop, places);
  });
}
