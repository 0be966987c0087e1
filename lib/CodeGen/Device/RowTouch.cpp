//===- RowTouch.cpp - What rows of nodes of the host touch ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime keeps windows of memory that nodes hand to each other row by row,
// and asks which bytes rows need. That is what it asks before it splits a node
// among devices, so it is found in the same way, in a kernel that is dropped.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "NeutralForm.h"
#include "Touch.h"
#include "sluice/DFG/Temporary.h"
#include "llvm/ADT/SetVector.h"

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
                        FlatNode &node, const DeviceOptions &options) {
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
  DeviceOptions options;
  options.fusesMultiplyAdd = fusesMultiplyAdd;
  std::unique_ptr<Module> neutral =
      cloneForDevices(module, leaves.getArrayRef());
  for (auto [model, node] : nodes)
    addRowTouch(*neutral, module, *model, *node, options);
}
