//===- HostCalls.cpp - Host intrinsics become runtime calls ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the last HPVM calls in host code: launches, waits and the tracker's
// calls. This file knows which plan a launch refers to, and the layout of its
// arguments.
//
//===----------------------------------------------------------------------===//

#include "Tables/ConstantTables.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/CodeGen/CodeGen.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// Rewrites the host calls of one module.
class HostCalls {
public:
  HostCalls(Module &module, const DenseMap<Function *, GlobalVariable *> &plans)
      : module(module), tables(module), plans(plans),
        ptr(PointerType::get(module.getContext(), 0)),
        i32(Type::getInt32Ty(module.getContext())),
        none(Type::getVoidTy(module.getContext())) {}

  void lower(CallBase &call, StringRef name);

private:
  void replace(CallBase &call, StringRef callee, Type *result,
               ArrayRef<Value *> arguments);
  void lowerLaunch(CallBase &call);
  Constant *layoutOf(CallBase &call);

  Module &module;
  Tables tables;
  const DenseMap<Function *, GlobalVariable *> &plans;
  Type *ptr, *i32, *none;
};
} // namespace

void HostCalls::replace(CallBase &call, StringRef callee, Type *result,
                        ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee function = module.getOrInsertFunction(
      callee, FunctionType::get(result, types, /*isVarArg=*/false));
  IRBuilder<> b(&call);
  CallInst *replacement = b.CreateCall(function, arguments);
  replacement->setDebugLoc(call.getDebugLoc());
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(replacement);
  if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
    // The runtime does not throw.
    b.CreateBr(invoke->getNormalDest());
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
  }
  call.eraseFromParent();
}

/// The attribute of a launch or push that describes its argument structure: "24
/// 0,8 16" are the size, the offsets of the arguments and the offsets of the
/// results. Unlike metadata, an attribute stays on a call that LLVM copies, and
/// LLVM does not merge two calls with different attributes.
static constexpr StringLiteral layoutAttribute = "sluice.layout";

void codegen::setHostLayout(CallBase &call, const HostLayout &layout) {
  std::string text;
  raw_string_ostream os(text);
  os << layout.size << ' ';
  interleave(layout.argumentOffsets, os, ",");
  os << ' ';
  interleave(layout.resultOffsets, os, ",");
  call.addFnAttr(Attribute::get(call.getContext(), layoutAttribute, text));
}

static std::vector<int64_t> numbersIn(StringRef text) {
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    auto [number, rest] = text.split(',');
    number.getAsInteger(10, numbers.emplace_back());
    text = rest;
  }
  return numbers;
}

Constant *HostCalls::layoutOf(CallBase &call) {
  if (!call.hasFnAttr(layoutAttribute))
    return tables.null();
  SmallVector<StringRef, 3> parts;
  call.getFnAttr(layoutAttribute).getValueAsString().split(parts, ' ');
  assert(parts.size() == 3 && "written by setHostLayout");
  return tables.place(
      tables.structure(
          SluiceLayout{.head = tables.head<SluiceLayout>(),
                       .size = uint64_t(numbersIn(parts[0])[0]),
                       .argumentOffsets = tables.numbers(numbersIn(parts[1])),
                       .resultOffsets = tables.numbers(numbersIn(parts[2]))}),
      "sluice.layout");
}

void HostCalls::lowerLaunch(CallBase &call) {
  IRBuilder<> b(&call);
  Value *isStream = b.CreateZExtOrTrunc(call.getArgOperand(2), i32);
  Value *root = call.getArgOperand(0);
  auto *function = dyn_cast<Function>(root->stripPointerCasts());
  auto plan = plans.find(function);
  if (call.hasFnAttr(orderedLaunchAttribute)) {
    bool isKnown = plan != plans.end();
    return replace(
        call, isKnown ? "sluiceLaunchOrdered" : "sluiceLaunchRootOrdered", ptr,
        {isKnown ? plan->second : root, call.getArgOperand(1), layoutOf(call)});
  }
  if (plan != plans.end())
    return replace(
        call, "sluiceLaunch", ptr,
        {plan->second, call.getArgOperand(1), layoutOf(call), isStream});
  replace(call, "sluiceLaunchRoot", ptr,
          {root, call.getArgOperand(1), layoutOf(call), isStream});
}

