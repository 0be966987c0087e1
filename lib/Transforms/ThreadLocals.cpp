//===- ThreadLocals.cpp - Thread-local variables of leaves ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf gets an alloca for each thread-local variable that it, or a function
// it calls, uses. Such functions are copied, with one more parameter for the
// address of each variable. Objects whose destructors would run at the end of
// the thread are destroyed where the leaf returns, in reverse order of
// construction.
//
//===----------------------------------------------------------------------===//

#include "sluice/Transforms/ThreadLocals.h"

#include "CallOnce.h"
#include "ThreadLocalUses.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/DFG/DFG.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::transforms;

namespace {
class Privatizer {
public:
  Privatizer(Module &code, ArrayRef<Function *> leaves, StringRef kind)
      : code(code), leaves(leaves), kind(kind), uses(code) {}

  void run();

  std::vector<ThreadLocalFinding> findings;

private:
  using Variables = ThreadLocalUses::Variables;
  using Closure = ThreadLocalUses::Closure;
  /// The addresses of the current instance's variables.
  using Addresses = DenseMap<const GlobalVariable *, Value *>;

  bool check(Function &leaf, const Closure &closure);
  bool check(Function &leaf, const Closure &closure,
             const GlobalVariable &variable);
  void addError(const Instruction *place, const Function &function,
                std::string message);
  std::string usedBy(const Function &leaf, const GlobalVariable &variable);

  void privatize(Function &leaf);
  Value *makeVariable(Function &leaf, GlobalVariable &variable);
  void rewrite(Function &function, const Addresses &addresses);
  void passAddresses(CallBase &call, Function &callee,
                     const Addresses &addresses);
  void registerExit(CallBase &call, const ThreadLocalUses::Exit &exit,
                    const Addresses &addresses);
  void destroyAtReturns(Function &leaf, const Addresses &addresses);
  CallInst *createDestruction(const ThreadLocalUses::Exit &exit,
                              const Addresses &addresses, IRBuilder<> &builder);
  Function *copyOf(Function &function);
  void keepErrno(Function &leaf, const Closure &closure);

  Module &code;
  ArrayRef<Function *> leaves;
  StringRef kind;
  ThreadLocalUses uses;
  DenseMap<const Function *, Function *> copies;
  SmallPtrSet<const Function *, 8> keepsErrno;
};
} // namespace

//===----------------------------------------------------------------------===//
// What cannot be done
//===----------------------------------------------------------------------===//

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

static std::string nameOf(const Function &function) {
  if (const DISubprogram *program = function.getSubprogram())
    if (!program->getName().empty())
      return quoted(program->getName().str());
  return quoted(dfg::displayName(function.getName()));
}

/// The name in the source; empty for variables that the compiler made.
static std::string nameOf(const GlobalVariable &variable) {
  SmallVector<DIGlobalVariableExpression *> described;
  variable.getDebugInfo(described);
  if (!described.empty())
    return quoted(described.front()->getVariable()->getName().str());
  StringRef name = variable.getName();
  if (name.starts_with("_ZGV") || name.starts_with("__tls_guard") ||
      name.starts_with("sluice."))
    return "";
  return quoted(dfg::displayName(name));
}

void Privatizer::addError(const Instruction *place, const Function &function,
                          std::string message) {
  findings.push_back({/*isError=*/true, std::move(message),
                      place ? place->getDebugLoc() : DebugLoc(), &function});
}

/// "'blur' uses thread-local variable 'x', ".
std::string Privatizer::usedBy(const Function &leaf,
                               const GlobalVariable &variable) {
  return nameOf(leaf) + " uses thread-local variable " + nameOf(variable) +
         ", ";
}

bool Privatizer::check(Function &leaf, const Closure &closure,
                       const GlobalVariable &variable) {
  const Instruction *place = nullptr;
  for (const Function *function : closure.functions)
    if (!place)
      place = uses.useIn(*function, variable);
  if (variable.isDeclaration()) {
    addError(place, leaf,
             usedBy(leaf, variable) +
                 "which is defined elsewhere, so its initial value is not "
                 "known: define it in a file of the program, or pass the value "
                 "as an argument");
    return false;
  }
  if (!variable.hasLocalLinkage() && !closure.unknown.empty()) {
    const CallBase *call = closure.unknown.front();
    addError(call, leaf,
             usedBy(leaf, variable) + "which " +
                 nameOf(*calledFunction(*call)) +
                 ", whose code is elsewhere, may use as well: make it "
                 "'static', or add the file of the function to the program");
    return false;
  }
  if (!uses.mayReadFirst(leaf, variable) || nameOf(variable).empty())
    return true;
  for (Function &function : code) {
    if (closure.functions.contains(&function) ||
        !uses.writes(function, variable))
      continue;
    addError(place, leaf,
             usedBy(leaf, variable) + "which " + nameOf(function) +
                 " sets: each instance of a " + kind.str() +
                 " has thread-local variables of its own, with their initial "
                 "values; pass the value as an argument, or make the variable "
                 "an ordinary one");
    return false;
  }
  bool isWritten = any_of(closure.functions, [&](const Function *function) {
    return uses.writes(*function, variable);
  });
  if (!isWritten)
    return true;
  findings.push_back(
      {/*isError=*/false,
       "thread-local variable " + nameOf(variable) +
           " starts from its initial value in every instance of " +
           nameOf(leaf) + ": what another instance left in it is not seen",
       place ? place->getDebugLoc() : DebugLoc(), &leaf});
  return true;
}

