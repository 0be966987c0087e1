//===- CheckedRun.cpp - Running a graph instance under SLUICE_CHECK=1 -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs both kinds of plans with the sequential interpreter.
//
//===----------------------------------------------------------------------===//

#include "CheckedRun.h"

#include "../Execution/PlanInterpreter.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace sluice;

namespace {
struct CheckedMemory {
  const unsigned char *start;
  uint64_t size;
};
} // namespace

/// The memory of a pointer argument; empty if its size is unknown.
static CheckedMemory memoryOf(const SluicePlan &plan,
                              const unsigned char *frame,
                              const SluicePlanArgument &argument) {
  CheckedMemory memory = {nullptr, 0};
  if (!(argument.flags & SLUICE_PORT_POINTER) ||
      argument.sizeArgument == SLUICE_NO_INDEX)
    return memory;
  std::memcpy(&memory.start, frame + argument.frameOffset, sizeof(void *));
  std::memcpy(&memory.size,
              frame + plan.arguments[argument.sizeArgument].frameOffset,
              sizeof(uint64_t));
  if (!memory.start)
    memory.size = 0;
  return memory;
}

static bool overlap(const CheckedMemory &a, const CheckedMemory &b) {
  return a.size && b.size && a.start < b.start + b.size &&
         b.start < a.start + a.size;
}

InputSnapshot::InputSnapshot(const SluicePlan &plan, const unsigned char *frame)
    : plan(plan) {
  for (uint32_t i = 0; i < plan.numArguments; ++i) {
    const SluicePlanArgument &argument = plan.arguments[i];
    CheckedMemory memory = memoryOf(plan, frame, argument);
    if (argument.access != SLUICE_ACCESS_IN || !memory.size)
      continue;
    // Another argument may also refer to the same memory.
    bool isWritable = false;
    for (uint32_t k = 0; k < plan.numArguments; ++k)
      isWritable |= plan.arguments[k].access != SLUICE_ACCESS_IN &&
                    overlap(memory, memoryOf(plan, frame, plan.arguments[k]));
    if (!isWritable)
      inputs.push_back({argument.name,
                        memory.start,
                        {memory.start, memory.start + memory.size}});
  }
}

Status InputSnapshot::compare() const {
  std::string text;
  for (const Input &input : inputs) {
    auto [before, after] =
        std::mismatch(input.copy.begin(), input.copy.end(), input.memory);
    if (before == input.copy.end())
      continue;
    text += concat(
        text.empty() ? "" : "\nsluice: error: ", "graph ", quoted(plan.name),
        " changed byte ", before - input.copy.begin(), " of ",
        quoted(input.name), ", which it was given as 'in', from ", int(*before),
        " to ", int(*after), ": declare it 'out' as well, or write elsewhere");
  }
  return text.empty() ? Status() : Status::error(StatusCode::NodeFailed, text);
}

Status CheckedRun::run(const PlanInfo &info, unsigned char *frame,
                       InstanceMemory &memory) {
  Worker *before = Worker::current();
  Worker::setCurrent(&worker);
  Status status = info.plan.isChecked ? runChecked(info, frame, memory)
                                      : runUninstrumented(info, frame, memory);
  Worker::setCurrent(before);
  return status;
}

Status CheckedRun::runChecked(const PlanInfo &info, unsigned char *frame,
                              InstanceMemory &memory) {
  checker.begin(info.plan, frame);
  return checker.end(
      interpretPlan(info, frame, memory, /*numChunks=*/1, &checker));
}

Status CheckedRun::runUninstrumented(const PlanInfo &info, unsigned char *frame,
                                     InstanceMemory &memory) {
  if (!saidWhatIsMissing)
    std::fprintf(stderr,
                 "sluice: note: SLUICE_CHECK=1 finds only writes to 'in' "
                 "arguments here, since the program was built without it; "
                 "'sluice run' and 'sluice build --check' find the rest\n");
  saidWhatIsMissing = true;
  InputSnapshot inputs(info.plan, frame);
  Status status = interpretPlan(info, frame, memory);
  Status changed = inputs.compare();
  if (status.ok() || changed.ok())
    return status.ok() ? std::move(changed) : std::move(status);
  return Status::error(
      StatusCode::NodeFailed,
      concat(changed.message(), "\nsluice: error: ", status.message()));
}
