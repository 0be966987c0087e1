//===- RecordTexts.h - Texts of both forms of the debugger ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terminal and the page describe steps in the same words.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_RECORDS_RECORDTEXTS_H
#define SLUICE_LIB_DRIVER_RECORDS_RECORDTEXTS_H

#include "sluice/Runtime/Record/ReadRecord.h"

#include <string>

namespace sluice::driver {

/// "[1024 x 768]", one part per level; empty for a single instance.
std::string extentsText(const RecordedStep &step);
/// The source location of the node; may be empty.
std::string locationOf(const Record &record, const RecordedStep &step);
/// Lines that describe what a record left out.
std::vector<std::string> remarksOn(const Record &record);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_RECORDS_RECORDTEXTS_H
