//===- TaskTimes.cpp - Measured times of tasks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is identified by its tasks: their names, kernels and argument
// sizes. So times remain valid after a rebuild.
//
//===----------------------------------------------------------------------===//

#include "TaskTimes.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Store.h"
#include "sluice/Base/Text.h"

#include <charconv>

using namespace sluice;
using namespace sluice::tasks;

static std::string keyOf(const SluiceTaskProgram &program) {
  ContentHash hash;
  hash.add(program.name).add(uint64_t(program.numTasks));
  for (uint32_t i = 0; i < program.numTasks; ++i) {
    const SluiceTaskRecord &task = program.tasks[i];
    hash.add(task.name).add(task.kernel).add(uint64_t(task.kind));
    for (uint32_t k = 0; k < task.numArguments; ++k) {
      const SluiceTaskView &view = task.arguments[k].view;
      hash.add(uint64_t(view.elementSize));
      for (uint32_t d = 0; d < view.rank; ++d)
        hash.add(static_cast<uint64_t>(view.shape[d]));
    }
  }
  return hash.text();
}

std::string tasks::timesText(const std::vector<uint64_t> &times) {
  std::string text;
  for (uint64_t time : times)
    text += concat(time, "\n");
  return text;
}

std::vector<uint64_t> tasks::timesOf(std::string_view text, uint32_t numTasks) {
  // Limits times so that sums cannot overflow.
  constexpr uint64_t longest = 1'000'000'000'000'000;
  std::vector<uint64_t> times;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    uint64_t time = 0;
    const auto [rest, error] = std::from_chars(at, end, time);
    if (error != std::errc() || rest == end || *rest != '\n')
      break;
    times.push_back(std::min(time, longest));
    at = rest + 1;
  }
  if (at != end || times.size() != numTasks)
    times.clear();
  times.resize(numTasks);
  return times;
}

std::vector<uint64_t> tasks::readTimes(const SluiceTaskProgram &program) {
  const auto text = Store(StoreKind::Times).read(keyOf(program));
  return timesOf(text ? *text : std::string(), program.numTasks);
}

void tasks::writeTimes(const SluiceTaskProgram &program,
                       const std::vector<uint64_t> &times) {
  Result<Store> store = Store::open(StoreKind::Times);
  if (!store.ok())
    return;
  std::vector<uint64_t> known = readTimes(program);
  for (size_t i = 0; i < known.size(); ++i)
    if (times[i])
      known[i] = times[i];
  // If this fails, the next run uses estimates.
  (void)store->write(keyOf(program), timesText(known));
}
