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

#include "sluice/Frontend/Clang/Compile.h"

namespace sluice {

struct ReadIROptions {
  /// Text as LLVM 9 wrote it for HPVM: typed pointers, parameters marked with
  /// bare `in` and `out`. Needs llvm-as of LLVM 14.
  bool isLegacy = false;
  /// Whose integers target hints mean, where the file calls `__hpvm__hint`.
  HPVMVersion version = HPVMVersion::V1_0;
};

/// Reads assembly or bitcode, whichever the file holds, and brings foreign
/// spellings into canonical form: attributes "hpvm-in" and "hpvm-out", marks
/// of unoptimised code. A file may also hold HPVM-C calls, as a compiler that
/// knows nothing of them leaves them. Their types are then those of the IR, as
/// in HPVM itself: what the source passed as a float is a double. What is wrong
/// with such calls is added to `diagnostics`.
llvm::Expected<CompiledUnit> readIR(llvm::StringRef path,
                                    const ReadIROptions &options,
                                    llvm::LLVMContext &context,
                                    Diagnostics &diagnostics);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_READIR_H
