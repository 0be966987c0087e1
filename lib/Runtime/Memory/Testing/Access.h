//===- Access.h - What tests say of the use of memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of sluice-c/Plan.h under short names: tests name them in every
// second line.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_TESTING_ACCESS_H
#define SLUICE_RUNTIME_MEMORY_TESTING_ACCESS_H

#include "sluice-c/Plan.h"

namespace sluice::test {
inline constexpr uint32_t in = SLUICE_ACCESS_IN, out = SLUICE_ACCESS_OUT,
                          inOut = in | out;
} // namespace sluice::test

#endif // SLUICE_RUNTIME_MEMORY_TESTING_ACCESS_H
