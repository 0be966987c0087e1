//===- PlanEmitter.cpp - Writes plans as constant tables ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure of sluice-c/Plan.h, fields in the same order.
//
//===----------------------------------------------------------------------===//

#include "ConstantTables.h"
#include "KernelEmitter.h"
#include "sluice/CodeGen/CodeGen.h"
#include "sluice/CodeGen/Device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

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
        isChecked(options.isChecked) {}

  Expected<GlobalVariable *> emit(Constant *specializer,
                                  Constant *deviceModule);

private:
  Constant *argument(const FlatArgument &argument);
  Constant *result(const FlatResult &result);
  Constant *operand(const FlatOperand &operand);
  Constant *output(const FlatOutput &output);
  Constant *successors(unsigned node, unsigned &count);
  Constant *shape(const FlatNode &node, unsigned &count);
  Constant *deviceParameter(const DeviceParameter &parameter);
  Constant *deviceKernel(const DeviceNode &device);
  Expected<Constant *> node(unsigned index);

  Module &module;
  const PlanModel &model;
  Tables tables;
  KernelEmitter kernels;
  const std::vector<DeviceNode> *devices;
  bool isChecked;
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

Constant *PlanEmitter::argument(const FlatArgument &argument) {
  uint32_t flags = (argument.isPointer ? SLUICE_PORT_POINTER : 0) |
                   (argument.isStream ? SLUICE_PORT_STREAM : 0);
  return tables.structure({tables.string(argument.name),
                           tables.i64(argument.size),
                           tables.i64(argument.frameOffset), tables.i32(flags),
                           tables.i32(static_cast<uint32_t>(argument.access)),
                           tables.i32(argument.sizeArgument), tables.i32(0)});
}

Constant *PlanEmitter::result(const FlatResult &result) {
  return tables.structure({tables.string(result.name), tables.i64(result.size),
                           tables.i64(frameOffsetOf(model, result.source)),
                           tables.i32(result.isStream ? SLUICE_PORT_STREAM : 0),
                           tables.i32(0)});
}

Constant *PlanEmitter::operand(const FlatOperand &operand) {
  const Source &source = operand.source;
  bool isOutput = source.kind == Source::Kind::Output;
  bool isPointer = operand.type->isPointerTy();
  uint32_t flags = (isPointer ? SLUICE_PORT_POINTER : 0) |
                   (operand.isStream ? SLUICE_PORT_STREAM : 0);
  bool isDataset = source.dataset != nullptr;
  return tables.structure(
      {tables.string(operand.name),
       tables.i32(isOutput ? source.node : SLUICE_NO_INDEX),
       tables.i32(isDataset ? SLUICE_NO_INDEX : source.index),
       tables.i32(operand.isOneToOne ? SLUICE_ONE_TO_ONE : SLUICE_ALL_TO_ALL),
       tables.i32(flags), tables.i32(static_cast<uint32_t>(operand.access)),
       tables.i32(0)});
}

Constant *PlanEmitter::output(const FlatOutput &output) {
  return tables.structure({tables.string(output.name), tables.i64(output.size),
                           tables.i64(output.frameOffset),
                           tables.i64(output.arrayOffset),
                           tables.i32(output.arrayLevels), tables.i32(0)});
}

Constant *PlanEmitter::successors(unsigned node, unsigned &count) {
  SmallVector<Constant *> entries;
  for (unsigned i = 0; i != model.nodes.size(); ++i)
    for (const Predecessor &before : model.nodes[i].predecessors)
      if (before.node == node)
        entries.push_back(tables.structure(
            {tables.i32(i),
             tables.i32(before.isOneToOne ? SLUICE_ONE_TO_ONE
                                          : SLUICE_ALL_TO_ALL)}));
  count = entries.size();
  return tables.array(entries);
}

Constant *PlanEmitter::shape(const FlatNode &node, unsigned &count) {
  SmallVector<Constant *> entries;
  for (const Source &source : shapeOf(model, node, module))
    entries.push_back(tables.structure(
        {tables.i64(frameOffsetOf(model, source)),
         tables.i64(typeOf(model, source)->getIntegerBitWidth() / 8)}));
  count = entries.size();
  return tables.array(entries);
}

Constant *PlanEmitter::deviceParameter(const DeviceParameter &parameter) {
  return tables.structure(
      {tables.i32(parameter.kind), tables.i32(parameter.access),
       tables.i64(parameter.frameOffset), tables.i64(parameter.size),
       tables.i32(parameter.index), tables.i32(parameter.argument),
       tables.i64(parameter.sizeOffset),
       parameter.dataset ? parameter.dataset : tables.null()});
}

