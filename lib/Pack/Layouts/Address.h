//===- Address.h - Invalid addresses of data ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may list absolute addresses; then the buffer is null. Any other null
// buffer is an error.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_ADDRESS_H
#define SLUICE_LIB_PACK_LAYOUTS_ADDRESS_H

#include <cstdint>

namespace farc {

/// Whether no data can be at `lowest` bytes from the buffer.
inline bool isNoAddress(const void *buffer, int64_t lowest) {
  constexpr int64_t firstPage = 4096;
  return !buffer && lowest < firstPage;
}

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_ADDRESS_H
