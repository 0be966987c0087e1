//===- LeafState.h - What kernels keep outside of arguments -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of tasks say what they do to their arguments. What they keep in
// variables, and what functions of the C library keep for them, is found here,
// so that tasks which share it are put in order.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFSTATE_H
#define SLUICE_ANALYSIS_LEAFSTATE_H

#include "sluice/Analysis/LeafMemory.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <set>

namespace sluice {

/// What a kernel uses, with all that it may call and whose code is known.
struct LeafState {
  /// Variables that can be changed, by name.
  std::map<std::string, MemoryUseKinds> variables;
  /// Memory that pointers in variables point to.
  MemoryUseKinds memory;
  /// What the C library keeps, by the name of one of its functions: "rand".
  std::set<std::string> library;
  /// Thread-local variables: each worker has its own.
  std::set<std::string> ofThread;
};

/// Finds the state of kernels of one module, whose code stays as it is.
class LeafStates {
public:
  explicit LeafStates(const llvm::Module &code);

  /// Of a function of the module.
  LeafState of(const llvm::Function &kernel) const;

private:
  /// The code with its local variables as values.
  std::unique_ptr<llvm::Module> code;
  /// Variables whose addresses are kept somewhere.
  std::set<std::string> escaping;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFSTATE_H