bool Privatizer::check(Function &leaf, const Closure &closure) {
  for (auto [place, function] : closure.throughPointers) {
    const GlobalVariable &variable = *uses.of(*function).front();
    addError(place, leaf,
             nameOf(*function) + " uses thread-local variable " +
                 nameOf(variable) + " and may be called through a pointer by " +
                 nameOf(leaf) +
                 ", which cannot give it the variable of the instance: call "
                 "it by name, or pass the address of a local variable");
    return false;
  }
  for (const Function *function : closure.functions)
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = calledFunction(*call);
            callee && callee->getName() == "__cxa_thread_atexit" &&
            !uses.exitOf(*call)) {
          addError(call, leaf,
                   nameOf(leaf) + " uses a thread-local variable that is not "
                                  "destroyed by a destructor of its own: use a "
                                  "local variable");
          return false;
        }
  return all_of(uses.of(leaf), [&](GlobalVariable *variable) {
    return check(leaf, closure, *variable);
  });
}

//===----------------------------------------------------------------------===//
// Variables and functions
//===----------------------------------------------------------------------===//

Value *Privatizer::makeVariable(Function &leaf, GlobalVariable &variable) {
  Type *type = variable.getValueType();
  IRBuilder<> builder(&*leaf.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *alloca;
  {
    IRBuilderBase::InsertPointGuard guard(builder);
    builder.SetInsertPoint(leaf.getEntryBlock().begin());
    alloca = builder.CreateAlloca(type, nullptr, variable.getName());
  }
  const DataLayout &layout = code.getDataLayout();
  Align align = variable.getAlign().value_or(layout.getPrefTypeAlign(type));
  alloca->setAlignment(align);
  Constant *initial = variable.getInitializer();
  uint64_t size = layout.getTypeAllocSize(type);
  if (isa<UndefValue>(initial))
    return alloca;
  if (!type->isAggregateType()) {
    builder.CreateAlignedStore(initial, alloca, align);
  } else if (initial->isNullValue()) {
    builder.CreateMemSet(alloca, builder.getInt8(0), size, align);
  } else {
    auto *copy = new GlobalVariable(code, type, /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, initial,
                                    variable.getName() + ".initial");
    copy->setAlignment(align);
    builder.CreateMemCpy(alloca, align, copy, align, size);
  }
  return alloca;
}

/// Removes attributes about the memory that a function accesses: they are wrong
/// for the copy, which accesses variables through its new parameters.
static void forgetMemory(AttributeList &attributes, LLVMContext &context) {
  attributes = attributes.removeFnAttribute(context, Attribute::Memory);
}

/// A copy of the function with one more parameter for each variable.
Function *Privatizer::copyOf(Function &function) {
  Function *&copy = copies[&function];
  if (copy)
    return copy;
  const Variables &variables = uses.of(function);
  FunctionType *type = function.getFunctionType();
  SmallVector<Type *> parameters(type->params());
  parameters.append(variables.size(),
                    PointerType::getUnqual(code.getContext()));
  copy = Function::Create(
      FunctionType::get(type->getReturnType(), parameters, type->isVarArg()),
      GlobalValue::InternalLinkage, function.getName() + ".instance", code);
  ValueToValueMapTy map;
  for (auto [old, fresh] : zip(function.args(), copy->args())) {
    fresh.setName(old.getName());
    map[&old] = &fresh;
  }
  SmallVector<ReturnInst *> returns;
  CloneFunctionInto(copy, &function, map,
                    CloneFunctionChangeType::LocalChangesOnly, returns);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  copy->setComdat(nullptr);
  AttributeList attributes = copy->getAttributes();
  forgetMemory(attributes, code.getContext());
  copy->setAttributes(attributes);
  Addresses addresses;
  for (auto [number, variable] : enumerate(variables)) {
    Argument *address = copy->getArg(type->getNumParams() + number);
    address->setName(variable->getName());
    addresses[variable] = address;
  }
  Function *result = copy; // The map may move.
  rewrite(*result, addresses);
  return result;
}

/// Calls the copy of `callee` instead.
void Privatizer::passAddresses(CallBase &call, Function &callee,
                               const Addresses &addresses) {
  Function *copy = copyOf(callee);
  unsigned numFixed = callee.getFunctionType()->getNumParams();
  SmallVector<Value *> arguments(call.args());
  SmallVector<Value *> passed;
  for (const GlobalVariable *variable : uses.of(callee))
    passed.push_back(addresses.lookup(variable));
  arguments.insert(arguments.begin() + numFixed, passed.begin(), passed.end());
  SmallVector<OperandBundleDef> bundles;
  call.getOperandBundlesAsDefs(bundles);
  CallBase *fresh;
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    fresh = InvokeInst::Create(copy, invoke->getNormalDest(),
                               invoke->getUnwindDest(), arguments, bundles, "",
                               call.getIterator());
  } else {
    auto *plain =
        CallInst::Create(copy, arguments, bundles, "", call.getIterator());
    // No tail call: its arguments point to variables of the caller.
    plain->setTailCallKind(CallInst::TCK_None);
    fresh = plain;
  }
  // In a variadic call the arguments after the fixed ones have moved.
  AttributeList old = call.getAttributes();
  SmallVector<AttributeSet> ofArguments;
  for (unsigned i = 0; i != call.arg_size(); ++i)
    ofArguments.push_back(old.getParamAttrs(i));
  ofArguments.insert(ofArguments.begin() + numFixed, passed.size(), {});
  AttributeList attributes = AttributeList::get(
      code.getContext(), old.getFnAttrs(), old.getRetAttrs(), ofArguments);
  forgetMemory(attributes, code.getContext());
  fresh->setAttributes(attributes);
  fresh->setCallingConv(call.getCallingConv());
  fresh->setDebugLoc(call.getDebugLoc());
  fresh->takeName(&call);
  call.replaceAllUsesWith(fresh);
  call.eraseFromParent();
}

