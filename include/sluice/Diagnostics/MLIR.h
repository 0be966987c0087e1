//===- MLIR.h - Messages of MLIR --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers and verifiers of the dialects report to MLIR's context; this printer
// forwards their messages to the common diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_MLIR_H
#define SLUICE_DIAGNOSTICS_MLIR_H

#include "mlir/IR/Diagnostics.h"
#include "sluice/Diagnostics/Diagnostics.h"

namespace sluice {

/// The place of a location; unknown if there is none.
SourcePlace placeOf(mlir::Location location);

Diagnostic diagnosticOf(mlir::Diagnostic &diagnostic);

/// Prints the messages of a context during the lifetime of the object.
class MLIRPrinter : public mlir::ScopedDiagnosticHandler {
public:
  explicit MLIRPrinter(mlir::MLIRContext &context);

private:
  DiagnosticPrinter printer;
};

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_MLIR_H
