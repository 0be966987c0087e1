//===- LowerHetero.cpp - Hetero-C++ to canonical HPVM IR ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function that is launched becomes a graph beside the function itself,
// which stays as ordinary code: the marks in it mean nothing when it is
// called. Launches pack their arguments as HPVM-C programs do by hand.
//
//===----------------------------------------------------------------------===//

#include "LowerHetero.h"
#include "../HPVM/Import/ImportIntrinsics.h"
#include "../HPVM/Import/ImportProgram.h"
#include "HeteroLowering.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafAtomics.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

/// Marks modules that need the runtime started for them.
static constexpr StringLiteral startMark = "sluice.hetero";

/// The functions that are ordinary ones of the runtime.
static constexpr StringLiteral memoryFunctions[] = {
    "__hetero_malloc", "__hetero_free", "__hetero_copy_mem",
    "__hetero_request_mem"};

std::string HeteroLowering::graphSymbol(const Twine &function) {
  // A suffix that demanglers pass over.
  return (function + ".graph").str();
}

SmallVector<CallInst *> HeteroLowering::callsOf(HeteroFunction kind) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (calledHetero(instruction) == kind)
        calls.push_back(cast<CallInst>(&instruction));
  return calls;
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

bool HeteroLowering::addParameters(HeteroGraph &graph, Function &function,
                                   const HeteroCall &launch) {
  bool isGood = true;
  for (auto [index, parameter] : enumerate(launch.parameters)) {
    bool isSize = index != 0 && graph.ports.back().type->isPointerTy();
    if (parameter.type->isPointerTy() &&
        (index + 1 == launch.parameters.size() ||
         !launch.parameters[index + 1].type->isIntegerTy())) {
      context.diagnostics.error(parameter.place,
                                "parameter '" + parameter.name +
                                    "' of root function '" + launch.rootName +
                                    "' is a pointer and must be followed by "
                                    "its size in bytes",
                                "hetero-launch");
      isGood = false;
    }
    graph.ports.push_back({.type = isSize
                                       ? Type::getInt64Ty(module.getContext())
                                       : parameter.type,
                           .name = parameter.name,
                           .isRestrict = parameter.isRestrict});
  }
  // The variables that hold them.
  for (Instruction &instruction : instructions(function))
    for (DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange())) {
      unsigned number = record.getVariable()->getArg();
      auto *variable = dyn_cast_or_null<AllocaInst>(
          record.getNumVariableLocationOps() ? record.getVariableLocationOp(0)
                                             : nullptr);
      if (!record.isDbgDeclare() || number == 0 || !variable ||
          number > graph.ports.size() || record.getDebugLoc()->getInlinedAt())
        continue;
      const Expr *input =
          context.expressions.input(number - 1, graph.ports[number - 1].type);
      Type *type = launch.parameters[number - 1].type;
      graph.variables[variable] =
          input->type->isIntegerTy() && type->isIntegerTy()
              ? context.expressions.cast(input, type, /*isSigned=*/false)
              : input;
    }
  return isGood;
}

/// False if there was an error.
bool HeteroLowering::buildRoot(Function &function, const HeteroCall &launch) {
  if (!hasRegions(function)) {
    context.diagnostics
        .error(placeOf(function),
               "root function '" + launch.rootName +
                   "' has no section, so it describes no graph; put its "
                   "code between '__hetero_section_begin' and "
                   "'__hetero_section_end'",
               "hetero-launch")
        .note(launch.place, "it is launched here");
    return false;
  }
  HeteroGraph graph;
  graph.name = launch.rootName;
  graph.symbol = graphSymbol(function.getName());
  graph.place = placeOf(function);
  graph.subprogram = function.getSubprogram();
  graph.linkage = function.hasAvailableExternallyLinkage()
                      ? GlobalValue::LinkOnceODRLinkage
                      : function.getLinkage();
  CodeRegion whole;
  whole.entry = &function.getEntryBlock();
  for (BasicBlock &block : function)
    whole.blocks.insert(&block);
  unsigned errors = context.diagnostics.errorCount();
  if (!addParameters(graph, function, launch) ||
      !walkGraph(graph, whole, context) ||
      context.diagnostics.errorCount() != errors)
    return false;
  if (graph.nodes.empty()) {
    context.diagnostics.error(placeOf(function),
                              "the sections of root function '" +
                                  launch.rootName +
                                  "' have no nodes; put their code into tasks",
                              "hetero-launch");
    return false;
  }
  emitGraph(graph, {}, 0, context);
  return true;
}

