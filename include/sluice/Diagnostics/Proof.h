//===- Proof.h - The result of a check ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary that 'sluice check' prints for a program without problems, and
// the basis of its exit status with --require-proof.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_PROOF_H
#define SLUICE_DIAGNOSTICS_PROOF_H

#include <string>

namespace sluice {

enum class ProofState {
  /// The program contains nothing to check.
  Nothing,
  /// Some of it could not be decided; remarks give the details.
  Unknown,
  /// Everything is proven under assumptions: statements of the program, or
  /// conditions that are only checked at run time.
  Assumed,
  Proven,
};

/// The result of a check of a program without problems.
struct ProofReport {
  ProofState state = ProofState::Nothing;
  /// A description in one line.
  std::string text;
};

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_PROOF_H
