//===- DevicePlan.cpp - The places that need the values of a plan ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that compute extents and groups may read any value of the frame
// that existed before the node, so they need all values of earlier nodes.
//
//===----------------------------------------------------------------------===//

#include "DevicePlan.h"

#include <algorithm>

using namespace sluice;

DevicePlan::DevicePlan(const PlanInfo &info)
    : nodes(info.nodes.size()), plan(info.plan) {
  for (const NodeInfo &node : info.nodes)
    for (auto successors : {node.allToAllSuccessors, node.oneToOneSuccessors})
      for (uint32_t successor : successors)
        nodes[successor].predecessors.push_back(node.index);
  addValues();
  std::vector<char> hasUser(plan.numArguments);
  for (const NodeInfo &node : info.nodes)
    for (uint32_t i = 0; i < node.node->numOperands; ++i)
      if (const SluicePlanOperand &operand = node.node->operands[i];
          operand.node == SLUICE_NO_INDEX && operand.index != SLUICE_NO_INDEX)
        hasUser[operand.index] = true;
  isBefore.resize(nodes.size());
  for (uint32_t index = 0; index < nodes.size(); ++index) {
    addOperands(index);
    addPointers(index, hasUser);
    addKnownMemory(index);
    findSent(index);
    findNeeded(index);
  }
  isBefore.clear();
  for (const Node &node : nodes)
    mayBeRepeated &= node.neededToOpen.empty();
  for (const PlacedValue &value : values)
    mayBeRepeated &= !value.isArray;
}

static bool overlap(uint64_t first, uint64_t firstSize, uint64_t second,
                    uint64_t secondSize) {
  return first < second + secondSize && second < first + firstSize;
}

/// Whether a device kernel forwards the whole value.
static bool isForwarded(const SluicePlanNode &node,
                        const SluicePlanOutput &output) {
  const SluicePlanDeviceKernel *kernel = node.device;
  for (uint32_t i = 0; kernel && i < kernel->numForwards; ++i) {
    const SluiceDeviceForward &forward = kernel->forwards[i];
    if (forward.to <= output.frameOffset &&
        output.frameOffset + output.size <= forward.to + forward.size)
      return true;
  }
  return false;
}

void DevicePlan::addValues() {
  for (uint32_t index = 0; index < plan.numNodes; ++index) {
    const SluicePlanNode &node = plan.nodes[index];
    for (uint32_t i = 0; i < node.numOutputs; ++i) {
      const SluicePlanOutput &output = node.outputs[i];
      for (bool isArray : {false, true}) {
        uint64_t offset = isArray ? output.arrayOffset : output.frameOffset;
        if (offset == SLUICE_NO_OFFSET)
          continue;
        nodes[index].ownValues.push_back(values.size());
        PlacedValue &value = values.emplace_back(
            PlacedValue{index, i, isArray, offset, output.size, {}});
        if (isArray)
          continue;
        value.isForwarded = isForwarded(node, output);
        for (uint32_t k = 0; k < plan.numResults; ++k)
          value.isResult |=
              overlap(offset, output.size, plan.results[k].frameOffset,
                      plan.results[k].size);
      }
    }
  }
}

uint32_t DevicePlan::findValue(uint32_t node, uint32_t output,
                               bool isArray) const {
  for (uint32_t value : nodes[node].ownValues)
    if (values[value].output == output && values[value].isArray == isArray)
      return value;
  return SLUICE_NO_INDEX;
}

void DevicePlan::addOperands(uint32_t index) {
  Node &node = nodes[index];
  const SluicePlanNode &table = plan.nodes[index];
  isBefore[index].resize(nodes.size());
  for (uint32_t before : node.predecessors) {
    isBefore[index][before] = true;
    for (uint32_t i = 0; i < before; ++i)
      if (isBefore[before][i])
        isBefore[index][i] = true;
  }
  for (uint32_t i = 0; i < table.numOperands; ++i) {
    const SluicePlanOperand &operand = table.operands[i];
    if (operand.node == SLUICE_NO_INDEX || operand.node >= index)
      continue;
    // If an edge allows both, a kernel may read either.
    for (bool isArray : {false, true})
      if (uint32_t value = findValue(operand.node, operand.index, isArray);
          value != SLUICE_NO_INDEX)
        node.operands.push_back(value);
  }
  std::sort(node.operands.begin(), node.operands.end());
  node.operands.erase(std::unique(node.operands.begin(), node.operands.end()),
                      node.operands.end());
  for (uint32_t value : node.operands)
    values[value].consumers.push_back(index);
}

/// A pointer without attributes may be used in any way.
static uint32_t accessOf(uint32_t access) {
  return access ? access : SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
}

uint32_t sluice::withRest(uint32_t access) {
  return access == SLUICE_ACCESS_OUT
             ? uint32_t(SLUICE_ACCESS_IN) | SLUICE_ACCESS_OUT
             : access;
}

