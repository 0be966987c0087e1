//===- Tuning.h - Trying the variants of tasks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that was compiled for several sets of parameters is called again and
// again on the data that it finds in a run: each variant is timed, and what it
// writes is compared with what the first one writes. The fastest that agrees is
// chosen; the run goes on with the results of the first.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_TUNING_H
#define SLUICE_RUNTIME_TASKS_TUNING_H

#include "sluice-c/TaskGraph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sluice::tasks {

class Run;

/// How two results of a dataset differ.
struct Difference {
  /// No two numbers differ by more than rounding explains.
  bool agrees = true;
  /// Of floating-point numbers: relative to the largest magnitude.
  double relative = 0;
};
Difference compareValues(const SluiceTaskData &data, const void *expected,
                         const void *found);

/// For one run whose tasks run one after another.
class Tuning {
public:
  explicit Tuning(const Run &run) : run(run) {}

  /// The variant to call first.
  int32_t begin(uint32_t task);
  /// A call has ended, badly if there is a message. The variant to call next,
  /// or -1: the message is the task's then.
  int32_t end(uint32_t task, std::string &message);
  /// The chosen parameters, as Options::tunedParamsFile has them.
  std::string text() const;

private:
  struct Trial {
    unsigned numCalls = 0;
    uint64_t least = UINT64_MAX, total = 0; ///< nanoseconds
    std::string problem;
    double difference = 0;
  };
  struct Written {
    uint32_t data;
    std::vector<char> before, reference;
  };

  void save(uint32_t task);
  void restore(bool toReference);
  void noteCall(uint32_t task, uint64_t time);
  bool wantsAnotherCall() const;
  void compare(Trial &trial) const;
  std::string taskText(uint32_t task, const std::vector<Trial> &trials) const;

  const Run &run;
  /// Of the task that runs.
  std::vector<Trial> trials;
  std::vector<Written> written;
  uint32_t variant = 0;
  uint64_t start = 0;
  std::map<uint32_t, std::vector<Trial>> results;
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_TUNING_H
