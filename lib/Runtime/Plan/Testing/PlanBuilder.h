//===- PlanBuilder.h - Plans written by hand in tests ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that need plans without the compiler. The builder owns the tables
// and lays out the frame: every argument, result and output is eight-byte
// aligned.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_TESTING_PLANBUILDER_H
#define SLUICE_RUNTIME_PLAN_TESTING_PLANBUILDER_H

#include "sluice-c/Plan.h"
#include "sluice/Base/TableHead.h"

#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

namespace sluice::test {

/// A value in a frame.
template <typename Value>
Value &at(const SluiceInvocation *invocation, uint64_t offset) {
  return *reinterpret_cast<Value *>(invocation->frame + offset);
}

class PlanBuilder {
public:
  explicit PlanBuilder(const char *name = "root") { plan.name = name; }
  PlanBuilder(const PlanBuilder &) = delete;

  /// Returns the frame offset.
  uint64_t argument(const char *name, uint64_t size, uint32_t flags = 0,
                    uint32_t access = 0,
                    uint32_t sizeArgument = SLUICE_NO_INDEX) {
    uint64_t offset = room(size);
    arguments.push_back({name, size, offset, flags, access, sizeArgument, 0});
    return offset;
  }
  /// A pointer and its size, as every HPVM program passes them.
  uint64_t buffer(const char *name, uint32_t access, uint32_t flags = 0) {
    uint32_t size = static_cast<uint32_t>(arguments.size()) + 1;
    uint64_t offset = argument(name, sizeof(void *),
                               SLUICE_PORT_POINTER | flags, access, size);
    argument("size", 8, flags);
    return offset;
  }
  void result(const char *name, uint64_t size, uint64_t frameOffset) {
    results.push_back({name, size, frameOffset, 0, 0});
  }

  /// A node of one level with constant extents (none: a single instance).
  /// Every instance is an instance for edges.
  uint32_t node(const char *name, SluiceKernel kernel,
                std::vector<int64_t> extents = {}) {
    Node &node = nodes.emplace_back();
    node.constant = std::move(extents);
    if (!node.constant.empty())
      node.constant.resize((node.constant.size() + 2) / 3 * 3, 1);
    uint32_t levels = static_cast<uint32_t>(node.constant.size()) / 3;
    node.plan.name = name;
    node.plan.location = "test.c:1:1";
    node.plan.kernel = kernel;
    node.plan.target = SLUICE_TARGET_CPU;
    node.plan.numLevels = node.plan.numIndexLevels = node.plan.numUnitLevels =
        levels;
    return static_cast<uint32_t>(nodes.size()) - 1;
  }
  /// The same with extents evaluated from the frame.
  uint32_t node(const char *name, SluiceKernel kernel, SluiceExtents extents,
                uint32_t numLevels = 1) {
    uint32_t index = node(name, kernel);
    SluicePlanNode &plan = nodes[index].plan;
    plan.extents = extents;
    plan.numLevels = plan.numIndexLevels = plan.numUnitLevels = numLevels;
    return index;
  }
  /// An output in the frame, with an array of all instances if `hasArray`.
  uint64_t output(uint32_t node, const char *name, uint64_t size,
                  bool hasArray = false, uint64_t *arrayOffset = nullptr) {
    SluicePlanOutput output = {name,
                               size,
                               room(size),
                               SLUICE_NO_OFFSET,
                               nodes[node].plan.numIndexLevels,
                               0};
    if (hasArray)
      output.arrayOffset = room(sizeof(void *));
    if (arrayOffset)
      *arrayOffset = output.arrayOffset;
    nodes[node].outputs.push_back(output);
    return output.frameOffset;
  }
  void order(uint32_t before, uint32_t after,
             uint32_t replication = SLUICE_ALL_TO_ALL) {
    nodes[before].successors.push_back({after, replication});
    ++(replication == SLUICE_ONE_TO_ONE
           ? nodes[after].plan.numOneToOnePredecessors
           : nodes[after].plan.numAllToAllPredecessors);
  }
  void shape(uint32_t node, uint64_t frameOffset, uint64_t size) {
    nodes[node].shape.push_back({frameOffset, size});
  }
  void disjoint(uint32_t first, uint32_t second) {
    pairs.push_back({first, second});
  }
  /// Memory without an argument; returns its index.
  uint32_t memory(const char *name) {
    memories.push_back({name});
    return static_cast<uint32_t>(memories.size()) - 1;
  }
  void use(uint32_t node, uint32_t memory, uint32_t access) {
    nodes[node].uses.push_back({memory, access});
  }
  /// The node takes argument `argument` of the graph as a pointer.
  void operand(uint32_t node, uint32_t argument, uint32_t access) {
    nodes[node].operands.push_back({arguments[argument].name, SLUICE_NO_INDEX,
                                    argument, SLUICE_ALL_TO_ALL,
                                    arguments[argument].flags, access, 0});
  }
  /// The node takes an output of an earlier node, which it must be ordered
  /// behind.
  void operandOf(uint32_t node, uint32_t from, uint32_t output,
                 uint32_t replication = SLUICE_ALL_TO_ALL) {
    nodes[node].operands.push_back(
        {nodes[from].outputs[output].name, from, output, replication, 0, 0, 0});
  }
  /// How the node runs on a device; the parameters follow.
  SluicePlanDeviceKernel &device(uint32_t node, const char *entry) {
    nodes[node].plan.target = SLUICE_TARGET_GPU;
    nodes[node].device.entry = entry;
    nodes[node].device.gridLevel =
        nodes[node].plan.numLevels ? 0 : SLUICE_NO_INDEX;
    nodes[node].device.numGridDims = nodes[node].plan.numLevels ? 1 : 0;
    return nodes[node].device;
  }
  void parameter(uint32_t node, const SluiceDeviceParameter &parameter) {
    nodes[node].parameters.push_back(parameter);
  }
  /// `size` bytes at an offset of the frame.
  void valueParameter(uint32_t node, uint64_t offset, uint64_t size = 8) {
    parameter(node, {SLUICE_DEVICE_VALUE, 0, offset, size, 0, SLUICE_NO_INDEX,
                     SLUICE_NO_OFFSET, nullptr});
  }
  /// Argument `argument` of the graph, a pointer followed by its size.
  void pointerParameter(uint32_t node, uint32_t argument, uint32_t access) {
    uint32_t size = arguments[argument].sizeArgument;
    parameter(node,
              {SLUICE_DEVICE_POINTER, access, arguments[argument].frameOffset,
               sizeof(void *), 0, argument,
               size == SLUICE_NO_INDEX ? SLUICE_NO_OFFSET
                                       : arguments[size].frameOffset,
               nullptr});
  }
  void simpleParameter(uint32_t node, uint32_t kind, uint32_t index = 0) {
    parameter(node, {kind, 0, 0, 0, index, SLUICE_NO_INDEX, SLUICE_NO_OFFSET,
                     nullptr});
  }
  void arrayParameter(uint32_t node, uint64_t arrayOffset, uint64_t size,
                      uint32_t access) {
    parameter(node, {SLUICE_DEVICE_ARRAY, access, arrayOffset, size, 1,
                     SLUICE_NO_INDEX, SLUICE_NO_OFFSET, nullptr});
  }
  void forward(uint32_t node, uint64_t from, uint64_t to, uint64_t size = 8) {
    nodes[node].forwards.push_back({from, to, size});
  }
  SluicePlanNode &at(uint32_t node) { return nodes[node].plan; }
  uint64_t room(uint64_t size) {
    uint64_t offset = frameSize;
    frameSize += (size + 7) / 8 * 8;
    return offset;
  }