void DevicePlan::addPointers(uint32_t index, const std::vector<char> &hasUser) {
  Node &node = nodes[index];
  const SluicePlanNode &table = plan.nodes[index];
  auto addArgument = [&](uint32_t number, uint32_t access) {
    const SluicePlanArgument &argument = plan.arguments[number];
    uint64_t sizeOffset =
        argument.sizeArgument == SLUICE_NO_INDEX
            ? SLUICE_NO_OFFSET
            : plan.arguments[argument.sizeArgument].frameOffset;
    node.pointers.push_back({argument.name, nullptr, 0, argument.frameOffset,
                             sizeOffset, accessOf(access)});
  };
  for (uint32_t i = 0; i < table.numOperands; ++i) {
    const SluicePlanOperand &operand = table.operands[i];
    if (!(operand.flags & SLUICE_PORT_POINTER) ||
        operand.index == SLUICE_NO_INDEX)
      continue;
    if (operand.node == SLUICE_NO_INDEX) {
      addArgument(operand.index, operand.access);
      continue;
    }
    const SluicePlanOutput &output =
        plan.nodes[operand.node].outputs[operand.index];
    if (output.frameOffset != SLUICE_NO_OFFSET && output.size == sizeof(void *))
      node.pointers.push_back({operand.name, nullptr, 0, output.frameOffset,
                               SLUICE_NO_OFFSET, accessOf(operand.access)});
  }
  // If the tables name no user, any node may be one.
  for (uint32_t i = 0; i < plan.numArguments; ++i)
    if (plan.arguments[i].flags & SLUICE_PORT_POINTER && !hasUser[i])
      addArgument(i, plan.arguments[i].access);
  for (uint32_t i = 0; table.device && i < table.device->numParameters; ++i)
    if (table.device->parameters[i].kind == SLUICE_DEVICE_POINTER)
      node.pointerParameters.push_back(i);
}

void DevicePlan::addKnownMemory(uint32_t index) {
  Node &node = nodes[index];
  const SluicePlanNode &table = plan.nodes[index];
  for (uint32_t number : node.pointerParameters) {
    const SluiceDeviceParameter &parameter = table.device->parameters[number];
    if (parameter.memory) {
      usesDatasets = true;
      node.knownMemory.push_back({SLUICE_NO_OFFSET, SLUICE_NO_OFFSET,
                                  parameter.memory, parameter.size});
      node.pointers.push_back({"dataset", parameter.memory, parameter.size,
                               SLUICE_NO_OFFSET, SLUICE_NO_OFFSET,
                               accessOf(parameter.access)});
    } else if (parameter.argument != SLUICE_NO_INDEX) {
      const SluicePlanArgument &argument = plan.arguments[parameter.argument];
      if (argument.sizeArgument != SLUICE_NO_INDEX)
        node.knownMemory.push_back(
            {argument.frameOffset,
             plan.arguments[argument.sizeArgument].frameOffset, nullptr, 0});
    }
  }
  if (table.device)
    return;
  for (uint32_t i = 0; i < table.numUses; ++i) {
    node.readsUnknownMemory = true;
    node.writesUnknownMemory |= table.uses[i].access != SLUICE_ACCESS_IN;
  }
}

/// Values that the kernel takes as parameters need not be sent.
void DevicePlan::findSent(uint32_t index) {
  const SluicePlanDeviceKernel *kernel = plan.nodes[index].device;
  if (!kernel)
    return;
  std::span<const SluiceDeviceParameter> parameters(kernel->parameters,
                                                    kernel->numParameters);
  auto hasParameter = [&](uint32_t kind, uint64_t frameOffset) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const SluiceDeviceParameter &parameter) {
                         return parameter.kind == kind &&
                                parameter.frameOffset == frameOffset;
                       });
  };
  bool hasFrame = std::any_of(parameters.begin(), parameters.end(),
                              [](const SluiceDeviceParameter &parameter) {
                                return parameter.kind == SLUICE_DEVICE_FRAME;
                              });
  for (uint32_t number : nodes[index].operands) {
    const PlacedValue &value = values[number];
    bool isSent =
        value.isArray
            ? hasParameter(SLUICE_DEVICE_ARRAY, value.frameOffset)
            : hasFrame &&
                  !hasParameter(SLUICE_DEVICE_VALUE, value.frameOffset) &&
                  !hasParameter(SLUICE_DEVICE_POINTER, value.frameOffset);
    if (isSent)
      nodes[index].sentOperands.push_back(number);
  }
}

void DevicePlan::findNeeded(uint32_t index) {
  Node &node = nodes[index];
  const SluicePlanNode &table = plan.nodes[index];
  const SluicePlanDeviceKernel *kernel = table.device;
  const bool needsAll = table.extents || (kernel && kernel->isGrouped) ||
                        (kernel && kernel->touch);
  auto reads = [&](const PlacedValue &value) {
    auto readsBytes = [&](uint64_t offset, uint64_t size) {
      return offset != SLUICE_NO_OFFSET &&
             overlap(offset, size, value.frameOffset, value.size);
    };
    for (uint32_t i = 0; kernel && i < kernel->numParameters; ++i) {
      const SluiceDeviceParameter &parameter = kernel->parameters[i];
      bool isValue = parameter.kind == SLUICE_DEVICE_VALUE &&
                     readsBytes(parameter.frameOffset, parameter.size);
      bool isPointer = parameter.kind == SLUICE_DEVICE_POINTER &&
                       (readsBytes(parameter.frameOffset, sizeof(void *)) ||
                        readsBytes(parameter.sizeOffset, 8));
      if (isValue || isPointer)
        return true;
    }
    for (uint32_t i = 0; kernel && i < kernel->numForwards; ++i)
      if (readsBytes(kernel->forwards[i].from, kernel->forwards[i].size))
        return true;
    return false;
  };
  for (uint32_t i = 0; i < values.size(); ++i) {
    PlacedValue &value = values[i];
    if (value.isArray || value.isForwarded || value.node >= index ||
        !isBefore[index][value.node] || !(needsAll || reads(value)))
      continue;
    value.isNeededToOpen = true;
    node.neededToOpen.push_back(i);
  }
}
