//===- LeafFacts.cpp - What leaves do beyond their outputs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the code of a leaf and of the functions it calls.
//
//===----------------------------------------------------------------------===//

#include "LeafFacts.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::transforms;

/// Functions of the C library whose only effect is errno.
static bool isMath(StringRef name) {
  static const StringSet<> names = {
      "acos", "asin",  "atan",  "atan2", "cbrt", "ceil", "copysign",
      "cos",  "cosh",  "erf",   "erfc",  "exp",  "exp2", "expm1",
      "fabs", "floor", "fma",   "fmax",  "fmin", "fmod", "hypot",
      "log",  "log10", "log1p", "log2",  "pow",  "rint", "round",
      "sin",  "sinh",  "sqrt",  "tan",   "tanh", "trunc"};
  return names.contains(name) ||
         (name.ends_with("f") && names.contains(name.drop_back()));
}

namespace {
enum class Memory { Own, Parameter, Other };
} // namespace

/// Whose memory `pointer` points to.
static Memory memoryOf(const Value *pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  Memory result = Memory::Own;
  for (const Value *object : objects) {
    if (isa<AllocaInst>(object) || hpvmIntrinsicName(*object) == "malloc")
      continue;
    if (!isa<Argument>(object))
      return Memory::Other;
    result = Memory::Parameter;
  }
  return result;
}

namespace {
/// Looks at a function and all functions it calls. A pointer parameter of a
/// helper counts as the worst of the pointers that its callers pass.
class EffectFinder {
public:
  explicit EffectFinder(Memory allowed) : allowed(allowed) {}

  /// True if `function` writes no memory but `allowed`. `arguments`: whose
  /// memory its pointer parameters point to.
  bool isFine(const Function &function, Memory arguments);
  /// True if `function` and all it calls end.
  bool ends(const Function &function);

private:
  /// True if code may write where `pointer` points.
  bool mayWrite(const Value *pointer, Memory arguments) const {
    Memory memory = memoryOf(pointer);
    return (memory == Memory::Parameter ? arguments : memory) <= allowed;
  }
  bool isFine(const Instruction &inst, Memory arguments);
  bool isFineCall(const CallBase &call, Memory arguments);
  bool ends(const CallBase &call);

  Memory allowed;
  /// What is known of functions; false for those that are being looked at.
  DenseMap<std::pair<const Function *, unsigned>, bool> fine;
  DenseMap<const Function *, bool> ending;
};
} // namespace

bool EffectFinder::isFineCall(const CallBase &call, Memory arguments) {
  StringRef name = hpvmIntrinsicName(call);
  if (std::optional<HPVMAtomic> atomic = hpvmAtomicOf(call))
    return !atomic->isWritten || mayWrite(atomic->address, arguments);
  if (!name.empty())
    return true;
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    if (intrinsic->isAssumeLikeIntrinsic())
      return true;
  Memory worst = Memory::Own;
  for (const Value *argument : call.args())
    if (argument->getType()->isPointerTy()) {
      Memory memory = memoryOf(argument);
      worst = std::max(worst, memory == Memory::Parameter ? arguments : memory);
    }
  if (!callee->isDeclaration() && !callee->isInterposable())
    return isFine(*callee, worst);
  if (isMath(callee->getName()))
    return true;
  if (!call.doesNotThrow())
    return false;
  return call.onlyReadsMemory() ||
         (call.onlyAccessesArgMemory() && worst <= allowed);
}

bool EffectFinder::isFine(const Instruction &inst, Memory arguments) {
  if (auto *call = dyn_cast<CallBase>(&inst))
    return isFineCall(*call, arguments);
  if (inst.isVolatile() || isa<ResumeInst>(inst) || isa<FenceInst>(inst))
    return false;
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return mayWrite(store->getPointerOperand(), arguments);
  if (auto *update = dyn_cast<AtomicRMWInst>(&inst))
    return mayWrite(update->getPointerOperand(), arguments);
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return mayWrite(exchange->getPointerOperand(), arguments);
  return !inst.mayWriteToMemory() || isa<LoadInst>(inst);
}

bool EffectFinder::isFine(const Function &function, Memory arguments) {
  if (function.isDeclaration())
    return false;
  // Functions that call themselves are not fine, nor who calls them.
  auto [entry, isNew] = fine.try_emplace({&function, unsigned(arguments)});
  if (!isNew)
    return entry->second;
  bool result = all_of(instructions(function), [&](const Instruction &inst) {
    return isFine(inst, arguments);
  });
  fine[{&function, unsigned(arguments)}] = result;
  return result;
}

/// Whether a call returns. (A call of an unknown function is rejected
/// elsewhere.)
bool EffectFinder::ends(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic() || isMath(callee->getName()))
    return true;
  return callee->isDeclaration() ? call.hasFnAttr(Attribute::WillReturn)
                                 : ends(*callee);
}

bool EffectFinder::ends(const Function &function) {
  auto [entry, isNew] = ending.try_emplace(&function);
  if (!isNew)
    return entry->second;
  auto &mutableFunction = const_cast<Function &>(function);
  DominatorTree dominators(mutableFunction);
  LoopInfo loops(dominators);
  bool result = true;
  for (const Loop *loop : loops.getLoopsInPreorder())
    result &= isMustProgress(loop);
  for (const Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&inst))
      result = result && ends(*call);
  return ending[&function] = result;
}

bool transforms::hasNoEffect(const Function &leaf) {
  EffectFinder finder(Memory::Own);
  return finder.isFine(leaf, Memory::Parameter) && finder.ends(leaf);
}

bool transforms::writesThroughParametersOnly(const Function &leaf) {
  return EffectFinder(Memory::Parameter).isFine(leaf, Memory::Parameter);
}

unsigned transforms::highestQuery(const Function &leaf) {
  unsigned highest = 0;
  for (const Function *function : reachedFrom(leaf))
    for (const Instruction &inst : instructions(function)) {
      StringRef name = hpvmIntrinsicName(inst);
      if (name == "getParentNode")
        highest = std::max(highest, handleDepth(inst).value_or(~0u));
      if (auto *call = dyn_cast<CallBase>(&inst); call && name.empty())
        for (const Value *argument : call->args())
          if (hpvmIntrinsicName(*argument).starts_with("get") &&
              argument->getType()->isPointerTy())
            return ~0u; // the helper may go further up
    }
  return highest;
}
