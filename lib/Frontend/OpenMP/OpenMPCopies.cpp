//===- OpenMPCopies.cpp - Copies of the code of teams ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang has written stays as it is: all that becomes code of nodes, or of
// the host, is made of copies.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"
#include "sluice/Analysis/KeptAccesses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

static void makeOrdinary(Function &function) {
  function.setLinkage(GlobalValue::InternalLinkage);
  function.setComdat(nullptr);
  for (Attribute::AttrKind kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::AlwaysInline,
        Attribute::NoReturn})
    function.removeFnAttr(kind);
}

void openmp::promoteParameters(Function &work) {
  DominatorTree dominators(work);
  for (bool changed = true; changed;) {
    SmallVector<AllocaInst *> variables;
    for (Instruction &instruction : work.getEntryBlock()) {
      auto *variable = dyn_cast<AllocaInst>(&instruction);
      if (!variable || !isAllocaPromotable(variable))
        continue;
      unsigned numStores = 0;
      bool holdsParameter = false;
      for (const User *user : variable->users())
        if (const auto *store = dyn_cast<StoreInst>(user)) {
          ++numStores;
          holdsParameter = isa<Argument>(store->getValueOperand()) &&
                           store->getParent() == variable->getParent();
        }
      if (numStores == 1 && holdsParameter)
        variables.push_back(variable);
    }
    changed = !variables.empty();
    if (changed)
      PromoteMemToReg(variables, dominators);
  }
}

/// Whether a function has directives of its own that belong to the team that
/// calls it.
static bool hasDirectives(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    StringRef name = calledRuntime(instruction);
    return name.starts_with("__kmpc_") && name != "__kmpc_global_thread_num" &&
           name != "__kmpc_fork_call";
  });
}

/// What C++ calls for bounds and iterators, beside the loops that are shared:
/// small functions whose code is here; and functions with such loops.
static CallBase *findSmallCall(Function &work, bool entersLoops) {
  constexpr unsigned mostInstructions = 100, mostDirectives = 1000;
  DominatorTree dominators(work);
  LoopInfo loops(dominators);
  SmallPtrSet<const BasicBlock *, 16> shared;
  if (entersLoops) {
    Reason unused;
    for (const SharedLoop &loop : findSharedLoops(work, unused))
      shared.insert_range(loop.blocks);
  }
  for (Instruction &instruction : instructions(work)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration() || callee->isInterposable() ||
        (entersLoops ? shared.contains(call->getParent())
                     : loops.getLoopFor(call->getParent()) != nullptr))
      continue;
    bool isSmall = !callee->hasFnAttribute(Attribute::NoInline) &&
                   !callee->hasFnAttribute(Attribute::OptimizeNone) &&
                   callee->getInstructionCount() <= mostInstructions;
    bool isPart = entersLoops && hasDirectives(*callee) &&
                  callee->getInstructionCount() <= mostDirectives;
    if (isSmall || isPart)
      return call;
  }
  return nullptr;
}

void openmp::inlineSmallCalls(Function &work, bool entersLoops) {
  constexpr unsigned mostCalls = 100;
  for (unsigned i = 0; i != mostCalls; ++i) {
    CallBase *call = findSmallCall(work, entersLoops);
    if (!call || !inlineCall(*call))
      return;
  }
}

void openmp::inlineCalled(Function &iteration, bool mayThrow) {
  constexpr unsigned mostInstructions = 300, mostOfAll = 3000;
  for (bool changed = true;
       changed && iteration.getInstructionCount() < mostOfAll;) {
    changed = false;
    for (Instruction &instruction : instructions(iteration)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration() ||
          (!mayThrow && !isa<CallInst>(call)) || callee->isInterposable() ||
          callee->isVarArg() || callee->hasFnAttribute(Attribute::NoInline) ||
          callee->hasFnAttribute(Attribute::OptimizeNone) ||
          callee->getInstructionCount() > mostInstructions ||
          any_of(instructions(*callee), [&](const Instruction &inner) {
            const auto *again = dyn_cast<CallBase>(&inner);
            return isa<AllocaInst>(inner)
                       ? !cast<AllocaInst>(inner).isStaticAlloca()
                       : again && again->getCalledFunction() == callee;
          }))
        continue;
      if (inlineCall(*call)) {
        changed = true;
        break;
      }
    }
  }
}

