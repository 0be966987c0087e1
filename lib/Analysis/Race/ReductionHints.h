//===- ReductionHints.h - Reductions that nobody declared -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place that all instances update by one operator is a reduction that the
// program forgot to declare.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_REDUCTIONHINTS_H
#define SLUICE_LIB_ANALYSIS_RACE_REDUCTIONHINTS_H

#include "Graph/Accesses.h"

namespace sluice::races {

/// RaceFinding::declaration of accesses of one leaf.
std::string declarationFor(const PlacedAccess &access);

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_REDUCTIONHINTS_H
