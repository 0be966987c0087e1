//===- SerialNaive.h - Rule R* word by word ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the fast computation: finds every pair that the rule names by
// searching the whole graph for every version. For tests only; takes quadratic
// time or worse.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_SERIALNAIVE_H
#define SLUICE_LIB_RDIR_TESTING_SERIALNAIVE_H

#include "sluice/RDIR/Order.h"

namespace sluice::rdir {

SerializationEdges naiveSerializationEdges(const Graph &graph);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_TESTING_SERIALNAIVE_H