/// Null for a node that runs on the host only.
Constant *PlanEmitter::deviceKernel(const DeviceNode &device) {
  if (device.entry.empty())
    return tables.null();
  SmallVector<Constant *> parameters, forwards;
  for (const DeviceParameter &entry : device.parameters)
    parameters.push_back(deviceParameter(entry));
  for (const SluiceDeviceForward &entry : device.forwards)
    forwards.push_back(
        tables.structure({tables.i64(entry.from), tables.i64(entry.to),
                          tables.i64(entry.size)}));
  return tables.place(tables.structure(
      {tables.string(device.entry), tables.array(parameters),
       tables.array(forwards), tables.i32(device.isGrouped),
       tables.i32(device.numLaunchLevels), tables.i32(device.gridLevel),
       tables.i32(parameters.size()), tables.i32(forwards.size()),
       tables.i32(device.numLocals), tables.i32(device.numGridDims),
       tables.i32(device.privateBytes),
       device.group ? device.group : tables.null(),
       device.touch ? device.touch : tables.null()}));
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

Expected<Constant *> PlanEmitter::node(unsigned index) {
  const FlatNode &node = model.nodes[index];
  std::string prefix = "sluice." + node.name;
  Expected<Function *> kernel = kernels.emitKernel(node, prefix, nullptr);
  if (!kernel)
    return kernel.takeError();
  Function *extents = kernels.emitExtents(node, prefix + ".extents");
  Constant *constants = tables.null();
  if (auto known = KernelEmitter::constantExtents(node))
    constants = tables.numbers(*known);

  SmallVector<Constant *> operands, outputs, uses;
  for (const FlatOperand &entry : node.operands)
    operands.push_back(operand(entry));
  for (const FlatOutput &entry : node.outputs)
    outputs.push_back(output(entry));
  for (const MemoryUse &use : node.uses)
    uses.push_back(
        tables.structure({tables.i32(use.memory),
                          tables.i32(static_cast<uint32_t>(use.access))}));
  static const DeviceNode none;
  const DeviceNode &device = devices ? (*devices)[index] : none;
  unsigned numSuccessors, numShape, numAll = 0, numOne = 0;
  Constant *successorTable = successors(index, numSuccessors);
  Constant *shapeTable = shape(node, numShape);
  for (const Predecessor &before : node.predecessors)
    ++(before.isOneToOne ? numOne : numAll);
  return tables.structure({tables.string(node.name),
                           tables.string(spellLocation(node.location)),
                           *kernel,
                           extents ? extents : tables.null(),
                           constants,
                           tables.i32(node.levels.size()),
                           tables.i32(node.numIndexLevels),
                           tables.i32(node.numUnitLevels),
                           tables.i32(static_cast<uint32_t>(node.target)),
                           tables.i64(estimateCost(node, module)),
                           tables.array(operands),
                           tables.array(outputs),
                           successorTable,
                           shapeTable,
                           tables.array(uses),
                           tables.i32(operands.size()),
                           tables.i32(outputs.size()),
                           tables.i32(numSuccessors),
                           tables.i32(numShape),
                           tables.i32(numAll),
                           tables.i32(numOne),
                           tables.i32(uses.size()),
                           tables.i32(0),
                           deviceKernel(device),
                           tables.string(device.problem)});
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
  SmallVector<Constant *> arguments, results, nodes, pairs, memories;
  for (const FlatArgument &entry : model.arguments)
    arguments.push_back(argument(entry));
  for (const FlatResult &entry : model.results)
    results.push_back(result(entry));
  for (unsigned i = 0; i != model.nodes.size(); ++i) {
    Expected<Constant *> entry = node(i);
    if (!entry)
      return entry.takeError();
    nodes.push_back(*entry);
  }
  for (const SluicePlanPair &pair : model.disjointPairs)
    pairs.push_back(
        tables.structure({tables.i32(pair.first), tables.i32(pair.second)}));
  for (const std::string &name : model.memories)
    memories.push_back(tables.structure({tables.string(name)}));
  dfg::GraphOp root = model.root;
  Constant *plan =
      tables.structure({tables.i64(SLUICE_PLAN_MAGIC),
                        tables.i32(SLUICE_PLAN_VERSION),
                        tables.i32(sizeof(SluicePlan)),
                        tables.i32(sizeof(SluicePlanNode)),
                        tables.i32(model.isStreaming),
                        tables.string(model.name),
                        tables.string(spellLocation(root.getLoc())),
                        tables.i64(model.frameSize),
                        tables.array(arguments),
                        tables.array(results),
                        tables.array(nodes),
                        tables.array(pairs),
                        specializer ? specializer : tables.null(),
                        tables.i32(arguments.size()),
                        tables.i32(results.size()),
                        tables.i32(nodes.size()),
                        tables.i32(pairs.size()),
                        tables.i64(model.packedSize),
                        tables.array(memories),
                        tables.i32(memories.size()),
                        tables.i32(isChecked),
                        deviceModule});
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
  std::string flags = "-march=" + options.cpu + " -O" +
                      std::to_string(options.optimizationLevel) +
                      " -stamp=" + options.helperStamp;
  return tables.place(
      tables.structure({bytes, tables.i64(code.size()),
                        tables.string(options.helper), tables.string(flags)}));
}

/// The images of all device kernels, shared by all plans of the module; null
/// if there are none.
static Constant *emitDeviceModule(Module &module,
                                  const DeviceProgram *devices) {
  Tables tables(module);
  if (!devices || devices->images.empty())
    return tables.null();
  SmallVector<Constant *> images;
  for (const DeviceImage &image : devices->images) {
    GlobalVariable *code = tables.place(
        ConstantDataArray::getString(module.getContext(), image.code,
                                     /*AddNull=*/false),
        "sluice.device.code");
    code->setAlignment(Align(16));
    images.push_back(tables.structure({tables.i32(image.format), tables.i32(0),
                                       tables.string(image.target), code,
                                       tables.i64(image.code.size())}));
  }
  return tables.place(
      tables.structure({tables.string(module.getName()),
                        tables.string(devices->hash), tables.array(images),
                        tables.i32(images.size()), tables.i32(0)}),
      "sluice.device.module");
}

/// A constructor that tells the runtime which root has which plan.
static void
emitRegistration(Module &module,
                 ArrayRef<std::pair<Function *, GlobalVariable *>> plans) {
  LLVMContext &context = module.getContext();
  Tables tables(module);
  SmallVector<Constant *> entries;
  for (auto [root, plan] : plans)
    entries.push_back(tables.structure({root, plan}));
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
                           const VariantRequest &request,
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
    return Error::success();
  }
  return createStringError("the program has no node '" + request.node + "'");
}
