//===- ThreadLocalUses.cpp - Uses of thread-local variables ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all functions of a module once, then answers questions about
// thread-local variables.
//
//===----------------------------------------------------------------------===//

#include "ThreadLocalUses.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace sluice::transforms;

Function *sluice::transforms::calledFunction(const CallBase &call) {
  return dyn_cast<Function>(
      call.getCalledOperand()->stripPointerCastsAndAliases());
}

bool sluice::transforms::isErrnoAddress(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? calledFunction(*call) : nullptr;
  return callee && callee->getName() == "__errno_location";
}

/// A C++ ABI function through which other files access a variable: it makes
/// sure that the variable is initialised, and returns its address.
static bool isWrapper(const Function &function) {
  return function.getName().starts_with("_ZTW");
}

/// The variable whose address `value` is.
static const GlobalVariable *variableAt(const Value *value) {
  if (const auto *call = dyn_cast<CallBase>(value))
    if (const Function *wrapper = calledFunction(*call);
        wrapper && isWrapper(*wrapper))
      for (const BasicBlock &block : *wrapper)
        if (const auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
          value = end->getReturnValue();
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(value))
    if (intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address)
      value = intrinsic->getArgOperand(0);
  const auto *variable = dyn_cast<GlobalVariable>(value);
  return variable && variable->isThreadLocal() ? variable : nullptr;
}

ThreadLocalUses::ThreadLocalUses(Module &code)
    : code(code), libraryImpl(code.getTargetTriple()), library(libraryImpl) {
  SmallVector<Constant *> variables;
  for (GlobalVariable &global : code.globals())
    if (global.isThreadLocal())
      variables.push_back(&global);
  if (variables.empty())
    return;
  convertUsersOfConstantsToInstructions(variables);
  for (Constant *variable : variables)
    for (User *user : variable->users())
      if (auto *instruction = dyn_cast<Instruction>(user))
        direct[instruction->getFunction()].insert(
            cast<GlobalVariable>(variable));
  findExits();
  // A caller uses all variables that its callees use.
  reached = direct;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Function &caller : code)
      for (Instruction &instruction : instructions(caller)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        Function *callee = call ? calledFunction(*call) : nullptr;
        if (const Exit *exit = call ? exitOf(*call) : nullptr)
          callee = exit->destructor;
        auto found = callee ? reached.find(callee) : reached.end();
        if (found == reached.end() || callee == &caller)
          continue;
        Variables used = found->second;
        Variables &all = reached[&caller];
        size_t before = all.size();
        all.insert(used.begin(), used.end());
        isChanged |= all.size() != before;
      }
  }
}

ThreadLocalUses::~ThreadLocalUses() {
  for (const Exit &exit : exits)
    exit.turn->eraseFromParent();
  if (exitCount)
    exitCount->eraseFromParent();
}

/// Finds the destructors that are registered to run when a thread ends.
void ThreadLocalUses::findExits() {
  Function *registry = code.getFunction("__cxa_thread_atexit");
  if (!registry)
    return;
  auto standIn = [&](const char *name) {
    Type *type = Type::getInt32Ty(code.getContext());
    return new GlobalVariable(code, type, /*isConstant=*/false,
                              GlobalValue::InternalLinkage,
                              Constant::getNullValue(type), name, nullptr,
                              GlobalValue::GeneralDynamicTLSModel);
  };
  for (User *user : registry->users()) {
    auto *call = dyn_cast<CallBase>(user);
    if (!call || calledFunction(*call) != registry || call->arg_size() < 2)
      continue;
    auto *destructor = dyn_cast<Function>(
        call->getArgOperand(0)->stripPointerCastsAndAliases());
    Value *object = call->getArgOperand(1);
    auto *variable = const_cast<GlobalVariable *>(variableAt(object));
    if (!destructor || (!variable && !isa<ConstantPointerNull>(object)))
      continue;
    if (!exitCount)
      exitCount = standIn("sluice.exits");
    auto found = find_if(exits, [&](const Exit &exit) {
      return exit.destructor == destructor && exit.object == variable;
    });
    if (found == exits.end())
      found = exits.insert(found,
                           {destructor, variable, standIn("sluice.exit.turn")});
    exitCalls[call] = found - exits.begin();
    direct[call->getFunction()].insert(exitCount);
    direct[call->getFunction()].insert(found->turn);
  }
}

const ThreadLocalUses::Exit *
ThreadLocalUses::exitOf(const CallBase &call) const {
  auto found = exitCalls.find(&call);
  return found == exitCalls.end() ? nullptr : &exits[found->second];
}

const ThreadLocalUses::Variables &
ThreadLocalUses::of(const Function &function) const {
  static const Variables none;
  auto found = reached.find(&function);
  return found == reached.end() ? none : found->second;
}

Instruction *ThreadLocalUses::useIn(const Function &function,
                                    const GlobalVariable &variable) const {
  for (const User *user : variable.users())
    if (auto *instruction = dyn_cast<Instruction>(user))
      if (instruction->getFunction() == &function)
        return const_cast<Instruction *>(instruction);
  return nullptr;
}

/// True if `address` is only used by loads.
static bool isOnlyRead(const Value &address) {
  return all_of(address.users(), [&](const User *user) {
    if (isa<LoadInst>(user))
      return true;
    if (isa<GetElementPtrInst>(user))
      return isOnlyRead(*user);
    const auto *call = dyn_cast<CallBase>(user);
    return call && isa<MemTransferInst>(call) &&
           cast<MemTransferInst>(call)->getRawDest() != &address;
  });
}

