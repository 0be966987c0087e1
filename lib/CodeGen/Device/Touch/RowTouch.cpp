//===- RowTouch.cpp - What parts of nodes of the host touch ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime keeps windows of memory that nodes hand to each other row by row,
// and asks which bytes rows need; ranks that share a node ask the same of
// slabs. That is what the runtime asks before it splits a node among devices,
// so it is found in the same way, in a kernel that is dropped.
//
//===----------------------------------------------------------------------===//

#include "../../ReductionNodes.h"
#include "../GroupSizeFunction.h"
#include "../KernelBuilder.h"
#include "../Leaf/ReachedMemory.h"
#include "../NeutralForm.h"
#include "Touch.h"
#include "sluice/DFG/TemporaryMemory.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static bool usesWindow(const PlanModel &model, const FlatNode &node) {
  return any_of(node.operands, [&](const FlatOperand &operand) {
    return operand.source.kind == Source::Kind::Argument &&
           operand.source.instanceLevel < 0 &&
           dfg::isWindow(dfg::GraphOp(model.root), operand.source.index);
  });
}

/// The arguments of the graph whose ranges the touch function gives; empty if
/// there is memory besides.
static std::vector<uint32_t> argumentsOf(const DeviceNode &device) {
  std::vector<uint32_t> arguments;
  for (const DeviceParameter &parameter : device.parameters) {
    if (parameter.kind != SLUICE_DEVICE_POINTER)
      continue;
    if (parameter.argument == SLUICE_NO_INDEX)
      return {};
    arguments.push_back(parameter.argument);
  }
  return arguments;
}

static void addRowTouch(Module &neutral, Module &module, PlanModel &model,
                        FlatNode &node, const DeviceCodeOptions &options) {
  const std::vector<DeviceNode> none(model.nodes.size());
  KernelBuilder builder(neutral, module, model, node, none, options);
  DeviceNode device;
  Expected<Function *> kernel = builder.build("sluice_rows", device);
  if (!kernel) // What no device can run may be hard to tell.
    return consumeError(kernel.takeError());
  std::vector<uint32_t> arguments = argumentsOf(device);
  // A slab is a row if it is one value of the first level's last id.
  if (!arguments.empty() && !device.isGrouped && device.gridLevel == 0 &&
      device.numLaunchLevels == 0)
    if (Function *touch = emitTouch(module, **kernel, device,
                                    "sluice." + node.name + ".touch")) {
      node.touch = touch;
      node.touched = std::move(arguments);
    }
  (*kernel)->eraseFromParent();
}

void codegen::addRowTouches(Module &module, MutableArrayRef<PlanModel> models,
                            bool fusesMultiplyAdd) {
  SetVector<Function *> leaves;
  std::vector<std::pair<PlanModel *, FlatNode *>> nodes;
  for (PlanModel &model : models)
    for (FlatNode &node : model.nodes) {
      dfg::KernelOp kernel = node.getKernel();
      Function *leaf =
          kernel ? module.getFunction(kernel.getCodeName()) : nullptr;
      if (!leaf || !usesWindow(model, node))
        continue;
      leaves.insert(leaf);
      nodes.push_back({&model, &node});
    }
  if (nodes.empty())
    return;
  DeviceCodeOptions options;
  options.fusesMultiplyAdd = fusesMultiplyAdd;
  std::unique_ptr<Module> neutral =
      cloneForDevices(module, leaves.getArrayRef());
  for (auto [model, node] : nodes)
    addRowTouch(*neutral, module, *model, *node, options);
}

//===----------------------------------------------------------------------===//
// Nodes that ranks share
//===----------------------------------------------------------------------===//

static bool hasAddress(Type *type) {
  return type->isPtrOrPtrVectorTy() ||
         any_of(type->subtypes(), [](Type *part) { return hasAddress(part); });
}

/// Why outputs cannot be told to other ranks, whose addresses are others; empty
/// if they can.
static std::string outputProblem(const FlatNode &node, const DeviceNode &device,
                                 const Function &kernel,
                                 bool mayHaveArrays = false) {
  for (const FlatOutput &output : node.outputs) {
    if (output.arrayLevels == copiesMark)
      continue;
    if (output.arrayOffset != SLUICE_NO_OFFSET && !mayHaveArrays)
      return "each instance makes a value, and they would be in parts";
    if (output.frameOffset == SLUICE_NO_OFFSET ||
        any_of(device.forwards, [&](const SluiceDeviceForward &forward) {
          return forward.to == output.frameOffset;
        }))
      continue;
    if (hasAddress(output.type))
      return "it makes an address";
    for (const Instruction &inst : instructions(kernel))
      if (isa<PtrToIntInst>(inst))
        return "it may make a number of an address";
  }
  return "";
}

