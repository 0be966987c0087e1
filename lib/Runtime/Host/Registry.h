//===- Registry.h - Plans by the address of their root --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches through a function pointer know their root only by its address.
// Generated constructors register tables of roots, before main and before any
// init.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_REGISTRY_H
#define SLUICE_RUNTIME_HOST_REGISTRY_H

#include "sluice-c/Plan.h"

namespace sluice {

/// The plan registered last for a root, or null.
const SluicePlan *findRegisteredPlan(const void *root);

} // namespace sluice

#endif // SLUICE_RUNTIME_HOST_REGISTRY_H