StringRef openmp::plainName(StringRef name) {
  for (StringRef before; before != name;) {
    before = name;
    StringRef letters = name.rtrim("0123456789");
    if (letters.ends_with(".i"))
      name = letters.drop_back(2);
    name.consume_back(".addr");
  }
  return name;
}

/// Whether what a call returns a reference to is read before anything changes.
static bool isReadAtOnce(const CallBase &call) {
  constexpr unsigned furthest = 64;
  const auto *invoke = dyn_cast<InvokeInst>(&call);
  const Instruction *at =
      invoke ? &*invoke->getNormalDest()->begin() : call.getNextNode();
  if (invoke && !invoke->getNormalDest()->getSinglePredecessor())
    return false;
  if (!call.hasOneUse() || !isa<LoadInst>(call.user_back()))
    return false;
  for (unsigned i = 0; i != furthest && at != call.user_back(); ++i) {
    const auto *branch = dyn_cast<BranchInst>(at);
    const BasicBlock *next =
        branch ? branch->getParent()->getSingleSuccessor() : nullptr;
    if (next && next->getSinglePredecessor())
      at = &*next->begin();
    else if (!at->isTerminator() && !at->mayHaveSideEffects())
      at = at->getNextNode();
    else
      return false;
  }
  return at == call.user_back();
}

/// The greater and the smaller one of two numbers are references in C++, which
/// hide what becomes of a variable.
static void chooseNumbers(Function &work) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(work)) {
    StringRef name = calledName(instruction);
    if ((name.starts_with("_ZSt3maxI") || name.starts_with("_ZSt3minI")) &&
        cast<CallBase>(instruction).arg_size() == 2)
      calls.push_back(cast<CallBase>(&instruction));
  }
  // What is passed on to another such call is read when that has gone.
  for (CallBase *call : reverse(calls)) {
    StringRef name = call->getCalledFunction()->getName();
    bool isMax = name.consume_front("_ZSt3maxI");
    if (!isMax)
      name.consume_front("_ZSt3minI");
    if (!name.consume_back("ERKT_S2_S2_") || name.size() != 1 ||
        !StringRef("dfijlmahstxy").contains(name) || !isReadAtOnce(*call))
      continue;
    bool isFloat = name == "d" || name == "f";
    bool isUnsigned = StringRef("jmhty").contains(name);
    auto *read = cast<LoadInst>(call->user_back());
    IRBuilder<> builder(read);
    Value *left = builder.CreateLoad(read->getType(), call->getArgOperand(0));
    Value *right = builder.CreateLoad(read->getType(), call->getArgOperand(1));
    CmpInst::Predicate isLess = isFloat      ? CmpInst::FCMP_OLT
                                : isUnsigned ? CmpInst::ICMP_ULT
                                             : CmpInst::ICMP_SLT;
    Value *isRight =
        builder.CreateCmp(isLess, isMax ? left : right, isMax ? right : left);
    read->replaceAllUsesWith(builder.CreateSelect(isRight, right, left));
    read->eraseFromParent();
    if (auto *invoke = dyn_cast<InvokeInst>(call)) {
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
      IRBuilder<>(invoke).CreateBr(invoke->getNormalDest());
    }
    call->eraseFromParent();
  }
  if (!calls.empty())
    removeUnreachableBlocks(work);
}

/// Clang makes functions of the operators that the program declares.
static bool inlineDeclared(Function &work) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(work)) {
    StringRef name = calledName(instruction);
    if (name.starts_with(".omp_combiner.") ||
        name.starts_with(".omp_initializer."))
      calls.push_back(cast<CallBase>(&instruction));
  }
  for (CallBase *call : calls) {
    Function *callee = call->getCalledFunction();
    bool hasCalls = any_of(instructions(*callee), [](const Instruction &inner) {
      return isa<CallBase>(inner) && !isa<IntrinsicInst>(inner);
    });
    Function *plain = nullptr;
    if (hasCalls) {
      // Objects have functions for their operators.
      ValueToValueMapTy map;
      plain = CloneFunction(callee, map);
      inlineCalled(*plain, /*mayThrow=*/true);
      PassAnalyses analyses;
      simplify(*plain, analyses);
      call->setCalledFunction(plain);
    }
    inlineCall(*call);
    if (plain && plain->use_empty())
      plain->eraseFromParent();
  }
  return !calls.empty();
}

