//===- PlanEmitter.cpp - Writes plans as constant tables ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/Plan.h.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Leaf/UnitsAtOnce.h"
#include "ReductionNodes.h"
#include "SharedKernels.h"
#include "Tables/ConstantTables.h"
#include "sluice-c/UsualExtents.h"
#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/DeviceKernels.h"
#include "sluice/DFG/AssumedExtents.h"
#include "sluice/DFG/OrderedDims.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// Emits one plan.
class PlanEmitter {
public:
  /// `devices`: one per node, or null.
  PlanEmitter(Module &module, const PlanModel &model,
              const CodeGenOptions &options,
              const std::vector<DeviceNode> *devices)
      : module(module), model(model), tables(module),
        kernels(module, model, options), devices(devices),
        isChecked(options.isChecked),
        isDebugged(options.debugging != Debugging::Lines) {}

  Expected<GlobalVariable *> emit(Constant *specializer,
                                  Constant *deviceModule);

private:
  SluicePlanArgument argument(const FlatArgument &argument);
  SluicePlanResult result(const FlatResult &result);
  SluicePlanOperand operand(const FlatOperand &operand);
  SluicePlanOutput output(const FlatOutput &output);
  std::vector<SluicePlanSuccessor> successors(unsigned node);
  std::vector<SluicePlanShape> shape(const FlatNode &node);
  SluiceDeviceParameter deviceParameter(const DeviceParameter &parameter);
  Constant *deviceKernel(const DeviceNode &device);
  SluicePlanFold fold(const FlatNode &node, StringRef name);
  Constant *share(const FlatNode &node, StringRef name);
  Expected<Function *> kernel(const FlatNode &node, StringRef name);
  Expected<SluicePlanNode> node(unsigned index);

  Module &module;
  const PlanModel &model;
  Tables tables;
  KernelEmitter kernels;
  const std::vector<DeviceNode> *devices;
  bool isChecked, isDebugged;
  std::map<KernelKey, Function *> sharedKernels;
};
} // namespace

/// The places of a node: several for one that was fused.
std::string codegen::spellLocation(mlir::Location location) {
  if (auto fused = dyn_cast<mlir::FusedLoc>(location)) {
    SmallVector<std::string> places;
    for (mlir::Location part : fused.getLocations())
      if (std::string place = spellLocation(part);
          !place.empty() && !is_contained(places, place))
        places.push_back(place);
    return llvm::join(places, ", ");
  }
  std::string text;
  if (auto place = location->findInstanceOf<mlir::FileLineColLoc>()) {
    raw_string_ostream os(text);
    os << place.getFilename().getValue() << ':' << place.getLine();
    if (place.getColumn()) // 0 where the compiler does not tell
      os << ':' << place.getColumn();
  }
  return text;
}

SluicePlanArgument PlanEmitter::argument(const FlatArgument &argument) {
  uint32_t flags = (argument.isPointer ? SLUICE_PORT_POINTER : 0) |
                   (argument.isStream ? SLUICE_PORT_STREAM : 0) |
                   (argument.isTemporary ? SLUICE_PORT_TEMPORARY : 0);
  return {.name = tables.string(argument.name),
          .size = argument.size,
          .frameOffset = argument.frameOffset,
          .flags = flags,
          .access = static_cast<uint32_t>(argument.access),
          .sizeArgument = argument.sizeArgument,
          .reserved = 0};
}

SluicePlanResult PlanEmitter::result(const FlatResult &result) {
  return {.name = tables.string(result.name),
          .size = result.size,
          .frameOffset = frameOffsetOf(model, result.source),
          .flags = uint32_t(result.isStream ? SLUICE_PORT_STREAM : 0),
          .reserved = 0};
}

