//===- MemoryCopies.cpp - Where the copies of a tracked range are ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock is held during transfers: whoever needs the same range at the same
// time needs their result.
//
//===----------------------------------------------------------------------===//

#include "MemoryCopies.h"

#include "sluice-c/Plan.h"

#include <algorithm>
#include <cassert>

using namespace sluice;

MemoryCopies::MemoryCopies(void *host, uint64_t size) : size(size) {
  copies.push_back({nullptr, host, MemoryValidity::Modified});
}

MemoryCopies::~MemoryCopies() {
  for (Copy &copy : copies)
    if (copy.device && copy.memory)
      copy.device->free(copy.memory);
}

MemoryCopies::Copy &MemoryCopies::copyAt(MemoryPlace place) {
  if (place >= copies.size())
    copies.resize(place + 1);
  return copies[place];
}

MemoryValidity MemoryCopies::validity(MemoryPlace place) {
  std::lock_guard lock(mutex);
  return copyAt(place).validity;
}

/// Makes the host's copy valid.
Status MemoryCopies::fetchToHost() {
  Copy &host = copies[hostPlace];
  if (host.validity != MemoryValidity::Invalid)
    return {};
  auto source = std::find_if(copies.begin(), copies.end(), [](const Copy &c) {
    return c.validity != MemoryValidity::Invalid;
  });
  assert(source != copies.end() && "some copy is valid");
  if (Status status =
          source->device->copyToHost(host.memory, source->memory, size);
      !status.ok())
    return status;
  source->validity = host.validity = MemoryValidity::Shared;
  return {};
}

/// Makes the copy at a place valid.
Status MemoryCopies::fetch(MemoryPlace place) {
  if (Status status = fetchToHost(); !status.ok() || place == hostPlace)
    return status;
  Copy &host = copies[hostPlace], &copy = copies[place];
  if (Status status = copy.device->copyToDevice(copy.memory, host.memory, size);
      !status.ok())
    return status;
  copy.validity = host.validity = MemoryValidity::Shared;
  return {};
}

Result<void *> MemoryCopies::use(MemoryPlace place, MemoryDevice *device,
                                 uint64_t offset, uint64_t length,
                                 uint32_t access) {
  std::lock_guard lock(mutex);
  Copy &copy = copyAt(place);
  if (!copy.memory) {
    Result<void *> memory = device->allocate(size);
    if (!memory.ok())
      return memory.takeStatus();
    copy.device = device;
    copy.memory = *memory;
  }
  if (access == SLUICE_ACCESS_NONE)
    access = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;
  bool keepsNothing = access == SLUICE_ACCESS_OUT && length == size;
  if (copy.validity == MemoryValidity::Invalid && !keepsNothing)
    if (Status status = fetch(place); !status.ok())
      return status;
  if (access & SLUICE_ACCESS_OUT) {
    for (Copy &other : copies)
      other.validity = MemoryValidity::Invalid;
    copy.validity = MemoryValidity::Modified;
  }
  return static_cast<void *>(static_cast<unsigned char *>(copy.memory) +
                             offset);
}
