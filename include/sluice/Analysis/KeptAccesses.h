//===- KeptAccesses.h - Accesses no pass removes or adds --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's passes may assume that code is free of races: they remove a store of
// what was just loaded, a load that nobody needs, or one of what was stored
// before; and they load what a choice may need before it is made. Each of these
// accesses is one that another instance may meet. What the race check looks at
// has all that the program does, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_KEPTACCESSES_H
#define SLUICE_ANALYSIS_KEPTACCESSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace sluice {

/// Whether `pointer` leads to nothing but variables of the function itself.
bool isOwnVariable(const llvm::Value &pointer);

/// While an object lives, calls stand beside the accesses of a function to
/// memory that is not its own. Afterwards, an access that passes have removed
/// is put back where its call is, unless another one stands for it: one to the
/// same place that the same instance makes, with nothing in between that could
/// order it and other instances. For passes that keep all calls; variables of
/// the function go to registers before.
class KeptAccesses {
public:
  /// Of all accesses, or of those that `isKept` names.
  explicit KeptAccesses(
      llvm::Function &function,
      llvm::function_ref<bool(const llvm::Instruction &)> isKept = nullptr);
  ~KeptAccesses();
  KeptAccesses(const KeptAccesses &) = delete;
  KeptAccesses &operator=(const KeptAccesses &) = delete;

private:
  void note(llvm::Instruction &access);
  llvm::Function *standIn(llvm::Function *&known, llvm::StringRef name,
                          bool hasPlace);

  llvm::Function &function;
  llvm::Function *reads = nullptr, *writes = nullptr, *results = nullptr;
};

/// While an object lives, passes do not know that pointers to variables of
/// others lead to memory where code chooses between pointers, or keeps them:
/// what it loads through them is loaded only where the choice falls on them.
/// For passes that make registers of variables.
class HiddenPlaces {
public:
  explicit HiddenPlaces(llvm::Function &function);
  ~HiddenPlaces();
  HiddenPlaces(const HiddenPlaces &) = delete;
  HiddenPlaces &operator=(const HiddenPlaces &) = delete;

private:
  llvm::Function *standIn = nullptr;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_KEPTACCESSES_H
