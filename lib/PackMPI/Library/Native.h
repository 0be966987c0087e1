//===- Native.h - The MPI library's own functions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interposer defines MPI_* and PMPI_*, because the Fortran bindings of Open
// MPI call the latter. So the library's own functions are looked up as the next
// ones after this object, each on its first use: the library may call back
// before the interposer's constructors would have run.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_LIBRARY_NATIVE_H
#define SLUICE_LIB_PACKMPI_LIBRARY_NATIVE_H

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sluice::mpi {

/// The function `name` in the objects after this one. Ends the process with a
/// message if there is none.
void *findNative(const char *name);

/// One function of the MPI library, which can be called like the original.
template <typename Pointer> class Function {
public:
  constexpr explicit Function(const char *name) : name(name) {}

  template <typename... Arguments> int operator()(Arguments... arguments) {
    Pointer target = pointer.load(std::memory_order_relaxed);
    if (!target) [[unlikely]] {
      target = reinterpret_cast<Pointer>(findNative(name));
      pointer.store(target, std::memory_order_relaxed);
    }
    return target(arguments...);
  }

private:
  const char *name;
  std::atomic<Pointer> pointer = nullptr;
};

namespace native {
#include "Native.inc"
} // namespace native

/// The calls of the table, for the statistics.
enum class Call : uint8_t {
#define SLUICE_MPI_CALL(name) name,
#include "Calls.inc"
#undef SLUICE_MPI_CALL
  NumberOfCalls
};
const char *nameOf(Call call);

/// A handle as a key: handles are pointers in Open MPI and integers in MPICH.
template <typename Handle> uintptr_t keyOf(Handle handle) {
  if constexpr (sizeof(Handle) == sizeof(uintptr_t))
    return std::bit_cast<uintptr_t>(handle);
  else
    return std::bit_cast<uint32_t>(handle);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_LIBRARY_NATIVE_H
