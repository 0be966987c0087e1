//===- LowerHetero.cpp - Hetero-C++ to canonical HPVM IR ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function that is launched becomes a graph beside the function itself,
// which stays as ordinary code: the marks in it mean nothing when it is
// called. Launches pack their arguments as HPVM-C programs do by hand.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"
#include "ImportProgram.h"

#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/ADT/StringSet.h"
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

namespace {
/// A launch that stands around its graph.
struct LaunchRegion {
  Region region;
  std::unique_ptr<Graph> graph;
  /// A value for every port, at the launch.
  SmallVector<Value *> arguments;
};

class HeteroLowering {
public:
  HeteroLowering(CompiledUnit &unit, Diagnostics &diagnostics)
      : module(*unit.module), context{unit, diagnostics} {}

  void run();
  void runSequentially();

private:
  void buildRoot(Function &function, const HeteroCall &launch);
  bool addParameters(Graph &graph, Function &function,
                     const HeteroCall &launch);
  void buildLaunchRegion(CallInst &begin);
  bool addItems(LaunchRegion &launch, const HeteroCall &record);
  void addRegionPort(LaunchRegion &launch, Value *variable,
                     const HeteroItem &item, const HeteroItem *size);
  void checkLeavings(const LaunchRegion &launch);
  void replaceRegion(LaunchRegion &launch);
  void lowerLaunch(CallInst &call);
  Value *emitLaunch(IRBuilder<> &builder, Function &root,
                    ArrayRef<Value *> arguments);
  void emitWait(IRBuilder<> &builder, Value *handle);
  void dropWaits(CallInst &begin);
  void removeMarks();
  void markStart();
  SmallVector<CallInst *> callsOf(HeteroFunction kind);

  Module &module;
  Context context;
};
} // namespace

/// The functions that are ordinary ones of the runtime.
static constexpr StringLiteral memoryFunctions[] = {
    "__hetero_malloc", "__hetero_free", "__hetero_copy_mem",
    "__hetero_request_mem"};

