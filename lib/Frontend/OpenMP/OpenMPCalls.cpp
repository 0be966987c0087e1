//===- OpenMPCalls.cpp - Code that may run outside of a team --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice's workers are no threads of an OpenMP team: who asks for a thread's
// number there, or for its own copy of a variable, would be told nonsense. So a
// loop is taken over only where all that it calls is known to ask for nothing.
//
// Other code asks here whether pointers lead to variables of the code that they
// are in and nowhere else, and whether functions use no others.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

CallCheck::CallCheck(Module &module, bool isUnit)
    : library(module.getTargetTriple()), isUnit(isUnit) {
  for (const Function &function : module)
    // Those of teams and tasks are known to the runtime library only.
    if (!function.getName().starts_with("llvm.") &&
        !function.getName().contains(".omp") &&
        function.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/true))
      taken.push_back(&function);
}

/// Functions of the C and C++ libraries that LLVM does not know by name.
static bool isOfLibrary(StringRef name) {
  for (StringRef start : {"_ZSt",           "_ZNSt",
                          "_ZNKSt",         "_ZNSo",
                          "_ZNSi",          "_ZNSs",
                          "_ZNKSs",         "_Znw",
                          "_Zna",           "_Zdl",
                          "_Zda",           "_ZTh",
                          "__cxa_",         "__gxx_personality",
                          "pthread_mutex_", "pthread_spin_",
                          "__atomic_",      "__mulxc3",
                          "__muldc3",       "__mulsc3",
                          "__divdc3",       "__divsc3",
                          "llvm."})
    if (name.starts_with(start))
      return true;
  return StringSwitch<bool>(name)
      .Cases({"rand", "srand", "rand_r", "random", "drand48", "erand48"}, true)
      .Cases({"clock", "time", "clock_gettime", "gettimeofday"}, true)
      .Cases({"usleep", "sleep", "nanosleep", "sched_yield"}, true)
      .Cases({"abort", "exit", "_exit", "_Exit", "quick_exit"}, true)
      .Cases({"__assert_fail", "__errno_location", "_Unwind_Resume"}, true)
      .Cases({"fflush", "qsort", "lgamma", "tgamma", "erf", "erfc"}, true)
      .Cases({"lgammaf", "tgammaf", "erff", "erfcf", "hypot", "hypotf"}, true)
      .Cases({"lrint", "lrintf", "llrint", "llrintf", "lrintl", "llrintl"},
             true)
      .Cases(
          {"lround", "lroundf", "llround", "llroundf", "lroundl", "llroundl"},
          true)
      .Cases({"nextafter", "nextafterf", "scalbn", "scalbnf", "scalbln"}, true)
      .Default(false);
}

/// Functions of libraries that call functions of the program: those that they
/// are given, or virtual ones of streams.
static bool callsBack(StringRef name) {
  if (name.starts_with("_Z"))
    return name.contains("PF") || name.starts_with("_ZNSo") ||
           name.starts_with("_ZNSi") || name.starts_with("_ZStls") ||
           name.starts_with("_ZStrs");
  return name.starts_with("qsort") || name.starts_with("bsearch");
}

bool openmp::isKnownFunction(const Function &function,
                             const TargetLibraryInfoImpl &library) {
  LibFunc known;
  return function.isIntrinsic() ||
         library.getLibFunc(function.getName(), known) ||
         isOfLibrary(function.getName());
}

/// Of a function whose code is not here.
Reason CallCheck::checkDeclaration(const Function &callee) const {
  StringRef name = callee.getName();
  if (name.contains("setjmp") || name.contains("longjmp"))
    return "jumps out of functions";
  if (name.contains("condition_variable") || name.contains("futex"))
    return "may wait for other iterations in '" + name.str() + "'";
  if (isKnownFunction(callee, library))
    return {};
  return "calls '" + name.str() + "', whose code is not here";
}

