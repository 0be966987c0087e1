//===- OpenMPCalls.cpp - Code that may run outside of a team --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice's workers are no threads of an OpenMP team: who asks for a thread's
// number there, or for its own copy of a variable, would be told nonsense. So a
// loop is taken over only where all that it calls is known to ask for nothing.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

CallCheck::CallCheck(Module &module)
    : module(module), library(module.getTargetTriple()) {}

/// Functions of the C and C++ libraries that LLVM does not know by name.
static bool isOfLibrary(StringRef name) {
  for (StringRef start :
       {"_ZSt",           "_ZNSt",         "_ZNKSt",
        "_ZNSo",          "_ZNSi",         "_ZNSs",
        "_ZNKSs",         "_Zn",           "_Zd",
        "_ZTh",           "__cxa_",        "__gxx_personality",
        "pthread_mutex_", "pthread_spin_", "__atomic_",
        "__mulxc3",       "__muldc3",      "__mulsc3",
        "__divdc3",       "__divsc3",      "llvm."})
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

Reason CallCheck::checkUnknown() {
  if (unknown)
    return *unknown;
  unknown = Reason();
  for (const Function &function : module) {
    // Those of teams and tasks are known to the runtime library only.
    if (function.isDeclaration() || function.getName().contains(".omp") ||
        !function.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/true))
      continue;
    if (Reason reason = check(function); !reason.empty()) {
      unknown = "calls a function that is known at run time only, perhaps '" +
                function.getName().str() + "', which " + reason;
      break;
    }
  }
  return *unknown;
}

Reason CallCheck::checkCall(const CallBase &call) {
  if (call.isInlineAsm())
    return {};
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return checkUnknown();
  StringRef name = callee->getName();
  if (callee->isIntrinsic())
    return name.starts_with("llvm.threadlocal") ? "uses variables of threads"
                                                : "";
  if (name.starts_with("llvm.hpvm.getNode"))
    return {};
  if (name.starts_with("llvm.hpvm."))
    return "launches graphs";
  if (!calledRuntime(call).empty())
    return "uses '" + name.str() + "'";
  if (name.contains("setjmp") || name.contains("longjmp"))
    return "jumps out of functions";
  if (!callee->isDeclaration()) {
    Reason reason = check(*callee);
    return reason.empty() ? reason
                          : "calls '" + name.str() + "', which " + reason;
  }
  LibFunc known;
  if (library.getLibFunc(name, known) || isOfLibrary(name))
    return {};
  return "calls '" + name.str() + "', whose code is not here";
}

Reason CallCheck::check(const Function &function) {
  auto [place, isNew] = known.try_emplace(&function);
  if (!isNew)
    return place->second;
  Reason reason;
  for (const Instruction &instruction : instructions(function)) {
    for (const Value *operand : instruction.operands())
      if (const auto *global = dyn_cast<GlobalVariable>(operand);
          global && global->isThreadLocal())
        reason = "uses variables of threads";
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      reason = checkCall(*call);
    if (!reason.empty())
      break;
  }
  return known[&function] = reason;
}
