//===- Sarif.h - Messages as SARIF ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writer of one of the forms of reports, and what all of them share.
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

/// JSON is in UTF-8; sources and names of files may be in anything.
std::string validUtf8(llvm::StringRef text);

} // namespace sluice

#endif // SLUICE_LIB_DIAGNOSTICS_SARIF_H
