//===- CollectProblems.h - Collecting diagnostics of the compiler ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meta-programs get their errors as one text. MLIR prints diagnostics
// immediately, so this class holds them back.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_COLLECTPROBLEMS_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_COLLECTPROBLEMS_H

#include "sluice/Diagnostics/MLIR.h"

#include <vector>

namespace sluice::driver {

/// Collects the diagnostics of a context during its lifetime, in order.
class ProblemCollector {
public:
  explicit ProblemCollector(mlir::MLIRContext &context);

  void add(Diagnostic problem) { problems.push_back(std::move(problem)); }
  bool hasErrors() const;
  /// The text of all errors, or of all other diagnostics.
  std::string errors() const;
  std::string warnings() const;

private:
  std::vector<Diagnostic> problems;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_COLLECTPROBLEMS_H
