//===- FreshLibraries.cpp - Libraries that were replaced ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader compares names: the SONAME, or the path of a library without one.
// So the copy has no SONAME and another path.
//
//===----------------------------------------------------------------------===//

#include "FreshLibraries.h"
#include "sluice/Toolchain/Manifest.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <map>
#include <mutex>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
/// The dynamic section of a shared library in memory.
struct DynamicSection {
  Elf64_Dyn *entries = nullptr;
  size_t count = 0;
};
} // namespace

template <typename T>
static T *entryAt(MutableArrayRef<char> file, uint64_t offset, uint64_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T))
    return nullptr;
  return reinterpret_cast<T *>(file.data() + offset);
}

/// Empty if the file is not a shared library for this machine.
static DynamicSection dynamicOf(MutableArrayRef<char> file) {
  auto *head = entryAt<Elf64_Ehdr>(file, 0, 1);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_type != ET_DYN ||
      head->e_phentsize != sizeof(Elf64_Phdr))
    return {};
  auto *segments = entryAt<Elf64_Phdr>(file, head->e_phoff, head->e_phnum);
  for (unsigned i = 0; segments && i != head->e_phnum; ++i) {
    if (segments[i].p_type != PT_DYNAMIC)
      continue;
    size_t count = segments[i].p_filesz / sizeof(Elf64_Dyn);
    return {entryAt<Elf64_Dyn>(file, segments[i].p_offset, count), count};
  }
  return {};
}

static std::unique_ptr<WritableMemoryBuffer> read(const std::string &path) {
  auto buffer = WritableMemoryBuffer::getFile(path);
  return buffer ? std::move(*buffer) : nullptr;
}

static bool isSharedLibrary(const std::string &path) {
  StringRef name = sys::path::filename(path);
  if (!name.ends_with(".so") && !name.contains(".so."))
    return false;
  std::unique_ptr<WritableMemoryBuffer> buffer = read(path);
  return buffer && dynamicOf(buffer->getBuffer()).entries;
}

/// Paths of deleted files that this process still has mapped.
static std::vector<std::string> removedFiles() {
  std::vector<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    StringRef text = line;
    size_t path = text.find('/');
    if (path != StringRef::npos && text.consume_back(" (deleted)"))
      paths.push_back(text.drop_front(path).str());
  }
  return paths;
}

std::vector<std::string> driver::findReplaced(ArrayRef<std::string> files) {
  // The state of each library when a program opened it.
  static std::mutex mutex;
  static std::map<std::string, std::string> opened;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> replaced, removed = removedFiles();
  for (const std::string &file : files) {
    if (!isSharedLibrary(file))
      continue;
    std::string stamp = exactStamp(file);
    auto [known, isFirst] = opened.try_emplace(file, stamp);
    bool isGone = any_of(removed, [&](StringRef path) {
      return sys::path::filename(path) == sys::path::filename(file);
    });
    if (known->second != stamp || (isFirst && isGone))
      replaced.push_back(file);
    if (isFirst && isGone)
      known->second.clear();
  }
  return replaced;
}

std::string driver::copyUnderOtherName(const std::string &library) {
  std::unique_ptr<WritableMemoryBuffer> buffer = read(library);
  if (!buffer)
    return "";
  DynamicSection section = dynamicOf(buffer->getBuffer());
  for (size_t i = 0; i != section.count; ++i)
    if (section.entries[i].d_tag == DT_SONAME)
      section.entries[i].d_tag = DT_VALRNGLO; // which nobody looks at
  Expected<std::string> copy = writeTemporary(
      StringRef(buffer->getBufferStart(), buffer->getBufferSize()), ".so");
  if (copy)
    return *copy;
  consumeError(copy.takeError());
  return "";
}