/// The variable that contains an address, or the address itself.
static const Value *variableOf(const Value *address) {
  const auto *load = dyn_cast<LoadInst>(address->stripPointerCasts());
  return load && isa<AllocaInst, GlobalVariable>(load->getPointerOperand())
             ? load->getPointerOperand()
             : address->stripPointerCasts();
}

static bool isUntrackCall(StringRef name) {
  return name == "sluiceUntrackMemory" || name == "llvm_hpvm_untrack_mem";
}

/// Whether the program frees the memory that a call untracks before anything
/// else may read it. No store happens in between.
static bool isFreedNext(const CallBase &untrack) {
  const Value *memory = variableOf(untrack.getArgOperand(0));
  const Instruction *inst = &untrack;
  for (unsigned numSteps = 0; numSteps != 256; ++numSteps) {
    inst = inst->isTerminator() ? &inst->getSuccessor(0)->front()
                                : inst->getNextNode();
    if (const auto *call = dyn_cast<CallBase>(inst)) {
      const Function *callee = call->getCalledFunction();
      const StringRef name =
          callee && callee->isDeclaration() ? callee->getName() : "";
      if (name == "free" && variableOf(call->getArgOperand(0)) == memory)
        return true;
      const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      if (isa<InvokeInst>(call) ||
          (name != "free" && !isUntrackCall(name) &&
           name != "sluiceDropMemory" && name != "sluiceCleanup" &&
           !(intrinsic && intrinsic->isAssumeLikeIntrinsic())))
        return false;
    } else if (inst->isTerminator()
                   ? inst->getNumSuccessors() != 1
                   : inst->mayReadOrWriteMemory() && variableOf(inst) == inst) {
      return false;
    }
  }
  return false;
}

void HostCalls::lower(CallBase &call, StringRef name) {
  auto arg = [&](unsigned i) { return call.getArgOperand(i); };
  if (name == "init")
    replace(call, "sluiceInit", none, {});
  else if (name == "cleanup")
    replace(call, "sluiceCleanup", none, {});
  else if (name == "launch")
    lowerLaunch(call);
  else if (name == "wait")
    replace(call, "sluiceWait", none, {arg(0)});
  else if (name == "push")
    replace(call, "sluicePush", none, {arg(0), arg(1), layoutOf(call)});
  else if (name == "pop")
    replace(call, "sluicePop", ptr, {arg(0)});
  else if (name == "trackMemory")
    replace(call, "sluiceTrackMemory", none, {arg(0), arg(1)});
  else if (name == "untrackMemory")
    replace(call, "sluiceUntrackMemory", none, {arg(0)});
  else if (name == "requestMemory")
    replace(call, "sluiceRequestMemory", ptr, {arg(0), arg(1)});
}

/// Memory that is freed immediately need not be copied back before. C and C++
/// programs call the runtime by the tracker's own names.
static void dropFreedMemory(Module &module) {
  for (Function &callee : module) {
    if (!isUntrackCall(callee.getName()) || callee.arg_size() != 1)
      continue;
    for (User *user : make_early_inc_range(callee.users()))
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledFunction() == &callee && isFreedNext(*call))
        call->setCalledFunction(module.getOrInsertFunction(
            "sluiceDropMemory", callee.getFunctionType()));
  }
}

Error codegen::lowerHostCalls(
    Module &module, const DenseMap<Function *, GlobalVariable *> &plans) {
  SmallVector<std::pair<CallBase *, std::string>> calls;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (StringRef name = hpvmIntrinsicName(inst); !name.empty())
        calls.push_back({cast<CallBase>(&inst), name.str()});
  HostCalls lowering(module, plans);
  for (auto &[call, name] : calls)
    lowering.lower(*call, name);
  dropFreedMemory(module);
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with("llvm.hpvm."))
      continue;
    if (!function.use_empty())
      return createStringError("a use of '" + function.getName() +
                               "' is left after lowering");
    function.eraseFromParent();
  }
  return Error::success();
}