/// Replaces the thread's variables by those at `addresses`.
void Privatizer::rewrite(Function &function, const Addresses &addresses) {
  SmallVector<CallBase *> calls;
  SmallVector<IntrinsicInst *> queries;
  for (Instruction &instruction : instructions(function)) {
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
        intrinsic &&
        intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address) {
      queries.push_back(intrinsic);
    } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
      calls.push_back(call);
    }
  }
  // A copied call registers the same destructor as the original.
  for (CallBase *call : calls) {
    Function *callee = calledFunction(*call);
    if (callee && callee->getName() == "__cxa_thread_atexit")
      for (const ThreadLocalUses::Exit &exit : uses.getExits()) {
        auto *query = dyn_cast<IntrinsicInst>(call->getArgOperand(1));
        Value *object =
            query ? query->getArgOperand(0) : call->getArgOperand(1);
        if (call->getArgOperand(0)->stripPointerCastsAndAliases() ==
                exit.destructor &&
            (exit.object ? object == exit.object
                         : isa<ConstantPointerNull>(object))) {
          registerExit(*call, exit, addresses);
          callee = nullptr;
          break;
        }
      }
    if (callee && !uses.of(*callee).empty() && !callee->isDeclaration())
      passAddresses(*call, *callee, addresses);
  }
  for (IntrinsicInst *query : queries)
    if (Value *address = addresses.lookup(
            dyn_cast<GlobalVariable>(query->getArgOperand(0)))) {
      query->replaceAllUsesWith(address);
      query->eraseFromParent();
    }
  for (Instruction &instruction : instructions(function))
    for (Use &operand : instruction.operands())
      if (auto *variable = dyn_cast<GlobalVariable>(operand.get()))
        if (Value *address = addresses.lookup(variable))
          operand.set(address);
}

//===----------------------------------------------------------------------===//
// Destructors
//===----------------------------------------------------------------------===//

void Privatizer::registerExit(CallBase &call, const ThreadLocalUses::Exit &exit,
                              const Addresses &addresses) {
  IRBuilder<> builder(&call);
  Value *count = addresses.lookup(uses.getExitCount());
  Value *turn = builder.CreateAdd(
      builder.CreateLoad(builder.getInt32Ty(), count), builder.getInt32(1));
  builder.CreateStore(turn, count);
  builder.CreateStore(turn, addresses.lookup(exit.turn));
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    builder.CreateBr(invoke->getNormalDest());
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
  }
  call.replaceAllUsesWith(Constant::getNullValue(call.getType()));
  call.eraseFromParent();
}