Reason CallCheck::readCall(const CallBase &call, Calls &calls) const {
  if (call.isInlineAsm())
    return {};
  const auto *callee = dyn_cast<Function>(
      call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!callee) {
    calls.isIndirect = true;
    return {};
  }
  StringRef name = callee->getName();
  if (callee->isDeclaration() && name.starts_with(standInName))
    return {};
  if (callee->isIntrinsic() || name.starts_with("llvm.hpvm.getNode"))
    return name.starts_with("llvm.threadlocal") ? "uses variables of threads"
                                                : "";
  if (name.starts_with("llvm.hpvm."))
    return "launches graphs";
  if (!calledRuntime(call).empty())
    return "uses '" + name.str() + "'";
  if (!callee->isDeclaration() && !(isUnit && callee->isInterposable())) {
    if (name.contains("setjmp") || name.contains("longjmp"))
      return "jumps out of functions";
    calls.callees.insert(callee);
    return {};
  }
  if (Reason reason = checkDeclaration(*callee); !reason.empty())
    return reason;
  for (const Value *argument : call.args())
    if (const auto *passed =
            dyn_cast<Function>(argument->stripPointerCastsAndAliases()))
      calls.callees.insert(passed);
  calls.isIndirect |= callsBack(name);
  return {};
}

CallCheck::Calls CallCheck::read(const Function &function) const {
  Calls calls;
  if (function.isDeclaration()) {
    // Known by its address.
    if (!checkDeclaration(function).empty())
      calls.reason = "has no code here";
    return calls;
  }
  for (const Instruction &instruction : instructions(function)) {
    for (const Value *operand : instruction.operands())
      if (const auto *global = dyn_cast<GlobalVariable>(operand);
          global && global->isThreadLocal())
        calls.reason = "uses variables of threads";
    if (const auto *call = dyn_cast<CallBase>(&instruction);
        call && calls.reason.empty())
      calls.reason = readCall(*call, calls);
    if (!calls.reason.empty())
      return calls;
  }
  if (waitsForOthers(const_cast<Function &>(function)))
    calls.reason = "may wait for other iterations in a loop";
  return calls;
}

/// How messages name a way through calls.
static Reason joinWay(
    const Function *function, Reason reason,
    const DenseMap<const Function *, std::pair<const Function *, bool>> &from) {
  for (;;) {
    auto [caller, isIndirect] = from.lookup(function);
    if (!caller)
      return reason;
    reason = (isIndirect ? "calls a function that is known at run time only, "
                           "perhaps '"
                         : "calls '") +
             function->getName().str() + "', which " + reason;
    function = caller;
  }
}

Reason CallCheck::check(const Function &function) {
  // Who calls a function first, and whether that is known at run time only.
  DenseMap<const Function *, std::pair<const Function *, bool>> from;
  SmallSetVector<const Function *, 16> reached;
  reached.insert(&function);
  bool hasIndirect = false;
  for (unsigned i = 0; i != reached.size(); ++i) {
    const Function *caller = reached[i];
    Calls calls;
    if (caller == &function) {
      calls = read(*caller);
    } else {
      auto found = known.find(caller);
      if (found == known.end())
        found = known.try_emplace(caller, read(*caller)).first;
      calls = found->second;
    }
    if (calls.isIndirect && isUnit && calls.reason.empty())
      calls.reason = "calls a function that is known at run time only";
    if (!calls.reason.empty())
      return joinWay(caller, calls.reason, from);
    auto add = [&](const Function *callee, bool isIndirect) {
      if (!harmless.contains(callee) && reached.insert(callee))
        from[callee] = {caller, isIndirect};
    };
    for (const Function *callee : calls.callees)
      add(callee, false);
    if (calls.isIndirect && !hasIndirect) {
      hasIndirect = true;
      for (const Function *callee : taken)
        add(callee, true);
    }
  }
  // Only now is it known of those that call each other.
  harmless.insert_range(drop_begin(reached));
  return {};
}

//===----------------------------------------------------------------------===//
// What pointers lead to
//===----------------------------------------------------------------------===//

