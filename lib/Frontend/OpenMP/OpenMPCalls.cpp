//===- OpenMPCalls.cpp - Code that may run outside of a team --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice's workers are no threads of an OpenMP team: who asks for a thread's
// number there, or for its own copy of a variable, would be told nonsense. So a
// loop is taken over only where all that it calls is known to ask for nothing.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"

#include "llvm/ADT/StringSwitch.h"
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
