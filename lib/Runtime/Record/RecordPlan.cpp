//===- RecordPlan.cpp - Records of graphs ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observes the interpreter while it runs an instance of a plan.
//
//===----------------------------------------------------------------------===//

#include "../Execution/PlanInterpreter.h"
#include "LaunchRecorder.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace sluice;

static std::string describe(const SluicePlan &plan,
                            const std::string &codeHash) {
  RecordEncoder out;
  out.number(0).text(plan.name).text(plan.location).text(codeHash);
  out.number(plan.numNodes);
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    const SluicePlanNode &node = plan.nodes[i];
    out.text(node.name).text(node.location);
    for (uint32_t s = 0; s < node.numSuccessors; ++s)
      edges.push_back({i, node.successors[s].node});
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  out.number(edges.size());
  for (auto [from, to] : edges)
    out.number(from).number(to);
  return std::move(out.bytes);
}

static uint64_t frameWord(const unsigned char *frame, uint64_t offset) {
  uint64_t word;
  std::memcpy(&word, frame + offset, sizeof word);
  return word;
}

/// The memory behind the pointer arguments of an instance.
static std::vector<GivenMemory>
memoryOf(const SluicePlan &plan, const unsigned char *frame,
         const Recorder::SizeOf &sizeOf, const std::set<uint64_t> &leftOut,
         std::vector<const char *> &unsizedOnes) {
  std::vector<GivenMemory> given;
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    if (!(argument.flags & SLUICE_PORT_POINTER))
      continue;
    const uint64_t start = frameWord(frame, argument.frameOffset);
    if (!start || leftOut.count(start))
      continue;
    uint64_t size =
        argument.sizeArgument == SLUICE_NO_INDEX
            ? sizeOf(reinterpret_cast<const void *>(start))
            : frameWord(frame,
                        plan.arguments[argument.sizeArgument].frameOffset);
    if (!size && argument.sizeArgument == SLUICE_NO_INDEX)
      unsizedOnes.push_back(argument.name);
    if (size > UINT64_MAX - start)
      size = UINT64_MAX - start;
    given.push_back({argument.name, "", start, size, argument.access});
  }
  return given;
}

namespace {
class PlanRecorder final : public PlanObserver {
public:
  PlanRecorder(const SluicePlan &plan, unsigned char *frame,
               const RecordOptions &options, std::vector<GivenMemory> given,
               Recorder &recorder)
      : plan(plan), frame(frame), options(options),
        launch(recorder, options, std::move(given), plan.numNodes),
        pointerOutputs(plan.numNodes), isUnset(plan.numNodes) {
    for (uint32_t i = 0; i < plan.numNodes; ++i) {
      pointerOutputs[i].resize(plan.nodes[i].numOutputs);
      isUnset[i].resize(plan.nodes[i].numOutputs);
      for (uint32_t k = 0; k < plan.nodes[i].numOperands; ++k)
        if (const SluicePlanOperand &operand = plan.nodes[i].operands[k];
            operand.node != SLUICE_NO_INDEX &&
            operand.flags & SLUICE_PORT_POINTER)
          pointerOutputs[operand.node][operand.index] = true;
    }
  }

  void begin(const std::string &codeHash) {
    EncodedValues arguments;
    for (uint32_t i = 0; i < plan.numArguments; ++i) {
      const SluicePlanArgument &argument = plan.arguments[i];
      launch.addValue(arguments, argument.name, frame + argument.frameOffset,
                      argument.size, argument.flags & SLUICE_PORT_POINTER);
    }
    launch.begin(describe(plan, codeHash), arguments);
  }

  void beginNode(uint32_t) override {}

