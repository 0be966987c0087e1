//===- Print.h - Datasets as text -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs print at their end, and how messages of checks and of tuning name
// an element and its value.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_PRINT_H
#define SLUICE_RUNTIME_TASKS_PRINT_H

#include "sluice-c/TaskGraph.h"

#include <cstdint>
#include <string>

namespace sluice::tasks {

/// A dataset as text: a line with its name, then its rows.
std::string textOf(const SluiceTaskData &data, const void *values);
/// "A[3, 4]"; the name alone of a scalar.
std::string elementName(const SluiceTaskData &data, uint64_t element);
/// The value of one element as text.
std::string elementText(const SluiceTaskData &data, const void *values,
                        uint64_t element);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_PRINT_H
