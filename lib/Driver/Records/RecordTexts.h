//===- RecordTexts.h - What both forms of the debugger say ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The terminal and the page describe steps with the same words.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_RECORDS_RECORDTEXTS_H
#define SLUICE_LIB_DRIVER_RECORDS_RECORDTEXTS_H

#include "sluice/Runtime/Record/ReadRecord.h"

#include <string>

namespace sluice::driver {

/// "[1024 x 768]", level by level; empty for a single instance.
std::string extentsText(const RecordedStep &step);
/// Where the node stands in its source; may be empty.
std::string locationOf(const Record &record, const RecordedStep &step);
/// What a record has left out, in lines.
std::vector<std::string> remarksOn(const Record &record);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_RECORDS_RECORDTEXTS_H
