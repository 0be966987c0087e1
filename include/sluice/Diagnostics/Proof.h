//===- Proof.h - How much a check has shown ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What 'sluice check' says of a program without problems, and how its status
// with
// --require-proof follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_PROOF_H
#define SLUICE_DIAGNOSTICS_PROOF_H

#include <string>

namespace sluice {

enum class ProofState {
  /// There is nothing in the program that could be checked.
  Nothing,
  /// Some of it could not be decided, as remarks say.
  Unknown,
  /// All of it is shown, if something that the program says, or that is checked
  /// only when it runs, is so.
  Assumed,
  Proven,
};

/// What a check has shown of a program without problems.
struct ProofReport {
  ProofState state = ProofState::Nothing;
  /// In words, one line.
  std::string text;
};

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_PROOF_H
