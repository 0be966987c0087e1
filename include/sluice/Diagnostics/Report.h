//===- Report.h - Messages for other programs -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All messages of one run as one document: JSON in a form of our own
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

/// What a report says beside the messages.
struct ReportHead {
  std::string toolVersion;
  /// "check".
  std::string command;
  /// The run did what it was asked for.
  bool isGood = true;
};

/// Writes the messages, each once, in the order in which they were found.
void writeReport(const std::deque<Diagnostic> &diagnostics,
                 const ReportHead &head, ReportForm form,
                 llvm::raw_ostream &os);

/// Where a rule is explained: "file:///.../docs/hpvm-rules.md#h08"; empty if
/// there is no label, or the documentation is not installed.
std::string ruleUri(const std::string &rule);

/// The URI of a file, "file:///a%20b/c.cpp".
std::string fileUri(const std::string &path);
/// A path with what URIs do not have spelled in hexadecimal.
std::string uriPath(const std::string &path);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_REPORT_H
