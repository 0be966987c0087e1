//===- Rounds.h - How often random tests repeat -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs take ten times as long under a sanitizer. It looks for errors
// that a few of them show; what they compute is compared in full without it.
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
