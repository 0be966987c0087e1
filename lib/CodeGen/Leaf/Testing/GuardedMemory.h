//===- GuardedMemory.h - Memory that ends the test if missed ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is made for many instances at once may read what no instance reads.
// Between pages that nobody may touch, that does not go unnoticed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_TESTING_GUARDEDMEMORY_H
#define SLUICE_LIB_CODEGEN_LEAF_TESTING_GUARDEDMEMORY_H

#include <cstddef>
#include <memory>
#include <vector>

namespace sluice::codegen {

/// At least `size` bytes, whole pages, between guards.
struct GuardedPages {
  explicit GuardedPages(size_t size);
  void unmap() const;

  void *mapped;
  size_t all; ///< bytes with those of the guards
  char *data;
  size_t size;
};

/// Where inputs lie: next to the guard before them or behind them, or anywhere,
/// as in programs.
enum class Place { BehindGuard, BeforeGuard, Anywhere };

/// A copy of an input.
class InputMemory {
public:
  InputMemory(const std::vector<char> &bytes, Place place);

  char *data() const { return start; }
  size_t size() const { return count; }
  char &operator[](size_t at) const { return start[at]; }
  bool operator==(const InputMemory &other) const;

private:
  std::shared_ptr<char> owner;
  char *start;
  size_t count;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_TESTING_GUARDEDMEMORY_H
