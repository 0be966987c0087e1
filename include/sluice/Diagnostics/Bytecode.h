//===- Bytecode.h - Bytecode that a reader can process --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's bytecode reader trusts its input: modified bytes can make it abort,
// recurse, request any amount of memory, or never end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_BYTECODE_H
#define SLUICE_DIAGNOSTICS_BYTECODE_H

#include "mlir/IR/DialectRegistry.h"
#include "sluice/Base/Status.h"

#include <string_view>

namespace sluice {

/// True for MLIR's bytecode: it starts with "ML" and characters that do not
/// occur in text.
inline bool isBytecode(std::string_view content) {
  return content.starts_with("ML\xefR");
}

/// Reads bytecode in a copy of this process, with limits on processor time and
/// memory that grow with its size. Returns an error if that fails or does not
/// come to an end. A module that can be read and breaks rules is no error here:
/// the next reader reports that. `path` is for the message. Blocks; call it
/// before starting threads.
Status tryBytecode(std::string_view content, std::string_view path,
                   const mlir::DialectRegistry &registry);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_BYTECODE_H
