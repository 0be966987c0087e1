//===- OpenMPContents.cpp - What code sets before it reads it -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration may use an array or object of its thread as it likes if it never
// reads what an iteration before has left there. So each read must come after
// writes of the same place: of single elements, of all bytes, or by loops that
// always run over the same elements.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

bool openmp::isTemporary(const AllocaInst &variable) {
  return any_of(
      ArrayRef<StringRef>{"agg.tmp", "ref.tmp", ".compoundliteral",
                          "byval-temp"},
      [&](StringRef name) { return variable.getName().starts_with(name); });
}

namespace {
/// An access of a variable of a thread. Without bytes: of any of them.
struct ContentAccess {
  Instruction *at = nullptr;
  Value *pointer = nullptr;
  std::optional<uint64_t> bytes = {};
};

class ContentReader {
public:
  ContentReader(AllocaInst &variable, const Instruction &first, uint64_t size,
                FunctionAnalysisManager &analyses)
      : first(first), size(size),
        dominators(
            analyses.getResult<DominatorTreeAnalysis>(*variable.getFunction())),
        loops(analyses.getResult<LoopAnalysis>(*variable.getFunction())),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(
            *variable.getFunction())),
        base(evolution.getSCEV(&variable)), layout(variable.getDataLayout()) {}

  /// Finds the accesses; false: there may be others.
  bool follow(Value &pointer);
  bool areSetBefore() {
    return all_of(reads,
                  [&](const ContentAccess &read) { return isSetBefore(read); });
  }

private:
  /// Bytes that a write always sets.
  struct Extent {
    uint64_t begin = 0, end = 0;
    /// By all rounds of this loop; null: by the instruction alone.
    const Loop *loop = nullptr;
  };
  bool followUse(Use &use);
  std::optional<Extent> extentOf(const ContentAccess &write);
  std::optional<uint64_t> roundsOf(const Loop &loop, const BasicBlock &block);
  bool isSetBefore(const ContentAccess &read);
  std::optional<uint64_t> offsetOf(const SCEV *place) {
    const auto *offset =
        dyn_cast<SCEVConstant>(evolution.getMinusSCEV(place, base));
    return offset && offset->getAPInt().isNonNegative() &&
                   offset->getAPInt().ule(size)
               ? std::optional(offset->getAPInt().getZExtValue())
               : std::nullopt;
  }

  const Instruction &first;
  uint64_t size;
  DominatorTree &dominators;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  const SCEV *base;
  const DataLayout &layout;
  SmallVector<ContentAccess> reads, writes;
};
} // namespace

bool ContentReader::follow(Value &pointer) {
  return all_of(pointer.uses(), [&](Use &use) { return followUse(use); });
}

bool ContentReader::followUse(Use &use) {
  auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return false;
  if (user == &first || user->isLifetimeStartOrEnd() || isa<ICmpInst>(user))
    return true;
  if (isa<GetElementPtrInst>(user))
    return follow(*user);
  auto bytesOf = [&](Type *type) -> std::optional<uint64_t> {
    TypeSize stored = layout.getTypeStoreSize(type);
    return stored.isScalable() ? std::nullopt
                               : std::optional(stored.getFixedValue());
  };
  if (auto *load = dyn_cast<LoadInst>(user)) {
    reads.push_back({load, use.get(), bytesOf(load->getType())});
    return true;
  }
  if (auto *store = dyn_cast<StoreInst>(user)) {
    if (use.getOperandNo() == 0)
      return false;
    writes.push_back(
        {store, use.get(), bytesOf(store->getValueOperand()->getType())});
    return true;
  }
  if (auto *memory = dyn_cast<MemIntrinsic>(user)) {
    auto *length = dyn_cast<ConstantInt>(memory->getLength());
    bool isWrite = use.getOperandNo() == 0;
    ContentAccess access{memory, use.get(),
                         length ? std::optional(length->getZExtValue())
                                : std::nullopt};
    (isWrite ? writes : reads).push_back(access);
    return true;
  }
  auto *call = dyn_cast<CallBase>(user);
  if (!call || !call->isArgOperand(&use))
    return false;
  unsigned index = call->getArgOperandNo(&use);
  if (Type *result = call->getParamStructRetType(index)) {
    writes.push_back({call, use.get(), layout.getTypeAllocSize(result)});
    return true;
  }
  // An address that it keeps in memory of others is carried there, which the
  // race check sees.
  reads.push_back({call, use.get(), std::nullopt});
  return true;
}