/// Why slabs of a node whose kernel was built are nothing to share; empty if
/// they are.
static std::string shareProblem(const FlatNode &node, const DeviceNode &device,
                                const Function &kernel) {
  if (std::string problem = outputProblem(node, device, kernel);
      !problem.empty())
    return problem;
  if (is_contained(device.reduced, SLUICE_NO_INDEX))
    return "it reduces memory that is no argument of the graph";
  for (const DeviceParameter &parameter : device.parameters) {
    if (isReduction(node) &&
        parameter.frameOffset == node.outputs.back().arrayOffset)
      continue;
    if (parameter.kind == SLUICE_DEVICE_ARRAY)
      return "each instance takes a value of its own";
    if (parameter.kind != SLUICE_DEVICE_POINTER)
      continue;
    if (parameter.argument == SLUICE_NO_INDEX)
      return "it uses memory that is no argument of the graph";
    if (parameter.sizeOffset == SLUICE_NO_OFFSET)
      return "the size of its memory is not known";
  }
  if (device.gridLevel == SLUICE_NO_INDEX || device.numLaunchLevels != 0)
    return "it has one instance, or one group";
  return "";
}

static std::string addShare(Module &neutral, Module &module, PlanModel &model,
                            unsigned index, std::vector<DeviceNode> &known,
                            const DeviceCodeOptions &options) {
  FlatNode &node = model.nodes[index];
  if (node.orderedDims)
    return "its instances run in order";
  KernelBuilder builder(neutral, module, model, node, known, options);
  DeviceNode device;
  Expected<Function *> kernel = builder.build("sluice_share", device);
  if (!kernel)
    return toString(kernel.takeError());
  scope_exit drop([&] { (*kernel)->eraseFromParent(); });
  node.share->forwards = device.forwards;
  // Nodes behind it know what is forwarded, and find values in the frame.
  known[index].forwards = device.forwards;
  if (std::string problem = shareProblem(node, device, **kernel);
      !problem.empty())
    return problem;
  if (device.isGrouped) {
    Expected<Function *> group = emitGroupFunction(
        module, model, node, known, builder, "sluice." + node.name + ".items");
    if (!group)
      return toString(group.takeError());
    device.group = *group;
  }
  SharedTouch shared;
  Function *touch = emitTouch(module, **kernel, device,
                              "sluice." + node.name + ".share", &shared);
  if (!touch)
    return "what its instances touch is not known";
  node.share->touch = touch;
  const std::vector<uint32_t> arguments = argumentsOf(device);
  for (const SharedTouch::Part &part : shared.parts) {
    node.share->touched.push_back(arguments[part.pointer]);
    node.share->places.push_back(part.place);
  }
  for (SluiceAccumulated &each : shared.accumulated) {
    each.argument = arguments[each.argument];
    node.share->accumulated.push_back(each);
  }
  node.share->canCompare = shared.canCompare;
  node.share->reduced = device.reduced;
  node.share->slabExtent = 3 * device.gridLevel + device.numGridDims - 1;
  return "";
}

/// Why a node of a streaming graph stays on rank 0; empty if a stage with it
/// may be on any rank.
static std::string addStage(Module &neutral, Module &module, PlanModel &model,
                            unsigned index, std::vector<DeviceNode> &known,
                            const DeviceCodeOptions &options) {
  FlatNode &node = model.nodes[index];
  if (!node.share->reachesInputsOnly)
    return "it may use memory that is none of its inputs";
  KernelBuilder builder(neutral, module, model, node, known, options);
  DeviceNode device;
  Expected<Function *> kernel = builder.build("sluice_stage", device);
  if (!kernel)
    return toString(kernel.takeError());
  scope_exit drop([&] { (*kernel)->eraseFromParent(); });
  node.share->forwards = device.forwards;
  known[index].forwards = device.forwards;
  for (const DeviceParameter &parameter : device.parameters)
    if (parameter.kind == SLUICE_DEVICE_POINTER &&
        parameter.argument == SLUICE_NO_INDEX)
      return "it uses memory that is no argument of the graph";
  return outputProblem(node, device, **kernel, /*mayHaveArrays=*/true);
}

void codegen::addShares(Module &module, MutableArrayRef<PlanModel> models,
                        bool fusesMultiplyAdd) {
  SetVector<Function *> leaves;
  for (PlanModel &model : models)
    for (FlatNode &node : model.nodes)
      addLeaves(dfg::NodeOp(node.body).resolveCallee(), module, leaves);
  DeviceCodeOptions options;
  options.fusesMultiplyAdd = fusesMultiplyAdd;
  options.guardsItems = false;
  options.runsChunks = false;
  options.mayBeLarge = true;
  std::unique_ptr<Module> neutral =
      cloneForDevices(module, leaves.getArrayRef());
  for (PlanModel &model : models) {
    std::vector<DeviceNode> known(model.nodes.size());
    for (unsigned i = 0; i != model.nodes.size(); ++i) {
      FlatNode &node = model.nodes[i];
      node.share.emplace();
      node.share->reachesInputsOnly =
          reachesInputsOnly(node.body.resolveCallee(), module);
      node.share->problem =
          model.isStreaming
              ? addStage(*neutral, module, model, i, known, options)
              : addShare(*neutral, module, model, i, known, options);
    }
  }
}