static std::string graphSymbol(const Twine &function) {
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

bool HeteroLowering::addParameters(Graph &graph, Function &function,
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

void HeteroLowering::buildRoot(Function &function, const HeteroCall &launch) {
  if (!hasRegions(function)) {
    context.diagnostics
        .error(placeOf(function),
               "root function '" + launch.rootName +
                   "' has no section, so it describes no graph; put its "
                   "code between '__hetero_section_begin' and "
                   "'__hetero_section_end'",
               "hetero-launch")
        .note(launch.place, "it is launched here");
    return;
  }
  Graph graph;
  graph.name = launch.rootName;
  graph.symbol = graphSymbol(function.getName());
  graph.place = placeOf(function);
  graph.subprogram = function.getSubprogram();
  graph.linkage = function.hasAvailableExternallyLinkage()
                      ? GlobalValue::LinkOnceODRLinkage
                      : function.getLinkage();
  Region whole;
  whole.entry = &function.getEntryBlock();
  for (BasicBlock &block : function)
    whole.blocks.insert(&block);
  unsigned errors = context.diagnostics.errorCount();
  if (!addParameters(graph, function, launch) ||
      !walkGraph(graph, whole, context) ||
      context.diagnostics.errorCount() != errors)
    return;
  if (graph.nodes.empty()) {
    context.diagnostics.error(placeOf(function),
                              "the sections of root function '" +
                                  launch.rootName +
                                  "' have no nodes; put their code into tasks",
                              "hetero-launch");
    return;
  }
  emitGraph(graph, {}, 0, context);
}

//===----------------------------------------------------------------------===//
// Launches of functions
//===----------------------------------------------------------------------===//

Value *HeteroLowering::emitLaunch(IRBuilder<> &builder, Function &root,
                                  ArrayRef<Value *> arguments) {
  Function &host = *builder.GetInsertBlock()->getParent();
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  auto *type = StructType::get(module.getContext(), types, /*isPacked=*/true);
  IRBuilder<> entry(&host.getEntryBlock(), host.getEntryBlock().begin());
  AllocaInst *memory = entry.CreateAlloca(type, nullptr, "hetero.arguments");
  for (auto [index, argument] : enumerate(arguments))
    builder.CreateAlignedStore(
        argument, builder.CreateStructGEP(type, memory, index), Align(1));
  Type *pointer = builder.getPtrTy();
  CallInst *launch = builder.CreateCall(
      module.getOrInsertFunction("llvm.hpvm.launch", pointer, pointer, pointer,
                                 builder.getInt1Ty()),
      {&root, memory, builder.getFalse()});
  // The program says which memory it uses with its launches only.
  launch->addFnAttr(
      Attribute::get(module.getContext(), orderedLaunchAttribute));
  return launch;
}

void HeteroLowering::emitWait(IRBuilder<> &builder, Value *handle) {
  builder.CreateCall(module.getOrInsertFunction("llvm.hpvm.wait",
                                                builder.getVoidTy(),
                                                builder.getPtrTy()),
                     {handle});
}

void HeteroLowering::lowerLaunch(CallInst &call) {
  const HeteroCall *record = heteroRecordOf(call, context.unit);
  if (!record || record->root.empty() ||
      call.arg_size() != record->parameters.size() + 1) {
    call.replaceAllUsesWith(Constant::getNullValue(call.getType()));
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
// Launches of regions
//===----------------------------------------------------------------------===//

/// Adds what one item makes, unless an earlier one did.
void HeteroLowering::addRegionPort(LaunchRegion &launch, Value *variable,
                                   const HeteroItem &item,
                                   const HeteroItem *size) {
  Graph &graph = *launch.graph;
  CallInst &begin = *launch.region.begin;
  IRBuilder<> builder(&begin);
  Type *i64 = builder.getInt64Ty();
  bool isPointer = item.variable.type->isPointerTy() && !item.isMemory;
  if (graph.variables.contains(variable) || graph.memory.contains(variable))
    return;
  unsigned index = graph.ports.size();
  // A scalar that leaves the graph is memory of the host.
  bool isMemory = !isPointer && (item.isMemory || item.isOutput);
  if (!isPointer && !isMemory) {
    graph.ports.push_back(
        {.type = item.variable.type, .name = item.variable.name});
    launch.arguments.push_back(builder.CreateAlignedLoad(
        item.variable.type, variable, item.variable.alignment));
    graph.variables[variable] =
        context.expressions.input(index, item.variable.type);
    return;
  }
  graph.ports.push_back(
      {.type = builder.getPtrTy(), .name = item.variable.name});
  graph.ports.push_back({.type = i64, .name = item.variable.name + ".bytes"});
  launch.arguments.push_back(
      isPointer ? builder.CreateLoad(builder.getPtrTy(), variable) : variable);
  const Expr *pointer = context.expressions.input(index, builder.getPtrTy());
  (isPointer ? graph.variables : graph.memory)[variable] = pointer;
  if (!isPointer) {
    launch.arguments.push_back(builder.getInt64(
        module.getDataLayout().getTypeAllocSize(item.variable.type)));
    return;
  }
  if (!size) {
    launch.arguments.push_back(
        builder.CreateSExtOrTrunc(begin.getArgOperand(item.argument + 1), i64));
    return;
  }
  Value *sizeVariable = begin.getArgOperand(size->argument);
  launch.arguments.push_back(builder.CreateIntCast(
      builder.CreateLoad(size->variable.type, sizeVariable), i64,
      size->isSigned));
  if (!graph.variables.contains(sizeVariable))
    graph.variables[sizeVariable] =
        context.expressions.cast(context.expressions.input(index + 1, i64),
                                 size->variable.type, size->isSigned);
}

bool HeteroLowering::addItems(LaunchRegion &launch, const HeteroCall &record) {
  CallInst &begin = *launch.region.begin;
  // Outputs first: what is one is memory.
  for (bool outputs : {true, false})
    for (auto [index, item] : enumerate(record.items)) {
      if (item.isOutput != outputs || item.isSize)
        continue;
      Value *variable = begin.getArgOperand(item.argument);
      if (!isa<AllocaInst>(variable)) {
        context.error(begin,
                      "'" + item.variable.name +
                          "' is no variable of this function",
                      "hetero-list");
        return false;
      }
      const HeteroItem *size = nullptr;
      if (index + 1 < record.items.size() && record.items[index + 1].isSize &&
          record.items[index + 1].argument == item.argument + 1)
        size = &record.items[index + 1];
      addRegionPort(launch, variable, item, size);
    }
  // Sizes of what is not a pointer are variables like others.
  for (const HeteroItem &item : record.items)
    if (item.isSize)
      addRegionPort(launch, begin.getArgOperand(item.argument),
                    {.argument = item.argument, .variable = item.variable},
                    nullptr);
  return true;
}

/// A variable that is no output keeps its value for the host.
void HeteroLowering::checkLeavings(const LaunchRegion &launch) {
  for (auto [variable, held] : launch.graph->variables) {
    if (held->kind == Expr::Kind::Input ||
        (held->kind == Expr::Kind::Cast &&
         held->operands[0]->kind == Expr::Kind::Input) ||
        isDeclaredIn(*variable, launch.region))
      continue;
    for (User *user : variable->users()) {
      auto *load = dyn_cast<LoadInst>(user);
      if (!load || launch.region.blocks.contains(load->getParent()) ||
          load->getParent() == launch.region.begin->getParent())
        continue;
      context
          .error(*load,
                 "'" + nameOfVariable(*variable) +
                     "' may be read here after a launch region changed it, "
                     "which does not list it as an output; list it",
                 "hetero-list")
          .note(placeOf(*launch.region.begin), "the region begins here");
      break;
    }
  }
  // Variables of the region are the graph's: the host's are never set.
  for (Instruction &variable :
       launch.region.begin->getFunction()->getEntryBlock()) {
    if (!isa<AllocaInst>(variable) || !isDeclaredIn(variable, launch.region))
      continue;
    for (User *user : variable.users()) {
      auto *use = cast<Instruction>(user);
      if (use->isLifetimeStartOrEnd() ||
          launch.region.blocks.contains(use->getParent()))
        continue;
      context
          .error(*use,
                 "'" + nameOfVariable(variable) +
                     "' is declared in a launch region, but used behind it, "
                     "perhaps by its destructor; put braces around the code "
                     "of the region, or declare it before and list it",
                 "hetero-region")
          .note(placeOf(*launch.region.begin), "the region begins here");
      break;
    }
  }
}

void HeteroLowering::buildLaunchRegion(CallInst &begin) {
  const HeteroCall *record = heteroRecordOf(begin, context.unit);
  std::optional<Region> region = findRegion(begin, context);
  if (!record || !region)
    return;
  Function &host = *begin.getFunction();
  LaunchRegion launch{std::move(*region), std::make_unique<Graph>(), {}};
  Graph &graph = *launch.graph;
  graph.name = hpvm::displayName(host) + ".launch";
  graph.symbol = graphSymbol(host.getName() + ".launch");
  for (unsigned i = 1; module.getFunction(graph.symbol); ++i)
    graph.symbol = graphSymbol(host.getName() + ".launch" + Twine(i));
  graph.place = record->place;
  graph.subprogram = host.getSubprogram();
  unsigned errors = context.diagnostics.errorCount();
  if (!addItems(launch, *record) || !walkGraph(graph, launch.region, context) ||
      context.diagnostics.errorCount() != errors)
    return;
  if (graph.nodes.empty()) {
    context.error(begin,
                  "the sections of this launch region have no nodes; put "
                  "their code into tasks",
                  "hetero-launch");
    return;
  }
  checkLeavings(launch);
  emitGraph(graph, {}, 0, context);
  replaceRegion(launch);
}

/// The end of a launch region waits; a wait for its handle has nothing to do.
void HeteroLowering::dropWaits(CallInst &begin) {
  for (User *user : begin.users()) {
    auto *store = dyn_cast<StoreInst>(user);
    if (!store)
      continue;
    Value *handle = store->getPointerOperand();
    for (User *reader : handle->users()) {
      auto *load = dyn_cast<LoadInst>(reader);
      if (!load)
        continue;
      SmallVector<Instruction *> waits;
      for (User *last : load->users())
        if (calledHetero(*cast<Instruction>(last)) == HeteroFunction::Wait)
          waits.push_back(cast<Instruction>(last));
      for (Instruction *wait : waits)
        wait->eraseFromParent();
    }
  }
}

void HeteroLowering::replaceRegion(LaunchRegion &launch) {
  CallInst &begin = *launch.region.begin;
  Instruction *end = begin.getParent()->getTerminator();
  IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(begin.getDebugLoc());
  Function *root = module.getFunction(launch.graph->symbol);
  Value *handle = emitLaunch(builder, *root, launch.arguments);
  emitWait(builder, handle);
  builder.CreateBr(launch.region.exit);
  end->eraseFromParent();
  dropWaits(begin);
  removeUnreachableBlocks(*begin.getFunction());
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

/// A program with launches or memory of Hetero-C++ needs the runtime.
void HeteroLowering::markStart() {
  bool needsRuntime = any_of(module, [](const Function &function) {
    return isRuntimeName(function.getName()) ||
           function.getName() == "llvm.hpvm.launch";
  });
  if (needsRuntime)
    module.getOrInsertNamedMetadata(startMark);
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
        built.insert(call.root).second)
      buildRoot(*function, call);
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
  static constexpr StringLiteral plain[] = {"malloc", "free", "memcpy", ""};
  for (auto [name, replacement] : zip(memoryFunctions, plain)) {
    Function *function = module.getFunction(name);
    if (!function)
      continue;
    if (!replacement.empty()) {
      // memcpy also returns its target, which nobody looks at.
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

void sluice::lowerHetero(std::vector<CompiledUnit> &units,
                         Diagnostics &diagnostics) {
  // A root may be defined in another file than it is launched in.
  StringMap<HeteroCall> roots;
  for (CompiledUnit &unit : units)
    for (const HeteroCall &call : unit.heteroCalls)
      if (!call.root.empty())
        roots.try_emplace(call.root, call);
  bool hasErrors = diagnostics.hasErrors();
  for (CompiledUnit &unit : units) {
    // Where lists are wrong, graphs are too.
    if (unit.isSequential || hasErrors) {
      HeteroLowering(unit, diagnostics).runSequentially();
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
    HeteroLowering(unit, diagnostics).run();
  }
}

void sluice::startHeteroPrograms(Module &module) {
  NamedMDNode *mark = module.getNamedMetadata(startMark);
  if (!mark)
    return;
  mark->eraseFromParent();
  if (module.getFunction("llvm.hpvm.init"))
    return;
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
  // Before and after the program's own.
  constexpr int priority = 101;
  appendToGlobalCtors(module, add("hetero.start", "llvm.hpvm.init"), priority);
  appendToGlobalDtors(module, add("hetero.end", "llvm.hpvm.cleanup"), priority);
}
