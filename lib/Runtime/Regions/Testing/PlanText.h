//===- PlanText.h - Plans of one rank, to compare -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank runs and sends, whichever points it was planned from.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_TESTING_PLANTEXT_H
#define SLUICE_RUNTIME_REGIONS_TESTING_PLANTEXT_H

#include "../Distribution/LocalTable.h"

#include <string>

namespace sluice::regions::test {

/// The linear number of a point of a launch, and how many there are.
int64_t numberOf(const SluiceTask &task);
int64_t countOf(const SluiceTask &task);

/// A plan as text, without what may differ: the numbers of copies and of parts
/// of folds among all of them, and copies that a fold names where nobody has
/// reduced to them. Finds the orders of its tasks.
std::string textOf(const LocalGraph &graph);

} // namespace sluice::regions::test

#endif // SLUICE_RUNTIME_REGIONS_TESTING_PLANTEXT_H
