//===- LastWords.h - What a process says when it crashes --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who waits for a document is to find one, also when a defect of a compiler
// ends the process that would write it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_LASTWORDS_H
#define SLUICE_BASE_LASTWORDS_H

#include <string>

namespace sluice {

/// If this process crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), `text`
/// is written to the file, or to stderr if there is no path; then what would
/// have happened happens. Not in copies of the process. Replaces an earlier
/// text; not thread-safe.
void setLastWords(std::string text, const std::string &path);
void clearLastWords();

} // namespace sluice

#endif // SLUICE_BASE_LASTWORDS_H
