//===- PassObservers.h - Seeing what passes do ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines over leaves obey the options with which LLVM's own tools print,
// time, count and leave out passes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PIPELINE_PASSOBSERVERS_H
#define SLUICE_LIB_CODEGEN_LEAF_PIPELINE_PASSOBSERVERS_H

#include "llvm/Passes/StandardInstrumentations.h"

namespace sluice::codegen {

/// Prints code before and after passes: -print-before=, -print-after= and
/// -print-after-all. With -sluice-node=, only the functions of a node.
class PassPrinter {
public:
  /// Whether anything is to be printed.
  static bool isWanted();

  /// Prints during passes that run with `callbacks`.
  void print(llvm::PassInstrumentationCallbacks &callbacks);

private:
  llvm::PrintIRInstrumentation all; ///< if no node is named
};

/// Observes the passes over a module that run with some callbacks: PassPrinter,
/// -print-changed, -time-passes, -opt-disable= and -opt-bisect-limit=. Prints
/// times and statistics at the end.
///
/// Unlike LLVM's StandardInstrumentations, does not skip functions that ask not
/// to be optimised: that would change the code of host programs.
class PassObservers {
public:
  PassObservers(llvm::Module &module,
                llvm::PassInstrumentationCallbacks &callbacks);
  ~PassObservers();

private:
  PassPrinter printer;
  llvm::TimePassesHandler timer;
  llvm::OptPassGateInstrumentation gate;
  llvm::IRChangedPrinter changes;
  llvm::InLineChangePrinter differences;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PIPELINE_PASSOBSERVERS_H