/// How often a loop runs a block, each time that it is reached.
std::optional<uint64_t> ContentReader::roundsOf(const Loop &loop,
                                                const BasicBlock &block) {
  const BasicBlock *exit = loop.getExitingBlock();
  const BasicBlock *latch = loop.getLoopLatch();
  const auto *known =
      exit && latch && dominators.dominates(&block, latch)
          ? dyn_cast<SCEVConstant>(evolution.getBackedgeTakenCount(&loop))
          : nullptr;
  if (!known || known->getAPInt().getActiveBits() > 32)
    return std::nullopt;
  return known->getAPInt().getZExtValue() +
         (dominators.dominates(&block, exit) ? 1 : 0);
}

std::optional<ContentReader::Extent>
ContentReader::extentOf(const ContentAccess &write) {
  if (!write.bytes)
    return std::nullopt;
  Extent extent;
  uint64_t bytes = *write.bytes;
  const SCEV *place = evolution.getSCEV(write.pointer);
  const BasicBlock *block = write.at->getParent();
  const Loop *loop = loops.getLoopFor(block);
  while (const auto *moving = dyn_cast<SCEVAddRecExpr>(place)) {
    const auto *step =
        moving->isAffine()
            ? dyn_cast<SCEVConstant>(moving->getStepRecurrence(evolution))
            : nullptr;
    if (!loop || moving->getLoop() != loop || !step ||
        step->getAPInt() != bytes)
      return std::nullopt;
    std::optional<uint64_t> rounds = roundsOf(*loop, *block);
    if (!rounds || *rounds == 0 || *rounds > size)
      return std::nullopt;
    bytes *= *rounds;
    if (bytes > size)
      return std::nullopt;
    place = moving->getStart();
    extent.loop = loop;
    block = loop->getHeader();
    loop = loop->getParentLoop();
  }
  std::optional<uint64_t> begin = offsetOf(place);
  if (!begin || *begin + bytes > size)
    return std::nullopt;
  extent.begin = *begin;
  extent.end = *begin + bytes;
  return extent;
}

/// Nobody asks for bytes between members.
static void skipPadding(Type *type, uint64_t begin, const DataLayout &layout,
                        BitVector &isSet) {
  auto *object = dyn_cast<StructType>(type);
  if (!object || object->isOpaque())
    return;
  const StructLayout *members = layout.getStructLayout(object);
  uint64_t end = begin;
  for (auto [index, member] : enumerate(object->elements())) {
    uint64_t offset = begin + members->getElementOffset(index);
    isSet.set(end, offset);
    skipPadding(member, offset, layout, isSet);
    end = offset + layout.getTypeStoreSize(member);
  }
  isSet.set(end, begin + members->getSizeInBytes());
}

bool ContentReader::isSetBefore(const ContentAccess &read) {
  const SCEV *place = evolution.getSCEV(read.pointer);
  std::optional<uint64_t> offset = offsetOf(place);
  uint64_t begin = 0, end = size;
  if (offset && read.bytes && *offset + *read.bytes <= size) {
    begin = *offset;
    end = begin + *read.bytes;
  }
  BitVector isSet(size);
  if (begin == 0 && end == size)
    if (const auto *variable =
            dyn_cast<AllocaInst>(getUnderlyingObject(read.pointer)))
      skipPadding(variable->getAllocatedType(), 0, layout, isSet);
  for (const ContentAccess &write : writes) {
    bool isBefore = dominators.dominates(write.at, read.at);
    if (isBefore && write.bytes && read.bytes && *write.bytes >= *read.bytes &&
        evolution.getSCEV(write.pointer) == place)
      return true;
    std::optional<Extent> extent = extentOf(write);
    if (!extent)
      continue;
    // Who gets past a loop has run it to its end.
    if (extent->loop)
      isBefore =
          !extent->loop->contains(read.at) &&
          dominators.dominates(extent->loop->getHeader(), read.at->getParent());
    if (isBefore)
      isSet.set(extent->begin, extent->end);
  }
  return isSet.find_first_unset_in(begin, end) == -1;
}

bool openmp::setsBeforeReading(AllocaInst &variable, const Instruction &first,
                               PassAnalyses &analyses) {
  constexpr uint64_t mostBytes = 1 << 20;
  Function &function = *variable.getFunction();
  std::optional<TypeSize> size =
      variable.getAllocationSize(variable.getDataLayout());
  if (!size || size->isScalable() || size->getFixedValue() == 0 ||
      size->getFixedValue() > mostBytes)
    return false;
  analyses.functions.clear(function, function.getName());
  ContentReader reader(variable, first, size->getFixedValue(),
                       analyses.functions);
  bool isSet = reader.follow(variable) && reader.areSetBefore();
  analyses.functions.clear(function, function.getName());
  return isSet;
}
