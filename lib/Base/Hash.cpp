//===- Hash.cpp - The hash for all data on disk ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Hash.h"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <type_traits>
#include <unistd.h>
#include <vector>

// Compiles all functions as static functions of this file; links no library.
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace sluice;

static_assert(sizeof(XXH3_state_t) == 576 && alignof(XXH3_state_t) <= 64 &&
              std::is_trivially_copyable_v<XXH3_state_t>);

static XXH3_state_t *stateIn(std::byte *bytes) {
  return std::launder(reinterpret_cast<XXH3_state_t *>(bytes));
}

static std::string textOf(const XXH3_state_t *state) {
  static const char digits[] = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

ContentHash::ContentHash() { XXH3_128bits_reset(new (state) XXH3_state_t); }

ContentHash &ContentHash::add(std::string_view bytes) {
  add(uint64_t(bytes.size()));
  XXH3_128bits_update(stateIn(state), bytes.data(), bytes.size());
  return *this;
}

ContentHash &ContentHash::add(uint64_t number) {
  XXH3_128bits_update(stateIn(state), &number, sizeof number);
  return *this;
}

std::string ContentHash::text() const {
  return textOf(stateIn(const_cast<std::byte *>(state)));
}

std::string sluice::hashFile(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::vector<char> buffer(1 << 17);
  ssize_t count;
  // Files are read, not mapped: truncating a file meanwhile must not end the
  // process.
  while ((count = ::read(file, buffer.data(), buffer.size())) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      break;
    XXH3_128bits_update(&state, buffer.data(), size_t(count));
  }
  ::close(file);
  return count < 0 ? std::string() : textOf(&state);
}
