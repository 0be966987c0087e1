//===- Hash.h - The hash for all data on disk -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache entries are named by the hash of their sources and sealed with the hash
// of their content. The compiler and the runtime, which contains no LLVM, use
// the same entries, so they need the same hash: XXH3 with 128 bits, from
// Debian's xxHash, whose header is compiled into Hash.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_HASH_H
#define SLUICE_BASE_HASH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// A 128-bit hash of the added texts and numbers, as 32 hexadecimal digits. It
/// is the same in all processes and versions. It is not a cryptographic hash.
class ContentHash {
public:
  ContentHash();
  /// The size is hashed, too: "ab", "c" differs from "a", "bc".
  ContentHash &add(std::string_view bytes);
  ContentHash &add(uint64_t number);
  std::string text() const;

private:
  alignas(64) std::byte state[576];
};

/// The hash of a file's content; empty if it cannot be read.
std::string hashFile(const std::string &path);

} // namespace sluice

#endif // SLUICE_BASE_HASH_H
