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

/// Observes the passes that run with some callbacks over a module, which must
/// outlive the observers: -print-after=, -print-before=, -print-changed,
/// -time-passes, -opt-disable= and -opt-bisect-limit=. -sluice-node= restricts
/// what is printed to the functions of a node. Prints times and statistics at
/// the end.
///
/// Unlike LLVM's StandardInstrumentations, does not skip functions that ask not
/// to be optimised: that would change the code of host programs.
class PassObservers {
public:
  PassObservers(llvm::Module &module,
                llvm::PassInstrumentationCallbacks &callbacks);
  ~PassObservers();

private:
  llvm::PrintIRInstrumentation printer;
  llvm::TimePassesHandler timer;
  llvm::OptPassGateInstrumentation gate;
  llvm::IRChangedPrinter changes;
  llvm::InLineChangePrinter differences;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PIPELINE_PASSOBSERVERS_H
