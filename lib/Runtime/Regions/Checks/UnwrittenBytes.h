//===- UnwrittenBytes.h - What checks put where nothing was written -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks fill memory whose content a task may not use. What still looks like
// this afterwards was not written, not even by code that reports nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKS_UNWRITTENBYTES_H
#define SLUICE_RUNTIME_REGIONS_CHECKS_UNWRITTENBYTES_H

#include <cstdint>

namespace sluice {

/// The byte at `offset` of such memory; an unlikely value: not of a small
/// number, no text, and never part of an infinity.
inline char unwrittenByte(uint64_t offset) {
  uint64_t mixed = (offset / 8 + 1) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  const auto byte = static_cast<unsigned char>(
      ((mixed * 0xBF58476D1CE4E5B9u) >> (8 * (offset % 8))) | 0x80);
  return static_cast<char>(byte == 0xFF ? 0xA5 : byte);
}

} // namespace sluice

#endif // SLUICE_RUNTIME_REGIONS_CHECKS_UNWRITTENBYTES_H
