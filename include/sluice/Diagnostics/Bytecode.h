//===- Bytecode.h - Bytecode that a reader can take -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's reader of bytecode trusts it: changed bytes make it abort, recurse,
// ask for any amount of memory, or never end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_BYTECODE_H
#define SLUICE_DIAGNOSTICS_BYTECODE_H

#include "mlir/IR/DialectRegistry.h"
#include "sluice/Base/Status.h"

#include <string_view>

namespace sluice {

/// True for MLIR's bytecode: it starts with "ML" and characters that text does
/// not have.
inline bool isBytecode(std::string_view content) {
  return content.starts_with("ML\xefR");
}

/// Reads bytecode in a copy of this process, with limits of processor time and
/// memory that grow with its size. An error if the reader does not come to its
/// end; what it finds wrong is no error, and is said by whoever reads it next.
/// `path` is for the message. Blocks; call it before there are threads.
Status tryBytecode(std::string_view content, std::string_view path,
                   const mlir::DialectRegistry &registry);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_BYTECODE_H
