//===- KernelTesting.h - Checking kernels byte for byte -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers between inaccessible pages, and a check of everything that a kernel
// may do in them. The bytes to copy come from a list of byte offsets that
// shares no code with the library.
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

/// `size` bytes between two inaccessible pages; they begin directly after the
/// first or end directly before the second.
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

/// The instruction sets of this machine; the last one with small caches, so
/// that packing bypasses them.
std::vector<Processor> processors();
std::string describe(const Processor &processor);

/// Packs and unpacks `count` instances with the kernels for every processor in
/// buffers of exactly the needed size, and compares everything.
void checkKernels(const Layout &layout, int64_t count);

} // namespace sluice::pack::kerneltest

#endif // SLUICE_LIB_PACK_KERNELS_KERNELTESTING_H