//===----------------------------------------------------------------------===//
// Launches of functions
//===----------------------------------------------------------------------===//

Value *HeteroLowering::emitLaunch(IRBuilder<> &builder, Function &root,
                                  ArrayRef<Value *> arguments) {
  CallInst *launch = hetero::emitLaunch(builder, root, arguments);
  // The program declares memory only with its launches.
  launch->addFnAttr(
      Attribute::get(module.getContext(), orderedLaunchAttribute));
  return launch;
}

/// Stands for the handle of a launch with an error, so that it is no further
/// error to wait for it.
static Value *unknownHandle(CallInst &launch) {
  return IRBuilder<>(&launch).CreateCall(
      launch.getModule()->getOrInsertFunction(
          "hetero.unknown", FunctionType::get(launch.getType(), false)));
}

void HeteroLowering::lowerLaunch(CallInst &call) {
  const HeteroCall *record = heteroRecordOf(call, context.unit);
  if (!record || record->root.empty() ||
      call.arg_size() != record->parameters.size() + 1) {
    call.replaceAllUsesWith(unknownHandle(call));
    return;
  }
  IRBuilder<> builder(&call);
  SmallVector<Value *> arguments;
  SmallVector<Type *> types;
  for (auto [index, parameter] : enumerate(record->parameters)) {
    Value *value =
        builder.CreateAlignedLoad(parameter.type, call.getArgOperand(1 + index),
                                  parameter.alignment, parameter.name);
    bool isSize =
        index != 0 && record->parameters[index - 1].type->isPointerTy();
    if (isSize && value->getType()->isIntegerTy())
      value = builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
    arguments.push_back(value);
    types.push_back(value->getType());
  }
  std::string symbol = graphSymbol(record->root);
  Function *root = module.getFunction(symbol);
  if (!root)
    root = Function::Create(
        FunctionType::get(StructType::get(module.getContext()), types, false),
        GlobalValue::ExternalLinkage, symbol, &module);
  call.replaceAllUsesWith(emitLaunch(builder, *root, arguments));
}

//===----------------------------------------------------------------------===//
// Ordinary code
//===----------------------------------------------------------------------===//

static bool isRuntimeName(StringRef name) {
  return is_contained(memoryFunctions, name);
}

void HeteroLowering::removeMarks() {
  SmallVector<Instruction *> marks;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (calledHetero(instruction) != HeteroFunction::None)
        marks.push_back(&instruction);
  for (Instruction *mark : marks) {
    if (!mark->use_empty())
      mark->replaceAllUsesWith(Constant::getNullValue(mark->getType()));
    mark->eraseFromParent();
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty() &&
        heteroFunctionOf(function.getName()) != HeteroFunction::None)
      function.eraseFromParent();
}

/// Lowers the calls of nodes in code that also runs when its function is called
/// directly: atomic operations stay atomic, and statements for the race check
/// are removed. A scan is an error, because plain code would not perform it.
static void lowerCallsOfNodes(Function &function, Diagnostics &diagnostics) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (StringRef name = calledHPVM(*call);
          name.starts_with("atomic_") || name.starts_with("assume_") ||
          name.starts_with("reduce_") || name.starts_with("scan_") ||
          name == "temporary")
        calls.push_back(call);
  for (CallBase *call : calls) {
    StringRef name = calledHPVM(*call);
    std::string spelled = "llvm.hpvm." + name.str();
    std::replace(spelled.begin(), spelled.end(), '_', '.');
    const hpvm::HPVMIntrinsic *intrinsic = hpvm::lookUpIntrinsic(spelled);
    // Wrong declarations are reported where all calls of HPVM are.
    if (!intrinsic || !hpvm::hasSignature(*intrinsic, call->getFunctionType()))
      continue;
    if (auto *invoke = dyn_cast<InvokeInst>(call))
      call = changeToCall(invoke);
    if (name.starts_with("scan_"))
      diagnostics.error(placeOf(*call),
                        "'sluice_scan' is for leaves of HPVM-C: called as "
                        "plain code, nothing would scan behind the loop; "
                        "write this node in HPVM-C, or a loop that adds up",
                        "reduce");
    if (name.consume_front("atomic_")) {
      IRBuilder<> builder(call);
      SmallVector<Value *> arguments(call->args());
      Value *value = emitAtomic(builder, name.split('_').first, arguments,
                                call->getType());
      call->replaceAllUsesWith(value);
    }
    call->eraseFromParent();
  }
}