/// All that is ever stored in a variable, if nobody else gets its address.
static bool findStored(const AllocaInst &variable,
                       SmallVectorImpl<const Value *> &stored) {
  return all_of(variable.uses(), [&](const Use &use) {
    if (const auto *store = dyn_cast<StoreInst>(use.getUser())) {
      stored.push_back(store->getValueOperand());
      return use.getOperandNo() == 1;
    }
    return isa<LoadInst>(use.getUser()) ||
           isAssumption(*cast<Instruction>(use.getUser()));
  });
}

/// What a pointer variable always holds that is read here, or null.
static const Value *onlyHeld(const LoadInst &load) {
  const Value *held = onlyStored(*load.getPointerOperand());
  return held && held->getType() == load.getType() ? held : nullptr;
}

static const Value *objectBehind(const Value *pointer, unsigned depth = 0);

const Use *openmp::returnedArgument(const CallBase &called, bool &isSame,
                                    unsigned depth) {
  constexpr unsigned deepest = 4;
  const Function *callee = called.getCalledFunction();
  const Argument *parameter = nullptr;
  if (!callee || callee->isDeclaration() || callee->isInterposable() ||
      !called.getType()->isPointerTy() || depth > deepest)
    return nullptr;
  isSame = true;
  for (const BasicBlock &block : *callee) {
    const auto *end = dyn_cast<ReturnInst>(block.getTerminator());
    if (!end)
      continue;
    const Value *returned = end->getReturnValue();
    const auto *one = dyn_cast<Argument>(objectBehind(returned, depth + 1));
    if (!one || (parameter && parameter != one))
      return nullptr;
    parameter = one;
    while (const auto *load = dyn_cast<LoadInst>(returned)) {
      returned = onlyHeld(*load);
      if (!returned)
        return nullptr;
    }
    isSame &= returned == one;
  }
  return parameter && parameter->getArgNo() < called.arg_size()
             ? &called.getArgOperandUse(parameter->getArgNo())
             : nullptr;
}

/// The variable or parameter that a pointer leads to.
static const Value *objectBehind(const Value *pointer, unsigned depth) {
  constexpr unsigned furthest = 8;
  for (unsigned i = 0; i != furthest; ++i) {
    pointer = getUnderlyingObject(pointer);
    const Value *held = nullptr;
    if (const auto *load = dyn_cast<LoadInst>(pointer)) {
      held = onlyHeld(*load);
    } else if (const auto *called = dyn_cast<CallBase>(pointer)) {
      bool isSame = false;
      const Use *passed = returnedArgument(*called, isSame, depth);
      held = passed ? passed->get() : nullptr;
    }
    if (!held)
      break;
    pointer = held;
  }
  return pointer;
}

bool openmp::findOwnPlaces(const Value *pointer,
                           SmallPtrSetImpl<const Value *> &variables) {
  constexpr unsigned most = 64;
  SmallSetVector<const Value *, 8> pointers;
  pointers.insert(pointer);
  for (unsigned i = 0; i != pointers.size(); ++i) {
    const Value *object = objectBehind(pointers[i]);
    const auto *global = dyn_cast<GlobalVariable>(object);
    if (i == most)
      return false;
    if (isa<AllocaInst>(object)) {
      variables.insert(object);
    } else if (isa<PHINode>(object)) {
      pointers.insert_range(cast<PHINode>(object)->operand_values());
    } else if (const auto *choice = dyn_cast<SelectInst>(object)) {
      pointers.insert(choice->getTrueValue());
      pointers.insert(choice->getFalseValue());
    } else if (const auto *load = dyn_cast<LoadInst>(object)) {
      const auto *variable = dyn_cast<AllocaInst>(load->getPointerOperand());
      SmallVector<const Value *, 4> stored;
      if (!variable || !findStored(*variable, stored))
        return false;
      for (const Value *value : stored) {
        if (!value->getType()->isPointerTy())
          return false;
        pointers.insert(value);
      }
    } else if (!(global && global->isConstant()) &&
               !isa<ConstantPointerNull, UndefValue>(object)) {
      return false;
    }
  }
  return true;
}

