//===- Debugging.h - What debuggers see of leaves ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of code are there in all programs. Variables cost compile time, and
// memory where they are to be readable at any time, so they are asked for.
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
  /// Lines only.
  Lines,
  /// Variables and the instance, where the code has their values (-g).
  Values,
  /// Each of them in memory of its own, and plain code: one instance after
  /// another, helpers as functions (-g -O0).
  Memory
};

/// Gives the variables of `function` that are records of values memory, into
/// which each value is stored. Variables whose values no single store can write
/// stay as they are.
void keepVariablesInMemory(llvm::Function &function);

/// Notes the places of assignments in a module as clang makes it, for
/// keepVariablesInMemory: promotion to registers drops the lines of stores.
void noteAssignments(llvm::Module &module);

/// Gives a function that no source has debug information, at the place of the
/// first function with some that it calls: what is inlined into it would lose
/// its own. Nothing if it calls none. To be called before anything is inlined,
/// and again when there is more code.
void describeCaller(llvm::Function &function);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_DEBUGGING_H