SluicePlanOperand PlanEmitter::operand(const FlatOperand &operand) {
  const Source &source = operand.source;
  bool isOutput = source.kind == Source::Kind::Output;
  bool isPointer = operand.type->isPointerTy();
  uint32_t flags = (isPointer ? SLUICE_PORT_POINTER : 0) |
                   (operand.isStream ? SLUICE_PORT_STREAM : 0);
  bool isDataset = source.dataset != nullptr;
  return {.name = tables.string(operand.name),
          .node = isOutput ? source.node : SLUICE_NO_INDEX,
          .index = isDataset ? SLUICE_NO_INDEX : source.index,
          .replication = uint32_t(operand.isOneToOne ? SLUICE_ONE_TO_ONE
                                                     : SLUICE_ALL_TO_ALL),
          .flags = flags,
          .access = static_cast<uint32_t>(operand.access),
          .reserved = 0};
}

SluicePlanOutput PlanEmitter::output(const FlatOutput &output) {
  return {.name = tables.string(output.name),
          .size = output.size,
          .frameOffset = output.frameOffset,
          .arrayOffset = output.arrayOffset,
          .arrayLevels = output.arrayLevels == copiesMark ? numCopyLevels
                                                          : output.arrayLevels,
          .reserved = 0};
}

std::vector<SluicePlanSuccessor> PlanEmitter::successors(unsigned node) {
  std::vector<SluicePlanSuccessor> entries;
  for (unsigned i = 0; i != model.nodes.size(); ++i)
    for (const Predecessor &before : model.nodes[i].predecessors)
      if (before.node == node)
        entries.push_back(
            {.node = i,
             .replication =
                 before.isOneToOne ? uint32_t(SLUICE_ONE_TO_ONE)
                 : before.graphLevels
                     ? uint32_t(SLUICE_MORE_THAN_GRAPH) + before.graphLevels
                     : uint32_t(SLUICE_ALL_TO_ALL)});
  return entries;
}

std::vector<SluicePlanShape> PlanEmitter::shape(const FlatNode &node) {
  std::vector<SluicePlanShape> entries;
  for (const Source &source : shapeOf(model, node, module))
    entries.push_back(
        {.frameOffset = frameOffsetOf(model, source),
         .size = typeOf(model, source)->getIntegerBitWidth() / 8});
  return entries;
}

SluiceDeviceParameter
PlanEmitter::deviceParameter(const DeviceParameter &parameter) {
  SluiceDeviceParameter entry = parameter;
  if (parameter.dataset)
    entry.memory = Address(parameter.dataset);
  return entry;
}

/// Null for a node that runs on the host only.
Constant *PlanEmitter::deviceKernel(const DeviceNode &device) {
  if (device.entry.empty())
    return nullptr;
  std::vector<SluiceDeviceParameter> parameters;
  for (const DeviceParameter &entry : device.parameters)
    parameters.push_back(deviceParameter(entry));
  return tables.place(tables.structure(
      SluicePlanDeviceKernel{.entry = tables.string(device.entry),
                             .parameters = tables.array(parameters),
                             .forwards = tables.array(device.forwards),
                             .isGrouped = device.isGrouped,
                             .numLaunchLevels = device.numLaunchLevels,
                             .gridLevel = device.gridLevel,
                             .numParameters = uint32_t(parameters.size()),
                             .numForwards = uint32_t(device.forwards.size()),
                             .numLocals = device.numLocals,
                             .numGridDims = device.numGridDims,
                             .privateBytes = device.privateBytes,
                             .numPhases = device.numPhases,
                             .reserved = 0,
                             .group = Address(device.group),
                             .touch = Address(device.touch)}));
}

/// How the copies of a node that processes share are joined.
SluicePlanFold PlanEmitter::fold(const FlatNode &node, StringRef name) {
  if (!isReduction(node) || !node.share->touch)
    return {.combine = nullptr,
            .store = nullptr,
            .join = nullptr,
            .reduced = nullptr,
            .numReduced = 0,
            .numLevels = 0};
  const std::vector<uint32_t> &reduced = node.share->reduced;
  const KernelEmitter::Folds folds = kernels.emitFolds(node, name);
  return {.combine = Address(folds.combine),
          .store = Address(folds.store),
          .join = Address(folds.join),
          .reduced = tables.indices(reduced),
          .numReduced = uint32_t(reduced.size()),
          .numLevels = node.numUnitLevels};
}

