//===- ReadIRLegacy.h - Assembly of HPVM's own LLVM 9 ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in HPVM's own distribution are text of LLVM 9 with attributes that
// no other LLVM reads. They are rewritten, then assembled by LLVM 14, whose
// bitcode LLVM 22 reads.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IR_READIRLEGACY_H
#define SLUICE_LIB_FRONTEND_HPVM_IR_READIRLEGACY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace sluice {

/// Rewrites everything in the text that LLVM 14 does not read, without changing
/// lines: parameters marked `in` and `out` get string attributes, and `sret`
/// and `byval` get the type of the pointer.
std::string modernizeAssembly(llvm::StringRef text);

/// Assembles old text to bitcode that LLVM 22 reads.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
assembleLegacy(llvm::StringRef text, llvm::StringRef path);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_IR_READIRLEGACY_H
