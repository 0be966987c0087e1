//===- RulesHost.cpp - Launches and the calls around them -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code is ordinary code, so these rules reject what is provably wrong and
// leave the rest to the runtime. Rules H38 to H48 of docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
class HostCheck {
public:
  HostCheck(CanonicalProgram &program, const ImportOptions &options)
      : program(program), diagnostics(program.diagnostics), options(options) {}

  void run() {
    for (Function *function : program.otherFunctions)
      for (CallBase *call : intrinsicCalls(*function))
        if (calledIntrinsic(*call)->place == IntrinsicPlace::Host)
          calls.push_back(call);
    checkCount(IntrinsicKind::Init, "init");
    checkCount(IntrinsicKind::Cleanup, "cleanup");
    checkOrder();
    for (const LaunchCall &launch : program.launches) {
      checkMode(launch);
      checkAwaited(launch);
    }
    for (CallBase *call : calls)
      checkHandle(*call);
    checkPushesAfterWait();
  }

private:
  SmallVector<CallBase *> callsOf(IntrinsicKind kind) const;
  void checkCount(IntrinsicKind kind, StringRef name);
  void checkOrder();
  void checkMode(const LaunchCall &launch);
  void checkAwaited(const LaunchCall &launch);
  void checkHandle(CallBase &call);
  void checkPushesAfterWait();
  DominatorTree &dominators(Function &function);

  CanonicalProgram &program;
  Diagnostics &diagnostics;
  const ImportOptions &options;
  /// Calls of host intrinsics in host code.
  SmallVector<CallBase *> calls;
  DenseMap<Function *, std::unique_ptr<DominatorTree>> trees;
};
} // namespace

SmallVector<CallBase *> HostCheck::callsOf(IntrinsicKind kind) const {
  SmallVector<CallBase *> found;
  for (CallBase *call : calls)
    if (calledIntrinsic(*call)->kind == kind)
      found.push_back(call);
  return found;
}

DominatorTree &HostCheck::dominators(Function &function) {
  auto &tree = trees[&function];
  if (!tree)
    tree = std::make_unique<DominatorTree>(function);
  return *tree;
}

//===----------------------------------------------------------------------===//
// Init and cleanup
//===----------------------------------------------------------------------===//

/// [H38].
void HostCheck::checkCount(IntrinsicKind kind, StringRef name) {
  SmallVector<CallBase *> found = callsOf(kind);
  for (CallBase *call : drop_begin(found, found.empty() ? 0 : 1))
    diagnostics
        .error(placeOf(*call),
               "a second call of " + quoted(name) +
                   "; a program has exactly one, so remove it or move both "
                   "into one function",
               "H38")
        .note(placeOf(*found.front()), "the first call is here");
  bool needsOne = llvm::any_of(calls, [](CallBase *call) {
    IntrinsicKind used = calledIntrinsic(*call)->kind;
    return used != IntrinsicKind::Init && used != IntrinsicKind::Cleanup;
  });
  if (!found.empty() || !needsOne || !options.requireInit)
    return;
  diagnostics.error(placeOf(*calls.front()),
                    "the program uses HPVM, but calls " + quoted(name) +
                        " nowhere; call it once, " +
                        (kind == IntrinsicKind::Init ? "before everything else"
                                                     : "after everything else"),
                    "H38");
}

