//===- Problems.cpp - Collects what the compiler finds --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problems.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace sluice;
using namespace sluice::driver;

/// The line that a location stands for; empty if none.
static MetaPlace placeOf(mlir::Location location) {
  MetaPlace place;
  auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file)
    return place;
  place.file = file.getFilename().str();
  place.line = file.getLine();
  place.column = file.getColumn();
  return place;
}

static Problem::Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Problem::Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Problem::Severity::Warning;
  case mlir::DiagnosticSeverity::Note:
  case mlir::DiagnosticSeverity::Remark:
    break;
  }
  return Problem::Severity::Remark;
}

static Problem problemOf(mlir::Diagnostic &diagnostic) {
  Problem problem;
  problem.severity = severityOf(diagnostic.getSeverity());
  problem.place = placeOf(diagnostic.getLocation());
  problem.text = diagnostic.str();
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    problem.notes.push_back({placeOf(note.getLocation()), note.str()});
  return problem;
}

ProblemCollector::ProblemCollector(mlir::MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        add(problemOf(diagnostic));
        return mlir::success();
      }) {}

bool ProblemCollector::hasErrors() const { return !errors().empty(); }

static std::string textOf(const std::vector<Problem> &problems, bool isError) {
  std::string text;
  for (const Problem &problem : problems)
    if ((problem.severity == Problem::Severity::Error) == isError)
      text += sluice::textOf(problem);
  return text;
}

std::string ProblemCollector::errors() const {
  return ::textOf(problems, true);
}
std::string ProblemCollector::warnings() const {
  return ::textOf(problems, false);
}
