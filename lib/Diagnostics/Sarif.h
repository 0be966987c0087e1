//===- Sarif.h - Messages as SARIF ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writer of one form of reports, and code that all forms share.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DIAGNOSTICS_SARIF_H
#define SLUICE_LIB_DIAGNOSTICS_SARIF_H

#include "sluice/Diagnostics/Report.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

/// Writes a log of one run (SARIF 2.1.0).
void writeSarif(llvm::ArrayRef<const Diagnostic *> diagnostics,
                const ReportHead &head, llvm::raw_ostream &os);

/// JSON is UTF-8; sources and file names may use any encoding.
std::string validUtf8(llvm::StringRef text);

} // namespace sluice

#endif // SLUICE_LIB_DIAGNOSTICS_SARIF_H
