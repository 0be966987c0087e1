//===- PrintDatasets.h - Datasets as text ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of runs at their end, and the names of elements and their values
// in messages of checks and tuning.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_PRINTDATASETS_H
#define SLUICE_RUNTIME_TASKS_PRINTDATASETS_H

#include "sluice-c/TaskProgram.h"

#include <cstdint>
#include <string>

namespace sluice::tasks {

/// A dataset as text: a line with its name, then its rows.
std::string textOf(const SluiceTaskData &data, const void *values);
/// "A[3, 4]"; only the name for a scalar.
std::string elementName(const SluiceTaskData &data, uint64_t element);
/// The value of one element as text.
std::string elementText(const SluiceTaskData &data, const void *values,
                        uint64_t element);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_PRINTDATASETS_H
