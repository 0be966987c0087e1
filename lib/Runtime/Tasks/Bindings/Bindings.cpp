//===- Bindings.cpp - Datasets in memory of the caller --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <vector>

using namespace sluice;
using namespace sluice::tasks;

/// The first task that writes a dataset, or null.
static const SluiceTaskRecord *writerOf(const SluiceTaskProgram &program,
                                        uint32_t data) {
  for (uint32_t i = 0; i < program.numTasks; ++i) {
    const SluiceTaskRecord &task = program.tasks[i];
    for (uint32_t k = 0; k < task.numUses; ++k)
      if (task.uses[k].data == data &&
          (task.uses[k].access & SLUICE_ACCESS_OUT))
        return &task;
  }
  return nullptr;
}

Status sluice::tasks::checkBinding(const SluiceTaskProgram &program,
                                   uint32_t index, const Binding &binding) {
  if (index >= program.numData)
    return Status::misuse(concat("graph ", quoted(program.name), " has ",
                                 program.numData, " datasets, so none is ",
                                 index));
  const SluiceTaskData &data = program.data[index];
  if (data.kind != SLUICE_DATA_DAT)
    return Status::misuse(concat(quoted(data.name),
                                 " is no array, so it lies in no memory of "
                                 "the caller"));
  const uint64_t elementSize = data.elementBits / 8;
  auto address = reinterpret_cast<uintptr_t>(binding.memory);
  if (address % elementSize)
    return Status::misuse(
        concat("the array for dataset ", quoted(data.name),
               " is not aligned: its elements have ", elementSize,
               " bytes, and the first one is ", address % elementSize,
               " bytes behind a multiple of that; use a copy"));
  const SluiceTaskRecord *writer =
      binding.isReadOnly ? writerOf(program, index) : nullptr;
  if (writer)
    return Status::misuse(concat("the array for dataset ", quoted(data.name),
                                 " is read-only, but task ",
                                 quoted(writer->name), " writes it"));
  return {};
}

Status sluice::tasks::checkApart(const SluiceTaskProgram &program,
                                 std::span<const Binding> bindings) {
  std::vector<uint32_t> bound;
  for (uint32_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].memory && program.data[i].size)
      bound.push_back(i);
  auto begin = [&](uint32_t index) {
    return reinterpret_cast<uintptr_t>(bindings[index].memory);
  };
  auto end = [&](uint32_t index) {
    return begin(index) + program.data[index].size;
  };
  std::sort(bound.begin(), bound.end(), [&](uint32_t a, uint32_t b) {
    return begin(a) != begin(b) ? begin(a) < begin(b) : a < b;
  });
  // The arrays so far with the largest ends: of all arrays, and of written
  // ones. Any relevant overlap is an overlap with one of these.
  const uint32_t none = UINT32_MAX;
  uint32_t furthest = none, furthestWritten = none;
  for (uint32_t index : bound) {
    const bool isWritten = writerOf(program, index) != nullptr;
    uint32_t other = isWritten ? furthest : furthestWritten;
    if (other != none && end(other) > begin(index))
      return Status::misuse(concat(
          "the arrays for the datasets ", quoted(program.data[other].name),
          " and ", quoted(program.data[index].name), " share memory, and task ",
          quoted(writerOf(program, isWritten ? index : other)->name),
          " writes ", quoted(program.data[isWritten ? index : other].name),
          "; use a copy of one, or parts of one dataset"));
    if (furthest == none || end(index) > end(furthest))
      furthest = index;
    if (isWritten &&
        (furthestWritten == none || end(index) > end(furthestWritten)))
      furthestWritten = index;
  }
  return {};
}
