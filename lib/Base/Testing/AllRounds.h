//===- AllRounds.h - Repetitions that only some runs of tests make --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `./dev test --all` sets SLUICE_TEST_ALL: tests of many random cases then try
// more of them than those that every run can wait for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TESTING_ALLROUNDS_H
#define SLUICE_BASE_TESTING_ALLROUNDS_H

#include <cstdlib>

namespace sluice::test {

inline bool hasAllRounds() { return std::getenv("SLUICE_TEST_ALL") != nullptr; }

/// `all` or, in usual runs, `usual`.
inline unsigned allRounds(unsigned usual, unsigned all) {
  return hasAllRounds() ? all : usual;
}

} // namespace sluice::test

#endif // SLUICE_BASE_TESTING_ALLROUNDS_H
