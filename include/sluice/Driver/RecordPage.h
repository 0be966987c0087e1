//===- RecordPage.h - A recorded run as a page ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A browser shows graphs and memory at once, which a terminal cannot.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_RECORDPAGE_H
#define SLUICE_DRIVER_RECORDPAGE_H

#include "sluice/Runtime/Record/ReadRecord.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sluice::driver {

/// Writes a page that needs no other file: the graphs, coloured by what has
/// run, the values of each step, memory after it, and who wrote each byte. Its
/// graphs are drawn by Graphviz. It has the contents of so many bytes, and says
/// what it left out.
llvm::Error writeRecordPage(const Record &record, llvm::StringRef path,
                            uint64_t maxBytes = uint64_t(32) << 20);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_RECORDPAGE_H
