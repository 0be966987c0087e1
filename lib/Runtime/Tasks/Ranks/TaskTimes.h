//===- TaskTimes.h - Measured times of tasks ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file in the cache for each program that has run on several ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RANKS_TASKTIMES_H
#define SLUICE_RUNTIME_TASKS_RANKS_TASKTIMES_H

#include "sluice-c/TaskProgram.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::tasks {

/// By task, in nanoseconds; 0: not known.
std::vector<uint64_t> readTimes(const SluiceTaskProgram &program);
/// Zeros leave earlier times unchanged. Does nothing if there is no cache.
void writeTimes(const SluiceTaskProgram &program,
                const std::vector<uint64_t> &times);

/// The same as text, one number in a line.
std::string timesText(const std::vector<uint64_t> &times);
/// Returns zeros if the text is not for this number of tasks.
std::vector<uint64_t> timesOf(std::string_view text, uint32_t numTasks);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_RANKS_TASKTIMES_H
