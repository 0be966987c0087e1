//===- LeafState.h - State of kernels outside of their arguments ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of tasks declare how they use their arguments. This analysis finds
// the state that they keep in variables, or that functions of the C library
// keep for them. Tasks that share such state are ordered.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFSTATE_H
#define SLUICE_ANALYSIS_LEAFSTATE_H

#include "sluice/Analysis/LeafMemory.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <set>

namespace sluice {

/// The state that a kernel uses, including all functions with known code that
/// it may call.
struct LeafState {
  /// Mutable variables, by name.
  std::map<std::string, MemoryUseKinds> variables;
  /// Memory that pointers in variables point to.
  MemoryUseKinds memory;
  /// State of the C library, by the name of one of its functions: "rand".
  std::set<std::string> library;
  /// Thread-local variables: each worker has its own.
  std::set<std::string> ofThread;
};

/// Finds the state of kernels of one module; does not change its code.
class LeafStates {
public:
  explicit LeafStates(const llvm::Module &code);

  /// The state of a function of the module.
  LeafState of(const llvm::Function &kernel) const;

private:
  /// The code with its local variables as values.
  std::unique_ptr<llvm::Module> code;
  /// Variables whose addresses escape.
  std::set<std::string> escaping;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFSTATE_H
