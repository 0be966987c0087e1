//===- Tuning.h - Trying the variants of tasks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that was compiled for several sets of parameters is called several
// times on its data in a run. Each variant is timed, and its results are
// compared with those of the first one. The fastest variant with equal results
// is chosen; the run continues with the results of the first one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_TUNING_H
#define SLUICE_RUNTIME_TASKS_TUNING_H

#include "Datasets.h"

#include "sluice-c/TaskProgram.h"

#include "sluice/Base/Progress.h"
#include "sluice/Base/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::tasks {

/// How much two numbers may differ: by `absolute` plus the relative tolerance
/// times the magnitude of the expected number. Two orders of the same sum
/// differ by less than the defaults, unless terms cancel.
struct Tolerance {
  double relativeFloat = 1e-5, relativeDouble = 1e-10;
  double absolute = 0;

  /// The defaults, or the values of SLUICE_TUNE_RTOL and SLUICE_TUNE_ATOL.
  static Result<Tolerance> fromEnvironment();
};

/// The difference between two results of a dataset.
struct Difference {
  /// Elements that differ by more than the tolerance; for integers, all unequal
  /// ones.
  uint64_t numWrong = 0;
  /// The first of these elements.
  uint64_t element = 0;
  double expected = 0, found = 0;
  /// For floating-point numbers: the maximum difference, relative to the
  /// element's own magnitude.
  double relative = 0;

  bool agrees() const { return numWrong == 0; }
};
Difference compareValues(const SluiceTaskData &data, const void *expected,
                         const void *found, const Tolerance &tolerance);

/// For one run with tasks that run one after another.
class Tuning {
public:
  Tuning(const SluiceTaskProgram &program, const Datasets &datasets,
         const Tolerance &tolerance)
      : program(program), datasets(datasets), tolerance(tolerance) {}

  /// The variant to call first.
  int32_t begin(uint32_t task);
  /// A call has ended; a message means that it failed. Returns the variant to
  /// call next, or -1: then the message becomes the task's.
  int32_t end(uint32_t task, std::string &message);
  /// The chosen parameters, in the format of Options::tunedParamsFile.
  std::string text() const;

private:
  struct Trial {
    unsigned numCalls = 0;
    uint64_t minTime = UINT64_MAX, total = 0; ///< nanoseconds
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
  void showVariant(uint32_t task);
  void compare(Trial &trial) const;
  std::string taskText(uint32_t task, const std::vector<Trial> &trials) const;

  const SluiceTaskProgram &program;
  const Datasets &datasets;
  const Tolerance tolerance;
  /// For the running task.
  std::vector<Trial> trials;
  std::vector<Written> written;
  uint32_t variant = 0;
  uint64_t start = 0;
  std::optional<Progress> progress;
  std::map<uint32_t, std::vector<Trial>> results;
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_TUNING_H
