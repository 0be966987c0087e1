//===- ReadIR.h - LLVM IR with HPVM intrinsics ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other compilers and old test suites provide HPVM programs as LLVM IR. Their
// files are not trusted: a malformed file is refused with a message.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_READIR_H
#define SLUICE_FRONTEND_HPVM_READIR_H

#include "sluice/Frontend/Clang/Compile.h"

namespace sluice {

struct ReadIROptions {
  /// Text in the form of HPVM's LLVM 9: typed pointers, parameters marked with
  /// bare `in` and `out`. Needs llvm-as of LLVM 14.
  bool isLegacy = false;
  /// The version that defines the integers of target hints, where the file
  /// calls `__hpvm__hint`.
  HPVMVersion version = HPVMVersion::V1_0;
};

/// Reads assembly or bitcode, whichever the file contains, and converts foreign
/// spellings to canonical form: the attributes "hpvm-in" and "hpvm-out", marks
/// of unoptimised code. A file may also contain HPVM-C calls that a compiler
/// without knowledge of HPVM has left. Their types are then those of the IR, as
/// in HPVM itself: a float in the source is a double. Problems of such calls
/// are added to `diagnostics`.
llvm::Expected<CompiledUnit> readIR(llvm::StringRef path,
                                    const ReadIROptions &options,
                                    llvm::LLVMContext &context,
                                    Diagnostics &diagnostics);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_READIR_H
