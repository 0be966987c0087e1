//===- Debugging.h - Debug information for leaves -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All programs have line information. Information on variables costs compile
// time, and memory if they must be readable at any time, so it is optional.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_DEBUGGING_H
#define SLUICE_CODEGEN_DEBUGGING_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace sluice::codegen {

enum class Debugging {
  /// Only lines.
  Lines,
  /// Variables and the instance, wherever the code has their values (-g).
  Values,
  /// Each variable in its own memory, and plain code: one instance after
  /// another, helpers as functions (-g -O0).
  Memory
};

/// Gives memory to the variables of `function` that are records of values, and
/// stores each value there. Variables with values that no single store can
/// write stay unchanged.
void keepVariablesInMemory(llvm::Function &function);

/// Records the places of assignments in a module as clang makes it, for
/// keepVariablesInMemory: promotion to registers drops the lines of stores.
void noteAssignments(llvm::Module &module);

/// Gives debug information to a function without a source, at the place of the
/// first function with debug information that it calls; otherwise code that is
/// inlined into it would lose its own. Does nothing if there is no such call.
/// Call it before anything is inlined, and again when code is added.
void describeCaller(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_DEBUGGING_H
