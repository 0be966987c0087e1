//===- Address.h - Addresses at which no data can be ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may list absolute addresses; the buffer is null then. Any other null
// buffer is a mistake.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_ADDRESS_H
#define SLUICE_LIB_PACK_LAYOUTS_ADDRESS_H

#include <cstdint>

namespace farc {

/// Whether nothing can lie at `lowest` bytes from the buffer.
inline bool isNoAddress(const void *buffer, int64_t lowest) {
  constexpr int64_t firstPage = 4096;
  return !buffer && lowest < firstPage;
}

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_ADDRESS_H
