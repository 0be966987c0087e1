//===- Report.h - Messages for other programs -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All messages of one run as one document: JSON in Sluice's own form
// (docs/diagnostics.md), or SARIF 2.1.0, which code hosts and editors read.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_REPORT_H
#define SLUICE_DIAGNOSTICS_REPORT_H

#include "sluice/Diagnostics/SourceTexts.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

namespace sluice {

enum class ReportForm { Json, Sarif };

/// The content of a report besides the messages.
struct ReportHead {
  std::string toolVersion;
  /// "check".
  std::string command;
  /// The run was successful.
  bool isGood = true;
};

/// Writes the messages without duplicates, in the order in which they were
/// found.
void writeReport(const std::deque<Diagnostic> &diagnostics,
                 const ReportHead &head, ReportForm form,
                 llvm::raw_ostream &os);

/// The explanation of a rule: "file:///.../docs/hpvm-rules.md#h08"; empty if
/// there is no label or no installed documentation.
std::string ruleUri(const std::string &rule);

/// The URI of a file, "file:///a%20b/c.cpp".
std::string fileUri(const std::string &path);
/// A path with the characters that URIs do not allow in percent-encoding.
std::string uriPath(const std::string &path);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_REPORT_H
