//===- LeafCode.cpp - Leaf code in the form that is analysed --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what neither adds nor removes accesses to shared memory may run here:
// no pass that assumes the absence of races.
//
//===----------------------------------------------------------------------===//

#include "LeafCode.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/KeptAccesses.h"
#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

static constexpr StringLiteral idPrefix = "sluice.id.";
static constexpr StringLiteral countPrefix = "sluice.count.";
/// Instructions of a leaf beyond which nothing more is inlined.
static constexpr unsigned inliningLimit = 20000;

/// The functions that `leaves` may call, themselves and those included whose
/// addresses they pass on.
static SetVector<const Function *>
reachableFrom(const Module &code, const LeafCode::Leaves &leaves) {
  SetVector<const Function *> result;
  for (const auto &[leaf, divergentArguments] : leaves)
    if (const Function *function = code.getFunction(leaf))
      result.insert(function);
  for (unsigned i = 0; i != result.size(); ++i)
    for (const Instruction &instruction : instructions(result[i]))
      if (isa<CallBase>(instruction))
        for (const Use &operand : instruction.operands())
          if (const auto *callee = dyn_cast<Function>(operand);
              callee && !callee->isDeclaration())
            result.insert(callee);
  return result;
}

/// True if `address` is only used to load from the memory that it points to.
static bool isOnlyLoaded(const Value &address) {
  return all_of(address.uses(), [](const Use &use) {
    const User *user = use.getUser();
    if (const auto *load = dyn_cast<LoadInst>(user))
      return !load->isVolatile();
    if (isa<GEPOperator>(user))
      return isOnlyLoaded(*user);
    const auto *copy = dyn_cast<MemTransferInst>(user);
    return copy && !copy->isVolatile() && use.getOperandNo() == 1;
  });
}

/// True for variables that keep their initial values: only the program's own
/// code, which is all here, knows them, and never writes them.
static bool isNeverWritten(const GlobalVariable &variable) {
  return variable.isConstant() ||
         (variable.hasLocalLinkage() && variable.hasInitializer() &&
          !variable.isThreadLocal() && isOnlyLoaded(variable));
}

LeafCode::LeafCode(const Module &code, Leaves names)
    : leaves(std::move(names)), analyses(std::make_unique<PassAnalyses>()) {
  SetVector<const Function *> wanted = reachableFrom(code, leaves);
  SmallVector<const GlobalVariable *> unwritten;
  for (const GlobalVariable &variable : code.globals())
    if (isNeverWritten(variable))
      unwritten.push_back(&variable);
  ValueToValueMapTy map;
  module = CloneModule(code, map, [&](const GlobalValue *value) {
    const auto *function = dyn_cast<Function>(value);
    return function ? wanted.contains(function)
                    : isa<GlobalVariable>(value) &&
                          isNeverWritten(*cast<GlobalVariable>(value));
  });
  for (const GlobalVariable *variable : unwritten)
    if (Value *copy = map.lookup(variable))
      cast<GlobalVariable>(copy)->setConstant(true);
}

LeafCode::~LeafCode() = default;

//===----------------------------------------------------------------------===//
// Preparation of one leaf
//===----------------------------------------------------------------------===//

/// Inlines what the leaf calls, except functions that call themselves.
static void inlineHelpers(Function &leaf) {
  SmallPtrSet<const Function *, 8> seen;
  SmallVector<std::pair<CallBase *, unsigned>> worklist;
  // Functions on the way to a call, as a linked list.
  std::vector<std::pair<const Function *, int>> history;
  auto collect = [&](Instruction &instruction, int caller) {
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (Function *callee = call->getCalledFunction())
        if (!callee->isDeclaration() && callee != &leaf)
          worklist.push_back({call, static_cast<unsigned>(caller + 1)});
  };
  for (Instruction &instruction : instructions(leaf))
    collect(instruction, -1);
  auto isActive = [&](const Function *callee, int caller) {
    for (; caller >= 0; caller = history[caller].second)
      if (history[caller].first == callee)
        return true;
    return false;
  };
  while (!worklist.empty() && leaf.getInstructionCount() < inliningLimit) {
    auto [call, number] = worklist.pop_back_val();
    int caller = static_cast<int>(number) - 1;
    Function *callee = call->getCalledFunction();
    if (isActive(callee, caller))
      continue;
    InlineFunctionInfo info;
    if (!InlineFunction(*call, info).isSuccess())
      continue;
    history.push_back({callee, caller});
    for (CallBase *inlined : info.InlinedCallSites)
      collect(*inlined, history.size() - 1);
  }
}

/// Replaces equal queries of ids and extents by one value each, and marks them
/// as small non-negative numbers, because a program that keeps ids in an `int`
/// relies on this.
static void unifyQueries(Function &leaf) {
  LLVMContext &context = leaf.getContext();
  Type *i64 = Type::getInt64Ty(context);
  std::map<std::string, CallInst *> known;
  SmallVector<CallBase *> queries;
  for (Instruction &instruction : instructions(leaf)) {
    StringRef name = hpvmIntrinsicName(instruction);
    if (name.starts_with("getNodeInstanceID.") ||
        name.starts_with("getNumNodeInstances."))
      queries.push_back(cast<CallBase>(&instruction));
  }
  for (CallBase *query : queries) {
    StringRef name = hpvmIntrinsicName(*query);
    std::optional<unsigned> depth = handleDepth(*query->getArgOperand(0));
    if (!depth || !query->getType()->isIntegerTy(64))
      continue;
    bool isId = name.starts_with("getNodeInstanceID.");
    std::string key = ((isId ? idPrefix : countPrefix) + Twine(*depth) + "." +
                       Twine(name.back() - 'x'))
                          .str();
    CallInst *&value = known[key];
    if (!value) {
      FunctionCallee callee = leaf.getParent()->getOrInsertFunction(key, i64);
      value = CallInst::Create(callee, "",
                               leaf.getEntryBlock().getFirstInsertionPt());
      value->setDoesNotAccessMemory();
      value->setDoesNotThrow();
      value->addRetAttr(Attribute::get(
          context, Attribute::Range,
          ConstantRange(APInt(64, isId ? 0 : 1), APInt(64, INT32_MAX))));
    }
    query->replaceAllUsesWith(value);
  }
}

