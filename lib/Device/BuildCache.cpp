//===- BuildCache.cpp - What drivers made of modules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is: a line "sluice-device-binary 1", a line with the key, a line with
// the hash of the rest, the rest.
//
//===----------------------------------------------------------------------===//

#include "BuildCache.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace sluice;
using namespace sluice::device;

namespace fs = std::filesystem;

static constexpr std::string_view firstLine = "sluice-device-binary 1\n";

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
  key = hash.text();
  path = concat(directory, "/", key, ".device");
}

std::string BuildCache::read() const {
  if (!isWanted() || !checkPrivateFile(path).ok())
    return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  std::string content = std::move(all).str();
  std::string_view rest = content;
  auto take = [&](std::string_view start) {
    bool isThere = rest.starts_with(start);
    if (isThere)
      rest.remove_prefix(start.size());
    return isThere;
  };
  size_t hashSize = ContentHash().text().size();
  if (!take(firstLine) || !take(key) || !take("\n") ||
      rest.size() <= hashSize + 1)
    return {};
  std::string_view stated = rest.substr(0, hashSize);
  std::string_view binary = rest.substr(hashSize + 1);
  if (ContentHash().add(binary).text() != stated)
    return {};
  (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return std::string(binary);
}

void BuildCache::write(std::string_view binary) const {
  if (!isWanted() || binary.empty() || !preparePrivateDirectory(directory).ok())
    return;
  std::string content = concat(firstLine, key, "\n",
                               ContentHash().add(binary).text(), "\n", binary);
  if (writeFileAtomically(path, content).ok())
    trim(directory, limit);
}

namespace {
struct Entry {
  fs::path path;
  fs::file_time_type lastUse;
  uint64_t size;
};
} // namespace

/// What nobody has renamed for so long belongs to a process that has ended.
static constexpr auto longestWrite = std::chrono::hours(1);

void BuildCache::trim(const std::string &directory, uint64_t limit) {
  std::vector<Entry> entries;
  uint64_t size = 0;
  std::error_code error;
  auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    // Files may go while they are looked at.
    std::error_code gone;
    Entry found = {entry->path(), entry->last_write_time(gone),
                   gone ? 0 : entry->file_size(gone)};
    if (gone)
      continue;
    std::string name = found.path.filename();
    if (name.ends_with(".tmp") && name.find(".device.") != name.npos &&
        now - found.lastUse > longestWrite)
      fs::remove(found.path, gone);
    if (!name.ends_with(".device"))
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
