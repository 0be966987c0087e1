//===- MessageReport.cpp - Messages as a document -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MessageReport.h"
#include "sluice/Base/LastWords.h"
#include "sluice/Base/Output.h"
#include "sluice/Diagnostics/Report.h"
#include "sluice/Driver/CommandOptions.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
struct MessageReport {
  ReportForm form;
  ReportHead head;
  /// Empty: standard error.
  std::string file;
  std::deque<Diagnostic> diagnostics;
};
} // namespace

static std::optional<MessageReport> report;

static std::string textOf(const MessageReport &report) {
  std::string text;
  raw_string_ostream os(text);
  writeReport(report.diagnostics, report.head, report.form, os);
  return text;
}

/// Prepares for a process that ends early.
static void prepareLastWords() {
  MessageReport last = *report;
  last.head.isGood = false;
  last.diagnostics = {
      {.message =
           "the compiler has crashed; this is a defect of it, unless the "
           "input is nested too deeply or there was no memory left"}};
  setLastWords(textOf(last), last.file);
}

/// LLVM ends the process immediately on fatal errors.
static void finishEarly() {
  if (!report)
    return;
  printError("the compiler has given up");
  finishReport(/*isGood=*/false);
}

/// Whether such a file can be deleted without loss: all reports begin in the
/// same way.
static bool mayBeReport(const std::string &file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> text =
      MemoryBuffer::getFileSlice(file, 1, 0);
  return text &&
         ((*text)->getBuffer().empty() || (*text)->getBuffer().front() == '{');
}

bool startReport(StringRef command, const opt::InputArgList &options) {
  StringRef form = options.getLastArgValue(OPT_diagnostics, "text");
  std::string file = options.getLastArgValue(OPT_diagnostics_file).str();
  if (form == "text" && !file.empty()) {
    printError("--diagnostics-file needs --diagnostics=json or sarif");
    return false;
  }
  if (form == "text")
    return true;
  std::vector<std::string> inputs = options.getAllArgValues(OPT_INPUT);
  for (auto output : {OPT_o, OPT_MF, OPT_draw})
    inputs.push_back(options.getLastArgValue(output).str());
  if (Status status = checkOutput(file, inputs); !status.ok()) {
    printError(status.message());
    return false;
  }
  if (file.empty() && options.hasArg(OPT_verbose)) {
    printError(
        "--verbose writes to standard error, as --diagnostics does; name "
        "a file with --diagnostics-file=FILE");
    return false;
  }
  if (!file.empty() && sys::fs::is_regular_file(file)) {
    if (!mayBeReport(file)) {
      printError("the output '" + file +
                 "' is there and is no document of messages; name another one");
      return false;
    }
    // After a crash, a reader must not find an older report.
    sys::fs::remove(file);
  }
  report.emplace();
  report->form = form == "json" ? ReportForm::Json : ReportForm::Sarif;
  report->head.toolVersion = SLUICE_VERSION;
  report->head.command = command.str();
  report->file = file;
  prepareLastWords();
  std::atexit(finishEarly);
  redirectDiagnostics([](const Diagnostic &diagnostic) {
    report->diagnostics.push_back(diagnostic);
  });
  return true;
}

bool finishReport(bool isGood) {
  if (!report)
    return true;
  redirectDiagnostics(nullptr);
  clearLastWords();
  MessageReport finished = std::move(*report);
  report.reset();
  finished.head.isGood = isGood;
  std::string text = textOf(finished);
  if (finished.file.empty()) {
    errs() << text;
    return true;
  }
  Status status = writeOutput(finished.file, text);
  if (!status.ok())
    printError(status.message());
  return status.ok();
}