std::optional<Symbol> races::symbolOfQuery(const Value &value) {
  const auto *call = dyn_cast<CallInst>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  StringRef name = callee ? callee->getName() : StringRef();
  Symbol symbol;
  if (name.consume_front(idPrefix))
    symbol.kind = Symbol::Kind::Id;
  else if (name.consume_front(countPrefix))
    symbol.kind = Symbol::Kind::Count;
  else
    return std::nullopt;
  auto [level, dimension] = name.split('.');
  level.getAsInteger(10, symbol.index);
  dimension.getAsInteger(10, symbol.dimension);
  return symbol;
}

static bool callsThroughPointers(const Function &leaf) {
  return any_of(instructions(leaf), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->isIndirectCall();
  });
}

/// Ways that constants close: the library of C++ asks whether a program has
/// threads at all.
static void removeDeadCode(Function &leaf) {
  for (BasicBlock &block : leaf)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(leaf);
}

/// True for `std::lock` of mutexes, which are those of the system in C++.
static bool locksMutexes(const Function &callee) {
  if (!callee.getName().starts_with("_ZSt4lockI"))
    return false;
  const std::string whole = demangle(callee.getName());
  StringRef types = StringRef(whole).rsplit('(').second;
  SmallVector<StringRef> parameters;
  if (!types.consume_back(")"))
    return false;
  types.split(parameters, ", ");
  return parameters.size() == callee.arg_size() &&
         all_of(parameters, [](StringRef type) {
           return type == "std::mutex&" || type == "std::recursive_mutex&" ||
                  type == "std::timed_mutex&" ||
                  type == "std::recursive_timed_mutex&";
         });
}

/// `std::lock` tries one mutex after another until it has all of them. What
/// comes of it is that this instance has locked each.
static void lockEach(Function &function) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (const Function *callee = call->getCalledFunction();
          callee && locksMutexes(*callee))
        calls.push_back(call);
  for (CallBase *call : calls) {
    FunctionCallee lock = function.getParent()->getOrInsertFunction(
        "pthread_mutex_lock", Type::getInt32Ty(function.getContext()),
        PointerType::getUnqual(function.getContext()));
    IRBuilder<> builder(call);
    for (Value *mutex : call->args())
      builder.CreateCall(lock, mutex);
    if (auto *invoke = dyn_cast<InvokeInst>(call)) {
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
      builder.CreateBr(invoke->getNormalDest());
    }
    call->eraseFromParent();
  }
}

Function *LeafCode::prepare(StringRef name) {
  Function *leaf = module->getFunction(name);
  if (!leaf || leaf->isDeclaration())
    return nullptr;
  leaf->removeFnAttr(Attribute::OptimizeNone);
  auto run = [&](Function &function, auto... passes) {
    FunctionPassManager all;
    (all.addPass(std::move(passes)), ...);
    const HiddenLargeValues hidden(function);
    all.run(function, analyses->functions);
    analyses->functions.invalidate(function, PreservedAnalyses::none());
  };
  auto makeRegisters = [&](Function &function) {
    const HiddenPlaces places(function);
    run(function, SROAPass(SROAOptions::PreserveCFG));
  };
  auto runKept = [&](auto... passes) {
    const KeptAccesses kept(*leaf);
    run(*leaf, std::move(passes)...);
  };
  // Calls beside accesses hide nothing from it.
  constexpr bool usesMemorySSA = true;
  for (Function &function : *module)
    lockEach(function);
  inlineHelpers(*leaf);
  // A function that was passed on is known now.
  if (callsThroughPointers(*leaf)) {
    makeRegisters(*leaf);
    runKept(EarlyCSEPass(usesMemorySSA));
    inlineHelpers(*leaf);
  }
  unifyQueries(*leaf);
  makeRegisters(*leaf);
  runKept(EarlyCSEPass(usesMemorySSA));
  removeDeadCode(*leaf);
  runKept(EarlyCSEPass(usesMemorySSA), LoopSimplifyPass());
  // Functions that other functions call back are examined as well.
  for (const Instruction &instruction : instructions(*leaf))
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      for (const Use &argument : call->args())
        if (auto *callback = dyn_cast<Function>(argument);
            callback && callback != leaf && !callback->isDeclaration()) {
          callback->removeFnAttr(Attribute::OptimizeNone);
          makeRegisters(*callback);
        }
  return leaf;
}

Function *LeafCode::preparedLeaf(StringRef name) {
  return effectsOf(name) ? module->getFunction(name) : nullptr;
}

const LeafEffects *LeafCode::effectsOf(StringRef name) {
  auto [found, isNew] = known.try_emplace(name.str());
  if (isNew)
    if (Function *leaf = prepare(name))
      found->second = std::make_unique<LeafEffects>(
          collectEffects(*leaf, leaves[name.str()], analyses->functions));
  return found->second.get();
}