/// Null in a program for one process.
Constant *PlanEmitter::share(const FlatNode &node, StringRef name) {
  if (!node.share)
    return nullptr;
  const FlatShare &share = *node.share;
  SmallVector<Constant *> places;
  for (const std::string &place : share.places)
    places.push_back(tables.string(place));
  return tables.place(tables.structure(
      SluicePlanShare{.touch = Address(share.touch),
                      .touched = tables.indices(share.touched),
                      .places = tables.array(places),
                      .accumulated = tables.array(share.accumulated),
                      .forwards = tables.array(share.forwards),
                      .problem = tables.string(share.problem),
                      .numTouched = uint32_t(share.touched.size()),
                      .numForwards = uint32_t(share.forwards.size()),
                      .slabExtent = share.slabExtent,
                      .reachesInputsOnly = share.reachesInputsOnly,
                      .numAccumulated = uint32_t(share.accumulated.size()),
                      .canCompare = share.canCompare,
                      .fold = fold(node, name)}));
}

/// A guess at the nanoseconds one unit takes: instructions weighted by loop
/// depth are left to the leaf's author to care about; what matters is the
/// order of magnitude, which decides how many units make a chunk.
static uint64_t estimateCost(const FlatNode &node, const Module &module) {
  dfg::KernelOp kernel = node.getKernel();
  if (!kernel)
    return 0;
  const Function *leaf = module.getFunction(kernel.getCodeName());
  // A leaf that only calls what a task runs says nothing of its length.
  if (!leaf || leaf->size() > 1 || leaf->hasFnAttribute(sharesMemoryAttribute))
    return 0;
  uint64_t instances = 1;
  for (unsigned i = node.numUnitLevels; i != node.levels.size(); ++i) {
    dfg::NodeOp op = node.levels[i].node;
    for (mlir::Value extent : op.getExtents()) {
      std::optional<int64_t> known = dfg::constantExtent(extent);
      if (!known)
        return 0;
      instances *= std::max<int64_t>(*known, 1);
    }
  }
  return std::max<uint64_t>(1, leaf->getInstructionCount() * instances / 8);
}

/// The kernel of a node, or of one before it that has the same.
Expected<Function *> PlanEmitter::kernel(const FlatNode &node, StringRef name) {
  // Checks name the node; a debugger reads what no leaf does.
  std::optional<KernelKey> key =
      isChecked || isDebugged ? std::nullopt : kernelKeyOf(model, node, module);
  if (!key)
    return kernels.emitKernel(node, name, nullptr);
  Function *&known = sharedKernels[*key];
  if (known)
    return known;
  Expected<Function *> kernel = kernels.emitKernel(node, name, nullptr);
  if (kernel)
    known = *kernel;
  return kernel;
}

/// The kernel's number of units at once; null if a unit is more than an
/// instance.
static GlobalVariable *unitsAtOnce(const FlatNode &node, Function &kernel,
                                   const Twine &name) {
  const bool areInstances = node.getKernel() && !isReduction(node) &&
                            node.numUnitLevels == node.levels.size();
  return areInstances ? unitsAtOnceOf(kernel, name) : nullptr;
}

/// True if `extent` follows from arguments of the root.
static bool isKnownAtLaunch(mlir::Value extent, const Scope &scope) {
  mlir::Operation *op = extent.getDefiningOp();
  if (op && !isa<dfg::NodeOp>(op))
    return all_of(op->getOperands(), [&](mlir::Value operand) {
      return isKnownAtLaunch(operand, scope);
    });
  return scope.values.lookup(extent).kind != Source::Kind::Output;
}

