//===- ReadIR.h - LLVM IR with HPVM intrinsics ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other compilers and old test suites give HPVM programs as LLVM IR. Their
// files are not trusted: a malformed one is refused with a message.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_READIR_H
#define SLUICE_FRONTEND_HPVM_READIR_H

#include "sluice/Frontend/HPVM/Compile.h"

namespace sluice {

struct ReadIROptions {
  /// Text as LLVM 9 wrote it for HPVM: typed pointers, parameters marked with
  /// bare `in` and `out`. Needs llvm-as of LLVM 14.
  bool isLegacy = false;
};

/// Reads assembly or bitcode, whichever the file holds, and brings foreign
/// spellings into canonical form: attributes "hpvm-in" and "hpvm-out", marks
/// of unoptimised code. The unit has no records; linkUnits takes it as it is.
llvm::Expected<CompiledUnit> readIR(llvm::StringRef path,
                                    const ReadIROptions &options,
                                    llvm::LLVMContext &context);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_READIR_H