Function *openmp::copyTeam(Function &outlined) {
  ValueToValueMapTy map;
  Function *work = CloneFunction(&outlined, map);
  work->setName(outlined.getName() + ".team");
  makeOrdinary(*work);
  joinDebugged(*work);
  bool declares = inlineDeclared(*work);
  chooseNumbers(*work);
  inlineSmallCalls(*work, /*entersLoops=*/false);
  promoteParameters(*work);
  while (declares && promoteReferences(*work))
    continue;
  return work;
}

/// Whether a variable may hold the address of one of the function's own
/// variables, or another one.
static bool mixesPlaces(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *variable = dyn_cast<AllocaInst>(&instruction);
    if (!variable || !variable->getAllocatedType()->isPointerTy())
      return false;
    bool holdsOwn = false, holdsOther = false;
    for (const User *user : variable->users())
      if (const auto *store = dyn_cast<StoreInst>(user);
          store && store->getPointerOperand() == variable)
        (isOwnVariable(*store->getValueOperand()) ? holdsOwn : holdsOther) =
            true;
    return holdsOwn && holdsOther;
  });
}

static void simplifyVariables(Function &function, PassAnalyses &analyses) {
  removeUnreachableBlocks(function);
  FunctionPassManager passes;
  // What is loaded by a choice gets blocks of its own.
  if (mixesPlaces(function))
    passes.addPass(BreakCriticalEdgesPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  analyses.functions.clear(function, function.getName());
  const HiddenPlaces hidden(function);
  passes.run(function, analyses.functions);
  analyses.functions.clear(function, function.getName());
}

static void simplifyValues(Function &function, PassAnalyses &analyses) {
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(ADCEPass());
  passes.addPass(SimplifyCFGPass());
  passes.run(function, analyses.functions);
  analyses.functions.clear(function, function.getName());
}

void openmp::simplify(Function &function, PassAnalyses &analyses,
                      bool keepsStores) {
  simplifyVariables(function, analyses);
  std::optional<KeptAccesses> kept;
  if (keepsStores)
    kept.emplace(function, [](const Instruction &access) {
      return isa<StoreInst>(access);
    });
  simplifyValues(function, analyses);
}

void openmp::simplifyIteration(Function &function, PassAnalyses &analyses,
                               ArrayRef<Reduction> reductions) {
  simplifyVariables(function, analyses);
  // The library tells a thread its number, for which no iteration asks.
  SmallPtrSet<const Value *, 8> own = {function.getArg(0), function.getArg(1)};
  for (const Reduction &reduction : reductions)
    own.insert(reduction.variable);
  const KeptAccesses kept(function, [&](const Instruction &access) {
    const Value *place = getLoadStorePointerOperand(&access);
    return !access.hasMetadata(apartMetadata) &&
           !(place && own.contains(getUnderlyingObject(place)));
  });
  simplifyValues(function, analyses);
}

void openmp::discard(Function *&function) {
  if (function)
    function->eraseFromParent();
  function = nullptr;
}

Function *openmp::copyWork(Function &work, Type *result, const Twine &name,
                           ArrayRef<Type *> further, ValueToValueMapTy *known) {
  SmallVector<Type *> parameters(work.getFunctionType()->params());
  append_range(parameters, further);
  auto *type = FunctionType::get(result, parameters, /*isVarArg=*/false);
  Function *copy = Function::Create(type, GlobalValue::InternalLinkage, name,
                                    work.getParent());
  ValueToValueMapTy own;
  ValueToValueMapTy &map = known ? *known : own;
  for (auto [from, to] : zip(work.args(), copy->args())) {
    to.setName(from.getName());
    map[&from] = &to;
  }
  SmallVector<ReturnInst *> returns;
  CloneFunctionInto(copy, &work, map, CloneFunctionChangeType::LocalChangesOnly,
                    returns);
  makeOrdinary(*copy);
  if (!result->isVoidTy())
    for (ReturnInst *end : returns) {
      IRBuilder<> builder(end);
      builder.CreateRet(Constant::getNullValue(result));
      end->eraseFromParent();
    }
  return copy;
}
