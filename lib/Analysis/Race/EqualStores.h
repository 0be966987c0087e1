//===- EqualStores.h - Instances that store the same value ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `visited[next[i]] = 1`, it does not matter which instance writes last.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EQUALSTORES_H
#define SLUICE_LIB_ANALYSIS_RACE_EQUALSTORES_H

#include "Graph/Accesses.h"

namespace sluice::races {

/// True if both accesses only store, and instances that find the same entries
/// in tables on the way to the address store the same value there.
bool storeTheSame(const PlacedAccess &a, const PlacedAccess &b);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EQUALSTORES_H
