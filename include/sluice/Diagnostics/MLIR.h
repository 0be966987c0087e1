//===- MLIR.h - Messages of MLIR --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers and verifiers of the dialects report to MLIR's context; from there
// their messages go where all others go.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_MLIR_H
#define SLUICE_DIAGNOSTICS_MLIR_H

#include "mlir/IR/Diagnostics.h"
#include "sluice/Diagnostics/Diagnostics.h"

namespace sluice {

/// The place a location stands for; unknown if there is none.
SourcePlace placeOf(mlir::Location location);

Diagnostic diagnosticOf(mlir::Diagnostic &diagnostic);

/// Prints what a context reports while it lives.
class MLIRPrinter : public mlir::ScopedDiagnosticHandler {
public:
  explicit MLIRPrinter(mlir::MLIRContext &context);

private:
  DiagnosticPrinter printer;
};

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_MLIR_H
