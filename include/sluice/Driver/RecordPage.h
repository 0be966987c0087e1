//===- RecordPage.h - A recorded run as a page ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A browser can show graphs and memory at once; a terminal cannot.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_RECORDPAGE_H
#define SLUICE_DRIVER_RECORDPAGE_H

#include "sluice/Runtime/Record/ReadRecord.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sluice::driver {

/// Writes a self-contained page: the graphs, coloured by progress, the values
/// of each step, the memory after it, and the writer of each byte. Graphviz
/// draws the graphs. The page contains at most the given number of bytes of
/// contents, and lists what it omits.
llvm::Error writeRecordPage(const Record &record, llvm::StringRef path,
                            uint64_t maxBytes = uint64_t(32) << 20);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_RECORDPAGE_H
