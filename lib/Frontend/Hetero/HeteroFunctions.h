//===- HeteroFunctions.h - The functions of Hetero-C++ --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by both halves of the front end: the one that reads the AST and the
// one that reads LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HETERO_HETEROFUNCTIONS_H
#define SLUICE_LIB_FRONTEND_HETERO_HETEROFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace sluice {

/// The calls of Hetero-C++, independent of their spelling.
enum class HeteroFunction {
  None,
  Launch,
  Wait,
  LaunchBegin,
  LaunchEnd,
  SectionBegin,
  SectionEnd,
  TaskBegin,
  TaskEnd,
  ParallelLoop,
  Private,
  Hint,
  Ordered,
  NonZeroLoop,
};
HeteroFunction heteroFunctionOf(llvm::StringRef name);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HETERO_HETEROFUNCTIONS_H
