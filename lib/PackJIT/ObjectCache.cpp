//===- ObjectCache.cpp - Compiled objects, kept in memory and on disk -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace sluice;
using namespace sluice::pack;

/// What the folder may hold, and what is left when it held more.
static constexpr int64_t mostDiskBytes = INT64_C(64) << 20;
static constexpr int64_t trimmedDiskBytes = INT64_C(48) << 20;
static constexpr unsigned insertionsPerTrim = 64;
/// Larger files are not ours.
static constexpr int64_t mostObjectBytes = INT64_C(16) << 20;

static constexpr std::string_view magic = "SluiceP1";
static constexpr std::string_view suffix = ".object";

//===-- Files ------------------------------------------------------------===//

static std::string checksumOf(std::string_view key, std::string_view object) {
  return ContentHash().add(key).add(object).text();
}

static void appendNumber(std::string &out, uint64_t number) {
  out.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

static std::string encode(std::string_view key, std::string_view object) {
  std::string file(magic);
  appendNumber(file, key.size());
  appendNumber(file, object.size());
  file += checksumOf(key, object);
  file += key;
  file += object;
  return file;
}

static std::string_view take(std::string_view &file, uint64_t size) {
  std::string_view part = file.substr(0, size);
  file.remove_prefix(part.size());
  return part;
}

static uint64_t takeNumber(std::string_view &file) {
  uint64_t number = 0;
  std::string_view part = take(file, sizeof(number));
  if (part.size() == sizeof(number))
    std::memcpy(&number, part.data(), sizeof(number));
  return number;
}

/// The object in `file` if that is sound and of `key`.
static std::optional<std::string> decode(std::string_view file,
                                         std::string_view key) {
  if (take(file, magic.size()) != magic)
    return std::nullopt;
  uint64_t keySize = takeNumber(file);
  uint64_t objectSize = takeNumber(file);
  std::string_view checksum = take(file, 32);
  if (keySize != key.size() || file.size() < keySize ||
      file.size() - keySize != objectSize || take(file, keySize) != key ||
      checksumOf(key, file) != checksum)
    return std::nullopt;
  return std::string(file);
}

static std::optional<std::string> readAll(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  struct stat info;
  std::string content;
  bool isRead = ::fstat(file, &info) == 0 && info.st_size <= mostObjectBytes;
  if (isRead) {
    content.resize(static_cast<size_t>(info.st_size));
    isRead = ::read(file, content.data(), content.size()) == info.st_size;
  }
  ::close(file);
  return isRead ? std::optional(std::move(content)) : std::nullopt;
}

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
      !preparePrivateDirectory(folderOfCache()).ok() ||
      !checkPrivateFile(path).ok())
    return std::nullopt;
  std::optional<std::string> file = readAll(path);
  return file ? decode(*file, key) : std::nullopt;
}

void DiskCache::insert(std::string_view key, std::string_view object) {
  std::string folder = folderOfCache();
  if (folder.empty() || !preparePrivateDirectory(folder).ok())
    return;
  // A full or read-only disk is no reason to stop a program.
  if (!writeFileAtomically(pathFor(key), encode(key, object)).ok())
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
