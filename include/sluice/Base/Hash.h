//===- Hash.h - The hash of everything that is kept on disk ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of the cache are named by hashes of what they are made from, and
// sealed with a hash of what they hold. The compiler and the runtime, which
// has no LLVM, look at the same entries, so there is one hash for both: XXH3
// with 128 bits, from Debian's xxHash, whose header compiles into this file.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_HASH_H
#define SLUICE_BASE_HASH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// A 128-bit hash of the texts and numbers that are added, as 32 hexadecimal
/// digits. It is stable over processes and versions; it is not meant to resist
/// attacks.
class ContentHash {
public:
  ContentHash();
  /// The size counts as well: "ab", "c" is not "a", "bc".
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
