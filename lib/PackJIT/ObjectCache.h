//===- ObjectCache.h - Caching compiled objects ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs commit the same layouts in every run, so objects are cached under
// everything that determines them: the form, the processor, the versions. A
// file of the store (see Base/Store.h) contains this key, since the file name
// is only a hash of it, and the object.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_OBJECTCACHE_H
#define SLUICE_PACKJIT_OBJECTCACHE_H

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::pack::jit {

/// The object on disk for `key`, if there is a valid one.
std::optional<std::string> findOnDisk(std::string_view key);
/// Stores `object` on disk; failures do not matter and are not reported.
void keepOnDisk(std::string_view key, std::string_view object);

/// The most recently used objects, up to a total size. Thread-safe.
class MemoryCache {
public:
  explicit MemoryCache(size_t maxBytes) : maxBytes(maxBytes) {}
  std::shared_ptr<const std::string> find(const std::string &key);
  void insert(const std::string &key,
              std::shared_ptr<const std::string> object);

private:
  using Entry = std::pair<std::string, std::shared_ptr<const std::string>>;
  static size_t bytesOf(const Entry &entry);

  std::mutex mutex;
  size_t maxBytes;
  size_t bytes = 0;
  /// The most recently used entry comes first.
  std::list<Entry> entries;
  std::unordered_map<std::string_view, std::list<Entry>::iterator> places;
};

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_OBJECTCACHE_H
