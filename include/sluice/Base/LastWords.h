//===- LastWords.h - A document for the case of a crash -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader that waits for a document must get one even if a compiler defect
// ends the process that should write it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_LASTWORDS_H
#define SLUICE_BASE_LASTWORDS_H

#include <string>

namespace sluice {

/// If this process crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), writes
/// `text` to the file, or to stderr if there is no path; then the signal takes
/// its usual effect. Has no effect in copies of the process. Replaces an
/// earlier text; not thread-safe.
void setLastWords(std::string text, const std::string &path);
void clearLastWords();

} // namespace sluice

#endif // SLUICE_BASE_LASTWORDS_H
