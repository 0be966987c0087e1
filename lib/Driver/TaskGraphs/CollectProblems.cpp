//===- CollectProblems.cpp - Collecting diagnostics of the compiler -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectProblems.h"

using namespace sluice;
using namespace sluice::driver;

ProblemCollector::ProblemCollector(mlir::MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        add(diagnosticOf(diagnostic));
        return mlir::success();
      }) {}

bool ProblemCollector::hasErrors() const { return !errors().empty(); }

static std::string textOf(const std::vector<Diagnostic> &problems,
                          bool isError) {
  std::string text;
  for (const Diagnostic &problem : problems)
    if ((problem.severity == Severity::Error) == isError)
      text += sluice::textOf(problem);
  return text;
}

std::string ProblemCollector::errors() const {
  return ::textOf(problems, true);
}
std::string ProblemCollector::warnings() const {
  return ::textOf(problems, false);
}
