//===- TestVariant.cpp - What the helper compiles in tests ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that can be told from the generic one: it adds 1000 per instance.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Plan.h"

extern "C" __attribute__((visibility("default"))) void
sluice_variant(const SluiceInvocation *invocation, uint64_t begin,
               uint64_t end) {
  auto *data = *reinterpret_cast<int64_t **>(invocation->frame);
  for (uint64_t i = begin; i < end; ++i)
    data[i] += 1000;
}
