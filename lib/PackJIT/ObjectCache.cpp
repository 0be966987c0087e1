//===- ObjectCache.cpp - Compiled objects, kept in memory and on disk -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Seal.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;

/// What the folder may hold, and what is left when it held more.
static constexpr int64_t mostDiskBytes = INT64_C(64) << 20;
static constexpr int64_t trimmedDiskBytes = INT64_C(48) << 20;
static constexpr unsigned insertionsPerTrim = 64;

static constexpr std::string_view suffix = ".object";

//===-- Disk -------------------------------------------------------------===//

static std::string folderOfCache() {
  std::string folder = cacheDirectory();
  return folder.empty() ? folder : folder + "/pack";
}

std::string DiskCache::pathFor(std::string_view key) {
  std::string folder = folderOfCache();
  if (folder.empty())
    return folder;
  return concat(folder, '/', ContentHash().add(key).text(), suffix);
}

std::optional<std::string> DiskCache::find(std::string_view key) {
  std::string path = pathFor(key);
  if (path.empty() || ::access(path.c_str(), R_OK) != 0 ||
      !preparePrivateDirectory(folderOfCache()).ok())
    return std::nullopt;
  std::optional<std::string> entry = readSealed(path);
  if (!entry || !entry->starts_with(key))
    return std::nullopt;
  entry->erase(0, key.size());
  return entry;
}

void DiskCache::insert(std::string_view key, std::string_view object) {
  std::string folder = folderOfCache();
  if (folder.empty() || !preparePrivateDirectory(folder).ok())
    return;
  // A full or read-only disk is no reason to stop a program.
  if (!writeSealed(pathFor(key), concat(key, object)).ok())
    return;
  std::lock_guard lock(mutex);
  if (insertions++ % insertionsPerTrim == 0)
    trim(folder, mostDiskBytes);
}

namespace {
struct CachedFile {
  std::string path;
  int64_t bytes;
  timespec written;
};
} // namespace

static std::vector<CachedFile> filesIn(const std::string &folder) {
  std::vector<CachedFile> files;
  DIR *directory = ::opendir(folder.c_str());
  if (!directory)
    return files;
  while (const dirent *entry = ::readdir(directory)) {
    std::string path = concat(folder, '/', entry->d_name);
    struct stat info;
    if (::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      files.push_back({path, info.st_size, info.st_mtim});
  }
  ::closedir(directory);
  return files;
}

void DiskCache::trim(const std::string &folder, int64_t bytes) {
  std::vector<CachedFile> files = filesIn(folder);
  int64_t total = 0;
  for (const CachedFile &file : files)
    total += file.bytes;
  if (total <= bytes)
    return;
  std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) {
    return std::pair(a.written.tv_sec, a.written.tv_nsec) <
           std::pair(b.written.tv_sec, b.written.tv_nsec);
  });
  int64_t goal = bytes == mostDiskBytes ? trimmedDiskBytes : bytes;
  for (const CachedFile &file : files) {
    if (total <= goal)
      return;
    if (::unlink(file.path.c_str()) == 0)
      total -= file.bytes;
  }
}

//===-- Memory -----------------------------------------------------------===//

size_t MemoryCache::bytesOf(const Entry &entry) {
  return entry.first.size() + entry.second->size() + sizeof(Entry);
}

std::shared_ptr<const std::string> MemoryCache::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto place = places.find(key);
  if (place == places.end())
    return nullptr;
  entries.splice(entries.begin(), entries, place->second);
  return place->second->second;
}

void MemoryCache::insert(const std::string &key,
                         std::shared_ptr<const std::string> object) {
  std::lock_guard lock(mutex);
  if (places.count(key))
    return;
  entries.emplace_front(key, std::move(object));
  places.emplace(entries.front().first, entries.begin());
  bytes += bytesOf(entries.front());
  while (bytes > mostBytes && !entries.empty()) {
    bytes -= bytesOf(entries.back());
    places.erase(entries.back().first);
    entries.pop_back();
  }
}
