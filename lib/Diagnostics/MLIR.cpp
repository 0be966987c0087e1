//===- MLIR.cpp - Messages of MLIR ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts MLIR's locations and severities. Passes give operations new
// locations but keep the original one; the first file counts.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/MLIR.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sluice;

SourcePlace sluice::placeOf(mlir::Location location) {
  auto range = location->findInstanceOf<mlir::FileLineColRange>();
  if (!range)
    return {};
  return {range.getFilename().str(), range.getStartLine(),
          range.getStartColumn()};
}

/// The first location after it; unknown if it is a single location.
static SourcePlace endOf(mlir::Location location) {
  auto range = location->findInstanceOf<mlir::FileLineColRange>();
  if (!range || (range.getEndLine() == range.getStartLine() &&
                 range.getEndColumn() <= range.getStartColumn()))
    return {};
  return {range.getFilename().str(), range.getEndLine(), range.getEndColumn()};
}

static Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Note:
  case mlir::DiagnosticSeverity::Remark:
    break;
  }
  return Severity::Remark;
}

/// Removes the label of a rule, such as "D1", from the end of a message and
/// returns it.
static std::string takeRule(std::string &message) {
  llvm::StringRef text = message;
  size_t start = text.rfind(" [");
  if (start == llvm::StringRef::npos || !text.ends_with("]"))
    return "";
  llvm::StringRef label = text.substr(start + 2).drop_back();
  if (label.size() < 2 || label.size() > 3 || !llvm::isUpper(label.front()) ||
      !llvm::all_of(label.drop_front(), llvm::isDigit))
    return "";
  std::string rule = label.str();
  message.resize(start);
  return rule;
}

Diagnostic sluice::diagnosticOf(mlir::Diagnostic &diagnostic) {
  Diagnostic result = {.severity = severityOf(diagnostic.getSeverity()),
                       .message = diagnostic.str(),
                       .place = placeOf(diagnostic.getLocation()),
                       .end = endOf(diagnostic.getLocation())};
  result.rule = takeRule(result.message);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    result.note(placeOf(note.getLocation()), note.str());
  return result;
}

MLIRPrinter::MLIRPrinter(mlir::MLIRContext &context)
    : ScopedDiagnosticHandler(&context), printer(llvm::errs()) {
  setHandler([this](mlir::Diagnostic &diagnostic) {
    printer.print(diagnosticOf(diagnostic));
    return mlir::success();
  });
}