CallInst *Privatizer::createDestruction(const ThreadLocalUses::Exit &exit,
                                        const Addresses &addresses,
                                        IRBuilder<> &builder) {
  SmallVector<Value *> arguments;
  if (exit.destructor->getFunctionType()->getNumParams())
    arguments.push_back(exit.object
                            ? addresses.lookup(exit.object)
                            : ConstantPointerNull::get(builder.getPtrTy()));
  return builder.CreateCall(exit.destructor, arguments);
}

/// Runs the registered destructors at each return, the last one first.
void Privatizer::destroyAtReturns(Function &leaf, const Addresses &addresses) {
  SmallVector<const ThreadLocalUses::Exit *> exits;
  for (const ThreadLocalUses::Exit &exit : uses.getExits())
    if (uses.of(leaf).contains(exit.turn))
      exits.push_back(&exit);
  if (exits.empty())
    return;
  SmallVector<ReturnInst *> returns;
  for (BasicBlock &block : leaf)
    if (auto *result = dyn_cast<ReturnInst>(block.getTerminator()))
      returns.push_back(result);
  DILocation *place = nullptr;
  if (DISubprogram *program = leaf.getSubprogram())
    place = DILocation::get(code.getContext(), program->getLine(), 0, program);
  for (ReturnInst *result : returns)
    for (unsigned turn = exits.size(); turn != 0; --turn)
      for (const ThreadLocalUses::Exit *exit : exits) {
        IRBuilder<> builder(result);
        builder.SetCurrentDebugLocation(place);
        Value *own = builder.CreateLoad(builder.getInt32Ty(),
                                        addresses.lookup(exit->turn));
        Instruction *end = SplitBlockAndInsertIfThen(
            builder.CreateICmpEQ(own, builder.getInt32(turn)), result,
            /*Unreachable=*/false);
        builder.SetInsertPoint(end);
        builder.SetCurrentDebugLocation(place);
        CallInst *call = createDestruction(*exit, addresses, builder);
        if (!uses.of(*exit->destructor).empty() &&
            !exit->destructor->isDeclaration())
          passAddresses(*call, *exit->destructor, addresses);
      }
}

//===----------------------------------------------------------------------===//
// errno
//===----------------------------------------------------------------------===//

/// `errno` belongs to the C library, so it is not replaced: each instance sets
/// it to 0 at its start, and restores its own value after a barrier.
void Privatizer::keepErrno(Function &leaf, const Closure &closure) {
  Function *location = code.getFunction("__errno_location");
  auto usesErrno = [](const Function *function) {
    return any_of(instructions(function), [](const Instruction &instruction) {
      return isErrnoAddress(instruction);
    });
  };
  if (!location || none_of(closure.functions, usesErrno))
    return;
  auto at = [&](IRBuilder<> &builder) { return builder.CreateCall(location); };
  for (Function *function : closure.functions) {
    if (!keepsErrno.insert(function).second)
      continue;
    SmallVector<Instruction *> barriers;
    for (Instruction &instruction : instructions(function))
      if (hpvmIntrinsicName(instruction) == "barrier")
        barriers.push_back(&instruction);
    for (Instruction *barrier : barriers) {
      IRBuilder<> builder(barrier);
      Value *own = builder.CreateLoad(builder.getInt32Ty(), at(builder));
      builder.SetInsertPoint(barrier->getNextNode());
      builder.SetCurrentDebugLocation(barrier->getDebugLoc());
      builder.CreateStore(own, at(builder));
    }
  }
  IRBuilder<> builder(&*leaf.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *program = leaf.getSubprogram())
    builder.SetCurrentDebugLocation(
        DILocation::get(code.getContext(), program->getLine(), 0, program));
  builder.CreateStore(builder.getInt32(0), at(builder));
}

//===----------------------------------------------------------------------===//
// A leaf
//===----------------------------------------------------------------------===//

void Privatizer::run() {
  SmallVector<Function *> good;
  for (Function *leaf : leaves) {
    if (leaf->isDeclaration())
      continue;
    Closure closure = uses.closureOf(*leaf, leaves);
    keepErrno(*leaf, closure);
    if (!uses.of(*leaf).empty() && check(*leaf, closure))
      good.push_back(leaf);
  }
  for (Function *leaf : good)
    privatize(*leaf);
}

void Privatizer::privatize(Function &leaf) {
  Addresses addresses;
  for (GlobalVariable *variable : uses.of(leaf))
    addresses[variable] = makeVariable(leaf, *variable);
  rewrite(leaf, addresses);
  destroyAtReturns(leaf, addresses);
}

std::vector<ThreadLocalFinding>
transforms::privatizeThreadLocals(Module &code, ArrayRef<Function *> leaves,
                                  StringRef kind) {
  lowerCallOnce(code);
  Privatizer privatizer(code, leaves, kind);
  privatizer.run();
  return std::move(privatizer.findings);
}
