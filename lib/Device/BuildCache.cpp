//===- BuildCache.cpp - What drivers made of modules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildCache.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Seal.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

using namespace sluice;
using namespace sluice::device;

namespace fs = std::filesystem;

BuildCache::BuildCache(const std::string &directory,
                       const SluiceDeviceModule &module,
                       const SluiceDeviceImage &image,
                       const Properties &properties, std::string_view options)
    : directory(directory) {
  if (directory.empty())
    return;
  ContentHash hash;
  hash.add(module.hash ? module.hash : "");
  hash.add(std::string_view(static_cast<const char *>(image.code), image.size));
  hash.add(uint64_t(image.format));
  hash.add(properties.description);
  hash.add(properties.driver);
  hash.add(properties.target);
  hash.add(options);
  path = concat(directory, "/", hash.text(), ".device");
}

std::string BuildCache::read() const {
  std::optional<std::string> binary;
  if (isWanted())
    binary = readSealed(path);
  if (!binary)
    return {};
  (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return std::move(*binary);
}

void BuildCache::write(std::string_view binary) const {
  if (isWanted() && !binary.empty() &&
      preparePrivateDirectory(directory).ok() && writeSealed(path, binary).ok())
    trim(directory, limit);
}

namespace {
struct Entry {
  fs::path path;
  fs::file_time_type lastUse;
  uint64_t size;
};
} // namespace

void BuildCache::trim(const std::string &directory, uint64_t limit) {
  removeUnfinished(directory);
  std::vector<Entry> entries;
  uint64_t size = 0;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    // Files may go while they are looked at.
    std::error_code gone;
    Entry found = {entry->path(), entry->last_write_time(gone),
                   gone ? 0 : entry->file_size(gone)};
    if (gone || found.path.extension() != ".device")
      continue;
    size += found.size;
    entries.push_back(std::move(found));
  }
  std::sort(entries.begin(), entries.end(),
            [](auto &a, auto &b) { return a.lastUse < b.lastUse; });
  for (const Entry &entry : entries) {
    if (size <= limit)
      return;
    fs::remove(entry.path, error);
    size -= entry.size;
  }
}
