//===- KeptAccesses.h - Accesses no pass removes or adds --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's passes may assume that code is free of races. They remove stores of
// values that were just loaded and loads of values that are known or not
// needed, and they load values before a branch decides that they are needed.
// Each such access may race with one of another instance. So the race check
// must look at code with exactly the accesses of the program.
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

/// While an object lives, a call marks each access of a function to memory that
/// is not its own. At the end, an access that passes have removed is put back
/// where its call is, unless an equal access remains: one to the same place,
/// with nothing in between that could order it and other instances. For passes
/// that keep all calls. Variables of the function must be in registers.
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
/// others are valid where code chooses between pointers or stores them. So they
/// do not load through a pointer before it is chosen. For passes that turn
/// variables into registers.
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