/// A program with launches or memory of Hetero-C++ needs the runtime.
void HeteroLowering::markStart() {
  bool needsRuntime = any_of(module, [](const Function &function) {
    return isRuntimeName(function.getName()) ||
           function.getName() == "llvm.hpvm.launch";
  });
  if (needsRuntime)
    needRuntime(module);
}

static void turnInvokesIntoCalls(Module &module) {
  SmallVector<InvokeInst *> invokes;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *invoke = dyn_cast<InvokeInst>(&instruction))
        if (calledHetero(*invoke) != HeteroFunction::None)
          invokes.push_back(invoke);
  for (InvokeInst *invoke : invokes)
    changeToCall(invoke);
}

void HeteroLowering::run() {
  bool isUsed = any_of(module, [](const Function &function) {
    return heteroFunctionOf(function.getName()) != HeteroFunction::None ||
           isRuntimeName(function.getName());
  });
  if (!isUsed && context.unit.heteroCalls.empty())
    return;
  turnInvokesIntoCalls(module);
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (!function.isDeclaration() && hasRegions(function))
      functions.push_back(&function);
  StringSet<> roots, built;
  for (const HeteroCall &call : context.unit.heteroCalls)
    if (!call.root.empty())
      roots.insert(call.root);
  for (Function *function : functions)
    prepareRegions(*function, roots.contains(function->getName()));
  for (const HeteroCall &call : context.unit.heteroCalls) {
    if (Function *adapter = module.getFunction(call.adapter))
      adapter->eraseFromParent();
    Function *function = module.getFunction(call.root);
    if (!call.root.empty() && function && !function->isDeclaration() &&
        built.insert(call.root).second && !buildRoot(*function, call))
      failed.insert(graphSymbol(call.root));
  }
  for (CallInst *begin : callsOf(HeteroFunction::LaunchBegin))
    buildLaunchRegion(*begin);
  for (CallInst *call : callsOf(HeteroFunction::Launch))
    lowerLaunch(*call);
  for (CallInst *call : callsOf(HeteroFunction::Wait)) {
    IRBuilder<> builder(call);
    emitWait(builder, call->getArgOperand(0));
  }
  removeMarks();
  for (Function *function : functions)
    lowerCallsOfNodes(*function, context.diagnostics);
  markStart();
}

void HeteroLowering::runSequentially() {
  turnInvokesIntoCalls(module);
  for (CallInst *call : callsOf(HeteroFunction::Launch)) {
    const HeteroCall *record = heteroRecordOf(*call, context.unit);
    Function *adapter = record ? module.getFunction(record->adapter) : nullptr;
    if (!adapter)
      continue;
    adapter->setLinkage(GlobalValue::InternalLinkage);
    IRBuilder<> builder(call);
    builder.CreateCall(adapter, SmallVector<Value *>(drop_begin(call->args())));
  }
  removeMarks();
  for (Function &function : module)
    lowerCallsOfNodes(function, context.diagnostics);
  static constexpr StringLiteral plain[] = {"malloc", "free", "memcpy", ""};
  for (auto [name, replacement] : zip(memoryFunctions, plain)) {
    Function *function = module.getFunction(name);
    if (!function)
      continue;
    if (!replacement.empty()) {
      // memcpy also returns its target, which is unused here.
      function->replaceAllUsesWith(
          module.getOrInsertFunction(replacement, function->getFunctionType())
              .getCallee());
    } else {
      SmallVector<User *> users(function->users());
      for (User *user : users)
        if (auto *call = dyn_cast<CallInst>(user))
          call->eraseFromParent();
    }
  }
}