  void beginInstances(uint32_t index, const int64_t *extents,
                      bool isEmpty) override {
    const SluicePlanNode &node = plan.nodes[index];
    EncodedValues inputs;
    std::vector<ByteRange> written;
    const char *unrecorded = nullptr;
    auto addBlockOf = [&](uint64_t address) {
      if (const GivenMemory *block = launch.blockOf(address))
        written.push_back({block->start, block->start + block->size});
    };
    for (uint32_t i = 0; i < node.numOperands; ++i) {
      const SluicePlanOperand &operand = node.operands[i];
      auto [offset, size] = placeOf(operand);
      if (offset == SLUICE_NO_OFFSET)
        continue;
      const bool isPointer = operand.flags & SLUICE_PORT_POINTER;
      if (operand.node != SLUICE_NO_INDEX &&
          isUnset[operand.node][operand.index]) {
        LaunchRecorder::addUnset(inputs, operand.name, size);
        continue;
      }
      launch.addValue(inputs, operand.name, frame + offset, size, isPointer);
      if (!isPointer || operand.access == SLUICE_ACCESS_IN || size != 8)
        continue;
      const uint64_t address = frameWord(frame, offset);
      addBlockOf(address);
      // Memory that an earlier node has allocated.
      if (address && !launch.blockOf(address))
        unrecorded = operand.name;
    }
    for (uint32_t i = 0; i < node.numUses; ++i) {
      const char *name = plan.memories[node.uses[i].memory].name;
      if (!(node.uses[i].access & SLUICE_ACCESS_OUT))
        continue;
      const SluicePlanArgument *argument = argumentCalled(name);
      if (argument)
        addBlockOf(frameWord(frame, argument->frameOffset));
      else
        unrecorded = name;
    }
    launch.beginNode(index, /*isPoint=*/false,
                     {extents, 3 * size_t(node.numLevels)}, inputs,
                     std::move(written));
    isRepeatable = options.verifies && !options.ofTasks && !isEmpty;
    if (isRepeatable && unrecorded) {
      launch.refuseToRunAgain(
          concat("it changes ", quoted(unrecorded), ", which is not recorded"));
      isRepeatable = false;
    }
    this->extents = extents;
    this->isEmpty = isEmpty;
    markOutputs(node);
    if (isRepeatable)
      before.assign(frame, frame + plan.frameSize);
  }

  bool endNode(uint32_t index, const Status &status) override {
    if (launch.nodeHasRun(isRepeatable && status.ok())) {
      after.assign(frame, frame + plan.frameSize);
      arrays = arraysOf(plan.nodes[index]);
      std::copy(before.begin(), before.end(), frame);
      return true;
    }
    finish(index, status);
    return false;
  }

  void endSecondRun(uint32_t index, const Status &status) override {
    const SluicePlanNode &node = plan.nodes[index];
    std::string problem;
    if (!status.ok())
      problem = concat("run again, it failed: ", status.message());
    for (uint32_t i = 0; i < node.numOutputs && problem.empty(); ++i) {
      const SluicePlanOutput &output = node.outputs[i];
      // A node that allocates memory gets different memory.
      if (output.frameOffset != SLUICE_NO_OFFSET && !pointerOutputs[index][i] &&
          std::memcmp(frame + output.frameOffset,
                      after.data() + output.frameOffset, output.size) != 0)
        problem = concat("output ", quoted(output.name),
                         " was another one in a second run");
    }
    std::vector<std::string> second = arraysOf(node);
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (problem.empty() && arrays[i] != second[i])
        problem = "an output was another one in a second run, in some instance";
      restoreArray(node, i);
    }
    std::copy(after.begin(), after.end(), frame);
    launch.nodeHasRunAgain(std::move(problem));
    finish(index, {});
  }

  void end(const Status &status) {
    EncodedValues results;
    if (status.ok())
      for (uint32_t i = 0; i < plan.numResults; ++i) {
        const SluicePlanResult &result = plan.results[i];
        launch.addValue(results, result.name, frame + result.frameOffset,
                        result.size, result.flags & SLUICE_PORT_POINTER);
      }
    launch.end(results, status.message());
  }

private:
  /// A pattern that no node computes by chance. Smaller outputs cannot be
  /// checked.
  static constexpr unsigned char mark[] = {0xb7, 0x0d, 0xe5, 0x91,
                                           0x6a, 0xf3, 0x2c, 0xd8};
  static constexpr uint64_t leastMarked = 4;
  static bool isMarked(const SluicePlanOutput &output) {
    return output.frameOffset != SLUICE_NO_OFFSET && output.size >= leastMarked;
  }
  uint64_t markSize(const SluicePlanOutput &output) const {
    return std::min<uint64_t>(output.size, sizeof mark);
  }
  /// Marks outputs to detect which of them the node stores.
  void markOutputs(const SluicePlanNode &node) {
    unmarked.assign(frame, frame + plan.frameSize);
    for (uint32_t i = 0; i < node.numOutputs; ++i)
      if (isMarked(node.outputs[i]))
        std::memcpy(frame + node.outputs[i].frameOffset, mark,
                    markSize(node.outputs[i]));
  }
  /// Restores outputs that were not stored.
  void unmarkOutputs(uint32_t index) {
    const SluicePlanNode &node = plan.nodes[index];
    for (uint32_t i = 0; i < node.numOutputs; ++i) {
      const SluicePlanOutput &output = node.outputs[i];
      const uint64_t offset = output.frameOffset;
      isUnset[index][i] =
          isMarked(output) &&
          std::memcmp(frame + offset, mark, markSize(output)) == 0;
      if (isUnset[index][i])
        std::memcpy(frame + offset, unmarked.data() + offset, markSize(output));
    }
  }