void codegen::serveRanks(Module &module) {
  Function *main = module.getFunction("main");
  if (!main || main->isDeclaration())
    return;
  // Programs that call MPI themselves, and programs in which all ranks run
  // `main`.
  for (StringRef name :
       {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "PMPI_Init",
        "PMPI_Init_thread", "PMPI_Session_init", "mpi_init_",
        "mpi_init_thread_", "sluiceTaskMain", "sluiceRunRegions"})
    if (module.getFunction(name))
      return;
  BasicBlock &entry = main->getEntryBlock();
  IRBuilder<> b(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  b.CreateCall(module.getOrInsertFunction("sluiceServe", b.getVoidTy()));
}

void codegen::dropNodeFunctions(Module &module,
                                ArrayRef<Function *> functions) {
  SmallVector<NamedMDNode *> hints;
  for (NamedMDNode &node : module.named_metadata())
    if (node.getName().starts_with("hpvm_hint"))
      hints.push_back(&node);
  for (NamedMDNode *node : hints)
    module.eraseNamedMetadata(node);
  for (Function *function : functions)
    function->deleteBody();
  for (Function *function : functions) {
    function->removeDeadConstantUsers();
    if (function->use_empty()) {
      function->eraseFromParent();
      continue;
    }
    function->setLinkage(GlobalValue::InternalLinkage);
    function->setComdat(nullptr);
    function->setSubprogram(nullptr);
    // Only the function's address is still used, to identify the graph. A body
    // without code would share the address, and the unwinder's table entries,
    // with the next function.
    IRBuilder<> b(BasicBlock::Create(module.getContext(), "entry", function));
    b.CreateIntrinsic(Intrinsic::trap, {});
    b.CreateUnreachable();
  }
}

/// Mutable globals that `function` refers to, directly or through constants.
static void collectGlobals(const Function &function,
                           SmallPtrSetImpl<GlobalVariable *> &globals,
                           SmallPtrSetImpl<const Function *> &seen) {
  if (!seen.insert(&function).second)
    return;
  SmallVector<const Value *> work;
  SmallPtrSet<const Value *, 16> visited;
  for (const Instruction &inst : instructions(function))
    for (const Use &operand : inst.operands())
      work.push_back(operand.get());
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (!isa<Constant>(value) || !visited.insert(value).second)
      continue;
    if (auto *callee = dyn_cast<Function>(value))
      collectGlobals(*callee, globals, seen);
    else if (auto *global = dyn_cast<GlobalVariable>(value)) {
      if (!global->isConstant())
        globals.insert(const_cast<GlobalVariable *>(global));
      if (global->hasInitializer())
        work.push_back(global->getInitializer());
    } else
      for (const Use &operand : cast<User>(value)->operands())
        work.push_back(operand.get());
  }
}

std::vector<std::string>
codegen::exportMutableGlobals(Module &module, ArrayRef<Function *> leaves) {
  SmallPtrSet<GlobalVariable *, 16> globals;
  SmallPtrSet<const Function *, 16> seen;
  for (Function *leaf : leaves)
    collectGlobals(*leaf, globals, seen);
  std::vector<std::string> names;
  for (GlobalVariable &global : module.globals()) {
    if (!globals.contains(&global))
      continue;
    if (global.hasLocalLinkage()) {
      std::string file = module.getModuleIdentifier();
      global.setName("sluice.global." + Twine::utohexstr(hash_value(file)) +
                     "." + global.getName());
      global.setLinkage(GlobalValue::ExternalLinkage);
    }
    global.setVisibility(GlobalValue::DefaultVisibility);
    global.setDSOLocal(false);
    names.push_back(global.getName().str());
  }
  return names;
}