/// Removes the launches of graphs that could not be built: no more is to be
/// said about them.
static void dropLaunches(Module &module, const StringSet<> &failed) {
  for (const auto &entry : failed) {
    Function *root = module.getFunction(entry.getKey());
    if (!root || !root->isDeclaration())
      continue;
    for (User *user : make_early_inc_range(root->users()))
      if (auto *launch = dyn_cast<CallInst>(user)) {
        launch->replaceAllUsesWith(unknownHandle(*launch));
        launch->eraseFromParent();
      }
  }
}

void sluice::lowerHetero(std::vector<CompiledUnit> &units,
                         Diagnostics &diagnostics) {
  // A root may be defined in another file than it is launched in.
  StringMap<HeteroCall> roots;
  for (CompiledUnit &unit : units)
    for (const HeteroCall &call : unit.heteroCalls)
      if (!call.root.empty())
        roots.try_emplace(call.root, call);
  StringSet<> failed;
  for (CompiledUnit &unit : units) {
    if (unit.isSequential) {
      HeteroLowering(unit, diagnostics, failed).runSequentially();
      continue;
    }
    for (const auto &entry : roots) {
      bool isKnown = any_of(unit.heteroCalls, [&](const HeteroCall &call) {
        return call.root == entry.getKey();
      });
      Function *function = unit.module->getFunction(entry.getKey());
      if (!isKnown && function && !function->isDeclaration() &&
          !function->hasLocalLinkage())
        unit.heteroCalls.push_back(entry.getValue());
    }
    HeteroLowering(unit, diagnostics, failed).run();
  }
  for (CompiledUnit &unit : units)
    dropLaunches(*unit.module, failed);
}

void sluice::needRuntime(Module &module) {
  module.getOrInsertNamedMetadata(startMark);
}

/// Before and after the program's own constructors and destructors.
static constexpr int startPriority = 101;

/// The runtime lives from the first unit's start to the last one's end.
static void startUnit(Module &module) {
  IRBuilder<> builder(module.getContext());
  auto *type = FunctionType::get(builder.getVoidTy(), false);
  auto declare = [&](StringRef name) {
    return cast<Function>(module.getOrInsertFunction(name, type).getCallee());
  };
  appendToGlobalCtors(module, declare("sluiceStartUnit"), startPriority);
  appendToGlobalDtors(module, declare("sluiceEndUnit"), startPriority);
}

void sluice::startHeteroPrograms(Module &module, bool isUnit) {
  NamedMDNode *mark = module.getNamedMetadata(startMark);
  if (!mark)
    return;
  mark->eraseFromParent();
  if (module.getFunction("llvm.hpvm.init"))
    return;
  if (isUnit)
    return startUnit(module);
  IRBuilder<> builder(module.getContext());
  auto *type = FunctionType::get(builder.getVoidTy(), false);
  auto add = [&](StringRef name, StringRef intrinsic) {
    Function *function =
        Function::Create(type, GlobalValue::InternalLinkage, name, &module);
    builder.SetInsertPoint(
        BasicBlock::Create(module.getContext(), "entry", function));
    builder.CreateCall(module.getOrInsertFunction(intrinsic, type));
    builder.CreateRetVoid();
    return function;
  };
  // A process may end in a node or while other threads are in a loop, or be a
  // copy without the runtime's threads.
  auto guard = [&](Function *function) {
    BasicBlock *body = &function->getEntryBlock();
    BasicBlock *entry =
        BasicBlock::Create(module.getContext(), "ask", function, body);
    BasicBlock *end = BasicBlock::Create(module.getContext(), "end", function);
    builder.SetInsertPoint(end);
    builder.CreateRetVoid();
    builder.SetInsertPoint(entry);
    Value *isEnded = builder.CreateCall(
        module.getOrInsertFunction("sluiceEndsTeams", builder.getInt32Ty()));
    builder.CreateCondBr(builder.CreateIsNotNull(isEnded), body, end);
    return function;
  };
  appendToGlobalCtors(module, add("hetero.start", "llvm.hpvm.init"),
                      startPriority);
  appendToGlobalDtors(module, guard(add("hetero.end", "llvm.hpvm.cleanup")),
                      startPriority);
}
