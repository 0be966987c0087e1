//===- Rounds.h - Number of repetitions of random tests -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under a sanitizer, random programs take ten times as long. A few of them
// suffice to find the sanitizer's errors; builds without sanitizers compare the
// results of all programs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TESTING_ROUNDS_H
#define SLUICE_BASE_TESTING_ROUNDS_H

namespace sluice::test {

/// `count`, or a quarter of it under Address- or ThreadSanitizer.
constexpr unsigned rounds(unsigned count) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return (count + 3) / 4;
#else
  return count;
#endif
}

} // namespace sluice::test

#endif // SLUICE_BASE_TESTING_ROUNDS_H
