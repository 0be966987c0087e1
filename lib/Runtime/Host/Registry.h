//===- Registry.h - Plans by the address of their root --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch through a function pointer knows only the address of its root.
// Generated constructors register tables of roots, before main and before any
// init.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_REGISTRY_H
#define SLUICE_RUNTIME_HOST_REGISTRY_H

#include "sluice-c/Plan.h"

namespace sluice {

/// The most recently registered plan for a root, or null.
const SluicePlan *findRegisteredPlan(const void *root);

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_REGISTRY_H