/// Launches ask for the extents that the race check took as usual. Constants
/// are known to be what they are.
static uint32_t usualExtents(const FlatNode &node) {
  uint32_t bits = 0;
  unsigned least = dfg::usualExponents[0];
  bool isOfArguments = true;
  for (auto [number, level] : enumerate(node.levels)) {
    const unsigned position = firstLevel(node) + number;
    for (auto [dimension, extent] :
         enumerate(dfg::NodeOp(level.node).getExtents())) {
      isOfArguments = isOfArguments && isKnownAtLaunch(extent, *level.scope);
      const unsigned exponent = dfg::usualExponent(level.node, dimension);
      if (exponent == 0 || dfg::constantExtent(extent) ||
          position >= SLUICE_USUAL_LEVELS)
        continue;
      bits |= SLUICE_USUAL_EXTENT << (3 * position + dimension);
      least = std::min(least, exponent);
    }
  }
  if (bits == 0)
    return 0;
  uint32_t limit = 0;
  while (dfg::usualExponents[limit] > least)
    ++limit;
  return bits | limit * uint32_t(SLUICE_USUAL_LIMIT) |
         (isOfArguments ? SLUICE_USUAL_AT_LAUNCH : 0);
}

Expected<SluicePlanNode> PlanEmitter::node(unsigned index) {
  const FlatNode &node = model.nodes[index];
  std::string prefix = "sluice." + node.name;
  Expected<Function *> kernel = this->kernel(node, prefix);
  if (!kernel)
    return kernel.takeError();
  uint32_t tiling = node.tiling | usualExtents(node);
  if ((*kernel)->hasFnAttribute(copiesSharedAttribute))
    tiling |= SLUICE_COPIES_SHARED;
  Function *extents = kernels.emitExtents(node, prefix + ".extents");
  Address constants = nullptr;
  if (auto known = KernelEmitter::constantExtents(node))
    constants = tables.numbers(*known);

  std::vector<SluicePlanOperand> operands;
  std::vector<SluicePlanOutput> outputs;
  std::vector<SluicePlanUse> uses;
  for (const FlatOperand &entry : node.operands)
    operands.push_back(operand(entry));
  for (const FlatOutput &entry : node.outputs)
    outputs.push_back(output(entry));
  for (const NodeMemoryUse &use : node.uses)
    uses.push_back(
        {.memory = use.memory, .access = static_cast<uint32_t>(use.access)});
  static const DeviceNode none;
  const DeviceNode &device = devices ? (*devices)[index] : none;
  bool reduces = isReduction(node);
  std::vector<SluicePlanSuccessor> successorTable = successors(index);
  std::vector<SluicePlanShape> shapeTable = shape(node);
  unsigned numAll = 0, numOne = 0;
  for (const Predecessor &before : node.predecessors)
    ++(before.isOneToOne ? numOne : numAll);
  return SluicePlanNode{
      .name = tables.string(node.name),
      .location = tables.string(spellLocation(node.location)),
      .kernel = Address(*kernel),
      .extents = Address(extents),
      .constantExtents = constants,
      .numLevels = uint32_t(firstLevel(node) + node.levels.size()),
      .numIndexLevels = reduces ? 1 : node.numIndexLevels,
      .numUnitLevels = reduces ? 1 : node.numUnitLevels,
      .target = static_cast<uint32_t>(node.target),
      .unitCost = reduces ? 0 : estimateCost(node, module),
      .operands = tables.array(operands),
      .outputs = tables.array(outputs),
      .successors = tables.array(successorTable),
      .shape = tables.array(shapeTable),
      .uses = tables.array(uses),
      .numOperands = uint32_t(operands.size()),
      .numOutputs = uint32_t(outputs.size()),
      .numSuccessors = uint32_t(successorTable.size()),
      .numShape = uint32_t(shapeTable.size()),
      .numAllToAllPredecessors = numAll,
      .numOneToOnePredecessors = numOne,
      .numUses = uint32_t(uses.size()),
      .orderedDims = node.orderedDims,
      .tiling = tiling,
      .tileAhead = node.tileAhead,
      .tileBehind = node.tileBehind,
      .numTouched = uint32_t(node.touched.size()),
      .device = Address(deviceKernel(device)),
      .deviceProblem = tables.string(device.problem),
      .touch = Address(node.touch),
      .touched = tables.indices(node.touched),
      .share = Address(share(node, prefix + ".share")),
      .unitsAtOnce = Address(unitsAtOnce(node, **kernel, prefix + ".units"))};
}

