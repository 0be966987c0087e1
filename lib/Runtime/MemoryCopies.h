//===- MemoryCopies.h - Where the copies of a tracked range are -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host and every device may have a copy of a range of tracked memory. Each
// copy is in one of three states, so that data moves only when it must:
//
//   state     read at P        write at P       read at Q   write at Q
//   invalid   fetch -> shared  -> modified [1]  -           -
//   shared    -                -> modified      -           -> invalid
//   modified  -                -                -> shared   -> invalid
//
//   [1] Without a fetch if the whole range is written and nothing is read;
//       else the bytes that stay must be there.
//
// At least one copy is always valid. A fetch from one device to another goes
// through the host, whose copy becomes valid, too.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORYCOPIES_H
#define SLUICE_RUNTIME_MEMORYCOPIES_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace sluice {

/// What a device back end does with memory. Functions may be called from any
/// thread, for different copies at the same time.
class MemoryDevice {
public:
  virtual ~MemoryDevice() = default;
  /// For messages: "opencl:0".
  virtual const char *name() const = 0;
  /// Room for `size` bytes; the result is what `free` and kernels take, and
  /// interior pointers are made by adding to it.
  virtual Result<void *> allocate(uint64_t size) = 0;
  virtual void free(void *copy) = 0;
  /// Return when the bytes have arrived.
  virtual Status copyToDevice(void *copy, const void *host, uint64_t size) = 0;
  virtual Status copyToHost(void *host, const void *copy, uint64_t size) = 0;
};

/// Number of a place: the host, or a device in the order of registration.
using MemoryPlace = uint32_t;
constexpr MemoryPlace hostPlace = 0;

/// How good the copy at a place is.
enum class MemoryValidity : uint8_t {
  Invalid,  ///< there is none, or it is older than another copy
  Shared,   ///< like every other valid copy
  Modified, ///< the only valid copy
};

/// All copies of one range. Functions may be called from any thread; whether
/// two uses may happen at the same time is for the caller to decide.
class MemoryCopies {
public:
  MemoryCopies(void *host, uint64_t size);
  MemoryCopies(const MemoryCopies &) = delete;
  MemoryCopies &operator=(const MemoryCopies &) = delete;
  /// Frees the copies of devices; what is only there is lost.
  ~MemoryCopies();

  /// Makes `size` bytes at `offset` usable at a place, as `access`
  /// (SluiceAccess; none counts as both) says. Returns their address there.
  /// `device` is null for the host. After an error nothing has changed but
  /// that more copies may be valid.
  Result<void *> use(MemoryPlace place, MemoryDevice *device, uint64_t offset,
                     uint64_t size, uint32_t access);
  MemoryValidity validity(MemoryPlace place);

private:
  struct Copy {
    MemoryDevice *device = nullptr;
    void *memory = nullptr;
    MemoryValidity validity = MemoryValidity::Invalid;
  };

  Copy &copyAt(MemoryPlace place);
  Status fetch(MemoryPlace place);
  Status fetchToHost();

  const uint64_t size;
  std::mutex mutex;
  std::vector<Copy> copies;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORYCOPIES_H