bool openmp::isOwnPlace(const Value *pointer) {
  SmallPtrSet<const Value *, 4> variables;
  return findOwnPlaces(pointer, variables);
}

bool openmp::isQuietCall(const CallBase &called) {
  return called.doesNotAccessMemory() || isAssumption(called);
}

//===----------------------------------------------------------------------===//
// Functions that use nothing else
//===----------------------------------------------------------------------===//

bool openmp::hasPointers(const CallBase &called) {
  return any_of(called.args(), [](const Use &argument) {
    return argument->getType()->isPointerTy();
  });
}

bool openmp::isCalculation(const CallBase &called,
                           const TargetLibraryInfoImpl &library) {
  const Function *callee = called.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isVarArg() &&
         called.arg_size() != 0 && isKnownFunction(*callee, library) &&
         (called.getType()->isFloatingPointTy() || called.onlyReadsMemory());
}

namespace {
/// What a pointer of a function leads to in the code that is looked at.
struct PlaceOutside {
  const Value *object;
  /// The address is the same for all copies.
  bool isFixed;
};

/// Looks at functions that get what is made of a copy.
struct CalledCode {
  using Outside = function_ref<PlaceOutside(const Value *)>;
  bool staysInside(const CallBase &called, Outside outside, bool isAlways,
                   unsigned depth);

  const TargetLibraryInfoImpl &library;
  /// What they change, in the code that calls them.
  SmallPtrSetImpl<const Value *> &changed;
};
} // namespace

/// `isAlways`: the call is made each time.
bool CalledCode::staysInside(const CallBase &called, Outside outside,
                             bool isAlways, unsigned depth) {
  constexpr unsigned deepest = 4;
  const Function *callee = called.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isInterposable() ||
      callee->isVarArg() || callee->arg_size() > called.arg_size() ||
      depth > deepest)
    return false;
  auto outsideOf = [&](const Value *pointer) -> PlaceOutside {
    const Value *object = objectBehind(pointer);
    const auto *parameter = dyn_cast<Argument>(object);
    if (!parameter)
      return {isa<AllocaInst>(object) ? object : nullptr, false};
    PlaceOutside place = outside(called.getArgOperand(parameter->getArgNo()));
    while (const auto *load = dyn_cast<LoadInst>(pointer)) {
      pointer = onlyHeld(*load);
      if (!pointer)
        break;
    }
    place.isFixed &= pointer == object;
    return place;
  };
  return all_of(instructions(*callee), [&](const Instruction &instruction) {
    bool isFirst =
        isAlways && instruction.getParent() == &callee->getEntryBlock();
    if (const auto *write = dyn_cast<StoreInst>(&instruction)) {
      PlaceOutside place = outsideOf(write->getPointerOperand());
      if (!place.object || !isa<AllocaInst>(place.object) || write->isAtomic())
        return false;
      changed.insert(place.object);
      return true;
    }
    if (const auto *read = dyn_cast<LoadInst>(&instruction)) {
      PlaceOutside place = outsideOf(read->getPointerOperand());
      return place.object && !read->isAtomic() &&
             ((isFirst && place.isFixed) || isa<AllocaInst>(place.object));
    }
    const auto *inner = dyn_cast<CallBase>(&instruction);
    if (!inner)
      return !instruction.mayReadOrWriteMemory();
    return isQuietCall(*inner) ||
           (isCalculation(*inner, library) && !hasPointers(*inner)) ||
           staysInside(*inner, outsideOf, isFirst, depth + 1);
  });
}

bool openmp::staysInside(const CallBase &called,
                         const TargetLibraryInfoImpl &library,
                         SmallPtrSetImpl<const Value *> &changed) {
  auto outside = [](const Value *passed) {
    return PlaceOutside{objectBehind(passed), /*isFixed=*/true};
  };
  return CalledCode{library, changed}.staysInside(called, outside,
                                                  /*isAlways=*/true, 0);
}
