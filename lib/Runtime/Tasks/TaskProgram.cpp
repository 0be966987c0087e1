//===- TaskProgram.cpp - Checking the tables of a task graph --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables come from compiled files, possibly of another compiler version, so
// everything is checked before it is used.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "../Plan/PlanInfo.h"

#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::tasks;

static Status programError(const SluiceTaskProgram &program,
                           std::string_view what) {
  return Status::invalidArgument(
      concat("task graph ", quoted(program.name), ": ", what));
}

/// The number of elements times their size, or nothing on overflow.
static std::optional<uint64_t> sizeOf(const SluiceTaskData &data) {
  uint64_t size = data.elementBits / 8;
  for (uint32_t i = 0; i < data.rank; ++i)
    if (data.shape[i] < 0 ||
        __builtin_mul_overflow(size, static_cast<uint64_t>(data.shape[i]),
                               &size))
      return std::nullopt;
  return size;
}

static Status checkData(const SluiceTaskProgram &program,
                        const SluiceTaskData &data) {
  if (!data.name)
    return programError(program, "a dataset has no name");
  if (data.kind > SLUICE_DATA_PYOBJ)
    return programError(program, concat("dataset ", quoted(data.name),
                                        " is of kind ", data.kind));
  if (data.kind == SLUICE_DATA_PYOBJ)
    return data.size == sizeof(void *)
               ? Status()
               : programError(program,
                              concat("object ", quoted(data.name), " has ",
                                     data.size, " bytes, expected ",
                                     sizeof(void *)));
  uint32_t bits = data.elementBits;
  bool isFloat = data.elementKind == SLUICE_ELEMENT_FLOAT;
  if (data.elementKind > SLUICE_ELEMENT_FLOAT ||
      (bits != 32 && bits != 64 && (isFloat || (bits != 8 && bits != 16))))
    return programError(
        program, concat("dataset ", quoted(data.name), " has elements of kind ",
                        data.elementKind, " and ", bits, " bits"));
  std::optional<uint64_t> size = sizeOf(data);
  // Scalars have room for 8 bytes.
  bool fits = size && (data.kind == SLUICE_DATA_SCALAR ? *size <= data.size
                                                       : *size == data.size);
  if (!fits)
    return programError(program,
                        concat("dataset ", quoted(data.name), " has ",
                               data.size, " bytes, which its shape has not"));
  return {};
}

static Status checkTask(const SluiceTaskProgram &program,
                        const SluiceTaskRecord &task,
                        std::vector<uint32_t> &numUses) {
  if (!task.name || !task.kernel)
    return programError(program, "a task has no name or no kernel");
  if (task.numVariants == 0)
    return programError(program,
                        concat("task ", quoted(task.name), " has no variant"));
  for (uint32_t i = 0; i < task.numArguments; ++i)
    if (task.arguments[i].data >= program.numData)
      return programError(
          program, concat("task ", quoted(task.name), " was given dataset ",
                          task.arguments[i].data, " of ", program.numData));
  std::vector<bool> isUsed(program.numData);
  for (uint32_t i = 0; i < task.numUses; ++i) {
    uint32_t data = task.uses[i].data;
    if (data >= program.numData)
      return programError(program,
                          concat("task ", quoted(task.name), " uses dataset ",
                                 data, " of ", program.numData));
    if (isUsed[data])
      return programError(program,
                          concat("task ", quoted(task.name), " names dataset ",
                                 quoted(program.data[data].name), " twice"));
    isUsed[data] = true;
    ++numUses[data];
  }
  return {};
}

static Status checkPlan(const SluiceTaskProgram &program) {
  if (!program.plan)
    return programError(program, "there is no plan");
  if (Status status = checkTable(*program.plan); !status.ok())
    return status;
  const SluicePlan &plan = *program.plan;
  uint64_t numArguments = 2 * uint64_t(program.numData) + 2;
  if (plan.numArguments != numArguments || plan.numResults ||
      plan.packedSize != 8 * numArguments || plan.isStreaming)
    return programError(
        program, concat("its plan takes ", plan.numArguments, " arguments in ",
                        plan.packedSize, " bytes, expected ", numArguments,
                        " in ", 8 * numArguments, ", and no results"));
  return {};
}

Status sluice::tasks::checkProgram(const SluiceTaskProgram &program) {
  if (Status status = checkTable(program); !status.ok())
    return status;
  if (Status status = checkPlan(program); !status.ok())
    return status;
  std::vector<uint32_t> numUses(program.numData);
  for (uint32_t i = 0; i < program.numData; ++i)
    if (Status status = checkData(program, program.data[i]); !status.ok())
      return status;
  for (uint32_t i = 0; i < program.numTasks; ++i)
    if (Status status = checkTask(program, program.tasks[i], numUses);
        !status.ok())
      return status;
  for (uint32_t i = 0; i < program.numData; ++i)
    if (program.data[i].numUses != numUses[i])
      return programError(
          program, concat("dataset ", quoted(program.data[i].name), " states ",
                          program.data[i].numUses, " uses, but tasks name it ",
                          numUses[i], " times"));
  return {};
}
