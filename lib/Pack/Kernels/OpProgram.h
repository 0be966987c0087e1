//===- OpProgram.h - A complete ready-made kernel -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of ops for one layout, the tables for the ops, and the data for the
// entry points.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_OPPROGRAM_H
#define SLUICE_LIB_PACK_KERNELS_OPPROGRAM_H

#include "Op.h"
#include "sluice/Pack/Kernel.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace sluice::pack::kernels {

/// Memory for ops and tables with the lifetime of the program.
class Arena {
public:
  void *allocate(size_t bytes, size_t alignment);

  template <class T> T *make(const T &value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(value);
  }
  template <class T> T *array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T *>(allocate(count * sizeof(T), alignof(T)));
  }

private:
  alignas(64) std::byte first[640];
  std::byte *free = first;
  size_t left = sizeof(first);
  std::vector<std::unique_ptr<std::byte[]>> blocks;
};

struct OpProgram {
  Arena arena;
  const Op *root = nullptr;
  /// The number of instances of the root per instance of the layout.
  int64_t rootCount = 1;
  Layout layout;
  /// Packing or unpacking this many bytes bypasses the caches.
  int64_t streamedBytes = 0;
  const FunctionTable *table = nullptr;
};

/// The functions for the processor's instruction set.
const FunctionTable &functionsOf(const Processor &processor);

/// Selects the ops for `program.layout`; returns their name.
std::string chooseOps(OpProgram &program, const Processor &processor,
                      KernelEffort effort);

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_OPPROGRAM_H
