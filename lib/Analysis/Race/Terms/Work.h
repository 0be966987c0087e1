//===- Work.h - A limit of the arithmetic for one question ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proofs substitute polynomials and distinguish cases, which may take very long
// for generated code. So each question has a limit. Beyond it, all polynomials
// are invalid, as after an overflow, and results that used them do not count.
// Work is counted, not timed, so verdicts are the same on each machine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_TERMS_WORK_H
#define SLUICE_LIB_ANALYSIS_RACE_TERMS_WORK_H

#include <cstdint>

namespace sluice::races {

/// Holds from its construction to its end, within one around it.
class WorkLimit {
public:
  explicit WorkLimit(int64_t most);
  ~WorkLimit();
  WorkLimit(const WorkLimit &) = delete;
  WorkLimit &operator=(const WorkLimit &) = delete;

  /// Since construction.
  int64_t spent() const;
  /// True if the innermost limit was reached: nothing that was shown counts.
  static bool isReached();

private:
  int64_t most, outer;
};

/// Counts visited symbols of terms; false if the limit is reached.
bool takeWork(int64_t amount);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TERMS_WORK_H