  const SluicePlanArgument *argumentCalled(const char *name) const {
    for (uint32_t i = 0; i < plan.numArguments; ++i)
      if (!std::strcmp(plan.arguments[i].name, name) &&
          plan.arguments[i].flags & SLUICE_PORT_POINTER)
        return &plan.arguments[i];
    return nullptr;
  }

  std::pair<uint64_t, uint64_t>
  placeOf(const SluicePlanOperand &operand) const {
    if (operand.node == SLUICE_NO_INDEX)
      return {plan.arguments[operand.index].frameOffset,
              plan.arguments[operand.index].size};
    const SluicePlanOutput &output =
        plan.nodes[operand.node].outputs[operand.index];
    return {output.frameOffset, output.size};
  }

  /// The memory of an output's values of all instances; empty if they are not
  /// kept.
  std::pair<unsigned char *, uint64_t>
  arrayOf(const SluicePlanOutput &output) const {
    if (output.arrayOffset == SLUICE_NO_OFFSET || isEmpty)
      return {};
    uint64_t count = 1;
    for (uint32_t i = 0; i < 3 * output.arrayLevels; ++i)
      count *= static_cast<uint64_t>(extents[i]);
    return {
        reinterpret_cast<unsigned char *>(frameWord(frame, output.arrayOffset)),
        count * output.size};
  }
  std::vector<std::string> arraysOf(const SluicePlanNode &node) const {
    std::vector<std::string> found;
    for (uint32_t i = 0; i < node.numOutputs; ++i)
      if (auto [start, size] = arrayOf(node.outputs[i]); start)
        found.emplace_back(reinterpret_cast<char *>(start), size);
    return found;
  }
  /// Restores array `number` after the first run.
  void restoreArray(const SluicePlanNode &node, size_t number) {
    size_t next = 0;
    for (uint32_t i = 0; i < node.numOutputs; ++i)
      if (auto [start, size] = arrayOf(node.outputs[i]);
          start && next++ == number)
        std::memcpy(start, arrays[number].data(), size);
  }

  void finish(uint32_t index, const Status &status) {
    const SluicePlanNode &node = plan.nodes[index];
    unmarkOutputs(index);
    EncodedValues outputs;
    for (uint32_t i = 0; status.ok() && i < node.numOutputs; ++i) {
      const SluicePlanOutput &output = node.outputs[i];
      if (isUnset[index][i])
        LaunchRecorder::addUnset(outputs, output.name, output.size);
      else if (output.frameOffset != SLUICE_NO_OFFSET)
        launch.addValue(outputs, output.name, frame + output.frameOffset,
                        output.size, pointerOutputs[index][i]);
      if (auto [start, size] = arrayOf(output);
          start && !pointerOutputs[index][i])
        launch.addValue(outputs, concat(output.name, "[]"), start, size, false);
    }
    launch.endNode(outputs, status.message());
  }

  const SluicePlan &plan;
  unsigned char *const frame;
  const RecordOptions &options;
  LaunchRecorder launch;
  /// For each node: outputs that others take as pointers.
  std::vector<std::vector<bool>> pointerOutputs;
  /// For this launch: outputs that a kernel does not store.
  std::vector<std::vector<bool>> isUnset;
  /// The frame before outputs were marked.
  std::vector<unsigned char> unmarked;
  const int64_t *extents = nullptr;
  bool isEmpty = false, isRepeatable = false;
  /// The frame before and after the first run of a node, and its arrays.
  std::vector<unsigned char> before, after;
  std::vector<std::string> arrays;
};
} // namespace

Status Recorder::runPlan(const PlanInfo &info, unsigned char *frame,
                         InstanceMemory &memory, const RecordOptions &options,
                         const SizeOf &sizeOf) {
  std::lock_guard lock(mutex);
  const SluicePlan &plan = info.plan;
  std::vector<const char *> unknown;
  std::vector<GivenMemory> given =
      memoryOf(plan, frame, sizeOf, leftOut, unknown);
  for (const char *name : unknown)
    noteLocked(concat("memory behind ", quoted(name), " of graph ",
                      quoted(plan.name),
                      " is not recorded: its size is not known"));
  for (uint32_t i = 0; i < plan.numMemories; ++i) {
    const char *name = plan.memories[i].name;
    const bool isGiven =
        std::any_of(given.begin(), given.end(),
                    [&](const GivenMemory &one) { return one.name == name; });
    if (!isGiven)
      noteLocked(concat(quoted(name), ", which nodes of graph ",
                        quoted(plan.name),
                        " use without an argument, is not recorded"));
  }
  PlanRecorder observer(plan, frame, options, std::move(given), *this);
  observer.begin(plan.numNodes ? codeHashOf(reinterpret_cast<const void *>(
                                     plan.nodes[0].kernel))
                               : std::string());
  Status status =
      interpretPlan(info, frame, memory, /*numChunks=*/1, &observer);
  observer.end(status);
  return status;
}
