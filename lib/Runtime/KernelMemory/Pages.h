//===- Pages.h - Sizes in whole pages ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards and windows consist of pages: these functions round requested sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RUNTIME_KERNELMEMORY_PAGES_H
#define SLUICE_LIB_RUNTIME_KERNELMEMORY_PAGES_H

#include <cstdint>
#include <unistd.h>

namespace sluice {

/// The size of a page of memory in bytes.
inline uint64_t pageSize() {
  static const auto size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// The next multiple of `unit`.
inline uint64_t roundUp(uint64_t size, uint64_t unit) {
  return (size + unit - 1) / unit * unit;
}

} // namespace sluice

#endif // SLUICE_LIB_RUNTIME_KERNELMEMORY_PAGES_H