  /// Fills in the tables; the plan lives as long as the builder.
  const SluicePlan *finish() {
    table.clear();
    for (Node &node : nodes) {
      node.plan.constantExtents = node.constant.data();
      node.plan.outputs = node.outputs.data();
      node.plan.numOutputs = static_cast<uint32_t>(node.outputs.size());
      node.plan.successors = node.successors.data();
      node.plan.numSuccessors = static_cast<uint32_t>(node.successors.size());
      node.plan.shape = node.shape.data();
      node.plan.numShape = static_cast<uint32_t>(node.shape.size());
      node.plan.operands = node.operands.data();
      node.plan.numOperands = static_cast<uint32_t>(node.operands.size());
      node.plan.uses = node.uses.data();
      node.plan.numUses = static_cast<uint32_t>(node.uses.size());
      if (node.device.entry) {
        node.device.parameters = node.parameters.data();
        node.device.numParameters =
            static_cast<uint32_t>(node.parameters.size());
        node.device.forwards = node.forwards.data();
        node.device.numForwards = static_cast<uint32_t>(node.forwards.size());
        node.plan.device = &node.device;
        plan.deviceModule = &module;
      }
      table.push_back(node.plan);
    }
    plan.head = tableHead<SluicePlan>;
    plan.location = "";
    plan.frameSize = frameSize;
    plan.arguments = arguments.data();
    plan.results = results.data();
    plan.nodes = table.data();
    plan.disjointPairs = pairs.data();
    plan.memories = memories.data();
    plan.numMemories = static_cast<uint32_t>(memories.size());
    plan.numArguments = static_cast<uint32_t>(arguments.size());
    plan.numResults = static_cast<uint32_t>(results.size());
    plan.numNodes = static_cast<uint32_t>(table.size());
    plan.numDisjointPairs = static_cast<uint32_t>(pairs.size());
    plan.packedSize = 0;
    for (const SluicePlanArgument &argument : arguments)
      plan.packedSize += argument.size;
    for (const SluicePlanResult &result : results)
      plan.packedSize += result.size;
    return &plan;
  }

  SluicePlan plan = {};

private:
  struct Node {
    SluicePlanNode plan = {};
    std::vector<int64_t> constant;
    std::vector<SluicePlanOperand> operands;
    std::vector<SluicePlanUse> uses;
    std::vector<SluicePlanOutput> outputs;
    std::vector<SluicePlanSuccessor> successors;
    std::vector<SluicePlanShape> shape;
    SluicePlanDeviceKernel device = {};
    std::vector<SluiceDeviceParameter> parameters;
    std::vector<SluiceDeviceForward> forwards;
  };
  SluiceDeviceModule module = {
      tableHead<SluiceDeviceModule>, "test", "test", nullptr, 0, 0};
  uint64_t frameSize = 0;
  std::deque<Node> nodes;
  std::vector<SluicePlanArgument> arguments;
  std::vector<SluicePlanResult> results;
  std::vector<SluicePlanPair> pairs;
  std::vector<SluicePlanMemory> memories;
  std::vector<SluicePlanNode> table;
};

/// A packed argument structure, filled field by field.
class Structure {
public:
  template <typename Value> Structure &add(Value value) {
    size_t offset = bytes.size();
    bytes.resize(offset + sizeof(Value));
    std::memcpy(bytes.data() + offset, &value, sizeof(Value));
    return *this;
  }
  template <typename Value> Value read(size_t offset) const {
    Value value;
    std::memcpy(&value, bytes.data() + offset, sizeof(Value));
    return value;
  }
  void *data() { return bytes.data(); }

private:
  std::vector<unsigned char> bytes;
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_PLAN_TESTING_PLANBUILDER_H
