//===- FileHash.h - Hashes of files ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are two hashes for two purposes: keys of the cache contain the hash of
// the cache, and modules that users keep and exchange name their files with a
// digest that others can compute, too.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_FILEHASH_H
#define SLUICE_TOOLCHAIN_FILEHASH_H

#include "sluice/Base/Hash.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <cstdlib>
#include <string>

namespace sluice::driver {

/// The hash of an input: of a file's content, or, for "env:NAME", of an
/// environment variable. Empty if it does not exist.
inline std::string hashInput(llvm::StringRef path) {
  if (!path.consume_front("env:"))
    return hashFile(path.str());
  const char *value = std::getenv(path.str().c_str());
  return value ? ContentHash().add(value).text() : "";
}

/// SHA-256 of a file's content in lower-case hexadecimal digits; empty if the
/// file cannot be read.
inline std::string fileDigest(llvm::StringRef path) {
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
