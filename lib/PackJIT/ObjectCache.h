//===- ObjectCache.h - Compiled objects, kept in memory and on disk -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs commit the same layouts in every run, so objects are kept by all
// that determines them: the form, the processor, the versions. A file is sealed
// (see Base/Seal.h) and holds that key, as its name is only a hash of it, and
// the object.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_OBJECTCACHE_H
#define SLUICE_PACKJIT_OBJECTCACHE_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::pack::jit {

/// Objects on disk, in `cacheDirectory()/pack`. Thread-safe; processes may
/// share the folder.
class DiskCache {
public:
  /// The object kept for `key`, if there is a sound one.
  std::optional<std::string> find(std::string_view key);
  /// Keeps `object`; failures are of no consequence and not reported.
  void insert(std::string_view key, std::string_view object);

  /// The file for `key`; empty if there is no folder to use.
  static std::string pathFor(std::string_view key);
  /// Removes the oldest files of `folder` until at most `bytes` are left.
  static void trim(const std::string &folder, int64_t bytes);

private:
  std::mutex mutex;
  unsigned insertions = 0;
};

/// The objects used last, up to a number of bytes. Thread-safe.
class MemoryCache {
public:
  explicit MemoryCache(size_t mostBytes) : mostBytes(mostBytes) {}
  std::shared_ptr<const std::string> find(const std::string &key);
  void insert(const std::string &key,
              std::shared_ptr<const std::string> object);

private:
  using Entry = std::pair<std::string, std::shared_ptr<const std::string>>;
  static size_t bytesOf(const Entry &entry);

  std::mutex mutex;
  size_t mostBytes;
  size_t bytes = 0;
  /// The one used last comes first.
  std::list<Entry> entries;
  std::unordered_map<std::string_view, std::list<Entry>::iterator> places;
};

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_OBJECTCACHE_H
