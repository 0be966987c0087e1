//===- Problems.h - Collects what the compiler finds ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meta-programs get their errors as one text. MLIR prints diagnostics at once,
// so they are held back here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_PROBLEMS_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_PROBLEMS_H

#include "sluice/Diagnostics/MLIR.h"

#include <vector>

namespace sluice::driver {

/// Takes the diagnostics of a context while it lives, in their order.
class ProblemCollector {
public:
  explicit ProblemCollector(mlir::MLIRContext &context);

  void add(Diagnostic problem) { problems.push_back(std::move(problem)); }
  bool hasErrors() const;
  /// Text of all errors, or of everything else.
  std::string errors() const;
  std::string warnings() const;

private:
  std::vector<Diagnostic> problems;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_PROBLEMS_H