/// Tables may have declared the plan before it was there.
static GlobalVariable *placePlan(Module &module, Tables &tables, Constant *plan,
                                 const Twine &name) {
  GlobalVariable *declared =
      module.getGlobalVariable(name.str(), /*AllowInternal=*/true);
  GlobalVariable *placed = tables.place(plan, name);
  if (declared && declared->isDeclaration()) {
    declared->replaceAllUsesWith(placed);
    placed->takeName(declared);
    declared->eraseFromParent();
  }
  return placed;
}

Expected<GlobalVariable *> PlanEmitter::emit(Constant *specializer,
                                             Constant *deviceModule) {
  std::vector<SluicePlanArgument> arguments;
  std::vector<SluicePlanResult> results;
  std::vector<SluicePlanNode> nodes;
  std::vector<SluicePlanMemory> memories;
  for (const FlatArgument &entry : model.arguments)
    arguments.push_back(argument(entry));
  for (const FlatResult &entry : model.results)
    results.push_back(result(entry));
  for (unsigned i = 0; i != model.nodes.size(); ++i) {
    Expected<SluicePlanNode> entry = node(i);
    if (!entry)
      return entry.takeError();
    nodes.push_back(*entry);
  }
  for (const std::string &name : model.memories)
    memories.push_back({.name = tables.string(name)});
  std::vector<SluicePlanTable> entryTables;
  for (SluicePlanTable table : model.tables) {
    table.steps =
        tables.array(std::vector(table.steps, table.steps + table.numSteps));
    table.loads =
        tables.array(std::vector(table.loads, table.loads + table.numLoads));
    entryTables.push_back(table);
  }
  dfg::GraphOp root = model.root;
  Constant *plan = tables.structure(
      SluicePlan{.head = tables.head<SluicePlan>(),
                 .name = tables.string(model.name),
                 .location = tables.string(spellLocation(root.getLoc())),
                 .frameSize = model.frameSize,
                 .arguments = tables.array(arguments),
                 .results = tables.array(results),
                 .nodes = tables.array(nodes),
                 .disjointPairs = tables.array(model.disjointPairs),
                 .tables = tables.array(entryTables),
                 .specializer = Address(specializer),
                 .numArguments = uint32_t(arguments.size()),
                 .numResults = uint32_t(results.size()),
                 .numNodes = uint32_t(nodes.size()),
                 .numDisjointPairs = uint32_t(model.disjointPairs.size()),
                 .packedSize = model.packedSize,
                 .memories = tables.array(memories),
                 .numMemories = uint32_t(memories.size()),
                 .isChecked = isChecked,
                 .isStreaming = model.isStreaming,
                 .numTables = uint32_t(entryTables.size()),
                 .deviceModule = Address(deviceModule)});
  return placePlan(module, tables, plan, "sluice.plan." + root.getSymName());
}

/// The program for the helper, shared by all plans of the module.
static Constant *emitSpecializer(Module &module, StringRef code,
                                 const CodeGenOptions &options) {
  if (options.helper.empty() || code.empty())
    return nullptr;
  Tables tables(module);
  Constant *bytes =
      tables.place(ConstantDataArray::getString(module.getContext(), code,
                                                /*AddNull=*/false),
                   "sluice.code");
  std::string flags =
      "-march=" + options.cpu + " -O" +
      std::to_string(options.optimizationLevel) +
      " -math=" + std::to_string(unsigned(options.math.library)) +
      (options.math.mayFuse ? "" : " -ffp-contract=off") +
      (options.vectorization.makesLanes() ? "" : " -no-lanes") +
      (options.makesPanels ? "" : " -no-panels") +
      (options.vectorization.splitsBorders() ? "" : " -no-borders") +
      (options.debugging == Debugging::Lines ? "" : " -g") +
      " -stamp=" + options.helperStamp;
  return tables.place(tables.structure(
      SluicePlanSpecializer{.code = Address(bytes),
                            .codeSize = code.size(),
                            .helper = tables.string(options.helper),
                            .options = tables.string(flags)}));
}

