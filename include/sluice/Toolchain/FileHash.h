//===- FileHash.h - Hashes of files ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files are the same if their hashes are; so a manifest notices an edit
// that kept the size and the time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_FILEHASH_H
#define SLUICE_TOOLCHAIN_FILEHASH_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <cstdlib>
#include <string>

namespace sluice::driver {

/// SHA-256 of a file's content in lower-case hexadecimal digits; empty if the
/// file cannot be read. "env:NAME", among the files that something was made
/// from, is a variable of the environment.
inline std::string hashFile(llvm::StringRef path) {
  if (path.consume_front("env:")) {
    const char *value = std::getenv(path.str().c_str());
    return value ? llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(
                                   llvm::StringRef(value))),
                               /*LowerCase=*/true)
                 : "";
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return "";
  return llvm::toHex(
      llvm::SHA256::hash(llvm::arrayRefFromStringRef((*buffer)->getBuffer())),
      /*LowerCase=*/true);
}

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_FILEHASH_H
