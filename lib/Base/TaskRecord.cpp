//===- TaskRecord.cpp - The last tasks of a process -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are found by address, because copying them would cost workers too much
// time.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TaskRecord.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace sluice;

/// Memory of a new file; null if the file cannot be made or its disk is full.
static void *mapNew(const std::string &file, size_t bytes) {
  int descriptor =
      ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return nullptr;
  void *found = MAP_FAILED;
  // Without space on the disk, writing to the memory would end the process.
  if (::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0)
    found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                   descriptor, 0);
  if (found == MAP_FAILED)
    ::unlink(file.c_str());
  ::close(descriptor);
  return found == MAP_FAILED ? nullptr : found;
}

TaskRecord &TaskRecord::make(const std::string &file) {
  void *place = file.empty() ? nullptr : mapNew(file, sizeof(Memory));
  auto *memory = place ? new (place) Memory() : new Memory();
  memory->process = ::getpid();
  // Keeps permanent objects reachable for leak detectors.
  static auto &all = *new std::vector<TaskRecord *>;
  return *all.emplace_back(new TaskRecord(memory));
}

std::unique_ptr<TaskRecord> TaskRecord::read(const std::string &file) {
  int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return nullptr;
  void *found = MAP_FAILED;
  if (::lseek(descriptor, 0, SEEK_END) >= static_cast<off_t>(sizeof(Memory)))
    found =
        ::mmap(nullptr, sizeof(Memory), PROT_READ, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (found == MAP_FAILED)
    return nullptr;
  return std::unique_ptr<TaskRecord>(
      new TaskRecord(static_cast<Memory *>(found)));
}

TaskRecord::~TaskRecord() { ::munmap(memory, sizeof(Memory)); }

void TaskRecord::addName(const char *name) {
  const auto pointer = reinterpret_cast<uintptr_t>(name);
  const uint32_t count = memory->numNames.load(std::memory_order_relaxed);
  Name *end = memory->names + count;
  Name *at = std::find_if(memory->names, end, [&](const Name &known) {
    return known.pointer.load(std::memory_order_relaxed) == pointer;
  });
  if (at == end) {
    if (count == maxNames)
      return;
    memory->numNames.store(count + 1, std::memory_order_relaxed);
  } else if (std::strncmp(at->text, name, nameBytes - 1) == 0) {
    return;
  }
  std::strncpy(at->text, name, nameBytes - 1);
  at->pointer.store(pointer, std::memory_order_release);
}

std::string TaskRecord::text() const {
  const Slot *found = nullptr;
  for (const Slot &slot : memory->slots) {
    if (slot.name.load(std::memory_order_relaxed) == 0)
      continue;
    const bool isInside = slot.isInside.load(std::memory_order_relaxed) != 0;
    if (!found || isInside)
      found = &slot;
    if (isInside)
      break;
  }
  if (!found)
    return "";
  std::string text = "a task";
  for (const Name &name : memory->names)
    if (name.pointer.load(std::memory_order_acquire) ==
        found->name.load(std::memory_order_relaxed))
      text = concat("task ", quoted(std::string(
                                 name.text, ::strnlen(name.text, nameBytes))));
  const int32_t rank =
      std::clamp(found->rank.load(std::memory_order_relaxed), 0, 3);
  for (int32_t d = 0; d < rank; ++d)
    text += concat(d ? ", " : " at point (",
                   found->point[d].load(std::memory_order_relaxed));
  return rank ? text + ')' : text;
}
