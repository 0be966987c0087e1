//===- KernelTesting.h - Checking kernels byte for byte -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers between pages that cannot be accessed, and a check of all that a
// kernel may do in them. The bytes to copy come from a list of byte offsets
// that shares no code with the library.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_KERNELTESTING_H
#define SLUICE_LIB_PACK_KERNELS_KERNELTESTING_H

#include "sluice/Pack/Kernel.h"

#include <string>
#include <vector>

namespace sluice::pack::kerneltest {

/// The offset of every byte of one instance, in pack order.
std::vector<int64_t> byteOffsets(const Form &form, int64_t origin = 0);

/// `size` bytes between two pages that cannot be touched; they begin right
/// behind the first or end right before the second.
class GuardedBuffer {
public:
  enum Side { AtBegin, AtEnd };
  GuardedBuffer(int64_t size, Side side);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;
  std::byte *data() const { return bytes; }

private:
  std::byte *mapping;
  size_t mappedBytes;
  std::byte *bytes;
};

/// The instruction sets this machine has; the last with small caches, so that
/// packing goes past them.
std::vector<Processor> processors();
std::string describe(const Processor &processor);

/// Packs and unpacks `count` instances with the kernels for every processor in
/// buffers without a byte to spare, and compares everything.
void checkKernels(const Layout &layout, int64_t count);

} // namespace sluice::pack::kerneltest

#endif // SLUICE_LIB_PACK_KERNELS_KERNELTESTING_H
