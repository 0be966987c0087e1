//===- Scratch.h - Address space to try a layout in -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout may span much more than it touches, so it is tried in memory that is
// there only where it is used.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_LIBRARY_SCRATCH_H
#define SLUICE_LIB_PACKMPI_LIBRARY_SCRATCH_H

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>

namespace sluice::mpi {

/// Address space, which takes memory only where it is touched.
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

/// A page of memory, the least that a touched byte takes.
inline constexpr int64_t scratchPage = 4096;

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_LIBRARY_SCRATCH_H