/// The images of all device kernels, shared by all plans of the module; null
/// if there are none.
static Constant *emitDeviceModule(Module &module,
                                  const DeviceProgram *devices) {
  if (!devices || devices->images.empty())
    return nullptr;
  Tables tables(module);
  std::vector<SluiceDeviceImage> images;
  for (const DeviceImage &image : devices->images) {
    GlobalVariable *code = tables.place(
        ConstantDataArray::getString(module.getContext(), image.code,
                                     /*AddNull=*/false),
        "sluice.device.code");
    code->setAlignment(Align(16));
    images.push_back({.format = uint32_t(image.format),
                      .reserved = 0,
                      .target = tables.string(image.target),
                      .code = Address(code),
                      .size = image.code.size()});
  }
  return tables.place(tables.structure(SluiceDeviceModule{
                          .head = tables.head<SluiceDeviceModule>(),
                          .name = tables.string(module.getName()),
                          .hash = tables.string(devices->hash),
                          .images = tables.array(images),
                          .numImages = uint32_t(images.size()),
                          .reserved = 0}),
                      "sluice.device.module");
}

/// A constructor that tells the runtime which root has which plan.
static void
emitRegistration(Module &module,
                 ArrayRef<std::pair<Function *, GlobalVariable *>> plans) {
  LLVMContext &context = module.getContext();
  Tables tables(module);
  std::vector<SluicePlanEntry> entries;
  for (auto [root, plan] : plans)
    entries.push_back({.root = Address(root), .plan = Address(plan)});
  Type *ptr = PointerType::get(context, 0), *i64 = Type::getInt64Ty(context);
  Type *voidType = Type::getVoidTy(context);
  FunctionCallee callee = module.getOrInsertFunction(
      "sluiceRegisterPlans", FunctionType::get(voidType, {ptr, i64}, false));
  Function *function =
      Function::Create(FunctionType::get(voidType, false),
                       GlobalValue::InternalLinkage, "sluice.register", module);
  IRBuilder<> b(BasicBlock::Create(context, "entry", function));
  b.CreateCall(callee, {tables.array(entries), b.getInt64(entries.size())});
  b.CreateRetVoid();
  // Before the program's own constructors, which may launch.
  appendToGlobalCtors(module, function, /*Priority=*/101);
}

Expected<std::vector<GlobalVariable *>>
codegen::emitPlans(Module &module, ArrayRef<PlanModel> models, StringRef code,
                   const CodeGenOptions &options,
                   const DeviceProgram *devices) {
  if (options.isChecked)
    noteCallableFunctions(module);
  Constant *specializer = emitSpecializer(module, code, options);
  Constant *deviceModule = emitDeviceModule(module, devices);
  std::vector<GlobalVariable *> plans;
  SmallVector<std::pair<Function *, GlobalVariable *>> entries;
  for (const auto &[index, model] : enumerate(models)) {
    Expected<GlobalVariable *> plan =
        PlanEmitter(module, model, options,
                    devices ? &devices->nodes[index] : nullptr)
            .emit(specializer, deviceModule);
    if (!plan)
      return plan.takeError();
    plans.push_back(*plan);
    dfg::GraphOp root = model.root;
    if (Function *function = module.getFunction(root.getSymName()))
      entries.push_back({function, *plan});
  }
  if (!entries.empty())
    emitRegistration(module, entries);
  return plans;
}

Error codegen::emitVariant(Module &module, const PlanModel &model,
                           const VariantValues &request,
                           const CodeGenOptions &options) {
  for (const FlatNode &node : model.nodes) {
    if (node.name != request.node)
      continue;
    KnownValues known{request.extents, request.shape};
    KernelEmitter emitter(module, model, options);
    Expected<Function *> kernel =
        emitter.emitKernel(node, "sluice_variant", &known);
    if (!kernel)
      return kernel.takeError();
    (*kernel)->setLinkage(GlobalValue::ExternalLinkage);
    (*kernel)->setVisibility(GlobalValue::DefaultVisibility);
    if (GlobalVariable *number =
            unitsAtOnce(node, **kernel, "sluice_variant_units"))
      number->setLinkage(GlobalValue::ExternalLinkage);
    return Error::success();
  }
  return createStringError("the program has no node '" + request.node + "'");
}
