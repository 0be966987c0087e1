//===- Scratch.h - Address space for trying a layout ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may span much more memory than it uses, so it is tried in an address
// range that only gets memory where it is used.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_LIBRARY_SCRATCH_H
#define SLUICE_LIB_PACKMPI_LIBRARY_SCRATCH_H

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>

namespace sluice::mpi {

/// An address range that gets memory only where it is accessed.
class Scratch {
public:
  explicit Scratch(int64_t bytes) : bytes(std::max<int64_t>(bytes, 1)) {
    memory = mmap(nullptr, this->bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*this)
      madvise(memory, this->bytes, MADV_NOHUGEPAGE);
  }
  ~Scratch() {
    if (*this)
      munmap(memory, bytes);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  explicit operator bool() const { return memory != MAP_FAILED; }
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(memory); }

private:
  void *memory;
  int64_t bytes;
};

/// A page, the minimum amount of memory for an accessed byte.
inline constexpr int64_t scratchPage = 4096;

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_LIBRARY_SCRATCH_H