bool ThreadLocalUses::writes(const Function &function,
                             const GlobalVariable &variable) const {
  if (isWrapper(function))
    return false;
  for (const Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      if (!isa<IntrinsicInst>(call) && variableAt(call) == &variable &&
          !isOnlyRead(*call))
        return true;
  return any_of(variable.users(), [&](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    if (!instruction || instruction->getFunction() != &function)
      return false;
    if (variableAt(instruction))
      return !isOnlyRead(*instruction);
    return !isa<LoadInst>(instruction) &&
           !(isa<GetElementPtrInst>(instruction) && isOnlyRead(*instruction));
  });
}

//===----------------------------------------------------------------------===//
// What is done first
//===----------------------------------------------------------------------===//

ThreadLocalUses::First
ThreadLocalUses::firstUse(const Instruction &instruction,
                          const GlobalVariable &variable) {
  if (variableAt(&instruction) || isa<ICmpInst>(instruction))
    return First::Nothing;
  uint64_t size =
      code.getDataLayout().getTypeStoreSize(variable.getValueType());
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    if (variableAt(store->getPointerOperand()) == &variable &&
        variableAt(store->getValueOperand()) != &variable &&
        code.getDataLayout().getTypeStoreSize(
            store->getValueOperand()->getType()) == size)
      return First::Write;
  if (const auto *set = dyn_cast<MemSetInst>(&instruction))
    if (variableAt(set->getRawDest()) == &variable)
      if (auto *length = dyn_cast<ConstantInt>(set->getLength()))
        if (length->getZExtValue() >= size)
          return First::Write;
  if (any_of(instruction.operands(), [&](const Use &operand) {
        return variableAt(operand.get()) == &variable;
      }))
    return First::Read;
  const auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? calledFunction(*call) : nullptr;
  if (callee && of(*callee).contains(const_cast<GlobalVariable *>(&variable)))
    return firstUse(*callee, variable);
  return First::Nothing;
}

/// Follows all paths through a function up to their first use of the variable.
ThreadLocalUses::First
ThreadLocalUses::firstUse(const Function &function,
                          const GlobalVariable &variable) {
  // A recursive function counts as having no effect while it is being examined:
  // its first use is before the recursive call, or on another path.
  auto [found, isNew] =
      known.try_emplace({&function, &variable}, First::Nothing);
  if (!isNew)
    return found->second;
  First result = First::Write;
  SmallPtrSet<const BasicBlock *, 16> seen{&function.getEntryBlock()};
  SmallVector<const BasicBlock *> worklist{&function.getEntryBlock()};
  while (!worklist.empty() && result != First::Read) {
    const BasicBlock *block = worklist.pop_back_val();
    First here = First::Nothing;
    for (const Instruction &instruction : *block)
      if (here = firstUse(instruction, variable); here != First::Nothing)
        break;
    if (here == First::Read)
      result = First::Read;
    if (here != First::Nothing)
      continue;
    if (isa<ReturnInst>(block->getTerminator()))
      result = First::Nothing;
    for (const BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        worklist.push_back(next);
  }
  known[{&function, &variable}] = result;
  return result;
}

bool ThreadLocalUses::mayReadFirst(const Function &function,
                                   const GlobalVariable &variable) {
  return firstUse(function, variable) == First::Read;
}

//===----------------------------------------------------------------------===//
// Functions that a leaf may run
//===----------------------------------------------------------------------===//

/// True for a function whose code is not in this module but may belong to the
/// program. Functions of libraries do not know the program's variables.
bool ThreadLocalUses::isOutside(const Function &function) const {
  LibFunc known;
  StringRef name = function.getName();
  if (!function.isDeclaration() || function.isIntrinsic() ||
      name.starts_with("llvm.") || library.getLibFunc(name, known))
    return false;
  // The C++ library and runtime, with its operators new and delete. In mangled
  // names S and a small letter begin names in namespace std.
  for (StringRef prefix :
       {"_ZNS", "_ZNKS", "_ZS", "_ZTHN", "_Zn", "_Zd", "_ZN9__gnu_cxx",
        "_ZNK9__gnu_cxx", "__cxa_", "__gxx_", "_Unwind", "__clang_",
        "__assert_fail", "__errno_location", "pthread_", "sluice"})
    if (name.starts_with(prefix))
      return false;
  return !function.doesNotAccessMemory();
}

ThreadLocalUses::Closure
ThreadLocalUses::closureOf(Function &leaf, ArrayRef<Function *> leaves) const {
  Closure closure;
  closure.functions.insert(&leaf);
  auto addAddress = [&](const Instruction &instruction, Value *value) {
    auto *function = dyn_cast<Function>(value->stripPointerCastsAndAliases());
    if (function && !of(*function).empty())
      closure.throughPointers.push_back({&instruction, function});
  };
  for (unsigned i = 0; i != closure.functions.size(); ++i)
    for (Instruction &instruction : instructions(closure.functions[i])) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (const Exit *exit = call ? exitOf(*call) : nullptr) {
        if (!exit->destructor->isDeclaration())
          closure.functions.insert(exit->destructor);
        continue;
      }
      for (Use &operand : instruction.operands())
        if (operand->getType()->isPointerTy() && isa<Constant>(operand) &&
            !isa<ICmpInst>(instruction) && !(call && call->isCallee(&operand)))
          addAddress(instruction, operand);
      if (!call || call->isInlineAsm())
        continue;
      Function *callee = calledFunction(*call);
      if (callee && !callee->isDeclaration())
        closure.functions.insert(callee);
      else if (callee && isOutside(*callee))
        closure.unknown.push_back(call);
      if (callee)
        continue;
      for (Function &function : code)
        if (!of(function).empty() && function.hasAddressTaken() &&
            function.getFunctionType() == call->getFunctionType() &&
            !is_contained(leaves, &function))
          closure.throughPointers.push_back({call, &function});
    }
  return closure;
}