/// [H39].
void HostCheck::checkOrder() {
  for (CallBase *bracket : calls) {
    IntrinsicKind kind = calledIntrinsic(*bracket)->kind;
    bool isInit = kind == IntrinsicKind::Init;
    if (!isInit && kind != IntrinsicKind::Cleanup)
      continue;
    DominatorTree &tree = dominators(*bracket->getFunction());
    for (CallBase *call : calls) {
      if (call == bracket || call->getFunction() != bracket->getFunction() ||
          calledIntrinsic(*call)->kind == kind)
        continue;
      // Unreachable code is dominated by everything.
      if (!tree.isReachableFromEntry(call->getParent()) ||
          !tree.isReachableFromEntry(bracket->getParent()))
        continue;
      // Code that dominates init ran before it; code that cleanup dominates
      // runs after it.
      if (isInit ? !tree.dominates(call, bracket)
                 : !tree.dominates(bracket, call))
        continue;
      if (!isInit && calledIntrinsic(*call)->kind == IntrinsicKind::Init)
        continue;
      diagnostics
          .error(placeOf(*call),
                 quoted(calledIntrinsic(*call)->name) + " runs " +
                     (isInit ? "before 'init'" : "after 'cleanup'") +
                     "; move it between the two",
                 "H39")
          .note(placeOf(*bracket),
                isInit ? "'init' is called here" : "'cleanup' is called here");
    }
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// [H42].
void HostCheck::checkMode(const LaunchCall &launch) {
  if (!launch.root->isInternal || launch.root->isIncomplete)
    return;
  CallBase *bind = streamingBind(*launch.root);
  std::string name = quoted(launch.root->name());
  if (launch.isStream && !bind)
    diagnostics
        .error(placeOf(*launch.call),
               "this launch is streaming, but no bind of the root " + name +
                   " is; mark the binds of what is pushed and popped as "
                   "streaming, or launch without streaming",
               "H42")
        .note(placeOf(*launch.root->function), name + " is defined here");
  if (!launch.isStream && bind)
    diagnostics
        .error(placeOf(*launch.call),
               "this launch is not streaming, but a bind of the root " + name +
                   " is; launch it as streaming and push its inputs, or clear "
                   "the flag of the bind",
               "H42")
        .note(placeOf(*bind), "the streaming bind is here");
}

/// [H48].
void HostCheck::checkAwaited(const LaunchCall &launch) {
  if (!launch.call->use_empty())
    return;
  diagnostics.warning(placeOf(*launch.call),
                      "nothing waits for this launch of " +
                          quoted(launch.root->name()) +
                          "; keep the handle and pass it to 'wait'",
                      "H48");
}

//===----------------------------------------------------------------------===//
// Handles of launches
//===----------------------------------------------------------------------===//

/// Adds the values stored to the variable that `load` reads, if all its uses
/// are known. The initial value is null, which is not a handle.
static bool addStoredValues(LoadInst &load, SmallVectorImpl<Value *> &values) {
  Value *variable = load.getPointerOperand()->stripPointerCasts();
  auto *global = dyn_cast<GlobalVariable>(variable);
  if (!isa<AllocaInst>(variable) && !(global && global->hasLocalLinkage()))
    return false;
  for (User *user : variable->users()) {
    if (isa<LoadInst>(user))
      continue;
    auto *store = dyn_cast<StoreInst>(user);
    if (!store || store->getPointerOperand() != variable)
      return false;
    values.push_back(store->getValueOperand());
  }
  return true;
}

SmallVector<CallBase *> sluice::hpvm::launchesOf(Value *handle) {
  SmallVector<CallBase *> launches;
  SmallVector<Value *> worklist = {handle};
  SmallPtrSet<Value *, 8> seen;
  while (!worklist.empty()) {
    Value *value = worklist.pop_back_val()->stripPointerCastsAndAliases();
    if (!seen.insert(value).second)
      continue;
    auto *call = dyn_cast<CallBase>(value);
    const HPVMIntrinsic *intrinsic = call ? calledIntrinsic(*call) : nullptr;
    if (intrinsic && intrinsic->kind == IntrinsicKind::Launch) {
      launches.push_back(call);
    } else if (auto *phi = dyn_cast<PHINode>(value)) {
      worklist.append(phi->value_op_begin(), phi->value_op_end());
    } else if (auto *select = dyn_cast<SelectInst>(value)) {
      worklist.push_back(select->getTrueValue());
      worklist.push_back(select->getFalseValue());
    } else if (auto *load = dyn_cast<LoadInst>(value)) {
      if (!addStoredValues(*load, worklist))
        return {};
    } else if (!isa<ConstantPointerNull, UndefValue>(value)) {
      return {};
    }
  }
  return launches;
}

/// True if the value can never be the handle of a launch.
static bool isNoHandle(const Value *value) {
  if (auto *call = dyn_cast<CallBase>(value)) {
    const HPVMIntrinsic *intrinsic = calledIntrinsic(*call);
    return intrinsic && intrinsic->kind != IntrinsicKind::Launch;
  }
  return isa<ConstantPointerNull, UndefValue, Function, AllocaInst,
             GlobalVariable>(value);
}

/// [H43] and [H45].
void HostCheck::checkHandle(CallBase &call) {
  const HPVMIntrinsic &intrinsic = *calledIntrinsic(call);
  bool isStreamCall = intrinsic.kind == IntrinsicKind::Push ||
                      intrinsic.kind == IntrinsicKind::Pop;
  if (!isStreamCall && intrinsic.kind != IntrinsicKind::Wait)
    return;
  Value *handle = lookThrough(call.getArgOperand(0));
  if (isNoHandle(handle)) {
    std::string what =
        isa<ConstantPointerNull>(handle) ? "null" : describeValue(handle);
    diagnostics.error(
        placeOf(call),
        quoted(intrinsic.name) + " takes the handle of a launch, but this is " +
            describeValue(handle) + "; pass what 'launch' returned",
        "H45");
    return;
  }
  SmallVector<CallBase *> launches = launchesOf(handle);
  bool areAllNonStreaming =
      !launches.empty() && llvm::all_of(launches, [](CallBase *launch) {
        auto *mode = dyn_cast<ConstantInt>(launch->getArgOperand(2));
        return mode && mode->isZero();
      });
  if (!isStreamCall || !areAllNonStreaming)
    return;
  auto &error = diagnostics.error(
      placeOf(call),
      quoted(intrinsic.name) +
          " needs a streaming launch, but this graph was launched without "
          "streaming; launch it as streaming, or read the result from the "
          "argument structure after 'wait'",
      "H43");
  for (CallBase *launch : launches)
    error.note(placeOf(*launch), "it is launched here");
}

/// [H44].
void HostCheck::checkPushesAfterWait() {
  for (CallBase *push : callsOf(IntrinsicKind::Push))
    for (CallBase *wait : callsOf(IntrinsicKind::Wait)) {
      Value *handle = lookThrough(push->getArgOperand(0));
      if (push->getFunction() != wait->getFunction() ||
          lookThrough(wait->getArgOperand(0)) != handle ||
          !isa<CallBase>(handle) ||
          !dominators(*push->getFunction())
               .isReachableFromEntry(push->getParent()) ||
          !dominators(*push->getFunction()).dominates(wait, push))
        continue;
      diagnostics
          .error(placeOf(*push),
                 "'push' after 'wait': a graph that was waited for takes no "
                 "more data; push before, or launch it again",
                 "H44")
          .note(placeOf(*wait), "'wait' is called here");
      break;
    }
}

void sluice::hpvm::checkHost(CanonicalProgram &program,
                             const ImportOptions &options) {
  HostCheck(program, options).run();
}
